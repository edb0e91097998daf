"""Arrays of numbers: their types, several joined, and parts, which begin at ``starts`` (m + 1,)."""

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_engine.core.progress import blocks

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Amount = TypeVar("Amount", int, Ints)
PIECE = 1 << 16
"""Numbers of a column computed at a time."""


def ceil_div(amount: Amount, size: Any) -> Amount:
    """``amount / size`` rounded up, of whole numbers or arrays of them.

    >>> ceil_div(7, 3), ceil_div(6, 3)
    (3, 2)
    """
    floor: Amount = -amount // size
    return -floor


def concatenated(parts: Sequence[NDArray[Any]], dtype: type[Any] = np.float64) -> NDArray[Any]:
    """The parts end to end, (n,); an empty array of ``dtype`` where there are none."""
    return np.concatenate(parts) if len(parts) else np.empty(0, dtype)


def parts_of(values: NDArray[Any], starts: Ints) -> list[NDArray[Any]]:
    """The m parts, views."""
    return [values[first:last] for first, last in pairwise(starts.tolist())]


def over_parts(reduced: np.ufunc, values: NDArray[Any], starts: Ints) -> NDArray[Any]:
    """``reduced`` over each part, (m,); 0 for a part without values."""
    begun = starts[:-1] < starts[1:]
    by_part = np.zeros(len(begun), dtype=values.dtype)
    if begun.any():
        by_part[begun] = reduced.reduceat(values[: starts[-1]], starts[:-1][begun])
    return by_part


def counts_over(mask: Mask, starts: Ints) -> Ints:
    """How many values of each part are true, (m,)."""
    counts = np.zeros(len(starts) - 1, dtype=np.int64)
    for some in blocks(len(mask)):  # as integers they take eight times the memory
        counts += over_parts(np.add, mask[some].astype(np.int64), starts_within(some, starts))
    return counts


def starts_within(some: slice, starts: Ints) -> Ints:
    """Where the parts of a piece begin, (m + 1,)."""
    return np.asarray(np.minimum(np.maximum(starts - some.start, 0), some.stop - some.start))


def of_parts(values: ArrayLike, some: slice, starts: Ints) -> NDArray[Any]:
    """For each number of a piece the value of its part; there is a value for each part, (m,), or a common value."""
    first, last = max(int(starts.searchsorted(some.start, "right")) - 1, 0), int(starts.searchsorted(some.stop))
    these = np.broadcast_to(values, len(starts) - 1)[first:last]
    return np.repeat(these, np.diff(starts_within(some, starts[first : last + 1])))


def summed(columns: Callable[[slice], Sequence[Floats]], first: int, last: int) -> Floats:
    """The sum of the numbers from ``first`` to before ``last`` of each of k columns, (k,), computed piece by piece.

    It is that of ``np.sum`` of each whole column to the last bit, which adds the sums of two halves.
    """
    many = last - first
    if many <= PIECE:
        return np.array([column.sum() for column in columns(slice(first, last))])
    middle = first + many // 2 - many // 2 % 8
    return np.asarray(summed(columns, first, middle) + summed(columns, middle, last))


def summed_parts(columns: Callable[[slice], Sequence[Floats]], ends: Ints) -> list[Floats]:
    """The sums of each part (m,) of k columns, to the last bit as ``np.add.reduceat``; of a single part by pieces."""
    first, last = int(ends[0]), int(ends[-1])
    if len(ends) > 2:
        return [np.add.reduceat(column, ends[:-1]) for column in columns(slice(first, last))]
    return [
        own + rest for own, rest in zip(columns(slice(first, first + 1)), summed(columns, first + 1, last), strict=True)
    ]


def places_of(begins: Ints, sizes: Ints) -> Ints:
    """The places of the values of parts that begin somewhere, part after part, (n,)."""
    ends = np.cumsum(sizes)
    return np.asarray(np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - (ends - sizes), sizes))


def in_turn(sizes: Ints, most: int) -> Iterator[slice]:
    """Successive items whose ``sizes`` (m,) add up to no more than ``most``; a larger item alone."""
    ends, first = np.cumsum(sizes), 0
    while first < len(sizes):
        last = int(np.searchsorted(ends, most + (ends[first - 1] if first else 0), side="right"))
        yield slice(first, last := max(last, first + 1))
        first = last
