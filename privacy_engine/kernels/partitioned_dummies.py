"""Partitioned dummy landmarks: the bin to fill next, so that the histogram's shape stays nearest to the original's.

Distances between relative frequencies are compared as integers (times both sums), so ties are exact.
"""

import numpy as np
from numba import i8

from privacy_engine.core.arrays import Ints
from privacy_engine.kernels import compiled_for, out


@compiled_for(out(i8[::1]), i8[::1], i8[::1])
def fill_euclidean(counts: Ints, capacity: Ints, queue: Ints) -> Ints:
    """Bins in the order of filling, from ``counts`` to ``capacity``; ``queue`` sorts the bins by count, then place.

    One more in bin i, c_i so far of p_i at first, raises the squared distance by what grows with c_i k - p_i (K + 1):
    k events at first, K now. Bins of the same p take turns, so only one bin of each p is compared: O(r√k).
    """
    k, bins = counts.sum(), len(counts)
    begins = np.array([i for i in range(bins) if i == 0 or counts[queue[i]] != counts[queue[i - 1]]])
    ends = np.append(begins[1:], bins)
    now, level = begins.copy(), counts[queue[begins]]
    most = capacity.max()
    order = np.empty(capacity.sum() - k, dtype=np.int64)
    for step in range(-1, len(order)):  # the step before the first only moves past bins that are full
        chosen, least = -1, np.int64(0)
        for group in range(len(begins)):
            if step < 0 or level[group] == most:
                continue
            worse = level[group] * k - counts[queue[begins[group]]] * (k + step + 1)
            if chosen < 0 or worse < least or (worse == least and queue[now[group]] < queue[now[chosen]]):
                chosen, least = group, worse
        if chosen >= 0:
            order[step] = queue[now[chosen]]
        for group in range(len(begins)):
            moves = group == chosen
            while level[group] < most and (moves or level[group] >= capacity[queue[now[group]]]):
                moves = False
                now[group] += 1
                if now[group] == ends[group]:
                    now[group], level[group] = begins[group], level[group] + 1
            if step >= 0 and group == chosen:
                break
    return order


@compiled_for(i8[::1], i8[::1])
def fill_wasserstein(counts: Ints, capacity: Ints) -> Ints:
    """As :func:`fill_euclidean`, by the sum of differences between the cumulative frequencies. O(r · bins).

    One more in bin i adds k to the differences (times k (K + 1)) from i on, so the best i has the least sum, over the
    bins before it, of what they save by not being raised.
    """
    k, bins = counts.sum(), len(counts)
    now, upto = counts.copy(), np.cumsum(counts)
    apart = np.zeros(bins, dtype=np.int64)  # C_j k - P_j K
    order = np.empty(capacity.sum() - k, dtype=np.int64)
    first = 0  # the first bin with capacity: the ones before it can no longer be chosen
    for step in range(len(order)):
        while now[first] == capacity[first]:
            first += 1
        chosen, least, saved = first, np.int64(0), np.int64(0)
        for i in range(bins):
            apart[i] -= upto[i]
            if i >= first:
                if saved < least and now[i] < capacity[i]:
                    chosen, least = i, saved
                saved += abs(apart[i]) - abs(apart[i] + k)
        for i in range(chosen, bins):
            apart[i] += k
        now[chosen] += 1
        order[step] = chosen
    return order
