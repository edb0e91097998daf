"""The loop of stay point detection: unit vectors and squared chords, trigonometry only where rounding could decide."""

import numpy as np
from numba import b1, f8, i8

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.kernels import compiled, compiled_for, out

WINDOW = 1 << 14
"""Events whose unit vectors are held."""
TIE = 1e-14
"""Haversines within this share of the limit are equal to it: the arc sine and sine between them cost some ulps."""


Vector = tuple[float, float, float]


@compiled
def _inside(
    lon: Floats, lat: Floats, i: int, at_i: Vector, j: int, at_j: Vector, limits: tuple[float, float, float, bool]
) -> bool:
    near, far, limit, strict = limits
    dx, dy, dz = at_j[0] - at_i[0], at_j[1] - at_i[1], at_j[2] - at_i[2]
    chord = dx * dx + dy * dy + dz * dz
    if chord < near or chord > far:
        return bool(chord < near)
    degree = np.pi / 180.0
    phi_i, phi_j = lat[i] * degree, lat[j] * degree
    half_phi, half_lambda = np.sin((phi_j - phi_i) / 2.0), np.sin((lon[j] - lon[i]) * degree / 2.0)
    haversine = half_phi * half_phi + np.cos(phi_i) * np.cos(phi_j) * (half_lambda * half_lambda)
    if strict:
        return bool(haversine < limit * (1.0 - TIE))
    return bool(haversine <= limit * (1.0 + TIE))


@compiled
def _sine_cosine(degrees: float) -> tuple[float, float]:
    """Both to an ulp or two (fdlibm's polynomials): degrees reduce exactly, and loops over this become vector code."""
    quarter = np.floor(degrees * (1.0 / 90.0) + 0.5)
    r = (degrees - 90.0 * quarter) * (np.pi / 180.0)
    z = r * r
    tail = 2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    tail = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * tail)
    sine = r + r * z * (-1.66666666666666324348e-01 + z * tail)
    tail = -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)
    tail = -1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + z * tail)
    cosine = 1.0 - 0.5 * z + z * z * (4.16666666666666019037e-02 + z * tail)
    odd = quarter == 1.0 or quarter == -1.0
    first, second = (cosine, -sine) if odd else (sine, cosine)
    sign = -1.0 if quarter == 2.0 or quarter == -2.0 or quarter == -1.0 else 1.0
    return sign * first, sign * second


@compiled
def unit_vector(lon: float, lat: float) -> Vector:
    """A position in degrees as a point of the unit sphere."""
    sine, cosine = _sine_cosine(lon)
    up, ring = _sine_cosine(lat)
    return ring * cosine, ring * sine, up


@compiled_for(f8[::1], f8[::1])
def unit_vectors(lon: Floats, lat: Floats) -> Floats:
    """Positions in degrees, within -180..180 and -90..90, as points of the unit sphere, (n, 3)."""
    xyz = np.empty((len(lon), 3))
    for i in range(len(lon)):
        sine, cosine = _sine_cosine(lon[i])  # not unit_vector: the loop would not become vector code
        up, ring = _sine_cosine(lat[i])
        xyz[i, 0], xyz[i, 1], xyz[i, 2] = ring * cosine, ring * sine, up
    return xyz


@compiled_for(f8[::1], f8[::1], f8[::1], i8[::1], f8, f8, f8, f8, f8, b1, b1, b1, out(i8[::1]), i8)
def stay_groups(
    lon: Floats,
    lat: Floats,
    time_s: Floats,
    starts: Ints,
    near: float,
    far: float,
    limit: float,
    duration_s: float,
    max_gap_s: float,
    strict: bool,
    to_outside: bool,
    next_point: bool,
    at: Ints,
    most: int,
) -> Ints:
    """Stays as half-open groups, (m, 2), of about the next ``most`` comparisons.

    ``starts`` (k + 1,) are where each of k series begins and the last ends. ``at`` (4,) is the next event, the last
    known end of a run, the series, and up to where the run of the next event is known: 0 at the beginning.

    Squared chords below ``near`` are inside and above ``far`` outside; between the two the haversine decides, against
    ``limit``, strictly or not. ``to_outside``: durations run to the first point outside. ``next_point``: an anchor that
    fails is followed by the next point instead of the first outside.
    """
    many, i, blocked, series, known, left = 0, at[0], at[1], at[2], at[3], most
    groups, limits = np.empty((16, 2), dtype=np.int64), (near, far, limit, strict)
    first, xyz = blocked, unit_vectors(lon[blocked : blocked + 1], lat[blocked : blocked + 1])
    here = there = xyz[0, 0], xyz[0, 1], xyz[0, 2]  # of the event compared last, and of that at ``blocked``
    while i < len(lon) and left > 0:
        left -= 1
        while starts[series + 1] <= i:
            series += 1
        end = starts[series + 1]
        if not first <= i < first + len(xyz):
            first, xyz = i, unit_vectors(lon[i : i + WINDOW], lat[i : i + WINDOW])
        anchor = xyz[i - first, 0], xyz[i - first, 1], xyz[i - first, 2]
        # a later anchor's run that ends no later than a failed run is no longer than it: look at that end first
        if blocked > i and not known and not _inside(lon, lat, i, anchor, blocked, there, limits):
            i += 1
            continue
        j, gap, inside = max(i + 1, known), False, True
        stop = min(end, j + left)
        left, known = left - (stop - j), 0
        while inside and j < stop:
            if not first <= j < first + len(xyz):
                first, xyz = j, unit_vectors(lon[j : j + WINDOW], lat[j : j + WINDOW])
            last = min(stop, first + len(xyz))
            while j < last:
                here = xyz[j - first, 0], xyz[j - first, 1], xyz[j - first, 2]
                gap = time_s[j] - time_s[j - 1] > max_gap_s
                if gap or not _inside(lon, lat, i, anchor, j, here, limits):
                    inside = False
                    break
                j += 1
        left += stop - j
        if inside and j < end:
            known = j
            break
        last = j if to_outside and j < end and not gap else j - 1
        if time_s[last] - time_s[i] >= duration_s:
            if many == len(groups):
                larger = np.empty((2 * many, 2), dtype=np.int64)
                for k in range(many):
                    larger[k, 0], larger[k, 1] = groups[k, 0], groups[k, 1]
                groups = larger
            groups[many, 0], groups[many, 1] = i, j
            many += 1
            i, blocked = j, 0
        elif next_point and j < end and not gap:
            i, blocked, there = i + 1, j, here
        else:
            i = j
    at[0], at[1], at[2], at[3] = i, blocked, series, known
    return groups[:many]
