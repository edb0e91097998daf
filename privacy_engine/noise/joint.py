"""Joint planar noise: one draw for several positions that are protected together."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine import geo
from privacy_engine.data import Floats
from privacy_engine.errors import DataError
from privacy_engine.noise.checks import checked_rates
from privacy_engine.noise.sources import RandomSource, as_source


def joint_reach_m(count: int, epsilon_per_m: float, *, rng: RandomSource | np.random.Generator) -> float:
    r"""How far one joint draw of ``count`` positions may move any of them, s, in metres.

    The density of the angle :math:`a = s/R` is proportional to :math:`e^{-\epsilon R a} \sin^{2p}(a/2)` up to π and to
    :math:`e^{-\epsilon R a}` beyond, where every disc is the whole sphere; in the plane s is Gamma(2p + 1, 1/ε).
    Sampled exactly: a Gamma law as steep at the mode :math:`2 \arctan(p / \epsilon R)` lies above the first part,
    because :math:`\ln(\sin(a/2)/a)` is concave, and the second is exponential.
    """
    rng = as_source(rng)
    rate = float(checked_rates([epsilon_per_m])[0]) * geo.EARTH_RADIUS_M
    power = 2 * count
    mode = 2 * math.atan2(count, rate)
    steepness = power / mode  # of the Gamma law; what it has more than the rate makes the two touch at the mode
    at_mode = power * math.log(math.sin(mode / 2) / mode) + (steepness - rate) * mode
    near = at_mode + math.lgamma(power + 1) - (power + 1) * math.log(steepness)
    far = -rate * math.pi - math.log(rate)
    share_far = 1 / (1 + math.exp(min(near - far, 700.0)))
    while True:
        if rng.uniform(1)[0] < share_far:
            return float(geo.EARTH_RADIUS_M * (math.pi - math.log(rng.uniform(1)[0]) / rate))
        angle = float(-np.log(rng.uniform(power + 1)).sum()) / steepness
        if angle < math.pi:
            height = power * math.log(math.sin(angle / 2) / angle) + (steepness - rate) * angle
            if math.log(rng.uniform(1)[0]) <= height - at_mode:
                return geo.EARTH_RADIUS_M * angle


def joint_planar(
    lon: ArrayLike, lat: ArrayLike, epsilon_per_m: float, *, rng: RandomSource | np.random.Generator
) -> tuple[Floats, Floats]:
    r"""All positions moved by one joint draw, of density :math:`\propto e^{-\epsilon \max_i d(x_i, z_i)}`.

    The K-norm mechanism [1]_ for p positions each of which may change: by the triangle inequality the odds of any
    output change by at most :math:`e^{\epsilon \max_i d(x_i, x'_i)}`, d the great-circle distance, however many
    positions change. Independent planar Laplace noise needs p times as much at each for the same promise and moves a
    position by 2p/ε on average; this moves it by :math:`(4p + 2)/(3\epsilon)`, a third less. For one position the two
    are the same law. A position is uniform in a disc about the truth whose radius, :func:`joint_reach_m`, is drawn
    once for all. O(p).

    Parameters
    ----------
    lon, lat : (p,) array_like
        Degrees.
    epsilon_per_m : float
        Per metre, for all positions together; finite and greater than 0.

    Returns ``(lon, lat)`` in degrees, longitude in [-180, 180).

    Raises
    ------
    ParameterError
        ``epsilon_per_m`` is out of its domain.
    DataError
        ``lon`` and ``lat`` are not as many.

    References
    ----------
    .. [1] Hardt, Talwar. "On the Geometry of Differential Privacy". STOC 2010.
    """
    rng = as_source(rng)
    lon, lat = (np.array(degrees, dtype=np.float64, ndmin=1) for degrees in (lon, lat))
    if lon.shape != lat.shape or lon.ndim != 1:
        raise DataError(f"lat must be as many as lon, {lon.shape}, got {lat.shape}", field="lat", rule="same length")
    checked_rates([epsilon_per_m])
    if not lon.size:
        return lon, lat
    reach = min(joint_reach_m(lon.size, epsilon_per_m, rng=rng) / geo.EARTH_RADIUS_M, math.pi)
    radius_m = 2 * geo.EARTH_RADIUS_M * np.arcsin(np.sqrt(rng.uniform(lon.size)) * math.sin(reach / 2))
    return geo.destination(lon, lat, radius_m, 2 * np.pi * rng.uniform(lon.size))


def joint_mean_m(count: int, epsilon_per_m: float) -> float:
    """Mean displacement of each of ``count`` positions under joint noise in the plane, (4p + 2)/(3ε), in metres."""
    return (4 * count + 2) / (3 * epsilon_per_m)


def joint_sd_m(count: int, epsilon_per_m: float) -> float:
    """Standard deviation per axis of joint noise in the plane, √((2p + 1)(2p + 2)) / 2ε, in metres."""
    return math.sqrt((2 * count + 1) * (2 * count + 2)) / (2 * epsilon_per_m)
