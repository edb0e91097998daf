"""Geolife and OziExplorer .plt: the same ending and the same second line, but other columns and times."""

import itertools
import re
from dataclasses import replace

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats import head_sample
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import Dialect, as_utf8, first_lines
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.points import Points
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import read_points
from privacy_engine.formats.times import Times

_COUNT = re.compile(rb"\s*[0-9]+[ ]*\r?\n")
_BOM = rb"(?:\xef\xbb\xbf)?"
_HEAD = re.compile(_BOM + rb"\s*(Geolife trajectory|OziExplorer Track Point File)", re.IGNORECASE)
_NUMBER = rb"[ ]*-?[0-9]+(?:\.[0-9]*)?[ ]*"
_DATE = rb"[ ]*[0-9]{4}-[0-9]{2}-[0-9]{2},[ ]*[0-9]{2}:[0-9]{2}:[0-9]{2}"
_GEOLIFE = re.compile(rb"(?m)^" + rb",".join([_NUMBER] * 5) + rb"," + _DATE + rb"[ ]*\r?$")
_OZI = re.compile(rb"(?m)^" + rb",".join([_NUMBER] * 5) + rb"(?:,[^,\r\n]*){0,2},?[ ]*\r?$")
_GEOLIFE_START = re.compile(_BOM + _GEOLIFE.pattern.removeprefix(rb"(?m)^"), re.MULTILINE)
_NAMES = ["latitude", "longitude", "reserved", "altitude in feet", "days since 1899-12-30", "date", "time of day"]
_OZI_NAMES = ["latitude", "longitude", "break", "altitude in feet", "days since 1899-12-30", "date", "time of day"]
DOCUMENTED = "Geolife's user guide states that its times are GMT."


def sniff(head: bytes) -> bool:
    """Whether the first lines are those of a .plt, or rows of a Geolife .plt that lost its header."""
    return _HEAD.match(head) is not None or _GEOLIFE_START.match(head) is not None


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The one series of a .plt file."""
    return build(points_of(source.read_lines(), options, report), options, report)


def points_of(data: bytes, options: ReadOptions, report: Report) -> Points:
    """The rows of a .plt file."""
    data = as_utf8(data, report, options)
    head = _HEAD.match(data)
    ozi = head is not None and head[1].lower().startswith(b"ozi")
    start = _first_row(data, ozi) if head is not None else 0
    if start is None:
        raise FormatError("The file has a .plt header but no points.", code="no_rows")
    if head is None:
        report.note("no_header", "The file has no header lines; its first line was read as a point.")
    first_row = data.count(b"\n", 0, start) + 1
    roles = {"lat": 0, "lon": 1, "time": 4} if ozi else {"lat": 0, "lon": 1, "time": 5, "clock": 6}
    sample = [line.strip().split(",") for line in first_lines(data[start : start + 65536])]
    dialect = Dialect(",", start, first_row, len(_NAMES), roles, sample=sample)
    names = (_OZI_NAMES if ozi else _NAMES)[: max((*map(len, sample[:1]), max(roles.values()) + 1))]
    report.layout = Layout(names, roles, ",", start, headed=False, fixed=True)
    if not ozi:
        points = read_points(data, dialect, options, report)
        points.documented = DOCUMENTED
        return points
    points = read_points(data, dialect, ReadOptions(**{**vars(options), "time_unit": "days"}), report)
    if points.times is not None:
        points.times = _whole_seconds(points.times)
    return points


def _first_row(data: bytes, ozi: bool) -> int | None:
    """Where the rows begin: after the sixth line if that ends a whole header, else at the first line like a row.

    The fifth line, about the track, looks like a row of an OziExplorer file.
    """
    at = [0, *(match.end() for match in itertools.islice(re.finditer(rb"\n", data[: 1 << 16]), 6))]
    if len(at) > 6 and _COUNT.fullmatch(data, at[5], at[6]):
        return at[6] if data[at[6] :].strip() else None
    row = (_OZI if ozi else _GEOLIFE).search(data, at[5] if ozi and len(at) > 5 else len(data) if ozi else 0)
    return None if row is None else row.start()


def _whole_seconds(times: Times) -> Times:
    """Days are given to 9 ms: an instant that near to a whole second is that second. They name no zone."""
    seconds = times.seconds
    whole = np.round(seconds)
    near = np.abs(seconds - whole) < 0.006
    naive = ~np.isnan(seconds)
    return replace(times, seconds=np.where(near, whole, seconds), naive=naive)


PLT = register(
    Format(
        "plt",
        "Geolife PLT (OziExplorer)",
        ("plt",),
        sniff,
        read,
        rank=30,
        keeps="times",
        options=("encoding", *TIMED),
        person="everything is one person's; in an archive as Geolife is published, the folder above Trajectory",
        source="https://www.microsoft.com/en-us/research/publication/geolife-gps-trajectory-dataset-user-guide/",
        head=head_sample.of_text,
    )
)
