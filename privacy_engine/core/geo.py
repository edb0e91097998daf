"""Great circles on a sphere: distances, destinations. Degrees in, metres and degrees out.

One radius, the mean Earth radius R1 = 6371008.8 m, everywhere but in stay points, whose published vectors
use 6371000 m (the ``radius_m`` argument).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import blocks

EARTH_RADIUS_M = 6371008.8
BLOCK = 1 << 16
"""Distances computed at a time: ten working arrays of 512 kB."""


def wrap_lon(lon: ArrayLike) -> Floats:
    """Longitudes brought into [-180, 180)."""
    wrapped = (np.asarray(lon, dtype=np.float64) + 180.0) % 360.0 - 180.0
    return np.asarray(np.where(wrapped < 180.0, wrapped, -180.0))  # -180 less an ulp rounds up to 180


def distance_m(
    lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike, *, radius_m: float = EARTH_RADIUS_M
) -> Floats:
    """Great-circle distance in metres by the haversine formula; broadcasts; exact across the antimeridian.

    >>> float(distance_m(116.4, 39.9, 116.318417, 39.984702, radius_m=6371008.8).round(3))
    11708.159
    """
    if len(shape := np.broadcast_shapes(*map(np.shape, (lon1, lat1, lon2, lat2)))) != 1 or shape[0] <= BLOCK:
        return _haversine_m(lon1, lat1, lon2, lat2, radius_m)
    metres, (lon1, lat1, lon2, lat2) = np.empty(shape), np.broadcast_arrays(lon1, lat1, lon2, lat2)
    for block in blocks(len(metres), BLOCK):
        metres[block] = _haversine_m(lon1[block], lat1[block], lon2[block], lat2[block], radius_m)
    return metres


def _haversine_m(lon1: ArrayLike, lat1: ArrayLike, lon2: ArrayLike, lat2: ArrayLike, radius_m: float) -> Floats:
    phi1, phi2 = np.radians(lat1), np.radians(lat2)
    half_phi = np.sin((phi2 - phi1) / 2) ** 2
    half_lambda = np.sin(np.radians(np.subtract(lon2, lon1)) / 2) ** 2
    h = half_phi + np.cos(phi1) * np.cos(phi2) * half_lambda
    return np.asarray(2 * radius_m * np.arcsin(np.sqrt(np.clip(h, 0.0, 1.0))))


def destination(lon: ArrayLike, lat: ArrayLike, distance_m: ArrayLike, bearing_rad: ArrayLike) -> tuple[Floats, Floats]:
    """Where a walk of ``distance_m`` along the great circle with initial ``bearing_rad`` (from north, clockwise) ends.

    Returns ``(lon, lat)`` in degrees, longitude in [-180, 180). Survives poles and the antimeridian.
    """
    phi, delta = np.radians(lat), np.asarray(distance_m, dtype=np.float64) / EARTH_RADIUS_M
    sin_phi, cos_phi = np.sin(phi), np.cos(phi)
    sin_delta, cos_delta = np.sin(delta), np.cos(delta)
    # the point in the frame of its start: outwards on the start's meridian, east, north; exact at the poles, where
    # the arc sine of the latitude would keep half the digits and the bearing be lost
    out = cos_phi * cos_delta - sin_phi * sin_delta * np.cos(bearing_rad)
    east = sin_delta * np.sin(bearing_rad)
    north = sin_phi * cos_delta + cos_phi * sin_delta * np.cos(bearing_rad)
    lon2 = np.asarray(lon) + np.degrees(np.arctan2(east, out))
    return wrap_lon(lon2), np.degrees(np.arctan2(north, np.hypot(out, east)))


def unit_vectors(lon: ArrayLike, lat: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """The points of the unit sphere, as columns x, y and z."""
    phi, lam = np.radians(lat), np.radians(lon)
    cos_lat = np.cos(phi)
    return cos_lat * np.cos(lam), cos_lat * np.sin(lam), np.sin(phi)


class _Projection:
    """Metres east and north of a centre: the azimuthal equidistant projection, which has no antimeridian or pole.

    Distances from the centre are exact; between points d apart, D away from it, they are off by about (D/R)²/6.
    """

    lon: Any
    lat: Any

    def of_each(self, values: Any) -> Any:
        """Of values for each centre those of each position."""
        return values

    def project(self, lon: ArrayLike, lat: ArrayLike) -> Floats:
        """Degrees to metres, (n, 2)."""
        phi = np.radians(lat)
        return self._projected(lon, np.sin(phi), np.cos(phi))

    def _projected(self, lon: ArrayLike, sin_phi: ArrayLike, cos_phi: ArrayLike) -> Floats:
        phi0, delta = np.radians(self.lat), np.radians(np.subtract(lon, self.of_each(self.lon)))
        sin_phi0, cos_phi0 = (self.of_each(of(phi0)) for of in (np.sin, np.cos))
        cos_delta = np.cos(delta)
        east = cos_phi * np.sin(delta)
        north = cos_phi0 * sin_phi - sin_phi0 * cos_phi * cos_delta
        out = sin_phi0 * sin_phi + cos_phi0 * cos_phi * cos_delta
        across = np.hypot(east, north)
        scale = EARTH_RADIUS_M * np.arctan2(across, out) / np.where(across > 0, across, 1.0)
        return np.column_stack([east * scale, north * scale])

    def unproject(self, xy_m: Floats) -> tuple[Floats, Floats]:
        """Metres, (n, 2), to degrees."""
        return destination(self.lon, self.lat, np.hypot(*xy_m.T), np.arctan2(*xy_m.T))


@dataclass(frozen=True)
class LocalPlane(_Projection):
    """The plane around a centre, in degrees."""

    lon: float
    lat: float

    @classmethod
    def around(cls, lon: Floats, lat: Floats) -> Self:
        """Centred on the mean of the positions as points of the sphere; there must be a position."""
        return cls(*map(float, _direction(*(axis.mean() for axis in unit_vectors(lon, lat)))))


@dataclass(frozen=True, eq=False)
class LocalPlanes(_Projection):
    """As many planes as centres, (k,) degrees, and which plane projects each position."""

    lon: Floats
    lat: Floats
    which: Ints | slice = field(default_factory=lambda: slice(None))

    def of_each(self, values: Any) -> Any:
        return values[self.which]

    @classmethod
    def around(cls, lon: Floats, lat: Floats, starts: Ints) -> tuple[Self, Floats]:
        """Centred as :meth:`LocalPlane.around` on each of k parts of the positions, and the positions there in metres.

        Parts begin at ``starts`` (k,).
        """
        phi, lam = np.radians(lat), np.radians(lon)
        up, cos_lat = np.sin(phi), np.cos(phi)
        vectors = cos_lat * np.cos(lam), cos_lat * np.sin(lam), up
        planes = cls.towards(*(np.add.reduceat(axis, starts) for axis in vectors))
        which = np.repeat(np.arange(len(starts)), np.diff(starts, append=len(lon)))
        return planes, planes.of(which)._projected(lon, up, cos_lat)

    @classmethod
    def towards(cls, x: Floats, y: Floats, z: Floats) -> Self:
        """Centred where k vectors from the middle of the earth lead."""
        return cls(*_direction(x, y, z))

    def of(self, which: Ints | slice) -> LocalPlanes:
        """The same of positions whose planes have these numbers."""
        return LocalPlanes(self.lon, self.lat, which)


def _direction(x: ArrayLike, y: ArrayLike, z: ArrayLike) -> tuple[Floats, Floats]:
    """Longitude and latitude of a vector from the middle of the earth."""
    return np.degrees(np.arctan2(y, x)), np.degrees(np.arctan2(z, np.hypot(x, y)))
