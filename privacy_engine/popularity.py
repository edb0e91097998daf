"""A public grid of cells over a box, and ``PopularityModel``: noisy counts of check-ins in its cells."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.data import Floats, Ints
from privacy_engine.errors import DataError


@dataclass(frozen=True)
class Grid:
    """``side`` times ``side`` cells over a box in degrees; cell 0 is in the south-west, 1 the next one to the east."""

    west: float
    south: float
    east: float
    north: float
    side: int

    def __len__(self) -> int:
        return self.side**2

    def cells(self, lon: ArrayLike, lat: ArrayLike) -> Ints:
        """The cell of each position, (n,), -1 outside the box; east and north edges belong to the last cells."""
        x, y = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
        inside = (x >= self.west) & (x <= self.east) & (y >= self.south) & (y <= self.north)
        column = np.clip(np.floor((x - self.west) / (self.east - self.west) * self.side), 0, self.side - 1)
        row = np.clip(np.floor((y - self.south) / (self.north - self.south) * self.side), 0, self.side - 1)
        return np.where(inside, row * self.side + column, -1).astype(np.int64)

    def edges(self) -> tuple[Floats, Floats]:
        """Longitudes and latitudes of the edges of columns and rows, (side + 1,) each."""
        lon, lat = np.linspace(self.west, self.east, self.side + 1), np.linspace(self.south, self.north, self.side + 1)
        return lon, lat

    def boxes(self) -> Floats:
        """West, south, east and north of each cell, (side², 4)."""
        lon, lat = self.edges()
        row, column = np.divmod(np.arange(len(self)), self.side)
        return np.column_stack([lon[column], lat[row], lon[column + 1], lat[row + 1]])


@dataclass(frozen=True, eq=False)
class PopularityModel:
    """How many check-ins each cell of a public grid had, with noise: whole numbers (side²,), some of them negative.

    ``private`` is True only if all noise came from the operating system's generator.
    """

    grid: Grid
    counts: Ints
    private: bool = False

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        if counts.dtype != np.int64 or counts.shape != (len(self.grid),):
            rule = f"whole numbers, one for each of {len(self.grid)} cells"
            raise DataError(f"counts must be {rule}, got {counts.dtype} of {counts.shape}", field="counts", rule=rule)

    def __len__(self) -> int:
        return len(self.counts)

    def top(self, k: int) -> Ints:
        """The ``k`` cells with the largest counts, the first first; of equal ones those with the smaller number."""
        return np.argsort(-self.counts, kind="stable")[:k].astype(np.int64)

    def recommend(self, history: Sequence[int], k: int) -> Ints:
        """The ``k`` cells recommended after a ``history`` of cells: the most popular ones, whatever the history."""
        return self.top(k)

    def as_dict(self) -> dict[str, Any]:
        """The model as JSON-ready data."""
        return {"grid": asdict(self.grid), "counts": self.counts.tolist()}

    @classmethod
    def from_dict(cls, description: dict[str, Any], *, private: bool = False) -> PopularityModel:
        """The model of :meth:`as_dict`."""
        return cls(Grid(**description["grid"]), np.array(description["counts"], dtype=np.int64), private)


def model_digest(model: PopularityModel) -> str:
    """SHA-256 of a model's canonical JSON, the same for every format it is exported to. It is no signature."""
    text = json.dumps(model.as_dict(), sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(b"cairn popularity 1\n" + text.encode()).hexdigest()
