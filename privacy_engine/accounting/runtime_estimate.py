"""Predicted run time of a landmark loss."""

import math

import numpy as np

from privacy_engine.accounting.loss_pieces import longest_gap
from privacy_engine.accounting.temporal import LossFunction
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import leaving

STEP_S = 25e-9
"""One step of the recursion."""


def loss_seconds(epsilons: Floats, is_landmark: Mask, carried: LossFunction, bound: str) -> float:
    """About how long the landmark loss of a series takes in a direction, in seconds of a core of the year 2024.

    A step for every event. In gaps whose regular budgets (n,) differ a step for every pair of events, by the published
    formula only as far as the chain remembers. Bridges want that for every state, and first an envelope for every
    state and distance up to which the chain remembers.
    """
    states = len(carried.matrix)
    if states == 1:
        return STEP_S * len(epsilons)
    lasts = memory(carried)
    if bound == "published":
        return STEP_S * (len(epsilons) + _uneven(epsilons, is_landmark, lasts))
    distances = min(longest_gap(is_landmark), lasts)
    build = states * distances * (25e-6 + 0.3e-6 * states**2)
    return build + STEP_S * states * (len(epsilons) + _uneven(epsilons, is_landmark, len(epsilons)))


def memory(carried: LossFunction) -> int:
    """After how many events a chain has forgotten, to rounding, where it was; 10^9 if it never does."""
    sizes = np.sort(np.abs(np.linalg.eigvals(carried.matrix)))
    second = float(sizes[-2]) if len(sizes) > 1 else 0.0
    if second <= 0.0:
        return 2
    return int(min(2 + math.log(1e-14) / math.log(min(second, 1 - 1e-12)), 1e9))


def _uneven(epsilons: Floats, is_landmark: Mask, lasts: int) -> float:
    """Pairs of events, at most ``lasts`` apart, in the gaps whose regular events do not all spend the same."""
    from privacy_engine.kernels.temporal import uneven

    gap, pairs = np.array([0.0, np.inf, -np.inf]), 0.0
    for some in leaving([epsilons, is_landmark], blocks(len(is_landmark))):
        pairs += uneven(epsilons[some], is_landmark[some], lasts, gap)
    return pairs + uneven(np.zeros(1), np.ones(1, dtype=np.bool_), lasts, gap)
