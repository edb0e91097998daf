"""Series of a large file, each read when it is needed: memory has those that are in use."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from dashboard.storage import parquet
from dashboard.storage.stored_path import Source, decoding, located
from privacy_engine.core.arrays import Ints, in_turn
from privacy_engine.data.numbered import Numbered
from privacy_engine.datatypes.trajectory_table import SeriesIndex, index_of_batches

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
