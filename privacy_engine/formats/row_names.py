"""Rows that begin with a name which the header leaves out, as R writes them."""

from collections.abc import Sequence
from functools import partial

from privacy_engine.core.plurals import quantity
from privacy_engine.errors import FormatError
from privacy_engine.formats.column import Column, columns_of
from privacy_engine.formats.numbers import number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.position_columns import has_positions, pairs
from privacy_engine.formats.report import Report
from privacy_engine.formats.time_columns import TIME
from privacy_engine.formats.vocabulary import names_of

_TIMES = (*TIME, *names_of("time", "periods"), "quarter")


def with_row_names(names: list[str], rows: list[list[str]], options: ReadOptions) -> list[str]:
    """The names of a header for ``rows``, which may begin with a name that it leaves out, as R writes them.

    They do where each row has one cell more than the header, unless the header suits its cells as it stands.

    Raises
    ------
    FormatError
        The positions are on the globe neither way.
    """
    shifted = ["", *names]
    if options.applied or options.columns is not None:
        is_longer = options.applied or any(len(row) > len(names) for row in rows)
        return shifted if options.columns == str(len(shifted)) and is_longer else names
    if {len(row) for row in rows if row[-1].strip()} != {len(shifted)}:
        return names
    if not has_positions(names):
        return names if len(rows) < 2 or has_times(names, rows) else shifted
    moved, bare = (_on_globe(columns_of(some, rows)) for some in (shifted, names))
    if not moved and not bare:
        raise long_rows(len(shifted), len(names))
    return shifted if moved and not (bare and len({row[0] for row in rows}) < len(rows)) else names


def has_times(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether times stand below a name of a time."""
    return any(column.plain in _TIMES and column.timed for column in columns_of(names, rows))


def note_row_names(report: Report) -> None:
    """Note that rows begin with their names."""
    message = "Each row has one cell more than the header: the first cell was taken for the name of the row."
    report.note("row_names", message, level="info")


def long_rows(cells: int, names: int) -> FormatError:
    """The error for a table whose rows have more cells than its header has names."""
    rule = "as many names in the header as cells in a row, or names of rows before them"
    message = f"Each row has {cells} cells, and the header {quantity(names, 'name')}. The table must have {rule}."
    return FormatError(message, code="long_rows", rule=rule)


def _on_globe(columns: list[Column]) -> bool:
    """Whether the likeliest columns of the position hold degrees."""

    def within(axis: str, most: float, cell: str) -> bool:
        return abs(number(cell.replace(",", "."), axis)[0]) <= most

    return any(
        pair.lat.mostly(partial(within, "lat", 90)) and pair.lon.mostly(partial(within, "lon", 360))
        for pair in pairs(columns)[:1]
    )
