"""Times of the positions of a line that no list of times states: a fourth coordinate, or the ends' times as properties.

The fourth coordinate is that of kepler.gl's trips; the properties are those of MovingPandas' segments (prev_t and t)
and of its and trackintel's whole lines (start_t and end_t, started_at and finished_at).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

from privacy_engine.formats.report import Report
from privacy_engine.formats.time_cells import are_times
from privacy_engine.plurals import counted

ENDS = (("prev_t", "t"), ("start_t", "end_t"), ("started_at", "finished_at"), ("start_time", "end_time"))
"""Names of what holds the times of both ends of a line."""
BETWEEN = "Only the ends of the lines have times; the positions between them have none and were left out."


@dataclass
class LineTimes:
    """How many lines had their times in which way, for the report."""

    fourth: int = 0
    unread: list[Any] = field(default_factory=list)
    ends: int = 0
    between: int = 0
    last: dict[int, tuple[Any, Any]] = field(default_factory=dict)

    def of(self, line: list[Any], properties: dict[str, Any]) -> list[Any]:
        """A time for each position of a line, None where the file states none; empty where it states none at all."""
        if times := self._fourth(line):
            return times
        for start, end in ENDS:
            if len(line) > 1 and all(isinstance(properties.get(one), (str, int, float)) for one in (start, end)):
                self.ends += 1
                self.between += len(line) - 2
                return [properties[start], *[None] * (len(line) - 2), properties[end]]
        return []

    def _fourth(self, line: list[Any]) -> list[Any]:
        values = [one[3] for one in line if isinstance(one, list) and len(one) > 3]
        if len(values) < len(line) or not values or any(type(one) not in (int, float) for one in values):
            return []
        rising = all(a <= b for a, b in itertools.pairwise(values))
        if rising and are_times(_text(one) for one in values):
            self.fourth += 1
            return [_text(one) for one in values]
        self.unread.append(values[0])
        return []

    def begins_at(self, line: list[Any], listed: list[Any], code: int) -> int:
        """The first position of a line to add: 1 where it repeats the last of the line before of the same series."""
        if len(line) < 2 or len(listed) != len(line) or not self.ends:
            return 0
        repeats = self.last.get(code) == (line[0], listed[0])
        self.last[code] = (line[-1], listed[-1])
        return int(repeats)

    def note(self, report: Report) -> None:
        """Record in the report what was taken for a time, and what was not."""
        if self.fourth:
            message = "The fourth coordinate of the positions was read as their time, as kepler.gl writes trips."
            report.guess("times", "fourth coordinate", message, "time")
        if self.unread:
            message = (
                f"The fourth coordinate of {counted(len(self.unread), 'line')} (such as {_text(self.unread[0])[:30]}) "
                "was not read as a time: its values are no instants since 2001 in rising order."
            )
            report.note("fourth_coordinate", message, count=len(self.unread))
        if self.between:
            report.note("line_ends", BETWEEN, count=self.between)


def _text(value: float) -> str:
    return str(int(value)) if isinstance(value, int) or value.is_integer() else repr(value)
