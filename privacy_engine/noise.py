"""Noise and randomness. Scales are computed only here, and nothing else in Cairn draws randomness.

Two sources with one interface:

* :func:`publishable`: the operating system's CSPRNG. What it makes may be published.
* :func:`seeded`: Philox keyed by a seed. What it makes is a simulation, repeatable and never private.

Experiments that repeat a release many times draw from :func:`simulated_planar` instead: the same law, many times
faster, each draw a function of (seed, repetition, event) alone.

A source is made inside the job that uses it and never kept at module level: forked workers would share it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import gammaincinv

from privacy_engine import geo
from privacy_engine.data import Floats
from privacy_engine.errors import DataError, ParameterError


class RandomSource(Protocol):
    """Where randomness comes from. ``private`` is True if what it makes may be published."""

    private: bool

    def uniform(self, n: int) -> Floats:
        """``n`` independent values, uniform on the open interval (0, 1)."""


def _open_unit(words: np.ndarray) -> Floats:
    # 52 random bits and a half: never 0, never 1 (53 and a half would round up to it), so every logarithm is finite
    return ((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52


class _SystemSource:
    private = True

    def uniform(self, n: int) -> Floats:
        return _open_unit(np.frombuffer(os.urandom(8 * n), dtype=np.uint64))


class _SeededSource:
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
    def __init__(self, inner: RandomSource, before: Callable[[int], None]) -> None:
        self.private, self._inner, self._before = inner.private, inner, before

    def uniform(self, n: int) -> Floats:
        self._before(n)
        return self._inner.uniform(n)


def watched(inner: RandomSource, before: Callable[[int], None]) -> RandomSource:
    """``inner``, with ``before(n)`` called ahead of every draw of n values.

    Every mechanism draws as it goes, so whoever runs it can tell how far it is, and stop it by raising.
    """
    return _Watched(inner, before)


def _checked(epsilon_per_m: ArrayLike) -> Floats:
    epsilon = np.asarray(epsilon_per_m, dtype=np.float64)
    good = np.isfinite(epsilon) & (epsilon > 0)
    if not good.all():
        value = float(epsilon[~good][0])
        raise ParameterError(
            f"epsilon_per_m must be finite and greater than 0, got {value}",
            field="epsilon_per_m",
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
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    epsilon = _checked(epsilon_per_m).ravel()
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


def simulated_polar(
    epsilon_per_m: ArrayLike, *, seed: int, repetition: int | ArrayLike = 0, first_event: int = 0
) -> tuple[Floats, Floats]:
    """Planar Laplace noise for experiments as ``(radius_m, bearing_rad)``, a great-circle distance and 0..2π.

    The draw of an event is a function of ``seed``, ``repetition`` and the event's number: the same bits on every
    processor and however a series is cut into pieces, of which the next starts at ``first_event``. Seeds and
    repetitions are independent of one another and of what :func:`seeded` draws. Uniforms have 32 bits.

    **Never private**: whoever knows the seed can subtract it.

    Parameters
    ----------
    epsilon_per_m : (n,) array_like
        Per metre, finite and greater than 0, one for each event.
    seed : int
        At least 0, of any size.
    repetition : int or (r,) array_like of int
        Below 2**32. With an array both results are (r, n), otherwise (n,).
    first_event : int
        The number of the first event, at least 0.

    Raises
    ------
    ParameterError
        One of them is out of its domain.
    DataError
        ``epsilon_per_m`` is not one-dimensional.
    """
    from privacy_engine.kernels.philox import polar

    scale_m = _scales_m(np.atleast_1d(np.asarray(epsilon_per_m, dtype=np.float64)))
    key, first, streams = _streams(seed, repetition, first_event)
    radius_m, bearing_rad = np.empty((2, len(streams), *scale_m.shape))
    for row, stream in enumerate(streams):
        polar(key, stream, first, scale_m, radius_m[row], bearing_rad[row])
    return (radius_m, bearing_rad) if np.ndim(repetition) else (radius_m[0], bearing_rad[0])


_PLANAR = 1  # what a seed's stream is for: other noise will take another number


def _scales_m(epsilon_per_m: Floats) -> Floats:
    if epsilon_per_m.ndim != 1:
        raise _misshapen("epsilon_per_m", "be one-dimensional", epsilon_per_m)
    with np.errstate(over="ignore"):
        return np.asarray(np.minimum(1.0 / _checked(epsilon_per_m), 1e300))


def _streams(
    seed: int, repetition: int | ArrayLike, first_event: int
) -> tuple[NDArray[np.uint64], np.uint64, list[np.uint64]]:
    first = np.uint64(_counted(first_event, "first_event", 2**63))
    key = np.random.SeedSequence(_counted(seed, "seed", None), spawn_key=(_PLANAR,)).generate_state(2)
    several = np.atleast_1d(np.asarray(repetition)).tolist()
    return key.astype(np.uint64), first, [np.uint64(_counted(one, "repetition", 2**32)) for one in several]


def _misshapen(field: str, rule: str, values: Floats) -> DataError:
    return DataError(f"{field} must {rule}, got {values.shape}", field=field, rule=rule, value=values.shape)


def _counted(value: int, field: str, below: int | None) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0 or (below and value >= below):
        rule = "be a whole number of at least 0" + (f" and below {below}" if below else "")
        raise ParameterError(f"{field} must {rule}, got {value}", field=field, rule=rule, value=value)
    return int(value)


def simulated_planar(
    lon: ArrayLike,
    lat: ArrayLike,
    epsilon_per_m: ArrayLike,
    *,
    seed: int,
    repetition: int | ArrayLike = 0,
    first_event: int = 0,
) -> tuple[Floats, Floats]:
    """:func:`planar_laplace` for experiments: the same law, arguments and errors of :func:`simulated_polar`.

    ``lon`` and ``lat`` (n,) in degrees; ``epsilon_per_m`` broadcasts over them. Returns ``(lon, lat)``, each (n,), or
    (r, n) for r repetitions. Never private.

    >>> here = [8.5, 8.6], [47.3, 47.4]
    >>> whole = simulated_planar(*here, 0.01, seed=1)
    >>> second = simulated_planar([8.6], [47.4], 0.01, seed=1, first_event=1)
    >>> bool(whole[0][1] == second[0][0])
    True
    """
    from privacy_engine.kernels.philox import move, polar

    lon, lat = (np.array(degrees, dtype=np.float64, ndmin=1) for degrees in (lon, lat))
    if lon.shape != lat.shape:
        raise _misshapen("lat", f"be as many as lon, {lon.shape}", lat)
    epsilon = np.asarray(epsilon_per_m, dtype=np.float64)
    if epsilon.ndim and epsilon.shape != lon.shape:
        raise _misshapen("epsilon_per_m", f"be one or as many as lon, {lon.shape}", epsilon)
    scale_m = _scales_m(np.broadcast_to(epsilon, lon.shape))
    key, first, streams = _streams(seed, repetition, first_event)
    (radius_m, bearing_rad), (to_lon, to_lat) = np.empty((2, *lon.shape)), np.empty((2, len(streams), *lon.shape))
    for row, stream in enumerate(streams):
        polar(key, stream, first, scale_m, radius_m, bearing_rad)
        move(lon, lat, radius_m, bearing_rad, to_lon[row], to_lat[row])
    return (to_lon, to_lat) if np.ndim(repetition) else (to_lon[0], to_lat[0])


def planar_mean_m(epsilon_per_m: ArrayLike) -> Floats:
    """Mean displacement of planar Laplace noise in the plane, 2/ε, in metres."""
    return np.asarray(2.0 / np.asarray(epsilon_per_m, dtype=np.float64))


def planar_quantile_m(epsilon_per_m: ArrayLike, p: ArrayLike) -> Floats:
    """The radius in metres that holds a share ``p`` of planar Laplace releases (in the plane).

    >>> [round(float(planar_quantile_m(1.0, p)), 4) for p in (0.5, 0.95)]
    [1.6783, 4.7439]
    """
    return np.asarray(gammaincinv(2.0, np.asarray(p, dtype=np.float64)) / np.asarray(epsilon_per_m, dtype=np.float64))
