"""Releases of count streams beside the upload: errors, budgets, grouping, and what publishing zeros would have."""

from functools import lru_cache
from typing import Any

import numpy as np

from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be
from dashboard.datasets.models import Dataset, Kind
from dashboard.releases.common.release_data import original_of, read_release
from dashboard.releases.models import Release
from dashboard.storage import data_files, parquet
from dashboard.storage.data_files import cached_data
from dashboard.storage.stored_path import StoredPath
from privacy_engine.analysis.repeated import SHARES
from privacy_engine.analysis.stream_comparison import (
    ColumnGrouping,
    StreamComparison,
    column_edges,
    column_largest,
    stream_comparison,
)
from privacy_engine.analysis.stream_detection import Detection, detection
from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.datatypes.stream import grouping_columns
from privacy_engine.metrics import StreamMeanAbsoluteError, StreamRelativeError, StreamRootMeanSquareError
from privacy_engine.metrics.stream_events import Event

ZERO_METRICS = (StreamRelativeError(), StreamMeanAbsoluteError(), StreamRootMeanSquareError())
"""Of publishing zeros: a correlation with a constant is none."""


@computed_where(lambda row, **_: row.dataset.is_large)
def compared(row: Release) -> StreamComparison:
    """Return a finished release beside the upload."""
    release, mechanism = data_files.cached_release(row.kind, row.data_path), row.parsed_spec.mechanism
    return stream_comparison(
        original_of(row).counts, release.counts.astype(np.float64), release.budgets, mechanism.window
    )


@computed_where(lambda row, **_: row.dataset.is_large)
def detected(row: Release, *, event: Event, length: int, threshold: float) -> Detection:
    """Return how well events of the upload are detected in a finished release, over all dimensions."""
    published = read_release(row).counts.astype(np.float64)
    return detection(original_of(row).counts, published, event, length, threshold)


def grouping_of(row: Release, dimension: int) -> ColumnGrouping | None:
    """Return how a finished release grouped a dimension; None where that is not stored.

    Raises
    ------
    ParameterError
        There is no such dimension.
    """
    size = len(row.dataset.summary["dimensions"])
    if not 0 <= dimension < size:
        raise must_be("dimension", f"between 0 and {size - 1}", dimension)
    if not row.errors_path.exists():
        return None
    table = parquet.read_table(row.errors_path, list(grouping_columns(dimension)))
    starts, sizes = (column.to_numpy() for column in table.columns)
    edges = column_edges(len(starts), size)
    return ColumnGrouping(
        cluster_start=column_largest(starts, edges).tolist(), group_size=column_largest(sizes, edges).tolist()
    )


@computed_where(lambda dataset: dataset.is_large)
def figures_of_zeros(dataset: Dataset) -> dict[str, float]:
    """Return the errors of publishing zeros for every count, by the name of the metric."""
    return _figures_of_zeros(dataset.points_path)


@computed_where(lambda row: row.dataset.is_large)
def count_errors(row: Release) -> dict[str, float]:
    """Return what half and 95 % of a finished release's counts are off by at most, named as a forecast has them."""
    return _count_errors(row.dataset.points_path, row.data_path)


@lru_cache(maxsize=32)
def _count_errors(path: StoredPath, released: StoredPath) -> dict[str, float]:
    truth, published = cached_data(Kind.STREAM, path), data_files.cached_release(Kind.STREAM, released)
    typical, p95 = np.quantile(np.abs(published.counts - truth.counts), SHARES).tolist()
    return {"typical_error": typical, "p95_error": p95}


@lru_cache(maxsize=32)
def _figures_of_zeros(path: StoredPath) -> dict[str, float]:
    truth: CountStream = cached_data(Kind.STREAM, path)
    counts: Any = np.zeros(truth.counts.shape, dtype=np.int64)
    zeros = StreamRelease(counts, truth.names, truth.labels, truth.time_s, np.zeros(len(truth)))
    return {metric.name: metric.of(truth, zeros) for metric in ZERO_METRICS}
