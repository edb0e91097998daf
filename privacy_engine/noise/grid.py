"""The grid that everything published lies on: cells of 1e-7 degrees, numbered by integers."""

import numpy as np

from privacy_engine.core.arrays import Floats, Ints

GRID_DEG = 1e-7
"""Published coordinates are integer multiples of this: a declared grid of about 1 cm, fixed and public."""
CELLS_PER_DEGREE = 10_000_000
TURN, HALF_TURN = 360 * CELLS_PER_DEGREE, 180 * CELLS_PER_DEGREE


def wrapped(east: Ints) -> Ints:
    """East cells brought into [-HALF_TURN, HALF_TURN), in integers: the antimeridian is no boundary."""
    return np.asarray((east + HALF_TURN) % TURN - HALF_TURN)


def degrees(cells: Ints) -> Floats:
    """The float nearest to each cell's centre, k/10^7: it is written with at most 7 decimals and gives k back."""
    return np.asarray(cells / CELLS_PER_DEGREE)


def on_grid(lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
    """Degrees as the centres of their cells, longitude in [-180, 180): for what is computed from releases alone."""
    east, north = (np.rint(axis * CELLS_PER_DEGREE).astype(np.int64) for axis in (lon, lat))
    return degrees(wrapped(east)), degrees(north)
