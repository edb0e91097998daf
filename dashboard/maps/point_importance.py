"""Importance of a line's points: the tolerance up to which a simplified line needs each of them.

The points of importance above a tolerance draw the line within that tolerance, whatever it is [1]_: computed once, any
zoom of a map is a comparison.

References
----------
.. [1] Douglas, Peucker. "Algorithms for the reduction of the number of points required to represent a digitized line
   or its caricature". Cartographica 10(2), 1973.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints

MAX_RUN = 1024  # points of a run: a line made to be slow costs its length times the levels of a run at most
RUNS = 8  # processed together: their arrays stay in the processor's cache
LEVELS = 40  # from the next on segments are halved instead: no line has more levels than this and log2(MAX_RUN)


def importance(x: Floats, y: Floats, least: float) -> NDArray[np.float32]:
    """Return the importance of each point of a line (n,), in the unit of ``x`` and ``y``, as float32.

    For every tolerance of at least ``least`` the points of greater importance form a line such that both lie nowhere
    farther apart than the tolerance between two of these points. The ends are infinitely important; at most ``least``
    counts as none. Runs of :data:`MAX_RUN` points are split at the farthest point until nothing is left, then the line
    of their ends is, whose segments are already off by what the runs within them are.
    """
    values = np.zeros(len(x))
    corners, slack = np.arange(len(x)), np.zeros(max(len(x) - 1, 0))
    while len(corners) > 2:
        ends = np.append(np.arange(0, len(corners) - 1, MAX_RUN), len(corners) - 1)
        most = np.maximum(np.append(slack, 0.0), np.insert(slack, 0, 0.0))
        own = np.concatenate(
            [
                _of_runs(x[corners[part]], y[corners[part]], most[part], ends[i : i + RUNS + 1] - ends[i], least)
                for i in range(0, len(ends) - 1, RUNS)
                for part in [slice(ends[i], ends[min(i + RUNS, len(ends) - 1)] + 1)]
            ]
        )
        values[corners[1:-1]] = own[1:]
        slack = np.maximum(np.maximum.reduceat(own, ends[:-1]), np.maximum.reduceat(slack, ends[:-1]))
        corners = corners[ends]
    values[corners] = np.inf
    return values.astype(np.float32)


def importances(lines: Sequence[tuple[Floats, Floats]], least: float) -> list[NDArray[np.float32]]:
    """Return :func:`importance` of each of ``lines``; those of a run are processed :data:`RUNS` runs together."""
    values = [np.empty(0, dtype=np.float32)] * len(lines)
    group: list[int] = []
    points = 0  # of the group
    for i, (x, y) in enumerate(lines):
        if not 2 < len(x) <= MAX_RUN + 1:
            values[i] = importance(x, y, least)
            continue
        group.append(i)
        points += len(x)
        if points >= RUNS * MAX_RUN:
            _fill_together(values, lines, group, least)
            group, points = [], 0
    _fill_together(values, lines, group, least)
    return values


def _fill_together(
    values: list[NDArray[np.float32]], lines: Sequence[tuple[Floats, Floats]], group: Sequence[int], least: float
) -> None:
    """Write the importance of the lines ``group``, of three points at least and of a run each, into ``values``."""
    if not group:
        return
    x, y = (np.concatenate([lines[i][axis] for i in group]) for axis in (0, 1))
    after = np.cumsum([len(lines[i][0]) for i in group])
    first, last = np.append(0, after[:-1]), after - 1
    own = between(x, y, first, last, least)
    own[first] = own[last] = np.inf
    for i, part in zip(group, np.split(own.astype(np.float32), after[:-1]), strict=True):
        values[i] = part


def _of_runs(x: Floats, y: Floats, slack: Floats, ends: Ints, least: float) -> Floats:
    """Importance of the points before the last; 0 at ``ends``, between which the runs lie."""
    return between(x, y, ends[:-1], ends[1:], least, slack if slack.any() else None)[:-1]


def between(x: Floats, y: Floats, first: Ints, last: Ints, least: float, slack: Floats | None = None) -> Floats:
    """Return the importance of the points between ``first`` and ``last`` of each segment; 0 elsewhere.

    ``slack`` (n,), if given, is how far the line may already be off beside each point.
    """
    values, bound = np.zeros(len(x)), np.full(len(first), np.inf)
    level = 0
    while True:
        inner = last - first - 1
        some = inner > 0
        first, last, bound, inner = first[some], last[some], bound[some], inner[some]
        if not len(first):
            return values
        split, most = _farthest(x, y, first, last, slack)
        if level > LEVELS:
            split = (first + last) // 2
        value = np.minimum(bound, most)  # a part is needed only where the whole is
        values[split] = value
        on = value > least
        first, last, split, value = first[on], last[on], split[on], value[on]
        first, last, bound = np.append(first, split), np.append(split, last), np.append(value, value)
        level += 1


def _farthest(x: Floats, y: Floats, first: Ints, last: Ints, slack: Floats | None) -> tuple[Ints, Floats]:
    """Of each segment the point between its ends that is farthest from the straight line, and how far it is."""
    inner = last - first - 1
    start = np.cumsum(inner) - inner
    at = np.repeat(first + 1 - start, inner) + np.arange(inner.sum())
    dx, dy = x[last] - x[first], y[last] - y[first]
    squared = dx * dx + dy * dy
    per = np.divide(1.0, squared, out=np.zeros_like(squared), where=squared > 0)
    px, py = x[at] - np.repeat(x[first], inner), y[at] - np.repeat(y[first], inner)
    dx, dy = np.repeat(dx, inner), np.repeat(dy, inner)
    along = np.clip((px * dx + py * dy) * np.repeat(per, inner), 0.0, 1.0)
    px -= along * dx
    py -= along * dy
    away = px * px + py * py
    if slack is not None:
        away = np.sqrt(away) + slack[at]
    most = np.maximum.reduceat(away, start)
    equal = np.flatnonzero(away == np.repeat(most, inner))
    segment = np.searchsorted(start, equal, side="right")
    split = at[equal[np.append(True, segment[1:] != segment[:-1])]]
    return split, most if slack is not None else np.sqrt(most)
