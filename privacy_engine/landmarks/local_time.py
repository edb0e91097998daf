"""Dates and times of day that clocks in a time zone show at given instants, by the IANA database."""

import datetime as dt
import zoneinfo
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import DataError

DAY_S = 86400
_EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
_FIRST_S, _LAST_S = -62_135_424_000.0, 253_402_128_000.0
"""One day inside the years 1 to 9999: there every offset from UTC, less than a day, leaves a date."""


class Clock(NamedTuple):
    """What clocks show: ``day`` (n,) counts days since 1970-01-01, ``second`` (n,) seconds since 00:00 of that day.

    ``second`` is what the clock shows, not how long the day has lasted: both are equal except where the offset from
    UTC changed since midnight.
    """

    day: Ints
    second: Floats


@lru_cache(maxsize=1)
def zone_names() -> frozenset[str]:
    """The names of all time zones that this system has, but for that which it is set to."""
    return frozenset(zoneinfo.available_timezones()) - {"localtime", "Factory"}


def local_clock(time_s: Floats, zone: str) -> Clock:
    """The date and the time of day in ``zone`` at each of the instants ``time_s`` (n,), seconds since 1970 UTC.

    Zones that change their offset from UTC do so at most once within a UTC day (the shortest time between two changes
    of the database is 4 days), so the offsets at both ends of the days that occur, and the instants of the changes
    inside them, determined by bisection, decide all events: O(n + days · log) instead of a lookup for each event.

    Raises
    ------
    DataError
        A time lies outside the years 1 to 9999, where there is no calendar.
    """
    times = np.asarray(time_s, dtype=np.float64)
    _must_have_dates(times)
    days, where = np.unique(np.floor(times / DAY_S).astype(np.int64), return_inverse=True)
    local = times + _offsets(times, days, where, zoneinfo.ZoneInfo(zone))
    day = np.floor(local / DAY_S)
    return Clock(day.astype(np.int64), local - day * DAY_S)


def _must_have_dates(times: Floats) -> None:
    wrong = times[~((times >= _FIRST_S) & (times < _LAST_S))]
    if wrong.size:
        rule = "within the years 1 to 9999"
        message = f"time_s must lie {rule} to have a time of day, got {wrong[0]:.15g}"
        raise DataError(message, field="time_s", rule=rule, value=float(wrong[0]))


def _offsets(times: Floats, days: Ints, where: Ints, zone: zoneinfo.ZoneInfo) -> Floats:
    """Seconds that clocks in ``zone`` are ahead of UTC at ``times`` (n,), the day of each being ``days[where]``."""
    starts = [_offset(day * DAY_S, zone) for day in reported(days.tolist(), ROWS)]
    ends = [_offset((day + 1) * DAY_S - 1, zone) for day in days.tolist()]
    change = np.array(
        [
            _change(day * DAY_S, start, zone) if start != end else (day + 1) * DAY_S
            for day, start, end in zip(days.tolist(), starts, ends, strict=True)
        ],
        dtype=np.float64,
    )
    before, after = np.array(starts, dtype=np.float64), np.array(ends, dtype=np.float64)
    return np.asarray(np.where(times < change[where], before[where], after[where]))


def _offset(instant: int, zone: zoneinfo.ZoneInfo) -> int:
    offset = (_EPOCH + dt.timedelta(seconds=instant)).astimezone(zone).utcoffset()
    return int(offset.total_seconds()) if offset else 0


def _change(start: int, offset: int, zone: zoneinfo.ZoneInfo) -> int:
    """The first second of the UTC day from ``start`` with another offset than at its start."""
    low, high = start, start + DAY_S - 1  # low has ``offset``, high has another
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if _offset(middle, zone) == offset else (low, middle)
    return high
