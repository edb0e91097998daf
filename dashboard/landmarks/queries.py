"""Reads of the landmarks room."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from dashboard import storage
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.data import Mask
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.synthetic import dataset_temporal_distance


def visible_landmark_sets(user: Any) -> QuerySet[LandmarkSet]:
    """Those of the user's own datasets, newest first."""
    return LandmarkSet.objects.filter(dataset__owner=user).select_related("dataset").defer("packed")


def events_of(landmark_set: LandmarkSet, *, series: int | None = None) -> dict[str, Any]:
    """Runs, count and share over the whole dataset, or over one series with its events counted from 0.

    Raises
    ------
    ParameterError
        There is no such series.
    """
    mask, lengths = landmark_set.mask, landmark_set.dataset.series_lengths
    if series is not None:
        start, end = series_bounds(lengths, series)
        mask, lengths = mask[start:end], [end - start]
    return described(mask, lengths)


def described(mask: Mask, lengths: list[int]) -> dict[str, Any]:
    """A mask over series of these lengths as the API shows it."""
    count = int(mask.sum())
    return {
        "count": count,
        "share": count / len(mask) if len(mask) else 0.0,
        "points": len(mask),
        "runs": storage.runs(mask),
        "average_temporal_distance": dataset_temporal_distance(mask, lengths),
    }


def series_bounds(lengths: list[int], series: int) -> tuple[int, int]:
    """First event of a series, and the first after it, counted over the dataset."""
    if not 0 <= series < len(lengths):
        rule = f"between 0 and {len(lengths) - 1}"
        raise ParameterError(f"series must be {rule}, got {series}", field="series", rule=rule, value=series)
    start = sum(lengths[:series])
    return start, start + lengths[series]
