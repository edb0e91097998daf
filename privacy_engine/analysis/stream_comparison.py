"""Published counts beside true ones: errors of each dimension, budgets of windows, and columns of a heat map."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.analysis.results import Curve, Result, listed
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.errors import DataError
from privacy_engine.metrics.stream import correlations, relative_errors

MOST_COLUMNS = 2000
MOST_CELLS = 2**21
"""Of a heat map: 16 MB as floats of 64 bits."""


class DimensionErrors(Result):
    """Errors of each dimension, in the order of the dimensions."""

    relative_error: Curve
    """Mean over time of |published - true| / max(true, 1 % of the dimension's total)."""
    absolute_error: Curve
    """Mean over time of |published - true|."""
    correlation: Curve
    """Pearson's correlation over time, 0 where one of both is constant; null where the true counts are."""


class StreamComparison(Result):
    """A release beside the truth: for its owner. A column of the heat map holds one timestamp or several."""

    dimensions: DimensionErrors
    budgets: Curve
    """The largest budget of a timestamp in each column; null where none is stored."""
    window_spent: Curve
    """The largest sum, of the timestamps of each column, of what the last w timestamps spent."""
    most_spent: float | None
    """The largest sum of any w successive timestamps."""


class ColumnGrouping(Result):
    """How a mechanism grouped one dimension, for each column of the heat map; for the owner."""

    cluster_start: list[bool]
    """Whether a cluster of timestamps begins in it."""
    group_size: list[int]
    """How many dimensions shared one noisy mean, the largest number in it."""


def column_edges(timestamps: int, dimensions: int) -> Ints:
    """Where the columns of a heat map begin and the last ends, (n + 1,): equal parts of the timestamps.

    A column is a timestamp, unless that were more than :data:`MOST_COLUMNS` or :data:`MOST_CELLS` cells.

    >>> column_edges(5, 2).tolist()
    [0, 1, 2, 3, 4, 5]
    >>> len(column_edges(100_000, 1000))
    2001
    """
    most = max(min(MOST_COLUMNS, MOST_CELLS // max(dimensions, 1)), 1)
    columns = min(timestamps, most)
    return np.arange(columns + 1) * timestamps // max(columns, 1)


def column_means(counts: NDArray[Any], edges: Ints) -> Floats:
    """The mean of the timestamps of each column, (n, d) of counts (T, d)."""
    if len(edges) == len(counts) + 1:
        return np.asarray(counts, dtype=np.float64)
    return np.asarray(np.add.reduceat(counts, edges[:-1], axis=0) / np.diff(edges)[:, None])


def column_largest(values: NDArray[Any], edges: Ints) -> NDArray[Any]:
    """The largest value of each column, (n,) of (T,); NaN where any of them is."""
    return np.asarray(np.maximum.reduceat(values, edges[:-1])) if len(values) else values


def window_sums(budgets: Floats, window: int) -> Floats:
    """What each timestamp and the ``window`` - 1 before it spent, (T,): sums of floats, right to about 1e-16 T.

    >>> window_sums(np.array([0.5, 0.25, 0.0, 1.0]), 2).tolist()
    [0.5, 0.75, 0.25, 1.0]
    """
    total = np.concatenate([[0.0], np.cumsum(budgets)])
    return np.asarray(total[1:] - total[np.maximum(np.arange(len(budgets)) + 1 - window, 0)])


def dimension_errors(truth: Floats, published: Floats) -> DimensionErrors:
    """The errors of each dimension of counts (T, d), T at least 1.

    Raises
    ------
    DataError
        The tables differ in shape, or have no timestamp.
    """
    if truth.shape != published.shape or truth.ndim != 2 or not len(truth):
        rule = "two tables of one shape with at least one timestamp"
        raise DataError.must_be("counts", rule, got=f"{truth.shape} and {published.shape}")
    changing = truth.min(axis=0) < truth.max(axis=0)
    return DimensionErrors(
        relative_error=listed(relative_errors(truth, published).mean(axis=0)),
        absolute_error=listed(np.abs(published - truth).mean(axis=0)),
        correlation=listed(np.where(changing, correlations(truth, published), np.nan)),
    )


def stream_comparison(truth: Floats, published: Floats, budgets: Floats, window: int) -> StreamComparison:
    """Compare counts (T, d) and budgets (T,) of a release with the truth; errors of :func:`dimension_errors`."""
    errors, sums = dimension_errors(truth, published), window_sums(budgets, window)
    edges = column_edges(*truth.shape)
    return StreamComparison(
        dimensions=errors,
        budgets=listed(column_largest(budgets, edges)),
        window_spent=listed(column_largest(sums, edges)),
        most_spent=None if np.isnan(sums).any() else float(sums.max()),
    )
