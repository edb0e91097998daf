r"""Temporal privacy loss: what releases leak about each other's moments when neighbouring positions are correlated.

A mechanism that spends :math:`\epsilon_t` at time t loses more than that once an adversary knows how positions follow
one another [1]_ [2]_: the backward loss :math:`\mathrm{BPL}_t = \epsilon_t + L_B(\mathrm{BPL}_{t-1})`, the forward loss
:math:`\mathrm{FPL}_t = \epsilon_t + L_F(\mathrm{FPL}_{t+1})`, together :math:`\mathrm{BPL}_t + \mathrm{FPL}_t -
\epsilon_t`. Arrays are 0-based; losses and budgets are plain numbers (levels), without a unit.

It holds for an adversary who knows the transition matrices, which are first-order and the same at all times.

References
----------
.. [1] Cao, Yoshikawa, Xiao, Xiong. "Quantifying Differential Privacy under Temporal Correlations". ICDE 2017.
.. [2] Cao, Yoshikawa, Xiao, Xiong. "Quantifying Differential Privacy in Continuous Data Release under Temporal
   Correlations". IEEE TKDE 31(7), 2019.
.. [3] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy". CODASPY 2022.
"""

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias, overload

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting import loss_pieces
from privacy_engine.accounting.loss_pieces import Arrays, carried
from privacy_engine.accounting.validation import MAX_STATES, level, numbers, refused, transition, whole
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import BLOCK, blocks
from privacy_engine.data.mapped_series import empty, leaving
from privacy_engine.errors import DataError, ParameterError

MAX_BRIDGE_STATES = 50
MAX_BRIDGES = 10_000
"""Largest number of bridges of a direction: states times the distances at which they differ."""


def smoothing_matrix(n: int, s: float) -> Floats:
    r"""Laplacian smoothing of the strongest correlation: :math:`P_{ij} = (\delta_{ij} + s)/(1 + ns)`, (n, n).

    ``s`` = 0 is the identity (the strongest correlation), large ``s`` tends to the uniform matrix (none).

    Raises
    ------
    ParameterError
        ``n`` is not a whole number from 1 to 400, or ``s`` not finite and at least 0.

    >>> smoothing_matrix(2, 1.0).round(4).tolist()
    [[0.6667, 0.3333], [0.3333, 0.6667]]
    """
    states, smoothing = whole(n, "n", 1, MAX_STATES), level(s, "s")
    return np.asarray((np.eye(states) + smoothing) / (1 + states * smoothing))


class LossFunction:
    r"""How a loss is carried a step along a transition matrix, :math:`L(\alpha)`.

    .. math:: L(\alpha) = \max \ln \frac{q (e^\alpha - 1) + 1}{d (e^\alpha - 1) + 1}

    over ordered pairs of rows and subsets of columns, q and d being the subset's mass in the two rows [1]_. Only the
    upper-left convex hull of all (d, q) matters: computed once, then a query is a binary search.

    Parameters
    ----------
    matrix : (n, n) array_like
        Rows sum to 1 within 1e-9; at most 400 states. Pr(l_{t-1} | l_t) for backward, Pr(l_{t+1} | l_t) for forward.

    Raises
    ------
    DataError
        Not a square matrix of finite, non-negative numbers whose rows sum to 1.
    ParameterError
        More than 400 states.

    Examples
    --------
    >>> carried = LossFunction([[0.8, 0.2], [0.0, 1.0]])
    >>> round(carried(1.0), 6), round(carried.supremum(0.1), 6), carried.supremum(1.0)
    (0.86484, 0.645907, inf)
    """

    def __init__(self, matrix: ArrayLike, *, field: str = "matrix") -> None:
        from privacy_engine.kernels.envelope import envelope

        self.matrix = transition(matrix, field)
        self.arrays: Arrays = envelope(self.matrix)
        self._bridged: tuple[int, Arrays, Ints] | None = None

    @overload
    def __call__(self, alpha: float) -> float: ...
    @overload
    def __call__(self, alpha: ArrayLike) -> Floats: ...
    def __call__(self, alpha: ArrayLike) -> float | Floats:
        """L(alpha) for losses ``alpha`` >= 0 of any shape: 0 <= L(alpha) <= alpha, never decreasing."""
        from privacy_engine.kernels.temporal import losses

        values = numbers(alpha, "alpha", ParameterError)
        loss = losses(values.ravel(), *self.arrays).reshape(values.shape)
        return loss if values.ndim else float(loss)

    def supremum(self, epsilon: float) -> float:
        """Where a = epsilon + L(a) settles when ``epsilon`` >= 0 is spent for ever; inf where it never does."""
        spent = level(epsilon, "epsilon")
        return max(_fixpoint(spent, float(q), float(d)) for q, d in zip(*self.arrays[:2], strict=True))

    def bridged(self, longest: int) -> tuple[Arrays, Ints]:
        """Envelopes towards a known state over distances up to ``longest``, cached for the next call.

        The second part holds where each state's and distance's envelope starts; it is empty where the bridges would be
        more than :data:`MAX_BRIDGES`.
        """
        from privacy_engine.kernels.envelope import bridges

        kept = self._bridged
        if kept is None or longest > kept[0] >= kept[2].shape[1]:  # kept ones that mixed serve any distance
            kept = (longest, *bridges(self.matrix, self.arrays, longest, MAX_BRIDGES // len(self.matrix)))
            self._bridged = kept if len(kept[2]) else None
        return kept[1], kept[2]


def _fixpoint(epsilon: float, q: float, d: float) -> float:
    # with A = e^a: d(A-1)^2 + b(A-1) - (e^eps - 1) = 0, all of it divided by e^eps so that nothing overflows
    if epsilon == 0.0:
        return 0.0
    small, grown = math.exp(-epsilon), -math.expm1(-epsilon)
    b = (1.0 + d - q) * small - q * grown
    root = math.sqrt(b * b + 4.0 * d * grown * small)
    if b > 0:
        scaled = 2.0 * grown * small / (b + root)
    elif d > 0:
        scaled = (root - b) / (2.0 * d)
    else:
        return math.inf
    return math.log1p(scaled / small) if epsilon < 30.0 else epsilon + math.log(scaled + small)


Correlation: TypeAlias = ArrayLike | LossFunction | None
"""A transition matrix, its loss function if it is used more than once, or None for independent timestamps."""


def loss_function(correlation: Correlation, field: str) -> LossFunction:
    """The loss function of ``correlation``, whose errors name ``field``."""
    if isinstance(correlation, LossFunction):
        return correlation
    return LossFunction([[1.0]] if correlation is None else correlation, field=field)


@dataclass(frozen=True, eq=False)
class TemporalLoss:
    """Losses of every timestamp, three arrays (n,): ``total`` = ``backward`` + ``forward`` - budget (and - shared)."""

    backward: Floats
    forward: Floats
    total: Floats


def temporal_loss(
    epsilons: ArrayLike, backward: Correlation = None, forward: Correlation = None, *, shared: float = 0.0
) -> TemporalLoss:
    """Temporal privacy loss of a series that spends ``epsilons`` (n,), each >= 0 (0: nothing released then).

    ``backward`` is the matrix Pr(l_{t-1} | l_t), ``forward`` Pr(l_{t+1} | l_t), both (states, states); None means no
    correlation in that direction: its loss is then the budget itself. O(n log H). Valid against an adversary
    who has exactly these matrices [1]_.

    ``shared`` >= 0 is the level of a further release whose noise several timestamps share, given the positions
    independent of the others (joint noise). Its odds change by at most e^shared whatever moments change, so
    it adds no more than that to each loss: an upper bound.

    Raises
    ------
    ParameterError
        A budget is negative or not finite, or a matrix has more than 400 states.
    DataError
        ``epsilons`` is not a vector, or a matrix is not row-stochastic.

    Examples
    --------
    >>> temporal_loss([0.1, 0.1, 0.1], backward=[[0.8, 0.2], [0.0, 1.0]]).total.round(4).tolist()
    [0.1, 0.1808, 0.2471]
    """
    budgets = numbers(epsilons, "epsilons", ParameterError)
    if budgets.ndim != 1:
        raise refused(DataError, "epsilons", "be one-dimensional", f"{budgets.ndim} dimensions")
    more = level(shared, "shared")
    envelopes = [
        None if matrix is None else loss_function(matrix, field).arrays
        for matrix, field in ((backward, "backward"), (forward, "forward"))
    ]
    before, after = carried(budgets, envelopes[0]), carried(budgets[::-1], envelopes[1])[::-1]
    total = empty(len(budgets))
    for some in leaving([budgets, before, after, total], blocks(len(budgets))):
        total[some] = after[some] - budgets[some] + before[some] + more
        before[some] += more
        after[some] += more
    return TemporalLoss(before, after, total)


def landmark_temporal_loss(
    epsilons: ArrayLike,
    is_landmark: ArrayLike,
    backward: Correlation = None,
    forward: Correlation = None,
    *,
    bound: Literal["published", "bridge"] = "published",
) -> Floats:
    r"""Temporal loss of all landmarks and timestamp t together, alpha_t for every t, (n,).

    With :math:`A = L \cup \{t\}` and i⁻, i⁺ the neighbours of i in A, :math:`\alpha_t = \sum_{i \in A} \alpha_i` and
    :math:`\alpha_i` is BPL over (i⁻, i] plus FPL over [i, i⁺) minus :math:`\epsilon_i` [3]_.

    ``bound="published"`` is that formula as printed. It is **not** an upper bound on the joint loss: between two known
    landmarks the chain is a bridge, no longer Markov with the given matrix. ``bound="bridge"`` conditions every window
    that ends at a landmark on its state, takes the worst state, and is an upper bound; it needs matrices that belong
    to the same stationary chain and costs an envelope for every state and distance.

    Parameters
    ----------
    epsilons : (n,) or (series, n) array_like
        Budgets >= 0; 0 where a landmark is skipped.
    is_landmark : (n,) or (series, n) array_like of bool
        Broadcast against ``epsilons``; several series at once share the matrices.
    backward, forward : (states, states) array_like, LossFunction or None
        Pr(l_{t-1} | l_t) and Pr(l_{t+1} | l_t); None for no correlation in that direction.

    Returns
    -------
    ndarray
        alpha_t in the shape of ``is_landmark``. At a landmark it is the loss of the landmarks alone.

    Raises
    ------
    ParameterError
        A budget is negative or not finite, ``bound`` is unknown, or the bridges would be too many.
    DataError
        Shapes differ, the mask is no mask, or a matrix is not row-stochastic.
    """
    return _landmark_losses(epsilons, is_landmark, backward, forward, bound, own=False, joint=True)[1]


def landmark_own_loss(
    epsilons: ArrayLike,
    is_landmark: ArrayLike,
    backward: Correlation = None,
    forward: Correlation = None,
    *,
    bound: Literal["published", "bridge"] = "published",
) -> Floats:
    """Each event's own part, alpha_i for i = t, of :func:`landmark_temporal_loss`; same arguments, same shape."""
    return _landmark_losses(epsilons, is_landmark, backward, forward, bound, own=True, joint=False)[0]


def landmark_losses(
    epsilons: ArrayLike,
    is_landmark: ArrayLike,
    backward: Correlation = None,
    forward: Correlation = None,
    *,
    bound: Literal["published", "bridge"] = "published",
) -> tuple[Floats, Floats]:
    """:func:`landmark_own_loss` and :func:`landmark_temporal_loss` in a single pass, in the time of either."""
    return _landmark_losses(epsilons, is_landmark, backward, forward, bound, own=True, joint=True)


def _landmark_losses(
    epsilons: ArrayLike,
    is_landmark: ArrayLike,
    backward: Correlation,
    forward: Correlation,
    bound: str,
    *,
    own: bool,
    joint: bool,
) -> tuple[Floats, Floats]:
    from privacy_engine.kernels.temporal import landmark_losses

    if bound not in ("published", "bridge"):
        raise refused(ParameterError, "bound", "be published or bridge", repr(bound))
    budgets, landmark = numbers(epsilons, "epsilons", ParameterError), np.asarray(is_landmark)
    if landmark.dtype != np.bool_ and landmark.size:
        raise refused(DataError, "is_landmark", "be true or false everywhere", landmark.dtype)
    if 0 in (budgets.ndim, landmark.ndim) or budgets.shape[-1] != landmark.shape[-1]:
        rule = f"have as many events as epsilons, {budgets.shape}"
        raise refused(DataError, "is_landmark", rule, landmark.shape)
    shape = np.broadcast_shapes(budgets.shape, landmark.shape)
    flat = (math.prod(shape[:-1]), shape[-1])
    marks = np.ascontiguousarray(np.broadcast_to(landmark.astype(np.bool_, copy=False), shape)).reshape(flat)
    rows = budgets[None] if budgets.ndim == 1 else np.broadcast_to(budgets, shape).reshape(flat)
    ahead, back = (_tables(*direction, marks, bound) for direction in ((forward, "forward"), (backward, "backward")))
    if len(marks) == 1 and marks.size > BLOCK:
        both = loss_pieces.landmark_losses(rows[0], marks[0], ahead, back)
        return both[0].reshape(shape), both[1].reshape(shape)
    both = landmark_losses(np.ascontiguousarray(rows), marks, ahead, back, own, joint)
    return both[0].reshape(shape if own else 0), both[1].reshape(shape if joint else 0)


def _tables(correlation: Correlation, field: str, landmark: Mask, bound: str) -> tuple[Arrays, Arrays, Ints]:
    """Envelopes of windows: whose end is no landmark, whose end is a landmark, and where each of these starts."""
    carried = loss_function(correlation, field)
    states = len(carried.matrix)
    if bound == "published" or states == 1:
        return carried.arrays, carried.arrays, np.array([[0, len(carried.arrays[0])]])
    longest = max(loss_pieces.longest_gap(landmark), 2)
    if states > MAX_BRIDGE_STATES:
        raise refused(ParameterError, field, f"have at most {MAX_BRIDGE_STATES} states to be bridged", states)
    envelopes, start = carried.bridged(longest)
    if not len(start):
        rule = f"mix within {MAX_BRIDGES // states} steps to be bridged over longer gaps"
        raise refused(ParameterError, field, rule, f"a gap of {longest}")
    return carried.arrays, envelopes, start
