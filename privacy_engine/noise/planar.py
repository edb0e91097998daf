"""Planar Laplace noise on the sphere, exactly rounded to the grid, and its closed forms."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.on_demand import scipy
from privacy_engine.core.progress import blocks, reported
from privacy_engine.errors import ParameterError
from privacy_engine.noise.grid import degrees, wrapped
from privacy_engine.noise.lazy_uniform import LazyUniform
from privacy_engine.noise.planar_exact import planar_cell
from privacy_engine.noise.sources import RandomSource, Words, as_source
from privacy_engine.noise.validation import exact_rates, positions

PROPOSAL = 4  # words
CHUNK = 16_384
"""Positions drawn at once: their words stay in the processor's cache."""


def planar_laplace(
    lon: ArrayLike, lat: ArrayLike, epsilon_per_m: ArrayLike, *, rng: RandomSource | np.random.Generator
) -> tuple[Floats, Floats]:
    r"""Planar Laplace noise on the sphere, rounded to the grid of 1e-7 degrees.

    The point is drawn with density :math:`\propto e^{-\epsilon d(x, z)}` on the sphere, d the great-circle distance,
    which is ``epsilon_per_m``-geo-indistinguishable [1]_; what is returned is *exactly* that point rounded to its cell,
    a function of the point alone. So it is exactly as indistinguishable, with no allowance for floating point, if the
    bits of ``rng`` are uniform and independent; those of :func:`publishable` are so against whoever cannot break the
    operating system's generator. Proof: docs/decisions/0016-exact-noise.md. A draw that floats do not decide takes a
    thousand times as long, about 1 in 30,000: whoever can time single draws learns that.

    Parameters
    ----------
    lon, lat : (n,) array_like
        Degrees, within ±360 and ±90; each float stands for the real number it is.
    epsilon_per_m : (n,) or scalar array_like
        Per metre, from 1e-30 to 1e12.

    Returns ``(lon, lat)``, each (n,), in degrees: the floats nearest to integer multiples of 1e-7, longitude in
    [-180, 180).

    Raises
    ------
    ParameterError
        ``epsilon_per_m`` is out of its domain, or neither a number nor as many as the positions.
    DataError
        Positions out of their domain, or not as many longitudes as latitudes.

    References
    ----------
    .. [1] Andrés, Bordenabe, Chatzikokolakis, Palamidessi. "Geo-indistinguishability". CCS 2013.
    """
    east, north = planar_cells(lon, lat, epsilon_per_m, rng=rng)
    return degrees(east), degrees(north)


def planar_cells(
    lon: ArrayLike, lat: ArrayLike, epsilon_per_m: ArrayLike, *, rng: RandomSource | np.random.Generator
) -> tuple[Ints, Ints]:
    """The cells of :func:`planar_laplace`, its arguments and errors: integers east and north, each (n,)."""
    rng = as_source(rng)
    lon, lat = positions(lon, lat)
    epsilon = exact_rates(epsilon_per_m)
    if epsilon.ndim and epsilon.shape != lon.shape:
        rule = f"one or as many as lon, {lon.shape}"
        raise ParameterError.must_be("epsilon_per_m", rule, epsilon.shape)
    epsilon = np.ascontiguousarray(np.broadcast_to(epsilon, lon.shape))
    east, north = np.empty((2, lon.size), dtype=np.int64)
    for part in blocks(lon.size, CHUNK):
        east[part], north[part] = _draw_cells(lon[part], lat[part], epsilon[part], rng)
    return wrapped(east), north


def _draw_cells(lon: Floats, lat: Floats, epsilon: Floats, rng: RandomSource) -> tuple[Ints, Ints]:
    """Cells east and north, each (n,), by rejection: a proposal for each position, until one of it is accepted."""
    cells, todo = np.empty((2, lon.size), dtype=np.int64), np.arange(lon.size)
    while todo.size:
        words = rng.words(PROPOSAL * todo.size).reshape(-1, PROPOSAL)
        proposals, accepted = proposed(lon[todo], lat[todo], epsilon[todo], words, rng)
        cells[:, todo[accepted]] = proposals[:, accepted]
        todo = todo[~accepted]
    return cells[0], cells[1]


def proposed(
    lon: Floats, lat: Floats, epsilon: Floats, words: Words, rng: RandomSource
) -> tuple[Ints, NDArray[np.bool_]]:
    """One proposal for each position from its row of ``words`` (n, 4): cells (2, n), and which are kept (n,)."""
    from privacy_engine.kernels import certified

    rate = epsilon * geo.EARTH_RADIUS_M
    state, cells = np.empty(lon.size, dtype=np.uint8), np.empty((2, lon.size), dtype=np.int64)
    certified.planar_cells(lon, lat, rate, words, state, cells[0], cells[1])
    for i in reported(np.flatnonzero(state == certified.UNDECIDED)):
        cell = decided(lon[i], lat[i], epsilon[i], words[i], rng)
        state[i] = certified.REJECTED if cell is None else certified.DONE
        cells[:, i] = cell or (0, 0)
    return cells, state == certified.DONE


def decided(lon: float, lat: float, epsilon_per_m: float, words: Words, rng: RandomSource) -> tuple[int, int] | None:
    """The cell of a proposal from its ``words`` (4,) that floats do not decide; None where it is rejected."""
    uniforms = [LazyUniform(word, rng) for word in words.tolist()]
    return planar_cell(lon, lat, epsilon_per_m, uniforms, near=bool(epsilon_per_m * geo.EARTH_RADIUS_M > 1))


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
