"""``Points`` of a discrete space, each with the number of times it occurs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Ints

DENSE = 1 << 20
"""Spaces of at most so many points are counted in an array, larger ones are sorted."""


@dataclass(frozen=True, eq=False)
class Points:
    """Distinct points ``at`` (n, d), whole coordinates from 0, and how often each occurs, ``weights`` (n,)."""

    at: Ints
    weights: Ints

    def __len__(self) -> int:
        return len(self.weights)

    @classmethod
    def distinct(cls, at: Ints, size: int) -> Points:
        """The distinct ones of points ``at`` (n, d), coordinates from -1 to ``size`` - 1.

        >>> points = Points.distinct(np.array([[0, 5], [1, -1], [0, 5]]), 6)
        >>> points.at.tolist(), points.weights.tolist()
        ([[1, -1], [0, 5]], [1, 2])
        """
        base, length = size + 1, at.shape[1]
        if base**length >= 2**62:
            rows, counts = np.unique(at, axis=0, return_counts=True)
            return cls(rows, counts.astype(np.int64))
        powers = base ** np.arange(length, dtype=np.int64)
        code = (at + 1) @ powers
        if base**length <= DENSE:
            weights = np.bincount(code, minlength=base**length)
            code = np.flatnonzero(weights)
            weights = weights[code]
        else:
            code, weights = np.unique(code, return_counts=True)
        return cls(code[:, None] // powers % base - 1, weights.astype(np.int64))

    @classmethod
    def of_cells(cls, cells: Ints, columns: int, size: int) -> Points:
        """Runs of cells (n, k) of a grid with ``size`` cells as points: column and row of the first, of the second, …

        >>> grams = Points.of_cells(np.array([[0, 5], [0, 5]]), 4, 16)
        >>> grams.at.tolist(), grams.weights.tolist()
        ([[0, 0, 1, 1]], [2])
        """
        grams = cls.distinct(cells, size)
        row, column = np.divmod(grams.at, columns)
        return cls(np.stack([column, row], axis=2).reshape(len(grams), 2 * cells.shape[1]), grams.weights)
