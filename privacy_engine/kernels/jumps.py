"""The loop that finds impossible leaps."""

import numpy as np
from numba import b1, f8, i8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled, compiled_for, out
from privacy_engine.kernels.staypoints import unit_vector

Columns = tuple[Floats, Floats, Floats]
Limits = tuple[float, float, int]
State = tuple[int, int, int, int, int, int, int]


@compiled
def _reachable(columns: Columns, i: int, j: int, limits: Limits) -> bool:
    lon, lat, time_s = columns
    at_i, at_j = unit_vector(lon[i], lat[i]), unit_vector(lon[j], lat[j])
    dx, dy, dz = at_j[0] - at_i[0], at_j[1] - at_i[1], at_j[2] - at_i[2]
    angle = 2.0 * np.arcsin(min(1.0, np.sqrt(dx * dx + dy * dy + dz * dz) / 2.0))
    return bool(angle <= limits[0] * (time_s[j] - time_s[i] + limits[1]))


@compiled_for((f8[::1],) * 3, i8[::1], (f8, f8, i8), i8, i8, (i8,) * 7, out(b1[::1]))
def without_jumps(
    columns: Columns, starts: Ints, limits: Limits, begin: int, end: int, state: State, keep: Mask
) -> State:
    """Which of the next events can be reached from the event kept before: into ``keep``; series begin at ``starts``.

    Limits are radians a second, seconds that are added, and how many successive events that cannot be reached from
    there but from each other are a place of their own: they are kept, and if fewer than that were kept before them
    since the last such place, those were the leap and go. ``state`` comes of the events before, 0 ahead of the first.
    """
    # the next series; the last event kept; how many since ``start``, where its place began; of those that may become a
    # place the first, the last, how many
    series, last, kept, start, first, latest, waiting = state
    for i in range(begin, end):
        keep[i] = i == starts[series]
        if keep[i]:
            while starts[series] == i:  # there may be some without events
                series += 1
            last, kept, start, waiting = i, 1, i, 0
            continue
        if _reachable(columns, last, i, limits):
            keep[i] = True
            last, kept, waiting = i, kept + 1, 0
            continue
        if waiting and _reachable(columns, latest, i, limits):
            latest, waiting = i, waiting + 1
        else:
            first, latest, waiting = i, i, 1
        if waiting == limits[2]:
            if kept < waiting:
                keep[start:first] = False
            keep[first : i + 1] = True  # none between them was refused, or the waiting would have begun again
            last, kept, start, waiting = i, waiting, first, 0
    return series, last, kept, start, first, latest, waiting
