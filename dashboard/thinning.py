"""Curves thinned out for display: what a chart cannot show is not sent, and no peak is lost."""

from __future__ import annotations

import numpy as np

from privacy_engine.data import Floats, Ints
from privacy_engine.errors import ParameterError

POINTS = (10, 20_000)


def decimated(curves: list[Floats], points: int) -> Ints:
    """At most ``points`` indices that keep every curve's lowest and highest value in each of equal bins.

    Raises
    ------
    ParameterError
        ``points`` lies outside its domain.
    """
    if not POINTS[0] <= points <= POINTS[1]:
        rule = f"between {POINTS[0]} and {POINTS[1]:,}"
        raise ParameterError(f"points must be {rule}, got {points}", field="points", rule=rule, value=points)
    n = len(curves[0])
    if n <= points:
        return np.arange(n)
    bins = max((points - 2) // (2 * len(curves)), 1)
    edges = np.linspace(0, n, bins + 1).astype(np.int64)
    size = int(np.diff(edges).max())
    index = np.minimum(edges[:-1, None] + np.arange(size), edges[1:, None] - 1)  # (bins, size), the last repeated
    kept = [np.array([0, n - 1])]
    for curve in curves:
        values = curve[index]
        kept.append(index[np.arange(bins), np.where(np.isnan(values), np.inf, values).argmin(axis=1)])
        kept.append(index[np.arange(bins), np.where(np.isnan(values), -np.inf, values).argmax(axis=1)])
    return np.unique(np.concatenate(kept))[:points]


def listed(values: Floats) -> list[float | None]:
    """Values for JSON, which knows no NaN: None there."""
    return [None if value != value else value for value in values.tolist()]
