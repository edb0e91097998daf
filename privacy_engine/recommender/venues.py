"""``VenuesModel``: noisy counts of check-ins at the venues of a public list, by venue and by cell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.grid import Grid
from privacy_engine.data.venues import Venues
from privacy_engine.errors import DataError
from privacy_engine.recommender.base import Recommender, register, whole_numbers


@register
@dataclass(frozen=True, eq=False)
class VenuesModel(Recommender):
    """How many check-ins each listed venue in the box had, with noise: whole numbers (venues,), some negative."""

    model: ClassVar[str] = "venues"

    venues: Venues
    counts: Ints

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        if counts.dtype != np.int64 or counts.shape != (len(self.venues),):
            rule = f"whole numbers, one for each of {len(self.venues)} venues"
            raise DataError.must_be("counts", rule, got=f"{counts.dtype} of {counts.shape}")
        if (self._cell < 0).any():
            raise DataError("venues must lie in the box of the grid", field="venues", rule="in the box")

    @cached_property
    def _cell(self) -> Ints:
        return self.grid.cells(self.venues.lon, self.venues.lat)

    @cached_property
    def _sums(self) -> Floats:
        return np.bincount(self._cell, weights=self.counts, minlength=len(self.grid)).astype(np.float64)

    def scores(self, history: Sequence[int]) -> Floats:
        """The sum of the counts of each cell's venues, whatever the history."""
        self.checked(history)
        return self._sums

    def densities(self) -> Floats:
        return self._sums

    def venues_in(self, cell: int, k: int) -> Ints:
        """Up to ``k`` rows of ``venues`` in a cell, the largest count first; of equal counts the first of the list."""
        rows = np.flatnonzero(self._cell == int(self.checked([cell])[0]))
        return rows[np.argsort(-self.counts[rows], kind="stable")][: max(int(k), 0)].astype(np.int64)

    def parts(self) -> dict[str, Any]:
        return {"venues": self.venues.as_dict(), "counts": self.counts.tolist()}

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        venues = Venues.from_dict(parts["venues"])
        return cls(grid, venues, whole_numbers(parts["counts"], "counts", len(venues)), private=private)
