"""Noise and randomness. Scales are computed only here, and nothing else in Cairn draws randomness.

Two sources with one interface:

* :func:`publishable`: the operating system's CSPRNG. What it makes may be published.
* :func:`seeded`: Philox keyed by a seed. What it makes is a simulation, repeatable and never private.

A source is made inside the job that uses it and never kept at module level: forked workers would share it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from privacy_engine import geo
from privacy_engine.data import Floats
from privacy_engine.errors import ParameterError


class RandomSource(Protocol):
    """Where randomness comes from. ``private`` is True if what it makes may be published."""

    private: bool

    def uniform(self, n: int) -> Floats:
        """``n`` independent values, uniform on the open interval (0, 1)."""

    def reached(self, event: int, n: int) -> None:
        """A mechanism that walks through time says where it is: at ``event`` of ``n``. For whoever watches."""


def _open_unit(words: np.ndarray) -> Floats:
    # 52 random bits and a half: never 0, never 1 (53 and a half would round up to it), so every logarithm is finite
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


class _Unwatched:
    def reached(self, event: int, n: int) -> None:
        pass


class _SystemSource(_Unwatched):
    private = True

    def uniform(self, n: int) -> Floats:
        return _open_unit(np.frombuffer(os.urandom(8 * n), dtype=np.uint64))


class _SeededSource(_Unwatched):
    private = False

    def __init__(self, generator: np.random.Generator) -> None:
        self._generator = generator

    def uniform(self, n: int) -> Floats:
        return _open_unit(self._generator.integers(0, 2**64, size=n, dtype=np.uint64))


def publishable() -> RandomSource:
    """A source over the operating system's CSPRNG: the only one whose releases may be published."""
    return _SystemSource()


def seeded(seed: int | np.random.Generator) -> RandomSource:
    """A repeatable source for simulations; releases made with it carry no guarantee."""
    if isinstance(seed, np.random.Generator):
        return _SeededSource(seed)
    return _SeededSource(np.random.Generator(np.random.Philox(np.random.SeedSequence(seed))))


def source(seed: int | None) -> RandomSource:
    """:func:`publishable` without a seed, :func:`seeded` with one."""
    return publishable() if seed is None else seeded(seed)


class _Watched:
    def __init__(self, inner: RandomSource, watch: Callable[[float], None]) -> None:
        self.private, self._inner, self._watch = inner.private, inner, watch
        self._share = 0.0

    def uniform(self, n: int) -> Floats:
        self._watch(self._share)
        return self._inner.uniform(n)

    def reached(self, event: int, n: int) -> None:
        self._share = event / n


def watched(inner: RandomSource, watch: Callable[[float], None]) -> RandomSource:
    """``inner``, with ``watch(share)`` called ahead of every draw; ``share`` of the events are through, 0 to 1.

    Every mechanism draws as it goes, so whoever runs it can tell how far it is, and stop it by raising.
    """
    return _Watched(inner, watch)


def planar_radius_m(epsilon_per_m: ArrayLike, *, rng: RandomSource | np.random.Generator) -> Floats:
    r"""Great-circle displacements of planar Laplace noise, one for each entry of ``epsilon_per_m``.

    On a sphere of radius R the density of the displacement is proportional to
    :math:`\sin(r/R) e^{-\epsilon r}` on [0, πR]. Two exact rejection samplers cover every scale with an acceptance
    of at least a quarter: Gamma(2, 1/ε) thinned by :math:`\sin(r/R)/(r/R)` where the noise is small against the Earth,
    and uniform positions thinned by :math:`e^{-\epsilon r}` where it is not.
    """
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    epsilon = np.asarray(epsilon_per_m, dtype=np.float64).ravel()
    if not (np.isfinite(epsilon) & (epsilon > 0)).all():
        value = float(epsilon[~(np.isfinite(epsilon) & (epsilon > 0))][0])
        raise ParameterError(
            f"epsilon_per_m must be finite and greater than 0, got {value}",
            field="epsilon_per_m",
            rule="> 0",
            value=value,
        )
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
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    lon = np.atleast_1d(np.asarray(lon, dtype=np.float64))
    lat = np.atleast_1d(np.asarray(lat, dtype=np.float64))
    radius = planar_radius_m(np.broadcast_to(np.asarray(epsilon_per_m, dtype=np.float64), lon.shape), rng=rng)
    return geo.destination(lon, lat, radius, 2 * np.pi * rng.uniform(lon.size).reshape(lon.shape))


def planar_mean_m(epsilon_per_m: ArrayLike) -> Floats:
    """Mean displacement of planar Laplace noise in the plane, 2/ε, in metres."""
    return np.asarray(2.0 / np.asarray(epsilon_per_m, dtype=np.float64))


def planar_quantile_m(epsilon_per_m: ArrayLike, p: ArrayLike) -> Floats:
    """The radius in metres that holds a share ``p`` of planar Laplace releases (in the plane).

    >>> [round(float(planar_quantile_m(1.0, p)), 4) for p in (0.5, 0.95)]
    [1.6783, 4.7439]
    """
    return np.asarray(gammaincinv(2.0, np.asarray(p, dtype=np.float64)) / np.asarray(epsilon_per_m, dtype=np.float64))
