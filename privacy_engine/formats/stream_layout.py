"""Which columns of a table of counts hold the times, the names of streams and the counts."""

from collections.abc import Sequence
from typing import NamedTuple

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats.column import Column, are_times, canonical
from privacy_engine.formats.columns import ID, place_of
from privacy_engine.formats.count_cells import count_of
from privacy_engine.formats.numbers import GOOD, NOT_A_NUMBER, number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import dates_across
from privacy_engine.formats.position_columns import LAT, LON, has_positions
from privacy_engine.formats.time_columns import TIME, listed

LABELS = (
    *TIME,
    "day",
    "week",
    "epiweek",
    "month",
    "year",
    "quarter",
    "hour",
    "period",
    "index",
    "step",
    "timestep",
    "",
)
VALUES = ("count", "counts", "value", "values", "n", "number", "total", "cases", "quantity", "amount", "frequency")
NAMES = (
    *ID,
    *LAT,
    *LON,
    *listed(
        "store shop branch item product article sku brand category department dept customer account group class "
        "station stop line route gate airport sensor meter channel node site location place venue cell block region "
        "zone area borough district ward county state country city town zip zip_code postcode fips code key "
        "dimension dim stream"
    ),
)
"""What columns of numbers that name streams are called, beside those that end with one of :data:`NAME_ENDS`."""
NAME_ENDS = ("_id", "_no", "_nr", "_code", "_key")
_INDEX = ("", *listed("id index row rowid row_id nr no unnamed_0 record"))
GEOMETRIES = ("wkt", "wkb", "geometry", "geom", "the_geom", "shape", "geohash")
TRUTHS = ("true", "false")
MANY = 8
LONGEST_PATH = 6
"""The most columns that name a stream together."""
WIDE = "#0"
"""The value of the option ``count`` for a table with counts in all columns."""


def counts_rows(column: Column) -> bool:
    """Whether a column numbers the rows."""
    return column.plain in _INDEX and set(column.steps) == {1}


class Long(NamedTuple):
    """Where a long table has its times, names and counts."""

    time: int
    names: tuple[int, ...]
    value: int


def looks_like(names: list[str], sample: list[list[str]]) -> bool:
    """Whether a table without positions is one of counts: times beside numbers, or a long table.

    A long table has one count on each row: one column is a time, one the count, and the others name the stream.
    """
    if sample and dates_across(names):
        return True
    if has_positions(names) or not sample:
        return False
    if _certain_long(names, sample) is not None:
        return True
    time = time_place(names, sample, headed=True)
    cells = [[row[i] for i in range(min(len(row), len(names))) if i != time] for row in sample[:20]]
    numeric = [all(count_of(cell)[1] == GOOD for cell in row) for row in cells]
    return len(names) > (time is not None) and sum(numeric) * 2 > len(numeric)


def is_certain(names: list[str], sample: list[list[str]], headed: bool) -> bool:
    """Whether a table can be nothing but counts: whole numbers beside timestamps, or in :data:`MANY` columns."""
    if headed and dates_across(names):
        return True
    plain = [canonical(name) for name in names]
    places = _certain_long(names, sample)
    if places is not None:
        unplaced = not {*plain} & {*LAT, *LON, *GEOMETRIES}
        return plain[places.value] in VALUES or (
            unplaced and all(_is_whole(row[places.value]) for row in sample[:20] if places.value < len(row))
        )
    labelled = headed and plain[0] != "" and plain[0] in LABELS
    cells = [cell for row in sample[:20] for cell in row[labelled : len(names)]]
    return (labelled or len(names) >= MANY) and all(_is_whole(cell) for cell in cells)


def _is_whole(cell: str) -> bool:
    value, why = count_of(cell)
    return why == GOOD and value >= 0 and value == int(value)


def time_place(names: Sequence[str], sample: list[list[str]], *, headed: bool) -> int | None:
    """The place of the column that names the timestamps of a wide table; None where none does."""
    if len(names) < 2:
        return None
    dated = _dated(names, sample)
    if headed and canonical(names[0]) in LABELS and (names[0].strip() or dated is None):
        return 0
    if dated is not None:
        return dated
    first = sample[0][0] if sample and sample[0] else ""
    return 0 if number(first)[1] != GOOD else None


def _dated(names: Sequence[str], sample: list[list[str]]) -> int | None:
    """The first column of dates, with or without a time of day."""
    return next((i for i in range(len(names)) if _are_dates(_cells(sample, i))), None)


def _are_dates(cells: list[str]) -> bool:
    return bool(cells) and number(cells[0])[1] == NOT_A_NUMBER and are_times(cells)


def _cells(sample: list[list[str]], place: int) -> list[str]:
    return [row[place].strip() for row in sample[:20] if place < len(row) and row[place].strip()]


class _Columns(NamedTuple):
    """The columns beside the time by their cells: of numbers, of text that names something, and of anything else."""

    time: int
    numbers: list[int]
    texts: list[int]
    others: list[int]


def _named_time(names: Sequence[str]) -> int | None:
    """The first column that is called as one of times is."""
    plain = [canonical(name) for name in names]
    return next((i for i, name in enumerate(plain) if name in LABELS and name), None)


def _columns(names: Sequence[str], sample: list[list[str]]) -> _Columns | None:
    time = _named_time(names)
    time = _dated(names, sample) if time is None else time
    if time is None or not 3 <= len(names) <= LONGEST_PATH + 2:
        return None
    found = _Columns(time, [], [], [])
    for place, name in enumerate(names):
        cells = _cells(sample, place)
        if place != time and not counts_rows(Column(place, name, cells)):
            kind = found.numbers if _are_numbers(cells) else found.texts if _are_names(cells) else found.others
            kind.append(place)
    return found


def _are_numbers(cells: list[str]) -> bool:
    good = sum(count_of(cell)[1] == GOOD for cell in cells)
    return good * 2 > len(cells)


def _are_names(cells: list[str]) -> bool:
    """Whether most cells are texts with a letter: no numbers with separators, no dates, not true or false."""
    texts = [cell for cell in cells if any(char.isalpha() for char in cell) and cell.casefold() not in TRUTHS]
    return sum(number(cell)[1] == NOT_A_NUMBER for cell in texts) * 2 > len(cells) and not _are_dates(cells)


def _is_name(name: str) -> bool:
    plain = canonical(name)
    return plain in NAMES or plain.endswith(NAME_ENDS)


def _of_value(names: Sequence[str], time: int, value: int) -> Long:
    return Long(time, tuple(i for i in range(len(names)) if i not in (time, value)), value)


def _candidates(names: Sequence[str], found: _Columns) -> list[int]:
    """The columns that can hold the counts: numbers that name nothing."""
    counts = [place for place in found.numbers if not _is_name(names[place])]
    return counts or (found.numbers if len(found.numbers) == 1 else [])


def _certain_long(names: Sequence[str], sample: list[list[str]]) -> Long | None:
    """The places of a table that can be nothing but a long one: with texts, or one column of ids beside a count."""
    found = _columns(names, sample)
    counts = [] if found is None else _candidates(names, found)
    if found is None or len(counts) != 1 or found.others:
        return None
    named = canonical(names[counts[0]]) in VALUES and len(names) == 3
    return _of_value(names, found.time, counts[0]) if found.texts or named else None


def long_places(names: Sequence[str], sample: list[list[str]], options: ReadOptions) -> Long | None:
    """The places of a long table; None for a wide one.

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
    certain = _certain_long(names, sample)
    found = _columns(names, sample)
    if certain is None and found is not None and found.texts and len(_candidates(names, found)) > 1:
        message = "The table has text beside numbers, so each row is of one stream. Specify the column of its count"
        raise choice_of_count(f"{message}; the others then name the stream.", names, sample)
    return certain


def _chosen(names: Sequence[str], sample: list[list[str]], wanted: str, stated: str | None) -> Long | None:
    value = place_of("count", names, wanted)
    others = [name if i != value else str(value) for i, name in enumerate(names)]
    time = place_of("time", names, stated) if stated else _named_time(others)
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


def long_if_repeated(names: Sequence[str], sample: list[list[str]]) -> Long | None:
    """The places of a table of numbers only that is a long one if its times repeat: one count beside ids."""
    found = _columns(names, sample)
    counts = [] if found is None else _candidates(names, found)
    if found is None or len(counts) != 1 or len(found.numbers) != len(names) - 1:
        return None
    return _of_value(names, found.time, counts[0])


def choice_of_count(
    message: str, names: Sequence[str], sample: list[list[str]], default: str | None = None
) -> ChoiceNeeded:
    """The question which column holds the counts, or whether all do."""
    found = _columns(names, sample)
    places = [] if found is None else found.numbers
    choices = [(f"#{place + 1}", f"column {place + 1}: {names[place][:30]}") for place in places]
    choices.append((WIDE, "every column but that of the times; rows of one time are added"))
    last = choices[-2][0] if places else WIDE
    return ChoiceNeeded(message, parameter="count", choices=choices, default=default or last)
