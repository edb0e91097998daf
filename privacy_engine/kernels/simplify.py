"""Lines as a screen can show them: clipped to the view, then simplified within a tolerance.

References
----------
.. [1] Douglas, Peucker. "Algorithms for the reduction of the number of points required to represent a digitized line
   or its caricature". Cartographica 10(2), 1973.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.data import Floats, Ints
from privacy_engine.kernels import compiled, inlined
from privacy_engine.kernels.elementary import log, sincos

Whole = NDArray[np.signedinteger[Any]]  # of 32 bits or 64
Bits = NDArray[np.uint8]
TURN = 3_600_000_000  # once around, in 1e-7 degrees
WORLD = 4_294_967_296.0  # the square world's height in the units of `heights`
MAX_RUN = 1024  # points that are straightened at once: a line made to be slow costs its length times this at most


@compiled
def heights(lat: Whole) -> NDArray[np.int32]:
    """Places (n,) from the equator southwards on the square world of web Mercator, 2**32 to its height, as int32.

    ``lat`` in 1e-7 degrees; beyond 85.05 degrees the edge.
    """
    y = np.empty(len(lat), dtype=np.int32)
    for i in range(len(lat)):
        sine, _ = sincos(lat[i] * (math.pi / 1.8e9))
        sine = min(max(sine, -0.9999), 0.9999)  # beyond the square, and before the logarithm's ends
        place = np.floor(log((1.0 - sine) / (1.0 + sine)) * (WORLD / (4.0 * math.pi)) + 0.5)
        y[i] = np.int32(min(max(place, -2147483648.0), 2147483647.0))
    return y


@inlined
def _side(x: float, y: float, width: float, height: float) -> int:
    """On which sides of the view a point lies, as bits; 0 inside."""
    return (1 if x < 0 else 2 if x > width else 0) | (4 if y < 0 else 8 if y > height else 0)


@compiled
def visible(
    lon: Whole,
    y: Whole,
    middle: int,
    corner: tuple[float, float],
    scale: float,
    size: tuple[float, float],
    apart: float,
) -> tuple[Ints, Floats, Floats, Bits]:
    """Points of the line (n,) that draw what a view shows of it: index, pixels rightwards and downwards, fixed.

    ``lon`` in 1e-7 degrees, taken within half a turn of ``middle``; ``y`` as :func:`heights` has them; ``corner`` and
    ``size`` of the view, in these units and in pixels; the world is ``scale`` pixels wide. Steps wholly beyond one
    side of the view are left out, and points less than ``apart`` from the last one kept. Fixed
    points are no others' to replace: a piece's first (bit 1) and last (bit 2), both ends of a step over the edge of the
    world (bit 4).
    """
    (west, north), (width, height) = corner, size
    n, count = len(lon), 0
    kept = np.empty(n, dtype=np.int64)
    px, py = np.empty(n), np.empty(n)
    fixed = np.zeros(n, dtype=np.uint8)
    across, down, half = scale / TURN, scale / WORLD, TURN // 2
    ax = ay = 0.0
    before, here, open_, skipped = np.int64(0), 0, False, False
    for i in range(n):
        d = np.int64(lon[i]) - middle
        d -= TURN if d > half else -TURN if d < -half else 0
        bx, by = (d + middle - west) * across, (y[i] - north) * down
        there = _side(bx, by, width, height)
        far = i > 0 and abs(d - before) > half  # drawn the short way, out over one edge and in over the other
        if i > 0 and here & there & (12 if far else 15) == 0:
            if not open_:
                kept[count], px[count], py[count], fixed[count] = i - 1, ax, ay, 1
                count, open_, skipped = count + 1, True, False
            elif far and skipped:
                kept[count], px[count], py[count] = i - 1, ax, ay
                count += 1
            if far:
                fixed[count - 1] |= 4
            dx, dy = bx - px[count - 1], by - py[count - 1]
            if far or dx * dx + dy * dy >= apart * apart:
                kept[count], px[count], py[count], fixed[count] = i, bx, by, 4 if far else 0
                count, skipped = count + 1, False
            else:
                skipped = True
        elif open_:
            if skipped:
                kept[count], px[count], py[count] = i - 1, ax, ay
                count += 1
            fixed[count - 1] |= 2
            open_ = False
        before, here, ax, ay = d, there, bx, by
    if open_:
        if skipped:
            kept[count], px[count], py[count] = n - 1, ax, ay
            count += 1
        fixed[count - 1] |= 2
    elif n == 1 and here == 0:
        kept[0], px[0], py[0], fixed[0] = 0, ax, ay, 3
        count = 1
    return kept[:count].copy(), px[:count].copy(), py[:count].copy(), fixed[:count].copy()


@compiled
def straightened(x: Floats, y: Floats, fixed: Bits, tolerance: float) -> Bits:
    """Which points (n,) a line needs so that it passes within ``tolerance`` of all between two ``fixed`` ones [1]_."""
    n = len(x)
    keep = fixed.copy()
    stack = np.empty((MAX_RUN + 1, 2), dtype=np.int64)
    first = 0
    for at in range(1, n):
        if not fixed[at] and at - first < MAX_RUN:
            continue
        keep[at] = True
        stack[0, 0], stack[0, 1], depth = first, at, 1
        while depth:
            depth -= 1
            a, b = stack[depth, 0], stack[depth, 1]
            where = _farthest(x, y, a, b, tolerance)
            if where >= 0:
                keep[where] = True
                stack[depth, 0], stack[depth, 1] = a, where
                stack[depth + 1, 0], stack[depth + 1, 1] = where, b
                depth += 2
        first = at
    return keep


@inlined
def _farthest(x: Floats, y: Floats, a: int, b: int, tolerance: float) -> int:
    """The point between ``a`` and ``b`` farthest from the straight line from one to the other; -1 if all are near."""
    farthest, where = tolerance * tolerance, -1
    dx, dy = x[b] - x[a], y[b] - y[a]
    squared = dx * dx + dy * dy
    per = 1.0 / squared if squared > 0.0 else 0.0
    for i in range(a + 1, b):
        px, py = x[i] - x[a], y[i] - y[a]
        along = min(max((px * dx + py * dy) * per, 0.0), 1.0)
        ex, ey = px - along * dx, py - along * dy
        away = ex * ex + ey * ey
        if away > farthest:
            farthest, where = away, i
    return where
