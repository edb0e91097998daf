"""Common parts of the simulation kernels: repetitions as vector lanes, and the noise of a chunk in unit scale.

A kernel loops over events and, inside, over the repetitions of a tile: at most :data:`LANES`, all at the same event,
so that the loop is vectorised. The state of all lanes is rows of numbers in a flat array with a stride of
:data:`LANES`: if it were no constant, a loop over many rows would not be vectorised. No lane depends on another:
results do not depend on tiles, nor on the unused lanes that fill the last step of every loop (:func:`padded`).

Positions are points of the unit sphere, rows X, Y and Z.
"""

import math
from typing import TypeAlias

import numpy as np
from numba import f8, i8, u1, u8
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints, ceil_div
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.kernels import compiled_for, inlined, out
from privacy_engine.kernels.elementary import arctan2, direction, halfway, log, sincos
from privacy_engine.kernels.philox import DEGREE, LOW, PART, PER_RADIUS, SHIFT, ZERO, Words, block, retried, unit

LANES = 128
SIN, COS, UNITS = LANES, 2 * LANES, 3 * LANES  # rows of an event's noise: unit radius at 0, sine, cosine of the bearing
X, Y, Z, HELD, SCALE, SUM, ROWS = (i * LANES for i in range(7))
STEP = 8  # lanes of the widest vector register
PAGE = 512  # numbers whose addresses differ in the last 12 bits
MANY = 2**40 - 1  # a mask without effect: the compiler then proves that no index is negative
FRAME = 8  # of an event: itself, north (3 numbers each), east (2; it has no height)
LARGEST_UNIT = 45.75  # -log of the least product of two uniforms, 2**-66
NOTHING, LENGTH, DIRECTION = range(3)  # what of an event's noise is required: each includes that before it
SMALL = 0.05
"""Up to this angle (rad) or chord, short series are exact to a double's last bits."""

Needs: TypeAlias = NDArray[np.uint8]


def aligned(rows: int, columns: int) -> Floats:
    """Return an uninitialised array of at least these columns, its memory and rows aligned for the kernels' loops.

    No vector then lies in two cache lines, and no load waits for a store to an address that has the same last 12 bits.
    """
    width = ceil_div(columns, LANES) * LANES
    memory = np.empty(rows * width + PAGE)
    address: int = memory.__array_interface__["data"][0]
    start = -(address // memory.itemsize) % PAGE
    return memory[start : start + rows * width].reshape(rows, width)


@inlined
def padded(lanes: int) -> int:
    """Return the lanes rounded up to whole steps: each lane of a remainder would take as long as a step."""
    return min((lanes + STEP - 1) // STEP, LANES // STEP) * STEP


@compiled_for(f8[::1], f8[::1])
def frames(lon: Floats, lat: Floats) -> Floats:
    """Return the events' positions on the unit sphere and the directions north and east there, (n, FRAME)."""
    out = np.empty((len(lon), FRAME))
    for i in range(len(lon)):
        sin_phi, cos_phi = sincos(lat[i] * DEGREE)
        sin_lam, cos_lam = sincos(lon[i] * DEGREE)
        out[i, 0], out[i, 1], out[i, 2] = cos_phi * cos_lam, cos_phi * sin_lam, sin_phi
        out[i, 3], out[i, 4], out[i, 5] = -sin_phi * cos_lam, -sin_phi * sin_lam, cos_phi
        out[i, 6], out[i, 7] = -sin_lam, cos_lam
    return out


@compiled_for(u8[::1], i8, i8, i8, u1[::1], out(f8[::1]))
def fill(key: Words, first_event: int, first_repetition: int, lanes: int, needs: Needs, units: Floats) -> Floats:
    """Write the noise of consecutive events to ``units``: radius in unit scale, sine and cosine, as far as required.

    Returns the largest scale, (events,), up to which no lane's radius is resampled (for the reason see ``polar``).
    Three loops, so that the variables of each fit the registers.
    """
    lanes = padded(lanes)
    k0, k1, repetition = key[0], key[1], np.uint64(first_repetition)
    safe = np.zeros(len(needs))
    for t in range(len(needs)):
        if needs[t] == NOTHING:
            continue
        event, at = np.uint64(first_event + t), (t & MANY) * UNITS
        c0, c1 = event & LOW, event >> SHIFT
        largest = np.int64(0)
        for r in range(lanes):
            w0, w1, w2, w3 = block(c0, c1, repetition + np.uint64(r), ZERO, k0, k1)
            units[at + r] = unit(w0) * unit(w1)
            units[at + SIN + r] = np.uint64(w2).view(np.float64)
            largest = max(largest, np.int64(w3))
        for r in range(lanes):
            units[at + r] = -log(units[at + r])
        if needs[t] == DIRECTION:
            for r in range(lanes):
                units[at + SIN + r], units[at + COS + r] = direction(np.float64(units[at + SIN + r]).view(np.uint64))
        # a lane may be resampled where w3 + 1/2 > (1 - angle²/6) / PART; 1e-5 covers the rounding of that
        margin = (1.0 - 1e-5) * 6.0 * (1.0 - halfway(np.uint64(largest)) * PART)
        safe[t] = EARTH_RADIUS_M * math.sqrt(margin) / LARGEST_UNIT
    return safe


@compiled_for(u8[::1], i8, i8, i8, f8[::1], i8, f8[::1], out(f8[::1]))
def redraw(
    key: Words, event: int, first_repetition: int, lanes: int, units: Floats, at: int, state: Floats, spare: Floats
) -> None:
    """Write an event's accepted noise to ``spare``, radii in metres by every lane's SCALE."""
    k0, k1 = key[0], key[1]
    c0, c1 = np.uint64(event) & LOW, np.uint64(event) >> SHIFT
    for r in range(padded(lanes)):
        spare[r] = units[at + r] * state[SCALE + r]
        spare[SIN + r], spare[COS + r] = units[at + SIN + r], units[at + COS + r]
    for r in range(lanes):
        repetition = np.uint64(first_repetition) + np.uint64(r)
        angle = spare[r] * PER_RADIUS
        if unit(block(c0, c1, repetition, ZERO, k0, k1)[3]) > 1.0 - angle * angle * (1.0 / 6.0):
            spare[r], word = retried(np.uint64(event), repetition, k0, k1, state[SCALE + r])
            spare[SIN + r], spare[COS + r] = direction(word)


@compiled_for(u8[::1], i8, i8, i8, i8, f8[::1], i8, f8[::1], out(f8[::1]))
def draw_joint(
    key: Words,
    event: int,
    first_repetition: int,
    lanes: int,
    half_sine: int,
    units: Floats,
    at: int,
    state: Floats,
    spare: Floats,
) -> None:
    """As :func:`redraw` for positions uniform in discs; each lane's has the sine of half its angle in the state."""
    lanes, half_sine, k0, k1 = padded(lanes), half_sine & MANY, key[0], key[1]
    c0, c1, repetition = np.uint64(event) & LOW, np.uint64(event) >> SHIFT, np.uint64(first_repetition)
    for r in range(lanes):
        share = unit(block(c0, c1, repetition + np.uint64(r), ZERO, k0, k1)[0])
        sine = math.sqrt(share) * state[half_sine + r]
        spare[r] = 2.0 * EARTH_RADIUS_M * arctan2(sine, math.sqrt(1.0 - sine * sine))
        spare[SIN + r], spare[COS + r] = units[at + SIN + r], units[at + COS + r]


@inlined
def short_sincos(angle: float) -> tuple[float, float]:
    """Return sine and cosine for -SMALL <= angle <= SMALL."""
    z = angle * angle
    s = angle - angle * z * (1.0 / 6.0 - z * (1.0 / 120.0 - z * (1.0 / 5040.0 - z * (1.0 / 362880.0))))
    return s, 1.0 - z * (0.5 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0))))


@inlined
def near(scale_m: float, extent: float) -> bool:
    """Return whether noise of this scale, and its distance to events within ``extent`` radians, are at most SMALL."""
    return scale_m * LARGEST_UNIT * PER_RADIUS + extent <= 0.999 * SMALL


@inlined
def add_near(frame: Floats, t: int, lanes: int, state: Floats) -> None:
    """As :func:`measure` for positions that are near, and add the distances to SUM."""
    px, py, pz = frame[t, 0], frame[t, 1], frame[t, 2]
    for r in range(padded(lanes)):
        distance = distance_near(state[X + r], state[Y + r], state[Z + r], px, py, pz)[0]
        state[HELD + r] = distance
        state[SUM + r] += distance


@inlined
def distance_near(x: float, y: float, z: float, px: float, py: float, pz: float) -> tuple[float, float]:
    """Return the great-circle distance in metres of points with a chord of at most SMALL, and the squared chord."""
    x, y, z = x - px, y - py, z - pz
    square = x * x + y * y + z * z
    series = 3.0 / 640.0 + square * (5.0 / 7168.0 + square * (35.0 / 294912.0))
    chord = math.sqrt(square)
    return EARTH_RADIUS_M * (chord + chord * square * (1.0 / 24.0 + square * series)), square


@inlined
def measure(frame: Floats, t: int, lanes: int, state: Floats) -> None:
    """Write the great-circle distance in metres from each lane's position to event ``t`` of ``frame`` to HELD."""
    px, py, pz, far, lanes = frame[t, 0], frame[t, 1], frame[t, 2], 0, padded(lanes)
    for r in range(lanes):
        state[HELD + r], square = distance_near(state[X + r], state[Y + r], state[Z + r], px, py, pz)
        far += square > SMALL * SMALL
    if far:
        for r in range(lanes):
            x, y, z = state[X + r] - px, state[Y + r] - py, state[Z + r] - pz
            square = x * x + y * y + z * z
            x, y, z = state[X + r] + px, state[Y + r] + py, state[Z + r] + pz
            angle = 2.0 * arctan2(math.sqrt(square), math.sqrt(x * x + y * y + z * z))
            state[HELD + r] = EARTH_RADIUS_M * angle if square > SMALL * SMALL else state[HELD + r]


@inlined
def add_four(units: Floats, at: int, scales: tuple[float, float, float, float], lanes: int, state: Floats) -> None:
    """Add the errors of four events to SUM in turn; each has the same scale in every lane."""
    at = at & MANY
    for r in range(padded(lanes)):
        total = state[SUM + r] + units[at + r] * scales[0]
        total += units[at + UNITS + r] * scales[1]
        total += units[at + 2 * UNITS + r] * scales[2]
        state[SUM + r] = total + units[at + 3 * UNITS + r] * scales[3]


@inlined
def four_drawn(first: int, t: int, safe: Floats, scale_m: Floats, shown: Ints) -> bool:
    """Return whether the chunk's events ``t`` to ``t`` + 3 show their own draws, none of which may be resampled."""
    drawn = t + 4 <= len(safe)
    for i in range(t, min(t + 4, len(safe))):
        drawn = drawn and shown[first + i] == first + i and 0.0 < scale_m[first + i] <= safe[i]
    return drawn


@inlined
def add(values: Floats, at: int, scale: float, lanes: int, event: int, by_event: Floats) -> None:
    """Add every lane's value times ``scale`` to ``by_event[event]`` in the order of lanes, unless that is empty."""
    if len(by_event):
        total = by_event[event]
        for r in range(lanes):
            total += values[at + r] * scale
        by_event[event] = total
