"""Which columns of a table are the time of its rows: one, or a date and its parts; which zone their names state.

All columns are looked at together: a time of day belongs to a date, a start to an end, UTC comes before local time.
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from privacy_engine.errors import ChoiceNeeded, ParameterError
from privacy_engine.formats.column import CLOCK, DATE, EMPTY, INSTANT, NUMBER, Column
from privacy_engine.formats.vocabulary import names_of, terms_of

OTHER_TIME = names_of("time", "instants")
TIME = (*names_of("time", "visits"), *OTHER_TIME)
START, END = terms_of("time", "start"), terms_of("time", "end")
_UTC, _LOCAL = terms_of("time", "utc"), terms_of("time", "local")
_BEST, _DEVICE, _LATER = (terms_of("time", key) for key in ("best", "device", "later"))
_LIKE, _OF_DATE = frozenset(names_of("time", "terms")), terms_of("time", "date")
_OF_CLOCK = _LIKE - _OF_DATE
_PARTS = {
    unit: (terms_of("time", unit), *limits)
    for unit, limits in {
        "year": (1000, 2100),
        "month": (1, 12),
        "day": (1, 31),
        "hour": (0, 24),
        "minute": (0, 59),
        "second": (0, 60),
    }.items()
}
"""The parts of an instant: how their columns are called, and what they hold."""
UNITS = ("year", "month", "day", "hhmm", "hour", "minute", "second", "zone")
PARTS = ("clock", *UNITS)
"""The roles of the columns that make an instant together with that of the time."""
_PART = re.compile(rf"(?:({'|'.join((*UNITS, 'time', 'lon', 'lat'))}) )?(#[1-9][0-9]{{0,3}})")
_OFFSET_NAMES = names_of("time", "offsets")
_OFFSET = re.compile(r"(?:UTC|GMT)?[+-][0-9]{1,2}(?::?[0-9]{2})?|Z|UTC")
_STATED = re.compile(r"(?:UTC|GMT) ?(?P<sign>[+-−]) ?(?P<h>[0-9]{1,2})(?::?(?P<m>[0-9]{2}))?(?![0-9])", re.IGNORECASE)
_ZONE = re.compile(r"[A-Z][A-Za-z]+(?:/[A-Z][A-Za-z_]+)+")


@dataclass(frozen=True)
class TimeColumns:
    """Columns that give an instant together: ``time`` and the others by their unit (``clock``, ``month`` …)."""

    time: Column
    others: tuple[tuple[str, Column], ...] = ()

    @cached_property
    def all(self) -> tuple[Column, ...]:
        """Every column, that of the date first."""
        return (self.time, *(column for _, column in self.others))

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of all names."""
        return frozenset().union(*(column.terms for column in self.all))

    @property
    def zone(self) -> str:
        """The zone that the names state; ``local`` where they state that it is the zone of the place, "" for none."""
        for column in self.all:
            if zone := zone_in(column.name):
                return zone
        return "UTC" if self.terms & _UTC else "local" if self.terms & _LOCAL else ""

    @property
    def rank(self) -> tuple[int, ...]:
        """For sorting: the likelier to be the time of the row, the less."""
        terms = self.terms
        means = 0 if terms & _BEST else 2 if terms & _DEVICE else 4 if terms & _LATER else 1
        means = 5 if terms & END and not terms & START else means
        zone = {"UTC": 0, "": 1, "local": 3}.get(self.zone, 2)
        plain = self.time.plain
        named = TIME.index(plain) if plain in TIME else 60 if terms & _LIKE else 90
        return (self.time.kind == DATE and not self.others, means, zone, named, self.time.place)


def clock_option(places: Mapping[str, int]) -> str:
    """The value of the reading option ``clock`` for columns (from 0) by their units.

    >>> clock_option({"clock": 3}), clock_option({"month": 1, "day": 2})
    ('#4', 'month #2, day #3')
    """
    shown = [f"#{at + 1}" if unit == "clock" else f"{unit} #{at + 1}" for unit, at in places.items()]
    return ", ".join(shown) or "#0"


def of_clock_option(value: str, width: int, option: str = "clock") -> dict[str, int] | None:
    """The places (from 0) by unit of a value of the option ``clock`` or ``end``; None where it has another form.

    Raises
    ------
    ParameterError
        There is no such column.
    """
    matches = [_PART.fullmatch(part.strip()) for part in value.split(",")]
    if not all(matches):
        return None
    places = {match[1] or "clock": int(match[2][1:]) - 1 for match in matches if match}
    if max(places.values()) >= width:
        rule = f"of columns from #1 to #{width}"
        raise ParameterError(f"{option} must be {rule}, got {value[:60]}", field=option, rule=rule, value=value)
    return places


def zone_in(name: str) -> str:
    """The time zone that the name of a column states, as a reading option names it; "" where it states none.

    >>> zone_in("Time (UTC+8)"), zone_in("time (Europe/Berlin)"), zone_in("time")
    ('+08:00', 'Europe/Berlin', '')
    """
    if match := _STATED.search(name):
        sign = "-" if match["sign"] in "-−" else "+"
        return f"{sign}{int(match['h']):02d}:{match['m'] or '00'}" if int(match["h"]) <= 14 else ""
    known = (zone for zone in _ZONE.findall(name) if zone in zoneinfo.available_timezones())
    return next(known, "")


def candidates(columns: Iterable[Column]) -> list[TimeColumns]:
    """All that may be the time of a row, the likeliest first."""
    columns = list(columns)
    whole = [
        TimeColumns(time)
        for time in columns
        if (time.kind == INSTANT and (time.dated or time.terms & _LIKE)) or (time.kind == NUMBER and _counts_time(time))
    ]
    parts = [*_with_clocks(columns, bool(whole)), *_of_parts(columns)]
    dates = {part.time.place for part in parts}
    likely = [*(times for times in whole if times.time.place not in dates), *parts]
    used = {column.place for times in likely for column in times.all}
    likely += [TimeColumns(day) for day in columns if day.kind == DATE and day.place not in used and _is_day(day)]
    return sorted(_with_zones(likely, columns), key=lambda times: times.rank)


def _counts_time(column: Column) -> bool:
    return bool(column.plain in TIME or column.terms & _LIKE) and column.timed


def _is_day(column: Column) -> bool:
    return bool(column.terms & _LIKE) or column.plain in TIME


def _with_clocks(columns: Sequence[Column], has_instants: bool) -> list[TimeColumns]:
    """Dates with the times of day that go with them by their names, else by their places."""
    dates = [column for column in columns if _is_date(column) and (_is_day(column) or not has_instants)]
    free = [("clock", column) for column in columns if column.kind == CLOCK and column.terms & _OF_CLOCK]
    free += [("hhmm", column) for column in columns if _is_digits_of_clock(column)]
    dated = []
    for date in dates:
        if not free:
            break
        best = min(free, key=lambda item: (len(_about(date) ^ _about(item[1])), abs(item[1].place - date.place)))
        if _about(date) == _about(best[1]) or len(dates) == 1:
            if len(dates) > 1:
                free.remove(best)
            dated.append(TimeColumns(date, (best,)))
            dated += [TimeColumns(date, (clock,)) for clock in free if len(dates) == 1 and clock is not best]
    return dated


def _about(column: Column) -> frozenset[str]:
    """What a name states beside that it is a date or a time."""
    return column.terms - _LIKE - {"of"}


def _is_date(column: Column) -> bool:
    """Whether a column holds dates, or is called so and holds 311224."""
    digits = (
        column.kind == NUMBER and column.terms & _OF_DATE and all(re.fullmatch("[0-9]{6}", day) for day in column.cells)
    )
    return column.kind == DATE or bool(digits) or (column.kind == INSTANT and column.midnights)


def _is_digits_of_clock(column: Column) -> bool:
    """Whether a column is called as a time of day and holds 930 or 093000."""
    if column.kind not in (NUMBER, DATE) or not column.terms & _OF_CLOCK or column.terms & _PARTS["year"][0]:
        return False
    return all(
        re.fullmatch(r"[0-9]{3,6}", cell) and _is_clock(cell.zfill(4 if len(cell) < 5 else 6)) for cell in column.cells
    )


def _is_clock(digits: str) -> bool:
    return digits[:2] < "24" and digits[2:4] < "60" and digits[4:] < "61"


def _of_parts(columns: Sequence[Column]) -> list[TimeColumns]:
    """Year, month and day in columns of their own, or a date, with the hour and what is finer."""
    part = {}
    for unit, (names, low, high) in _PARTS.items():
        part[unit] = next((column for column in columns if column.terms & names and column.whole(low, high)), None)
    fine = []
    for unit in ("hour", "minute", "second"):
        if (column := part[unit]) is None:
            break
        fine.append((unit, column))
    if (year := part["year"]) and (month := part["month"]) and (day := part["day"]):
        clock = [("clock", column) for column in columns if column.kind == CLOCK][:1]
        return [TimeColumns(year, (("month", month), ("day", day), *(fine or clock)))]
    dates = [column for column in columns if column.kind == DATE]
    return [TimeColumns(dates[0], tuple(fine))] if dates and fine else []


def _with_zones(times: Sequence[TimeColumns], columns: Sequence[Column]) -> list[TimeColumns]:
    """The same with the column of the offset or the zone of each row, if any, and where the times have none."""
    zones = [
        zone
        for zone in columns
        if zone.plain in _OFFSET_NAMES and zone.mostly(lambda cell: bool(_OFFSET.fullmatch(cell)))
    ]
    if not zones:
        return list(times)
    return [
        replace(time, others=(*time.others, ("zone", zones[0])))
        if time.zone in ("", "local") and time.time.kind in (INSTANT, DATE) and not time.all[-1].mostly(_names_zone)
        else time
        for time in times
    ]


def _names_zone(cell: str) -> bool:
    return bool(re.search(r"(?:Z|UTC|GMT|[+-][0-9]{2}(?::?[0-9]{2})?)$", cell.partition(" ")[2] or cell[10:]))


def time_of(columns: Sequence[Column], taken: set[int], *, strict: bool = True) -> TimeColumns | None:
    """The time of the rows of a table, whose columns at ``taken`` are something else; None where there is none.

    Raises
    ------
    ChoiceNeeded
        There is a date, and it is not certain which time of day goes with it; not without ``strict``.
    """
    free = [column for column in columns if column.place not in taken]
    if times := candidates(free):
        if strict and times[0].time.kind == DATE and not times[0].others:
            _require_no_clock(times[0].time, free)
        return times[0]
    named = [column for column in free if column.plain in TIME]
    named.sort(key=lambda column: (column.kind == EMPTY, TIME.index(column.plain)))
    begins = [column for column in free if column.plain.startswith(("timestamp", "datetime"))]
    hinted = [column for column in free if column.terms & _LIKE and column.timed]
    return next((TimeColumns(column) for column in (*named, *hinted, *begins)), None)


def end_of(start: TimeColumns, columns: Sequence[Column]) -> TimeColumns | None:
    """The columns of the end of what begins at ``start``, called alike; None where there are none."""
    if not start.terms & START:
        return None
    ends = (times for times in candidates(columns) if times.terms & END and not times.terms & START)
    about = start.terms - _LIKE - START
    units = [unit for unit, _ in start.others]
    alike = (end for end in ends if end.terms - _LIKE - END == about and [unit for unit, _ in end.others] == units)
    return next(alike, None)


def _require_no_clock(date: Column, columns: Sequence[Column]) -> None:
    """Refuse to read a date as midnight beside a column that may be its time of day."""
    others = [column for column in columns if column is not date and column.kind in (CLOCK, NUMBER)]
    clocks = [column for column in others if column.kind == CLOCK or column.plain in ("time", "hour")]
    if clocks:
        choices = [
            (f"#{clock.place + 1}", f"column {clock.place + 1}: {clock.name[:30]} ({clock.cells[0][:20]} …)")
            for clock in clocks
        ]
        raise ChoiceNeeded(
            f"Column {date.name.strip()[:40]!r} holds dates. Specify the column of their time of day.",
            parameter="clock",
            choices=[*choices, ("#0", "none: all are at midnight")],
            default=choices[0][0],
        )


def zone_of(names: Mapping[str, str]) -> str:
    """What the names of the columns of a time, by role, state of its zone: see :attr:`TimeColumns.zone`."""
    used = [Column(0, name, ()) for role, name in names.items() if role in ("time", "clock", "hhmm", "hour")]
    return TimeColumns(used[0], tuple(("clock", column) for column in used[1:])).zone if used else ""
