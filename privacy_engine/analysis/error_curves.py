"""Errors of a release as a distribution and cumulated, of all its events and of landmarks and others apart."""

import numpy as np

from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.quantiles import ascending
from privacy_engine.analysis.results import Curve, Result, listed
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import chosen, column, leaving, picked, piecewise, total

QUANTILES = 400
"""A distribution has so many of its order statistics, or all of them where there are fewer."""


class Distribution(Result):
    """The empirical distribution of errors in metres; null where nothing was published.

    ``share[i]`` of the ``n`` errors are at most ``error_m[i]``, each of which is one of them: exact quantiles, at most
    :data:`QUANTILES`, the smallest and the largest error among them.
    """

    n: int
    """The number of errors."""
    mean_m: float | None
    share: list[float]
    """This share of them is at most …"""
    error_m: list[float]
    """… so large: exact quantiles, of which there are at most 400."""


class ErrorGroup(Distribution):
    """Errors of all published events, of the landmarks among them, or of the others."""

    running_mean_m: Curve
    """null until something is published."""
    cumulative_m: Curve
    """The sum of the errors so far."""


class ErrorCurves(Result):
    """Errors of one series as distributions, running means and sums; the latter at the events ``event``."""

    series: int
    points: int
    event: list[int]
    decimated: bool
    all: ErrorGroup
    landmarks: ErrorGroup
    others: ErrorGroup


def error_curves(
    error_m: Floats, is_landmark: Mask, *, series: int, points: int, first: int = 0, after: int | None = None
) -> ErrorCurves:
    """The errors (n,) of a series with landmarks ``is_landmark`` (n,), in metres, NaN where nothing is published.

    Running means and sums are of all events so far, at those from ``first`` to before ``after``.

    Raises
    ------
    ParameterError
        There is no event from ``first`` to before ``after``, or ``points`` lies outside its domain.
    """
    n = len(error_m)
    groups = groups_of(is_landmark)
    curves = {name: running(error_m, mask) for name, mask in groups.items()}
    at = decimated([curve for both in curves.values() for curve in both], points, first, after)
    figures = {}
    for name, both in curves.items():
        mean_m, sum_m = (listed(picked(curve, at)) for curve in both)
        known = distribution(chosen(error_m, groups[name])).model_dump()
        figures[name] = ErrorGroup(**known, running_mean_m=mean_m, cumulative_m=sum_m)
    thinned = len(at) < len(range(n)[first:after])
    return ErrorCurves(series=series, points=n, event=at.tolist(), decimated=thinned, **figures)


def groups_of(is_landmark: Mask) -> dict[str, Mask]:
    """All events, the landmarks and the others, as masks (n,)."""
    every, others = (piecewise(of, is_landmark, dtype=np.bool_) for of in (np.ones_like, np.logical_not))
    return {"all": every, "landmarks": is_landmark, "others": others}


def distribution(error_m: Floats) -> Distribution:
    """The empirical distribution of errors in metres, NaN left out."""
    n = int(np.searchsorted(ordered := ascending(error_m), np.nan))  # which come last
    ranks = np.linspace(1, n, min(n, QUANTILES)).round().astype(np.int64)  # no two alike: they lie at least 1 apart
    return Distribution(
        n=n,
        mean_m=float(total(ordered[:n]) / n) if n else None,
        share=(ranks / max(n, 1)).tolist(),
        error_m=picked(ordered, ranks - 1).tolist(),
    )


def running(error_m: Floats, mask: Mask) -> tuple[Floats, Floats]:
    """Mean and sum of the errors of the events in ``mask`` published up to each event, metres, (n,).

    Not a number before the first.
    """
    columns, total, number = [column(np.float64, len(error_m)) for _ in range(2)], 0.0, 0
    for part in leaving([error_m, mask], blocks(len(error_m))):
        counts = mask[part] & ~np.isnan(error_m[part])
        sums = np.cumsum(np.append(total, np.where(counts, error_m[part], 0.0)))[1:]
        numbers = number + np.cumsum(counts)
        total, number = sums[-1], numbers[-1]
        sums[numbers == 0] = np.nan
        for curve, values in zip(columns, (sums / np.maximum(numbers, 1), sums), strict=True):
            curve.add(values)
    mean, sum_m = (curve.taken() for curve in columns)
    return mean, sum_m
