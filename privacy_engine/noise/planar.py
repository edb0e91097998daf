"""Planar Laplace noise on the sphere, and its closed forms."""

from __future__ import annotations

import math

import numpy as np
import scipy
from numpy.typing import ArrayLike

from privacy_engine import geo
from privacy_engine.data import Floats
from privacy_engine.errors import ParameterError
from privacy_engine.noise.sources import RandomSource, as_source


def checked_rates(values: ArrayLike, field: str = "epsilon_per_m") -> Floats:
    """``values`` as an array, every entry finite and greater than 0, or a ParameterError on ``field``."""
    epsilon = np.asarray(values, dtype=np.float64)
    good = np.isfinite(epsilon) & (epsilon > 0)
    if not good.all():
        value = float(epsilon[~good][0])
        raise ParameterError(
            f"{field} must be finite and greater than 0, got {value}",
            field=field,
            rule="> 0",
            value=value,
        )
    return epsilon


def planar_radius_m(epsilon_per_m: ArrayLike, *, rng: RandomSource | np.random.Generator) -> Floats:
    r"""Great-circle displacements of planar Laplace noise, one for each entry of ``epsilon_per_m``.

    On a sphere of radius R the density of the displacement is proportional to
    :math:`\sin(r/R) e^{-\epsilon r}` on [0, πR]. Two exact rejection samplers cover every scale with an acceptance
    of at least a quarter: Gamma(2, 1/ε) thinned by :math:`\sin(r/R)/(r/R)` where the noise is small against the Earth,
    and uniform positions thinned by :math:`e^{-\epsilon r}` where it is not.
    """
    rng = as_source(rng)
    epsilon = checked_rates(epsilon_per_m).ravel()
    rate = epsilon * geo.EARTH_RADIUS_M
    angle = np.empty_like(rate)
    todo = np.arange(rate.size)
    while todo.size:
        u = rng.uniform(3 * todo.size).reshape(3, todo.size)
        local = rate[todo] > 1.0
        gamma = -np.log(u[0] * u[1]) / np.maximum(rate[todo], 1.0)
        sphere = np.arccos(1.0 - 2.0 * u[0])
        proposal = np.where(local, gamma, sphere)
        kept = np.where(
            local,
            (proposal <= np.pi) & (u[2] * proposal <= np.sin(proposal)),
            u[2] <= np.exp(-rate[todo] * proposal),
        )
        angle[todo[kept]] = proposal[kept]
        todo = todo[~kept]
    return (angle * geo.EARTH_RADIUS_M).reshape(np.shape(epsilon_per_m) or (1,))


def planar_laplace(
    lon: ArrayLike, lat: ArrayLike, epsilon_per_m: ArrayLike, *, rng: RandomSource | np.random.Generator
) -> tuple[Floats, Floats]:
    """Planar Laplace noise on the sphere: every position moved along a great circle.

    Exactly ``epsilon_per_m``-geo-indistinguishable for the great-circle distance in real arithmetic [1]_; see the
    trust notes for what floating point leaves. Broadcasts ``epsilon_per_m`` (per metre) over the positions.

    Returns ``(lon, lat)`` in degrees, longitude in [-180, 180).

    References
    ----------
    .. [1] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-indistinguishability". CCS 2013.
    """
    rng = as_source(rng)
    lon = np.atleast_1d(np.asarray(lon, dtype=np.float64))
    lat = np.atleast_1d(np.asarray(lat, dtype=np.float64))
    radius = planar_radius_m(np.broadcast_to(np.asarray(epsilon_per_m, dtype=np.float64), lon.shape), rng=rng)
    return geo.destination(lon, lat, radius, 2 * np.pi * rng.uniform(lon.size).reshape(lon.shape))


def planar_mean_m(epsilon_per_m: ArrayLike) -> Floats:
    """Mean displacement of planar Laplace noise in the plane, 2/ε, in metres."""
    return np.asarray(2.0 / np.asarray(epsilon_per_m, dtype=np.float64))


def planar_sd_m(epsilon_per_m: ArrayLike) -> Floats:
    """Standard deviation per axis of planar Laplace noise in the plane, √3/ε, in metres."""
    return np.asarray(math.sqrt(3) / np.asarray(epsilon_per_m, dtype=np.float64))


def planar_quantile_m(epsilon_per_m: ArrayLike, p: ArrayLike) -> Floats:
    """The radius in metres that holds a share ``p`` of planar Laplace releases (in the plane).

    >>> [round(float(planar_quantile_m(1.0, p)), 4) for p in (0.5, 0.95)]
    [1.6783, 4.7439]
    """
    return np.asarray(
        scipy.special.gammaincinv(2.0, np.asarray(p, dtype=np.float64)) / np.asarray(epsilon_per_m, dtype=np.float64)
    )
