"""The loop that finds impossible leaps."""

import numpy as np
from numba import b1, f8, i8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled, compiled_for, out
from privacy_engine.kernels.staypoints import sine_cosine

Event = tuple[float, float, float, float]
"""Where an event is on the unit sphere, and when."""
State = tuple[int, int, int, int, int, int, int]


@compiled
def _event(lon: Floats, lat: Floats, time_s: Floats, i: int) -> Event:
    sine, cosine = sine_cosine(lon[i])
    up, ring = sine_cosine(lat[i])
    return ring * cosine, ring * sine, up, time_s[i]


@compiled
def _reachable(one: Event, other: Event, per_s: float, slack_s: float) -> bool:
    dx, dy, dz = other[0] - one[0], other[1] - one[1], other[2] - one[2]
    angle = 2.0 * np.arcsin(min(1.0, np.sqrt(dx * dx + dy * dy + dz * dz) / 2.0))
    return bool(angle <= per_s * (other[3] - one[3] + slack_s))


@compiled_for(f8[::1], f8[::1], f8[::1], i8[::1], f8, f8, i8, i8, i8, (i8,) * 7, out(b1[::1]))
def without_jumps(
    lon: Floats,
    lat: Floats,
    time_s: Floats,
    starts: Ints,
    per_s: float,
    slack_s: float,
    agree: int,
    begin: int,
    end: int,
    state: State,
    keep: Mask,
) -> State:
    """Which of the next events can be reached from the one kept before, at ``per_s`` radians a second: into ``keep``.

    ``agree`` successive events that cannot be reached from it but from each other are a place of their own: they are
    kept, and if fewer than that were kept before them since the last such place, those were the leap and go. Series
    begin at ``starts``. ``state`` is what came of the events before ``begin``, 0 where there are none.
    """
    # the next series; the last event kept, how many since ``start``, where its place began; of those that may become a
    # place the first, the last, how many
    series, last, kept, start, first, latest, waiting = state
    of_last, of_latest = _event(lon, lat, time_s, last), _event(lon, lat, time_s, latest)
    for i in range(begin, end):
        here, keep[i] = _event(lon, lat, time_s, i), True
        if i == starts[series]:
            while starts[series] == i:
                series += 1
            last, of_last, kept, start, waiting = i, here, 1, i, 0
            continue
        if _reachable(of_last, here, per_s, slack_s):
            last, of_last, kept, waiting = i, here, kept + 1, 0
            continue
        keep[i] = False
        if waiting and _reachable(of_latest, here, per_s, slack_s):
            latest, of_latest, waiting = i, here, waiting + 1
        else:
            first, latest, of_latest, waiting = i, i, here, 1
        if waiting == agree:
            if kept < agree:
                keep[start:first] = False
            keep[first : i + 1] = True  # none between them was refused, or the waiting would have begun again
            last, of_last, kept, start, waiting = i, here, waiting, first, 0
    return series, last, kept, start, first, latest, waiting
