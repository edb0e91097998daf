"""Errors of a release as a distribution and cumulated, of all its events and of landmarks and others apart."""

from __future__ import annotations

from typing import Any

import numpy as np

from dashboard.core.downsampling import decimated, listed
from dashboard.landmarks.selectors import series_bounds
from dashboard.releases import files
from dashboard.releases.models import Release
from privacy_engine.data import Floats, Mask

QUANTILES = 400
"""A distribution is told at so many of its order statistics, or at all of them where there are fewer."""


def error_curves(row: Release, *, series: int, points: int, first: int = 0, after: int | None = None) -> dict[str, Any]:
    """The errors of one series against the original, for its owner: nothing is read but what the worker stored.

    Running means and sums are of all events so far, told at those from ``first`` to before ``after``.

    Raises
    ------
    ParameterError
        There is no such series, no such stretch of it, or ``points`` lies outside its domain.
    """
    start, end = series_bounds(row.dataset.series_lengths, series)
    error_m = files.read_curves(row, series).error_m
    is_landmark = row.landmark_set.mask[start:end]
    groups = {"all": np.ones(end - start, dtype=np.bool_), "landmarks": is_landmark, "others": ~is_landmark}
    means = {name: running_mean(error_m, mask) for name, mask in groups.items()}
    sums = {name: cumulated(error_m, mask) for name, mask in groups.items()}
    at = decimated([*means.values(), *sums.values()], points, first, after)
    return {
        "series": series,
        "points": end - start,
        "event": at.tolist(),
        "decimated": len(at) < len(range(end - start)[first:after]),
        **{
            name: distribution(error_m[mask])
            | {"running_mean_m": listed(means[name][at]), "cumulative_m": listed(sums[name][at])}
            for name, mask in groups.items()
        },
    }


def distribution(error_m: Floats) -> dict[str, Any]:
    """The empirical distribution of errors in metres; not a number where nothing was published.

    ``share[i]`` of the ``n`` errors are at most ``error_m[i]``, each of which is one of them: exact quantiles, at most
    :data:`QUANTILES`, the smallest and the largest error among them.
    """
    found = np.sort(error_m[~np.isnan(error_m)])
    n = len(found)
    ranks = np.unique(np.linspace(1, n, min(n, QUANTILES)).round().astype(np.int64)) if n else np.empty(0, np.int64)
    return {
        "n": n,
        "mean_m": float(found.mean()) if n else None,
        "share": (ranks / max(n, 1)).tolist(),
        "error_m": found[ranks - 1].tolist(),
    }


def running_mean(error_m: Floats, mask: Mask) -> Floats:
    """The mean error of the events in ``mask`` published up to each event, (n,); not a number before the first."""
    number = np.cumsum(mask & ~np.isnan(error_m))
    return np.divide(cumulated(error_m, mask), number, out=np.full(len(error_m), np.nan), where=number > 0)


def cumulated(error_m: Floats, mask: Mask) -> Floats:
    """The sum of the errors of the events in ``mask`` published up to each event, metres, (n,)."""
    counts = mask & ~np.isnan(error_m)
    sums = np.cumsum(np.where(counts, error_m, 0.0))
    return np.where(np.cumsum(counts) > 0, sums, np.nan)
