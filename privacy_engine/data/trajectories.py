"""The trajectories of a dataset as columns with offsets; a series is a view of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import advance, blocks, reported
from privacy_engine.data.mapped_series import leave
from privacy_engine.data.people import Person, people_of
from privacy_engine.data.stored_releases import Numbered
from privacy_engine.data.types import Trajectory, instants
from privacy_engine.errors import DataError

EVENTS = 1 << 16
"""Of several series taken together."""


@dataclass(frozen=True, eq=False)
class Trajectories(Numbered[Trajectory]):
    """The n events of m series, series after series, each in the order of its events.

    Parameters
    ----------
    lon, lat : (n,) float
        Degrees, WGS 84.
    starts : (m + 1,) int
        Where each series begins, and where the last one ends.
    names, persons : m texts
        What each series is called, and whose it is.
    time_s : (n,) float or None
        Seconds since 1970-01-01 UTC, never decreasing within a series.
    marked : (n,) bool or None
        The events that the file itself marks as landmarks.

    The columns may lie in a file; then iteration keeps the pages of no more than one series in memory.

    Raises
    ------
    DataError
        Lengths differ, a value is not finite or out of range, times decrease within a series.
    """

    lon: Floats
    lat: Floats
    starts: Ints
    names: Sequence[str]
    persons: Sequence[str]
    time_s: Floats | None = None
    marked: Mask | None = None

    def __post_init__(self) -> None:
        starts = np.array(self.starts, dtype=np.int64)
        m, n = len(self.names), len(self.lon)
        if len(starts) != m + 1 or (starts[0], starts[-1]) != (0, n) or (starts[1:] < starts[:-1]).any():
            rule = f"{m + 1} offsets from 0 to {n} that never decrease"
            raise DataError(f"starts must be {rule}", field="starts", rule=rule)
        if len(self.persons) != m:
            rule = f"as many as names ({m})"
            raise DataError(f"persons must be {rule}, got {len(self.persons)}", field="persons", rule=rule)
        whole = Trajectory(self.lon, self.lat, marked=self.marked)
        self.__dict__.update(lon=whole.lon, lat=whole.lat, marked=whole.marked, starts=starts)
        if self.time_s is not None:
            self.__dict__.update(time_s=instants(self.time_s, n, starts[1:-1]))
        leave(self._view(slice(None)))

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Trajectory]:
        for i in reported(range(len(self))):
            one = self._read(i)
            yield one
            leave(one)

    @cached_property
    def people(self) -> list[Person]:
        """Whose the series are, in the order of their first series."""
        times = None if self.time_s is None else np.split(self.time_s, self.starts[1:-1])
        return people_of(self.persons, np.diff(self.starts).tolist(), times)

    def _read(self, number: int) -> Trajectory:
        some = slice(self.starts[number], self.starts[number + 1])
        return self._view(some, name=self.names[number], person=self.persons[number])

    def pieces(self, events: int) -> Iterator[Trajectory]:
        """The events in pieces of at most so many, without names; times may decrease where a series begins."""
        return (self._view(some) for some in blocks(len(self.lon), events))

    def _view(self, some: slice, **named: str) -> Trajectory:
        columns = {"lon": self.lon, "lat": self.lat, "time_s": self.time_s, "marked": self.marked}
        found = {name: None if column is None else column[some] for name, column in columns.items()}
        one = object.__new__(Trajectory)  # its columns were checked
        one.__dict__.update(found, **named)
        return one


def in_blocks(series: Iterable[Trajectory], events: int = EVENTS) -> Iterator[Trajectories]:
    """Successive series together, up to so many events; a longer one is a block of its own.

    What costs the same for each series, however short, then costs it for each block. All series of a block have times,
    or none; marks are left out.
    """
    held, size = list[Trajectory](), 0
    for one in series:
        if held and (size + len(one) > events or (one.time_s is None) != (held[0].time_s is None)):
            yield _together(held)
            held, size = [], 0
        held.append(one)
        size += len(one)
    if held:
        yield _together(held)


def in_pieces(series: Iterable[Trajectory], events: int = EVENTS) -> Iterator[Trajectory]:
    """The events of all series in pieces of at most so many, whichever series they are of; see :func:`in_blocks`."""
    return (piece for some in in_blocks(series, events) for piece in some.pieces(events))


def _together(some: list[Trajectory]) -> Trajectories:
    advance()
    columns = {name: [getattr(one, name) for one in some] for name in ("lon", "lat", "time_s")}
    if some[0].time_s is None:
        del columns["time_s"]
    whole = {name: parts[0] if len(parts) == 1 else np.concatenate(parts) for name, parts in columns.items()}
    found = object.__new__(Trajectories)  # its columns were checked
    names, persons = [one.name for one in some], [one.person for one in some]
    found.__dict__.update(whole, starts=np.cumsum([0, *map(len, some)]), names=names, persons=persons)
    return found
