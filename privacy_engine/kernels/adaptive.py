"""Releases of Adaptive, event by event: what is drawn, with which budget, and how often landmarks are sampled.

The kernel goes through the people of a block in turn and returns to its caller for what it cannot do. From
the operating system's generator it draws itself, with the certified noise of :mod:`.certified`. Draws that a seed
decides are made by the caller, some events ahead, so that their bits are those of the mechanism's ``perturb``.

What landmarks spent is summed exactly, as :class:`privacy_engine.accounting.landmark_ledger.Ledger` does: every share
of a person is a whole number of units, 2**-55 of the power of two above the first, and below 2**112 of them.
"""

import math

import numpy as np
from numba import b1, f8, i8, u8

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.kernels import compiled_for, inlined, out
from privacy_engine.kernels.certified import DONE, REJECTED, UNDECIDED, cell, far_angle, near_angle
from privacy_engine.kernels.elementary import sincos

END, WORDS, PROPOSAL, CHUNK = 0, 1, 2, 3
"""What the caller is to do: nothing more, bring words, decide the proposal of the event, draw a chunk from it on."""
PERSON, EVENT, DECIDED, DRAWN, WAITED, INTERVAL, TO_COME, OTHERS, USED, HIGH, LOW, UNIT, WORD = range(13)
FIRST, HELD, SIZE, SMALLEST, LARGEST = range(WORD + 1, WORD + 6)
STATE = LARGEST + 1
SHARE, FIRST_SHARE, CHUNK_SHARE, LIMIT, X, Y, Z = range(7)
NUMBERS = Z + 1
EPSILON, RADIUS_M, MARGIN, EARTH_M, THRESHOLD = range(5)
PER_DEGREE = math.pi / 180.0
CELLS_PER_DEGREE, TURN, HALF_TURN = 10_000_000, 3_600_000_000, 1_800_000_000
SPARE_BITS = 2  # of a unit: rounding may leave a share a little below the first
ONE, SIXTY_FOUR = np.uint64(1), np.uint64(64)


@inlined
def _units(value: float, unit: int) -> tuple[np.uint64, np.uint64]:
    """A float as a whole number of 2**unit, high and low word."""
    mantissa, exponent = math.frexp(value)
    whole, shift = np.uint64(mantissa * 2.0**53), np.uint64(max(exponent - 53 - unit, 0))
    if shift == np.uint64(0):
        return np.uint64(0), whole
    if shift >= SIXTY_FOUR:
        return whole << (shift - SIXTY_FOUR), np.uint64(0)
    return whole >> (SIXTY_FOUR - shift), whole << shift


@inlined
def _nearest(high: np.uint64, low: np.uint64, unit: int) -> float:
    """The float nearest to so many 2**unit, ties to even."""
    shift = 0
    while high != np.uint64(0):  # the last bit keeps whether any below it was set
        low = (low >> ONE) | (low & ONE) | (high << np.uint64(63))
        high >>= ONE
        shift += 1
    return math.ldexp(float(low), unit + shift)


@inlined
def _share(how: Floats, state: Ints) -> float:
    """What is left beside the landmarks' budgets, shared by the landmarks to come and a slot for the others."""
    unit = state[UNIT]
    high, low = _units(how[EPSILON], unit)
    spent_high, spent_low = np.uint64(state[HIGH]), np.uint64(state[LOW])
    slots = state[TO_COME] + (1 if state[OTHERS] > 0 or state[USED] > 0 else 0)
    if high < spent_high or (high == spent_high and low < spent_low):
        return 0.0
    borrow = np.uint64(1 if low < spent_low else 0)
    return _nearest(high - spent_high - borrow, low - spent_low, unit) / float(max(slots, 1))


@inlined
def _begin(first: int, last: int, is_landmark: Mask, how: Floats, state: Ints, numbers: Floats) -> None:
    """The state ahead of a person's first event."""
    landmarks = 0
    for t in range(first, last):
        landmarks += is_landmark[t]
    state[TO_COME], state[OTHERS] = landmarks, last - first - landmarks
    state[WAITED], state[INTERVAL], state[USED], state[DECIDED], state[DRAWN] = 0, 1, 0, 0, 0
    state[HIGH], state[LOW], state[HELD], state[SIZE] = 0, 0, 0, state[SMALLEST]
    state[FIRST], numbers[CHUNK_SHARE] = first, -1.0
    slots = landmarks + (1 if state[OTHERS] > 0 else 0)
    numbers[FIRST_SHARE] = how[EPSILON] / max(slots, 1)
    state[UNIT] = math.frexp(numbers[FIRST_SHARE])[1] - 53 - SPARE_BITS


@inlined
def _decide(t: int, landmark: bool, absorption: bool, how: Floats, state: Ints, numbers: Floats) -> bool:
    """Whether the event is drawn; its budget is in SHARE."""
    state[WAITED] += landmark
    if absorption:
        numbers[SHARE] = numbers[FIRST_SHARE] * (state[WAITED] if landmark else 1)
    else:
        numbers[SHARE] = _share(how, state)
    state[TO_COME if landmark else OTHERS] -= 1
    if landmark and state[DRAWN] > 0 and state[WAITED] < state[INTERVAL]:
        return False
    if not landmark:
        state[USED] = 1
        return True
    high, low = _units(numbers[SHARE], state[UNIT])
    total = np.uint64(state[LOW]) + low
    state[HIGH] += np.int64(high) + (1 if total < low else 0)
    state[LOW], state[WAITED] = np.int64(total), 0
    return True


@inlined
def _accept(x: float, y: float, z: float, limit: float, state: Ints, numbers: Floats) -> None:
    """Compare a draw, a point of the unit sphere, with the last."""
    dx, dy, dz = numbers[X] - x, numbers[Y] - y, numbers[Z] - z
    if state[DRAWN] > 0:
        state[INTERVAL] = 1 if dx * dx + dy * dy + dz * dz > limit else state[INTERVAL] + 1
    numbers[X], numbers[Y], numbers[Z] = x, y, z
    state[DRAWN] = 1


@inlined
def _place(east: int, north: int, t: int, lon: Floats, lat: Floats) -> tuple[float, float, float]:
    """Write the centre of a cell in degrees; return it as a point of the unit sphere."""
    lon[t] = ((east + HALF_TURN) % TURN - HALF_TURN) / CELLS_PER_DEGREE
    lat[t] = north / CELLS_PER_DEGREE
    sin_lon, cos_lon = sincos(lon[t] * PER_DEGREE)
    sin_lat, cos_lat = sincos(lat[t] * PER_DEGREE)
    return cos_lat * cos_lon, cos_lat * sin_lon, sin_lat


@compiled_for(
    i8[::1],
    f8[::1],
    f8[::1],
    b1[::1],
    f8[::1],
    b1,
    b1,
    u8[::1],
    f8[::1],
    f8[::1],
    f8[:, ::1],
    out(i8[::1]),
    out(f8[::1]),
    out(f8[::1]),
    out(f8[::1]),
    out(f8[::1]),
)
def released(
    starts: Ints,
    lon: Floats,
    lat: Floats,
    is_landmark: Mask,
    how: Floats,
    absorption: bool,
    draws: bool,
    words: np.ndarray,
    chunk_lon: Floats,
    chunk_lat: Floats,
    chunk_points: Floats,
    state: Ints,
    numbers: Floats,
    found_lon: Floats,
    found_lat: Floats,
    budgets: Floats,
) -> int:
    """Go on to what the caller is to do, :data:`END` and others.

    ``starts`` (m + 1,) are where people's events, ``lon``, ``lat`` and ``is_landmark`` (n,), begin; ``how`` the numbers
    from EPSILON on. With ``draws`` from ``words``: of a :data:`PROPOSAL` that is kept the caller sets DECIDED to 2 and
    writes the cell to ``chunk_lon`` and ``chunk_lat``; of a draw that is not, 1. Without, the caller draws a
    :data:`CHUNK` of SIZE events from EVENT on at SHARE, and writes how many there are to HELD, their squared chord to
    LIMIT, and their positions as points of the unit sphere (chunk, 3) too. ``found_lon``, ``found_lat`` and
    ``budgets`` (n,) are what comes of it.
    """
    while state[PERSON] < len(starts) - 1:
        first, last = starts[state[PERSON]], starts[state[PERSON] + 1]
        if state[EVENT] == first and state[DECIDED] == 0:
            _begin(first, last, is_landmark, how, state, numbers)
        while state[EVENT] < last:
            t = state[EVENT]
            if state[DECIDED] == 0:
                if not _decide(t, is_landmark[t], absorption, how, state, numbers):
                    found_lon[t], found_lat[t], budgets[t] = found_lon[t - 1], found_lat[t - 1], 0.0
                    state[EVENT] += 1
                    continue
                budgets[t], state[DECIDED] = numbers[SHARE], 1
            share = numbers[SHARE]
            if draws:
                rate = share / how[RADIUS_M] * how[MARGIN] * how[EARTH_M]
                east, north = chunk_lon[0], chunk_lat[0]
                while state[DECIDED] == 1:
                    at = state[WORD]
                    if at + 4 > len(words):
                        return WORDS
                    state[WORD] += 4
                    if rate > 1.0:
                        kept, sd, cd, off = near_angle(rate, words[at], words[at + 1], words[at + 2])
                    else:
                        kept, sd, cd, off = far_angle(rate, words[at], words[at + 2])
                    if kept == DONE:
                        kept, east, north = cell(lon[t], lat[t], sd, cd, words[at + 3], off)
                    if kept == UNDECIDED:
                        return PROPOSAL
                    if kept != REJECTED:
                        state[DECIDED] = 2
                x, y, z = _place(int(east), int(north), t, found_lon, found_lat)
                half = 0.5 * how[THRESHOLD] * how[RADIUS_M] / share / how[EARTH_M]
                sine = sincos(min(half, 0.5 * math.pi))[0]
                _accept(x, y, z, 4.0 * sine * sine, state, numbers)
            else:
                if not (share == numbers[CHUNK_SHARE] and state[FIRST] <= t < state[FIRST] + state[HELD]):
                    used_up = share == numbers[CHUNK_SHARE] and t == state[FIRST] + state[HELD]
                    state[SIZE] = min(2 * state[SIZE], state[LARGEST]) if used_up else state[SMALLEST]
                    state[FIRST], numbers[CHUNK_SHARE] = t, share
                    return CHUNK
                i = t - state[FIRST]
                found_lon[t], found_lat[t] = chunk_lon[i], chunk_lat[i]
                x, y, z = chunk_points[i, 0], chunk_points[i, 1], chunk_points[i, 2]
                _accept(x, y, z, numbers[LIMIT], state, numbers)
            state[EVENT], state[DECIDED] = t + 1, 0
        state[PERSON] += 1
    return END
