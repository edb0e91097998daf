"""The correlation of a request: given, smoothed, or estimated from a dataset."""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dashboard.core.errors import must_be, require_state
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_markable
from dashboard.jobs.models import State
from dashboard.storage.data_files import read_data
from dashboard.storage.stored_path import StoredPath
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.errors import EngineError

MAX_EVENTS = 1_000_000
"""Events a correlation is estimated from within a request."""


def parse_correlation(
    *,
    dataset: Dataset | None = None,
    n: int = 2,
    s: float = 0.1,
    backward: Any = "",
    forward: Any = "",
    cell_m: float | None = None,
    smoothing: float | None = None,
    diameter_m: float | None = None,
) -> Correlation:
    """Given matrices where there are any, else estimated where there is ``cell_m``, else smoothed.

    ``diameter_m`` is needed where the states have no geometry, and refused beside ``cell_m``, where they have it.

    Raises
    ------
    EngineError
        Something lies outside its domain, or two ways are given at once; it names the field.
    """
    given, estimated = bool(backward or forward), cell_m is not None
    if given and estimated:
        raise must_be("cell_m", "left out beside matrices", cell_m)
    if smoothing is not None and not estimated:
        raise must_be("smoothing", "left out without cell_m", smoothing)
    if given:
        return Correlation.given(backward, forward, diameter_m)
    if cell_m is not None:
        if dataset is None:
            raise must_be("cell_m", "left out where there is no dataset", cell_m)
        if diameter_m is not None:
            raise must_be("diameter_m", "left out beside cell_m: the cells' distances are known", diameter_m)
        return estimate(dataset, cell_m, 1.0 if smoothing is None else smoothing)
    return Correlation.smoothed(n, s, diameter_m)


def estimate(dataset: Dataset, cell_m: float, smoothing: float) -> Correlation:
    """Counted from the original over square cells: for the dataset's owner alone."""
    require_state(dataset, State.READY, "dataset")
    require_markable(dataset)
    if dataset.points > MAX_EVENTS:
        rule = f"left out for a dataset of more than {MAX_EVENTS:,} events"
        raise must_be("cell_m", rule, f"{dataset.points:,} events")
    return _estimated(dataset.kind, dataset.points_path, cell_m, smoothing)


@functools.lru_cache(maxsize=8)
def _estimated(kind: str, path: StoredPath, cell_m: float, smoothing: float) -> Correlation:
    """By the points' file, which is never written again under its name."""
    return Correlation.estimated(read_data(kind, path), cell_m, smoothing)


@contextmanager
def named(field: str) -> Iterator[None]:
    """Errors from here name their field as a part of ``field``."""
    try:
        yield
    except EngineError as error:
        error.field = f"{field}.{error.field}" if error.field else field
        error.message = f"{field}.{error.message}"
        raise
