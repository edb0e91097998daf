"""The releases room's REST doors."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import FileResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import mixins, viewsets
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from dashboard.core.errors import require_state
from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, JSONBody, attachment, file_body, valid
from dashboard.datasets.selectors import visible_datasets
from dashboard.jobs.models import State
from dashboard.landmarks.correlation import Correlation, named
from dashboard.landmarks.loss_serializers import CORRELATION, correlation_of
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.maps import track_encoding as binary
from dashboard.releases import curves, downloads, error_curves, forecasts, selectors, services, tradeoff
from dashboard.releases.chart_serializers import (
    ChartSerializer,
    ErrorCurvesSerializer,
    ErrorsQuery,
    SeriesQuery,
    TradeoffRequest,
    TradeoffSerializer,
)
from dashboard.releases.forecast_serializers import OutlookRequest, OutlookSerializer
from dashboard.releases.models import Release
from dashboard.releases.serializers import DeriveRequest, ReleaseRequest, ReleaseSerializer
from dashboard.storage.series_cache import line
from privacy_engine.exports import FORMATS
from privacy_engine.label import Label
from privacy_engine.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses

IDEMPOTENCY_KEY = OpenApiParameter(
    "Idempotency-Key", str, OpenApiParameter.HEADER, description="The same key gives the same release."
)


class ReleaseFilter(filters.FilterSet):
    """By dataset, landmark set, state, mechanism, and the release they were made from."""

    dataset = filters.UUIDFilter(field_name="dataset_id")
    landmark_set = filters.UUIDFilter(field_name="landmark_set_id")
    state = filters.ChoiceFilter(choices=[choice for choice in State.choices if choice[0] != State.READY])
    mechanism = filters.CharFilter()
    derived_from = filters.UUIDFilter(field_name="derived_from_id")

    class Meta:
        model = Release
        fields = ("dataset", "landmark_set", "state", "mechanism", "derived_from")


class ReleaseViewSet(
    mixins.ListModelMixin, mixins.RetrieveModelMixin, mixins.DestroyModelMixin, viewsets.GenericViewSet[Release]
):
    """Releases: what may go out, drawn once by a worker."""

    serializer_class = ReleaseSerializer
    filterset_class = ReleaseFilter
    parser_classes = (JSONBody,)
    queryset = Release.objects.none()

    def get_queryset(self) -> Any:
        return selectors.visible_releases(self.request.user)

    @extend_schema(request=ReleaseRequest, responses={201: ReleaseSerializer}, parameters=[IDEMPOTENCY_KEY])
    def create(self, request: Request) -> Response:
        """Submit a release: its budget is charged at once, a worker draws it later."""
        asked = valid(ReleaseRequest, request.data)
        asked["dataset"] = get_object_or_404(visible_datasets(request.user), pk=asked["dataset"])
        asked["landmark_set"] = get_object_or_404(visible_landmark_sets(request.user), pk=asked["landmark_set"])
        key = request.headers.get("Idempotency-Key", "")
        made = services.submit_release(owner=request.user, idempotency_key=key, **asked)
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=OutlookRequest, responses={200: OutlookSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def outlook(self, request: Request) -> Response:
        """What noise, guarantee, price and loss to expect; no position is read, nothing is stored or charged."""
        asked = valid(OutlookRequest, request.data)
        landmark_set = get_object_or_404(visible_landmark_sets(request.user), pk=asked["landmark_set"])
        with named("correlation"):  # without the dataset: an estimate would read positions, so it is refused
            known = None if asked["correlation"] is None else Correlation.asked(**asked["correlation"])
        return Response(forecasts.outlooks(landmark_set, asked["mechanisms"], asked["postprocess"], known))

    @extend_schema(request=TradeoffRequest, responses={200: TradeoffSerializer})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def curve(self, request: Request) -> Response:
        """Mean error against ε, by a simulation that reads the original; nothing is stored or charged."""
        asked = valid(TradeoffRequest, request.data)
        row = get_object_or_404(visible_landmark_sets(request.user), pk=asked["landmark_set"])
        found = tradeoff.tradeoff(row, asked["mechanisms"], series=asked["series"], seed=asked["seed"])
        return Response(found, headers=UNKEPT)

    @extend_schema(request=DeriveRequest, responses={201: ReleaseSerializer}, parameters=[IDEMPOTENCY_KEY])
    @action(detail=True, methods=["post"])
    def postprocess(self, request: Request, pk: Any = None) -> Response:
        """A new release out of this finished one by post-processing: the same guarantee, nothing charged."""
        source, asked = self.get_object(), valid(DeriveRequest, request.data)
        key = request.headers.get("Idempotency-Key", "")
        made = services.derive_release(source=source, idempotency_key=key, **asked)
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=None, responses={200: ReleaseSerializer})
    @action(detail=True, methods=["post"])
    def cancel(self, request: Request, pk: Any = None) -> Response:
        """Stop a release: at once if it waits, within a lease if it runs."""
        services.cancel_release(release=self.get_object())
        return Response(self.get_serializer(self.get_object()).data)

    @extend_schema(request=None, responses={200: ReleaseSerializer, 201: ReleaseSerializer})
    @action(detail=True, methods=["post"])
    def retry(self, request: Request, pk: Any = None) -> Response:
        """Try it again, after it failed or was cancelled: nothing more is charged, and one draw at most is published.

        If its charge was given back (cancelled before any worker had it), the answer is 201 and a new release of the
        same description, charged anew.
        """
        tried = self.get_object()
        again = services.retry_release(release=tried)
        return Response(self.get_serializer(again).data, status=200 if again.pk == tried.pk else 201)

    def perform_destroy(self, instance: Release) -> None:
        services.discard_release(release=instance)

    @extend_schema(
        parameters=[OpenApiParameter("format", str, enum=list(FORMATS), default="csv")],
        responses={(200, kind.media_type): file_body(kind.media_type) for kind in FORMATS.values()},
        filters=False,
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def data(self, request: Request, pk: Any = None) -> FileResponse:
        """The release as a file that carries its privacy label."""
        row = self._done()
        return attachment(*downloads.export(row, request.query_params.get("format", "csv")))

    @extend_schema(
        parameters=[binary.TrackQuery], responses={(200, binary.CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def track(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """The published positions of one series, in full or simplified; see dashboard/maps/track_encoding.py."""
        row = self._done()
        return binary.answer(request, partial(line, row.data_path), tag=row.data_sha256[:32])

    @extend_schema(parameters=[SeriesQuery], responses={200: ChartSerializer}, filters=False)
    @action(detail=True)
    def series(self, request: Request, pk: Any = None) -> Response:
        """Error, budget and temporal privacy loss per event of one series, for the owner's charts."""
        row, asked = self._done(), valid(SeriesQuery, request.query_params)
        wanted = any(name in request.query_params for name in CORRELATION)
        correlation = correlation_of(asked, row.dataset) if wanted else None
        rest = {name: value for name, value in asked.items() if name not in CORRELATION}
        return Response(curves.chart_data(row, correlation=correlation, **rest))

    @extend_schema(parameters=[ErrorsQuery], responses={200: ErrorCurvesSerializer}, filters=False)
    @action(detail=True)
    def errors(self, request: Request, pk: Any = None) -> Response:
        """Errors of one series as distributions and running means, landmarks apart, for the owner's charts."""
        asked = valid(ErrorsQuery, request.query_params)
        return Response(error_curves.error_curves(self._done(), **asked))

    def _done(self) -> Release:
        row = self.get_object()
        require_state(row, State.DONE, "release")
        return row


class MechanismsView(APIView):
    """Mechanisms: parameters, guarantee, and how each is drawn."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) for cls in mechanisms.of("trajectory")]})


class PostProcessesView(APIView):
    """Post-processing steps: parameters, why they are free, and whether they are fit for live use."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) for cls in postprocesses]})


class LabelSchemaView(APIView):
    """The JSON schema of the privacy label that every exported file carries."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response(Label.model_json_schema())
