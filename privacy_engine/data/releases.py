"""The releases of a dataset as columns with offsets; the release of a series is a view of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated, counts_over, in_turn, starts_within
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data.mapped_series import empty, leaving
from privacy_engine.data.numbered import Numbered
from privacy_engine.data.trajectories import Joined, Trajectories, labels_of, unchecked
from privacy_engine.data.types import Release, Trajectory
from privacy_engine.errors import DataError

_TYPES: dict[str, type[Any]] = {
    "lon": np.float64,
    "lat": np.float64,
    "budgets": np.float64,
    "fresh": np.bool_,
    "sd_m": np.float64,
    "published": np.bool_,
}


@dataclass(frozen=True, eq=False)
class Releases(Numbered[Release]):
    """What is published of the n events of m series, series after series, and what each of them spent.

    ``starts`` (m + 1,), ``names``, ``persons`` and ``time_s`` (n,) are those of the series; ``untimed`` numbers the
    series that have no times though others do. ``lon`` and ``lat`` (n,) are the positions that the ``published``
    events, all where that is None, show; ``budgets``, ``fresh`` and ``sd_m`` (n,) and ``private`` as in
    :class:`~privacy_engine.data.Release`. The columns may lie in a file.
    """

    starts: Ints
    names: Sequence[str]
    persons: Sequence[str]
    time_s: Floats | None
    lon: Floats
    lat: Floats
    budgets: Floats
    fresh: Mask
    sd_m: Floats
    published: Mask | None = None
    private: bool = False
    untimed: frozenset[int] = frozenset()

    @classmethod
    def of(cls, series: Trajectories, releases: Iterable[Release]) -> Self:
        """One release of each of the ``series``.

        Raises
        ------
        DataError
            A release has other events than its series, or publishes them in another order or at other times.
        """
        made = list[Release]()
        for release, track in zip(releases, series, strict=True):
            _must_follow(release, track)
            made.append(release)
        names = {"names": series.names, "persons": series.persons}
        return cls(**vars(releases_of(made)) | names | {"starts": series.starts, "time_s": series.time_s})

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Release]:
        return leaving(self, map(self._read, reported(range(len(self)))))

    def _read(self, number: int) -> Release:
        some = slice(*self.starts[number : number + 2])
        columns = {name: getattr(self, name)[some] for name in ("lon", "lat", "budgets", "fresh", "sd_m")}
        event = np.arange(some.stop - some.start) if self.published is None else np.flatnonzero(self.published[some])
        of_series = {"lon": columns.pop("lon"), "lat": columns.pop("lat"), "time_s": None, "marked": None}
        if self.time_s is not None and number not in self.untimed:
            of_series["time_s"] = self.time_s[some]
        if len(event) < some.stop - some.start:
            of_series = {name: None if column is None else column[event] for name, column in of_series.items()}
        for column in (event, *of_series.values(), *columns.values()):
            if column is not None:
                column.setflags(write=False)
        series, release = object.__new__(Trajectory), object.__new__(Release)  # the columns were checked
        series.__dict__.update(of_series, name=self.names[number], person=self.persons[number])
        release.__dict__.update(columns, series=series, event=event, private=self.private)
        return release

    @cached_property
    def sizes(self) -> Ints:
        """How many events of each series are published, (m,)."""
        if self.published is None:
            return np.diff(self.starts)
        return counts_over(self.published, self.starts)

    def part(self, first: int, last: int) -> Releases:
        """The releases of some successive series."""
        return replace(
            self._events(slice(self.starts[first], self.starts[last])),
            starts=self.starts[first : last + 1] - self.starts[first],
            names=self.names[first:last],
            persons=self.persons[first:last],
            untimed=frozenset(i - first for i in self.untimed if first <= i < last),
        )

    def cut(self, events: int) -> Iterator[tuple[int, int, Releases]]:
        """Successive series of no more events together, and the number of the first; a longer series in pieces.

        With the number of events of the first series that are ahead of the piece.
        """
        slices = list(in_turn(np.diff(self.starts), events)) or [slice(0, 0)]
        for of, part in zip(slices, self.parts(slices), strict=True):
            n = len(part.lon)
            for some in leaving(self, blocks(n, events)) if len(part) == 1 and n else [slice(0, n)]:
                yield of.start, some.start, part._events(some)

    def _events(self, some: slice) -> Releases:
        """A piece of the events, of whichever series they are."""
        columns: dict[str, Any] = {name: getattr(self, name) for name in ("time_s", *_TYPES)}
        columns = {name: None if column is None else column[some] for name, column in columns.items()}
        return replace(self, starts=starts_within(some, self.starts), **columns)

    @cached_property
    def event(self) -> Ints:
        """The event of its series that each published position stands for, (p,)."""
        events = np.arange(len(self.lon)) - np.repeat(self.starts[:-1], np.diff(self.starts))
        return events if self.published is None else events[self.published]

    def shown(self, column: NDArray[Any]) -> NDArray[Any]:
        """What a column (n,) has of the published events, (p,)."""
        return column if self.published is None else column[self.published]

    @property
    def timed(self) -> bool:
        """Whether every series has times."""
        return self.time_s is not None and not self.untimed

    @property
    def positions(self) -> Trajectories:
        """What is published, without times if not every series has them."""
        names = ("lon", "lat", "time_s") if self.timed else ("lon", "lat")
        columns = {name: self.shown(getattr(self, name)) for name in names}
        starts = np.concatenate([[0], np.cumsum(self.sizes)])
        return unchecked(**columns, starts=starts, names=self.names, persons=self.persons)

    def parts(self, some: Iterable[slice]) -> Iterator[Releases]:
        """The releases of some successive series, and of others, of which memory holds a part at a time."""
        return leaving(self, (self.part(piece.start, piece.stop) for piece in reported(some)))


def _must_follow(release: Release, track: Trajectory) -> None:
    rule = "one position for each event published, in the order of the events and at their times"
    n, event, time_s = len(track), release.event, release.series.time_s
    ordered = not len(event) or (event[0] >= 0 and event[-1] < n and (event[1:] > event[:-1]).all())
    timed = (time_s is None) == (track.time_s is None) or not len(event)
    if not ordered or len(release.series) != len(event) or len(release.budgets) != n or not timed:
        raise DataError(f"a release must have {rule}", field="event", rule=rule)
    if time_s is not None and track.time_s is not None and not np.array_equal(time_s, track.time_s[event]):
        raise DataError(f"a release must have {rule}", field="time_s", rule=rule)


class Gathered:
    """The releases of ``series``, as they are made: in memory, or in a file if they have many events."""

    def __init__(self, series: Sequence[Trajectory]) -> None:
        whole = series if isinstance(series, Trajectories) else None
        self._starts = np.cumsum([0, *map(len, series)]) if whole is None else whole.starts
        self._names, self._persons = labels_of(series)
        self._time_s = None if whole is None else whole.time_s
        self._columns = {name: self._column(dtype) for name, dtype in _TYPES.items() if name != "published"}
        if whole is None and any(track.time_s is not None for track in series):
            self._columns["time_s"] = self._column(np.float64)
        self._untimed, self._private = set[int](), True

    def _column(self, dtype: type[Any]) -> Any:
        return empty(int(self._starts[-1]), dtype)

    def add(self, some: Joined, drawn: Releases) -> None:
        """Take the releases of some people."""
        self._private = self._private and drawn.private
        if drawn.published is not None and "published" not in self._columns:
            self._columns["published"] = self._column(np.bool_)
            self._columns["published"][:] = True
        if drawn.time_s is None:
            self._untimed.update(some.numbers)
        places = self._starts[some.numbers].tolist()
        cuts = [0, *(i for i in range(1, len(places)) if some.numbers[i] != some.numbers[i - 1] + 1), len(places)]
        for name in reported(self._columns):
            values = getattr(drawn, name)
            if values is None and name == "time_s":
                continue
            apart = some.apart(np.ones(len(drawn.lon), dtype=np.bool_) if values is None else values)
            for first, last in pairwise(cuts):
                part, column = apart[some.starts[first] : some.starts[last]], self._columns[name][places[first] :]
                for piece in leaving([part, column], blocks(len(part))):
                    column[piece] = part[piece]

    def releases(self) -> Releases:
        """The releases of all series, in the order of ``series``; their columns can no longer be written."""
        columns: dict[str, Any] = {"time_s": self._time_s} | self._columns
        for column in columns.values():
            if column is not None:
                column.setflags(write=False)
        columns |= {"starts": self._starts, "names": self._names, "persons": self._persons, "private": self._private}
        return Releases(untimed=frozenset(self._untimed if columns["time_s"] is not None else ()), **columns)


def releases_of(releases: Sequence[Release]) -> Releases:
    """One release of each series as columns."""
    if isinstance(releases, Releases):
        return releases
    series = [release.series for release in releases]
    timed = [track.time_s is not None for track in series]
    starts: Ints = np.cumsum([0, *(len(release.budgets) for release in releases)])
    sizes, n = [len(release.event) for release in releases], int(starts[-1])
    at = concatenated([release.event for release in releases], np.int64) + np.repeat(starts[:-1], sizes)
    shown = {name: [getattr(track, name) for track in series] for name in ("lon", "lat")}
    if any(timed):
        shown["time_s"] = [np.full(len(track), np.nan) if track.time_s is None else track.time_s for track in series]
    columns: dict[str, Any] = {"time_s": None}
    for name, parts in shown.items():
        columns[name] = np.full(n, np.nan)
        columns[name][at] = concatenated(parts)
    for name in ("budgets", "fresh", "sd_m"):
        columns[name] = concatenated([getattr(release, name) for release in releases], _TYPES[name])
    if len(at) < n:
        columns["published"] = np.zeros(n, dtype=np.bool_)
        columns["published"][at] = True
    return Releases(
        starts=starts,
        names=[track.name for track in series],
        persons=[track.person for track in series],
        private=all(release.private for release in releases),
        untimed=frozenset(i for i, has_times in enumerate(timed) if not has_times and any(timed)),
        **columns,
    )
