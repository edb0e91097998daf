"""Trajectories whose columns lie in a file: so many of them that all at once would take too much memory.

The file has no name and is gone when nothing refers to it. The operating system reads pages of it as they are needed.
"""

from __future__ import annotations

import mmap
import tempfile
import weakref
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from privacy_engine.core.progress import reported
from privacy_engine.data.types import Trajectory

FEW = 2_000_000
"""Points that are held in memory; 48 MB."""
_COLUMNS = ("lon", "lat", "time_s", "marked")
_ALIGNED = 8


class MappedSeries(list[Trajectory]):
    """Trajectories, of which iteration keeps no more than one in memory where their columns lie in a file."""

    def __iter__(self) -> Iterator[Trajectory]:
        for one in reported(super().__iter__()):
            yield one
            leave(one)


class _Place(NamedTuple):
    name: str
    person: str
    size: int
    starts: dict[str, int]


class SeriesFile:
    """A file to which trajectories are added, one after another."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places: list[_Place] = []

    def add(self, one: Trajectory) -> None:
        """Write the columns of ``one``."""
        starts = {}
        for name in reported(_COLUMNS):
            column = getattr(one, name)
            if column is not None:
                starts[name] = self._file.tell()
                self._file.write(np.ascontiguousarray(column).data)
                self._file.write(bytes(-self._file.tell() % _ALIGNED))
        self._places.append(_Place(one.name, one.person, len(one), starts))

    def series(self) -> MappedSeries:
        """What was added, read from the file; nothing can be added any more."""
        self._file.write(bytes(_ALIGNED))  # an empty file cannot be mapped
        self._file.flush()
        with self._file:
            data = mmap.mmap(self._file.fileno(), 0, access=mmap.ACCESS_READ)
        return MappedSeries(self._mapped(data))

    def _mapped(self, data: mmap.mmap) -> Iterator[Trajectory]:
        types = {"marked": np.bool_}
        for name, person, size, starts in self._places:
            columns: dict[str, Any] = {
                column: np.frombuffer(data, types.get(column, np.float64), size, start)
                for column, start in starts.items()
            }
            one = Trajectory(**columns, name=name, person=person)
            leave(one)
            yield one


def mapped(series: Iterable[Trajectory]) -> MappedSeries:
    """The trajectories in a file; each is taken from ``series`` as it is written."""
    file = SeriesFile()
    for one in series:
        file.add(one)
    return file.series()


def few_in_memory(series: Sequence[Trajectory]) -> Sequence[Trajectory]:
    """The series themselves where they have few points, else in a file."""
    return series if sum(map(len, series)) <= FEW or isinstance(series, MappedSeries) else mapped(series)


def leave(one: Trajectory) -> None:
    """Let the operating system take back the memory of the file in which the columns of a trajectory lie, if any.

    Of the whole file, since the pages beside those that are read come into memory with them.
    """
    base: Any = one.lon.base
    file = base.obj if isinstance(base, memoryview) else None
    if isinstance(file, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        file.madvise(mmap.MADV_DONTNEED)
