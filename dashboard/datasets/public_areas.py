"""Areas to choose a public grid over: boxes around cities, known without any upload."""

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


def public_areas() -> list[dict[str, Any]]:
    """Return the areas as the pages' map has them."""
    sides = ("west", "south", "east", "north")
    return [{"name": name} | dict(zip(sides, box, strict=True)) for name, box in AREAS.items()]
