"""Series of a large file, each read when it is needed: memory has those that are in use."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from dashboard.storage import parquet
from dashboard.storage.stored_path import Source, decoding
from privacy_engine.data.stored_releases import Numbered
from privacy_engine.datatypes.trajectory_table import columns_of, columns_of_batches, names_and_people

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
        self._path, self._make = path, make
        with decoding(path):
            self._labels = names_and_people(parquet.read_schema(path))

    def __len__(self) -> int:
        return len(self._labels)

    @property
    def sizes(self) -> list[int]:
        """How many rows each series has."""
        return [last - first for first, last in _rows_of_series(self._path, len(self))]

    def __iter__(self) -> Iterator[T]:
        with decoding(self._path):
            columns = columns_of_batches(*parquet.read_batches(self._path, BATCH))
            for label, column in zip(self._labels, columns, strict=True):
                yield self._make(*label, column)

    def _read(self, number: int) -> T:
        with decoding(self._path):
            table = parquet.read_rows(self._path, *_rows_of_series(self._path, len(self))[number])
            return self._make(*self._labels[number], columns_of(table)[number])


@lru_cache(maxsize=16)
def _rows_of_series(path: Source, count: int) -> list[tuple[int, int]]:
    """The first row of each series, and that after its last one; a file never changes."""
    sizes = np.zeros(count, dtype=np.int64)
    for batch in parquet.read_batches(path, BATCH, ["series"])[1]:
        sizes += np.bincount(batch.column(0).to_numpy(), minlength=count)
    ends = np.cumsum(sizes)
    return list(zip((ends - sizes).tolist(), ends.tolist(), strict=True))
