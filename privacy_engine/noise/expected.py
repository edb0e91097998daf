r"""What planar noise does on average, on the sphere as it is drawn: no draw is made, no data are read.

Angles are distances over the Earth's radius; a rate is ε per radian, ε per metre times the radius.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.core.on_demand import scipy

GRID = 2000  # reaches of joint draws that are simulated
NODES = 28
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
    r"""Joint noise of ``together`` positions at a rate, (m,) each, of which ``counts`` (m,) positions show a draw.

    A position is uniform in a cap about the truth whose angular radius has density
    :math:`\propto e^{-at} \sin^{2p}(t/2)` up to π, and beyond that is the whole sphere. Integrated numerically.
    """

    together: ArrayLike
    epsilon_per_m: ArrayLike
    counts: ArrayLike

    @cached_property
    def weight(self) -> float:
        return float(np.sum(self.counts))

    @cached_property
    def _law(self) -> tuple[Floats, ...]:
        """2p, the rate, where nearly all cap radii begin and end, and the highest log density, (m, 1) each."""
        p, rate = (np.reshape(np.asarray(item, np.float64), (-1, 1)) for item in (self.together, self.epsilon_per_m))
        rate = rate * geo.EARTH_RADIUS_M
        mode, spread = 2 * np.arctan2(p, rate), np.sqrt(2 / p)
        far = 8 * np.sin(mode / 2) * spread  # eight standard deviations, and more where it is skewed
        longer = far * (1 + 4 / 3 * np.cos(mode / 2) * spread)
        top = 2 * p * np.log(np.sin(mode / 2)) - rate * mode
        return 2 * p, rate, np.maximum(mode - far, 0.0), np.minimum(mode + longer, np.pi), top

    def _caps(self, places: Floats, weights: Floats, start: ArrayLike = 0.0) -> tuple[Floats, Floats]:
        """Sines of half of cap radii, at places between ``start`` and the end, and how many draws have each, (m, p)."""
        power, rate, low, high, top = self._law
        start = np.clip(start, low, high)
        caps = start + (high - start) * places
        sines = np.sin(caps / 2)
        return sines, np.exp(power * np.log(sines) - rate * caps - top) * (high - start) * weights

    @cached_property
    def _mass(self) -> tuple[Floats, Floats]:
        """What these are shares of, and how much of that has the whole sphere as its cap, (m,) each."""
        _, rate, _, _, top = self._law
        whole = (np.exp(-rate * np.pi - top) / rate)[:, 0]
        return self._caps(*_nodes())[1].sum(axis=1) + whole, whole

    def _mean(self, each: Floats) -> float:
        return float(np.sum(each / self._mass[0] * np.asarray(self.counts))) / self.weight

    def mean_m(self) -> float:
        sines, shares = self._caps(*_nodes())
        caps = 2 * np.arcsin(sines)
        # (sin t - t cos t)/(1 - cos t); for small t its series, where the difference would lose its digits
        mean = np.where(caps < 1e-3, 2 * caps / 3, (np.sin(caps) - caps * np.cos(caps)) / (2 * sines**2))
        return geo.EARTH_RADIUS_M * self._mean((shares * mean).sum(axis=1) + self._mass[1] * np.pi / 2)

    def simulated_m(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` displacements in metres, each of a draw of its own of one law: to study it, never to publish."""
        (sines,), (shares,) = self._caps((np.arange(GRID) + 0.5) / GRID, np.full(GRID, 1 / GRID))
        shares = np.append(shares, self._mass[1])
        chosen = rng.choice(np.append(sines, 1.0), count, p=shares / shares.sum())
        return np.asarray(2 * geo.EARTH_RADIUS_M * np.arcsin(np.sqrt(rng.random(count)) * chosen))

    def within(self, angle: float) -> float:
        sines, shares = self._caps(*_nodes(), angle)
        beyond = (shares * (1 - (math.sin(angle / 2) / sines) ** 2)).sum(axis=1)
        return 1 - self._mean(beyond + self._mass[1] * math.cos(angle / 2) ** 2)


def mixture_mean_m(parts: Sequence[Noise]) -> float:
    """Mean displacement in metres over all ``parts``, at least 1."""
    return sum(part.mean_m() * part.weight for part in parts) / sum(part.weight for part in parts)


def mixture_quantile_m(parts: Sequence[Noise], p: float) -> float:
    """The distance in metres that holds a share ``p`` of all displacements of ``parts``, at least 1.

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


@cache
def _nodes() -> tuple[Floats, Floats]:
    """Places and weights of an integral from 0 to 1, (28,) each; the module that has them takes a megabyte."""
    places, weights = np.polynomial.legendre.leggauss(NODES)
    return (places + 1) / 2, weights / 2
