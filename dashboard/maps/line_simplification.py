"""Simplification of lines for a view of the map: the map's own projection, half a pixel of tolerance."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dashboard.core.errors import must_be
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.errors import ParameterError, ParameterErrors

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


Whole = NDArray[np.signedinteger[Any]]  # 1e-7 degrees or heights, of 32 bits or 64
TOLERANCE = 0.5
"""Pixels: how far what is drawn and the line may lie apart."""
TILE = 256
TURN = 3_600_000_000  # once around, in 1e-7 degrees
WORLD = 4_294_967_296.0  # the square world's height in the units of `heights`
DOMAINS = {"west": (-540, 540), "north": (-90, 90), "width": (1, 8192), "height": (1, 8192), "zoom": (0, 24)}
DOMAINS["middle"] = (-360, 360)
LEAST = TOLERANCE * WORLD / (TILE * 2.0 ** DOMAINS["zoom"][1])
"""The tolerance of the largest zoom, in the units of `heights`."""


@dataclass(frozen=True)
class MapView:
    """A map's view: its north-western corner in degrees, size in pixels and zoom (the world is 256·2^zoom wide).

    Longitudes are taken within half a turn of ``middle``, as the map takes them.

    Raises
    ------
    ParameterErrors
        One for each value out of its domain.
    """

    west: float
    north: float
    width: float
    height: float
    zoom: float
    middle: float

    def __post_init__(self) -> None:
        errors = [_outside(field.name, getattr(self, field.name)) for field in fields(self)]
        problems = [error for error in errors if error is not None]
        if problems:
            raise ParameterErrors(problems)

    @property
    def scale(self) -> float:
        """How many pixels wide the world is."""
        return float(TILE * 2.0**self.zoom)

    def shown(self, lon: Whole, y: Whole, important: NDArray[np.float32] | None = None) -> tuple[Ints, Ints]:
        """Points that draw the line in this view (m,), and where each of its pieces ends among them.

        ``lon`` (n,) in 1e-7 degrees, ``y`` (n,) as :func:`heights` has them, ``important`` (n,) as
        :func:`importance_of` has them, computed here if not given. A piece is a run of steps that are not wholly beyond
        one side of the view; what is drawn of it and the line lie nowhere farther apart than ``TOLERANCE``.
        """
        east = self._east(lon)
        beyond = self._beyond(east, y)
        if len(lon) < 2:
            index = np.flatnonzero(~np.any(beyond, axis=0))
            return index, index + 1
        far = _far(east)
        beside, above = ((low[1:] & low[:-1]) | (high[1:] & high[:-1]) for low, high in (beyond[:2], beyond[2:]))
        shows = ~((beside & ~far) | above)
        padded = np.concatenate([[False], shows, [False]])
        pieces = np.flatnonzero(padded[1:] != padded[:-1]).reshape(-1, 2)
        over = np.flatnonzero(far & shows)
        tolerance = TOLERANCE * WORLD / self.scale
        needed = (importance_of(lon, y) if important is None else important) > tolerance
        keep = needed & (padded[1:] | padded[:-1])
        keep[pieces] = keep[over] = keep[over + 1] = True
        index = np.flatnonzero(keep)
        first, last = index[:-1], index[1:]
        cut = shows[first] & (last - first > 1) & ~(needed[first] & needed[last])
        if cut.any():  # between a point needed for the whole line and a point where its piece ends
            keep[_needed_between(east, y, first[cut], last[cut], tolerance)] = True
            index = np.flatnonzero(keep)
        return index, np.searchsorted(index, pieces[:, 1]) + 1

    def _east(self, lon: Whole) -> Whole:
        """Longitudes within half a turn of the middle."""
        middle, half = round(self.middle * 1e7), TURN // 2
        if not len(lon) or (int(lon.max()) - middle <= half and middle - int(lon.min()) <= half):
            return lon
        off = lon.astype(np.int64) - middle
        return lon + TURN * ((off < -half).astype(np.int64) - (off > half))

    def _beyond(self, east: Whole, y: Whole) -> list[Mask]:
        """Which points (n,) lie beyond the west, east, north and south side of the view."""
        west, north = self.west * 1e7, float(heights(np.array([round(self.north * 1e7)]))[0])
        right, bottom = west + self.width * TURN / self.scale, north + self.height * WORLD / self.scale
        return [east < west, east > right, y < north, y > bottom]


def _far(east: Whole) -> Mask:
    """Which steps (n - 1,) are drawn the short way, out over an edge of the world and in over the other."""
    if int(east.max()) - int(east.min()) <= TURN // 2:
        return np.zeros(len(east) - 1, dtype=np.bool_)
    return np.abs(np.diff(east.astype(np.int64))) > TURN // 2


def _needed_between(east: Whole, y: Whole, first: Ints, last: Ints, tolerance: float) -> Ints:
    """Points that the lines from ``first`` to ``last`` need, each of them a line of its own."""
    count = last - first + 1
    start = np.cumsum(count) - count
    at = np.repeat(first - start, count) + np.arange(count.sum())
    values = between(east[at] * (WORLD / TURN), y[at].astype(np.float64), start, start + count - 1, tolerance)
    return at[values > tolerance]


def importance_of(lon: Whole, y: Whole) -> NDArray[np.float32]:
    """Importance of the points (n,) of a line for :meth:`MapView.shown`, in the units of :func:`heights`.

    Takes .5 microseconds a point, and serves all views.
    """
    return importances_of([(lon, y)])[0]


def importances_of(lines: Sequence[tuple[Whole, Whole]]) -> list[NDArray[np.float32]]:
    """Return :func:`importance_of` each of ``lines``, in a part of the time where they are many and short."""
    return importances([(_unwrapped(lon) * (WORLD / TURN), y.astype(np.float64)) for lon, y in lines], LEAST)


def _unwrapped(lon: Whole) -> Floats:
    """Longitudes in 1e-7 degrees (n,) that go on beyond half a turn where the line does."""
    east = lon.astype(np.float64)
    if len(east) and east.max() - east.min() > TURN / 2:
        step = np.diff(east)
        east[1:] += TURN * np.cumsum((step < -TURN / 2).astype(np.int64) - (step > TURN / 2))
    return east


def _outside(name: str, value: float) -> ParameterError | None:
    low, high = DOMAINS[name]
    if math.isfinite(value) and low <= value <= high:
        return None
    return must_be(name, f"between {low} and {high}", value, got=f"{value:g}")


def heights(lat: Whole) -> NDArray[np.int32]:
    """Places (n,) on the map from the equator southwards, 2**32 to the world, of latitudes in 1e-7 degrees.

    Beyond 85.05 degrees the edge.
    """
    sine: Floats = np.clip(np.sin(lat * (math.pi / 1.8e9)), -0.9999, 0.9999)  # not the logarithm's ends
    place: Floats = np.floor(np.log((1.0 - sine) / (1.0 + sine)) * (WORLD / (4.0 * math.pi)) + 0.5)
    return np.clip(place, -2147483648.0, 2147483647.0).astype(np.int32)
