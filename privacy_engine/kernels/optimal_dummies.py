"""Optimal dummy landmarks: of all orders in which regular events can join, that whose mean evaluation is nearest.

Sets of added events are numbers, bit j for the j-th regular event. An order is a chain of sets from the empty to
the full set; its evaluations are summed in fixed point, so equal sums are equal numbers. All r! orders meet in the
middle: for every set M of half the events, the sums of the orders up to M and those beyond it are two sorted lists.
"""

import numpy as np
from numba import b1, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled, compiled_for

ONE = float(2**48)
"""Fixed point: sums of 16 evaluations of at most 17 fit, and rounding is 1e-15, far below a tie."""


@compiled_for(i8[::1], i8[::1], i8[::1], i8[::1], i8, b1)
def deviations(events: Ints, left: Ints, right: Ints, rest: Ints, n: int, by_gaps: bool) -> Floats:
    """Evaluation of every set of added events, (2^r,).

    ``events`` (r,) are timestamps; ``left`` and ``right`` the landmarks around each; ``rest`` holds the number of
    gaps that no event lies in (all of length 1).
    """
    r = len(events)
    out = np.empty(1 << r)
    for chosen in range(len(out)):
        parts, squares, distances = rest[0], rest[0] if by_gaps else 0, 0
        before = 0
        for j in range(r):
            if j == 0 or left[j] != left[j - 1]:
                before = left[j]
            ends = j == r - 1 or left[j + 1] != left[j]
            for mark in (events[j] if chosen >> j & 1 else -1, right[j] if ends else -1):
                if mark >= 0:
                    gap, before = mark - before, mark
                    parts += 1
                    half = gap // 2
                    distances += half * (gap - half)
                    if by_gaps:
                        squares += gap * gap
                    else:
                        for away in range(1, gap):
                            squares += min(away, gap - away) ** 2
        if by_gaps:
            out[chosen] = np.sqrt(float(squares * parts - (n + 1) * (n + 1))) / parts
        else:
            out[chosen] = np.sqrt(float(squares * n - distances * distances)) / n
    return out


@compiled
def _merged(first: Ints, second: Ints) -> Ints:
    """The union of two sorted lists without repeats."""
    out = np.empty(len(first) + len(second), dtype=np.int64)
    i = j = size = 0
    while i < len(first) and j < len(second):
        a, b = first[i], second[j]
        out[size] = min(a, b)
        size += 1
        i += a <= b
        j += b <= a
    for k in range(i, len(first)):
        out[size] = first[k]
        size += 1
    for k in range(j, len(second)):
        out[size] = second[k]
        size += 1
    return out[:size]


@compiled_for(i8[::1], i8, i8)
def _sums(values: Ints, bottom: int, top: int) -> Ints:
    """The sums of ``values`` over the chains from ``bottom`` (left out) to ``top``, sorted, without repeats."""
    where = np.zeros(1, dtype=np.int64)
    for j in range(63):
        if (top ^ bottom) >> j & 1:
            where = np.concatenate((where, where | (1 << j)))
    lists = [np.zeros(1, dtype=np.int64)]
    for chosen in range(1, len(where)):
        merged = np.empty(0, dtype=np.int64)
        bit = 1
        while bit <= chosen:
            if chosen & bit:
                merged = _merged(merged, lists[chosen ^ bit]) if len(merged) else lists[chosen ^ bit]
            bit <<= 1
        lists.append(merged + values[bottom | where[chosen]])
    return lists[-1]


@compiled
def _apart(low: Ints, high: Ints, goal: int) -> int:
    """How near to ``goal`` a sum of one number of each sorted list comes."""
    best = abs(low[0] + high[0] - goal)
    i, j = 0, len(high) - 1
    while i < len(low) and j >= 0:
        over = low[i] + high[j] - goal
        best = min(best, abs(over))
        if over > 0:
            j -= 1
        else:
            i += 1
    return int(best)


@compiled
def _extremes(values: Ints, r: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Least and largest sum of the chains up to every set, and of those beyond it."""
    size = 1 << r
    low, high = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    low_on, high_on = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    largest = np.iinfo(np.int64).max
    for chosen in range(1, size):
        low[chosen], high[chosen] = largest, -largest
        other = size - 1 - chosen  # the same from the full set downwards
        low_on[other], high_on[other] = largest, -largest
        for j in range(r):
            if chosen >> j & 1:
                fewer, more = chosen ^ (1 << j), other | (1 << j)
                low[chosen] = min(low[chosen], low[fewer] + values[chosen])
                high[chosen] = max(high[chosen], high[fewer] + values[chosen])
                low_on[other] = min(low_on[other], low_on[more] + values[more])
                high_on[other] = max(high_on[other], high_on[more] + values[more])
    return low, high, low_on, high_on


@compiled
def _ascending(chosen: int, r: int) -> Ints:
    """The first order through ``chosen``: its events, then the others."""
    out, size = np.empty(r, dtype=np.int64), 0
    for wanted in (1, 0):
        for j in range(r):
            if chosen >> j & 1 == wanted:
                out[size] = j
                size += 1
    return out


@compiled
def _earlier(order: Ints, other: Ints) -> bool:
    for i in range(len(order)):
        if order[i] != other[i]:
            return bool(order[i] < other[i])
    return False


@compiled
def _first_through(values: Ints, middle: int, r: int, goal: int, within: int) -> Ints:
    """The earliest order through ``middle`` with a sum at most ``within`` from ``goal``, which exists."""
    out, full = np.empty(r, dtype=np.int64), (1 << r) - 1
    beyond, nothing = _sums(values, middle, full), np.zeros(1, dtype=np.int64)
    chosen, left = 0, goal
    for step in range(r):
        inside = middle & ~chosen != 0
        upto = middle if inside else full
        for j in range(r):
            if (upto & ~chosen) >> j & 1:
                more = chosen | 1 << j
                rest = _sums(values, more, upto)
                if _apart(rest, beyond if inside else nothing, left - values[more]) <= within:
                    out[step], chosen = j, more
                    left -= values[more]
                    break
    return out


@compiled
def _middles(r: int) -> Ints:
    """The sets of half the events, those with the earliest events first."""
    sets = []
    for chosen in range(1 << r):
        size, mirrored = 0, 0
        for j in range(r):
            if chosen >> j & 1:
                size += 1
                mirrored |= 1 << (r - 1 - j)
        if size == r // 2:
            sets.append(((1 << r) - mirrored) << r | chosen)
    return np.sort(np.array(sets)) & ((1 << r) - 1)


@compiled_for(i8[::1], i8, i8, i8)
def nearest_chain(values: Ints, r: int, goal: int, tie: int) -> Ints:
    """The order (r,) whose sum of ``values`` (2^r,) is nearest to ``goal``; the earliest of those within ``tie``."""
    full, middles = (1 << r) - 1, _middles(r)
    low, high, low_on, high_on = _extremes(values, r)
    least, most = low[middles] + low_on[middles], high[middles] + high_on[middles]
    apart = np.minimum(np.abs(least - goal), np.abs(most - goal))
    known = (goal <= least) | (goal >= most)  # else only a bound
    best = apart.min()
    for i in range(len(middles)):
        if best > tie and not known[i]:
            apart[i] = _apart(_sums(values, 0, middles[i]), _sums(values, middles[i], full), goal)
            known[i] = True
            best = min(best, apart[i])
    within = tie if best <= tie else best + tie
    chain = np.full(r, r)
    for i in range(len(middles)):
        middle = middles[i]
        if not _earlier(_ascending(middle, r), chain):
            break
        if apart[i] > within and not known[i]:
            apart[i] = _apart(_sums(values, 0, middle), _sums(values, middle, full), goal)
        if apart[i] <= within:
            order = _first_through(values, middle, r, goal, within)
            if _earlier(order, chain):
                chain = order
    return chain
