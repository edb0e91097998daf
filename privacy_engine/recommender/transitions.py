"""``TransitionModel``: noisy counts of transitions between cells, shrunk towards what a gravity model expects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.grid import Grid
from privacy_engine.recommender.base import Recommender, number, register, whole_numbers
from privacy_engine.recommender.distance_bands import between_all
from privacy_engine.recommender.gravity import GravityModel, gravity_parts, visit_parts_of
from privacy_engine.recommender.sequences import Sequences
from privacy_engine.recommender.shrinkage import shrunk_towards


def transition_counts(sequences: Sequences) -> Ints:
    """How often each cell follows each other cell, (cells²,): those of cell 0 first."""
    pairs, cells = sequences.windows(2), len(sequences.grid)
    return np.bincount(pairs[:, 0] * cells + pairs[:, 1], minlength=cells**2).astype(np.int64)


def expected_transitions(gravity: GravityModel) -> Floats:
    """How many transitions a gravity model expects between each two cells, (cells, cells).

    From each cell so many of all transitions as its share of the mass; from there by the model's scores.
    """
    expected = between_all(gravity.factors)
    expected *= gravity.mass
    total = max(float(gravity.bands.sum()), 1.0) * gravity.mass / gravity.mass.sum()
    expected *= (total / np.maximum(expected.sum(axis=1), 1e-300))[:, None]
    return expected


@register
@dataclass(frozen=True, eq=False)
class TransitionModel(Recommender):
    """A gravity model and noisy counts of transitions, of which as much counts as their noise is small.

    Parameters
    ----------
    visits, bands, visit_variance, band_variance, visit_parts
        As of :class:`~privacy_engine.recommender.gravity.GravityModel`.
    transitions : (cells²,) int
        How often each cell followed each other cell, with noise: those from cell 0 first.
    transition_variance : float
        The variance of the noise on each of ``transitions``.
    """

    model: ClassVar[str] = "transitions"

    visits: Ints
    bands: Ints
    visit_variance: float
    band_variance: float
    transitions: Ints
    transition_variance: float
    visit_parts: int = 1

    @cached_property
    def gravity(self) -> GravityModel:
        """The gravity model of its visits and bands."""
        stated = self.visit_variance, self.band_variance, self.visit_parts
        return GravityModel(self.grid, self.visits, self.bands, *stated, private=self.private)

    @cached_property
    def estimates(self) -> Floats:
        """The estimated transitions between each two cells, (cells, cells); 0 on the diagonal."""
        counts = self.transitions.reshape(len(self.grid), -1).astype(np.float64)
        np.fill_diagonal(counts, 0.0)
        return shrunk_towards(counts, expected_transitions(self.gravity), self.transition_variance)

    def scores(self, history: Sequence[int]) -> Floats:
        """The estimated transitions from the last cell of ``history``; the mass of cells after no history."""
        visits = self.checked(history)
        return self.estimates[visits[-1]].copy() if len(visits) else self.gravity.scores([])

    def densities(self) -> Floats:
        return self.gravity.densities()

    def parts(self) -> dict[str, Any]:
        own = {"transitions": self.transitions.tolist(), "transition_variance": self.transition_variance}
        return self.gravity.parts() | own

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        counts = whole_numbers(parts["transitions"], "transitions", len(grid) ** 2)
        variance = number(parts["transition_variance"], "transition_variance", lowest=0.0)
        return cls(grid, *gravity_parts(grid, parts), counts, variance, visit_parts_of(parts), private=private)
