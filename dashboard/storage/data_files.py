"""Data and releases of every kind in files: the data type decides what the table of a file holds."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

import numpy as np

from dashboard.storage import parquet
from dashboard.storage.stored_path import Source, StoredPath, decoding, located, stored_files
from privacy_engine.core.arrays import Ints, in_turn
from privacy_engine.data.mapped_series import FEW
from privacy_engine.data.numbered import Numbered
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.data.units import units_of
from privacy_engine.datatypes import datatypes
from privacy_engine.datatypes.trajectory_table import SeriesIndex, index_of_batches, some_series

T = TypeVar("T")
BATCH = 250_000
"""Rows that are read at once."""


class StoredSeries(Numbered[T]):
    """The series of a file of points or of a release: ``make(name, person, columns)`` of each, whenever it is needed.

    Raises
    ------
    FileNotFoundError
        There is no such file (any more).
    """

    def __init__(self, path: Source, make: Callable[[str, str, dict[str, Any]], T]) -> None:
        self._path, self._make, self._rows = path, make, parquet.Rows(path)
        self._index = series_index(path)
        self._labels = list(zip(self._index.names, self._index.people, strict=True))

    def __len__(self) -> int:
        return len(self._labels)

    @property
    def sizes(self) -> Ints:
        """How many rows each series has, (m,)."""
        return self._index.sizes

    def __iter__(self) -> Iterator[T]:
        ends = np.append(0, np.cumsum(self.sizes)).tolist()
        with decoding(self._path), located(self._path) as local:
            rows = parquet.Rows(local)
            for some in in_turn(self.sizes, BATCH):
                first, numbers = ends[some.start], range(some.start, some.stop)
                columns = rows.columns(first, ends[some.stop])
                del columns["series"]
                for label, number in zip(self._labels[some], numbers, strict=True):
                    part = slice(ends[number] - first, ends[number + 1] - first)
                    yield self._make(*label, {name: values[part] for name, values in columns.items()})

    def _read(self, number: int) -> T:
        end = int(self._index.sizes[: number + 1].sum())
        return self._make(*self._labels[number], self.columns(end - int(self._index.sizes[number]), end))

    def columns(self, first: int, last: int) -> dict[str, Any]:
        """The columns of the rows from ``first`` to before ``last``."""
        with decoding(self._path):
            return {name: values for name, values in self._rows.columns(first, last).items() if name != "series"}


@lru_cache(maxsize=16)
def series_index(path: Source) -> SeriesIndex:
    """The index of a file of points or of a release of trajectories, which never changes.

    Raises
    ------
    FileNotFoundError
        There is no such file (any more).
    """
    with decoding(path):
        schema = parquet.read_schema(path)
        return index_of_batches(
            *parquet.read_batches(path, BATCH, [name for name in ("series", "time_ms") if name in schema.names])
        )


@lru_cache(maxsize=16)
def stored_units(path: Source) -> list[slice]:
    """The units of the series of a file of points or of a release of trajectories, which never changes."""
    index = series_index(path)
    return units_of(index.people, index.sizes)


def read_series(path: Source, some: slice) -> Trajectories:
    """Successive series of a file of points or of a release of trajectories, by their numbers.

    Raises
    ------
    FileNotFoundError
        There is no such file (any more).
    """
    index = series_index(path)
    first, last = (int(index.sizes[:end].sum()) for end in (some.start, some.stop))
    with decoding(path):
        names = [name for name in parquet.read_schema(path).names if name != "series"]
        return some_series(index, some, parquet.Rows(path, names).columns(first, last))


SMALL_BYTES = 16_000_000
"""A file of a release that may be held in memory."""
LARGE_BYTES = 2_000_000
_reading = Lock()


def write_data(kind: str, path: Source, data: Any) -> None:
    """Store data of a kind at ``path``."""
    parquet.write_tables(path, datatypes[kind].to_tables(data), differences=datatypes[kind].slow_columns)


def read_data(kind: str, path: Source) -> Any:
    """Return the data of :func:`write_data`; those of a large file are read batch by batch."""
    with decoding(path):
        if parquet.rows_of(path) > FEW:
            return datatypes[kind].from_batches(*parquet.read_batches(path, BATCH))
        return datatypes[kind].from_table(parquet.read_table(path))


def cached_data(kind: str, path: StoredPath) -> Any:
    """Return :func:`read_data`, the last ones read from memory: files of data never change."""
    if not stored_files().shared:  # whose copy would be fetched again for what is in memory
        path.require_sound()
    return _cached_data(kind, path)


@lru_cache(maxsize=8)
def _cached_data(kind: str, path: StoredPath) -> Any:
    return read_data(kind, path)


cached_data.cache_clear = _cached_data.cache_clear  # type: ignore[attr-defined]


def write_release(kind: str, path: Source, release: Any) -> None:
    """Store what a release of a kind publishes at ``path``."""
    parquet.write_tables(path, datatypes[kind].release_to_tables(release), differences=datatypes[kind].slow_columns)


def read_release(kind: str, path: Source) -> Any:
    """Return what :func:`write_release` stored; series of a large file are read when they are needed."""
    datatype = datatypes[kind]
    if datatype.series_of_release and parquet.rows_of(path) > FEW:
        return StoredSeries(path, datatype.series_of_release)
    with decoding(path):
        return datatype.release_from_table(parquet.read_table(path))


def is_large(path: Source) -> bool:
    """Whether a file of any kind is of those that a web server leaves to its computing process."""
    with located(path) as local:
        return local.stat().st_size > LARGE_BYTES


def cached_release(kind: str, path: Source) -> Any:
    """Return :func:`read_release`; of small files the last two from memory, read once by requests at the same time."""
    with located(path) as local:
        size = local.stat().st_size
    if size > SMALL_BYTES:
        return read_release(kind, path)
    with _reading:
        return _cached_release(kind, path)


@lru_cache(maxsize=2)
def _cached_release(kind: str, path: Source) -> Any:
    return read_release(kind, path)
