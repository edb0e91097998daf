"""A table whatever its columns mean: names and columns of text, for the kinds that have no positions in them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import advance, reported
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.columnar import as_texts
from privacy_engine.formats.columns import named_place
from privacy_engine.formats.dialect import as_utf8, cuts, first_lines, mark_name, regular
from privacy_engine.formats.geoparquet import is_binary
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.numbers import GOOD, number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.quoting import require_closed
from privacy_engine.formats.report import Report
from privacy_engine.formats.row_names import has_times, long_rows, note_row_names, with_row_names
from privacy_engine.formats.table import text_columns

DELIMITERS = (",", "\t", ";", "|")
MAX_COLUMNS = 20_000
SAMPLE = 20
"""Rows by which the kind of a table is recognised."""
_POSITION = re.compile(r"-?[0-9]{1,3}\.[0-9]{3,}")
"""A coordinate with three decimals or more: two of them stand in no header."""


@dataclass
class Table:
    """Columns with their names; ``headed`` where the names stand in the file, ``sample`` the first rows.

    ``metadata`` are those of the schema of a Parquet file, ``origin`` the places of the columns in the file where some
    are left out.
    """

    names: list[str]
    columns: list[Any]
    rows: Callable[[NDArray[np.intp]], NDArray[Any]]
    headed: bool
    sample: list[list[str]]
    metadata: Mapping[bytes, bytes] = field(default_factory=dict)
    origin: Sequence[int] = ()

    def place(self, at: int | None) -> str:
        """The place of a column in the file, as reading options name it."""
        return named_place(self.origin[at] if self.origin and at is not None else at)

    def drop(self, reasons: Any, names: Sequence[str], report: Report) -> Mask:
        """Record the rows that are left out, by the places in ``names`` of their reasons (n,); which are kept."""
        report.rows_read += len(reasons)
        for code in np.unique(reasons[reasons != GOOD]).tolist():
            index = np.flatnonzero(reasons == code)
            report.drop(names[code], len(index), self.rows(index[:20]).tolist())
        return np.asarray(reasons == GOOD)


LOOKED_AT = 100
"""Rows that decide whether names are those of all cells, and whose lines are counted."""


@dataclass
class Outline:
    """What the first lines of a table show: how cells are cut, names, whether they are in the file, first rows."""

    delimiter: str
    names: list[str]
    headed: bool
    sample: list[list[str]]
    offset: int
    header: int = 0
    header_width: int = 0
    rows: Sequence[int] = ()


def outline(data: bytes, options: ReadOptions) -> Outline:
    """The outline of a text in UTF-8.

    Raises
    ------
    FormatError
        There are no rows.
    """
    lines = first_lines(data)
    marks, tables = cuts(lines, options, DELIMITERS)
    mark = max(marks, key=lambda mark: regular(tables[mark]))
    filled = [row for row in tables[mark] if any(cell.strip() for cell in row)]
    if not filled:
        raise FormatError("The file is empty.", code="empty")
    headed = _is_header(filled[0], filled[1:]) if options.header is None else options.header != "0"
    if headed and len(filled) == 1:
        raise FormatError("A header was found, but no data rows.", code="no_rows", row=1)
    at = next(i for i, row in enumerate(tables[mark]) if row == filled[0])
    before = sum(len(line.encode()) for line in lines[: at + 1]) if headed else 0
    width = int(options.columns or len(filled[0]))
    names = [cell.strip() for cell in filled[0]] if headed else [str(i + 1) for i in range(width)]
    if headed:
        rows = filled[1:LOOKED_AT]
        is_ended = len(names) > 1 and not names[-1] and not any(len(row) >= len(names) and row[-1] for row in rows)
        names = names[:-1] if is_ended else with_row_names(names, rows, options)
    numbers = [line for line, row in enumerate(tables[mark][:LOOKED_AT], 1) if any(cell.strip() for cell in row)]
    return Outline(
        mark, names, headed, filled[headed:], before, at + 1 if headed else 0, len(filled[0]), numbers[headed:]
    )


def _is_header(first: list[str], rows: list[list[str]]) -> bool:
    """Names are no numbers, or they number the columns where the rows below do not."""
    if sum(bool(_POSITION.fullmatch(cell.strip())) for cell in first) > 1:
        return False
    if not any(number(cell)[1] == GOOD for cell in first):
        return True
    if not first[0].strip() and rows and all(row[0].strip() for row in rows):  # of an index without a name
        return True
    counted = [[str(i + start) for i in range(len(first))] for start in (0, 1)]
    if len(first) > 1 and first in counted:
        return bool(rows) and rows[0] != first
    return number(first[0])[1] != GOOD and sum(number(cell)[1] != GOOD for cell in first) * 2 > len(first)


def text_table(data: bytes, options: ReadOptions, report: Report) -> Table:
    """All columns of a text table, as text.

    Raises
    ------
    FormatError
        Every row has more cells than the header has names.
    """
    data = as_utf8(data, report, options)
    table = outline(data, options)
    report.decide("header", str(table.header))
    if not table.headed or not table.names[0]:
        report.decide("columns", str(len(table.names)))
    report.decide("delimiter", mark_name(table.delimiter))
    report.layout = Layout(table.names, delimiter=table.delimiter, offset=table.offset, headed=table.headed)
    report.layout.sample, report.layout.rows = table.sample, table.rows
    require_closed(data, table.offset, table.delimiter)
    width, least = len(table.names), min((len(row) for row in table.sample[:LOOKED_AT] if row[-1].strip()), default=0)
    if not table.names[0] and table.header_width == width - 1:
        note_row_names(report)
    if table.headed and least > width and not options.applied and not has_times(table.names, table.sample[:LOOKED_AT]):
        raise long_rows(least, width)
    if width > MAX_COLUMNS:
        raise FormatError(f"The table has more than {MAX_COLUMNS} columns.", code="too_large", rule="columns")
    places = {f"#{i}": i for i in range(width)}
    cells = text_columns(data, table.delimiter, table.offset, table.header + 1, width, places, report)
    columns = [cells.columns[f"#{i}"] for i in range(width)]
    return Table(table.names, columns, cells.rows, table.headed, table.sample)


def arrow_table(table: Any) -> Table:
    """The plain columns of an Arrow table; nested ones and those of bytes are left out."""
    names, columns = [], []
    for place, name in enumerate(reported(table.schema.names)):
        column = table.column(place).combine_chunks()
        if pa.types.is_dictionary(column.type):
            advance()
            column = column.dictionary_decode()
        if pa.types.is_large_string(column.type) or pa.types.is_string_view(column.type):  # pandas 3 writes the first
            column = column.cast(pa.string())
        if not pa.types.is_nested(column.type) and not is_binary(column.type):
            names.append(name)
            columns.append(column)
    if not names or not len(columns[0]):
        raise FormatError("The file holds no rows.", code="no_rows")
    head = [as_texts(column.slice(0, SAMPLE)) for column in columns]
    rows = [list(row) for row in zip(*head, strict=True)]
    return Table(names, columns, lambda index: index + 1, True, rows, table.schema.metadata or {})
