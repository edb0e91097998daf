"""The people of a dataset: which series are whose, and a person's events in the order of time.

A guarantee is about one person, and a person's budget is one, whatever files, tracks or cleaning steps cut their time
into series. So a mechanism sees a person's events joined in the order of time, once, and its release is cut back into
the series afterwards. Cutting reads which series each event belongs to, which is public as their times are: it is
post-processing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import ROWS, advance, reported
from privacy_engine.data.mapped_series import total
from privacy_engine.data.types import LandmarkSet, Release, Trajectory
from privacy_engine.errors import DataError


@dataclass(frozen=True, eq=False)
class Person:
    """One person of a dataset.

    ``members`` are the indices of their series, ascending. ``order`` (n,) lists their events in the order of time;
    events are counted over the members laid end to end, whose ``lengths`` add up to n. None where the events lie in
    the order of time already.
    """

    name: str
    members: tuple[int, ...]
    lengths: tuple[int, ...]
    order: Ints | None

    def __len__(self) -> int:
        return sum(self.lengths)

    @cached_property
    def _rank(self) -> Ints:
        """The place of each event of the members in the order of time, (n,)."""
        rank = np.arange(len(self), dtype=np.int64)
        if self.order is not None:
            rank[self.order] = rank.copy()
        return rank

    def ranks(self) -> list[Ints]:
        """For each member the places of its events in the person's order, ascending."""
        return self._cut(self._rank)

    def ranks_of(self, series: int) -> Ints:
        """The places of a series' events in the person's order, ascending; ``series`` is a member."""
        return self.ranks()[self.members.index(series)]

    def joined(self, series: Sequence[Trajectory]) -> Trajectory:
        """The person's events as one trajectory, of several series by time; ``series`` are all of the dataset."""
        own = [series[i] for i in self.members]
        if len(own) == 1:
            return own[0]
        times = [track.time_s for track in own if track.time_s is not None]
        marks = [track.marked for track in own if track.marked is not None]
        return Trajectory(
            self._ordered([track.lon for track in own]),
            self._ordered([track.lat for track in own]),
            self._ordered(times) if len(times) == len(own) else None,
            self.name,
            marked=self._ordered(marks) if len(marks) == len(own) else None,
            person=self.name,
        )

    def joined_values(self, values: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """An array (n,) in the order of time from an array for each series of the whole dataset."""
        return self._ordered([values[i] for i in self.members])

    def joined_mask(self, masks: Sequence[Mask]) -> Mask:
        """The mask (n,) over the person's events from the masks of all series of the dataset."""
        return np.asarray(self.joined_values(masks), dtype=np.bool_)

    def joined_release(self, releases: Sequence[Release]) -> Release:
        """One release of the person's events from those of all series of the dataset: undoes :meth:`cut`."""
        own = [releases[i] for i in self.members]
        if len(own) == 1:
            return own[0]
        starts = np.cumsum([0, *self.lengths[:-1]])
        event = self._rank[np.concatenate([release.event + start for release, start in zip(own, starts, strict=True)])]
        by_time = np.argsort(event, kind="stable")
        times = [release.series.time_s for release in own if release.series.time_s is not None]
        series = Trajectory(
            np.concatenate([release.series.lon for release in own])[by_time],
            np.concatenate([release.series.lat for release in own])[by_time],
            np.concatenate(times)[by_time] if len(times) == len(own) else None,
            self.name,
            person=self.name,
        )
        columns = (self._ordered([getattr(release, name) for release in own]) for name in ("budgets", "fresh", "sd_m"))
        budgets, fresh, sd_m = columns
        return replace(own[0], series=series, event=event[by_time], budgets=budgets, fresh=fresh, sd_m=sd_m)

    def cut(self, release: Release, names: Sequence[str]) -> list[Release]:
        """The release of the joined events as a release for each member; ``names`` are those of all series."""
        if len(self.members) == 1:
            return [release]
        parts, time_s = [], release.series.time_s
        ends = np.cumsum(self.lengths)
        place = release.event if self.order is None else self.order[release.event]  # with the members end to end
        member = np.searchsorted(ends, place, side="right")
        sizes = np.bincount(member, minlength=len(ends))
        published = np.split(np.argsort(member, kind="stable"), np.cumsum(sizes)[:-1])
        starts = (ends - self.lengths).tolist()
        for i, rank, here, start in zip(self.members, reported(self.ranks()), published, starts, strict=True):
            series = Trajectory(
                release.series.lon[here],
                release.series.lat[here],
                None if time_s is None else time_s[here],
                names[i],
                person=self.name,
            )
            columns = {name: getattr(release, name)[rank] for name in ("budgets", "fresh", "sd_m")}
            parts.append(replace(release, series=series, event=place[here] - start, **columns))
        return parts

    def _ordered(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        if len(parts) == 1:
            return parts[0]
        advance()
        values = np.concatenate(parts)
        return values if self.order is None else values[self.order]

    def _cut(self, values: Ints) -> list[Ints]:
        return np.split(values, np.cumsum(self.lengths)[:-1])


def people(series: Sequence[Trajectory]) -> list[Person]:
    """The people of ``series``, in the order of their first series; see :func:`people_of`."""
    known: list[Person] | None = getattr(series, "people", None)  # columns know theirs
    if known is None:
        known = people_of(
            [track.person for track in series], [len(track) for track in series], [track.time_s for track in series]
        )
    return known


def people_of(
    names: Sequence[str], lengths: Sequence[int], times: Sequence[NDArray[Any] | None] | None = None
) -> list[Person]:
    """The people of series with these people's ``names``, numbers of events and times, each (m,).

    Events are in the order of time, events of an instant in the order of the series. Where a series of a person has no
    times, and where none are given, that person's series follow each other.
    """
    members: dict[str, list[int]] = {}
    times = times or [None] * len(names)
    for i, name in enumerate(reported(names, ROWS)):
        members.setdefault(name, []).append(i)
    return [
        Person(name, tuple(of), tuple(lengths[i] for i in of), _by_time([times[i] for i in of]))
        for name, of in reported(members.items())
    ]


def _by_time(times: Sequence[NDArray[Any] | None]) -> Ints | None:
    timed = [time_s for time_s in times if time_s is not None]
    if len(times) == 1 or len(timed) < len(times):
        return None
    held = [time_s for time_s in timed if len(time_s)]
    if all(before[-1] <= after[0] for before, after in pairwise(held)):
        return None
    return np.argsort(np.concatenate(timed), kind="stable").astype(np.int64)


def joined(series: Sequence[Trajectory]) -> list[Trajectory]:
    """One trajectory for each person, in the order of :func:`people`."""
    return [person.joined(series) for person in people(series)]


def must_pair(series: Sequence[Trajectory], landmarks: Sequence[LandmarkSet]) -> None:
    """DataError unless there is a landmark set for each series, over its events."""
    if len(series) != len(landmarks):
        rule = f"{len(series)} sets, one for each series"
        raise DataError(
            f"landmarks must be {rule}, got {len(landmarks)}", field="landmarks", rule=rule, value=len(landmarks)
        )
    for track, marks in zip(series, reported(landmarks, ROWS), strict=True):
        marks.must_cover(track)


def most_landmarks(masks: Iterable[Mask]) -> int:
    """The largest number of landmarks any person has, from a mask for each person; 0 without people."""
    return max((int(total(mask)) for mask in reported(masks)), default=0)


def largest_total(budgets: Iterable[Floats]) -> float:
    """The largest sum of budgets of any person: what their whole trace leaks at most, as a level."""
    return max((total(spent) for spent in reported(budgets)), default=0.0)
