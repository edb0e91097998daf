"""The trajectories of a dataset as columns with offsets; a series is a view of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated, in_turn, starts_within
from privacy_engine.core.geo import distance_m
from privacy_engine.core.progress import advance, blocks, reported
from privacy_engine.data.mapped_series import chosen, in_files, leave, leaving, parts_at
from privacy_engine.data.numbered import Each, Numbered
from privacy_engine.data.people import Person, people, people_of
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
        Where each series begins, and where the last ends.
    names, persons : m texts
        What each series is called, and whose it is.
    time_s : (n,) float or None
        Seconds since 1970-01-01 UTC, never decreasing within a series.
    marked : (n,) bool or None
        The events that the file itself marks as landmarks.

    The columns may lie in a file; then iteration keeps the pages of no more than a single series in memory.

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
        self.__dict__.update(starts=starts)
        if in_files(self):
            self._check_pieces()
            return
        whole = Trajectory(self.lon, self.lat, marked=self.marked)
        self.__dict__.update(lon=whole.lon, lat=whole.lat, marked=whole.marked)
        if self.time_s is not None:
            self.__dict__.update(time_s=instants(self.time_s, n, starts[1:-1]))

    def _check_pieces(self) -> None:
        """The checks of columns in files, of which no more than a piece is to be in memory."""
        for some in blocks(len(self.lon), EVENTS * 16):
            piece = slice(max(some.start - 1, 0), some.stop)  # with the event before it, whose time is no later
            part = self._view(piece)
            Trajectory(part.lon, part.lat, marked=part.marked)
            if part.time_s is not None:
                instants(part.time_s, len(part), self.starts[1:-1] - piece.start)
            leave(self)

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[Trajectory]:
        return leaving(self, map(self._read, reported(range(len(self)))))

    @cached_property
    def people(self) -> list[Person]:
        """Whose the series are, in the order of their first series."""
        times, read = self.time_s, 0

        def of(number: int) -> Floats:
            nonlocal read
            assert times is not None
            some = slice(*self.starts[number : number + 2])
            read += some.stop - some.start
            if read > EVENTS * 16:
                leave(self)
                read = 0
            return times[some]

        apart = times is None or len(set(self.persons)) == len(self)  # no series of a person interleave
        each_time = None if apart else Each(range(len(self)), of)
        return people_of(self.persons, np.diff(self.starts).tolist(), each_time)

    def _read(self, number: int) -> Trajectory:
        some = slice(self.starts[number], self.starts[number + 1])
        return self._view(some, name=self.names[number], person=self.persons[number])

    def called(self, names: Sequence[str], persons: Sequence[str]) -> Trajectories:
        """The same under other names, and of people of other names."""
        return unchecked(**self.columns, starts=self.starts, names=names, persons=persons)

    def without_empty(self) -> Trajectories:
        """The series that have events."""
        sizes = np.diff(self.starts)
        held = np.flatnonzero(sizes)
        return self if len(held) == len(sizes) else self.of_series(held, sizes[held], self.columns)

    def of_series(self, numbers: Iterable[int], sizes: Ints, columns: dict[str, Any]) -> Trajectories:
        """The series of these numbers with other columns, of which they have these numbers of events."""
        names = {name: [getattr(self, name)[i] for i in numbers] for name in ("names", "persons")}
        return unchecked(**columns, **names, starts=np.append(0, np.cumsum(sizes)))

    def chosen(self, mask: Mask, sizes: Ints) -> Trajectories:
        """The events that a mask (n,) marks, of each series as many as ``sizes`` (m,); a series that loses all goes."""
        before = np.diff(self.starts)
        if np.array_equal(sizes, before):
            return self
        held = np.flatnonzero((sizes > 0) | (before == 0))
        columns = {name: chosen(values, mask) for name, values in self.columns.items()}
        return self.of_series(held, sizes[held], columns)

    def cut_at(self, events: Ints) -> Trajectories:
        """The series in pieces that begin at these events too; where there are several of a series, numbered names."""
        pieces = np.bincount(np.searchsorted(self.starts, events, "right") - 1, minlength=len(self)) + 1
        names, persons = list[str](), list[str]()
        for name, person, many in zip(self.names, self.persons, pieces.tolist(), strict=True):
            numbered = (f"{name} ({i})" if name else str(i) for i in range(1, many + 1))
            names += [name] if many == 1 else numbered
            persons += [person] * many
        starts = np.sort(np.append(self.starts, events))
        return unchecked(**self.columns, starts=starts, names=names, persons=persons)

    def part(self, first: int, last: int) -> Trajectories:
        """Some successive series."""
        starts = self.starts[first : last + 1]
        columns = vars(self._view(slice(starts[0], starts[-1])))
        return unchecked(
            **columns, starts=starts - starts[0], names=self.names[first:last], persons=self.persons[first:last]
        )

    def parts(self, some: Iterable[slice]) -> Iterator[Trajectories]:
        """Some successive series, and others, of which memory holds a part at a time."""
        return leaving(self, (self.part(piece.start, piece.stop) for piece in reported(some)))

    def picked(self, numbers: Sequence[int]) -> Trajectories:
        """The series of these numbers."""
        first, last = numbers[0], numbers[-1] + 1
        if list(numbers) == list(range(first, last)):
            return self.part(first, last)
        sizes = np.diff(self.starts)[numbers]
        columns = {name: parts_at(values, self.starts[numbers], sizes) for name, values in self.columns.items()}
        return self.of_series(numbers, sizes, columns)

    def pieces(self, events: int) -> Iterator[Trajectory]:
        """The events in pieces of at most so many, without names; times may decrease where a series begins."""
        return leaving(self, map(self._view, blocks(len(self.lon), events)))

    def steps_m(self, some: slice) -> Floats:
        """Metres from each of some successive events to the next, whichever series that is of."""
        ahead = slice(some.start + 1, some.stop + 1)
        metres = distance_m(self.lon[some], self.lat[some], self.lon[ahead], self.lat[ahead])
        leave(self)
        return metres

    def cut(self, events: int) -> Iterator[tuple[int, Trajectories]]:
        """Successive series of no more events together, and the number of the first; a longer series in pieces."""
        slices = list(in_turn(np.diff(self.starts), events)) or [slice(0, 0)]
        for of, part in zip(slices, self.parts(slices), strict=True):
            n = len(part.lon)
            for some in leaving(self, blocks(n, events)) if len(part) == 1 and n else [slice(0, n)]:
                starts = starts_within(some, part.starts)
                piece = vars(part._view(some))
                yield of.start, unchecked(**piece, starts=starts, names=part.names, persons=part.persons)

    @property
    def columns(self) -> dict[str, Any]:
        """Those that there are, by name."""
        columns = {"lon": self.lon, "lat": self.lat, "time_s": self.time_s, "marked": self.marked}
        return {name: values for name, values in columns.items() if values is not None}

    def _view(self, some: slice, **named: str) -> Trajectory:
        columns = {name: values[some] for name, values in self.columns.items()}
        track = object.__new__(Trajectory)  # its columns were checked
        track.__dict__.update(columns, **named)
        return track


def unchecked(**columns: Any) -> Trajectories:
    """Trajectories of columns that were checked."""
    tracks = object.__new__(Trajectories)
    tracks.__dict__.update(columns)  # times and marks are None by the class
    return tracks


def only(track: Trajectory) -> Trajectories:
    """One trajectory as columns."""
    named = {"names": [track.name], "persons": [track.person], "marked": track.marked}
    return unchecked(lon=track.lon, lat=track.lat, time_s=track.time_s, starts=np.array([0, len(track)]), **named)


def has_times(series: Sequence[Trajectory]) -> bool:
    """Whether all series have times."""
    if isinstance(series, Trajectories):
        return series.time_s is not None or not len(series)
    return all(track.time_s is not None for track in series)


def lengths_of(series: Sequence[Trajectory]) -> list[int]:
    """How many events each series has."""
    return np.diff(series.starts).tolist() if isinstance(series, Trajectories) else [len(track) for track in series]


def labels_of(series: Sequence[Trajectory]) -> tuple[Sequence[str], Sequence[str]]:
    """The names of the series, and whose they are."""
    if isinstance(series, Trajectories):
        return series.names, series.persons
    return [track.name for track in series], [track.person for track in series]


def together(series: Sequence[Trajectory]) -> Trajectories:
    """Series as columns, with times if all of them have some; marks are left out."""
    advance()
    columns = {name: [getattr(track, name) for track in series] for name in ("lon", "lat", "time_s")}
    if not series or any(times is None for times in columns["time_s"]):
        del columns["time_s"]
    whole = {name: parts[0] if len(parts) == 1 else concatenated(parts) for name, parts in columns.items()}
    names, persons = labels_of(series)
    return unchecked(**whole, starts=np.cumsum([0, *map(len, series)]), names=names, persons=persons)


def in_blocks(series: Iterable[Trajectory], events: int = EVENTS) -> Iterator[Trajectories]:
    """Successive series together, up to so many events; a longer series is a block of its own.

    What costs the same for each series, however short, then costs it for each block. All series of a block have times,
    or none; marks are left out.
    """
    if isinstance(series, Trajectories):
        yield from series.parts(in_turn(np.diff(series.starts), events))
        return
    held, size = list[Trajectory](), 0
    for track in series:
        if held and (size + len(track) > events or (track.time_s is None) != (held[0].time_s is None)):
            yield together(held)
            held, size = [], 0
        held.append(track)
        size += len(track)
    if held:
        yield together(held)


def in_pieces(series: Iterable[Trajectory], events: int = EVENTS) -> Iterator[Trajectory]:
    """The events of all series in pieces of at most so many, whichever series they are of; see :func:`in_blocks`."""
    return (piece for some in in_blocks(series, events) for piece in some.pieces(events))


@dataclass(frozen=True, eq=False)
class Joined:
    """Events of some people, each person's in the order of time, of the series of these ``numbers``, all of a ``unit``.

    ``order`` (n,) lists the events over these series, end to end; None where they are in their order.
    """

    people: Trajectories
    numbers: Sequence[int]
    starts: Ints
    order: Ints | None
    unit: int

    def column(self, parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
        """One array (n,) for the people from an array for each series of the whole dataset."""
        own = [parts[i] for i in self.numbers]
        values = own[0] if len(own) == 1 else concatenated(own)
        return values if self.order is None else values[self.order]

    def apart(self, values: NDArray[Any]) -> NDArray[Any]:
        """An array (n,) over the people's events as an array over the series, end to end: undoes :meth:`column`."""
        if self.order is None:
            return values
        placed = np.empty_like(values)
        placed[self.order] = values
        return placed


def joined_people(
    series: Sequence[Trajectory], events: int = EVENTS, units: Sequence[slice] | None = None
) -> Iterator[Joined]:
    """The people of ``series``, up to so many events of several together; a person with more is alone.

    A person has times where all of their series have. People of two of the ``units`` are not together.
    """
    whole, ends = isinstance(series, Trajectories), [unit.stop for unit in units or [slice(0, len(series))]]
    if isinstance(series, Trajectories) and len(set(series.persons)) == len(series):  # no person has two
        for unit, (first, last) in enumerate(pairwise([0, *ends])):
            for some in in_turn(np.diff(series.starts[first : last + 1]), events):
                numbers = range(first + some.start, first + some.stop)
                part = series.part(numbers.start, numbers.stop)
                columns = {"lon": part.lon, "lat": part.lat, "time_s": part.time_s, "starts": part.starts}
                people_of_part = unchecked(**columns, names=part.persons, persons=part.persons)
                yield Joined(people_of_part, numbers, part.starts, None, unit)
                leave(series)
        return
    held, size, held_of = list[Person](), 0, (False, 0)
    for person in [*people(series), None]:
        timed = person is not None and (whole or all(series[i].time_s is not None for i in person.members))
        own = (timed, 0 if person is None else bisect_right(ends, person.members[0]))
        if held and (person is None or size + len(person) > events or own != held_of):
            yield _joined(series, held, held_of[1])
            leave(series if whole else series[held[0].members[0]])
            held, size = [], 0
        if person is not None:
            held.append(person)
            size, held_of = size + len(person), own


def _joined(series: Sequence[Trajectory], some: list[Person], unit: int) -> Joined:
    advance()
    numbers = [i for person in some for i in person.members]
    own = series.picked(numbers) if isinstance(series, Trajectories) else together([series[i] for i in numbers])
    starts, order = np.cumsum([0, *map(len, some)]), None
    if any(person.order is not None for person in some):
        orders = [np.arange(len(person)) if person.order is None else person.order for person in some]
        order = np.concatenate(orders) + np.repeat(starts[:-1], np.diff(starts))
    columns = {"lon": own.lon, "lat": own.lat, "time_s": own.time_s}
    ordered = {name: values if values is None or order is None else values[order] for name, values in columns.items()}
    names = [person.name for person in some]
    return Joined(unchecked(**ordered, starts=starts, names=names, persons=names), numbers, own.starts, order, unit)
