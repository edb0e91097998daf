"""CSV and its relatives: any separator, decimal comma, quoted cells, with or without a header line."""

from collections.abc import Sequence

from privacy_engine.data import Trajectory
from privacy_engine.formats import blockwise, head_sample
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import Dialect, as_utf8, looks_like_text, requoted, sniff
from privacy_engine.formats.options import COLUMNS, TABLE, ReadOptions
from privacy_engine.formats.points import Points
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.table import read_points


def points_of(data: bytes, options: ReadOptions, report: Report) -> Points:
    """The rows of a table whose dialect is detected."""
    data = requoted(as_utf8(data, report, options))
    return points_in(data, sniff(data, options, report), options, report)


def points_in(data: bytes, dialect: Dialect, options: ReadOptions, report: Report) -> Points:
    """The rows of a table whose dialect is known."""
    points = read_points(data, dialect, options, report)
    points.labelled = True
    if dialect.ours:
        points.names = [_without_guard(name) for name in points.names]
        points.person_names = [_without_guard(name) for name in points.person_names]
    return points


def _without_guard(name: str) -> str:
    """A series' name as it was before our export guarded it against spreadsheets."""
    return name[1:] if name.startswith("'") and name.lstrip("'")[:1] in ("=", "+", "-", "@", "\t", "\r") else name


def read(source: Source, options: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """The series of a table of positions; a long plain one is read block by block, in little memory."""
    if (series := blockwise.read(source, options, report, points_in)) is not None:
        return series
    return build(points_of(source.read_lines(), options, report), options, report)


DELIMITED = register(
    Format(
        "csv",
        "CSV or TSV table",
        ("csv", "tsv", "tab", "txt", "dat"),
        looks_like_text,
        read,
        rank=90,
        keeps="times, series, landmarks",
        options=TABLE,
        columns=COLUMNS,
        person="a column of users, people, devices, vehicles or animals; else everything is one person's, but where "
        "the series of a column such as id overlap in time each is a person. Columns of trips, tracks and segments "
        "make series, not people",
        tabular=True,
        source="https://www.rfc-editor.org/rfc/rfc4180",
        head=head_sample.of_text,
    )
)
