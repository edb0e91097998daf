"""Text and numbers to instants. Orders and units are decided for the column as a whole, never cell by cell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.progress import advance, reported
from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats.arrow import in_pieces, pa, pc
from privacy_engine.formats.numbers import EMPTY_TEXTS, as_floats
from privacy_engine.formats.option_choices import DATE_ORDERS, TIME_UNITS
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.time_patterns import NAMED, PATTERNS
from privacy_engine.formats.vocabulary import names_of

_DIGITS = (  # a date that is a number too
    r"^(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])[0-3][0-9](?:[0-2][0-9]|[0-9]{4}(?:[0-9]{2}(?:\.[0-9]{1,9})?)?)?$"
)
_NUMERIC = r"^[+-]?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE][+-]?[0-9]{1,2})?$"

_PER_UNIT = {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_RANGES = (("s", 1e8, 1e10), ("ms", 1e11, 1e13), ("us", 1e14, 1e16), ("ns", 1e17, 1e19))
_SHEET_EPOCH = 25569 * 86400.0  # 1899-12-30, the day 0 of spreadsheets, before 1970
ISO = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,6})?)?)?(?P<z>Z|[+-][0-9:]{2,5})?"
)
_FIXED_YEAR_LAST = r"^[0-9]{2}[-/.][0-9]{2}[-/.][0-9]{4}(?:[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?)?$"
_FIXED_YEAR_AFTER_CLOCK = r"^[A-Za-z]{3} [A-Za-z]{3} [0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2} [+-][0-9]{4} [0-9]{4}$"
ORDERS = ("dmy", "mdy", "ymd")
MONTHS = names_of("time", "months")


@dataclass
class Times:
    """A column of times. ``seconds`` is nan where there is none; naive ones are counted as if they were UTC.

    ``unit`` and ``order`` are values of the options time_unit and date_order that were stated or detected; empty where
    nothing needs them. ``units`` counts the numbers of each unit by their size, ``unplaced`` those of none, where the
    unit was detected.
    """

    seconds: Floats
    naive: Mask
    missing: Mask
    unit: str = ""
    order: str = ""
    units: dict[str, int] = field(default_factory=dict)
    unplaced: int = 0

    @property
    def bad(self) -> Mask:
        """Which cells hold something that is not a time."""
        return np.isnan(self.seconds) & ~self.missing

    @classmethod
    def empty(cls, n: int) -> Times:
        """``n`` cells of which nothing is known yet."""
        return cls(np.full(n, np.nan), np.zeros(n, dtype=np.bool_), np.zeros(n, dtype=np.bool_))

    def part(self, some: slice | NDArray[Any]) -> Times:
        """Some of the cells, by their places, with the unit and the order of all."""
        return replace(self, seconds=self.seconds[some], naive=self.naive[some], missing=self.missing[some])


def times(column: Any, options: ReadOptions) -> Times:
    """An Arrow column of text, numbers or timestamps as times.

    Raises
    ------
    ChoiceNeeded
        The order of day and month, or the unit of numbers, cannot be decided from the column.
    """
    if pa.types.is_timestamp(column.type):
        return _typed(column)
    if not pa.types.is_string(column.type):
        return _numeric(column, options)
    return _text(column, options)


def zoned_instants(texts: Any) -> Times | None:
    """An Arrow array of texts as times where all are in ISO 8601 with a zone or null: no other cell changes these."""
    instants = _whole_column(texts)
    return None if instants is None or instants.naive.any() else instants


def _typed(column: Any) -> Times:
    advance()
    seconds = as_floats(column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())) / 1e6
    advance()
    missing = column.is_null().to_numpy(zero_copy_only=False)
    naive = np.full(len(seconds), column.type.tz is None)
    return Times(seconds, naive & ~missing, missing)


def _numeric(column: Any, options: ReadOptions) -> Times:
    values = as_floats(column)
    if options.time_unit in (None, "date"):
        dated = _dates_as_numbers(values)
        if options.time_unit or dated.sum() * 2 > np.isfinite(values).sum():
            digits = column.cast(pa.int64(), safe=False).cast(pa.string())
            digits = pc.if_else(
                pa.array(dated), digits, pc.if_else(column.is_null(), pa.scalar(None, pa.string()), "?")
            )
            return _text(digits, replace(options, time_unit="date"))
    instants = Times.empty(len(column))
    instants.missing = column.is_null().to_numpy(zero_copy_only=False)
    instants.seconds = epochs(values, options)
    _count_units(values, instants, options)
    return instants


def _dates_as_numbers(values: Floats) -> Mask:
    """Which numbers are written like 20081023, 2008102302, 200810230253 or 20081023025304."""
    with np.errstate(invalid="ignore"):
        years = [values // 10.0**digits for digits in (4, 8, 10)]
        dated = np.any([(year >= 1900) & (year < 2100) for year in years], axis=0)
        if (late := (values >= 1.9e9) & (values < 2.1e9)).any():  # which are seconds of 2030 to 2036 too
            month, day, hour = (values // 10.0**digits % 100 for digits in (4, 2, 0))
            dated |= late & (month >= 1) & (month <= 12) & (day >= 1) & (day <= 31) & (hour < 24)
    return np.asarray(dated & (values == np.floor(values)))


def epochs(values: Floats, options: ReadOptions) -> Floats:
    """Numbers as seconds since 1970: the unit stated, or that their size implies, else ChoiceNeeded."""
    if options.time_unit in ("date", "none"):
        return np.full(len(values), np.nan)
    if options.time_unit == "days":
        return np.asarray(np.round((values * 86400.0 - _SHEET_EPOCH) * 1e3) / 1e3)
    if options.time_unit in _PER_UNIT:
        return np.asarray(values * _PER_UNIT[options.time_unit])
    seconds = np.full(len(values), np.nan)
    size = np.abs(values)
    for unit, low, high in _RANGES:
        inside = (size >= low) & (size < high)
        seconds[inside] = values[inside] * _PER_UNIT[unit]
    known = np.isfinite(values)
    if options.time_unit is None and known.any() and not np.isfinite(seconds).any():
        sheet = bool(((size[known] > 20_000) & (size[known] < 80_000)).all())
        raise ChoiceNeeded(
            f"The times are numbers such as {values[known][0]:g}. Specify their unit.",
            parameter="time_unit",
            choices=TIME_UNITS,
            default="days" if sheet else "s",
        )
    return seconds


def _count_units(values: Floats, instants: Times, options: ReadOptions) -> None:
    """Count which units the sizes of numbers imply, and decide for a unit; nothing where the options state the unit."""
    if options.time_unit is not None:
        instants.unit = options.time_unit
        return
    size = np.abs(values[np.isfinite(values)])
    counts = {unit: int(((size >= low) & (size < high)).sum()) for unit, low, high in _RANGES}
    instants.units = {unit: count for unit, count in counts.items() if count}
    instants.unplaced = len(size) - sum(counts.values())
    instants.unit = "size" if instants.unplaced or len(instants.units) > 1 else next(iter(instants.units), "")


def _text(cells: Any, options: ReadOptions) -> Times:
    cells = pc.ascii_trim_whitespace(cells)
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.combine_chunks()
    quick = _whole_column(cells) or _whole_column_year_last(cells, options) or _whole_column_year_after_clock(cells)
    if quick is not None:
        return quick
    advance()
    instants = Times.empty(len(cells))
    lowered = pc.fill_null(pc.ascii_lower(cells), "")
    instants.missing = pc.is_in(lowered, value_set=pa.array(sorted(EMPTY_TEXTS | {"nan", "nat"}))).to_numpy(
        zero_copy_only=False
    )
    options = replace(options, time_unit=_unit_of_dates(cells, options))
    instants.unit = options.time_unit or ""
    if options.time_unit != "date":
        _match_numbers(cells, instants, options)
    for pattern in PATTERNS:
        _match(cells, pattern, instants, options)
    return instants


def _unit_of_dates(cells: Any, options: ReadOptions) -> str | None:
    """The unit stated; else "date" where most of the numbers are the digits of a date, or None."""
    if options.time_unit is not None or not len(cells):
        return options.time_unit
    return "date" if _count(cells, _DIGITS) * 2 > _count(cells, _NUMERIC) else None


def _count(cells: Any, pattern: str) -> int:
    """How many cells match."""
    return int(pc.sum(in_pieces(cells, lambda piece: pc.match_substring_regex(piece, pattern))).as_py() or 0)


def _whole_column(cells: Any) -> Times | None:
    """The usual case, all cells alike in ISO 8601, at the speed of Arrow.

    Arrow only tries what the first cell promises, since it is slow at cells that it cannot read.
    """
    first = pc.utf8_slice_codeunits(cells.drop_null()[:1], 0, 40).to_pylist()
    match = ISO.fullmatch(first[0]) if first else None
    if match is None:
        return None
    try:
        return _typed(cells.cast(pa.timestamp("us", "UTC" if match["z"] else None)))
    except pa.ArrowInvalid:
        return None


def _whole_column_year_last(cells: Any, options: ReadOptions) -> Times | None:
    """All cells like 31/12/2024 23:59 (or with month first), turned round and read as ISO 8601."""
    if not len(cells) or not _all_match(cells, _FIXED_YEAR_LAST):
        return None
    first, second, year = (pc.utf8_slice_codeunits(cells, *ends) for ends in ((0, 2), (3, 5), (6, 10)))
    clock = pc.utf8_slice_codeunits(cells, 10)
    read: dict[str, Times] = {}
    for order, month, day in (("dmy", second, first), ("mdy", first, second)):
        date = pc.binary_join_element_wise(year, month, day, "-")
        possible = options.date_order in (None, order) and (pc.max(month).as_py() or "99") <= "12"
        if possible and (instants := _whole_column(pc.binary_join_element_wise(date, clock, ""))):
            instants.order = order
            read[order] = instants
    return next(iter(read.values())) if len(read) == 1 else None


def _whole_column_year_after_clock(cells: Any) -> Times | None:
    """All cells like Tue Apr 03 18:00:09 +0000 2012, turned round and read as ISO 8601."""
    first = cells.drop_null()[:1].to_pylist()
    if not first or not re.match(_FIXED_YEAR_AFTER_CLOCK, first[0][:40]):
        return None
    if not _all_match(cells, _FIXED_YEAR_AFTER_CLOCK):
        return None
    ends = ((4, 7), (8, 10), (11, 19), (20, 25), (26, 30))
    name, day, clock, zone, year = (pc.utf8_slice_codeunits(cells, *span) for span in ends)
    month = pc.utf8_lpad(_month_numbers(name), 2, "0")
    date = pc.binary_join_element_wise(year, month, day, "-")
    return _whole_column(pc.binary_join_element_wise(date, "T", clock, zone, ""))


def _all_match(cells: Any, pattern: str) -> bool:
    """Whether all cells that are not null match."""
    return bool(pc.all(in_pieces(cells, lambda piece: pc.match_substring_regex(piece, pattern))).as_py())


def _open(cells: Any, instants: Times) -> tuple[NDArray[np.intp], Any]:
    rows = np.flatnonzero(np.isnan(instants.seconds) & ~instants.missing)
    return rows, cells.take(pa.array(rows))


def _match(cells: Any, pattern: str, instants: Times, options: ReadOptions) -> None:
    rows, rest = _open(cells, instants)
    if not rows.size:
        return
    parts = in_pieces(rest, lambda piece: pc.extract_regex(piece, pattern))
    hit = parts.is_valid().to_numpy(zero_copy_only=False)
    if not hit.any():
        return
    advance()
    rows, parts = rows[hit], parts.filter(pa.array(hit))
    part = {field.name: parts.field(field.name) for field in parts.type}
    if pattern in NAMED:
        part["mo"] = _month_numbers(part["mo"])
    if "p" in part:
        order = instants.order = options.date_order or instants.order or _order(part)
        advance()
        y, mo, d = _arranged(part, order)
    else:
        y, mo, d = _years(part["y"]), _whole(part["mo"]), _whole(part["d"])
    advance()
    seconds, zoned = _clock(part)
    advance()
    instants.seconds[rows] = np.round(_days(y, mo, d) * 86400.0 + seconds, 6)  # as Arrow has them
    instants.naive[rows] = ~zoned & np.isfinite(instants.seconds[rows])


def _month_numbers(names: Any) -> Any:
    """The number of each month as text, by the first three letters of its name in any case; 0 for what is no month."""
    short = pc.utf8_slice_codeunits(pc.ascii_lower(names), 0, 3)
    number = pc.add(pc.fill_null(pc.index_in(short, value_set=pa.array([name[:3] for name in MONTHS])), -1), 1)
    return number.cast(pa.string())


def _years(column: Any) -> NDArray[np.int64]:
    """Years, of two digits those of 1970 to 2069."""
    y, short = _whole(column), pc.equal(pc.utf8_length(column), 2).to_numpy(zero_copy_only=False)
    return np.where(short, y + np.where(y < 70, 2000, 1900), y)


def _whole(column: Any) -> NDArray[np.int64]:
    filled = pc.if_else(pc.equal(column, ""), "0", column)
    return np.asarray(filled.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)


def _clock(part: dict[str, Any]) -> tuple[Floats, Mask]:
    """Seconds within the day less the zone's offset, and whether a zone was named."""
    h, mi, s = (_whole(part[key]) for key in ("h", "mi", "s"))
    if "ap" in part:
        ap = pc.ascii_lower(pc.utf8_slice_codeunits(part["ap"], 0, 1))
        pm, am = (pc.equal(ap, letter).to_numpy(zero_copy_only=False) for letter in "pa")
        h = np.where(pm & (h < 12), h + 12, np.where(am & (h == 12), 0, h))
    fraction = as_floats(pc.binary_join_element_wise("0.", pc.if_else(pc.equal(part["f"], ""), "0", part["f"]), ""))
    seconds = h * 3600.0 + mi * 60.0 + s + fraction
    seconds[(h > 24) | (mi > 59) | (s > 60) | ((h == 24) & (mi + s > 0))] = np.nan
    if "z" not in part:
        return seconds, np.zeros(len(seconds), dtype=np.bool_)
    coded = part["z"].dictionary_encode()
    offsets = np.array([_offset(text) for text in coded.dictionary.to_pylist()])
    codes = coded.indices.to_numpy()
    named = np.array([bool(text) for text in coded.dictionary.to_pylist()], dtype=np.bool_)[codes]
    return seconds - offsets[codes], named


def _offset(text: str) -> float:
    digits = re.sub(r"[^0-9]", "", text)
    if not digits:
        return 0.0
    hours, minutes = int(digits[:2]), int(digits[2:4] or 0)
    if hours > 18 or minutes > 59:
        return float("nan")
    return (hours * 3600.0 + minutes * 60.0) * (-1 if text.startswith("-") else 1)


def _days(y: NDArray[np.int64], mo: NDArray[np.int64], d: NDArray[np.int64]) -> Floats:
    """Days since 1970; nan where there is no such date."""
    good = (y >= 0) & (mo >= 1) & (mo <= 12) & (d >= 1) & (d <= 31)
    months = (np.where(good, y, 1970) - 1970) * 12 + np.where(good, mo, 1) - 1
    first = months.astype("M8[M]")
    days = first.astype("M8[D]") + (np.where(good, d, 1) - 1)
    good &= days.astype("M8[M]") == first
    return np.where(good, days.astype(np.int64).astype(np.float64), np.nan)


def _arranged(part: dict[str, Any], order: str) -> tuple[NDArray[np.int64], ...]:
    by_letter = {letter: part[key] for letter, key in zip(order, "pqr", strict=True)}
    return _years(by_letter["y"]), _whole(by_letter["m"]), _whole(by_letter["d"])


def _order(part: dict[str, Any]) -> str:
    """The order of year, month and day that the whole column allows."""
    long_years = "ap" in part  # six digits without marks alone may begin with the year
    orders = ORDERS[:2] if long_years else ("ymd", "dmy")
    valid = {order: np.isfinite(_days(*_arranged(part, order))) for order in reported(orders)}
    whole = [order for order in orders if valid[order].all()]
    same = {order: np.where(valid[order], _days(*_arranged(part, order)), np.nan) for order in whole}
    if len(whole) == 1 or (whole and all(np.array_equal(same[order], same[whole[0]]) for order in whole)):
        return whole[0]
    either, other = orders
    if not whole:  # a few impossible dates must not hide what the others prove
        proofs = {order: int((valid[order] & ~valid[two]).sum()) for order, two in ((either, other), (other, either))}
        if proofs[either] != proofs[other] and not min(proofs.values()):
            return max(proofs, key=lambda order: proofs[order])
    choices = [choice for choice in DATE_ORDERS if choice[0] in orders]
    raise ChoiceNeeded(
        "The dates can be read in more than one order. Specify which comes first.",
        parameter="date_order",
        choices=choices,
        default="dmy" if long_years else "ymd",
    )


def _match_numbers(cells: Any, instants: Times, options: ReadOptions) -> None:
    rows, rest = _open(cells, instants)
    if rows.size:
        hit = pc.fill_null(in_pieces(rest, lambda piece: pc.match_substring_regex(piece, _NUMERIC)), False)
        mask = hit.to_numpy(zero_copy_only=False)
        if mask.any():
            values = as_floats(rest.filter(hit).cast(pa.float64()))
            instants.seconds[rows[mask]] = epochs(values, options)
            _count_units(values, instants, options)
