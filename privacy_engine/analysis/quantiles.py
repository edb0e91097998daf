"""Exact quantiles of more numbers than fit in memory."""

import math
import tempfile
import weakref
from collections.abc import Callable, Iterator
from typing import IO

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, concatenated
from privacy_engine.core.progress import advance, blocks
from privacy_engine.data.mapped_series import FEW, empty, leaving

BLOCK = 1 << 18
_SAMPLED = 1 << 10  # a number of so many
_DIGIT = 16  # bits of a number that are counted in a single pass over all


def ascending(values: Floats) -> Floats:
    """The numbers in ascending order, NaN last, in a file if they are more than :data:`FEW`.

    Parts are sorted, then what all of them have between two numbers and, copied as it is, what equals either of these.
    """
    ordered, slices, sample = empty(len(values)), list(blocks(len(values), FEW)), []
    for some in leaving([values, ordered], slices):
        ordered[some] = part = np.sort(values[some])
        sample.append(part[::_SAMPLED].copy())
    if len(slices) < 2:
        return ordered
    parts, ordered = [ordered[some] for some in slices], empty(len(values))
    edges = np.unique(np.sort(np.concatenate(sample))[:: BLOCK // _SAMPLED])
    places = np.zeros((len(parts), 2 * len(edges) + 2), dtype=np.int64)
    for of, part in zip(places, leaving(parts, parts), strict=True):
        of[1:-1:2], of[2:-1:2], of[-1] = part.searchsorted(edges), part.searchsorted(edges, "right"), len(part)
    at = 0
    for piece in leaving([*parts, ordered], _in_turn(parts, places)):
        ordered[at : at + len(piece)] = piece
        at += len(piece)
    return ordered


def quantile(ordered: Floats, p: float) -> float:
    """The number that a share ``p`` of those of :func:`ascending` does not exceed, linear between two of them."""
    return _between(lambda low, high: ordered[[low, high]], p, len(ordered))


def _between(of_ranks: Callable[[int, int], Floats | list[float]], p: float, count: int) -> float:
    at = p * (count - 1)
    return float(np.quantile(of_ranks(math.floor(at), math.ceil(at)), at - math.floor(at)))


def _in_turn(parts: list[Floats], places: Ints) -> Iterator[Floats]:
    for group in range(places.shape[1] - 1):
        some = [part[first:last] for part, (first, last) in zip(parts, places[:, group : group + 2], strict=True)]
        yield from some if group % 2 else [np.sort(np.concatenate(some))]


class Quantiles:
    """Numbers of at least 0, whose quantiles are computed at the end: up to two million in memory, more in a file.

    >>> numbers = Quantiles()
    >>> numbers.add(np.array([4.0, 1.0]))
    >>> numbers.add(np.array([2.0]))
    >>> numbers.median()
    2.0
    """

    def __init__(self, most: int = FEW) -> None:
        self._most, self.count, self._in_file = most, 0, 0
        self._held: list[Floats] = []
        self._file: IO[bytes] | None = None

    def add(self, numbers: Floats) -> None:
        """Add numbers, (n,)."""
        self.count += len(numbers)
        self._held.append(numbers)
        if self.count - self._in_file > self._most:
            self._spill()

    def _spill(self) -> None:
        if self._file is None:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115
            weakref.finalize(self, self._file.close)
        for values in self._held:
            self._file.write(np.ascontiguousarray(values).data)
        self._held, self._in_file = [], self.count

    def held(self) -> Floats | None:
        """All of them, in an array of its own; None where they are in a file."""
        return concatenated(self._held) if self._file is None else None

    def mean(self) -> float:
        """Their mean; there must be some."""
        return self.total() / self.count

    def total(self, above: float = -1.0) -> float:
        """The sum of those that are greater."""
        if self._file is not None:
            self._spill()
        parts = [self.held()] if self._file is None else (bits.view(np.float64) for bits in self._bits())
        return sum((float(part[part > above].sum()) for part in parts if part is not None), 0.0)

    def median(self) -> float | None:
        """Their median; None without any."""
        return float(np.mean(self.ranked((self.count - 1) // 2, self.count // 2))) if self.count else None

    def quantile(self, p: float) -> float:
        """The number that a share ``p`` of them does not exceed, linear between two of them (type 7)."""
        return _between(self.ranked, p, self.count)

    def ranked(self, low: int, high: int) -> list[float]:
        """The numbers that so many others precede, of a single rank or two successive ones."""
        if (held := self.held()) is None:
            self._spill()
            return self._of_ranks(low, high)
        ordered: list[float] = np.partition(held, [low, high])[low : high + 1].tolist()
        return ordered

    def _of_ranks(self, low: int, high: int) -> list[float]:
        """:meth:`ranked` by counting digits: the bits of such numbers are ordered as they."""
        head, rank = np.uint64(0), low
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
            if high > low and rank + 1 == counts[digit]:  # the next begins with other digits
                return [*self._of_ranks(low, low), *self._of_ranks(high, high)]
            if counts[digit] <= self._most:
                alike = np.concatenate([bits[bits >> digits == head] for bits in self._bits()])
                last = rank + high - low
                ordered = np.partition(alike, [rank, last])
                return [float(value) for value in ordered[rank : last + 1].view(np.float64)]
        return [float(head.reshape(1).view(np.float64)[0])] * (high - low + 1)

    def _bits(self) -> Iterator[np.ndarray[tuple[int], np.dtype[np.uint64]]]:
        assert self._file is not None
        self._file.seek(0)
        while piece := self._file.read(8 * BLOCK):
            advance()
            yield np.frombuffer(piece, np.uint64)
        self._file.seek(0, 2)
