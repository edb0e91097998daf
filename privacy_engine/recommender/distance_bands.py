"""Public bands of distance between the cells of a grid, on a logarithmic scale."""

from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.data.grid import Grid

BANDS = 16


def offset_distances_m(grid: Grid) -> Floats:
    """Distances between the centres of cells so many rows and columns apart, (rows, columns), in metres.

    On the plane that touches the earth in the middle of the box.
    """
    metre = EARTH_RADIUS_M * np.pi / 180
    height = (grid.north - grid.south) / grid.rows * metre
    width = (grid.east - grid.west) / grid.columns * metre * np.cos(np.radians((grid.north + grid.south) / 2))
    return np.asarray(np.hypot(np.arange(grid.rows)[:, None] * height, np.arange(grid.columns) * width))


@lru_cache(maxsize=16)
def band_table(grid: Grid) -> Ints:
    """The band of cells so many rows and columns apart, (rows, columns), 0 to :data:`BANDS` - 1; -1 of no distance.

    Their edges are equally spaced logarithms from the smallest to the largest distance between two cells.
    """
    distances = offset_distances_m(grid)
    apart = distances > 0
    table = np.full(distances.shape, -1)
    if apart.any():
        low, high = np.log(distances[apart].min()), np.log(distances[apart].max())
        scaled = (np.log(distances[apart]) - low) / max(high - low, 1e-12) * BANDS
        table[apart] = np.minimum(scaled.astype(np.int64), BANDS - 1)
    table.setflags(write=False)
    return table


def bands_between(grid: Grid, first: Ints, second: Ints) -> Ints:
    """The band of each pair of cells; arrays of the same shape, or that broadcast."""
    rows, columns = (
        np.abs(here - other) for here, other in zip(*(np.divmod(x, grid.columns) for x in (first, second)), strict=True)
    )
    return np.asarray(band_table(grid)[rows, columns])


def from_cell(by_offset: Floats, cell: int) -> Floats:
    """Values by rows and columns apart, (rows, columns), as those of all cells from ``cell``, (cells,)."""
    row, column = divmod(cell, by_offset.shape[1])
    rows, columns = (np.abs(np.arange(n) - at) for n, at in zip(by_offset.shape, (row, column), strict=True))
    return np.asarray(by_offset[rows[:, None], columns].ravel())


def between_all(by_offset: Floats) -> Floats:
    """Values by rows and columns apart, (rows, columns), as those of every two cells, (cells, cells)."""
    rows, columns = (np.abs(np.arange(1 - n, n)) for n in by_offset.shape)
    offsets = sliding_window_view(by_offset[rows[:, None], columns], by_offset.shape)
    return np.ascontiguousarray(offsets[::-1, ::-1]).reshape(by_offset.size, by_offset.size)


def offset_pairs(grid: Grid) -> Ints:
    """How many ordered pairs of cells are so many rows and columns apart, (rows, columns)."""
    rows, columns = np.arange(grid.rows)[:, None], np.arange(grid.columns)
    return (grid.rows - rows) * (grid.columns - columns) * np.where(rows > 0, 2, 1) * np.where(columns > 0, 2, 1)
