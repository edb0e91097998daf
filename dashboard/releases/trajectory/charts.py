"""The charts of a release of trajectories, for its owner; those of large series that pages request are made ahead."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

from dashboard.core.rest.parsing import valid
from dashboard.landmarks.loss_serializers import CORRELATION, correlation_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import mask_of
from dashboard.landmarks.selectors import series_bounds
from dashboard.maps import joined_tracks, track_encoding
from dashboard.maps.prepared import LARGE, facts
from dashboard.releases import files
from dashboard.releases.models import Release
from dashboard.releases.trajectory.chart_serializers import ErrorsQuery, SeriesQuery
from privacy_engine.analysis.error_curves import error_curves
from privacy_engine.analysis.release_curves import release_curves
from privacy_engine.core.progress import reported
from privacy_engine.errors import EngineError

ERRORS: dict[str, Any] = {"points": 4000}
CURVES: dict[str, Any] = ERRORS | {"n": 2, "s": 0.1, "diameter_m": 1000}
"""What the comparison requests first: see static/js/trajectory/compare/release_layers.js."""


def curves(
    row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None, *, correlated: bool
) -> dict[str, Any]:
    """Error, budget and temporal privacy loss per event of one series; ``params`` as of :class:`SeriesQuery`.

    Raises
    ------
    EngineError
        A parameter lies outside its domain, or there is no such series.
    """

    def make() -> dict[str, Any]:
        rest = {name: value for name, value in params.items() if name not in CORRELATION}
        correlation = correlation_of(dict(params), row.dataset) if correlated else None
        released = files.read_series(row, params["series"], landmark_set)
        return release_curves(row.parsed_spec.mechanism, released, correlation=correlation, **rest).model_dump()

    usual = correlated and params == valid(SeriesQuery, CURVES | {"series": params["series"]})
    return _chart(row, "curves", params["series"], make, ahead=usual and landmark_set == row.landmark_set)


def errors(row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None) -> dict[str, Any]:
    """Errors of one series as distributions and running means, landmarks apart; errors as of :func:`curves`."""

    def make() -> dict[str, Any]:
        start, end = series_bounds(row.dataset.series_lengths, params["series"])
        is_landmark = mask_of(row.dataset, landmark_set)[start:end]
        return error_curves(files.read_curves(row, params["series"]).error_m, is_landmark, **params).model_dump()

    usual = params == valid(ErrorsQuery, ERRORS | {"series": params["series"]})
    return _chart(row, "distribution", params["series"], make, ahead=usual and landmark_set == row.landmark_set)


def prepare(row: Release) -> None:
    """Make ahead what the comparison requests of large series, or of many."""
    lengths = row.dataset.series_lengths
    if len(lengths) > 1 and sum(lengths) > LARGE:
        joined_tracks.ahead(row.data_path, lengths, row.beside, "sample").close()
    for series in reported(i for i, length in enumerate(lengths) if length > LARGE):
        track_encoding.ahead(row.data_path, series, row.beside).close()
        with suppress(EngineError):  # the request states it
            errors(row, valid(ErrorsQuery, ERRORS | {"series": series}), row.landmark_set)
            curves(row, valid(SeriesQuery, CURVES | {"series": series}), row.landmark_set, correlated=True)


def _chart(row: Release, what: str, series: int, make: Callable[[], dict[str, Any]], *, ahead: bool) -> dict[str, Any]:
    lengths = row.dataset.series_lengths
    is_large = series < len(lengths) and lengths[series] > LARGE
    return facts(row.beside(f"{what}-{series}"), make) if ahead and is_large else make()
