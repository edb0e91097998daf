"""A map that the server draws in a page: cells that count positions, the built-in cities, a scale."""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings

from dashboard.core.axis import round_below
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import LocalPlane

WIDTH, HEIGHT, MARGIN = 680, 222, 22
CARD = 240
"""Pixels on the right that a text may cover: positions lie to the left of them."""
FINEST = 0.02
"""Metres of a pixel, at least."""
OUTSIDE = 0.005
"""The share of many positions that may lie beyond each edge."""
RADIUS = 5.5
ACROSS, DOWN = RADIUS * math.sqrt(3), RADIUS * 1.5
OPACITIES = (0.35, 0.55, 0.75, 1.0)
"""Of cells with few and with many positions."""
SHADES = len(OPACITIES)
USUAL = 0.95
"""The darkest shade begins at this quantile of the cells' counts."""
CITIES = 4
APART = 110
"""Pixels between the names of two cities."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Where positions lie in the image: ``middle`` (2,) is at half the height and at half of its ``width``."""

    plane: LocalPlane
    middle: Floats
    width: int
    m_per_px: float

    @classmethod
    def around(cls, lon: Floats, lat: Floats, *, coarsest_m: float = 0.0) -> Frame:
        """A frame around positions (n,), at least 1, with a card if ``coarsest_m``, which are 43 pixels at most."""
        plane = LocalPlane.around(lon, lat)
        share = OUTSIDE if len(lon) * OUTSIDE >= 1 else 0.0
        low, high = np.quantile(plane.project(lon, lat), [share, 1 - share], axis=0)
        width = WIDTH - CARD * bool(coarsest_m)
        needed = (high - low) / [width - 2 * MARGIN, HEIGHT - 2 * MARGIN]
        return cls(plane, (low + high) / 2, width, max(*needed.tolist(), coarsest_m / 43, FINEST))

    def places(self, lon: Any, lat: Any) -> Floats:
        """Pixels from the upper left corner, (n, 2)."""
        moved = (self.plane.project(np.asarray(lon), np.asarray(lat)) - self.middle) / self.m_per_px
        return np.asarray(moved * [1, -1] + [self.width / 2, HEIGHT / 2])

    def rectangle(self, west: float, south: float, east: float, north: float) -> str:
        """The path around a box in degrees."""
        (left, top), (right, base) = self.places([west, east], [north, south])
        return f"M{left:.1f} {top:.1f}H{right:.1f}V{base:.1f}H{left:.1f}z"

    def drawn(self) -> dict[str, Any]:
        """Its scale and cities, as templates have them."""
        bar_m = round_below(110 * self.m_per_px)
        bar = {"bar_m": bar_m, "bar": bar_m / self.m_per_px}
        return {"width": WIDTH, "height": HEIGHT, "cities": list(self._cities()), **bar}

    def _cities(self) -> Iterator[dict[str, Any]]:
        """The most important ones inside whose names cover no other and no text."""
        lon, lat, names = cities()
        near = np.flatnonzero(np.hypot(*(self.plane.project(lon, lat) - self.middle).T) < WIDTH * self.m_per_px)
        shown: list[tuple[float, float]] = []
        for i, (x, y) in zip(near.tolist(), self.places(lon[near], lat[near]).tolist(), strict=True):
            inside = 40 < x < WIDTH - 40 and 20 < y < HEIGHT - 12
            covered = (y > HEIGHT - 56 and x < 200) or (y > HEIGHT - 140 and self.width - 40 < x)
            if inside and not covered and all(abs(x - a) > APART or abs(y - b) > 18 for a, b in shown):
                shown.append((x, y))
                yield {"x": round(x, 1), "y": round(y, 1), "name": names[i]}
            if len(shown) == CITIES:
                return


@cache
def cities() -> tuple[Floats, Floats, list[str]]:
    """Longitudes and latitudes (n,) of the built-in cities and their names, the most important first."""
    (path,) = Path(settings.BASE_DIR, "static", "base-map").glob("cities.*.bin")
    rows = json.loads(gzip.decompress(path.read_bytes()))["cities"]
    return np.array([row[3] for row in rows]), np.array([row[4] for row in rows]), [row[0] for row in rows]


def hexagons(places: Floats) -> tuple[Floats, Ints]:
    """Middles (k, 2) of the hexagons in which places (n, 2) lie, and how many each has, (k,)."""
    x, y = places.T
    above = np.floor(y / DOWN)
    rows = np.stack([above, above + 1])
    shift = rows % 2 / 2
    columns = np.rint(x / ACROSS - shift)
    middles = np.stack([(columns + shift) * ACROSS, rows * DOWN], axis=2)  # of the nearest in either row
    nearer = ((middles - places) ** 2).sum(axis=2).argmin(axis=0)
    return np.unique(middles[nearer, np.arange(len(places))], axis=0, return_counts=True)


def shades(counts: Ints) -> list[int]:
    """The least count of each shade: 1, then evenly in the logarithm up to the 95 % quantile, as on other maps."""
    top = max(SHADES, int(np.sort(counts)[int(len(counts) * USUAL)]))
    steps = np.arange(SHADES)
    even = np.rint(top ** (steps / (SHADES - 1))).astype(np.int64)
    least: list[int] = (np.maximum.accumulate(even - steps) + steps).tolist()
    return least


def density(places: Floats) -> dict[str, Any]:
    """Positions counted in hexagons: a path of each shade, with its text, and how many lie outside the image."""
    seen = ((places >= 0) & (places <= [WIDTH, HEIGHT])).all(axis=1)
    outside = int((~seen).sum())
    if outside == len(places):
        return {"shades": [], "outside": outside}
    middles, counts = hexagons(places[seen])
    least = shades(counts)
    which = np.searchsorted(least, counts, side="right") - 1
    size, half = RADIUS - 0.5, (RADIUS - 0.5) * math.sqrt(3) / 2
    hexagon = f"l{half:.2f} {size / 2}v{size}l-{half:.2f} {size / 2}l-{half:.2f}-{size / 2}v-{size}z"
    texts = [str(a) if a == b - 1 else f"{a} to {b - 1}" for a, b in pairwise(least)]
    drawn = []
    for shade, text in enumerate([*texts, f"{least[-1]}+"]):
        path = "".join(f"M{x:.1f} {y - size:.1f}{hexagon}" for x, y in middles[which == shade].tolist())
        drawn.append({"opacity": OPACITIES[shade], "path": path, "text": text})
    return {"shades": drawn, "outside": outside}
