"""Movebank exports: a row for each fix of an animal, times in UTC; rows marked as outliers are read like the others."""

import re

from privacy_engine.data import Trajectory
from privacy_engine.formats import head_sample
from privacy_engine.formats.delimited import points_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import COLUMNS, TABLE, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import plain_head

DOCUMENTED = "Movebank's dictionary of attributes states that its timestamps are UTC."
_HEADER = re.compile(
    rb"(?=[^\n]*location[-_.]long)(?=[^\n]*(?:tag|individual)[-_.]local[-_.]identifier)", re.IGNORECASE
)


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The animals of a Movebank export."""
    points = points_of(source.read_lines(), options, report)
    points.documented = DOCUMENTED
    return build(points, options, report)


def sniff(head: bytes) -> bool:
    """Whether the first line names Movebank's columns."""
    return _HEADER.match(plain_head(head).split(b"\n", 1)[0]) is not None


MOVEBANK = register(
    Format(
        "movebank",
        "Movebank",
        ("csv",),
        sniff,
        read,
        rank=35,
        keeps="times, series (each animal's identifier), landmarks",
        options=TABLE,
        columns=COLUMNS,
        person="each animal, by its individual-local-identifier (else its tag)",
        source="https://www.movebank.org/cms/movebank-content/movebank-attribute-dictionary",
        head=head_sample.of_text,
    )
)
