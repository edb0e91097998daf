r"""Temporal privacy loss between every two states whose distance is known.

:mod:`privacy_engine.accounting.temporal` has a number for all pairs of states; here each ordered pair (i, j) has its
own. With distances :math:`d_{ij}`, a radius r and the rows :math:`B_i` of the backward matrix

.. math:: \beta_t(i, j) = \epsilon_t \frac{d_{ij}}{r} + \max_l \max_S \ln \frac{1 + \sum_{k \in S} B_{ik} o_{kl}}
          {1 + \sum_{k \in S} B_{jk} o_{kl}}, \qquad o_{kl} = e^{\beta_{t-1}(k, l)} - 1

bounds the log-ratio of the probabilities of all outputs up to t given the states i and j at t
(``docs/decisions/0017-temporal-loss-and-distance.md`` has the proof): l is the least likely state of the event before,
S any set of states. It is never above the recursion of [1]_ at the largest distance, and equal to it for two states.

References
----------
.. [1] Cao, Yoshikawa, Xiao, Xiong. "Quantifying Differential Privacy under Temporal Correlations". ICDE 2017.
"""

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.loss_pieces import Arrays
from privacy_engine.accounting.temporal import Correlation, LossFunction, TemporalLoss, loss_function
from privacy_engine.accounting.validation import level, numbers, refused
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.errors import DataError, ParameterError

MAX_PAIRWISE_STATES = 50
STEP_S = 1.5e-9
"""One step of the innermost loop, in seconds of a core of the year 2024."""


def pairwise_loss(
    epsilons: ArrayLike,
    distances: ArrayLike,
    backward: Correlation = None,
    forward: Correlation = None,
    *,
    shared: float = 0.0,
) -> TemporalLoss:
    """The largest temporal privacy loss over all pairs of states, three arrays (n,): an upper bound.

    Parameters
    ----------
    epsilons : (n,) array_like
        Budgets >= 0 within the radius.
    distances : (states, states) array_like
        How far apart positions in two states lie at most, in radii; 0 on the diagonal, symmetric.
    backward, forward : (states, states) array_like, LossFunction or None
        Pr(l_{t-1} | l_t) and Pr(l_{t+1} | l_t); None for no correlation in that direction.
    shared : float
        As in :func:`~privacy_engine.accounting.temporal.temporal_loss`: the level of a further draw that several
        timestamps share, at the largest distance.

    Raises
    ------
    ParameterError
        A budget is negative or not finite, or there are more than 50 states.
    DataError
        ``epsilons`` is not a vector, distances are no symmetric matrix with zeros on its diagonal, or a matrix
        is not row-stochastic with as many states.

    Examples
    --------
    >>> loss = pairwise_loss([1.0] * 3, [[0, 5], [5, 0]], [[0.9, 0.1], [0.1, 0.9]], [[0.9, 0.1], [0.1, 0.9]])
    >>> loss.total.round(2).tolist()
    [7.19, 9.28, 7.19]
    """
    from privacy_engine.kernels.pairwise import series

    budgets = numbers(epsilons, "epsilons", ParameterError)
    if budgets.ndim != 1:
        raise refused(DataError, "epsilons", "be one-dimensional", f"{budgets.ndim} dimensions")
    apart, more = _distances(distances), level(shared, "shared")
    back, ahead = _direction(backward, "backward", len(apart)), _direction(forward, "forward", len(apart))
    before, after, total = series(budgets, apart, back, ahead)
    return TemporalLoss(before + more, after + more, total + more)


def pairwise_seconds(n: int, *directions: LossFunction | None) -> float:
    """About how long :func:`pairwise_loss` of ``n`` events takes at most, in seconds of a core of the year 2024."""
    steps = 0.0
    for direction in directions:
        if direction is not None:
            above = (direction.matrix[:, None] > direction.matrix).sum(axis=2)
            either = ((direction.matrix[:, None] > 0) | (direction.matrix > 0)).sum(axis=2)
            steps += float((above * either).sum()) + 60.0 * direction.matrix.size
    return STEP_S * 1.5 * n * steps


def _distances(values: ArrayLike) -> Floats:
    distances = numbers(values, "distances", DataError)
    if distances.ndim != 2 or distances.shape[0] != distances.shape[1] or not distances.size:
        raise refused(DataError, "distances", "be square", f"shape {distances.shape}")
    if len(distances) > MAX_PAIRWISE_STATES:
        raise refused(ParameterError, "distances", f"have at most {MAX_PAIRWISE_STATES} states", len(distances))
    if np.diagonal(distances).any() or not np.array_equal(distances, distances.T):
        raise refused(DataError, "distances", "be symmetric with zeros on the diagonal", "others")
    return distances


def _direction(correlation: Correlation, field: str, states: int) -> tuple[Floats, Ints, Ints, Arrays]:
    """What the kernel takes of a matrix; without correlation all rows are alike."""
    from privacy_engine.kernels.pairwise import columns

    alike = np.full((states, states), 1 / states)
    carried = loss_function(alike if correlation is None else correlation, field)
    if len(carried.matrix) != states:
        raise refused(DataError, field, f"have {states} states, as distances have", len(carried.matrix))
    matrix = np.array(carried.matrix, order="C")
    return (matrix, *columns(matrix), carried.arrays)
