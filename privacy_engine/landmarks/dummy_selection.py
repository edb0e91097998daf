"""Dummy landmarks: regular events that pass for landmarks, so that a marked event need not be a landmark.

Run a mechanism on L' = L and the dummies, and what it shows of its landmarks (noise scales show their number, repeats
their places) shows L' instead. Two ways to choose them, which do not protect the same:

* :func:`select_dummies`: an option of Optimal, Heuristic or Partitioned [1]_, drawn by the exponential mechanism;
* :func:`one_sided_dummies`: a coin for each regular event; the only way with a guarantee for the landmarks.

Levels of a selection are plain numbers: never add them to a budget per metre.

References
----------
.. [1] Katsomallos. PhD thesis, "Protecting landmarks"; the selection takes 1 % of the budget there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.data import LandmarkSet
from privacy_engine.landmarks.counts import coin_counts, option_counts
from privacy_engine.landmarks.orders import (
    Distance,
    Evaluation,
    heuristic_order,
    landmark_histogram,
    one_of,
    optimal_order,
    partitioned_order,
)

Method: TypeAlias = Literal["optimal", "heuristic", "partitioned"]
Utility: TypeAlias = Literal["distance", "count"]

SELECTION_SHARE = 0.01
"""Which part of a level is usually set aside for the selection."""

UNMARKED = "An event that is not marked is surely no landmark: every landmark stays marked."
SHARED = "Every dummy takes its share of the budget: the more there are, the noisier the landmarks' releases."
OPTION_PROTECTS = (
    "Events that are no landmarks are marked beside the landmarks, so a marked event need not be one. "
    "How many they are is drawn at random."
)
OPTION_CAVEATS = (
    "This is not differential privacy for the landmarks: the events to choose from follow from them, so "
    "whoever knows the method can rule out sets of landmarks with certainty. Coins for each event can promise "
    "more: see the one-sided selection.",
    UNMARKED,
    SHARED,
)
COIN_CAVEATS = (
    f"It is one-sided. {UNMARKED}",
    "It holds for each event: sets of landmarks that differ in m events are distinguished by up to m times ε. A stay "
    "of m events that are landmarks together or not at all is such a case.",
    SHARED,
)


@dataclass(frozen=True, eq=False)
class DummySelection:
    """L' and, as a sentence, what choosing it protected.

    Only ``mask`` (n,), the events of L', is meant for others. ``private`` is True if the draw came from the operating
    system, False in a repeatable simulation.
    """

    mask: Mask
    method: str
    epsilon: float
    private: bool
    protects: str
    caveats: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class DrawnSelection(DummySelection):
    """One of r options, option i with i + 1 dummies. All of these fields reveal the landmarks: for their owner only.

    ``order`` (r,) are the events that join in turn, or the bins that take another each (Partitioned);
    ``utilities`` and ``probabilities`` (r,) are the options'; ``chosen`` is the option drawn, -1 if there was none.
    """

    order: Ints
    utilities: Floats
    probabilities: Floats
    sensitivity: float
    chosen: int


def select_dummies(
    is_landmark: ArrayLike,
    *,
    method: Method,
    utility: Utility,
    epsilon: float,
    rng: noise.RandomSource | np.random.Generator,
    evaluation: Evaluation = "gaps",
    distance: Distance = "euclidean",
) -> DrawnSelection:
    r"""L' drawn from nested options by the exponential mechanism: with probability ∝ :math:`e^{\epsilon u/2\Delta}`.

    **Not differentially private for the landmarks**: L is part of every option and the options follow from L, so
    neighbouring sets choose among different options. Partitioned's events are drawn uniformly inside their bins.

    Parameters
    ----------
    is_landmark : (n,) array_like of bool
    method : str
        Which algorithm orders the regular events: "optimal" (by ``evaluation``, at most 16 regular events),
        "heuristic" (by ``evaluation``) or "partitioned" (by ``distance``).
    utility : str
        Both lie in [-1, 0]. "distance", sensitivity 1: minus the dummies' mean distance to their nearest landmark,
        over n (for Partitioned, its expectation; without landmarks -1). "count", sensitivity 1/n: minus their number,
        over n.
    epsilon : float
        Level of the selection, greater than 0; usually ``SELECTION_SHARE`` of the level of the release.

    Raises
    ------
    DataError
        ``is_landmark`` is not an array (n,) of true and false.
    ParameterError
        A parameter is unknown or outside its domain, or the series too long for the method.
    """
    options = _options(is_landmark, method, utility, epsilon, evaluation, distance)
    landmarks, order, bins = options.landmarks, options.order, options.bins
    rng = noise.as_source(rng)
    chosen = noise.exponential_mechanism(options.utilities, epsilon, options.sensitivity, rng=rng) if len(order) else -1
    mask = landmarks.mask.copy()
    regular = np.flatnonzero(~mask)
    if method == "partitioned":
        more = np.bincount(order[: chosen + 1], minlength=int(bins[-1:].sum()) + 1)
        mask[regular[noise.drawn_in_groups(bins[regular], more, rng=rng)]] = True
    else:
        mask[order[: chosen + 1]] = True
    mask.setflags(write=False)
    return DrawnSelection(
        mask=mask,
        method=method,
        epsilon=float(epsilon),
        private=rng.private,
        protects=OPTION_PROTECTS,
        caveats=OPTION_CAVEATS,
        order=order,
        utilities=options.utilities,
        probabilities=options.probabilities(epsilon),
        sensitivity=options.sensitivity,
        chosen=chosen,
    )


def dummy_counts(
    is_landmark: ArrayLike,
    *,
    method: Method,
    utility: Utility,
    epsilon: float,
    evaluation: Evaluation = "gaps",
    distance: Distance = "euclidean",
) -> Floats:
    """How likely :func:`select_dummies` adds 0, 1, …, r dummies, (r + 1,); its parameters and errors.

    Nothing is drawn. It follows from the landmarks, so it is for their owner only.

    >>> dummy_counts([True, False, True, False], method="heuristic", utility="count", epsilon=1).round(3).tolist()
    [0.0, 0.622, 0.378]
    """
    return option_counts(_options(is_landmark, method, utility, epsilon, evaluation, distance).probabilities(epsilon))


class _Options(NamedTuple):
    """The r nested options of a series; ``bins`` (n,) is the group that each event is drawn in."""

    landmarks: LandmarkSet
    order: Ints
    bins: Ints
    utilities: Floats
    sensitivity: float

    def probabilities(self, epsilon: float) -> Floats:
        some = len(self.order) > 0
        return noise.exponential_weights(self.utilities, epsilon, self.sensitivity) if some else np.empty(0)


def _options(
    is_landmark: ArrayLike, method: Method, utility: Utility, epsilon: float, evaluation: Evaluation, distance: Distance
) -> _Options:
    landmarks = LandmarkSet(np.asarray(is_landmark))
    one_of(method, "method", Method)
    one_of(utility, "utility", Utility)
    one_of(evaluation, "evaluation", Evaluation)
    one_of(distance, "distance", Distance)
    noise.cover_probability(epsilon)  # refuses what is no level, also where nothing is left to choose
    if method == "partitioned":
        order = partitioned_order(landmarks.mask, distance)
    else:
        order = (optimal_order if method == "optimal" else heuristic_order)(landmarks.mask, evaluation)
    n, r = len(landmarks), len(order)
    bins = np.arange(n) // landmark_histogram(landmarks.mask).width if method == "partitioned" else np.arange(n)
    utilities = -_mean_away(landmarks, bins, order) if utility == "distance" else -np.arange(1, r + 1) / max(n, 1)
    return _Options(landmarks, order, bins, utilities, 1.0 if utility == "distance" else 1 / max(n, 1))


def one_sided_dummies(
    is_landmark: ArrayLike, *, epsilon: float, rng: noise.RandomSource | np.random.Generator
) -> DummySelection:
    r"""Every landmark, and every regular event with probability :math:`e^{-\epsilon}`, independently. O(n).

    One-sided ``epsilon``-differentially private for each event [2]_: for all L, t in L and L',
    :math:`P(L' \mid L) \le e^\epsilon P(L' \mid L \setminus \{t\})`; for m events, :math:`e^{m\epsilon}`. No mechanism
    that keeps all landmarks does it with fewer dummies. Ordinary differential privacy (the converse too) would need
    landmarks to go unmarked.

    Raises
    ------
    DataError
        ``is_landmark`` is not an array (n,) of true and false.
    ParameterError
        ``epsilon`` is not from 1e-6 to 20. The coins would be exact at any level; beyond 20 less than one other event
        in 485 million is marked, so that a mark is a landmark, and no protection is promised.

    References
    ----------
    .. [2] Kotsogiannis, Doudalis, Haney, Machanavajjhala, Mehrotra. "One-sided Differential Privacy". ICDE 2020.
    """
    landmarks = LandmarkSet(np.asarray(is_landmark))
    rng = noise.as_source(rng)
    mask = landmarks.mask | noise.covered(len(landmarks), epsilon, rng=rng)
    mask.setflags(write=False)
    return DummySelection(
        mask=mask,
        method="one-sided",
        epsilon=float(epsilon),
        private=rng.private,
        protects=(
            f"Each other event is marked with probability e^−ε = {noise.cover_probability(epsilon):.3g}, whatever "
            "happens to the rest. Seeing an event marked multiplies the odds that it is a landmark by at most e^ε."
        ),
        caveats=COIN_CAVEATS,
    )


def one_sided_counts(regular: int, *, epsilon: float) -> Floats:
    """How likely :func:`one_sided_dummies` adds 0, 1, …, ``regular`` dummies, (regular + 1,); its errors.

    >>> one_sided_counts(2, epsilon=1.0).round(3).tolist()
    [0.4, 0.465, 0.135]
    """
    noise.coin_level(epsilon)
    return coin_counts(regular, -float(epsilon))


def _mean_away(landmarks: LandmarkSet, bins: Ints, order: Ints) -> Floats:
    """Mean distance of every option's dummies to their nearest landmark, over n; expected, where bins hold several."""
    n, event = len(landmarks), np.arange(len(landmarks))
    if not landmarks.count:
        return np.ones(len(order))
    before = np.maximum.accumulate(np.where(landmarks.mask, event, -2 * n))
    after = np.minimum.accumulate(np.where(landmarks.mask, event, 3 * n)[::-1])[::-1]
    away = np.minimum(event - before, after - event)  # 0 on a landmark
    regular = np.bincount(bins, weights=~landmarks.mask)
    mean = np.bincount(bins, weights=away) / np.maximum(regular, 1)
    return np.asarray(np.cumsum(mean[order]) / np.arange(1, len(order) + 1) / n)
