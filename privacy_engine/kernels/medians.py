"""Geometric medians by Weiszfeld's method, of many sets of points at once."""

from __future__ import annotations

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled_for


@compiled_for(f8[:, ::1], i8[::1], f8, i8)
def geometric_medians(xy_m: Floats, starts: Ints, same_place_m: float, iterations: int) -> Floats:
    """The point with the least sum of distances to each of k sets of points, (k, 2).

    ``starts`` (k + 1,) are where each set begins and the last one ends; none is empty. Distances below ``same_place_m``
    count as that, so that a median on a point is found as well, and a set is done once its median moves by less.
    """
    found = np.empty((len(starts) - 1, 2))
    for k in range(len(found)):
        x = y = 0.0
        for i in range(starts[k], starts[k + 1]):
            x += xy_m[i, 0]
            y += xy_m[i, 1]
        size = starts[k + 1] - starts[k]
        x, y = x / size, y / size
        for _ in range(iterations):
            total = across = up = 0.0
            for i in range(starts[k], starts[k + 1]):
                east, north = xy_m[i, 0] - x, xy_m[i, 1] - y
                weight = 1.0 / max(np.sqrt(east * east + north * north), same_place_m)
                total += weight
                across += weight * xy_m[i, 0]
                up += weight * xy_m[i, 1]
            east, north = across / total - x, up / total - y
            x, y = x + east, y + north
            if np.sqrt(east * east + north * north) < same_place_m:
                break
        found[k, 0], found[k, 1] = x, y
    return found
