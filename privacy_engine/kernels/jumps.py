"""The loop that finds impossible leaps."""

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.kernels import compiled_for


@compiled_for(f8[:, ::1], f8[::1], i8, i8, f8, f8)
def _reachable(xyz: Floats, time_s: Floats, i: int, j: int, per_s: float, slack_s: float) -> bool:
    dx, dy, dz = xyz[j, 0] - xyz[i, 0], xyz[j, 1] - xyz[i, 1], xyz[j, 2] - xyz[i, 2]
    angle = 2.0 * np.arcsin(min(1.0, np.sqrt(dx * dx + dy * dy + dz * dz) / 2.0))
    return bool(angle <= per_s * (time_s[j] - time_s[i] + slack_s))


@compiled_for(f8[:, ::1], f8[::1], f8, f8, i8)
def without_jumps(xyz: Floats, time_s: Floats, per_s: float, slack_s: float, agree: int) -> Mask:
    """Which events can be reached from the one kept before, at ``per_s`` radians a second: a mask (n,).

    ``agree`` successive events that cannot be reached from it but from each other are a place of their own: they are
    kept, and if fewer than that were kept before them since the last such place, those were the leap and go.
    """
    n = len(xyz)
    keep = np.zeros(n, dtype=np.bool_)
    if n == 0:
        return keep
    keep[0] = True
    last, kept, start = 0, 1, 0  # the last event kept; how many since ``start``, where its place began
    first, latest, waiting = 0, 0, 0  # those that may become a place: the first, the last, how many
    for i in range(1, n):
        if _reachable(xyz, time_s, last, i, per_s, slack_s):
            keep[i] = True
            last, kept, waiting = i, kept + 1, 0
            continue
        if waiting and _reachable(xyz, time_s, latest, i, per_s, slack_s):
            latest, waiting = i, waiting + 1
        else:
            first, latest, waiting = i, i, 1
        if waiting == agree:
            if kept < agree:
                keep[start:first] = False
            keep[first : i + 1] = True  # none between them was refused, or the waiting would have begun again
            last, kept, start, waiting = i, waiting, first, 0
    return keep
