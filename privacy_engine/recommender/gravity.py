"""``GravityModel``: cells are recommended by how often they are visited and how far they lie from the last one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.data import Floats, Ints
from privacy_engine.grid import Grid
from privacy_engine.recommender.base import Recommender, number, register, whole_numbers
from privacy_engine.recommender.distance_bands import BANDS, band_sizes, bands_between
from privacy_engine.recommender.sequences import Sequences

FLOOR = 0.1
"""The least mass of a cell, as a share of the mean."""
LEAST_SHARE = 1e-3
"""The least transitions per pair of cells, as a share of the mean."""


def visit_counts(sequences: Sequences) -> Ints:
    """How often each cell is in the sequences, (cells,)."""
    return np.bincount(sequences.cells, minlength=len(sequences.grid)).astype(np.int64)


def band_counts(sequences: Sequences) -> Ints:
    """How many transitions of the sequences go to a cell in each band around the last one, (BANDS,)."""
    pairs = sequences.windows(2)
    bands = bands_between(sequences.grid, pairs[:, 0], pairs[:, 1])
    return np.bincount(bands, minlength=BANDS).astype(np.int64)


def shrunk(counts: Ints, variance: float) -> Floats:
    """Counts shrunk towards their mean by the part of their variance that noise of known ``variance`` explains.

    At least :data:`FLOOR` of the mean remains of each, and the mean is at least 1.
    """
    mean, spread = max(float(counts.mean()), 1.0), float(counts.var())
    weight = max(spread - variance, 0.0) / spread if spread > 0 else 0.0
    return np.asarray(np.maximum(mean + weight * (counts - mean), FLOOR * mean))


def nonincreasing(values: Floats, weights: Floats) -> Floats:
    """The sequence that never increases and is nearest to ``values`` in weighted squares, (n,) [1]_.

    >>> nonincreasing(np.array([5.0, 1.0, 3.0, 0.0]), np.array([1.0, 1.0, 3.0, 1.0])).tolist()
    [5.0, 2.5, 2.5, 0.0]

    References
    ----------
    .. [1] Ayer, Brunk, Ewing, Reid, Silverman. "An empirical distribution function for sampling with incomplete
       information". Annals of Mathematical Statistics 1955. (Pool adjacent violators.)
    """
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        block = (value, weight, 1)
        while blocks and blocks[-1][0] < block[0]:
            before = blocks.pop()
            weight = before[1] + block[1]
            block = ((before[0] * before[1] + block[0] * block[1]) / weight, weight, before[2] + block[2])
        blocks.append(block)
    return np.repeat([value for value, _, _ in blocks], [length for _, _, length in blocks])


@register
@dataclass(frozen=True, eq=False)
class GravityModel(Recommender):
    """Noisy visits of each cell and noisy transitions by distance: a score is the product of both.

    Parameters
    ----------
    visits : (cells,) int
        How often each cell was visited, with noise.
    bands : (BANDS,) int
        How many transitions went to a cell in each band of distance, with noise.
    visit_variance : float
        The variance of the noise on each of ``visits``.
    """

    model: ClassVar[str] = "gravity"

    visits: Ints
    bands: Ints
    visit_variance: float

    @cached_property
    def mass(self) -> Floats:
        """The visits, shrunk towards their mean, (cells,), all positive."""
        return shrunk(self.visits, self.visit_variance)

    @cached_property
    def factors(self) -> Floats:
        """Transitions per pair of cells of each band, (BANDS,), never more at a larger distance; 0 of empty bands.

        Where noise hides everything they fall with the distance or are equal: never is a far cell preferred by noise.
        """
        pairs = band_sizes(self.grid)
        found, known = np.zeros(BANDS), pairs > 0
        if known.any():
            fitted = nonincreasing(self.bands[known] / pairs[known], pairs[known].astype(np.float64))
            least = LEAST_SHARE * max(float(self.bands.sum()), 1.0) / float(pairs.sum())
            found[known] = np.maximum(fitted, least)
        return found

    def scores(self, history: Sequence[int]) -> Floats:
        """The mass of each cell times the factor of its band around the last cell of ``history``."""
        found = self.checked(history)
        if not len(found):
            return self.mass.copy()
        bands = bands_between(self.grid, found[-1:], np.arange(len(self.grid)))
        return np.where(bands < 0, 0.0, self.mass * self.factors[bands])

    def densities(self) -> Floats:
        return self.visits.astype(np.float64)

    def parts(self) -> dict[str, Any]:
        numbers = {"visits": self.visits.tolist(), "bands": self.bands.tolist()}
        return numbers | {"visit_variance": self.visit_variance}

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        return cls(grid, *gravity_parts(grid, parts), private=private)


def gravity_parts(grid: Grid, parts: Mapping[str, Any]) -> tuple[Ints, Ints, float]:
    """Visits, bands and the variance of the noise on visits, as a description has them; DataError otherwise."""
    visits = whole_numbers(parts["visits"], "visits", len(grid))
    bands = whole_numbers(parts["bands"], "bands", BANDS)
    return visits, bands, number(parts["visit_variance"], "visit_variance", lowest=0.0)
