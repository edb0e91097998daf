"""API of releases of trajectories: forecasts, published positions, and charts for the owner."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import require_state
from dashboard.core.rest.binary import CONTENT_TYPE
from dashboard.core.rest.json_text import json_response
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, valid
from dashboard.datasets.models import Kind
from dashboard.datasets.selectors import require_kind, visible_datasets
from dashboard.jobs.models import State
from dashboard.landmarks.loss_serializers import CORRELATION
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.maps import joined_tracks
from dashboard.maps import track_encoding as binary
from dashboard.releases import services
from dashboard.releases.common.actions import Actions, finished_of_kind
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

    @extend_schema(request=ForecastRequest, responses={200: Forecast})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def forecast(self, request: Request) -> Response:
        """What errors, guarantee, price and loss to expect; for the owner, nothing is stored or charged."""
        params = valid(ForecastRequest, request.data)
        subject = self._subject(params)
        known = params["correlation"]
        forecast = forecast_releases(
            **subject,
            mechanisms=params["mechanisms"],
            steps=params["postprocess"],
            known=known,
            errors=params["errors"],
        )
        return Response(forecast.model_dump(), headers=UNKEPT)

    @extend_schema(request=ForecastRequest, responses={200: Forecast}, deprecated=True)
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def outlook(self, request: Request) -> Response:
        """The former path of `/releases/forecast/`, with the same response; the next version removes it."""
        return self.forecast(request)

    @extend_schema(request=ErrorsRequest, responses={200: ExpectedErrors})
    @action(detail=False, methods=["post"], url_path="expected-errors", filterset_class=None, pagination_class=None)
    def expected_errors(self, request: Request) -> Response:
        """Errors to expect, with a verdict; computed from the original for its owner, nothing is stored or charged."""
        params = valid(ErrorsRequest, request.data)
        return Response(expected_errors(**self._subject(params), **params).model_dump(), headers=UNKEPT)

    @extend_schema(request=LevelsRequest, responses={200: LeastLevels})
    @action(detail=False, methods=["post"], url_path="least-levels", filterset_class=None, pagination_class=None)
    def least_levels(self, request: Request) -> Response:
        """The least ε for an accepted error; computed from the original for its owner, nothing is stored or charged."""
        params = valid(LevelsRequest, request.data)
        return Response(least_levels(**self._subject(params), **params).model_dump(), headers=UNKEPT)

    @extend_schema(request=CostsRequest, responses={200: ProtectionCosts})
    @action(detail=False, methods=["post"], url_path="protection-costs", filterset_class=None, pagination_class=None)
    def protection_costs(self, request: Request) -> Response:
        """What a protection costs; computed from the original for its owner, nothing is stored or charged."""
        params = valid(CostsRequest, request.data)
        subject, params["steps"] = self._subject(params), params.pop("postprocess")
        return Response(protection_costs(**subject, **params).model_dump(), headers=UNKEPT)

    @extend_schema(request=TradeoffRequest, responses={200: Tradeoff})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def curve(self, request: Request) -> Response:
        """Mean error against ε, by a simulation that reads the original; nothing is stored or charged."""
        params = valid(TradeoffRequest, request.data)
        tradeoff = charts.tradeoff_of(**self._subject(params), params=params)
        return Response(tradeoff.model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[binary.TrackQuery], responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False)
    @action(detail=True, content_negotiation_class=AnyAccept)
    def track(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """The published positions of one series, in full or simplified; see dashboard/maps/track_encoding.py."""
        row = finished_of_kind(self, Kind.TRAJECTORY)
        return binary.answer(request, row.drawn, tag=row.data_sha256[:32])

    @extend_schema(
        parameters=[joined_tracks.TracksQuery], responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def tracks(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """The published positions of all series as one track in pieces; see dashboard/maps/joined_tracks.py."""
        row = finished_of_kind(self, Kind.TRAJECTORY)
        return joined_tracks.answer(request, row.drawn, tag=row.data_sha256[:32])

    @extend_schema(parameters=[SeriesQuery], responses={200: ReleaseCurves}, filters=False)
    @action(detail=True, records="original")
    def series(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """Error, budget and temporal privacy loss per event of one series, for the owner's charts."""
        row, params = finished_of_kind(self, Kind.TRAJECTORY), valid(SeriesQuery, request.query_params)
        correlated = any(name in request.query_params for name in CORRELATION)
        return json_response(charts.curves(row, params, self._compared_on(row, params), correlated=correlated))

    @extend_schema(parameters=[ErrorsQuery], responses={200: ErrorCurves}, filters=False)
    @action(detail=True, records="original")
    def errors(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """Errors of one series as distributions and running means, landmarks apart, for the owner's charts."""
        row, params = finished_of_kind(self, Kind.TRAJECTORY), valid(ErrorsQuery, request.query_params)
        return json_response(charts.errors(row, params, self._compared_on(row, params)))

    def _subject(self, params: dict[str, Any]) -> dict[str, Any]:
        """The dataset and the landmark set of a :class:`SubjectRequest`, taken out of its parameters."""
        set_id, dataset_id = params.pop("landmark_set"), params.pop("dataset")
        landmark_set = get_object_or_404(visible_landmark_sets(self.request.user), pk=set_id) if set_id else None
        if landmark_set and dataset_id in (None, landmark_set.dataset_id):
            return {"dataset": landmark_set.dataset, "landmark_set": landmark_set}
        dataset = get_object_or_404(visible_datasets(self.request.user), pk=dataset_id)
        require_kind(dataset, Kind.TRAJECTORY)
        require_state(dataset, State.READY, "dataset")
        services.require_set_of(dataset, landmark_set)
        return {"dataset": dataset, "landmark_set": None}

    def _compared_on(self, row: Release, params: dict[str, Any]) -> LandmarkSet | None:
        """The landmark set of a release; without any, that which the parameters name, and they name no more."""
        requested = params.pop("landmarks_of", None)
        if requested in (None, row.landmark_set_id):
            return row.landmark_set
        if row.landmark_set_id:
            rule = "left out or its own: the release has a landmark set"
            raise ParameterError(f"landmarks_of must be {rule}", field="landmarks_of", rule=rule, value=str(requested))
        landmark_set: LandmarkSet = get_object_or_404(
            visible_landmark_sets(self.request.user).filter(dataset=row.dataset), pk=requested
        )
        return landmark_set


ADAPTER = TrajectoryActions
