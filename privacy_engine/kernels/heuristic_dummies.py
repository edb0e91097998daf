"""Heuristic dummy landmarks: at every step the cut of a gap that keeps the evaluation nearest to the original's.

Evaluations depend on gap lengths only, so gaps are kept by length and each distinct length is tried once, at its
leftmost gap: at most √(2n) lengths exist at a time. A skew heap for each length holds the leftmost; a gap is named by
where it starts.
"""

from typing import TypeAlias

import numpy as np
from numba import i8

from privacy_engine.core.arrays import Ints
from privacy_engine.kernels import compiled, compiled_for, out

TIE = 1e-12
"""Differences this close are equal; the earliest timestamp wins."""

NONE = -1
Gaps: TypeAlias = tuple[Ints, Ints, Ints, Ints, Ints]
"""By length: leftmost gap, place in ``lengths``; by gap: two children; the lengths above 1, with their number last."""
GAPS = tuple(out(i8[::1]) for _ in range(5))


@compiled
def _meld(left: Ints, right: Ints, a: int, b: int) -> int:
    if a == NONE or b == NONE:
        return max(a, b)
    top = node = min(a, b)
    other = max(a, b)
    while True:  # the smaller root takes the melded rest as its left child, and its children change sides
        rest = right[node]
        right[node] = left[node]
        if rest == NONE:
            left[node] = other
            return top
        left[node] = min(rest, other)
        node, other = min(rest, other), max(rest, other)


@compiled_for(GAPS, i8, i8)
def _put(gaps: Gaps, start: int, length: int) -> None:
    first, place, left, right, lengths = gaps
    if length < 2:
        return  # holds no event
    left[start] = right[start] = NONE
    if first[length] == NONE:
        place[length] = lengths[-1]
        lengths[place[length]] = length
        lengths[-1] += 1
    first[length] = _meld(left, right, first[length], start)


@compiled_for(GAPS, i8, i8)
def _cut(gaps: Gaps, length: int, at: int) -> int:
    """Cut the leftmost gap of ``length`` in two, the first part of length ``at``; the timestamp of the cut."""
    first, place, left, right, lengths = gaps
    start = first[length]
    first[length] = _meld(left, right, left[start], right[start])
    if first[length] == NONE:
        lengths[-1] -= 1
        last = lengths[lengths[-1]]
        lengths[place[length]] = last
        place[last] = place[length]
    _put(gaps, start, at)
    _put(gaps, start + at, length - at)
    return int(start + at)


@compiled
def _gaps(marks: Ints) -> Gaps:
    n = marks[-1]
    empty = np.full(n + 1, NONE)
    gaps = (empty, empty.copy(), empty.copy(), empty.copy(), np.zeros(int(np.sqrt(2.0 * n)) + 3, dtype=np.int64))
    for i in range(len(marks) - 1):
        _put(gaps, marks[i], marks[i + 1] - marks[i])
    return gaps


@compiled
def _around(length: int, wish: float) -> tuple[int, int]:
    """The cuts of a gap in a and ``length`` - a, a <= ``length``/2, whose products lie around ``wish``."""
    half = length // 2
    if half * (length - half) <= wish:
        return half, half
    low = max(int((length - np.sqrt(length * length - 4.0 * wish)) / 2.0), 1)
    while low > 1 and low * (length - low) > wish:
        low -= 1
    while low < half and (low + 1) * (length - low - 1) <= wish:
        low += 1
    return low, min(low + 1, half)


@compiled_for(i8[::1])
def fill_by_gaps(marks: Ints) -> Ints:
    """Timestamps in the order they are added, by the deviation of the gaps; ``marks`` is {0} ∪ L ∪ {n + 1}, sorted.

    A cut of g in a and g - a lowers the sum of squared gaps by 2a(g - a), which grows with a up to g/2: the best a is
    computed by solving for it. O(r√n). Exact in 64 bits up to n = 2,000,000.
    """
    gaps = _gaps(marks)
    first, lengths = gaps[0], gaps[4]
    total, parts = marks[-1], len(marks) - 1
    square = total * total
    squares = ((marks[1:] - marks[:-1]) ** 2).sum()
    aim = np.sqrt(squares * parts - square) / parts
    order = np.empty(total - parts, dtype=np.int64)
    away, cut = np.empty(2 * len(lengths)), np.empty(2 * len(lengths), dtype=np.int64)
    for step in range(len(order)):
        parts += 1
        wish = (squares - parts * aim * aim - square / parts) / 2.0
        best = np.inf
        for i in range(lengths[-1]):
            low, high = _around(lengths[i], wish)
            for j, a in ((2 * i, low), (2 * i + 1, high)):
                lowered = squares - 2 * a * (lengths[i] - a)
                away[j], cut[j] = abs(np.sqrt(lowered * parts - square) / parts - aim), a
                best = min(best, away[j])
        chosen, earliest = 0, total
        for j in range(2 * lengths[-1]):
            if away[j] <= best + TIE and first[lengths[j // 2]] + cut[j] < earliest:
                chosen, earliest = j, first[lengths[j // 2]] + cut[j]
        length, a = lengths[chosen // 2], cut[chosen]
        squares -= 2 * a * (length - a)
        order[step] = _cut(gaps, length, a)
    return order


@compiled_for(i8[::1])
def fill_by_nearest(marks: Ints) -> Ints:
    """As :func:`fill_by_gaps`, by the deviation of every event's distance to the nearest mark.

    All cuts of all distinct lengths are tried: O(n) a step, far less once the gaps are short. Deviations are compared
    by their squares times n², which are integers; exact in 64 bits up to n = 100,000.
    """
    gaps = _gaps(marks)
    first, lengths = gaps[0], gaps[4]
    n = marks[-1] - 1
    sums, squares = np.zeros(n + 2, dtype=np.int64), np.zeros(n + 2, dtype=np.int64)  # of the distances inside a gap
    for g in range(1, n + 1):
        half = (g + 1) // 2
        sums[g + 1], squares[g + 1] = sums[g] + half, squares[g] + half * half
    at = marks[1:] - marks[:-1]
    d, q = sums[at].sum(), squares[at].sum()
    goal = n * q - d * d
    aim = np.sqrt(goal) / n if n else 0.0
    order = np.empty(n + 2 - len(marks), dtype=np.int64)
    for step in range(len(order)):
        below, above = np.int64(-1), np.iinfo(np.int64).max
        for i in range(lengths[-1]):
            g = lengths[i]
            for a in range(1, g // 2 + 1):
                distances = d - sums[g] + sums[a] + sums[g - a]
                spread = n * (q - squares[g] + squares[a] + squares[g - a]) - distances * distances
                below = max(below, spread if spread <= goal else np.int64(-1))
                above = min(above, spread if spread >= goal else above)
        best = np.inf
        if below >= 0:
            best = aim - np.sqrt(below) / n
        if above < np.iinfo(np.int64).max:
            best = min(best, np.sqrt(above) / n - aim)
        chosen, cut, earliest = 0, 0, n + 1
        for i in range(lengths[-1]):
            g = lengths[i]
            for a in range(1, min(g // 2, earliest - first[g]) + 1):
                distances = d - sums[g] + sums[a] + sums[g - a]
                spread = n * (q - squares[g] + squares[a] + squares[g - a]) - distances * distances
                if abs(np.sqrt(spread) / n - aim) <= best + TIE:
                    if first[g] + a < earliest:
                        chosen, cut, earliest = g, a, first[g] + a
                    break
        d += sums[cut] + sums[chosen - cut] - sums[chosen]
        q += squares[cut] + squares[chosen - cut] - squares[chosen]
        order[step] = _cut(gaps, chosen, cut)
    return order
