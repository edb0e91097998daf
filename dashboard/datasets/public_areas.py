"""Areas to choose a public grid over: boxes around cities, known without any upload."""

import math
from collections.abc import Sequence
from typing import Any

SAMPLE = "Zurich"
"""The area of the sample of check-ins, which is synthetic."""
AREAS: dict[str, tuple[float, float, float, float]] = {
    "Austin": (-97.95, 30.1, -97.55, 30.52),
    "Beijing, inner ring roads": (116.2, 39.75, 116.56, 40.03),
    "Berlin": (13.08, 52.33, 13.77, 52.68),
    "Istanbul": (28.6, 40.9, 29.35, 41.25),
    "London": (-0.52, 51.28, 0.34, 51.7),
    "Los Angeles": (-118.67, 33.7, -118.15, 34.34),
    "New York, five boroughs": (-74.26, 40.49, -73.7, 40.92),
    "New York, Manhattan": (-74.03, 40.69, -73.91, 40.83),
    "Paris": (2.22, 48.81, 2.47, 48.91),
    "Porto": (-8.7, 41.13, -8.55, 41.19),
    "San Francisco": (-122.52, 37.7, -122.35, 37.84),
    "São Paulo": (-46.83, -23.8, -46.36, -23.35),
    "Stockholm": (17.8, 59.22, 18.2, 59.44),
    "Tokyo, special wards": (139.56, 35.52, 139.92, 35.82),
    SAMPLE: (8.4, 47.3, 8.68, 47.46),
}
"""West, south, east and north in degrees, WGS 84, rounded outwards."""


def box_around(bounds: Sequence[float]) -> tuple[float, float, float, float]:
    """Return the smallest area that holds the bounds; where none does, the bounds, rounded outwards to 0.01 degrees.

    >>> box_around([2.3, 48.82, 2.4, 48.9]), box_around([7.0, 46.0, 7.003, 46.0])
    ((2.22, 48.81, 2.47, 48.91), (7.0, 46.0, 7.01, 46.01))
    """
    west, south, east, north = bounds
    holding = [
        box for box in AREAS.values() if box[0] <= west and box[1] <= south and east <= box[2] and north <= box[3]
    ]
    low = [math.floor(100 * side) / 100 for side in (west, south)]
    high = [min((math.floor(100 * side) + 1) / 100, most) for side, most in ((east, 180.0), (north, 90.0))]
    own = (min(low[0], 179.99), min(low[1], 89.99), high[0], high[1])
    return min(holding, key=lambda box: (box[2] - box[0]) * (box[3] - box[1]), default=own)


def public_areas() -> list[dict[str, Any]]:
    """Return the areas as the pages' map has them."""
    sides = ("west", "south", "east", "north")
    return [{"name": name} | dict(zip(sides, box, strict=True)) for name, box in AREAS.items()]
