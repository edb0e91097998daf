"""``NearestModel``: the nearest cells of a public grid, by the grid alone."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.geo import distance_m
from privacy_engine.data.grid import Grid
from privacy_engine.recommender.base import Recommender, register


@register
@dataclass(frozen=True, eq=False)
class NearestModel(Recommender):
    """Cells by their distance from the last: it has no number but the grid, and so is public."""

    model: ClassVar[str] = "nearest"

    @cached_property
    def _centres(self) -> tuple[Floats, Floats]:
        boxes = self.grid.boxes()
        return (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2

    def scores(self, history: Sequence[int]) -> Floats:
        """The negative distance from the last cell in metres, between centres; 0 for all without a last cell."""
        cells = self.checked(history)
        if not len(cells):
            return np.zeros(len(self.grid))
        lon, lat = self._centres
        return -np.round(distance_m(lon[cells[-1]], lat[cells[-1]], lon, lat), 3)

    def parts(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        return cls(grid, private=private)
