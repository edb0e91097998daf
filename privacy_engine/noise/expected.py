r"""What planar noise does on average, on the sphere as it is drawn: no draw is made, no data are read.

Angles are distances over the Earth's radius; a rate is ε per radian, ε per metre times the radius.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.core.on_demand import scipy

GRID = 2000  # points of an integral over how far a joint draw may reach
SMALLEST = 1e-12  # of an angle: six micrometres


def planar_sphere_mean_m(epsilon_per_m: ArrayLike) -> Floats:
    r"""Mean displacement in metres of :func:`planar_laplace` as it is drawn, on the sphere, of the same shape.

    The angle x has density :math:`\propto e^{-ax} \sin x` on :math:`[0, \pi]`, :math:`a = \epsilon R`, so its mean is
    :math:`2a/(1 + a^2) + \pi/(1 + e^{a\pi})`: 2/ε as long as noise is small against the Earth, a quarter of its
    circumference where it is not.

    >>> planar_sphere_mean_m([0.01, 1e-12]).round(1).tolist()
    [200.0, 10007538.2]
    """
    rate = np.asarray(epsilon_per_m, dtype=np.float64) * geo.EARTH_RADIUS_M
    with np.errstate(over="ignore"):
        angle = 2 / (1 / rate + rate) + np.pi / (1 + np.exp(np.pi * rate))
    return np.asarray(geo.EARTH_RADIUS_M * angle)


class Noise(Protocol):
    """Noise that ``weight`` positions show."""

    @property
    def weight(self) -> float:
        """How many they are."""

    def mean_m(self) -> float:
        """Mean displacement in metres."""

    def within(self, angle: float) -> float:
        """The share of displacements that are at most ``angle``."""


@dataclass(frozen=True, eq=False)
class OwnNoise:
    """Planar Laplace noise: ``counts`` (m,) positions at rates ``epsilon_per_m`` (m,), each with its own draw."""

    epsilon_per_m: Floats
    counts: Floats

    @cached_property
    def weight(self) -> float:
        return float(self.counts.sum())

    def mean_m(self) -> float:
        return float(planar_sphere_mean_m(self.epsilon_per_m) @ self.counts) / self.weight

    def within(self, angle: float) -> float:
        rate = self.epsilon_per_m * geo.EARTH_RADIUS_M
        held = 1 - np.exp(-rate * angle) * (math.cos(angle) + rate * math.sin(angle))
        return float((held / (1 + np.exp(-np.pi * rate))) @ self.counts) / self.weight


@dataclass(frozen=True, eq=False)
class SharedNoise:
    r"""Joint planar noise of ``together`` positions at one rate, of which ``weight`` published positions show one.

    A position is uniform in a cap about the truth whose angular radius has density
    :math:`\propto e^{-at} \sin^{2p}(t/2)` up to π, and beyond that is the whole sphere. Integrated numerically.
    """

    together: int
    epsilon_per_m: float
    weight: float

    @cached_property
    def _caps(self) -> tuple[Floats, Floats, float]:
        """Cap radii, the share of draws at each, and the share whose cap is the whole sphere."""
        rate, power = self.epsilon_per_m * geo.EARTH_RADIUS_M, 2 * self.together
        mode = 2 * math.atan2(self.together, rate)
        far = (12 * math.sqrt(power + 1) + 40) / rate
        edges, step = np.linspace(max(mode - far, 0.0), min(mode + far, math.pi), GRID + 1, retstep=True)
        caps = edges[1:] - step / 2
        log_density = power * np.log(np.sin(caps / 2)) - rate * caps
        top = log_density.max()
        shares = np.exp(log_density - top) * step
        whole = math.exp(-rate * math.pi - top) / rate
        mass = float(shares.sum()) + whole
        return caps, shares / mass, whole / mass

    def mean_m(self) -> float:
        caps, shares, whole = self._caps
        # (sin t - t cos t)/(1 - cos t); for small t its series, where the difference would lose its digits
        mean = np.where(caps < 1e-3, 2 * caps / 3, (np.sin(caps) - caps * np.cos(caps)) / (2 * np.sin(caps / 2) ** 2))
        return geo.EARTH_RADIUS_M * (float(shares @ mean) + whole * math.pi / 2)

    def simulated_m(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` displacements in metres, each of a joint draw of its own: to study the law, never to publish."""
        caps, shares, whole = self._caps
        chosen = rng.choice(np.append(caps, math.pi), count, p=np.append(shares, whole))
        return np.asarray(2 * geo.EARTH_RADIUS_M * np.arcsin(np.sqrt(rng.random(count)) * np.sin(chosen / 2)))

    def within(self, angle: float) -> float:
        caps, shares, whole = self._caps
        held = np.minimum((math.sin(angle / 2) / np.sin(caps / 2)) ** 2, 1.0)
        return float(shares @ held) + whole * math.sin(angle / 2) ** 2


def mixture_mean_m(parts: Sequence[Noise]) -> float:
    """Mean displacement in metres over all ``parts``, at least one."""
    return sum(part.mean_m() * part.weight for part in parts) / sum(part.weight for part in parts)


def mixture_quantile_m(parts: Sequence[Noise], p: float) -> float:
    """The distance in metres that holds a share ``p`` of all displacements of ``parts``, at least one.

    >>> round(mixture_quantile_m([OwnNoise(np.array([1.0]), np.array([1.0]))], 0.95), 4)
    4.7439
    """
    weight = sum(part.weight for part in parts)

    def missing(log_angle: float) -> float:
        angle = math.exp(log_angle)
        return sum(part.within(angle) * part.weight for part in parts) / weight - p

    # between a small part of the mean and the other side of the Earth, closing in by factors before the root is sought
    high = math.log(min(mixture_mean_m(parts) / geo.EARTH_RADIUS_M, math.pi))
    while missing(high) < 0 and high < math.log(math.pi):
        high = min(high + 1, math.log(math.pi))
    low = high - 1
    while missing(low) > 0 and low > math.log(SMALLEST):
        low -= 1
    return geo.EARTH_RADIUS_M * math.exp(scipy.optimize.brentq(missing, low, high, xtol=1e-9))
