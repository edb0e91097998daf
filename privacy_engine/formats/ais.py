"""AIS as tables: positions of ships by MMSI, as harbour authorities publish them (Denmark, MarineCadastre)."""

import re

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.formats import head_sample
from privacy_engine.formats.delimited import points_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.numbers import GOOD, UNAVAILABLE
from privacy_engine.formats.options import COLUMNS, TABLE, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import plain_head

DOCUMENTED = "AIS counts time in UTC, and both authorities publish it so."
_HEADER = re.compile(rb"(?=[^\n]*\bmmsi\b)(?=[^\n]*\blat)(?=[^\n]*\blon)", re.IGNORECASE)
_NO_LAT, _NO_LON = 91.0, 181.0


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The ships of an AIS table; 91 and 181 degrees mean that a ship did not know where it was."""
    points = points_of(source.read_lines(), options, report)
    points.documented = DOCUMENTED
    nowhere = (points.lat == _NO_LAT) | (points.lon == _NO_LON)
    reasons = np.zeros(len(points.lat), dtype=np.uint8) if points.reasons is None else points.reasons
    points.reasons = np.where(nowhere & (reasons == GOOD), UNAVAILABLE, reasons).astype(np.uint8)
    points.lon, points.lat = np.where(nowhere, np.nan, points.lon), np.where(nowhere, np.nan, points.lat)
    return build(points, options, report)


def sniff(head: bytes) -> bool:
    """Whether the first line names a ship and its position."""
    return _HEADER.match(plain_head(head).split(b"\n", 1)[0]) is not None


AIS = register(
    Format(
        "ais",
        "AIS table",
        ("csv",),
        sniff,
        read,
        rank=36,
        keeps="times, series (each ship's MMSI), landmarks",
        options=TABLE,
        columns=COLUMNS,
        person="each ship, by its MMSI",
        source="https://www.itu.int/rec/R-REC-M.1371",
        head=head_sample.of_text,
    )
)
