"""API of releases of trajectories: forecasts, published positions, and charts for the owner."""

from __future__ import annotations

import uuid
from typing import Any, ClassVar

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from rest_framework.request import Request

from dashboard.core.errors import require_state
from dashboard.core.rest.json_text import json_response
from dashboard.core.rest.operations import BINARY, row_action
from dashboard.datasets.models import Dataset, Kind
from dashboard.datasets.selectors import require_kind
from dashboard.jobs.models import State
from dashboard.landmarks.loss_serializers import CORRELATION
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.maps import joined_tracks, track_encoding
from dashboard.maps.line_simplification import MapView
from dashboard.releases import services
from dashboard.releases.common.actions import Actions, finished_of
from dashboard.releases.models import Release
from dashboard.releases.trajectory import charts
from dashboard.releases.trajectory.chart_serializers import ErrorsQuery, SeriesQuery, TradeoffRequest
from dashboard.releases.trajectory.expected_errors import (
    ExpectedErrors,
    LeastLevels,
    ProtectionCosts,
    expected_errors,
    least_levels,
    protection_costs,
)
from dashboard.releases.trajectory.forecast_serializers import (
    CostsRequest,
    ErrorsRequest,
    ForecastRequest,
    LevelsRequest,
)
from dashboard.releases.trajectory.forecasts import Forecast, forecast_releases
from privacy_engine.analysis.error_curves import ErrorCurves
from privacy_engine.analysis.release_curves import ReleaseCurves
from privacy_engine.analysis.tradeoff import Tradeoff
from privacy_engine.errors import ParameterError

finished = finished_of(Kind.TRAJECTORY)


class TrajectoryActions(Actions):
    """Of trajectories."""

    request: Request
    endpoints: ClassVar = {
        "track": "Of trajectories, like the next five.",
        "tracks": "All series at once.",
        "series": "",
        "errors": "",
        "postprocess": "",
    }

    @classmethod
    def require_quotable(cls) -> None:
        """What they cost depends on the landmark set."""
        rule = "of count streams or check-ins; /releases/forecast/ quotes releases of trajectories"
        raise ParameterError(f"dataset must be {rule}", field="dataset", rule=rule, value=Kind.TRAJECTORY)

    @row_action(ForecastRequest, Forecast, method="POST", row=None)
    def forecast(self, **params: Any) -> Forecast:
        """What errors, guarantee, price and loss to expect; for the owner, nothing is stored or charged."""
        return _forecast(**params)

    @row_action(ForecastRequest, Forecast, method="POST", row=None, schema={"deprecated": True})
    def outlook(self, **params: Any) -> Forecast:
        """The former path of `/releases/forecast/`, with the same response; the next version removes it."""
        return _forecast(**params)

    @row_action(ErrorsRequest, ExpectedErrors, method="POST", row=None, url_path="expected-errors")
    def expected_errors(self, dataset: Any, landmark_set: Any, **params: Any) -> ExpectedErrors:
        """Errors to expect, with a verdict; computed from the original for its owner, nothing is stored or charged."""
        return expected_errors(*_subject(dataset, landmark_set), **params)

    @row_action(LevelsRequest, LeastLevels, method="POST", row=None, url_path="least-levels")
    def least_levels(self, dataset: Any, landmark_set: Any, **params: Any) -> LeastLevels:
        """The least ε for an accepted error; computed from the original for its owner, nothing is stored or charged."""
        return least_levels(*_subject(dataset, landmark_set), **params)

    @row_action(CostsRequest, ProtectionCosts, method="POST", row=None, url_path="protection-costs")
    def protection_costs(self, dataset: Any, landmark_set: Any, postprocess: Any, **params: Any) -> ProtectionCosts:
        """What a protection costs; computed from the original for its owner, nothing is stored or charged."""
        return protection_costs(*_subject(dataset, landmark_set), steps=postprocess, **params)

    @row_action(TradeoffRequest, Tradeoff, method="POST", row=None)
    def curve(self, dataset: Any, landmark_set: Any, **params: Any) -> Tradeoff:
        """Mean error against ε, by a simulation that reads the original; nothing is stored or charged."""
        return charts.tradeoff_of(*_subject(dataset, landmark_set), params=params)

    @row_action(track_encoding.TrackQuery, BINARY, row=finished)
    def track(self, row: Release, series: int, view: MapView | None) -> HttpResponseBase:
        """The published positions of one series, in full or simplified; see dashboard/maps/track_encoding.py."""
        return track_encoding.answer(self.request, row.drawn, series, view, tag=row.data_sha256[:32])

    @row_action(joined_tracks.TracksQuery, BINARY, row=finished)
    def tracks(self, row: Release, points: int, reduce: str) -> HttpResponseBase:
        """The published positions of all series as one track in pieces; see dashboard/maps/joined_tracks.py."""
        return joined_tracks.answer(self.request, row.drawn, points, reduce, tag=row.data_sha256[:32])

    @row_action(SeriesQuery, ReleaseCurves, row=finished, records="original")
    def series(self, row: Release, landmarks_of: uuid.UUID | None = None, **params: Any) -> HttpResponseBase:
        """Error, budget and temporal privacy loss per event of one series, for the owner's charts."""
        correlated = any(name in self.request.query_params for name in CORRELATION)
        compared = self._compared_on(row, landmarks_of)
        return json_response(charts.curves(row, params, compared, correlated=correlated))

    @row_action(ErrorsQuery, ErrorCurves, row=finished, records="original")
    def errors(self, row: Release, landmarks_of: uuid.UUID | None = None, **params: Any) -> HttpResponseBase:
        """Errors of one series as distributions and running means, landmarks apart, for the owner's charts."""
        return json_response(charts.errors(row, params, self._compared_on(row, landmarks_of)))

    def _compared_on(self, row: Release, requested: uuid.UUID | None) -> LandmarkSet | None:
        """The landmark set of a release; without any, that which is ``requested``, and no other is."""
        if requested in (None, row.landmark_set_id):
            return row.landmark_set
        if row.landmark_set_id:
            rule = "left out or its own: the release has a landmark set"
            raise ParameterError(f"landmarks_of must be {rule}", field="landmarks_of", rule=rule, value=str(requested))
        sets = visible_landmark_sets(self.request.user).filter(dataset=row.dataset)
        landmark_set: LandmarkSet = get_object_or_404(sets, pk=requested)
        return landmark_set


def _forecast(dataset: Any, landmark_set: Any, postprocess: Any, correlation: Any, **params: Any) -> Forecast:
    subject = _subject(dataset, landmark_set)
    return forecast_releases(*subject, steps=postprocess, known=correlation, **params)


def _subject(dataset: Any, landmark_set: LandmarkSet | None) -> tuple[Dataset, LandmarkSet | None]:
    """The dataset and the landmark set that a :class:`SubjectRequest` is about."""
    if landmark_set and dataset in (None, landmark_set.dataset):
        return landmark_set.dataset, landmark_set
    require_kind(dataset, Kind.TRAJECTORY)
    require_state(dataset, State.READY, "dataset")
    services.require_set_of(dataset, landmark_set)
    return dataset, None


ADAPTER = TrajectoryActions
