"""Landmarks by schedule: days of the week, times of day, a time zone, and perhaps dates. No position is read."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Sequence
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from privacy_engine.core.arrays import Floats, Mask, concatenated
from privacy_engine.core.params import Frozen, Param, broken
from privacy_engine.core.progress import reported
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.trajectories import in_pieces, lengths_of
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.local_time import Clock, local_clock, zone_names
from privacy_engine.landmarks.methods import LandmarkMethod, Reads, landmark_methods, split

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
MOST_WINDOWS = 50
EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday
WINDOWS = Param(
    label="Windows",
    help="Days of the week and the times of day between which events are landmarks. A window whose end is not after "
    "its start goes on past midnight into the next day.",
    control="windows",
)
TIME_ZONE = Param(
    label="Time zone",
    help="The time zone of the times of day: a name of the IANA database, such as Europe/Paris.",
    control="time-zone",
)
FIRST_DATE = Param(
    label="First date",
    help="Windows that start on an earlier date are left out; empty for no such limit.",
    control="date",
)
LAST_DATE = Param(
    label="Last date",
    help="Windows that start on a later date are left out; empty for no such limit.",
    control="date",
)
_TIME = re.compile(r"([01][0-9]|2[0-3]):([0-5][0-9])|24:00", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


def _time_of_day(text: str) -> str:
    if not _TIME.fullmatch(text):
        raise broken("must be a time of day from 00:00 to 24:00, such as 22:00")
    return text


def _known_zone(text: str) -> str:
    if text not in zone_names():
        raise broken("must be the name of a time zone, such as Europe/Paris")
    return text


def _date(text: str | None) -> str | None:
    if text is None:
        return None
    try:
        if not _DATE.fullmatch(text):
            raise ValueError
        dt.date.fromisoformat(text)
    except ValueError:
        raise broken("must be a date like 2024-06-15") from None
    return text


TimeOfDay = Annotated[str, AfterValidator(_time_of_day)]
Date = Annotated[str | None, AfterValidator(_date)]
ZoneName = Annotated[str, AfterValidator(_known_zone)]


def in_order(last_date: str | None, info: ValidationInfo) -> str | None:
    """``last_date``, a validator: it must not be before ``first_date``."""
    first = info.data.get("first_date")
    if last_date is not None and first is not None and last_date < first:
        raise broken(f"must not be before the first date ({first})")
    return last_date


class Window(Frozen):
    """From ``start`` to ``end`` by the clock, on each of ``days``; the end itself is outside.

    Where ``end`` is not after ``start`` the window goes on to that time of the next day; the days are those on which it
    starts. A whole day is 00:00 to 24:00.
    """

    days: Annotated[list[Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]], Field(min_length=1, max_length=7)]
    start: TimeOfDay
    end: TimeOfDay

    @field_validator("start")
    @classmethod
    def _inside_the_day(cls, value: str) -> str:
        if value == "24:00":
            raise broken("must be a time of day from 00:00 to 23:59, such as 22:00")
        return value

    @model_validator(mode="after")
    def _some_time(self) -> Window:
        if self.start == self.end:
            raise broken("must have an end other than its start (a whole day is 00:00 to 24:00)")
        return self

    def holds(self, clock: Clock, first_day: int | None, last_day: int | None) -> Mask:
        """Which instants (n,) lie inside, of windows that start from ``first_day`` to ``last_day``, both included."""
        start, end = seconds_of(self.start), seconds_of(self.end)
        if start < end:
            return self._starts(clock.day, first_day, last_day) & (clock.second >= start) & (clock.second < end)
        evening = self._starts(clock.day, first_day, last_day) & (clock.second >= start)
        morning = self._starts(clock.day - 1, first_day, last_day) & (clock.second < end)
        return np.asarray(evening | morning)

    def _starts(self, day: Any, first_day: int | None, last_day: int | None) -> Mask:
        on = np.isin(np.arange(7), [DAYS.index(name) for name in self.days])
        starts = on[(day + EPOCH_WEEKDAY) % 7]
        if first_day is not None:
            starts &= day >= first_day
        if last_day is not None:
            starts &= day <= last_day
        return np.asarray(starts)

    def describe(self) -> str:
        """The window in a few characters, such as mon-fri 22:00-06:00."""
        return f"{days_in_short(self.days)} {self.start}-{self.end}"


@landmark_methods.register
class Schedule(LandmarkMethod):
    r"""Events inside windows of the week, by the clocks of a time zone.

    Theorem: the mask is a function of the events' times and of the schedule alone, so two traces with the same times
    have the same landmarks, whatever their positions. Every promise "with the same landmarks and times" is thereby one
    "with the same times": nothing about which events are landmarks is left out of it. Assumes that the schedule was
    chosen without looking at the positions.

    An event is judged by the date and time that clocks show at its instant: when they are put back, an hour that comes
    twice is inside or outside both times; when they are put forward, the hour left out has no events.
    """

    title: ClassVar[str] = "Schedule"
    summary: ClassVar[str] = "Events at set times of the week. It reads times only, which are public."
    reads: ClassVar[Reads] = "times"
    condition: ClassVar[str] = "the schedule was chosen without looking at the positions"
    needs_time: ClassVar[bool] = True

    name: Literal["schedule"] = "schedule"
    windows: Annotated[list[Window], Field(min_length=1, max_length=MOST_WINDOWS), WINDOWS]
    time_zone: Annotated[ZoneName, TIME_ZONE]
    first_date: Annotated[Date, FIRST_DATE] = None
    last_date: Annotated[Date, LAST_DATE] = None

    _in_order = field_validator("last_date")(in_order)

    def _mark(self, series: Sequence[Trajectory]) -> Sequence[LandmarkSet]:
        parts = [self.holds(piece.time_s) for piece in in_pieces(series) if piece.time_s is not None]
        return split(concatenated(parts, np.bool_), lengths_of(series))

    def holds(self, time_s: Floats) -> Mask:
        """Which of the instants (n,), seconds since 1970 UTC, lie inside a window, (n,)."""
        clock = local_clock(time_s, self.time_zone)
        first, last = (None if date is None else _day_of(date) for date in (self.first_date, self.last_date))
        mask = np.zeros(len(time_s), dtype=np.bool_)
        for window in reported(self.windows):
            mask |= window.holds(clock, first, last)
        return mask

    def describe(self) -> str:
        few = [window.describe() for window in self.windows[:3]]
        more = [f"{len(self.windows) - 3} more windows"] if len(self.windows) > 3 else []
        return ", ".join([*few, *more, self.time_zone, *self._dates()])

    def _dates(self) -> list[str]:
        dates = {"from": self.first_date, "to": self.last_date}
        return [" ".join(f"{name} {date}" for name, date in dates.items() if date)] if any(dates.values()) else []


def seconds_of(time: str) -> int:
    """Seconds since midnight at a time of day such as 22:00."""
    return int(time[:2]) * 3600 + int(time[3:]) * 60


def _day_of(date: str) -> int:
    return (dt.date.fromisoformat(date) - dt.date(1970, 1, 1)).days


def days_in_short(days: Sequence[str]) -> str:
    """Days of the week in a few characters: runs of more than two as first-last.

    >>> days_in_short(["sat", "mon", "tue", "wed"]), days_in_short(DAYS)
    ('mon-wed,sat', 'daily')
    """
    chosen = [name in days for name in DAYS]
    if all(chosen):
        return "daily"
    runs: list[list[str]] = []
    for i, name in enumerate(DAYS):
        if chosen[i] and i and chosen[i - 1]:
            runs[-1].append(name)
        elif chosen[i]:
            runs.append([name])
    return ",".join(f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(run) for run in runs)


_SHORT_WINDOW = re.compile(r"(?:([a-z-]+):)?([0-9:]{4,5})-([0-9:]{4,5})", re.ASCII)
SHORT_RULE = (
    "schedule:DAYS:FROM-TO@ZONE (schedule:mon-fri:22:00-06:00@Europe/Paris; more windows after commas; "
    "dates after the zone, @Europe/Paris:2024-06-01..2024-06-30)"
)


def parse_short_schedule(text: str) -> LandmarkMethod:
    """The schedule written in short, without the prefix ``schedule:`` before it, as the command line takes it.

    Windows are separated by commas or plus signs. Days without a time of their own share that of the next window;
    windows without days are of every day.

    Raises
    ------
    ParameterError
        The text means nothing, or a value in it lies outside its domain.

    >>> parse_short_schedule("mon-fri:22:00-06:00@Europe/Paris").describe()
    'mon-fri 22:00-06:00, Europe/Paris'
    >>> parse_short_schedule("mon,wed:09:00-17:00+sat-sun:00:00-24:00@UTC:2024-06-01..2024-06-30").describe()
    'mon,wed 09:00-17:00, sat,sun 00:00-24:00, UTC, from 2024-06-01 to 2024-06-30'
    """
    windows, at, where = text.partition("@")
    zone, *dates = where.split(":")
    if not at or len(dates) > 1:
        raise _unread("landmarks", SHORT_RULE, text)
    first, last = _dates_of(dates[0]) if dates else (None, None)
    description = {"windows": windows_of(windows), "time_zone": zone, "first_date": first, "last_date": last}
    return landmark_methods.parse({"name": "schedule"} | description, field="landmarks")


def windows_of(text: str) -> list[dict[str, Any]]:
    """The windows written in short, DAYS:FROM-TO after commas or plus signs; ParameterError for another text."""
    windows: list[dict[str, Any]] = []
    waiting: list[str] = []  # days named before the time they share
    for part in re.split(r"[,+]", text):
        match = _SHORT_WINDOW.fullmatch(part)
        if match and (match[1] or not waiting):
            days = waiting + (_days_of(match[1]) if match[1] else list(DAYS))
            windows.append(
                {"days": sorted(set(days), key=DAYS.index), "start": _padded(match[2]), "end": _padded(match[3])}
            )
            waiting = []
        elif not match and re.fullmatch(r"[a-z-]+", part):
            waiting += _days_of(part)
        else:
            raise _unread("landmarks.windows", "DAYS:FROM-TO such as mon-fri:22:00-06:00", part)
    if waiting:
        raise _unread("landmarks.windows", "DAYS:FROM-TO such as sat-sun:00:00-24:00", text)
    return windows


def _days_of(text: str) -> list[str]:
    """mon, mon-fri, fri-mon (over the end of the week) or daily."""
    if text == "daily":
        return list(DAYS)
    first, dash, last = text.partition("-")
    if first not in DAYS or (dash and last not in DAYS):
        raise _unread("landmarks.days", f"daily, a day or two with a dash between, of {', '.join(DAYS)}", text)
    start = DAYS.index(first)
    length = (DAYS.index(last) - start) % 7 + 1 if dash else 1
    return [DAYS[(start + i) % 7] for i in range(length)]


def _padded(time: str) -> str:
    return time.rjust(5, "0")


def _dates_of(text: str) -> tuple[str | None, str | None]:
    first, dots, last = text.partition("..")
    if not dots or not (first or last):
        raise _unread("landmarks.dates", "FIRST..LAST such as 2024-06-01..2024-06-30 (one may be left out)", text)
    return first or None, last or None


def _unread(field: str, rule: str, text: str) -> ParameterError:
    what = field.rpartition(".")[2]
    return ParameterError(f"{what} must be {rule}, got {text!r:.60}", field=field, rule=rule, value=text)
