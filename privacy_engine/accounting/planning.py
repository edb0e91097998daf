r"""Budget planning: how much each timestamp may spend so that the temporal loss stays at a target.

:mod:`privacy_engine.accounting.temporal` computes what budgets leak under correlation; here it is the
other way round, the budgets for a loss of at most :math:`\alpha` at every timestamp [1]_ (Algorithms 2 and 3).

References
----------
.. [1] Cao, Yoshikawa, Xiao, Xiong. "Quantifying Differential Privacy in Continuous Data Release under Temporal
   Correlations". IEEE TKDE 31(7), 2019.
"""

from typing import Literal

import numpy as np

from privacy_engine.accounting.temporal import Correlation, LossFunction, loss_function
from privacy_engine.accounting.validation import level, refused, whole
from privacy_engine.core.arrays import Floats
from privacy_engine.errors import ParameterError

MAX_EVENTS = 100_000_000

ROUNDING = 1e-14
"""Shares of the target that a step of the recursion cannot distinguish from 0."""


def plan_budgets(
    alpha: float,
    n: int,
    backward: Correlation = None,
    forward: Correlation = None,
    method: Literal["quantification", "upper-bound"] = "quantification",
) -> Floats:
    r"""Budgets (n,) whose temporal loss exceeds ``alpha`` nowhere.

    Two losses :math:`\alpha_B, \alpha_F` and a budget :math:`\epsilon` are computed with

    .. math:: \epsilon = \alpha_B - L_B(\alpha_B) = \alpha_F - L_F(\alpha_F), \qquad
              \alpha = \alpha_B + \alpha_F - \epsilon :

    a backward loss that has reached :math:`\alpha_B` stays there while :math:`\epsilon` is spent, a forward loss stays
    at :math:`\alpha_F`.

    ``"quantification"`` spends :math:`\alpha_B` first and :math:`\alpha_F` last, so that the losses stand at these
    values from the start, and :math:`\epsilon` between: the loss is ``alpha`` at every timestamp. ``"upper-bound"``
    spends :math:`\epsilon` everywhere, also where n is not known beforehand, and approaches ``alpha`` from below.

    Assumes what :func:`~privacy_engine.accounting.temporal.temporal_loss` does: an adversary, who knows exactly these
    matrices, first-order and the same at all times; planning with other matrices than the adversary's promises
    nothing. Holds up to the rounding of the recursion (relative 1e-12 for thousands of timestamps). The plan
    depends on ``alpha``, ``n`` and the matrices alone, so it costs no budget if they are public.

    Parameters
    ----------
    alpha : float
        The loss allowed, finite and greater than 0.
    n : int
        How many timestamps, from 1.
    backward, forward : (states, states) array_like, LossFunction or None
        Pr(l_{t-1} | l_t) and Pr(l_{t+1} | l_t); None for no correlation in that direction.
    method : {"quantification", "upper-bound"}

    Raises
    ------
    ParameterError
        ``alpha``, ``n`` or ``method`` is out of its domain; or a matrix never mixes two states (as the identity does
        not): every loss is then carried on whole, no budget above 0 keeps a long series below any ``alpha``, and
        ``alpha / n`` for each timestamp, the user level, is all there is.
    DataError
        A matrix is not row-stochastic.

    Examples
    --------
    >>> from privacy_engine.accounting.temporal import smoothing_matrix
    >>> mixing = smoothing_matrix(2, 0.1)
    >>> plan_budgets(1.0, 4, mixing, mixing).round(4).tolist()
    [0.5474, 0.0947, 0.0947, 0.5474]
    >>> plan_budgets(1.0, 4, mixing, mixing, "upper-bound").round(4).tolist()
    [0.0947, 0.0947, 0.0947, 0.0947]
    """
    target = level(alpha, "alpha")
    if target == 0.0:
        raise refused(ParameterError, "alpha", "be greater than 0", alpha)
    length = whole(n, "n", 1, MAX_EVENTS)
    if method not in ("quantification", "upper-bound"):
        raise refused(ParameterError, "method", "be quantification or upper-bound", repr(method))
    before, after = loss_function(backward, "backward"), loss_function(forward, "forward")
    if length == 1 and method == "quantification":
        return np.array([target])
    first, between, last = _balance(target, before, after)
    if between <= ROUNDING * target:
        name = "backward" if before(target) >= after(target) else "forward"
        instead = f"then alpha / n = {target / length:g} for each timestamp is all there is"
        raise refused(ParameterError, name, "let losses fade", f"states that never mix ({instead})")
    budgets = np.full(length, between)
    if method == "quantification":
        budgets[0], budgets[-1] = first, last
    return budgets


def _balance(alpha: float, backward: LossFunction, forward: LossFunction) -> tuple[float, float, float]:
    """(alpha_B, epsilon, alpha_F), by bisection for alpha_B.

    From the three equations alpha_F = alpha - L_B(alpha_B). Neither a - L(a) ever falls (the slope of L is at most 1),
    so what alpha_F leaves less what alpha_B leaves falls with alpha_B. The side where it is not negative is kept:
    there neither end of the series exceeds alpha.
    """

    def split(at: float) -> tuple[float, float, float]:
        carried = backward(at)
        ahead = max(alpha - carried, 0.0)
        return at - carried, ahead - forward(ahead), ahead

    low, high = 0.0, alpha
    left_back, left_ahead, ahead = split(alpha)
    if left_ahead >= left_back:
        return alpha, left_back, ahead
    while low < (middle := low + (high - low) / 2) < high:
        left_back, left_ahead, _ = split(middle)
        low, high = (middle, high) if left_ahead >= left_back else (low, middle)
    left_back, left_ahead, ahead = split(low)
    return low, min(left_back, left_ahead), ahead
