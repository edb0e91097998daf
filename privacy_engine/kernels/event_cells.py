"""Cells of place and time, and their neighbours.

A position is a word: its longitude and latitude on the grid of 1e-7 degrees, in the lower and upper 32 bits. Cells are
5,000 steps of that grid high (55.6 m), so many rows from pole to pole, and a minute long. In a row they are 5,000 steps
wide, doubled until they measure :data:`LEAST_M` at the row's end that is nearer to a pole, but at most seven times: a
wider cell is made of whole narrower ones, and 128 of the narrowest still divide the circle.

Two cells are neighbours if their rows, their minutes and their columns, counted in the wider of the two rows, differ
by at most 1; columns go round the Earth. So two events are always neighbours whose longitudes and latitudes differ by
at most 5,000 steps, or by 50 m each way, and whose times differ by at most a minute. Only within 45 km of a pole 50 m
to the east can be more than a cell.
"""

import math

import numpy as np
from numba import f8, i8, u4, u8
from numpy.typing import NDArray

from privacy_engine.core.arrays import Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.kernels import compiled_for, inlined, out

Word = np.uint64
Words = NDArray[np.uint64]

STEPS = 5000
LEAST_M = 50.0
MINUTE_MS = 60_000
QUARTER_MS = 900_000
AROUND = 3_600_000_000 // STEPS  # columns of the narrowest cells
EQUATOR = 900_000_000 // STEPS  # the first row north of it
ROWS = 2 * EQUATOR + 1  # with a row for the north pole itself
MOST_WIDER = 7
MOST_NEIGHBOURS = 3 * (3 + 3 + 6)
HEIGHT_M = STEPS * 1e-7 * math.pi / 180 * EARTH_RADIUS_M

WIDER_FROM = np.array(
    [math.floor(math.degrees(math.acos(LEAST_M / HEIGHT_M / 2**k)) * 1e7 / STEPS) for k in range(MOST_WIDER)]
)
"""Rows between the equator and the end of a row at which the k-th doubling begins, exclusive."""
D0, D1, D2, D3, D4, D5, D6 = (int(row) for row in WIDER_FROM)

LOW = np.uint64(0xFFFF_FFFF)
HALF = np.uint64(32)
THREE = np.int64(3)


@inlined
def wider(row: np.int64) -> np.int64:
    """How often cells of ``row`` are twice as wide."""
    end = max(EQUATOR - row, row + 1 - EQUATOR)
    return np.int64(end > D0) + (end > D1) + (end > D2) + (end > D3) + (end > D4) + (end > D5) + (end > D6)


@inlined
def _row(word: Word) -> np.int64:
    return (np.int64(np.int32(word >> HALF)) + 900_000_000) // STEPS


@inlined
def _column(word: Word, row: np.int64) -> np.int64:
    """The column of a position among the cells of its row."""
    return ((np.int64(np.int32(word & LOW)) + 1_800_000_000) // STEPS) % AROUND >> wider(row)


@inlined
def _word(row: np.int64, column: np.int64) -> Word:
    return np.uint64(row) << HALF | np.uint64(column)


@compiled_for(f8[::1], f8[::1], out(u8[::1]))
def position_words(lon: NDArray[np.float64], lat: NDArray[np.float64], out: Words) -> None:
    """Positions on the grid as words; the two names of the antimeridian are the same position."""
    for i in range(len(out)):
        east, north = np.int64(np.rint(lon[i] * 1e7)), np.int64(np.rint(lat[i] * 1e7))
        if east == -1_800_000_000:
            east = -east
        out[i] = np.uint64(east) & LOW | np.uint64(north) << HALF


@compiled_for(u8[::1], i8[::1], out(u8[::1]), out(i8[::1]))
def cells(position: Words, ms: Ints, place: Words, minute: Ints) -> None:
    """The cell of each event, into the last two arrays: a word for its row and column, and its minute."""
    for i in range(len(position)):
        row = _row(position[i])
        place[i], minute[i] = _word(row, _column(position[i], row)), ms[i] // MINUTE_MS


@compiled_for(u8[::1], i8[::1], out(u8[::1]), out(i8[::1]), out(u4[::1]))
def neighbours(place: Words, minute: Ints, near: Words, minutes: Ints, owner: NDArray[np.uint32]) -> int:
    """The neighbours of each cell and itself: places, minutes and whose they are, into the last three arrays.

    These have space for :data:`MOST_NEIGHBOURS` for each cell. Returns how many were written.
    """
    n = 0
    for i in range(len(place)):
        row, column = np.int64(place[i] >> HALF), np.int64(place[i] & LOW)
        own = wider(row)
        for other in np.arange(max(row - 1, np.int64(0)), min(row + 2, np.int64(ROWS))):
            doubled = wider(other)
            columns = AROUND >> doubled
            if doubled >= own:
                first, many = (column >> doubled - own) - 1, THREE
            else:
                first, many = (column - 1) << own - doubled, THREE << own - doubled
            for step in range(many):
                word = _word(other, (first + step) % columns)
                for late in range(-1, 2):
                    near[n], minutes[n], owner[n] = word, minute[i] + late, i
                    n += 1
    return n
