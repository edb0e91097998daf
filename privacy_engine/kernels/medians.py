"""Geometric medians by Weiszfeld's method, of many sets of points at once."""

import math

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled_for


@compiled_for(f8[:, ::1], i8[::1], f8, i8)
def geometric_medians(xy_m: Floats, starts: Ints, same_place_m: float, iterations: int) -> Floats:
    """The point with the least sum of distances to each of k sets of points, (k, 2).

    ``starts`` (k + 1,) are where each set begins and the last ends; none is empty. Distances below ``same_place_m``
    count as that, so that a median on a point is reached as well, and a set is done once its median moves by less.
    """
    medians = np.empty((len(starts) - 1, 2))
    most = np.diff(starts).max() if len(medians) else 0
    east, north, weight = np.empty(most), np.empty(most), np.empty(most)
    to_east, to_north = np.empty(most), np.empty(most)
    for k in range(len(medians)):
        own = xy_m[starts[k] : starts[k + 1]]
        x = y = 0.0
        for i in range(len(own)):
            east[i], north[i] = own[i, 0], own[i, 1]
            x += east[i]
            y += north[i]
        x, y = x / len(own), y / len(own)
        for _ in range(iterations):
            for i in range(len(own)):  # apart from the sums, whose order is fixed: this loop becomes vector code
                across, up = east[i] - x, north[i] - y
                away = math.sqrt(across * across + up * up)
                weight[i] = 1.0 / (away if away > same_place_m else same_place_m)
                to_east[i], to_north[i] = weight[i] * east[i], weight[i] * north[i]
            total = across = up = 0.0
            for i in range(len(own)):
                total += weight[i]
                across += to_east[i]
                up += to_north[i]
            across, up = across / total - x, up / total - y
            x, y = x + across, y + up
            if math.sqrt(across * across + up * up) < same_place_m:
                break
        medians[k, 0], medians[k, 1] = x, y
    return medians
