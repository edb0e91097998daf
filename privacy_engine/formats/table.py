"""A text table to columns: Arrow for tables in good order, a careful reader for the others."""

import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.progress import ROWS, advance, reported
from privacy_engine.formats.arrow import pa, pacsv
from privacy_engine.formats.attributes import points_of_columns
from privacy_engine.formats.dialect import Dialect
from privacy_engine.formats.numbers import position
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.points import Points
from privacy_engine.formats.quoting import rows_of
from privacy_engine.formats.report import Report
from privacy_engine.formats.time_columns import PARTS
from privacy_engine.formats.times import ISO

Rows = Callable[[NDArray[np.intp]], NDArray[Any]]


@dataclass
class Cells:
    """The columns of a table by role, as Arrow arrays, and the row number of each row."""

    columns: dict[str, Any]
    rows: Rows


def read_points(data: bytes, dialect: Dialect, options: ReadOptions, report: Report) -> Points:
    """The rows of a table as points.

    Raises
    ------
    FormatError
        A quotation mark that is never closed.
    """
    cells = _arrow(data, dialect, report) or _careful(data, dialect, report)
    place = partial(position, cells.columns, decimal=dialect.decimal, e7=dialect.e7 and options.crs is None)
    names = {role: dialect.names[place] for role, place in dialect.roles.items() if dialect.names}
    return points_of_columns(
        cells.columns, names, place, cells.rows, options, report, e7=dialect.e7, verbatim=dialect.ours
    )


def text_columns(
    data: bytes, delimiter: str, offset: int, first_row: int, width: int, places: dict[str, int], report: Report
) -> Cells:
    """The columns at ``places`` of a table of known shape as text; rows that are too short are dropped."""
    dialect = Dialect(delimiter, offset, first_row, width, places)
    return _arrow(data, dialect, report) or _careful(data, dialect, report)


def _arrow(data: bytes, dialect: Dialect, report: Report) -> Cells | None:
    """The columns by Arrow's reader, with types where all cells have them; None where rows are not in order."""
    if b"\0" in data or dialect.delimiter == " " or not _plain_lines(data, dialect.offset):
        return None
    shared = len(set(dialect.roles.values())) < len(dialect.roles)
    for typed in (False,) if shared or "lon" not in dialect.roles else (True, False):
        advance()
        refused: list[tuple[int, bool]] = []
        try:
            table = _parse(data, dialect, typed, refused)
        except pa.ArrowException:
            continue
        columns = {role: table.column(f"c{place}").combine_chunks() for role, place in dialect.roles.items()}
        rows = _line_numbers(data, dialect, [number for number, _ in refused])
        lines = _nonblank_lines(data, dialect) if refused else np.array([], dtype=np.int64)
        short = [int(lines[number - 1]) for number, blank in refused if not blank]
        report.rows_read += len(short)
        report.drop("short_row", len(short), short[:20])
        return Cells(columns, rows)
    return None


def _parse(data: bytes, dialect: Dialect, typed: bool, refused: list[tuple[int, bool]]) -> Any:
    """Arrow's table of the needed columns. Rows that are too short are left out and put in ``refused``."""
    kinds = {f"c{place}": pa.string() for place in dialect.roles.values()}
    if typed:
        kinds |= _types(dialect)
    needed = max(dialect.roles.values()) + 1

    def judge(row: Any) -> str:
        if row.actual_columns >= needed:
            return "error"  # the careful reader uses such a row as far as it goes
        refused.append((row.number, not row.text.strip()))
        return "skip"

    return pacsv.read_csv(
        pa.BufferReader(pa.py_buffer(memoryview(data)[dialect.offset :])),
        read_options=pacsv.ReadOptions(
            column_names=[f"c{i}" for i in range(max(dialect.width, needed))], use_threads=False, block_size=1 << 22
        ),
        parse_options=pacsv.ParseOptions(delimiter=dialect.delimiter, invalid_row_handler=judge),
        convert_options=pacsv.ConvertOptions(
            column_types=kinds,
            include_columns=list(kinds),
            null_values=[""],
            strings_can_be_null=True,
            decimal_point=dialect.decimal,
            timestamp_parsers=[pacsv.ISO8601],
        ),
    )


def _types(dialect: Dialect) -> dict[str, Any]:
    """The types that the first rows promise."""
    roles = dialect.roles
    others = roles.keys() & set(PARTS)
    promised = dict.fromkeys(("lon", "lat", "end_lon", "end_lat"), pa.float64())
    promised |= dict.fromkeys(("id", "person", "landmark"), pa.dictionary(pa.int32(), pa.string()))
    if "time" in roles and not others:
        promised |= dict.fromkeys(("time", "end_time"), _kind_of_time(dialect))
    kinds = {f"c{roles[role]}": kind for role, kind in promised.items() if role in roles}
    if "time" in roles and others == {"clock"}:
        dates, clocks = (_first_cells(dialect, role) for role in ("time", "clock"))
        iso = all(re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", cell) for cell in dates)
        if dates and iso and all(re.fullmatch(r"[0-9]{2}:[0-9]{2}:[0-9]{2}", cell) for cell in clocks):
            kinds |= {f"c{roles['time']}": pa.date32(), f"c{roles['clock']}": pa.time32("s")}
    return kinds


def _first_cells(dialect: Dialect, role: str) -> list[str]:
    place = dialect.roles[role]
    return [row[place] for row in dialect.sample[:5] if place < len(row) and row[place]]


def _kind_of_time(dialect: Dialect) -> Any:
    cells = _first_cells(dialect, "time")
    zones = [match["z"] for cell in cells if (match := ISO.fullmatch(cell))]
    if cells and len(zones) == len(cells):
        return pa.timestamp("us", "UTC") if zones[0] else pa.timestamp("us")
    if cells and all(re.fullmatch(r"[0-9]{1,18}", cell) for cell in cells):
        return pa.int64()
    return pa.string()


def order_is_plain(dialect: Dialect) -> bool:
    """Whether the first times are of a kind that reads the same in every part of a column: ISO 8601, or numbers."""
    return "time" not in dialect.roles or (
        dialect.roles.keys().isdisjoint(PARTS) and _kind_of_time(dialect) != pa.string()
    )


def _plain_lines(data: bytes, offset: int) -> bool:
    """Whether each line is a row: no line break inside quotes, all closed, and a single kind of line end."""
    if (returns := data.count(b"\r")) and b"\n" in data and returns != data.count(b"\r\n"):
        return False
    if data.find(b'"', offset) < 0:
        return True
    advance()
    raw = np.frombuffer(data, dtype=np.uint8)[offset:]
    marks = raw[(raw == 34) | (raw == (10 if b"\n" in data else 13))]
    inside = np.cumsum(marks == 34) % 2
    return not inside[-1:].any() and not inside[marks != 34].any()


def _nonblank_lines(data: bytes, dialect: Dialect) -> NDArray[np.int64]:
    """Line numbers of the file that hold anything; Arrow's reader skips the others."""
    advance()
    raw = np.frombuffer(data, dtype=np.uint8)[dialect.offset :]
    ends = np.flatnonzero(raw == (10 if b"\n" in data else 13))
    advance()
    starts = np.concatenate(([0], ends + 1))
    ends = np.append(ends, len(raw))
    only_return = (ends == starts + 1) & (raw[np.minimum(starts, len(raw) - 1)] == 13)
    return np.asarray(np.flatnonzero((ends > starts) & ~only_return) + dialect.first_row)


def _line_numbers(data: bytes, dialect: Dialect, refused: list[int]) -> Rows:
    """Row numbers of the file for the rows Arrow returned; counted only on request."""
    return lambda index: np.delete(_nonblank_lines(data, dialect), np.array(refused, dtype=np.int64) - 1)[index]


def _careful(data: bytes, dialect: Dialect, report: Report) -> Cells:
    """The columns by Python's reader, row by row, dropping those that are too short or hold a NUL."""
    text = io.StringIO(data[dialect.offset :].decode("utf-8", "replace"), newline="")
    places = list(dialect.roles.values())
    needed = max(dialect.roles.values()) + 1
    kept: list[tuple[str, ...]] = []
    numbers, short, nul, long = [], [], [], []
    for this, row in reported(rows_of(text, dialect.delimiter, dialect.first_row), ROWS):
        if not any(cell and not cell.isspace() for cell in row):
            continue
        if any("\0" in cell for cell in row):
            nul.append(this)
        elif len(row) < needed:
            short.append(this)
        else:
            if len(row) > dialect.width and any(row[dialect.width :]):
                long.append(this)
            kept.append(tuple([row[place] for place in places]))
            numbers.append(this)
    report.rows_read += len(short) + len(nul)
    report.drop("short_row", len(short), short[:20])
    report.drop("nul", len(nul), nul[:20])
    if long:
        report.note(
            "long_row", "Rows with more cells than the header; the first cells were used.", count=len(long), rows=long
        )
    turned = list(zip(*kept, strict=True)) or [()] * len(places)
    columns = {role: pa.array(cells, pa.string()) for role, cells in zip(dialect.roles, turned, strict=True)}
    numbered = np.array(numbers, dtype=np.int64)
    return Cells(columns, lambda index: numbered[index])
