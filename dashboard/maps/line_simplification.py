"""Simplification of lines for a view of the map: the map's own projection, half a pixel of tolerance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.core.errors import must_be
from dashboard.maps.point_importance import between, importances
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.errors import ParameterError, ParameterErrors

Whole = NDArray[np.signedinteger[Any]]  # 1e-7 degrees or heights, of 32 bits or 64
TOLERANCE = 0.5
"""Pixels: how far what is drawn and the line may lie apart."""
TILE = 256
TURN = 3_600_000_000  # once around, in 1e-7 degrees
WORLD = 4_294_967_296.0  # the square world's height in the units of `heights`
DOMAINS = {"west": (-540, 540), "north": (-90, 90), "width": (1, 8192), "height": (1, 8192), "zoom": (0, 24)}
DOMAINS["middle"] = (-360, 360)
LEAST = TOLERANCE * WORLD / (TILE * 2.0 ** DOMAINS["zoom"][1])
"""The tolerance of the largest zoom, in the units of `heights`."""


@dataclass(frozen=True)
class MapView:
    """A map's view: its north-western corner in degrees, size in pixels and zoom (the world is 256·2^zoom wide).

    Longitudes are taken within half a turn of ``middle``, as the map takes them.

    Raises
    ------
    ParameterErrors
        One for each value out of its domain.
    """

    west: float
    north: float
    width: float
    height: float
    zoom: float
    middle: float

    def __post_init__(self) -> None:
        errors = [_outside(field.name, getattr(self, field.name)) for field in fields(self)]
        problems = [error for error in errors if error is not None]
        if problems:
            raise ParameterErrors(problems)

    @property
    def scale(self) -> float:
        """How many pixels wide the world is."""
        return float(TILE * 2.0**self.zoom)

    def shown(self, lon: Whole, y: Whole, important: NDArray[np.float32] | None = None) -> tuple[Ints, Ints]:
        """Points that draw the line in this view (m,), and where each of its pieces ends among them.

        ``lon`` (n,) in 1e-7 degrees, ``y`` (n,) as :func:`heights` has them, ``important`` (n,) as
        :func:`importance_of` has them, computed here if not given. A piece is a run of steps that are not wholly beyond
        one side of the view; what is drawn of it and the line lie nowhere farther apart than ``TOLERANCE``.
        """
        east = self._east(lon)
        beyond = self._beyond(east, y)
        if len(lon) < 2:
            index = np.flatnonzero(~np.any(beyond, axis=0))
            return index, index + 1
        far = _far(east)
        beside, above = ((low[1:] & low[:-1]) | (high[1:] & high[:-1]) for low, high in (beyond[:2], beyond[2:]))
        shows = ~((beside & ~far) | above)
        padded = np.concatenate([[False], shows, [False]])
        pieces = np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2)
        over = np.flatnonzero(far & shows)
        tolerance = TOLERANCE * WORLD / self.scale
        needed = (importance_of(lon, y) if important is None else important) > tolerance
        keep = needed & (padded[1:] | padded[:-1])
        keep[pieces] = keep[over] = keep[over + 1] = True
        index = np.flatnonzero(keep)
        first, last = index[:-1], index[1:]
        cut = shows[first] & (last - first > 1) & ~(needed[first] & needed[last])
        if cut.any():  # between a point needed for the whole line and a point where its piece ends
            keep[_needed_between(east, y, first[cut], last[cut], tolerance)] = True
            index = np.flatnonzero(keep)
        return index, np.searchsorted(index, pieces[:, 1]) + 1

    def _east(self, lon: Whole) -> Whole:
        """Longitudes within half a turn of the middle."""
        middle, half = round(self.middle * 1e7), TURN // 2
        if not len(lon) or (int(lon.max()) - middle <= half and middle - int(lon.min()) <= half):
            return lon
        off = lon.astype(np.int64) - middle
        return lon + TURN * ((off < -half).astype(np.int64) - (off > half))

    def _beyond(self, east: Whole, y: Whole) -> list[Mask]:
        """Which points (n,) lie beyond the west, east, north and south side of the view."""
        west, north = self.west * 1e7, float(heights(np.array([round(self.north * 1e7)]))[0])
        right, bottom = west + self.width * TURN / self.scale, north + self.height * WORLD / self.scale
        return [east < west, east > right, y < north, y > bottom]


def _far(east: Whole) -> Mask:
    """Which steps (n - 1,) are drawn the short way, out over an edge of the world and in over the other."""
    if int(east.max()) - int(east.min()) <= TURN // 2:
        return np.zeros(len(east) - 1, dtype=np.bool_)
    return np.abs(np.diff(east.astype(np.int64))) > TURN // 2


def _needed_between(east: Whole, y: Whole, first: Ints, last: Ints, tolerance: float) -> Ints:
    """Points that the lines from ``first`` to ``last`` need, each of them a line of its own."""
    count = last - first + 1
    start = np.cumsum(count) - count
    at = np.repeat(first - start, count) + np.arange(count.sum())
    values = between(east[at] * (WORLD / TURN), y[at].astype(np.float64), start, start + count - 1, tolerance)
    return at[values > tolerance]


def importance_of(lon: Whole, y: Whole) -> NDArray[np.float32]:
    """Importance of the points (n,) of a line for :meth:`MapView.shown`, in the units of :func:`heights`.

    Takes .5 microseconds a point, and serves all views.
    """
    return importances_of([(lon, y)])[0]


def importances_of(lines: Sequence[tuple[Whole, Whole]]) -> list[NDArray[np.float32]]:
    """Return :func:`importance_of` each of ``lines``, in a part of the time where they are many and short."""
    return importances([(_unwrapped(lon) * (WORLD / TURN), y.astype(np.float64)) for lon, y in lines], LEAST)


def _unwrapped(lon: Whole) -> Floats:
    """Longitudes in 1e-7 degrees (n,) that go on beyond half a turn where the line does."""
    east = lon.astype(np.float64)
    if len(east) and east.max() - east.min() > TURN / 2:
        step = np.diff(east)
        east[1:] += TURN * np.cumsum((step < -TURN / 2).astype(np.int64) - (step > TURN / 2))
    return east


def _outside(name: str, value: float) -> ParameterError | None:
    low, high = DOMAINS[name]
    if math.isfinite(value) and low <= value <= high:
        return None
    return must_be(name, f"between {low} and {high}", value, got=f"{value:g}")


def heights(lat: Whole) -> NDArray[np.int32]:
    """Places (n,) on the map from the equator southwards, 2**32 to the world, of latitudes in 1e-7 degrees.

    Beyond 85.05 degrees the edge.
    """
    sine: Floats = np.clip(np.sin(lat * (math.pi / 1.8e9)), -0.9999, 0.9999)  # not the logarithm's ends
    place: Floats = np.floor(np.log((1.0 - sine) / (1.0 + sine)) * (WORLD / (4.0 * math.pi)) + 0.5)
    return np.clip(place, -2147483648.0, 2147483647.0).astype(np.int32)
