"""Which landmarks the mechanism Joint draws, and with which budgets: the spacing of the least error, of each person."""

import math

import numpy as np
from numba import b1, f8, i8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled, compiled_for, out

DENSE_SPACINGS, SPARSER = 24, 1.25
"""Spacings that are compared: all up to the first, then each so many times the last."""


@compiled
def _error(spacing: int, leading: int, runs: Ints, most: int, n: int, how: Floats) -> tuple[float, int, float, float]:
    """The error expected of a person's n events if a landmark waits for ``spacing`` events, in sum; and p, B and b.

    The first ``leading`` events are landmarks; ``runs[j]`` other runs of landmarks have j or more, none has ``most``.
    """
    epsilon, radius_m, moved = how[0], how[1], math.pi / 2 * how[2]
    p, joint, landmarks, late = (leading + spacing - 1) // spacing, leading, leading, 0
    for j in range(1, most):
        late = late + 1 if late + 1 < spacing else 0
        landmarks += runs[j]
        joint += runs[j] if j >= spacing else 0
        p += runs[j] if late == 0 else 0
    together, regular = 0.0, epsilon
    if p:  # the split with the least sum of mean noise: so many events show the joint draw, the rest another
        ratio = math.sqrt(3 * (n - joint) / ((2 * p + 1) * joint))
        together, regular = epsilon / (1.0 + ratio), epsilon * ratio / (1.0 + ratio)
    noise_m = (4 * p + 2) / (3 * (together / radius_m)) if p else 0.0
    regular_m = 2 * radius_m / regular if regular else 0.0
    error = regular_m * (n - landmarks)
    for late in range(min(spacing, leading)):
        error += (leading - late + spacing - 1) // spacing * math.sqrt(noise_m**2 + moved * late)
    late = 0
    for j in range(1, most):
        late = late + 1 if late + 1 < spacing else 0
        error += runs[j] * math.sqrt((noise_m if j >= spacing else regular_m) ** 2 + moved * late)
    return error, p, together, regular


@compiled_for(b1[::1], i8[::1], f8[::1], out(f8[::1]))
def joint_budgets(is_landmark: Mask, starts: Ints, how: Floats, budgets: Floats) -> None:
    """Write what each event adds to the sum over L ∪ {t}, (n,): B/p for a landmark drawn, 0 for another, else b.

    People's events begin at ``starts`` (m + 1,); ``how`` is (ε, r in metres, q in square metres).
    """
    runs = np.zeros(np.diff(starts).max() + 1 if len(starts) > 1 else 0, dtype=np.int64)
    for person in range(len(starts) - 1):
        first, last = starts[person], starts[person + 1]
        leading, behind, most = 0, -1, 1
        for t in range(first, last):
            behind = behind + 1 if is_landmark[t] else 0  # events since the last other, or since the first event
            if is_landmark[t] and leading == t - first:
                leading += 1
            else:
                runs[behind] += 1
                most = max(most, behind + 1)
        least, spacing, best, p, together, regular = math.inf, 1, 1, 0, 0.0, 0.0
        while True:  # with the last spacing none but the first event is drawn
            error, drawn, all_drawn, other = _error(spacing, leading, runs, most, last - first, how)
            if error < least:
                least, best, p, together, regular = error, spacing, drawn, all_drawn, other
            if spacing >= max(most, leading):
                break
            spacing = spacing + 1 if spacing < DENSE_SPACINGS else math.ceil(spacing * SPARSER)
        runs[:most] = 0
        behind = -1
        for t in range(first, last):
            behind = behind + 1 if is_landmark[t] else 0
            own = together / p if behind % best == 0 else 0.0
            budgets[t] = own if is_landmark[t] else regular
