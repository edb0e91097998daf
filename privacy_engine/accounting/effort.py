"""How long a landmark loss will take, told before it is begun."""

from __future__ import annotations

import math

import numpy as np

from privacy_engine.accounting.temporal import LossFunction, gaps
from privacy_engine.data import Floats, Mask

STEP_S = 25e-9
"""One step of the recursion."""


def bridge_seconds(epsilons: Floats, is_landmark: Mask, carried: LossFunction) -> float:
    """About how long the bridged loss of one series takes in one direction, in seconds of a core of the year 2024.

    An envelope for every state and distance up to which the chain remembers, a step for every state and event, and, in
    gaps whose regular budgets (n,) differ, a step for every state and pair of events.
    """
    states = len(carried.matrix)
    if states == 1:
        return 0.0
    between = gaps(is_landmark)
    distances = min(int(between.max(initial=0)), memory(carried))
    build = states * distances * (25e-6 + 0.3e-6 * states**2)
    return build + STEP_S * states * (len(epsilons) + _uneven(epsilons, is_landmark))


def memory(carried: LossFunction) -> int:
    """After how many events a chain has forgotten, to rounding, where it was; 10^9 if it never does."""
    sizes = np.sort(np.abs(np.linalg.eigvals(carried.matrix)))
    second = float(sizes[-2]) if len(sizes) > 1 else 0.0
    if second <= 0.0:
        return 2
    return int(min(2 + math.log(1e-14) / math.log(min(second, 1 - 1e-12)), 1e9))


def _uneven(epsilons: Floats, is_landmark: Mask) -> float:
    """Pairs of events in the gaps whose regular events do not all spend the same."""
    regular = np.flatnonzero(~is_landmark)
    if not len(regular):
        return 0.0
    gap = np.cumsum(is_landmark)[regular]
    starts = np.flatnonzero(np.diff(gap, prepend=-1))
    budgets = epsilons[regular]
    lengths = np.diff(np.append(starts, len(regular)))
    differ = np.minimum.reduceat(budgets, starts) != np.maximum.reduceat(budgets, starts)
    return float((lengths[differ].astype(np.float64) ** 2).sum())
