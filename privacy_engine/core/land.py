"""Where land is, in cells of half a degree: Natural Earth at 1 : 10 million (public domain), see decision 137."""

import zlib
from functools import cache
from pathlib import Path

import numpy as np

from privacy_engine.core.arrays import Floats, Mask

CELL = 0.5
"""Degrees that a cell is wide and high; the first is at 180° west, 90° south, the next to the east of it."""


@cache
def _cells() -> Mask:
    packed = np.frombuffer(zlib.decompress(Path(__file__).with_name("land.bin").read_bytes()), dtype=np.uint8)
    return np.unpackbits(packed).astype(np.bool_).reshape(round(180 / CELL), round(360 / CELL))


def near_land(lon: Floats, lat: Floats) -> Mask:
    """Which positions (n,) in degrees, on the globe, are in a cell that has land.

    >>> near_land(np.array([13.4, -30.0]), np.array([52.5, 40.0])).tolist()
    [True, False]
    """
    cells = _cells()
    row, column = (np.asarray((axis + most) // CELL, dtype=np.intp) for axis, most in ((lat, 90), (lon, 180)))
    return np.asarray(cells[np.minimum(row, cells.shape[0] - 1), column % cells.shape[1]])
