"""Text tables whose positions are geometries in one column: WKT, EWKT, or WKB in hexadecimals, as PostGIS exports."""

import io

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.dialect import MARKS, as_utf8, cuts, first_lines, looks_like_text, mark_name
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.quoting import rows_of
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source
from privacy_engine.formats.text_rows import series_of_rows
from privacy_engine.formats.well_known_text import geometry_cells
from privacy_engine.formats.xmltools import plain_head

_MARKS = (",", ";", "|", "\t", " ")
_MOST_LINES = 20


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a table of geometries, points or lines."""
    data = as_utf8(source.read_lines(), report, options)
    stated = options.delimiter if options.applied else None
    mark = MARKS.get(stated, stated) if stated else _mark(data[: 1 << 16], options)
    report.decide("delimiter", mark and mark_name(mark))
    if mark is None:
        message = "No column of the table holds geometries as text (WKT, EWKT, or WKB in hexadecimals)."
        raise FormatError(message, code="no_position_columns", rule="a column of geometries")
    lines = io.TextIOWrapper(io.BytesIO(data), "utf-8", "replace", newline="")
    rows = ((line, row) for line, row in reported(rows_of(lines, mark), ROWS) if any(cell.strip() for cell in row))
    _, names = next(rows, (0, []))
    return series_of_rows([name.strip() for name in names], rows, options, report)


def _mark(head: bytes, options: ReadOptions) -> str | None:
    """The separator that makes one column a column of geometries and leaves the others at least 1 cell, if any."""
    lines = [line for line in first_lines(head) if line.strip()][:_MOST_LINES]
    for mark, rows in cuts(lines, options, _MARKS)[1].items():
        if len(rows) < 2 or has_positions(rows[0]) or len(rows[0]) != len(rows[1]):
            continue
        if geometry_cells(rows[0], rows[1:2]) is not None and geometry_cells(rows[0], rows[:1]) is None:
            return mark
    return None


def sniff(head: bytes) -> bool:
    """Whether a text table names no longitude and latitude, and a column of its second line is a geometry as text."""
    return looks_like_text(head) and _mark(plain_head(head), ReadOptions()) is not None


GEOMETRY_TABLE = register(
    Format(
        "wkt",
        "Table of geometries",
        ("csv", "tsv", "wkt"),
        sniff,
        read,
        rank=40,
        keeps="times, series, landmarks, coordinate system (SRID)",
        options=("encoding", "delimiter", "geometry", "clock", "end", "id", "landmark", "ends", *TIMED),
        columns=("time", "id", "person", "landmark"),
        person="a column, as of a CSV table",
        source="https://www.ogc.org/standards/sfa/",
    )
)
