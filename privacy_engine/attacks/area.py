"""The area an adversary knows beforehand, as square cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError

WIDEST_M = 2e6
"""Distances in a plane of this width are off by half a per cent at most."""


@dataclass(frozen=True)
class Area:
    """A box of a plane: metres east and north of its origin. Everything is taken to happen inside."""

    plane: geo.LocalPlane
    west_m: float
    south_m: float
    east_m: float
    north_m: float

    def __post_init__(self) -> None:
        for field, width in (("east_m", self.east_m - self.west_m), ("north_m", self.north_m - self.south_m)):
            if not 0 < width <= WIDEST_M:
                rule = f"more than 0 and at most {WIDEST_M:,.0f} m from the other side"
                raise DataError.must_be(field, rule, width, got=f"{width:g}")

    @classmethod
    def around(cls, series: Trajectory, tile_m: float) -> Self:
        """The tiles that hold ``series`` (with events), of a raster fixed beforehand.

        Tiles ``tile_m`` wide are counted from the whole degree nearest to the middle of the series, so the middle of
        the area shows nothing finer than the tiles do.
        """
        middle = geo.LocalPlane.around(series.lon, series.lat)
        plane = geo.LocalPlane(round(middle.lon), round(middle.lat))
        xy_m = plane.project(series.lon, series.lat)
        west, south = tile_m * np.floor(xy_m.min(axis=0) / tile_m)
        east, north = tile_m * (np.floor(xy_m.max(axis=0) / tile_m) + 1)
        return cls(plane, float(west), float(south), float(east), float(north))

    def grid(self, cells: int) -> Grid:
        """Square cells, ``cells`` of them along the longer side."""
        width, height = self.east_m - self.west_m, self.north_m - self.south_m
        cell = max(width, height) / cells
        columns, rows = (max(1, math.ceil(side / cell - 1e-9)) for side in (width, height))
        x = self.west_m + width / 2 + cell * (np.arange(columns) - (columns - 1) / 2)
        y = self.south_m + height / 2 + cell * (np.arange(rows) - (rows - 1) / 2)
        lon, lat = self.plane.unproject(np.column_stack([np.repeat(x, rows), np.tile(y, columns)]))
        return Grid(columns, rows, cell, lon, lat)


@dataclass(frozen=True, eq=False)
class Grid:
    """Centres of ``columns`` by ``rows`` square cells, in degrees, (columns · rows,), south to north, then east."""

    columns: int
    rows: int
    cell_m: float
    lon: Floats
    lat: Floats

    def __len__(self) -> int:
        return self.columns * self.rows

    def distances_m(self, lon: Floats, lat: Floats) -> Floats:
        """Great-circle distance of positions (b,) to every centre, (b, cells)."""
        return geo.distance_m(lon[:, None], lat[:, None], self.lon, self.lat)
