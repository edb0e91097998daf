r"""Counter-based noise for simulations: every number is a function of (key, repetition, event), and of nothing else.

Philox4x32-10 [1]_ turns a counter of four words and a key of two into four random words. The counter is (event's low
word, event's high word, repetition, attempt), so that no draw depends on how many others were made before it, on
chunks, tiles or workers. With :mod:`privacy_engine.kernels.elementary` the bits are the same on every processor.

A uniform value is the middle of one of 2**32 equal parts of (0, 1).

References
----------
.. [1] Salmon, Moraes, Dror, Shaw. "Parallel Random Numbers: As Easy as 1, 2, 3". SC 2011.
"""

import math

import numpy as np
from numba import f8, i8, u8
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.kernels import compiled, compiled_for, inlined, out
from privacy_engine.kernels.elementary import arctan2, halfway, log, sincos

Word = np.uint64
Words = NDArray[np.uint64]

M0, M1 = np.uint64(0xD2511F53), np.uint64(0xCD9E8D57)
W0, W1 = np.uint64(0x9E3779B9), np.uint64(0xBB67AE85)
WIDE_M0, WIDE_M1 = np.uint64(0xD2E7470EE14C6C93), np.uint64(0xCA5A826395121157)
WIDE_W0, WIDE_W1 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBB67AE8584CAA73B)
LOW, SHIFT, ZERO, ONE = np.uint64(0xFFFF_FFFF), np.uint64(32), np.uint64(0), np.uint64(1)
PART = 2.0**-32
PIECE = 512  # events whose words stay in the first cache
PER_RADIUS = 1.0 / EARTH_RADIUS_M
DEGREE = math.pi / 180.0


@inlined
def block(c0: Word, c1: Word, c2: Word, c3: Word, k0: Word, k1: Word) -> tuple[Word, Word, Word, Word]:
    """Four random words of a counter and a key; each word below 2**32, in 64 bits.

    Between rounds the upper halves are left dirty: only factors are cut, which the processor's product of 32 bits does
    for nothing.
    """
    for _ in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9):
        p0, p1 = M0 * (c0 & LOW), M1 * (c2 & LOW)
        c0, c1, c2, c3 = (p1 >> SHIFT) ^ c1 ^ k0, p1, (p0 >> SHIFT) ^ c3 ^ k1, p0
        k0, k1 = (k0 + W0) & LOW, (k1 + W1) & LOW
    return c0 & LOW, c1 & LOW, c2 & LOW, c3 & LOW


@compiled
def words(counters: Words, key: Words) -> Words:
    """The four words that :func:`block` makes of each of ``counters`` (n, 4) under ``key``, in the same shape."""
    out = np.empty_like(counters)
    for i in range(len(counters)):
        c = counters[i]
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = block(c[0], c[1], c[2], c[3], key[0], key[1])
    return out


@inlined
def _product(a: Word, b: Word) -> tuple[Word, Word]:
    """The upper and the lower word of a product."""
    low = (a & LOW) * (b & LOW)
    middle = (a >> SHIFT) * (b & LOW) + (low >> SHIFT)
    other = (a & LOW) * (b >> SHIFT) + (middle & LOW)
    return (a >> SHIFT) * (b >> SHIFT) + (middle >> SHIFT) + (other >> SHIFT), a * b


@compiled_for(u8[:, ::1], i8[::1], out(u8[::1]))
def words_of_keys(keys: Words, starts: Ints, out: Words) -> None:
    """The first words of numpy's Philox4x64-10 for each of m ``keys`` (m, 2); they begin at ``starts`` (m + 1,)."""
    for part in range(len(keys)):
        counter, four = ZERO, np.empty(4, dtype=np.uint64)
        for first in range(starts[part], starts[part + 1], 4):
            counter += ONE
            c0, c1, c2, c3, k0, k1 = counter, ZERO, ZERO, ZERO, keys[part, 0], keys[part, 1]
            for _ in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9):
                (high0, low0), (high1, low1) = _product(WIDE_M0, c0), _product(WIDE_M1, c2)
                c0, c1, c2, c3 = high1 ^ c1 ^ k0, low1, high0 ^ c3 ^ k1, low0
                k0, k1 = k0 + WIDE_W0, k1 + WIDE_W1
            four[0], four[1], four[2], four[3] = c0, c1, c2, c3
            for i in range(min(4, starts[part + 1] - first)):
                out[first + i] = four[i]


@inlined
def unit(word: Word) -> float:
    """A word as a value of the open interval (0, 1)."""
    return halfway(word) * PART


@compiled_for(u8[::1], u8, u8, f8[::1], out(f8[::1]), out(f8[::1]))
def polar(
    key: Words, repetition: Word, first_event: Word, scale_m: Floats, radius_m: Floats, bearing_rad: Floats
) -> None:
    """Planar Laplace noise of consecutive events, each with its scale 1/epsilon in metres, into the last two arrays.

    The radius is Gamma(2, scale), -scale log(uv), kept with probability sin(a)/a for the angle a at the Earth's centre.
    That is at least 1 - a²/6, which nearly always settles it; the others are marked by a negative radius and looked at
    again.
    """
    k0, k1, doubtful, thinned = key[0], key[1], 0, np.empty(PIECE)
    for start in range(0, len(scale_m), PIECE):  # two loops, each of which fits in the registers
        scales, radii, bearings = scale_m[start:], radius_m[start:], bearing_rad[start:]
        size, first = min(PIECE, len(scales)), first_event + np.uint64(start)
        for i in range(size):
            event = first + np.uint64(i)
            w0, w1, w2, w3 = block(event & LOW, event >> SHIFT, repetition, ZERO, k0, k1)
            radii[i], bearings[i], thinned[i] = unit(w0) * unit(w1), unit(w2) * (2.0 * math.pi), unit(w3)
        for i in range(size):
            radius = -scales[i] * log(radii[i])
            angle = radius * PER_RADIUS
            doubt = thinned[i] > 1.0 - angle * angle * (1.0 / 6.0)
            doubtful += doubt
            radii[i] = -radius if doubt else radius
    if doubtful:
        for i in range(len(scale_m)):
            if radius_m[i] < 0.0:
                event = first_event + np.uint64(i)
                radius_m[i], word = retried(event, repetition, k0, k1, scale_m[i])
                bearing_rad[i] = unit(word) * (2.0 * math.pi)


@compiled
def retried(event: Word, repetition: Word, k0: Word, k1: Word, scale_m: float) -> tuple[float, Word]:
    """Radius and the bearing's word of the first attempt that is kept.

    Where noise is larger than the Earth the second and later ones are of another sampler: there the angle is uniform on
    [0, pi], thinned by sin(a) exp(-a rate). The Gamma law would hardly ever stay on the sphere.
    """
    rate = EARTH_RADIUS_M / scale_m
    attempt = ZERO
    while True:
        w0, w1, w2, w3 = block(event & LOW, event >> SHIFT, repetition, attempt, k0, k1)
        if attempt == ZERO or rate > 1.0:
            angle = -log(unit(w0) * unit(w1)) / rate
            kept = angle <= math.pi and unit(w3) * angle <= sincos(angle)[0]
        else:
            angle = math.pi * unit(w0)
            kept = unit(w1) <= sincos(angle)[0] and -log(unit(w3)) >= rate * angle
        if kept:
            return angle * EARTH_RADIUS_M, w2
        attempt += ONE


@compiled_for(f8[::1], f8[::1], f8[::1], f8[::1], out(f8[::1]), out(f8[::1]))
def move(lon: Floats, lat: Floats, radius_m: Floats, bearing_rad: Floats, to_lon: Floats, to_lat: Floats) -> None:
    """:func:`privacy_engine.core.geo.destination` into the last two arrays, which share no memory with the others."""
    ahead, east, up, out = np.empty(PIECE), np.empty(PIECE), np.empty(PIECE), np.empty(PIECE)
    for start in range(0, len(lon), PIECE):  # four loops, each of which fits in the registers
        lons, lats, radii, bearings = lon[start:], lat[start:], radius_m[start:], bearing_rad[start:]
        to_lons, to_lats, size = to_lon[start:], to_lat[start:], min(PIECE, len(lons))
        for i in range(size):
            sin_delta, cos_delta = sincos(radii[i] * PER_RADIUS)
            sin_bearing, cos_bearing = sincos(bearings[i])
            ahead[i], east[i], up[i] = sin_delta * cos_bearing, sin_delta * sin_bearing, cos_delta
        for i in range(size):
            sin_phi, cos_phi = sincos(lats[i] * DEGREE)
            out[i] = cos_phi * up[i] - sin_phi * ahead[i]
            ahead[i] = sin_phi * up[i] + cos_phi * ahead[i]  # northwards, from here on
        for i in range(size):
            turned = lons[i] + arctan2(east[i], out[i]) / DEGREE
            turned = turned - 360.0 if turned >= 180.0 else turned
            turned = turned + 360.0 if turned < -180.0 else turned
            to_lons[i] = turned if turned < 180.0 else -180.0  # -180 less an ulp rounds up to 180
        for i in range(size):
            to_lats[i] = arctan2(ahead[i], math.sqrt(out[i] * out[i] + east[i] * east[i])) / DEGREE
