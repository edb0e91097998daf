"""A column of numbers that keep coming: pieces put together at the end would lie in memory twice."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported


class Column:
    """Numbers in one array, to which pieces are added.

    The capacity doubles, and those of its pages that nothing was written to take no memory.
    """

    def __init__(self) -> None:
        self._buffer: Floats = np.empty(0)
        self.size = 0

    def add(self, piece: Floats) -> None:
        """Add the numbers of ``piece`` after those that are there."""
        end = self.size + len(piece)
        if end > len(self._buffer):
            buffer = np.empty(max(end, 2 * len(self._buffer)))
            buffer[: self.size] = self._buffer[: self.size]
            self._buffer = buffer
        self._buffer[self.size : end] = piece
        self.size = end

    @property
    def last(self) -> float:
        """The number that came last."""
        return float(self._buffer[self.size - 1])

    def taken(self) -> Floats:
        """All of them as a frozen array, after which the column is empty."""
        whole, self._buffer = self._buffer, np.empty(0)
        whole.resize(self.size, refcheck=False)
        whole.setflags(write=False)
        return whole


def gathered(pieces: Iterable[Floats]) -> Floats:
    """The pieces one after another in an array of its own, of which each is needed while it is added only."""
    column = Column()
    for piece in reported(pieces):
        column.add(piece)
    found = column.taken()
    found.setflags(write=True)
    return found
