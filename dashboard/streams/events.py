"""Counts of timestamps as requests and lines of a file give them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from dashboard.core.text import one_line
from dashboard.streams.models import Clock
from privacy_engine.core.arrays import Floats
from privacy_engine.errors import ParameterError, shown

LARGEST_TIME = 2.0**53
_INSTANT = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?(Z|[+-][0-9]{2}:?[0-9]{2}))?"
)


@dataclass(frozen=True, eq=False)
class Event:
    """One timestamp: ``time`` in numbers or in seconds since 1970-01-01 UTC, and as it was sent.

    ``given`` is the event as it was sent, whose counts nothing has read.
    """

    time: float
    label: str
    clock: Clock
    given: Mapping[str, Any]


def parse_times(given: Sequence[Any]) -> list[Event]:
    """The events that ``{"time": …, "counts": …}`` describe; no counts are read.

    Raises
    ------
    ParameterError
        A key is missing or not known, or a time is neither a number nor an instant. Its field has the place of the
        event.
    """
    return [_event(item, f"events.{i}") for i, item in enumerate(given)]


def parse_counts(events: Sequence[Event], names: Sequence[str]) -> Floats:
    """The counts (n, d) of events, each ``[d numbers]`` or ``{name: number}``.

    Raises
    ------
    ParameterError
        There are not as many numbers as ``names``. Its field has the place of the event.
    """
    columns = dict.fromkeys(names)
    return np.array([_counts(event.given["counts"], columns, f"events.{i}.counts") for i, event in enumerate(events)])


def _event(given: Any, field: str) -> Event:
    if not isinstance(given, Mapping):
        raise _error("an object with time and counts", field, None)
    if unknown := sorted(set(given) - {"time", "counts"}):
        raise _error("left out: an event has time and counts", f"{field}.{one_line(str(unknown[0]), 60)}", None)
    if missing := [key for key in ("time", "counts") if key not in given]:
        raise _error("given", f"{field}.{missing[0]}", None)
    time, clock = parse_time(given["time"], f"{field}.time")
    return Event(time, _label(given["time"]), clock, given)


def parse_time(given: Any, field: str) -> tuple[float, Clock]:
    """A time and what it is: a number, or in ISO 8601 a day of UTC or a date with time and offset ("Z", "+01:00").

    Raises
    ------
    ParameterError
        It is neither.
    """
    if isinstance(given, str):
        written = _INSTANT.fullmatch(given)
        try:
            moment = datetime.fromisoformat(given) if written else None
        except ValueError:
            moment = None
        if moment is None:
            rule = 'a number, a day of UTC, or a date and time with its offset from UTC ("2026-11-22T10:00:00Z")'
            raise _error(rule, field, given)
        return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp(), Clock.INSTANT
    if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) <= LARGEST_TIME:
        raise _error("a number of at most 2**53, or a date and time as text", field, given)
    return float(given), Clock.NUMBER


def _label(given: Any) -> str:
    if isinstance(given, str):
        return given
    return str(int(given)) if float(given).is_integer() else repr(float(given))


def _counts(given: Any, names: dict[str, None], field: str) -> Floats:
    if isinstance(given, Mapping):
        if unknown := [key for key in given if key not in names]:
            raise _error("one of the stream's dimensions", f"{field}.{one_line(str(unknown[0]), 60)}", None)
        if missing := [name for name in names if name not in given]:
            raise _error("given, 0 where there was nothing", f"{field}.{missing[0]}", None)
        given = [given[name] for name in names]
    if not isinstance(given, list | tuple) or len(given) != len(names):
        size = len(given) if isinstance(given, list | tuple) else None
        rule = f"a list of {len(names)} numbers, or an object with one for each dimension"
        raise _error(rule, field, given if size is None else f"{size} values")
    for name, value in zip(names, given, strict=True):
        number = isinstance(value, int | float) and not isinstance(value, bool)
        if not number or not 0 <= value <= 2**52 or value != int(value):
            raise _error("a whole number from 0 to 2**52", f"{field}.{name}", value)
    return np.array(given, dtype=np.float64)


def _error(rule: str, field: str, value: Any) -> ParameterError:
    got = "" if value is None else f", got {shown(value)!r:.60}"
    return ParameterError(f"{field} must be {rule}{got}", field=field, rule=rule, value=value)
