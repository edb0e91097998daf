"""``PopularityModel``: noisy counts of check-ins in the cells of a public grid."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError
from privacy_engine.recommender.base import Recommender, register, whole_numbers


@register
@dataclass(frozen=True, eq=False)
class PopularityModel(Recommender):
    """How many check-ins each cell of a public grid had, with noise: whole numbers (cells,), some of them negative."""

    model: ClassVar[str] = "popularity"
    digest_header: ClassVar[str] = "cairn popularity 1"

    counts: Ints

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        if counts.dtype != np.int64 or counts.shape != (len(self.grid),):
            rule = f"whole numbers, one for each of {len(self.grid)} cells"
            raise DataError.must_be("counts", rule, got=f"{counts.dtype} of {counts.shape}")

    def top(self, k: int) -> Ints:
        """The ``k`` cells with the largest counts, the first first; of equal ones those with the smaller number."""
        return self.recommend([], k)

    def scores(self, history: Sequence[int]) -> Floats:
        """The counts, whatever the history."""
        self.checked(history)
        return self.counts.astype(np.float64)

    def densities(self) -> Floats:
        return self.counts.astype(np.float64)

    def parts(self) -> dict[str, Any]:
        return {"counts": self.counts.tolist()}

    def as_dict(self) -> dict[str, Any]:
        """The model as JSON-ready data, without ``model``: it was published so before there were others."""
        return {"grid": self.grid.as_dict(), **self.parts()}

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        return cls(grid, whole_numbers(parts["counts"], "counts", len(grid)), private=private)
