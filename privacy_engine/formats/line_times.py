"""Times of the positions of a line that no list of times states: a fourth coordinate, or the ends' times as properties.

The fourth coordinate is that of kepler.gl's trips; the properties are those of MovingPandas' segments (prev_t and t)
and of its and trackintel's whole lines (start_t and end_t, started_at and finished_at).
"""

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from privacy_engine.core.plurals import quantity
from privacy_engine.formats.column import are_times
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report

ENDS = (("prev_t", "t"), ("start_t", "end_t"), ("started_at", "finished_at"), ("start_time", "end_time"))
"""Names of what holds the times of both ends of a line."""
CUT = "cut_at_180"
"""A property of our lines that were cut at 180°: neighbouring parts end and begin with a position that is no event."""
BETWEEN = "Only the ends of the lines have times; the positions between them have none and were left out."


def uncut(parts: Sequence[Sequence[Any]]) -> list[Any]:
    """The values of the parts of a line that was cut at 180°, without those of the positions there."""
    last = len(parts) - 1
    return [value for i, part in enumerate(parts) for value in part[i > 0 : len(part) - (i < last)]]


@dataclass
class LineTimes:
    """How many lines had their times in which way, for the report; ``fourth``: whether the fourth coordinate is a time.

    ``starts`` and ``ends`` hold the series, the time and the place of both ends of the lines whose ends alone have
    times, ``at`` the row of the first position of each.
    """

    fourth: bool = False
    between: int = 0
    starts: list[tuple[Any, ...]] = field(default_factory=list)
    ends: list[tuple[Any, ...]] = field(default_factory=list)
    at: list[int] = field(default_factory=list)

    def of(self, line: list[Any], properties: dict[str, Any], code: int, at: int) -> list[Any]:
        """A time for each position of a line, None where the file states none; empty where it states none at all.

        ``code`` is the line's series, ``at`` the row that its first position will have.
        """
        if self.fourth and (values := [_fourth(place) for place in line]) and values.count(None) < len(values):
            return values
        for start, end in ENDS:
            if len(line) > 1 and all(isinstance(properties.get(key), (str, int, float)) for key in (start, end)):
                self.starts.append((code, properties[start], str(line[0])))
                self.ends.append((code, properties[end], str(line[-1])))
                self.at.append(at)
                self.between += len(line) - 2
                return [properties[start], *[None] * (len(line) - 2), properties[end]]
        return []

    def joined(self, options: ReadOptions, report: Report) -> list[int]:
        """The rows of first positions that are left out, since another line of the series ends there."""
        at_time = _repeating([start[:2] for start in self.starts], [end[:2] for end in self.ends])
        at_place = _repeating(self.starts, self.ends)
        by = by_time_or_place(sum(at_time), sum(at_place), options, report)
        return [at for at, repeats in zip(self.at, at_place if by == "place" else at_time, strict=True) if repeats]

    def note(self, report: Report) -> None:
        """Record in the report what was left out for want of a time."""
        if self.between:
            report.note("line_ends", BETWEEN, count=self.between)


def _repeating(starts: Sequence[Any], ends: Sequence[Any]) -> list[bool]:
    """Which lines start where another ends."""
    ending = Counter(ends)
    return [ending[start] > (start == end) for start, end in zip(starts, ends, strict=True)]


def by_time_or_place(at_time: int, at_place: int, options: ReadOptions, report: Report) -> str:
    """Whether starts of lines are left out that have the time of another line's end, or its time and place.

    So many lines start at a time, and at a time and place, at which another of their series ends. By time alone, one
    record moves no other; it is chosen where no two lines contradict each other.
    """
    by = options.ends or ("place" if at_place < at_time else "time")
    report.decide("ends", by)
    count = at_place if by == "place" else at_time
    if not count:
        return by
    where = "ends at that time" if by == "time" else "ends at that time and place"
    if options.ends is None:
        message = f"The start of a line was left out where another line of its series {where}."
        report.guess("ends of lines", by, message, "ends")
    message = f"{quantity(count, 'line')} of whose series another line {where} as they start: that was read once."
    report.note("joined_ends" if by == "time" else "joined_places", message, level="info", count=count)
    return by


def fourth_is_time(lines: Sequence[list[Any]], options: ReadOptions, report: Report) -> bool:
    """Whether the fourth coordinate of the positions is their time: as the options state, or as a line shows."""
    fourth = options.fourth
    if fourth is None:
        unread: list[Any] = []
        fourth = "time" if max([_rising(line, unread) for line in lines], default=False) else "none"
        if fourth == "time":
            message = "The fourth coordinate of the positions was read as their time, as kepler.gl writes trips."
            report.guess("times", "fourth coordinate", message, "fourth")
        if unread:
            message = (
                f"The fourth coordinate of {quantity(len(unread), 'line')} (such as {_text(unread[0])[:30]}) "
                f"{'is hardly' if fourth == 'time' else 'was not read as'} a time: its values are no instants since "
                "2001 in rising order."
            )
            report.note("fourth_coordinate", message, count=len(unread))
    report.decide("fourth", fourth)
    return fourth == "time"


def _rising(line: list[Any], unread: list[Any]) -> bool:
    """Whether the fourth coordinates of a line are instants in rising order; others are ``unread``."""
    values = [place[3] for place in line if isinstance(place, list) and len(place) > 3]
    if len(values) < len(line) or not values or any(type(value) not in (int, float) for value in values):
        return False
    rising = all(a <= b for a, b in itertools.pairwise(values)) and are_times(_text(value) for value in values)
    if not rising:
        unread.append(values[0])
    return rising


def _fourth(position: Any) -> str | None:
    number = isinstance(position, list) and len(position) > 3 and type(position[3]) in (int, float)
    return _text(position[3]) if number else None


def _text(value: float) -> str:
    return str(int(value)) if isinstance(value, int) or value.is_integer() else repr(value)
