"""``GravityModel``: cells are recommended by how often they are visited and how far they lie from the last cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.grid import Grid
from privacy_engine.recommender.base import Recommender, number, register, whole_numbers
from privacy_engine.recommender.distance_bands import (
    BANDS,
    band_table,
    bands_between,
    from_cell,
    offset_distances_m,
    offset_pairs,
)
from privacy_engine.recommender.sequences import Sequences
from privacy_engine.recommender.shrinkage import shrunk_towards

FLOOR = 0.1
"""The least mass of a cell, as a share of the mean."""


def visit_counts(sequences: Sequences) -> Ints:
    """How often each cell is in the sequences, (cells,)."""
    return np.bincount(sequences.cells, minlength=len(sequences.grid)).astype(np.int64)


def weighted_visits(sequences: Sequences, most: int, parts: int) -> Ints:
    """Visits of each cell in ``parts`` of a visit, (cells,): a user's weigh at most ``most`` together.

    Weights are rounded down to whole parts, so a user adds at most ``parts * most`` in sum.
    """
    lengths = np.diff(sequences.starts)
    weights = np.repeat(parts * most // np.maximum(lengths, most), lengths)
    return np.bincount(sequences.cells, weights, minlength=len(sequences.grid)).astype(np.int64)


def band_counts(sequences: Sequences) -> Ints:
    """How many transitions of the sequences go to a cell in each band around the last cell, (BANDS,)."""
    pairs = sequences.windows(2)
    bands = bands_between(sequences.grid, pairs[:, 0], pairs[:, 1])
    return np.bincount(bands, minlength=BANDS).astype(np.int64)


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


def transitions_by_offset(grid: Grid, bands: Ints, variance: float) -> Floats:
    r"""Estimated transitions per pair of cells so many rows and columns apart, (rows, columns), 0 of no distance.

    Counts of ``bands`` with noise of known ``variance`` are shrunk towards the public law :math:`1/d^2` [1]_, whose
    constant is fitted to them, then pooled so that they never increase with distance; within a band, or bands that
    were pooled, transitions fall by the law. So noise never prefers a far cell, and hides no order of near ones.

    References
    ----------
    .. [1] Stewart. "An inverse distance variation for certain social influences". Science 1941.
    """
    table, distances, pairs = band_table(grid), offset_distances_m(grid), offset_pairs(grid)
    apart = table >= 0
    factors = np.zeros(table.shape)
    if not apart.any():
        return factors
    law = (distances[apart].min() / distances[apart]) ** 2
    band, pairs = table[apart], pairs[apart]
    known, band = np.unique(band, return_inverse=True)
    sizes, masses = np.bincount(band, pairs).astype(np.float64), np.bincount(band, law * pairs)
    counts = bands[known].astype(np.float64)
    constant = max(float(counts @ masses) / float(masses @ masses), 1.0 / float(masses.sum()))
    expected = np.asarray(constant * masses, dtype=np.float64)
    estimates = shrunk_towards(counts[None], expected[None], variance)[0]
    fitted = nonincreasing(estimates / sizes, sizes)
    pool = np.cumsum(np.diff(fitted, prepend=fitted[:1]) != 0)[band]
    factors[apart] = fitted[band] * law / (np.bincount(pool, law * pairs) / np.bincount(pool, pairs))[pool]
    order = np.argsort(distances[apart], kind="stable")
    falling = np.minimum.accumulate(factors[apart][order])
    factors[apart] = falling[np.argsort(order)]
    return factors


@register
@dataclass(frozen=True, eq=False)
class GravityModel(Recommender):
    """Noisy visits of each cell and noisy transitions by distance: a score is the product of both.

    Parameters
    ----------
    visits : (cells,) int
        How often each cell was visited, with noise, in parts of a visit.
    bands : (BANDS,) int
        How many transitions went to a cell in each band of distance, with noise.
    visit_variance : float
        The variance of the noise on each of ``visits``.
    band_variance : float
        That of the noise on each of ``bands``; 0 in models that were published before they stated it.
    visit_parts : int
        How many parts a visit has: 1 where visits are not weighted.
    """

    model: ClassVar[str] = "gravity"

    visits: Ints
    bands: Ints
    visit_variance: float
    band_variance: float
    visit_parts: int = 1

    @cached_property
    def mass(self) -> Floats:
        """The visits, shrunk towards their mean, (cells,), all positive: equal where noise alone could be the cause.

        A negative count is estimated as 0 is, since no cell has fewer visits.
        """
        visits = self.densities()[None]
        mean = np.full(visits.shape, max(float(visits.mean()), 1.0))
        return shrunk_towards(visits, mean, self.visit_variance / self.visit_parts**2, FLOOR, lowest=0.0).reshape(-1)

    @cached_property
    def factors(self) -> Floats:
        """Transitions per pair of cells so many rows and columns apart: :func:`transitions_by_offset`."""
        return transitions_by_offset(self.grid, self.bands, self.band_variance)

    def scores(self, history: Sequence[int]) -> Floats:
        """The mass of each cell times the factor of its distance from the last cell of ``history``."""
        visits = self.checked(history)
        if not len(visits):
            return self.mass.copy()
        return np.asarray(self.mass * from_cell(self.factors, int(visits[-1])))

    def densities(self) -> Floats:
        return np.asarray(self.visits / self.visit_parts)

    def parts(self) -> dict[str, Any]:
        numbers = {"visits": self.visits.tolist(), "bands": self.bands.tolist()}
        variances = {"visit_variance": self.visit_variance, "band_variance": self.band_variance}
        stated = {name: value for name, value in variances.items() if value or name == "visit_variance"}
        return numbers | stated | ({"visit_parts": self.visit_parts} if self.visit_parts != 1 else {})

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        return cls(grid, *gravity_parts(grid, parts), visit_parts_of(parts), private=private)


def gravity_parts(grid: Grid, parts: Mapping[str, Any]) -> tuple[Ints, Ints, float, float]:
    """Visits, bands and the variances of the noise on them, as a description has them; DataError otherwise."""
    visits = whole_numbers(parts["visits"], "visits", len(grid))
    bands = whole_numbers(parts["bands"], "bands", BANDS)
    variance = number(parts["visit_variance"], "visit_variance", lowest=0.0)
    return visits, bands, variance, number(parts.get("band_variance", 0.0), "band_variance", lowest=0.0)


def visit_parts_of(parts: Mapping[str, Any]) -> int:
    """How many parts a visit has in a description: 1 where it states none; DataError otherwise."""
    count = int(whole_numbers([parts.get("visit_parts", 1)], "visit_parts", 1)[0])
    return int(number(count, "visit_parts", lowest=1.0))
