"""Releases whose columns lie in a file: so many events that all at once would take too much memory.

The file has no name and is gone when nothing refers to it. A release is read when it is needed, so that memory holds
those that are in use.
"""

from __future__ import annotations

import tempfile
import weakref
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from threading import Lock
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np

from privacy_engine.core.progress import advance, reported
from privacy_engine.data.mapped_series import FEW
from privacy_engine.data.types import Release, Trajectory

T = TypeVar("T")
_TYPES: dict[str, Any] = {
    "lon": np.float64,
    "lat": np.float64,
    "time_s": np.float64,
    "event": np.int64,
    "budgets": np.float64,
    "sd_m": np.float64,
    "fresh": np.bool_,
}
"""The columns in their order in the file; the last one alone is not of 8 bytes."""
_OF_SERIES = ("lon", "lat", "time_s")
AT_ONCE = 1 << 20
"""Bytes of a release that are read in one piece, beside its columns."""


class _Place(NamedTuple):
    """Where a release begins in the file, how long its columns are, and what is no column."""

    start: int
    sizes: dict[str, int]
    name: str
    person: str
    private: bool


class Numbered(Sequence[T]):
    """Items that are made of their numbers, whenever one is needed."""

    @abstractmethod
    def _read(self, number: int) -> T: ...

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[T]: ...
    def __getitem__(self, index: int | slice) -> T | Sequence[T]:
        numbers = range(len(self))[index]
        return Each(numbers, self._read) if isinstance(numbers, range) else self._read(numbers)


class Each(Numbered[T]):
    """``make`` of each item of a sequence."""

    def __init__(self, items: Sequence[Any], make: Callable[[Any], T]) -> None:
        self._items, self._make = items, make

    def __len__(self) -> int:
        return len(self._items)

    def _read(self, number: int) -> T:
        return self._make(self._items[number])

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._items)


def each(items: Sequence[Any], make: Callable[[Any], T]) -> Sequence[T]:
    """``make`` of each item: at once of a list, and of others whenever one is needed."""
    return [make(one) for one in items] if isinstance(items, list) else Each(items, make)


class ReleaseFile:
    """A file to which the releases of ``size`` series are added in any order."""

    def __init__(self, size: int) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115
        weakref.finalize(self, self._file.close)
        self._places: list[_Place | None] = [None] * size
        self._lock = Lock()

    def add(self, i: int, one: Release) -> None:
        """Write the columns of the release of series ``i``."""
        start, sizes = self._file.tell(), {}
        for name in reported(_TYPES):
            column = getattr(one.series if name in _OF_SERIES else one, name)
            if column is not None:
                sizes[name] = len(column)
                self._file.write(np.ascontiguousarray(column, _TYPES[name]).data)
        self._places[i] = _Place(start, sizes, one.series.name, one.series.person, one.private)

    def releases(self) -> Sequence[Release]:
        """What was added; nothing can be added any more."""
        self._file.flush()
        return Each(range(len(self._places)), self._read)

    def _read(self, i: int) -> Release:
        place = self._places[i]
        assert place is not None, f"series {i} has no release"
        types = {name: np.dtype(_TYPES[name]) for name in place.sizes}
        ends = np.cumsum([types[name].itemsize * size for name, size in place.sizes.items()]).tolist()
        columns: dict[str, Any] = {}
        advance()
        with self._lock:
            self._file.seek(place.start)
            whole = np.fromfile(self._file, np.uint8, ends[-1]) if ends[-1] <= AT_ONCE else None
            for (name, size), first, last in zip(place.sizes.items(), [0, *ends], ends, strict=False):
                columns[name] = (
                    np.fromfile(self._file, types[name], size)
                    if whole is None
                    else whole[first:last].view(types[name]).copy()  # one column is not to hold all
                )
                columns[name].setflags(write=False)
        lon, lat, time_s = (columns.pop(name, None) for name in _OF_SERIES)
        series = Trajectory(lon, lat, time_s, place.name, person=place.person)
        return Release(series, private=place.private, **columns)


class Gathered:
    """The releases of ``size`` series of so many ``events``, as they are made: in memory, or in a file if many."""

    def __init__(self, size: int, events: int) -> None:
        self._held: list[Release | None] = [None] * size
        self._file: ReleaseFile | None = ReleaseFile(size) if events > FEW else None

    def add(self, i: int, one: Release) -> None:
        """Take the release of series ``i``."""
        if self._file is None:
            self._held[i] = one
        else:
            self._file.add(i, one)

    def releases(self) -> Sequence[Release]:
        """All of them, in the order of their series."""
        return [one for one in self._held if one is not None] if self._file is None else self._file.releases()
