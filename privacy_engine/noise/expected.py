"""What planar Laplace noise does on average, in closed form: no draw is made, no data are read."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import brentq
from scipy.special import gammaincinv

from privacy_engine import geo
from privacy_engine.data import Floats


def planar_sphere_mean_m(epsilon_per_m: ArrayLike) -> Floats:
    r"""Mean displacement in metres of :func:`planar_laplace` as it is drawn, on the sphere, of the same shape.

    The angle x has density :math:`\propto e^{-ax} \sin x` on :math:`[0, \pi]`, :math:`a = \epsilon R`, so its mean is
    :math:`2a/(1 + a^2) + \pi/(1 + e^{a\pi})`: 2/ε as long as noise is small against the Earth, a quarter of its
    circumference where it is not.

    >>> planar_sphere_mean_m([0.01, 1e-12]).round(1).tolist()
    [200.0, 10007533.9]
    """
    rate = np.asarray(epsilon_per_m, dtype=np.float64) * geo.EARTH_RADIUS_M
    with np.errstate(over="ignore"):
        angle = 2 / (1 / rate + rate) + np.pi / (1 + np.exp(np.pi * rate))
    return np.asarray(geo.EARTH_RADIUS_M * angle)


def planar_sphere_quantile_m(epsilon_per_m: Floats, weights: Floats, p: float) -> float:
    r"""The radius in metres that holds a share ``p`` of draws, ``weights`` (m,) of them at rates (m,) per metre.

    Solves :math:`\sum_i w_i F_i(x) = p` with :math:`F(x) = (1 - e^{-ax}(\cos x + a \sin x))/(1 + e^{-a\pi})`.

    >>> round(planar_sphere_quantile_m(np.array([1.0]), np.array([1.0]), 0.95), 4)
    4.7439
    """
    rate = epsilon_per_m * geo.EARTH_RADIUS_M
    shares = weights / weights.sum() / (1 + np.exp(-np.pi * rate))

    def missing(log_angle: float) -> float:
        angle = np.exp(log_angle)
        held = 1 - np.exp(-rate * angle) * (np.cos(angle) + rate * np.sin(angle))
        return float(shares @ held) - p

    plane = float(gammaincinv(2.0, p)) / np.array([rate.max(), rate.min()])  # the sphere holds a little more
    low, high = np.log(np.minimum(plane * (0.5, 1.0), np.pi))
    if missing(high) <= 0:
        return float(geo.EARTH_RADIUS_M * np.exp(high))
    return float(geo.EARTH_RADIUS_M * np.exp(brentq(missing, min(low, high - 1), high, xtol=1e-9)))
