"""Trajectories whose columns lie in a file: so many of them that all at once would take too much memory.

The file has no name and is gone when nothing refers to it. The operating system reads pages of it as they are needed.
"""

from __future__ import annotations

import mmap
import os
import tempfile
import weakref
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import PIECE, Ints, of_parts, summed
from privacy_engine.core.growing_column import Column
from privacy_engine.core.progress import BLOCK, blocks, reported
from privacy_engine.data.types import Trajectory

T = TypeVar("T")
FEW = 2_000_000
"""Points that are held in memory; 48 MB."""
_COLUMNS = ("lon", "lat", "time_s", "marked")
_ALIGNED = 8


class MappedSeries(list[Trajectory]):
    """Trajectories, of which iteration keeps a single trajectory in memory where their columns lie in a file."""

    def __iter__(self) -> Iterator[Trajectory]:
        for track in reported(super().__iter__()):
            yield track
            leave(track)


class _Place(NamedTuple):
    name: str
    person: str
    size: int
    starts: dict[str, int]


class SeriesFile:
    """A file to which trajectories are added in turn."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places: list[_Place] = []

    def add(self, track: Trajectory) -> None:
        """Write the columns of ``track``."""
        starts = {}
        for name in reported(_COLUMNS):
            column = getattr(track, name)
            if column is not None:
                starts[name] = self._file.tell()
                self._file.write(np.ascontiguousarray(column).data)
                self._file.write(bytes(-self._file.tell() % _ALIGNED))
        self._places.append(_Place(track.name, track.person, len(track), starts))

    def series(self) -> MappedSeries:
        """What was added, read from the file; nothing can be added any more."""
        return MappedSeries(self._read(_mapped(self._file)))

    def _read(self, data: mmap.mmap) -> Iterator[Trajectory]:
        types = {"marked": np.bool_}
        for name, person, size, starts in self._places:
            columns: dict[str, Any] = {
                column: np.frombuffer(data, types.get(column, np.float64), size, start)
                for column, start in starts.items()
            }
            track = Trajectory(**columns, name=name, person=person)
            leave(track)
            yield track


def mapped(series: Iterable[Trajectory]) -> MappedSeries:
    """The trajectories in a file; each is taken from ``series`` as it is written."""
    file = SeriesFile()
    for track in series:
        file.add(track)
    return file.series()


class FileColumn:
    """A column of numbers of a type that is written to a file piece by piece."""

    def __init__(self, dtype: Any = np.float64) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._dtype = np.dtype(dtype)

    def add(self, piece: NDArray[Any]) -> None:
        """Write the numbers of ``piece`` after those that were written last."""
        self._file.write(np.ascontiguousarray(piece, self._dtype).data)

    def __setitem__(self, some: slice, piece: NDArray[Any]) -> None:
        self._file.seek(some.start * self._dtype.itemsize)
        self.add(piece)

    def taken(self) -> NDArray[Any]:
        """All of them, read from the file; nothing can be added any more."""
        size = self._file.seek(0, os.SEEK_END) // self._dtype.itemsize
        return np.frombuffer(_mapped(self._file), self._dtype, size)


def column(dtype: Any, many: int) -> Any:
    """A column to which ``many`` numbers are to be added: in a file if they are more than :data:`FEW`."""
    return FileColumn(dtype) if many > FEW else Column(dtype, many)


def empty(many: int, dtype: Any = np.float64) -> NDArray[Any]:
    """An array of ``many`` numbers to write to: in a file if they are more than :data:`FEW`.

    Raises
    ------
    OSError
        There is no space for the file.
    """
    if many <= FEW:
        return np.empty(many, dtype)
    with tempfile.TemporaryFile() as file:
        size = many * np.dtype(dtype).itemsize
        file.truncate(size)
        if hasattr(os, "posix_fallocate"):  # writing to a mapped file ends the process where the disk is full
            os.posix_fallocate(file.fileno(), 0, size)
        return np.frombuffer(mmap.mmap(file.fileno(), size), dtype)


def piecewise(
    function: Callable[..., NDArray[Any]], *columns: NDArray[Any], dtype: Any = np.float64, size: int = BLOCK
) -> NDArray[Any]:
    """``function``, number by number, of columns (n,) in pieces; memory holds a piece where they are many."""
    out = empty(len(columns[0]), dtype)
    for some in leaving([out, *columns], blocks(len(out), size)):
        out[some] = function(*(values[some] for values in columns))
    return out


def chosen(values: NDArray[Any], mask: NDArray[np.bool_]) -> NDArray[Any]:
    """``values[mask]``, in a file if the values are more than :data:`FEW`."""
    kept = column(values.dtype, len(values))
    for some in leaving([values, mask], blocks(len(values))):
        kept.add(values[some][mask[some]])
    some_of_them: NDArray[Any] = kept.taken()
    return some_of_them


def parts_at(values: NDArray[Any], begins: Ints, sizes: Ints) -> NDArray[Any]:
    """The parts of ``sizes`` (m,) that begin somewhere, end to end, in a file if they are many."""
    starts = np.append(0, np.cumsum(sizes))
    joined, moves = empty(int(starts[-1]), values.dtype), begins - starts[:-1]
    if len(joined) == len(values) > FEW and not moves.any():
        return values
    for some in leaving([values, joined], blocks(len(joined), PIECE)):
        joined[some] = values[np.arange(some.start, some.stop) + of_parts(moves, some, starts)]
    return joined


def spread(values: NDArray[Any], starts: Ints) -> NDArray[Any]:
    """For each event (n,) the value of its part, of which there are m, which begin at ``starts`` (m + 1,)."""
    repeated = empty(int(starts[-1]), values.dtype)
    for some in leaving([repeated], blocks(len(repeated))):
        repeated[some] = of_parts(values, some, starts)
    return repeated


def total(values: NDArray[Any]) -> float:
    """The sum of floats, (n,), with the bits of ``values.sum()``."""
    if len(values) <= PIECE:
        return float(values.sum())

    def piece(some: slice) -> list[NDArray[Any]]:
        leave([values])
        return [values[some]]

    return float(summed(piece, 0, len(values))[0])


def picked(values: NDArray[Any], at: slice | NDArray[np.integer[Any]]) -> NDArray[Any]:
    """``values[at]`` for a slice or ascending indices; of a file memory holds a piece of what the indices are of."""
    if isinstance(at, slice):
        return values[at]
    taken = np.empty(len(at), values.dtype)
    for some in leaving([values], blocks(len(values))):
        here = slice(*at.searchsorted(np.array([some.start, some.stop], at.dtype)))
        taken[here] = values[at[here]]
    return taken


def leave(columns: Any) -> None:
    """Let the operating system take back the memory of the files in which the attributes of an object lie, if any.

    Of whole files, since the pages beside those that are read come into memory with them.
    """
    for file in in_files(columns) if hasattr(mmap, "MADV_DONTNEED") else ():
        file.madvise(mmap.MADV_DONTNEED)


def leaving(columns: Any, items: Iterable[T]) -> Iterator[T]:
    """What is made of an object's columns item by item, of whose pages memory holds those of a single item."""
    return _leaving(columns, items) if in_files(columns) else iter(items)


def _leaving(columns: Any, items: Iterable[T]) -> Iterator[T]:
    for item in items:
        yield item
        leave(columns)


def in_files(columns: Any) -> list[mmap.mmap]:
    """The files in which the attributes of an object lie, or the arrays of a list."""
    files = {}
    for base in columns if isinstance(columns, list) else vars(columns).values():
        while isinstance(base, np.ndarray):
            base = base.base
        if isinstance(base, memoryview) and isinstance(base.obj, mmap.mmap):
            files[id(base.obj)] = base.obj
    return list(files.values())


def _mapped(file: IO[bytes]) -> mmap.mmap:
    """What was written to a file, which is closed."""
    file.write(bytes(_ALIGNED))  # an empty file cannot be mapped
    file.flush()
    with file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
