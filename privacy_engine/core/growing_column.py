"""A column of numbers that keep coming: pieces put together at the end would lie in memory twice."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported


class Column:
    """Numbers in an array, to which pieces are added.

    The capacity doubles, and those of its pages that nothing was written to take no memory.
    """

    def __init__(self, dtype: Any = np.float64, expected: int = 0) -> None:
        self._buffer: NDArray[Any] = np.empty(expected, dtype)
        self.size = 0

    def add(self, piece: NDArray[Any]) -> None:
        """Add the numbers of ``piece`` after those that are there."""
        end = self.size + len(piece)
        if end > len(self._buffer):
            buffer = np.empty(max(end, 2 * len(self._buffer)), self._buffer.dtype)
            buffer[: self.size] = self._buffer[: self.size]
            self._buffer = buffer
        self._buffer[self.size : end] = piece
        self.size = end

    @property
    def last(self) -> float:
        """The number that came last."""
        return float(self._buffer[self.size - 1])

    def taken(self) -> NDArray[Any]:
        """All of them as a frozen array, after which the column is empty."""
        whole, self._buffer = self._buffer, np.empty(0, self._buffer.dtype)
        whole.resize(self.size, refcheck=False)
        whole.setflags(write=False)
        return whole


def gathered(pieces: Iterable[Floats]) -> Floats:
    """The pieces end to end in an array of its own, of which each is needed while it is added only."""
    column = Column()
    for piece in reported(pieces):
        column.add(piece)
    values = column.taken()
    values.setflags(write=True)
    return values
