"""Noise and randomness. Scales are computed only here, and nothing else in Cairn draws randomness.

Two sources with one interface:

* :func:`publishable`: the operating system's CSPRNG. What it makes may be published.
* :func:`seeded`: Philox keyed by a seed. What it makes is a simulation, repeatable and never private.

A source is made inside the job that uses it and never kept at module level: forked workers would share it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaincinv

from privacy_engine import geo
from privacy_engine.data import Floats, Ints, Mask
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


def _positive(value: float, field: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{field} must be a number", field=field, rule="numeric", value=value) from error
    if not 0 < number < math.inf:
        rule = "finite and greater than 0"
        raise ParameterError(f"{field} must be {rule}, got {value}", field=field, rule=rule, value=value)
    return number


def exponential_weights(utilities: ArrayLike, epsilon: float, sensitivity: float) -> Floats:
    r"""How likely the exponential mechanism chooses what, :math:`p_i \propto e^{\epsilon u_i/2\Delta}`, (m,).

    Epsilon-differentially private if no neighbour's utilities differ by more than ``sensitivity`` *and neighbours
    choose among the same options* [1]_.

    Parameters
    ----------
    utilities : (m,) array_like
        Finite; at least one. In the unit of ``sensitivity``.
    epsilon, sensitivity : float
        Finite and greater than 0.

    Raises
    ------
    ParameterError
        Any of them lies outside its domain.

    References
    ----------
    .. [1] McSherry, Talwar. "Mechanism Design via Differential Privacy". FOCS 2007.

    Examples
    --------
    >>> exponential_weights([0, -1, -2], epsilon=2, sensitivity=1).round(4).tolist()
    [0.6652, 0.2447, 0.09]
    """
    epsilon, sensitivity = _positive(epsilon, "epsilon"), _positive(sensitivity, "sensitivity")
    found = np.asarray(utilities, dtype=np.float64)
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        rule = "a one-dimensional array of at least one finite number"
        raise ParameterError(f"utilities must be {rule}", field="utilities", rule=rule, value=str(found)[:60])
    with np.errstate(over="ignore"):  # an option hopelessly worse than the best one weighs 0
        weights = np.exp((found - found.max()) / (2 * sensitivity) * epsilon)
    return np.asarray(weights / weights.sum())


def exponential_mechanism(
    utilities: ArrayLike, epsilon: float, sensitivity: float, *, rng: RandomSource | np.random.Generator
) -> int:
    """The index of one option, drawn by :func:`exponential_weights`; its arguments and errors are the same."""
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    upto = np.cumsum(exponential_weights(utilities, epsilon, sensitivity))
    return int(np.searchsorted(upto, rng.uniform(1)[0] * upto[-1], side="right").clip(max=len(upto) - 1))


def cover_probability(epsilon: float) -> float:
    r"""How often a regular event must pass for a landmark so that a mark tells little: :math:`e^{-\epsilon}`.

    A landmark is always marked; a mark then moves the odds by at most :math:`e^\epsilon`. No smaller probability
    does, so no one-sided mechanism that keeps all landmarks marks fewer events [1]_.

    References
    ----------
    .. [1] Kotsogiannis, Doudalis, Haney, Machanavajjhala, Mehrotra. "One-sided Differential Privacy". ICDE 2020.
    """
    return math.exp(-_positive(epsilon, "epsilon"))


def covered(n: int, epsilon: float, *, rng: RandomSource | np.random.Generator) -> Mask:
    """``n`` independent coins, true with :func:`cover_probability`, (n,)."""
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    return np.asarray(rng.uniform(n) < cover_probability(epsilon))


def gumbel_top(log_weights: ArrayLike, count: int, *, rng: RandomSource | np.random.Generator) -> Ints:
    """``count`` indices drawn one after another without replacement, each in proportion to its weight, sorted.

    The largest of ``log_weights`` + Gumbel noise are such a sample [1]_, in O(n). ``count`` is at most how many
    weights are above 0 (``log_weights`` above -inf).

    References
    ----------
    .. [1] Efraimidis, Spirakis. "Weighted random sampling with a reservoir". Inf. Process. Lett. 97(5), 2006.
    """
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    logs = np.asarray(log_weights, dtype=np.float64)
    if not count:
        return np.empty(0, dtype=np.int64)
    keys = logs - np.log(-np.log(rng.uniform(len(logs))))
    return np.sort(np.argpartition(keys, len(keys) - count)[len(keys) - count :]).astype(np.int64)


def drawn_in_groups(group: Ints, counts: Ints, *, rng: RandomSource | np.random.Generator) -> Mask:
    """Which items are drawn if each group g gives ``counts[g]`` of its own, all alike, without replacement, (m,).

    ``group`` (m,) is the group of each item; none is asked for more than it has.
    """
    rng = seeded(rng) if isinstance(rng, np.random.Generator) else rng
    shuffled = np.lexsort((rng.uniform(len(group)), group))  # by group, in random order inside
    sizes = np.bincount(group, minlength=len(counts))
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    drawn = np.zeros(len(group), dtype=np.bool_)
    drawn[shuffled] = place < np.repeat(counts, sizes)
    return drawn
