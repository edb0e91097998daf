"""Steps of time: of equal length in UTC, or days and weeks of a time zone."""

import datetime as dt
import re
import zoneinfo
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import broken
from privacy_engine.landmarks.local_time import local_clock

DAY_S = 86400
FIRST_MONDAY = 4
"""1970-01-05, in days since 1970-01-01."""
LONGEST_S = 366 * DAY_S
_LENGTH = re.compile(r"([0-9]{1,9})? ?(s|min|minute|h|hour|d|day|week|w)s?", re.ASCII)
_SECONDS = {"s": 1, "min": 60, "minute": 60, "h": 3600, "hour": 3600, "d": DAY_S, "day": DAY_S}
_SECONDS |= {"w": 7 * DAY_S, "week": 7 * DAY_S}
LENGTH_RULE = "a length such as 30s, 15min, 1h, 1d or 1week, from 1 s to 366 d"


class StepLength(NamedTuple):
    """``seconds`` of a step; ``days`` instead where steps are days of the calendar, from day ``origin`` on."""

    seconds: int
    days: int
    origin: int


def seconds_of(text: str) -> int:
    """How many seconds a length has, 0 if it is none."""
    return _measured(text)[0]


def _measured(text: str) -> tuple[int, str]:
    """How many seconds a length has, and the unit it is stated in; 0 if it is none."""
    match = _LENGTH.fullmatch(text)
    seconds, unit = (int(match[1] or 1) * _SECONDS[match[2]], match[2]) if match else (0, "")
    return (seconds if seconds <= LONGEST_S else 0), unit


def step_length(text: str) -> StepLength:
    """The length that ``text`` states; a validator's error if it is none.

    >>> step_length("15min"), step_length("7d")
    (StepLength(seconds=900, days=0, origin=0), StepLength(seconds=604800, days=7, origin=4))
    """
    seconds, unit = _measured(text)
    if not seconds:
        raise broken(f"must be {LENGTH_RULE}")
    calendar = unit in ("d", "day", "w", "week")
    days = seconds // DAY_S if calendar else 0
    return StepLength(seconds, days, FIRST_MONDAY if days and days % 7 == 0 else 0)


def instant_of(text: str, zone: str) -> float:
    """Seconds since 1970 UTC of an ISO 8601 date or time, in ``zone`` without an offset; a validator's error else."""
    try:
        moment = dt.datetime.fromisoformat(text)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zoneinfo.ZoneInfo(zone))
        return moment.timestamp()
    except (ValueError, OverflowError):
        raise broken("must be a date or time such as 2024-06-15 or 2024-06-15T08:00") from None


def numbers_of(time_s: Floats, length: StepLength, zone: str) -> Ints:
    """The number of the step of each instant, (n,), counted from 1970.

    Raises
    ------
    DataError
        Steps are days, and an instant lies outside the calendar.
    """
    if not length.days:
        return np.floor(time_s / length.seconds).astype(np.int64)
    return np.floor_divide(local_clock(time_s, zone).day - length.origin, length.days)


@dataclass(frozen=True)
class Steps:
    """``count`` steps from the number ``first`` on."""

    length: StepLength
    zone: str
    first: int
    count: int

    def labels(self) -> list[str]:
        """When each step begins: a date, or a time in UTC."""
        if self.length.days:
            return [str(np.datetime64(day, "D")) for day in self._days().tolist()]
        return [f"{text}Z" for text in np.datetime_as_string(self.starts().astype("M8[s]"), unit="s").tolist()]

    def starts(self) -> Floats:
        """When each step begins, seconds since 1970 UTC, (T,)."""
        if not self.length.days:
            return np.arange(self.first, self.first + self.count, dtype=np.float64) * self.length.seconds
        zone = zoneinfo.ZoneInfo(self.zone)
        return np.array([_midnight(day, zone) for day in self._days().tolist()])

    def _days(self) -> Ints:
        return (self.first + np.arange(self.count)) * self.length.days + self.length.origin


def _midnight(day: int, zone: zoneinfo.ZoneInfo) -> float:
    return dt.datetime.combine(dt.date(1970, 1, 1) + dt.timedelta(days=day), dt.time(), zone).timestamp()
