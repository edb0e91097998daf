"""The charts of a release of trajectories, for its owner; those of large series that pages request are made ahead."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from dashboard.core.rest.parsing import valid
from dashboard.landmarks.loss_serializers import CORRELATION, correlation_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import mask_of
from dashboard.landmarks.selectors import series_bounds
from dashboard.maps import joined_tracks
from dashboard.maps.prepared import LARGE, facts
from dashboard.releases import files
from dashboard.releases.models import Release
from dashboard.releases.trajectory.chart_serializers import ErrorsQuery, SeriesQuery
from privacy_engine.analysis.error_curves import error_curves
from privacy_engine.analysis.release_curves import release_curves
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

    own = correlated and landmark_set == row.landmark_set
    if own and _is_large(row, params["series"]) and params == usual_curves(params["series"]):
        return facts(row.beside(f"curves-{params['series']}"), make)
    return make()


def errors(row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None) -> dict[str, Any]:
    """Errors of one series as distributions and running means, landmarks apart; errors as of :func:`curves`."""

    def make() -> dict[str, Any]:
        start, end = series_bounds(row.dataset.series_lengths, params["series"])
        is_landmark = mask_of(row.dataset, landmark_set)[start:end]
        return error_curves(files.read_curves(row, params["series"]).error_m, is_landmark, **params).model_dump()

    own = landmark_set == row.landmark_set
    if own and _is_large(row, params["series"]) and params == usual_errors(params["series"]):
        return facts(row.beside(f"distribution-{params['series']}"), make)
    return make()


def usual_curves(series: int) -> dict[str, Any]:
    """The parameters of :data:`CURVES`."""
    return valid(SeriesQuery, CURVES | {"series": series})


def usual_errors(series: int) -> dict[str, Any]:
    """The parameters of :data:`ERRORS`."""
    return valid(ErrorsQuery, ERRORS | {"series": series})


def prepare(row: Release) -> None:
    """Make ahead what the comparison requests of large series, or of many."""
    for series in joined_tracks.prepare(row.drawn, "sample"):
        with suppress(EngineError):  # the request states it
            errors(row, usual_errors(series), row.landmark_set)
            curves(row, usual_curves(series), row.landmark_set, correlated=True)


def _is_large(row: Release, series: int) -> bool:
    lengths = row.dataset.series_lengths
    return series < len(lengths) and lengths[series] > LARGE
