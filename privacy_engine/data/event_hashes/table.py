"""Sorted hashes to look others up in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.progress import blocks
from privacy_engine.data.event_words import Hashes, frozen

FINER = 4  # 16 bits for each value, so that most hashes that are not there are found out in the cache


class Table:
    """Distinct ascending ``values`` that are uniform below the largest one, as hashes and the smallest of them are."""

    def __init__(self, values: Hashes) -> None:
        from privacy_engine.kernels.siphash import index

        self.values = frozen(values)
        width = int(values[-1]).bit_length() if len(values) else 0
        shift = max(width - max(len(values), 1).bit_length(), 0)
        self._shift, self._finer = np.uint64(shift), np.uint64(max(shift - FINER, 0))
        top = int(values[-1]) if len(values) else 0
        self._starts = np.empty((top >> shift) + 2 if len(values) else 1, dtype=np.uint32)
        self._filled = np.zeros((top >> int(self._finer) >> 6) + 1 + (1 << FINER), dtype=np.uint64)
        index(self.values, self._shift, self._finer, self._starts, self._filled)

    def find(self, queries: Hashes) -> NDArray[np.int64]:
        """The place of each query among the values, (n,); -1 for one that is not there."""
        from privacy_engine.kernels.siphash import find

        out = np.empty(len(queries), dtype=np.int64)
        for part in blocks(len(queries)):
            find(frozen(queries[part]), self.values, self._shift, self._finer, self._starts, self._filled, out[part])
        return out

    def holds(self, queries: Hashes) -> NDArray[np.bool_]:
        """Which queries are among the values, (n,)."""
        found = [self.find(queries[part]) >= 0 for part in blocks(len(queries))]
        return np.concatenate([np.empty(0, dtype=np.bool_), *found])


def distinct(hashes: Hashes) -> Hashes:
    """The distinct hashes, ascending."""
    ascending = np.sort(hashes)
    new = np.ones(len(ascending), dtype=np.bool_)
    np.not_equal(ascending[1:], ascending[:-1], out=new[1:])
    return ascending[new]


def common(one: Hashes, other: Hashes) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which of either are in the other one; the larger of the two is not sorted."""
    if len(one) > len(other):
        held, holding = common(other, one)
        return holding, held
    holding = Table(distinct(one)).holds(other)
    if not holding.any():
        return np.zeros(len(one), dtype=np.bool_), holding
    return Table(distinct(other[holding])).holds(one), holding
