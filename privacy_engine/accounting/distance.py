r"""Levels at a distance: what a budget that is given within a radius separates two states by.

A mechanism that is geo-indistinguishable at level :math:`\epsilon` within a radius r changes the odds of every output
by at most :math:`e^{\epsilon d/r}` between two positions d metres apart, whatever d is [1]_: more than
:math:`\epsilon` beyond the radius, less within it. The temporal privacy loss takes the levels at the distance of the
states that the adversary distinguishes (``docs/decisions/0017-temporal-loss-and-distance.md``).

References
----------
.. [1] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-Indistinguishability: Differential Privacy for
   Location-Based Systems". CCS 2013.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.validation import level, numbers, refused
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.errors import ParameterError

LEAST_M = 0.01
MOST_M = 20_100_000.0
"""No two places are farther apart: half of the Earth's circumference is 20,015 km."""


def diameter(value: ArrayLike | float, field: str = "diameter_m") -> float:
    """``value`` as a distance between states in metres, from 0.01 to 20,100,000.

    Raises
    ------
    ParameterError
        It is no number in this domain; the error names ``field``.
    """
    metres = level(value, field)
    if not LEAST_M <= metres <= MOST_M:
        raise refused(ParameterError, field, f"be between {LEAST_M:g} and {MOST_M:,.0f} metres", value)
    return metres


def levels_at(epsilons: ArrayLike, distance_m: float, radius_m: float) -> Floats:
    """The levels of budgets ``epsilons`` (…), given within ``radius_m``, for positions up to ``distance_m`` apart.

    Raises
    ------
    ParameterError
        A budget is negative or not finite, or a distance lies outside the domain of :func:`diameter`.

    Examples
    --------
    >>> levels_at([1.0, 0.5], distance_m=1000, radius_m=200).tolist()
    [5.0, 2.5]
    """
    return numbers(epsilons, "epsilons", ParameterError) * scale(distance_m, radius_m)


def scale(distance_m: float, radius_m: float) -> float:
    """How many radii a distance is; exactly 1 where both are equal."""
    return diameter(distance_m, "distance_m") / diameter(radius_m, "radius_m")


def cell_distances_m(column: Ints, row: Ints, cell_m: float, *, south: float, metres_per_column: float) -> Floats:
    r"""The farthest that two positions in cells i and j lie apart, or more, in metres: (cells, cells), 0 for i = j.

    Cells are squares of ``cell_m`` on a grid that starts at latitude ``south``; a degree of longitude counts
    ``metres_per_column`` on it. With the haversine
    :math:`h = \sin^2(\Delta\varphi/2) + \cos\varphi_1 \cos\varphi_2 \sin^2(\Delta\lambda/2)` and the distance
    :math:`2R \arcsin\sqrt h`, each term takes its largest value over the two cells, so no pair of positions in them is
    farther apart. Adjacent cells are up to :math:`\sqrt 5` sides apart, at their far corners.
    """
    degree = math.radians(1.0) * EARTH_RADIUS_M
    low = south + row * cell_m / degree
    high = low + cell_m / degree
    flat = np.maximum(np.cos(np.radians(low)), np.cos(np.radians(high)))
    flat = np.where((low <= 0.0) & (high >= 0.0), 1.0, np.clip(flat, 0.0, 1.0))
    apart_lat = (np.abs(row[:, None] - row) + 1) * cell_m / degree
    apart_lon = (np.abs(column[:, None] - column) + 1) * cell_m / max(metres_per_column, 1e-9)
    half_lat, half_lon = (np.radians(np.minimum(apart, 180.0)) / 2 for apart in (apart_lat, apart_lon))
    squared = np.sin(half_lat) ** 2 + flat[:, None] * flat * np.sin(half_lon) ** 2
    distances = 2 * EARTH_RADIUS_M * np.arcsin(np.sqrt(np.minimum(squared, 1.0))) * (1 + 1e-12)
    np.fill_diagonal(distances, 0.0)
    return np.asarray(distances)
