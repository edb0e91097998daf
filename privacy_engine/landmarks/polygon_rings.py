"""Shapes drawn in longitude and latitude: rings unwrapped at the antimeridian, and which positions lie within.

A polygon is what its corners enclose in the plane of longitude and latitude, as a map draws it. An edge goes the short
way round: corners 200 degrees apart are 160 degrees apart across the antimeridian.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.errors import ParameterError

if TYPE_CHECKING:
    import shapely

TURN = 360.0
SAME_DEG = 1e-9  # a ring whose ends are nearer than this, some turns apart or none, is closed
MARGIN_DEG = 1e-5  # about a metre: what the rounding of a great-circle distance cannot reach

Rings = Sequence[Sequence[Sequence[float]]]


def polygon(rings: Rings) -> shapely.Polygon:
    """What ``rings`` of [longitude, latitude] enclose: the first is the outline, the others are holes in it.

    Its longitudes run on across the antimeridian; its west end lies in [-180, 180). Rings may be closed or open.

    Raises
    ------
    ParameterError
        A ring encloses nothing, goes round a pole or crosses itself, or a hole is not inside.
    """
    import shapely

    outline, *holes = [_unwrapped(np.array(ring, dtype=np.float64)) for ring in rings]
    west, east = outline[:, 0].min(), outline[:, 0].max()
    if east - west > TURN:
        raise _refused("must not overlap itself around the globe")
    outline[:, 0] -= TURN * np.floor((west + 180.0) / TURN)
    middle = _middle(outline)
    for hole in holes:
        hole[:, 0] += TURN * np.round((middle - _middle(hole)) / TURN)
    shape = shapely.Polygon(outline, holes)
    if not shapely.is_valid(shape):
        raise _refused(f"must be rings that do not cross, the holes inside the first{_where(shape)}")
    return shape


def _unwrapped(ring: Floats) -> Floats:
    """The corners, each within half a turn of the corner before, (m, 2); the last is not the first again."""
    import shapely

    if len(ring) > 1 and ring[0, 1] == ring[-1, 1]:
        turns = (ring[-1, 0] - ring[0, 0]) / TURN
        if abs(turns - round(turns)) * TURN < SAME_DEG:
            ring = ring[:-1]
    turns = np.round(np.diff(ring[:, 0], append=ring[:1, 0]) / TURN)
    if turns.sum():
        raise _refused("must not go round a pole")
    ring = ring.copy()
    ring[1:, 0] -= TURN * np.cumsum(turns[:-1])
    if not shapely.area(shapely.convex_hull(shapely.MultiPoint(ring))):
        raise _refused("must enclose an area: at least 3 corners, the next one at most 180 degrees away")
    return ring


def _middle(ring: Floats) -> float:
    return float((ring[:, 0].min() + ring[:, 0].max()) / 2)


def _where(shape: shapely.Polygon) -> str:
    import shapely

    place = re.search(r"\[([^ \]]+) ([^ \]]+)", shapely.is_valid_reason(shape))
    return f" (see {geo.wrap_lon(float(place[1])):g}, {float(place[2]):g})" if place else ""


def _refused(rule: str) -> ParameterError:
    return ParameterError(f"coordinates {rule}", field="coordinates", rule=rule)


def in_polygon(shape: shapely.Polygon, lon: Floats, lat: Floats) -> Mask:
    """Which positions lie in ``shape`` (of :func:`polygon`) or on its border, (n,)."""
    import shapely

    west, south, east, north = shape.bounds
    shapely.prepare(shape)
    inside = (lat == 90.0) & (north == 90.0) | (lat == -90.0) & (south == -90.0)  # a pole has every longitude
    level = (lat >= south) & (lat <= north)
    for turn in (-TURN, 0.0, TURN):
        if west <= 180.0 + turn and east >= -180.0 + turn:
            turned = lon + turn if turn else lon
            near = np.flatnonzero(level & (turned >= west) & (turned <= east))
            inside[near] |= shapely.intersects_xy(shape, turned[near], lat[near])
    return np.asarray(inside)


def in_circle(center: tuple[float, float], radius_m: float, lon: Floats, lat: Floats) -> Mask:
    """Which positions are within ``radius_m`` of ``center`` along the great circle, (n,)."""
    reach = np.degrees(radius_m / geo.EARTH_RADIUS_M) + MARGIN_DEG
    near = np.flatnonzero(np.abs(lat - center[1]) <= reach)
    if abs(center[1]) + reach < 90.0:  # no pole inside: the circle ends east and west
        half = np.degrees(np.arcsin(np.sin(np.radians(reach)) / np.cos(np.radians(center[1])))) + MARGIN_DEG
        aside = np.abs(geo.wrap_lon(lon[near] - center[0]))
        near = near[aside <= half]
    inside = np.zeros(len(lon), dtype=np.bool_)
    inside[near] = geo.distance_m(*center, lon[near], lat[near]) <= radius_m
    return inside
