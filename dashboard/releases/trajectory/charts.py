"""The charts of a release of trajectories, for its owner; those of large series that pages request are made ahead."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, BinaryIO

from dashboard.core.computing import computed, computed_where
from dashboard.core.rest.json_text import as_json
from dashboard.core.rest.parsing import valid
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import mask_of_person, person_of
from dashboard.landmarks.loss_serializers import CORRELATION, correlation_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import mask_of
from dashboard.landmarks.selectors import series_bounds
from dashboard.maps import joined_tracks
from dashboard.maps.prepared import LARGE, stored_json
from dashboard.releases import files
from dashboard.releases.models import Release
from dashboard.releases.trajectory.chart_serializers import ErrorsQuery, SeriesQuery
from dashboard.storage.data_files import cached_data
from dashboard.storage.stored_path import StoredPath
from privacy_engine.analysis.error_curves import error_curves
from privacy_engine.analysis.release_curves import release_curves
from privacy_engine.analysis.tradeoff import Tradeoff, tradeoff
from privacy_engine.errors import EngineError

ERRORS: dict[str, Any] = {"points": 4000}
CURVES: dict[str, Any] = ERRORS | {"n": 2, "s": 0.1, "diameter_m": 1000}
"""What the comparison requests first: see static/js/trajectory/compare/release_layers.js."""


@computed
def tradeoff_of(dataset: Dataset, landmark_set: LandmarkSet | None, params: dict[str, Any]) -> Tradeoff:
    """Mean error of a person's series against ε; ``params`` as of :class:`TradeoffRequest`."""
    person = person_of(dataset, params["series"])
    truth = person.joined(cached_data(dataset.kind, dataset.points_path))
    is_landmark = mask_of_person(dataset, mask_of(dataset, landmark_set), person)
    return tradeoff(params["mechanisms"], truth, is_landmark, series=params["series"], seed=params["seed"])


def curves(
    row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None, *, correlated: bool
) -> bytes | BinaryIO:
    """Error, budget and temporal privacy loss per event of a series as JSON; ``params`` as of :class:`SeriesQuery`.

    Raises
    ------
    EngineError
        A parameter lies outside its domain, or there is no such series.
    """
    usual = correlated and landmark_set == row.landmark_set and params == usual_curves(params["series"])
    path = row.beside(f"curves-{params['series']}") if usual and _is_large(row, params["series"]) else None
    return _curves(path, row, params, landmark_set, correlated)


def _has_to_be_made(path: StoredPath | None, row: Release, *_: object) -> bool:
    return path is None or not path.is_sound()


@computed_where(_has_to_be_made)
def _curves(
    path: StoredPath | None, row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None, correlated: bool
) -> bytes | BinaryIO:
    def make() -> dict[str, Any]:
        rest = {name: value for name, value in params.items() if name not in CORRELATION}
        correlation = correlation_of(dict(params), row.dataset) if correlated else None
        released = files.read_series(row, params["series"], landmark_set)
        return release_curves(row.parsed_spec.mechanism, released, correlation=correlation, **rest).model_dump()

    return as_json(make()) if path is None else stored_json(path, make)


def errors(row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None) -> bytes | BinaryIO:
    """Errors of a series as distributions and running means, landmarks apart; as :func:`curves`."""
    usual = landmark_set == row.landmark_set and params == usual_errors(params["series"])
    path = row.beside(f"distribution-{params['series']}") if usual and _is_large(row, params["series"]) else None
    return _errors(path, row, params, landmark_set)


@computed_where(lambda path, row, *_: row.dataset.is_large and _has_to_be_made(path, row))
def _errors(
    path: StoredPath | None, row: Release, params: dict[str, Any], landmark_set: LandmarkSet | None
) -> bytes | BinaryIO:
    def make() -> dict[str, Any]:
        start, end = series_bounds(row.dataset.series_lengths, params["series"])
        is_landmark = mask_of(row.dataset, landmark_set)[start:end]
        return error_curves(files.read_curves(row, params["series"]).error_m, is_landmark, **params).model_dump()

    return as_json(make()) if path is None else stored_json(path, make)


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
