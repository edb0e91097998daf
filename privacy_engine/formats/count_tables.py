"""A table of counts before its counts are read: its names made distinct, totals left out, dates across turned down."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from privacy_engine.core.progress import reported
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats.arrow import pa, pc
from privacy_engine.formats.column import canonical, columns_of
from privacy_engine.formats.columnar import as_texts
from privacy_engine.formats.count_cells import count_of
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.numbers import GOOD
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.people import numbered
from privacy_engine.formats.position_columns import is_coordinate
from privacy_engine.formats.report import Report
from privacy_engine.formats.stream_layout import counts_rows
from privacy_engine.formats.vocabulary import terms_of

TOTALS = terms_of("counts", "total")
NONE = "none"


def named(table: Table, report: Report) -> Table:
    """The table with a name for each column, and none twice."""
    names = [name.strip() or f"column {i + 1}" for i, name in enumerate(table.names)] if table.headed else table.names
    blank = [i + 1 for i, name in enumerate(table.names) if not name.strip()]
    twice = [name for name, count in Counter(names).items() if count > 1]
    first_is_blank = blank == [1]  # as pandas writes an index
    if blank and not first_is_blank:
        report.note("blank_names", f"Column {blank[0]} has no name.", count=len(blank))
    if twice:
        message = (
            f"{names.count(twice[0])} columns are called {twice[0][:40]!r}: a number follows the name of the others."
        )
        report.note("repeated_names", message, count=sum(names.count(name) - 1 for name in twice))
    names = ["", *names[1:]] if first_is_blank else names
    return replace(table, names=numbered(names))


def without_totals(table: Table, label: int | None, options: ReadOptions, report: Report) -> Table:
    """The table without the rows and columns that are totals or number the rows, by their names; all are wide.

    ``label`` is the place of the times. What is left out is a guess where no option states it.
    """
    stated = options.leave_out
    if stated is None and options.applied:
        return table
    rows, columns = _stated(stated) if stated is not None else _found(table, label)
    unknown = [name for name in columns if name not in table.names]
    if stated is not None and unknown:
        rule = "the name of a column of the table"
        raise ParameterError(
            f"leave_out: {unknown[0][:40]!r} must be {rule}", field="leave_out", rule=rule, value=stated
        )
    if stated is None and (rows or columns):
        value = ", ".join([*(f"row:{name}" for name in rows), *(f"column:{name}" for name in columns)])
        message = f"{_shown([*rows, *columns])} no part of the counts: left out."
        report.decide("leave_out", value)
        report.guess("totals", value, message, "leave_out")
    kept = [i for i, name in enumerate(table.names) if name not in columns]
    table = replace(
        table,
        names=[table.names[i] for i in kept],
        columns=[table.columns[i] for i in kept],
        sample=[[row[i] for i in kept if i < len(row)] for row in table.sample],
        origin=kept,
    )
    if not rows or label not in kept:
        return table
    at = kept.index(label)
    keep = pc.invert(pc.is_in(_texts(table.columns[at]), value_set=pa.array(rows)))
    places, numbers = np.flatnonzero(keep.to_numpy(zero_copy_only=False)), table.rows
    return replace(
        table,
        columns=[column.filter(keep) for column in reported(table.columns)],
        sample=[row for row in table.sample if at >= len(row) or row[at].strip() not in rows],
        rows=lambda index: numbers(places[index]),
    )


def _stated(value: str) -> tuple[list[str], list[str]]:
    """The names of rows and of columns that the option leave_out names.

    Raises
    ------
    ParameterError
        A part is neither ``row:NAME`` nor ``column:NAME``.
    """
    rows: list[str] = []
    columns: list[str] = []
    for part in value.split(", ") if value != NONE else ():
        kind, _, name = part.partition(":")
        if kind not in ("row", "column") or not name:
            rule = "must be none, or row:NAME and column:NAME, separated by a comma and a space"
            raise ParameterError(f"leave_out {rule}, got {value[:60]!r}", field="leave_out", rule=rule, value=value)
        (rows if kind == "row" else columns).append(name)
    return rows, columns


def _found(table: Table, label: int | None) -> tuple[list[str], list[str]]:
    """The names of rows that are totals, and of columns that are or that number the rows."""
    if not table.headed:
        return [], []
    others = [column for column in columns_of(table.names, table.sample) if column.place != label]
    totals = [other.name for other in others if other.plain in TOTALS]
    ids = [other.name for other in others if counts_rows(other)]
    columns = [*totals, *ids] if len(others) - len(totals) - len(ids) > 1 else ids if len(others) - len(ids) > 0 else []
    if label is None:
        return [], columns
    labels = pc.unique(_texts(table.columns[label])).to_pylist()
    return [text for text in labels if text[:1].isalpha() and canonical(text) in TOTALS], columns


def _texts(column: Any) -> Any:
    return pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), ""))


def _shown(names: Sequence[str]) -> str:
    quoted = [repr(name[:40]) for name in names]
    return f"{quoted[0]} is" if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]} are"


def naming_columns(names: Sequence[str], sample: Sequence[Sequence[str]], across: Sequence[int]) -> list[int]:
    """The columns beside those of dates whose texts name the rows: no coordinates, and no numbers such as totals."""
    beside = [column for column in columns_of(names, sample) if column.place not in across]
    beside = [column for column in beside if not is_coordinate(column.name)]
    texts = [column for column in beside if not all(count_of(cell)[1] == GOOD for cell in column.cells)]
    return [column.place for column in texts or beside[:1]]


def turned(table: Table, across: Sequence[int], report: Report) -> Table:
    """A table with a column for each time as a table with a row for each time; its rows are the streams.

    A stream is called by the texts of its row; coordinates do not name it.

    Raises
    ------
    FormatError
        Two rows have the same texts.
    """
    naming = naming_columns(table.names, table.sample, across)
    parts = [as_texts(table.columns[i]) for i in naming]
    names = [" / ".join(filter(None, (part.strip() for part in row))) for row in zip(*parts, strict=True)]
    names = names or [str(i + 1) for i in range(len(table.columns[0]))]
    if twice := next((name for name, count in Counter(names).items() if count > 1), None):
        rule = "one row of each name"
        message = f"Several rows are called {twice[:40]!r}: a table with dates across must have {rule}."
        raise FormatError(message, code="repeated_names", rule=rule, value=twice)
    unused = [table.names[i] for i in range(len(table.names)) if i not in across and i not in naming]
    message = f"{len(across)} columns are called by dates: each row is a stream, and each of these columns a time."
    report.note("dates_across", message + (f" {_shown(unused)} not used." if unused else ""), level="info")
    rows = zip(*(as_texts(table.columns[i]) for i in across), strict=True)
    columns: list[Any] = [pa.array(row, pa.string()) for row in reported(rows)]
    labels = [table.names[i].strip() for i in across]
    sample = [
        [labels[i], *(column[i].as_py() for column in columns)] for i in range(min(len(labels), len(table.sample)))
    ]
    return Table(["date", *names], [pa.array(labels, pa.string()), *columns], lambda index: index + 1, True, sample)
