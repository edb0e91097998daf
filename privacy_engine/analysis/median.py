"""The exact median of more numbers than fit in memory."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Iterator
from typing import IO

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import advance
from privacy_engine.data.mapped_series import FEW

BLOCK = 1 << 18
_DIGIT = 16  # bits of a number that are counted in one pass over all


class Median:
    """Numbers of at least 0, whose median is computed at the end: up to two million in memory, more in a file.

    >>> median = Median()
    >>> median.add(np.array([4.0, 1.0]))
    >>> median.add(np.array([2.0]))
    >>> median.value()
    2.0
    """

    def __init__(self, most: int = FEW) -> None:
        self._most, self._count, self._in_file = most, 0, 0
        self._held: list[Floats] = []
        self._file: IO[bytes] | None = None

    def add(self, numbers: Floats) -> None:
        """Add numbers, (n,)."""
        self._count += len(numbers)
        self._held.append(numbers)
        if self._count - self._in_file > self._most:
            self._spill()

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        for one in self._held:
            self._file.write(np.ascontiguousarray(one).data)
        self._held, self._in_file = [], self._count

    def value(self) -> float | None:
        """Their median; None without any."""
        if not self._count:
            return None
        if self._file is None:
            return float(np.median(np.concatenate(self._held)))
        self._spill()
        middle = [self._of_rank(rank) for rank in sorted({(self._count - 1) // 2, self._count // 2})]
        return float(np.mean(middle))

    def _of_rank(self, rank: int) -> float:
        """The number that ``rank`` others precede, by counting digits: the bits of such numbers are ordered as they."""
        head = np.uint64(0)
        for shift in range(64 - _DIGIT, -1, -_DIGIT):
            above, digits = np.uint64(shift + _DIGIT), np.uint64(shift)
            counts = np.zeros(1 << _DIGIT, dtype=np.int64)
            for bits in self._bits():
                same = bits if shift + _DIGIT == 64 else bits[bits >> above == head]
                counts += np.bincount((same >> digits & np.uint64(0xFFFF)).astype(np.int64), minlength=1 << _DIGIT)
            before = np.cumsum(counts) - counts
            digit = int(np.searchsorted(before, rank, side="right")) - 1
            rank -= int(before[digit])
            head = head << np.uint64(_DIGIT) | np.uint64(digit)
            if counts[digit] <= self._most:
                found = np.concatenate([bits[bits >> digits == head] for bits in self._bits()])
                return float(np.partition(found, rank)[rank : rank + 1].view(np.float64)[0])
        return float(head.reshape(1).view(np.float64)[0])

    def _bits(self) -> Iterator[np.ndarray[tuple[int], np.dtype[np.uint64]]]:
        assert self._file is not None
        self._file.seek(0)
        while piece := self._file.read(8 * BLOCK):
            advance()
            yield np.frombuffer(piece, np.uint64)
        self._file.seek(0, 2)
