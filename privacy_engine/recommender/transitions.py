"""``TransitionModel``: noisy counts of transitions between cells, shrunk towards what a gravity model expects."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.data import Floats, Ints
from privacy_engine.grid import Grid
from privacy_engine.recommender.base import Recommender, number, register, whole_numbers
from privacy_engine.recommender.distance_bands import between_all
from privacy_engine.recommender.gravity import LEAST_SHARE, GravityModel, gravity_parts
from privacy_engine.recommender.sequences import Sequences


def transition_counts(sequences: Sequences) -> Ints:
    """How often each cell follows each other one, (cells²,): those of cell 0 first."""
    pairs, cells = sequences.windows(2), len(sequences.grid)
    return np.bincount(pairs[:, 0] * cells + pairs[:, 1], minlength=cells**2).astype(np.int64)


def expected_transitions(gravity: GravityModel) -> Floats:
    """How many transitions a gravity model expects between each two cells, (cells, cells).

    From each cell so many of all transitions as its share of the mass; from there by the model's scores.
    """
    found = between_all(gravity.grid, gravity.factors)
    found *= gravity.mass
    total = max(float(gravity.bands.sum()), 1.0) * gravity.mass / gravity.mass.sum()
    found *= (total / np.maximum(found.sum(axis=1), 1e-300))[:, None]
    return found


def shrunk_towards(counts: Floats, expected: Floats, variance: float) -> Floats:
    r"""Counts (n, n) with noise of known ``variance``, shrunk towards what is ``expected`` of them.

    The true count is taken to have mean :math:`\mu` and variance :math:`\tau^2 = \mu + \gamma \mu^2`; the estimate is
    :math:`\mu + \tau^2 / (\tau^2 + \sigma^2) (y - \mu)` [1]_, with :math:`\gamma` from the second moments of all
    counts, less two standard errors that Laplace noise gives it (its fourth moment is :math:`6\sigma^4`): where noise
    alone could be its cause it is zero. At least a thousandth of what is expected remains of each.

    References
    ----------
    .. [1] Morris. "Parametric empirical Bayes inference: theory and applications". JASA 1983.
    """
    scale = moment = 0.0
    for count, mean in zip(counts, expected, strict=True):  # row by row: a row stays in the cache
        square = mean * mean
        scale += float(square @ square)
        moment += float(((count - mean) ** 2 - variance - mean) @ square)
    error = variance * math.sqrt(5.0 * scale)
    gamma = max(moment - 2 * error, 0.0) / scale if scale > 0 else 0.0
    found = np.empty(expected.shape)
    for row, count, mean in zip(found, counts, expected, strict=True):
        spread = mean + gamma * (mean * mean)
        weight = spread / np.maximum(spread + variance, np.finfo(np.float64).tiny)
        np.maximum(mean + weight * (count - mean), LEAST_SHARE * mean, out=row)
    return found


@register
@dataclass(frozen=True, eq=False)
class TransitionModel(Recommender):
    """A gravity model and noisy counts of transitions, of which as much counts as their noise is small.

    Parameters
    ----------
    visits, bands, visit_variance
        As of :class:`~privacy_engine.recommender.gravity.GravityModel`.
    transitions : (cells²,) int
        How often each cell followed each other one, with noise: those from cell 0 first.
    transition_variance : float
        The variance of the noise on each of ``transitions``.
    """

    model: ClassVar[str] = "transitions"

    visits: Ints
    bands: Ints
    visit_variance: float
    transitions: Ints
    transition_variance: float

    @cached_property
    def gravity(self) -> GravityModel:
        """The gravity model of its visits and bands."""
        return GravityModel(self.grid, self.visits, self.bands, self.visit_variance, private=self.private)

    @cached_property
    def estimates(self) -> Floats:
        """The estimated transitions between each two cells, (cells, cells); 0 on the diagonal."""
        counts = self.transitions.reshape(len(self.grid), -1).astype(np.float64)
        np.fill_diagonal(counts, 0.0)
        return shrunk_towards(counts, expected_transitions(self.gravity), self.transition_variance)

    def scores(self, history: Sequence[int]) -> Floats:
        """The estimated transitions from the last cell of ``history``; the mass of cells after no history."""
        found = self.checked(history)
        return self.estimates[found[-1]].copy() if len(found) else self.gravity.scores([])

    def densities(self) -> Floats:
        return self.gravity.densities()

    def parts(self) -> dict[str, Any]:
        own = {"transitions": self.transitions.tolist(), "transition_variance": self.transition_variance}
        return self.gravity.parts() | own

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        counts = whole_numbers(parts["transitions"], "transitions", len(grid) ** 2)
        variance = number(parts["transition_variance"], "transition_variance", lowest=0.0)
        return cls(grid, *gravity_parts(grid, parts), counts, variance, private=private)
