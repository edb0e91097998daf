"""Simplification of lines for a view of the map: the map's own projection, half a pixel of tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.data import Ints
from privacy_engine.errors import ParameterError, ParameterErrors

Whole = NDArray[np.signedinteger[Any]]  # 1e-7 degrees or heights, of 32 bits or 64
APART, TOLERANCE = 0.5, 0.5
"""Pixels: points nearer than the first to the last one kept, and nearer than the second to a line, are left out."""
TILE = 256
DOMAINS = {"west": (-540, 540), "north": (-90, 90), "width": (1, 8192), "height": (1, 8192), "zoom": (0, 24)}
DOMAINS["middle"] = (-360, 360)


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
        errors = [_outside(one.name, getattr(self, one.name)) for one in fields(self)]
        found = [error for error in errors if error is not None]
        if found:
            raise ParameterErrors(found)

    @property
    def scale(self) -> float:
        """How many pixels wide the world is."""
        return float(TILE * 2.0**self.zoom)

    def shown(self, lon: Whole, y: Whole) -> tuple[Ints, Ints]:
        """Points that draw the line in this view (m,), and where each of its pieces ends among them.

        ``lon`` (n,) in 1e-7 degrees, ``y`` (n,) as :func:`heights` has them. What is drawn and
        what is visible of the line lie nowhere farther apart than ``APART + TOLERANCE``, and pieces end where they did.
        """
        from privacy_engine.kernels.simplify import straightened, visible

        corner = self.west * 1e7, float(heights(np.array([round(self.north * 1e7)]))[0])
        size = float(self.width), float(self.height)
        kept, px, py, fixed = visible(lon, y, round(self.middle * 1e7), corner, self.scale, size, APART)
        needed = straightened(px, py, fixed, TOLERANCE) > 0
        return kept[needed], np.flatnonzero(fixed[needed] & 2) + 1


def _outside(name: str, value: float) -> ParameterError | None:
    low, high = DOMAINS[name]
    if math.isfinite(value) and low <= value <= high:
        return None
    rule = f"between {low} and {high}"
    return ParameterError(f"{name} must be {rule}, got {value:g}", field=name, rule=rule, value=value)


def heights(lat: Whole) -> NDArray[np.int32]:
    """Places (n,) on the map from the equator southwards, 2**32 to the world, of latitudes in 1e-7 degrees."""
    from privacy_engine.kernels import simplify

    return np.asarray(simplify.heights(lat), dtype=np.int32)


def packed(values: Whole) -> bytes:
    """Whole numbers (n,) as differences of few bytes each; see :mod:`privacy_engine.kernels.varint`."""
    from privacy_engine.kernels.varint import encoded

    return encoded(values).tobytes()


def load() -> None:
    """Load the kernels of line simplification, as the map calls them."""
    positions = np.arange(20, dtype=np.int32)
    for index in MapView(0, 0, 10, 10, 0, 0).shown(positions, heights(positions)):
        packed(index)
    packed(positions)
