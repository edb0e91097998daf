"""Times of day whose date stands elsewhere in the file: dated forwards and backwards, across midnights."""

import re

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.plurals import quantity
from privacy_engine.formats.report import Report

DAY_S = 86400.0
FOLLOWS = "times_follow"
"""The code of the note that names times which follow from other records."""
_BACK_S = 3600.0  # a clock that falls by more than this has passed midnight
_CLOCK = re.compile(r"\s*([01][0-9]|2[0-3])([0-5][0-9])([0-5][0-9]|60)(\.[0-9]{0,9})?\s*")
_DATE = re.compile(r"\s*([0-3][0-9])([01][0-9])([0-9]{2})\s*")


def clock_s(text: str) -> float:
    """``hhmmss.sss`` as seconds of the day; nan where it is no time of day.

    >>> clock_s("235958.5")
    86398.5
    """
    match = _CLOCK.fullmatch(text)
    if match is None:
        return float("nan")
    fraction = match[4] or "."
    return int(match[1]) * 3600.0 + int(match[2]) * 60.0 + int(match[3]) + float(f"0{fraction}0")


def day_of(text: str) -> float:
    """``ddmmyy`` as days since 1970, the years being 1970 to 2069; nan where it is no date.

    >>> day_of("020170")
    1.0
    """
    match = _DATE.fullmatch(text)
    if match is None:
        return float("nan")
    year = int(match[3]) + (1900 if int(match[3]) >= 70 else 2000)
    return day_number(year, int(match[2]), int(match[1]))


def day_number(year: int, month: int, day: int) -> float:
    """A date as days since 1970; nan where there is no such day."""
    try:
        return float(np.datetime64(f"{year:04d}-{month:02d}-{day:02d}", "D").astype(np.int64))
    except ValueError:
        return float("nan")


def dated(clocks: Floats, days: Floats) -> Floats:
    """Seconds since 1970 of times of day in their order; nan where the time, or every date, is unknown.

    ``clocks`` (n,) are seconds of the day, ``days`` (n,) days since 1970 where the file states days; both may be nan.
    A row without a date takes that of the nearest dated row before it, else after it, a day more
    for each midnight passed.
    """
    known = np.flatnonzero(np.isfinite(clocks))
    midnights = np.zeros(len(clocks))
    midnights[known] = np.concatenate(([0], np.cumsum(np.diff(clocks[known]) < -_BACK_S)))[: len(known)]
    midnights = np.maximum.accumulate(midnights) if len(midnights) else midnights
    named = np.flatnonzero(np.isfinite(days))
    if not named.size:
        return np.full(len(clocks), np.nan)
    anchor = named[np.maximum(np.searchsorted(named, np.arange(len(clocks)), side="right") - 1, 0)]
    return np.asarray((days[anchor] + midnights - midnights[anchor]) * DAY_S + clocks)


def note_follows(count: int, title: str, report: Report) -> None:
    """Name the records whose time follows in part from the records before, which a person's record can so change."""
    if count:
        message = (
            f"{quantity(count, title)} without a whole time of its own: its date, or all of its time, follows from the "
            "records before. What changes one record can change the times of those after it."
        )
        report.note(FOLLOWS, message, level="info", count=count)
