"""The loop of dynamic time warping: a column of costs, traversed once for each position."""

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled_for


@compiled_for(f8[:, ::1], f8[:, ::1], i8[::1], i8[::1])
def warped(left: Floats, right: Floats, low: Ints, high: Ints) -> float:
    """The least sum of angles (radians) over monotone alignments of unit vectors ``left`` (n, 3) and ``right`` (m, 3).

    ``right[j]`` may be aligned with ``left[low[j]]`` to ``left[high[j]]``; both limits never decrease, begin at 0 and
    end at n - 1.
    """
    cost = np.full(len(left), np.inf)
    for j in range(len(right)):
        x, y, z = right[j, 0], right[j, 1], right[j, 2]
        first = low[j]
        diagonal = 0.0 if j == 0 else np.inf
        below = np.inf
        if first > 0:
            diagonal, cost[first - 1] = cost[first - 1], np.inf
        for i in range(first, high[j] + 1):
            dx, dy, dz = left[i, 0] - x, left[i, 1] - y, left[i, 2] - z
            half = 0.5 * np.sqrt(dx * dx + dy * dy + dz * dz)
            best = min(diagonal, cost[i], below)
            diagonal = cost[i]
            below = best + 2.0 * np.arcsin(min(half, 1.0))
            cost[i] = below
    return float(cost[-1])
