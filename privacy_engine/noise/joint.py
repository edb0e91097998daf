"""Joint planar noise: a draw for several positions that are protected together, exactly rounded to the grid."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import blocks, reported
from privacy_engine.errors import ParameterError
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.grid import degrees, wrapped
from privacy_engine.noise.lazy_uniform import LazyUniform, settle
from privacy_engine.noise.planar_exact import Cell, destination_cell
from privacy_engine.noise.reach import Reaches
from privacy_engine.noise.sources import RandomSource, as_source
from privacy_engine.noise.validation import exact_rates, positions

CHUNK = 16_384


def joint_planar(
    lon: ArrayLike,
    lat: ArrayLike,
    epsilon_per_m: ArrayLike,
    *,
    rng: RandomSource | np.random.Generator,
    starts: Ints | None = None,
) -> tuple[Floats, Floats]:
    r"""All positions moved by a joint draw, of density :math:`\propto e^{-\epsilon \max_i d(x_i, z_i)}`.

    The K-norm mechanism [1]_ for p positions each of which may change: by the triangle inequality the odds of any
    output change by at most :math:`e^{\epsilon \max_i d(x_i, x'_i)}`, d the great-circle distance, however many
    positions change. Independent planar Laplace noise needs p times as much at each for the same promise and moves a
    position by 2p/ε on average; this moves it by :math:`(4p + 2)/(3\epsilon)`, a third less. For a single position the
    two are the same law. A position is uniform in a disc about the truth whose radius
    (:mod:`privacy_engine.noise.reach`) is drawn once for all. O(p).

    What is returned is exactly the real draw rounded to its cells, as :func:`~privacy_engine.noise.planar_laplace`
    states, with the same assumption on ``rng``.

    Parameters
    ----------
    lon, lat : (p,) array_like
        Degrees, within ±360 and ±90.
    epsilon_per_m : float or (m,) array_like
        Per metre, for all positions together; from 1e-30 to 1e12.
    starts : (m + 1,) int
        Where the positions of each of m draws begin, 1 or more each; without, all are of the same. A seed draws them
        in turn, with the bits of each alone.

    Returns ``(lon, lat)`` in degrees: the floats nearest to integer multiples of 1e-7, longitude in [-180, 180).

    Raises
    ------
    ParameterError
        ``epsilon_per_m`` is out of its domain, or neither a number nor (m,); ``starts`` are no such offsets.
    DataError
        Positions out of their domain, or not as many longitudes as latitudes.

    References
    ----------
    .. [1] Hardt, Talwar. "On the Geometry of Differential Privacy". STOC 2010.
    """
    rng = as_source(rng)
    lon, lat = positions(lon, lat)
    starts = np.arange(0, lon.size + 1, max(lon.size, 1)) if starts is None else starts
    if (starts[0], starts[-1]) != (0, lon.size) or not (starts[1:] > starts[:-1]).all():
        raise ParameterError.must_be("starts", f"offsets from 0 to {lon.size} that increase", starts)
    rates, m = exact_rates(epsilon_per_m), len(starts) - 1
    if rates.ndim and rates.shape != (m,):
        raise ParameterError.must_be("epsilon_per_m", f"one or as many as the draws, {m}", epsilon_per_m)
    rates, each = np.broadcast_to(rates, m), max(m, 1) if rng.private else 1
    cells = np.empty((2, lon.size), dtype=np.int64)
    for first in reported(range(0, m, each)):
        own = starts[first : first + each + 1]
        some = slice(own[0], own[-1])
        _in_discs(lon[some], lat[some], own - own[0], rates[first : first + each], rng, cells[:, some])
    return degrees(wrapped(cells[0])), degrees(cells[1])


def _in_discs(lon: Floats, lat: Floats, starts: Ints, rates: Floats, rng: RandomSource, cells: Ints) -> None:
    """Write the cells (2, n) of uniform points of discs about positions, with the reach of their draw as the radius."""
    from privacy_engine.kernels import certified

    reaches = Reaches(np.diff(starts), rates, rng)
    discs = reaches.angle, reaches.off, reaches.whole
    for part in blocks(lon.size, CHUNK):
        words, state = (
            rng.words(2 * (part.stop - part.start)).reshape(-1, 2),
            np.empty(part.stop - part.start, np.uint8),
        )
        certified.disc_cells(lon[part], lat[part], starts, part.start, *discs, words, state, *cells[:, part])
        for i in reported(np.flatnonzero(state == certified.UNDECIDED)):
            share, turn = (LazyUniform(word, rng) for word in words[i].tolist())
            at = part.start + i
            of = int(np.searchsorted(starts, at, side="right")) - 1
            cells[:, at] = disc_cell(lon[at], lat[at], partial(reaches.half_sine, of), share, turn)


def disc_cell(lon: float, lat: float, half_sine: Callable[[int], Ball], share: LazyUniform, turn: LazyUniform) -> Cell:
    """The cell of a position, decided in balls: it is moved by d, sin²(d/2) = share · sin²(s/2), of bits."""

    def decide(balls: Sequence[Ball], bits: int) -> Cell:
        half = balls[0].sqrt() * half_sine(bits)
        angle = Ball.atan2(half, (Ball.exact(1, bits) - half * half).sqrt()) * 2
        return destination_cell(lon, lat, angle, balls[1])

    return settle([share, turn], decide)


def joint_mean_m(count: ArrayLike, epsilon_per_m: ArrayLike) -> Floats:
    """Mean displacement of each of ``count`` positions under joint noise in the plane, (4p + 2)/(3ε), in metres."""
    return np.asarray((4 * np.asarray(count, dtype=np.float64) + 2) / (3 * np.asarray(epsilon_per_m)))


def joint_sd_m(count: ArrayLike, epsilon_per_m: ArrayLike) -> Floats:
    """Standard deviation per axis of joint noise in the plane, √((2p + 1)(2p + 2)) / 2ε, in metres."""
    twice = 2 * np.asarray(count, dtype=np.float64)
    return np.asarray(np.sqrt((twice + 1) * (twice + 2)) / (2 * np.asarray(epsilon_per_m)))
