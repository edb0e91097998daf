r"""Planar noise in floats with proven bounds: each draw is exact, rejected for certain, or undecided.

Every uniform number is an infinite string of bits, of which a word has the first 64. A kernel computes with the middle
of what the first bits leave and a bound on how far the real sampler's value may lie from its own: by those further bits
and by its roundings. Where a decision (to accept a proposal, to round to a cell) lies within that bound of its boundary
it answers :data:`UNDECIDED`, and :mod:`privacy_engine.noise.planar_exact` decides, on the same bits. The bounds are
proven in docs/decisions/0016-exact-noise.md and tested in tests/engine/test_certified_bounds.py; they are stated in
units of ``U`` = 2**-53, the rounding error of 1. Only IEEE operations are used, none of them fused or reordered.
"""

import math

import numpy as np
from numba import b1, f8, i8, u1, u8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled_for, inlined, out
from privacy_engine.kernels.elementary import arctan2, log, octant, sincos, to_float

DONE, REJECTED, UNDECIDED = np.uint8(0), np.uint8(1), np.uint8(2)
CELLS_PER_DEGREE = 1e7
CELLS = 1.8e9 / math.pi  # per radian
U = 2.0**-53
PER_DEGREE = math.pi / 180.0
QUARTER_TURN = math.pi * 2.0**-53  # π/2 over 2**52 steps
POINT = 64 * U  # of a destination's coordinates, as a point of the unit sphere
SURE = 2.0**-50  # a smaller uniform has too few known digits
SURE_ROOT = 2.0**-20
TWELVE, TEN, SIXTY_TWO, ONE = np.uint64(12), np.uint64(10), np.uint64(62), np.uint64(1)
LOW_62, EIGHTH, SIGN = np.uint64(2**62 - 1), np.uint64(1 << 61), np.uint64(1 << 63)
MIDDLE = 2.0**51 - 0.5


@inlined
def unit(word: np.uint64) -> float:
    """The middle of the interval that the first 52 bits leave: exact; the uniform lies within U of it."""
    return (to_float(word >> TWELVE) + 0.5) * 2.0**-52


@inlined
def bearing(word: np.uint64) -> tuple[float, float]:
    """Sine and cosine of the turn whose first 54 bits these are, off by at most 6 U."""
    shifted = word + EIGHTH
    s, c = octant((to_float((shifted & LOW_62) >> TEN) - MIDDLE) * QUARTER_TURN)
    quarter = shifted >> SIXTY_TWO
    odd = quarter & ONE == ONE
    sine = np.float64(c if odd else s).view(np.uint64) ^ ((quarter << SIXTY_TWO) & SIGN)
    cosine = np.float64(s if odd else c).view(np.uint64) ^ (((quarter + ONE) << SIXTY_TWO) & SIGN)
    return np.uint64(sine).view(np.float64), np.uint64(cosine).view(np.float64)


@inlined
def destination(lon: float, lat: float, sd: float, cd: float, word: np.uint64, off: float) -> tuple[float, ...]:
    """Where a great circle ends, in cells: east and north, and the bounds of their errors.

    ``sd`` and ``cd`` are sine and cosine of the angle travelled, which is known within ``off`` radians. Nearer to a
    pole than to the equator the distance from the pole is exact, and the errors of ``out`` and ``east`` are in
    proportion to it and to the angle travelled.
    """
    sb, cb = bearing(word)
    polar = abs(lat) > 45.0
    s, c = octant((90.0 - abs(lat) if polar else lat) * PER_DEGREE)
    cp, sp = (s if polar else c), (math.copysign(c, lat) if polar else s)
    out = cp * cd - sp * (sd * cb)
    east = sd * sb
    north = sp * cd + cp * (sd * cb)
    h = math.sqrt(out * out + east * east)
    near = min(cp + sd, 1.0) if polar and cd > 0.75 else 1.0
    x = lon * CELLS_PER_DEGREE + arctan2(east, out) * CELLS
    y = arctan2(north, h) * CELLS
    return x, y, 1.25 * CELLS * (POINT * near + 1.25 * off) / h + POINT * CELLS, CELLS * (POINT + 1.25 * off)


@inlined
def cell(lon: float, lat: float, sd: float, cd: float, word: np.uint64, off: float) -> tuple[np.uint8, float, float]:
    """The cell that holds the destination, and whether that is decided; a bound of inf or nan decides nothing."""
    x, y, off_x, off_y = destination(lon, lat, sd, cd, word, off)
    kx, ky = math.floor(x + 0.5), math.floor(y + 0.5)
    sure = 0.5 - abs(x - kx) > off_x and 0.5 - abs(y - ky) > off_y
    return (DONE if sure else UNDECIDED), kx, ky


@inlined
def near_angle(rate: float, w0: np.uint64, w1: np.uint64, w2: np.uint64) -> tuple[np.uint8, float, float, float]:
    """A Gamma(2) angle thinned by sin(d)/d: whether it is kept, its sine and cosine, and how far it may be off."""
    u0, u1, u2 = unit(w0), unit(w1), unit(w2)
    product = u0 * u1
    d = -log(product) / rate
    off = (4 * U + 1.25 * U * (u0 + u1) / product) / rate + 8 * U * d
    if not min(u0, u1) >= SURE or abs(d - math.pi) <= off + 4 * U:
        return UNDECIDED, 0.0, 0.0, 0.0
    if d > math.pi:
        return REJECTED, 0.0, 0.0, 0.0
    sd, cd = sincos(d)
    spare = sd - u2 * d
    slack = 2 * off + (8 * U * d if d < 0.75 else 24 * U)
    if not abs(spare) > slack:
        return UNDECIDED, 0.0, 0.0, 0.0
    return (DONE if spare > 0.0 else REJECTED), sd, cd, off


@inlined
def far_angle(rate: float, w0: np.uint64, w2: np.uint64) -> tuple[np.uint8, float, float, float]:
    """The angle of a uniform point of the sphere thinned by exp(-rate d); as :func:`near_angle`."""
    u0, u2 = unit(w0), unit(w2)
    rest = 1.0 - u0  # exact: u0 is a multiple of U
    root = math.sqrt(u0 * rest)
    if not (root >= SURE_ROOT and u2 >= SURE):
        return UNDECIDED, 0.0, 0.0, 0.0
    off = 1.25 * U / root
    d = 2.0 * arctan2(math.sqrt(u0), math.sqrt(rest))
    level = log(u2)
    spare = -level - rate * d
    slack = off + 1.25 * U / u2 + 8 * U * (1.0 - level) + 64 * U
    if not abs(spare) > slack:
        return UNDECIDED, 0.0, 0.0, 0.0
    return (DONE if spare > 0.0 else REJECTED), 2.0 * root, rest - u0, off


@compiled_for(f8[::1], f8[::1], f8[::1], u8[:, ::1], out(u1[::1]), out(i8[::1]), out(i8[::1]))
def planar_cells(
    lon: Floats, lat: Floats, rate: Floats, words: np.ndarray, state: np.ndarray, cell_x: Ints, cell_y: Ints
) -> None:
    """One proposal for each position: its ``state``, and where that is :data:`DONE` its cell, all (n,).

    ``lon``, ``lat`` in degrees, ``rate`` per radian, ``words`` (n, 4): radius, radius, acceptance, bearing.
    """
    for i in range(len(lon)):
        if rate[i] > 1.0:
            outcome, sd, cd, off = near_angle(rate[i], words[i, 0], words[i, 1], words[i, 2])
        else:
            outcome, sd, cd, off = far_angle(rate[i], words[i, 0], words[i, 2])
        if outcome == DONE:
            outcome, x, y = cell(lon[i], lat[i], sd, cd, words[i, 3], off)
            if outcome == DONE:
                cell_x[i], cell_y[i] = x, y
        state[i] = outcome


@compiled_for(
    f8[::1], f8[::1], i8[::1], i8, f8[::1], f8[::1], b1[::1], u8[:, ::1], out(u1[::1]), out(i8[::1]), out(i8[::1])
)
def disc_cells(
    lon: Floats,
    lat: Floats,
    starts: Ints,
    place: int,
    radius: Floats,
    off: Floats,
    whole: Mask,
    words: np.ndarray,
    state: np.ndarray,
    cell_x: Ints,
    cell_y: Ints,
) -> None:
    """Uniform points of discs: ``state`` and cells as :func:`planar_cells`, of the positions from ``place`` on.

    Those from ``starts[j]`` on have discs of a ``radius`` s in radians, known within ``off``, or the ``whole`` sphere;
    ``words`` (n, 2): share of the disc, bearing. With a share u the angle travelled, d, has sin²(d/2) = u sin²(s/2).
    """
    for j in range(np.searchsorted(starts, place, side="right") - 1, len(radius)):
        sine, cosine = (1.0, 0.0) if whole[j] else sincos(0.5 * radius[j])
        full, rest, unknown = sine * sine, cosine * cosine, 0.0 if whole[j] else off[j]
        for i in range(max(starts[j] - place, 0), min(starts[j + 1] - place, len(lon))):
            u = unit(words[i, 0])
            inner, outer = u * full, rest + (1.0 - u) * full
            root = math.sqrt(inner * outer)
            state[i] = UNDECIDED
            if u >= 2.0**-30 and root >= 2.0**-24 * sine:
                away = unknown + 64 * U + 1.25 * U / u * math.sqrt(inner / outer)  # 64 U: inner and outer are rounded
                outcome, x, y = cell(lon[i], lat[i], 2.0 * root, outer - inner, words[i, 1], away)
                state[i] = outcome
                if outcome == DONE:
                    cell_x[i], cell_y[i] = x, y
        if starts[j + 1] - place >= len(lon):
            break


@compiled_for(u8[:, ::1], f8[::1], f8[::1], f8[:, ::1], out(u1[::1]), out(f8[::1]), out(f8[::1]))
def reach_proposals(
    words: np.ndarray, power: Floats, rate: Floats, envelopes: Floats, state: np.ndarray, angle: Floats, off: Floats
) -> None:
    """One proposal for how far each of m joint draws reaches: its ``state``, the angle, how far that may be off, (m,).

    ``words`` (m, 3): piece, place, acceptance; ``envelopes`` (m, 5) are those of :mod:`.reach_envelope`, of densities
    exp(g(a)) of the angle a, with g(a) = ``power`` ln sin(a/2) - rate a up to pi and -rate a beyond.
    """
    for i in range(len(words)):
        left, right, up, down, top = envelopes[i, 0], envelopes[i, 1], envelopes[i, 2], envelopes[i, 3], envelopes[i, 4]
        piece, v, w = unit(words[i, 0]), unit(words[i, 1]), unit(words[i, 2])
        before, level = 1.0 / up, right - left
        total = before + level - 1.0 / down
        at, tie = piece * total, 2.0**-40 * total
        state[i], angle[i], off[i] = UNDECIDED, 0.0, 0.0
        if abs(at - before) < tie or abs(at - before - level) < tie or v < 2.0**-40 or w < 2.0**-40:
            continue
        lift, slope, start = log(v), (up if at < before else down), (left if at < before else right)
        a = start + lift / slope
        away = (1.25 * U / v - 8 * U * lift) / abs(slope)
        if before < at < before + level:
            a, lift, away = left + v * level, 0.0, 4 * U * level
        away += 4 * U * (abs(a) + right)
        if a < -away:
            state[i] = REJECTED
            continue
        if not away < 0.01 * a or abs(a - math.pi) <= away + 8 * U:
            continue
        sine = log(sincos(0.5 * min(a, math.pi))[0]) if a < math.pi else 0.0
        chance = log(w)
        spare = power[i] * sine - rate[i] * a - top - lift - chance
        slack = 64 * U * (power[i] * (1.0 - sine) + rate[i] * a + abs(top) + 1.0 - lift - chance)
        slack += 1.25 * away * (power[i] / a + rate[i]) + 1.25 * U / w + 1.25 * U / v
        if abs(spare) > slack:
            state[i], angle[i], off[i] = (DONE if spare > 0.0 else REJECTED), a, away


@compiled_for(u8[::1], f8, out(i8[::1]), out(b1[::1]))
def scaled_logarithms(words: np.ndarray, rate: float, whole: Ints, sure: np.ndarray) -> int:
    """The whole part of -ln(u) / ``rate`` for each word's uniform, and whether it is decided, (n,); how many are."""
    for i in range(len(words)):
        u = unit(words[i])
        level = -log(u)
        x = level / rate
        off = (1.25 * U / u + 4 * U * level) / rate + 4 * U * x
        k = math.floor(x)
        sure[i] = u >= SURE and x - k > off and 1.0 - (x - k) > off
        whole[i] = k
    return int(sure.sum())


@compiled_for(i8[::1], u8[::1], out(i8[::1]))
def signed(size: Ints, words: np.ndarray, out: Ints) -> int:
    """Write each ``size`` with the sign of its word's last bit, but -0 not at all; return how many are written.

    Otherwise 0 would come from either sign. ``out`` has at least as many items.
    """
    done = 0
    for i in range(len(words)):
        negative = np.int64(words[i] & ONE)
        out[done] = (size[i] ^ -negative) + negative
        done += 1 - (negative & (size[i] == 0))  # no branch: it would be mispredicted half of the time
    return done
