"""Curves reduced for display: fewer events, with every extreme."""

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import leaving
from privacy_engine.errors import ParameterError

POINTS = (10, 20_000)
BLOCK = 1 << 18
"""Events of each curve at a time."""
PARTS, KNOTS, LOOKED_AT = 20, 201, 4001
"""Windows of a rolling median beside each other, how many medians are taken, and values that each is of, about."""


def decimated(curves: list[Floats], points: int, first: int = 0, after: int | None = None) -> Ints:
    """At most ``points`` indices that keep every curve's lowest and highest value in each of equal bins.

    They are of the events from ``first`` to before ``after``, of all without.

    Raises
    ------
    ParameterError
        ``points`` lies outside its domain, or there is no event from ``first`` to before ``after``.
    """
    n = len(curves[0])
    if (first, after) != (0, None):
        _check_range(n, first, after)
        return first + decimated([curve[first:after] for curve in curves], points)
    if not POINTS[0] <= points <= POINTS[1]:
        raise ParameterError.must_be("points", f"between {POINTS[0]} and {POINTS[1]:,}", points)
    if n <= points:
        return np.arange(n)
    bins = max((points - 2) // (2 * len(curves)), 1)
    edges = np.linspace(0, n, bins + 1).astype(np.int64)
    size = int(np.diff(edges).max())
    chosen = [np.array([0, n - 1])]
    for some in blocks(bins, max(BLOCK // size, 1)):
        begins, ends = edges[some, None], edges[some.start + 1 : some.stop + 1, None]
        extremes: list[list[Ints]] = [[] for _ in curves]
        for part in leaving(curves, blocks(size, BLOCK)):
            index = np.minimum(begins + np.arange(part.start, part.stop), ends - 1)  # (bins, size), the last repeated
            for curve, ends_of in zip(curves, extremes, strict=True):
                ends_of.append(_extremes(curve, index))
        for curve, ends_of in zip(curves, extremes, strict=True):
            whole = len(ends_of) == 1
            chosen += ends_of if whole else [_extremes(curve, of)[at] for at, of in enumerate(np.stack(ends_of, -1))]
    return np.unique(np.concatenate(chosen, axis=None))[:points]


def _extremes(curve: Floats, index: Ints) -> Ints:
    """Of each row of an index (bins, size) where the curve is lowest, and where it is highest, (2, bins)."""
    values = curve[index]
    lowest = np.where(np.isnan(values), np.inf, values).argmin(axis=1)
    highest = np.where(np.isnan(values), -np.inf, values).argmax(axis=1)
    extremes: Ints = index[np.arange(len(index)), [lowest, highest]]
    return extremes


def rolling_median(curve: Floats, at: Ints) -> tuple[Floats, int]:
    """The rolling median of a curve (n,) at the indices ``at`` (k,), and its window, an odd number of events.

    A window is a twentieth of the curve, less at both ends; if long, every so many values count, and none that is
    not a number. Medians are taken :data:`KNOTS` times, evenly, and lie on lines in between.
    """
    window = max(len(curve) // PARTS, 5) | 1
    knots = np.unique(np.linspace(0, len(curve) - 1, KNOTS).astype(np.int64))
    half, step = window // 2, max(window // LOOKED_AT, 1)
    medians = np.array([_median(curve[max(knot - half, 0) : knot + half + 1 : step]) for knot in knots])
    known = ~np.isnan(medians)
    return (np.interp(at, knots[known], medians[known]) if known.any() else np.full(len(at), np.nan)), window


def _median(values: Floats) -> float:
    known = values[~np.isnan(values)]
    return float(np.median(known)) if known.size else np.nan


def _check_range(n: int, first: int, after: int | None) -> None:
    if not 0 <= first < n:
        raise ParameterError.must_be("first", f"between 0 and {n - 1:,}", first)
    if after is not None and after <= first:
        raise ParameterError.must_be("after", f"greater than first, {first}", after)


def runs(mask: Mask) -> list[list[int]]:
    """The true ranges of a mask as half-open [start, end) pairs."""
    edges, before = [], np.zeros(1, dtype=np.bool_)
    for part in leaving([mask], blocks(len(mask))):
        edges.append(np.flatnonzero(mask[part] != np.append(before, mask[part][:-1])) + part.start)
        before = mask[part][-1:]
    edges.append(np.full(int(before[0]), len(mask)))
    pairs: list[list[int]] = np.concatenate(edges).reshape(-1, 2).tolist()
    return pairs
