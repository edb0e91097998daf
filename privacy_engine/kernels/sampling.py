"""The loop over Adaptive's draws that sets how often landmarks are sampled."""

from __future__ import annotations

from numba import f8, i8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled_for


@compiled_for(f8[::1], f8[:, ::1], f8, i8)
def interval_after(last: Floats, vectors: Floats, limit: float, interval: int) -> int:
    """Adaptive's sampling interval after draws, unit vectors (n, 3), each compared with the one before.

    ``last`` (3,) is the one before the first; NaN: there is none. A squared chord above ``limit`` counts as moved.
    """
    x, y, z = last[0], last[1], last[2]
    for i in range(len(vectors)):
        dx, dy, dz = x - vectors[i, 0], y - vectors[i, 1], z - vectors[i, 2]
        if x == x:
            interval = 1 if dx * dx + dy * dy + dz * dz > limit else interval + 1
        x, y, z = vectors[i, 0], vectors[i, 1], vectors[i, 2]
    return interval
