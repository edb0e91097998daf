"""What of a line a picture shows: the map's own projection, half a pixel of tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from privacy_engine.data import Floats, Ints

TILE = 256
MAX_LAT = 85.0511287798
DEDUPED, TOLERANCE = 0.5, 0.5
"""Pixels: corners nearer than the first to the last one, and points nearer than the second to a line, are left out."""


@dataclass(frozen=True)
class Picture:
    """A map's view: its north-western corner in degrees, size in pixels and zoom (the world is 256·2^zoom wide).

    Longitudes are taken within half a turn of ``middle``, as the map takes them.
    """

    west: float
    north: float
    width: float
    height: float
    zoom: float
    middle: float

    @property
    def scale(self) -> float:
        """How many pixels wide the world is."""
        return float(TILE * 2**self.zoom)

    def pixels(self, lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
        """Positions (n,) in pixels to the right of and below the corner."""
        east = lon - 360.0 * np.round((lon - self.middle) / 360.0)
        x = (east - self.west) * (self.scale / 360.0)
        return x, (_heights(lat) - float(_heights(np.array([self.north]))[0])) * self.scale

    def shown(self, lon: Floats, lat: Floats) -> tuple[Ints, Ints]:
        """Indices of the points that draw the line in this picture, (m,), and how many each piece of it has."""
        from privacy_engine.kernels.simplify import apart, straightened, visible

        x, y = self.pixels(lon, lat)
        pieces = visible(x, y, self.width, self.height)
        kept, lengths = apart(x, y, pieces, DEDUPED)
        starts = np.zeros(len(kept), dtype=np.bool_)
        firsts = np.cumsum(lengths) - lengths
        starts[firsts] = True
        needed = straightened(x[kept], y[kept], starts, TOLERANCE)
        counts = np.add.reduceat(needed, firsts, dtype=np.int64) if len(firsts) else lengths
        return kept[needed], counts


def _heights(lat: Floats) -> Floats:
    """Height in the unit square of web Mercator, 0 at the north."""
    sine = np.sin(np.clip(lat, -MAX_LAT, MAX_LAT) * (math.pi / 180.0))
    return np.asarray(0.5 - np.arctanh(sine) / (2 * math.pi))
