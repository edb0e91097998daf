"""Joint planar noise: one draw for several positions that are protected together, exactly rounded to the grid."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import blocks, reported
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.grid import degrees, wrapped
from privacy_engine.noise.lazy_uniform import LazyUniform, settle
from privacy_engine.noise.planar_exact import Cell, destination_cell
from privacy_engine.noise.reach import Reach
from privacy_engine.noise.sources import RandomSource, as_source
from privacy_engine.noise.validation import RATES, number, positions, refused

CHUNK = 16_384
MOST_POSITIONS = 2**40


def joint_reach_m(count: int, epsilon_per_m: float, *, rng: RandomSource | np.random.Generator) -> float:
    r"""How far one joint draw of ``count`` positions may move any of them, s, in metres; the nearest float.

    The density of the angle :math:`a = s/R` is proportional to :math:`e^{-\epsilon R a} \sin^{2p}(a/2)` up to π and to
    :math:`e^{-\epsilon R a}` beyond, where every disc is the whole sphere; in the plane s is Gamma(2p + 1, 1/ε).
    Sampled exactly (:mod:`privacy_engine.noise.reach`), in O(1).

    Raises
    ------
    ParameterError
        ``count`` is no whole number from 1, or ``epsilon_per_m`` is out of its domain, 1e-30 to 1e12.
    """
    rng = as_source(rng)
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or not 1 <= count <= MOST_POSITIONS:
        raise refused("count", f"a whole number from 1 to {MOST_POSITIONS}", count)
    return geo.EARTH_RADIUS_M * Reach(int(count), _rate(epsilon_per_m), rng).angle


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

    What is returned is exactly the real draw rounded to its cells, as :func:`~privacy_engine.noise.planar_laplace`
    states, with the same assumption on ``rng``.

    Parameters
    ----------
    lon, lat : (p,) array_like
        Degrees, within ±360 and ±90.
    epsilon_per_m : float
        Per metre, for all positions together; from 1e-30 to 1e12.

    Returns ``(lon, lat)`` in degrees: the floats nearest to integer multiples of 1e-7, longitude in [-180, 180).

    Raises
    ------
    ParameterError
        ``epsilon_per_m`` is out of its domain.
    DataError
        Positions out of their domain, or not as many longitudes as latitudes.

    References
    ----------
    .. [1] Hardt, Talwar. "On the Geometry of Differential Privacy". STOC 2010.
    """
    rng = as_source(rng)
    lon, lat = positions(lon, lat)
    rate = _rate(epsilon_per_m)
    if not lon.size:
        return lon, lat
    reach = Reach(lon.size, rate, rng)
    east, north = np.empty((2, lon.size), dtype=np.int64)
    for part in blocks(lon.size, CHUNK):
        # copies: kernels are compiled for arrays that may be written, and a trajectory's may not
        east[part], north[part] = _in_discs(lon[part].copy(), lat[part].copy(), reach, rng)
    return degrees(wrapped(east)), degrees(north)


def _rate(epsilon_per_m: float) -> float:
    return number(epsilon_per_m, "epsilon_per_m", lowest=RATES[0], highest=RATES[1])


def _in_discs(lon: Floats, lat: Floats, reach: Reach, rng: RandomSource) -> tuple[Ints, Ints]:
    """The cells of uniform points of discs with the radius of ``reach`` about positions."""
    from privacy_engine.kernels import certified

    words = rng.words(2 * lon.size).reshape(-1, 2)
    state, cells = np.empty(lon.size, dtype=np.uint8), np.empty((2, lon.size), dtype=np.int64)
    sine, cosine, off = (1.0, 0.0, 0.0) if reach.whole else (*certified.half_angle(reach.angle), reach.off)
    certified.disc_cells(lon, lat, sine, cosine, off, words, state, cells[0], cells[1])
    for i in reported(np.flatnonzero(state == certified.UNDECIDED)):
        share, turn = (LazyUniform(word, rng) for word in words[i].tolist())
        cells[:, i] = disc_cell(lon[i], lat[i], reach, share, turn)
    return cells[0], cells[1]


def disc_cell(lon: float, lat: float, reach: Reach, share: LazyUniform, turn: LazyUniform) -> Cell:
    """The cell of one position, decided in balls: it is moved by d with sin²(d/2) = share · sin²(s/2)."""

    def decide(balls: Sequence[Ball], bits: int) -> Cell:
        half = balls[0].sqrt() * reach.half_sine(bits)
        angle = Ball.atan2(half, (Ball.exact(1, bits) - half * half).sqrt()) * 2
        return destination_cell(lon, lat, angle, balls[1])

    return settle([share, turn], decide)


def joint_mean_m(count: int, epsilon_per_m: float) -> float:
    """Mean displacement of each of ``count`` positions under joint noise in the plane, (4p + 2)/(3ε), in metres."""
    return (4 * count + 2) / (3 * epsilon_per_m)


def joint_sd_m(count: int, epsilon_per_m: float) -> float:
    """Standard deviation per axis of joint noise in the plane, √((2p + 1)(2p + 2)) / 2ε, in metres."""
    return math.sqrt((2 * count + 1) * (2 * count + 2)) / (2 * epsilon_per_m)
