"""Which columns of a table of counts hold the times, the names of streams and the counts."""

from collections.abc import Sequence
from typing import NamedTuple

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.column import Column, canonical, columns_of
from privacy_engine.formats.columns import ID, place_of
from privacy_engine.formats.count_cells import count_of
from privacy_engine.formats.numbers import GOOD, NOT_A_NUMBER, number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import dates_across
from privacy_engine.formats.position_columns import has_positions, is_coordinate_of_row
from privacy_engine.formats.time_columns import OTHER_TIME
from privacy_engine.formats.vocabulary import names_of

LABELS = (*OTHER_TIME, *names_of("counts", "labels"), "")
VALUES = names_of("counts", "values")
NAMES = (*ID, *names_of("counts", "names"))
"""What columns of numbers that name streams are called, beside those that end with any of :data:`NAME_ENDS`."""
NAME_ENDS = names_of("counts", "name_ends")
GEOMETRIES = names_of("counts", "geometries")
_INDEX = ("", *names_of("rows", "index"))
MANY = 8
LONGEST_PATH = 6
"""The most columns that name a stream together."""
WIDE = "#0"
"""The value of the option ``count`` for a table with counts in all columns."""
_LOOKED_AT = 20


def _names_streams(column: Column) -> bool:
    """Whether a column is called as what names streams, or as a coordinate, which numbers may do."""
    return column.plain in NAMES or column.plain.endswith(NAME_ENDS) or _is_position(column)


def _is_position(column: Column) -> bool:
    return is_coordinate_of_row("lat", column) or is_coordinate_of_row("lon", column)


def counts_rows(column: Column) -> bool:
    """Whether a column numbers the rows."""
    return column.plain in _INDEX and set(column.steps) == {1}


class Long(NamedTuple):
    """Where a long table has its times, names and counts."""

    time: int
    names: tuple[int, ...]
    value: int


class _Columns(NamedTuple):
    """The columns beside the time by their cells: of numbers, of text that names something, and of anything else."""

    time: int
    numbers: list[Column]
    texts: list[Column]
    others: list[Column]

    def counts(self) -> list[Column]:
        """Those that can hold the counts: numbers that name nothing."""
        counts = [field for field in self.numbers if not _names_streams(field)]
        return counts or (self.numbers if len(self.numbers) == 1 else [])


def looks_like(names: list[str], sample: list[list[str]]) -> bool:
    """Whether a table without positions is one of counts: times beside numbers, or a long table.

    A long table has one count on each row: one column is a time, one the count, and the others name the stream.
    """
    if sample and dates_across(names):
        return True
    if has_positions(names) or not sample:
        return False
    if certain_long(names, sample) is not None:
        return True
    time = time_place(names, sample, headed=True)
    cells = [[row[i] for i in range(min(len(row), len(names))) if i != time] for row in sample[:_LOOKED_AT]]
    numeric = [all(count_of(cell)[1] == GOOD for cell in row) for row in cells]
    return len(names) > (time is not None) and sum(numeric) * 2 > len(numeric)


def is_certain(names: list[str], sample: list[list[str]], headed: bool) -> bool:
    """Whether a table can be nothing but counts: whole numbers beside timestamps, or in :data:`MANY` columns."""
    if headed and dates_across(names):
        return True
    plain, sample = [canonical(name) for name in names], sample[:_LOOKED_AT]
    places = certain_long(names, sample)
    if places is not None:
        unplaced = not {*plain} & {*GEOMETRIES} and not any(map(_is_position, columns_of(names, ())))
        return plain[places.value] in VALUES or (
            unplaced and all(_is_whole(row[places.value]) for row in sample if places.value < len(row))
        )
    labelled = headed and plain[0] != "" and plain[0] in LABELS
    cells = [cell for row in sample for cell in row[labelled : len(names)]]
    return (labelled or len(names) >= MANY) and all(_is_whole(cell) for cell in cells)


def _is_whole(cell: str) -> bool:
    value, why = count_of(cell)
    return why == GOOD and value >= 0 and value == int(value)


def time_place(names: Sequence[str], sample: list[list[str]], *, headed: bool) -> int | None:
    """The place of the column that names the timestamps of a wide table; None where none does."""
    if len(names) < 2:
        return None
    if headed and names[0].strip() and canonical(names[0]) in LABELS:
        return 0
    dated = next((column.place for column in columns_of(names, sample[:_LOOKED_AT]) if _are_dates(column)), None)
    if dated is not None or (headed and canonical(names[0]) in LABELS):
        return dated or 0
    first = sample[0][0] if sample and sample[0] else ""
    return 0 if number(first)[1] != GOOD else None


def _are_dates(column: Column) -> bool:
    return bool(column.cells) and number(column.cells[0])[1] == NOT_A_NUMBER and column.timed


def _columns(names: Sequence[str], sample: list[list[str]]) -> _Columns | None:
    if not 3 <= len(names) <= LONGEST_PATH + 2:
        return None
    columns = columns_of(names, sample[:_LOOKED_AT])
    named = (column for column in columns if column.plain in LABELS and column.plain)
    time = next(named, None) or next(filter(_are_dates, columns), None)
    if time is None:
        return None
    groups = _Columns(time.place, [], [], [])
    for column in columns:
        if column is not time and not counts_rows(column):
            good = sum(count_of(cell)[1] == GOOD for cell in column.cells) * 2 > len(column.cells)
            (groups.numbers if good else groups.texts if _are_names(column) else groups.others).append(column)
    return groups


def _are_names(column: Column) -> bool:
    """Whether most cells are texts with a letter: no numbers with separators, no dates, not true or false."""
    texts = [cell for cell in column.cells if any(map(str.isalpha, cell)) and cell.casefold() not in ("true", "false")]
    return sum(number(cell)[1] == NOT_A_NUMBER for cell in texts) * 2 > len(column.cells) and not _are_dates(column)


def _of_value(names: Sequence[str], time: int, value: int) -> Long:
    return Long(time, tuple(i for i in range(len(names)) if i not in (time, value)), value)


def certain_long(names: Sequence[str], sample: list[list[str]], *, repeated: bool = False) -> Long | None:
    """The places of a table that can be nothing but long: with texts, or a column of ids beside a count.

    ``repeated`` where numbers alone are enough, as the times repeat.
    """
    columns = _columns(names, sample)
    if columns is None or columns.others or len(counts := columns.counts()) != 1:
        return None
    named = counts[0].plain in VALUES and len(names) == 3
    return _of_value(names, columns.time, counts[0].place) if columns.texts or named or repeated else None


def long_places(names: Sequence[str], sample: list[list[str]], options: ReadOptions) -> Long | None:
    """The places of a long table; None for a wide table.

    Raises
    ------
    ChoiceNeeded
        Several columns can hold the counts.
    FormatError
        The owner named a column of counts, and no column holds times.
    """
    if options.count == WIDE:
        return None
    if options.count is not None:
        return _chosen(names, sample, options.count, options.time)
    if has_several_counts(names, sample):
        message = "The table has text beside numbers, so each row is of one stream. Specify the column of its count"
        raise choice_of_count(f"{message}; the others then name the stream.", names, sample)
    return certain_long(names, sample)


def has_several_counts(names: Sequence[str], sample: list[list[str]]) -> bool:
    """Whether each row of a table is of a single stream, and several columns can hold its count."""
    columns = _columns(names, sample)
    return columns is not None and bool(columns.texts) and len(columns.counts()) > 1


def _chosen(names: Sequence[str], sample: list[list[str]], wanted: str, stated: str | None) -> Long | None:
    value = place_of("count", names, wanted)
    others = [name if i != value else str(value) for i, name in enumerate(names)]
    known = (i for i, name in enumerate(map(canonical, others)) if name in LABELS and name)
    time = place_of("time", names, stated) if stated else next(known, None)
    time = time_place(others, sample, headed=True) if time is None else time
    if time is None or time == value:
        rule = "beside a column of times"
        raise FormatError(f"count must be {rule}.", code="no_times", field="count", rule=rule, value=wanted)
    places = _of_value(names, time, value)
    if len(places.names) > LONGEST_PATH:
        rule = f"of a table with at most {LONGEST_PATH} other columns beside the times"
        message = f"count must be {rule}, got {len(places.names)}"
        raise FormatError(message, code="too_many_names", field="count", rule=rule, value=wanted)
    return places if places.names else None


def choice_of_count(
    message: str, names: Sequence[str], sample: list[list[str]], default: str | None = None
) -> ChoiceNeeded:
    """The question which column holds the counts, or whether all do."""
    columns = _columns(names, sample)
    numbers = [] if columns is None else columns.numbers
    choices = [(f"#{column.place + 1}", f"column {column.place + 1}: {column.name[:30]}") for column in numbers]
    last = choices[-1][0] if choices else WIDE
    choices.append((WIDE, "every column but that of the times; rows of one time are added"))
    return ChoiceNeeded(message, parameter="count", choices=choices, default=default or last)
