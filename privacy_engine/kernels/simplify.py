"""A line as a screen can show it: what lies outside is cut away, then what the eye cannot tell from a straight line.

References
----------
.. [1] Douglas, Peucker. "Algorithms for the reduction of the number of points required to represent a digitized line
   or its caricature". Cartographica 10(2), 1973.
"""

from __future__ import annotations

import numpy as np

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.kernels import compiled, inlined


@inlined
def _side(x: float, y: float, width: float, height: float) -> int:
    """On which sides of the picture a point lies, as bits; 0 inside."""
    return (1 if x < 0 else 2 if x > width else 0) | (4 if y < 0 else 8 if y > height else 0)


@compiled
def visible(x: Floats, y: Floats, width: float, height: float) -> Ints:
    """Pieces [start, end) of the line (n,) in a picture of this size, (m, 2): steps not wholly beyond one side of it.

    Pixels, to the right and downwards. A line of one point is a piece if it is in the picture.
    """
    n, count = len(x), 0
    pieces = np.empty((n // 2 + 1, 2), dtype=np.int64)
    if n == 1 and _side(x[0], y[0], width, height) == 0:
        pieces[0], count = (0, 1), 1
    here, open_ = _side(x[0], y[0], width, height) if n else 0, False
    for i in range(n - 1):
        there = _side(x[i + 1], y[i + 1], width, height)
        shows = here & there == 0
        if shows and not open_:
            pieces[count, 0], open_ = i, True
        elif not shows and open_:
            pieces[count, 1], open_ = i + 1, False
            count += 1
        here = there
    if open_:
        pieces[count, 1] = n
        count += 1
    return pieces[:count].copy()


@compiled
def apart(x: Floats, y: Floats, pieces: Ints, pixel: float) -> tuple[Ints, Ints]:
    """Indices in ``pieces`` but those within a ``pixel`` of the last one kept, and how many of each; their ends stay."""
    kept = np.empty(len(x) + len(pieces), dtype=np.int64)
    lengths = np.empty(len(pieces), dtype=np.int64)
    count = 0
    for piece in range(len(pieces)):
        start, end = pieces[piece, 0], pieces[piece, 1]
        last, before = start, count
        kept[count] = start
        count += 1
        for i in range(start + 1, end):
            if i == end - 1 or abs(x[i] - x[last]) >= pixel or abs(y[i] - y[last]) >= pixel:
                kept[count], last = i, i
                count += 1
        lengths[piece] = count - before
    return kept[:count].copy(), lengths


@compiled
def straightened(x: Floats, y: Floats, starts: Mask, tolerance: float) -> Mask:
    """Which points (n,) a line needs so that it passes within ``tolerance`` of all of them [1]_.

    ``starts`` (n,) marks the first point of each piece. O(n log n) on lines as people and noise draw them.
    """
    n = len(x)
    keep = starts.copy()
    stack = np.empty((n + 1, 2), dtype=np.int64)
    first = 0
    for at in range(1, n + 1):
        if at < n and not starts[at]:
            continue
        keep[at - 1] = True
        stack[0], depth = (first, at - 1), 1
        while depth:
            depth -= 1
            a, b = stack[depth, 0], stack[depth, 1]
            farthest, where = tolerance * tolerance, -1
            dx, dy = x[b] - x[a], y[b] - y[a]
            squared = dx * dx + dy * dy
            for i in range(a + 1, b):
                px, py = x[i] - x[a], y[i] - y[a]
                along = (px * dx + py * dy) / squared if squared > 0.0 else 0.0
                along = min(max(along, 0.0), 1.0)
                ex, ey = px - along * dx, py - along * dy
                away = ex * ex + ey * ey
                if away > farthest:
                    farthest, where = away, i
            if where >= 0:
                keep[where] = True
                stack[depth] = (a, where)
                stack[depth + 1] = (where, b)
                depth += 2
        first = at
    return keep
