"""REST API of the releases app."""

from __future__ import annotations

from functools import partial
from typing import Any

from django.http import FileResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.errors import require_state
from dashboard.core.idempotency import HEADER, sent_key
from dashboard.core.rest.binary import CONTENT_TYPE
from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, attachment, valid
from dashboard.core.rest.views import PublicFacts
from dashboard.datasets.models import Kind
from dashboard.datasets.people import mask_of_person, person_of
from dashboard.datasets.selectors import require_kind, visible_datasets
from dashboard.datasets.serializers import KindQuery
from dashboard.jobs.models import State
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action
from dashboard.landmarks.correlation import named, parse_correlation
from dashboard.landmarks.loss_serializers import CORRELATION, correlation_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import mask_of
from dashboard.landmarks.selectors import series_bounds, visible_landmark_sets
from dashboard.maps import joined_tracks
from dashboard.maps import track_encoding as binary
from dashboard.maps.series_cache import line, lines
from dashboard.releases import downloads, files, selectors, services
from dashboard.releases.chart_serializers import ErrorsQuery, SeriesQuery, TradeoffRequest
from dashboard.releases.expected_errors import (
    ExpectedErrors,
    LeastLevels,
    ProtectionCosts,
    expected_errors,
    least_levels,
    protection_costs,
)
from dashboard.releases.forecast_serializers import CostsRequest, ForecastRequest, LevelsRequest, MechanismsRequest
from dashboard.releases.forecasts import Forecast, forecast_releases
from dashboard.releases.kind_api import KindActions
from dashboard.releases.models import Release
from dashboard.releases.recommend_api import RecommendActions
from dashboard.releases.serializers import DeriveRequest, ReleaseRequest, ReleaseSerializer
from dashboard.releases.stream_api import StreamActions
from dashboard.storage.data_files import cached_data
from privacy_engine.analysis.error_curves import ErrorCurves, error_curves
from privacy_engine.analysis.release_curves import ReleaseCurves, release_curves
from privacy_engine.analysis.tradeoff import Tradeoff, tradeoff
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError
from privacy_engine.exports.notebook import MEDIA_TYPE as NOTEBOOK
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.label import Label

IDEMPOTENCY_KEY = OpenApiParameter(
    HEADER, str, OpenApiParameter.HEADER, description="The same key gives the same release."
)
RETRY = """\
Try it again, after it failed or was cancelled: nothing more is charged, and at most one draw is published.

If its charge was refunded (cancelled before any worker claimed it), the response is 201 and a new release of the same
description, which is charged.
"""


MEDIA_TYPES = {name: one.media_type for found in datatypes.values() for name, one in found.exports.items()}


@extend_schema_field(OpenApiTypes.BOOL)
class YesNoFilter(filters.TypedChoiceFilter):
    """``true`` or ``false``; django-filter's own filter for booleans ignores other values."""

    def __init__(self, **options: Any) -> None:
        super().__init__(choices=[("true", "true"), ("false", "false")], coerce="true".__eq__, **options)


class ReleaseFilter(JobFilter):
    """By dataset, landmark set, project, state, mechanism, and the release they were made from."""

    dataset = filters.UUIDFilter(field_name="dataset_id")
    landmark_set = filters.UUIDFilter(field_name="landmark_set_id")
    without_landmark_set = YesNoFilter(
        field_name="landmark_set", lookup_expr="isnull", help_text="true: only those without one, false: only with one."
    )
    project = filters.UUIDFilter(field_name="dataset__project_id", help_text="Of the datasets in this project.")
    mechanism = filters.CharFilter()
    kind = filters.ChoiceFilter(choices=Kind.choices)
    derived_from = filters.UUIDFilter(field_name="derived_from_id")

    class Meta:
        model = Release
        fields = ("dataset", "kind", "landmark_set", "without_landmark_set", "state", "mechanism", "derived_from")


@extend_schema_view(
    retry=extend_schema(description=RETRY, responses={200: ReleaseSerializer, 201: ReleaseSerializer}),
)
class ReleaseViewSet(StreamActions, RecommendActions, KindActions, JobViewSet[Release]):
    """Releases: what may go out, drawn once by a worker."""

    serializer_class = ReleaseSerializer
    filterset_class = ReleaseFilter
    queryset = Release.objects.none()

    def get_queryset(self) -> Any:
        return selectors.visible_releases(self.request.user)

    @extend_schema(request=ReleaseRequest, responses={201: ReleaseSerializer}, parameters=[IDEMPOTENCY_KEY])
    def create(self, request: Request) -> Response:
        """Submit a release: its budget is charged at once, a worker draws it later."""
        params = valid(ReleaseRequest, request.data)
        params["dataset"] = get_object_or_404(visible_datasets(request.user), pk=params["dataset"])
        if params["landmark_set"]:
            params["landmark_set"] = get_object_or_404(visible_landmark_sets(request.user), pk=params["landmark_set"])
        key = sent_key(request, params["dataset"].owner_id)
        made = services.submit_release(owner=request.user, idempotency_key=key, **params)
        return Response(self.get_serializer(made).data, status=201)

    @extend_schema(request=ForecastRequest, responses={200: Forecast})
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def forecast(self, request: Request) -> Response:
        """What noise, guarantee, price and loss to expect; no position is read, nothing is stored or charged."""
        params = valid(ForecastRequest, request.data)
        subject = self._subject(params)
        with named("correlation"):  # without the dataset: an estimate would read positions, so it is refused
            known = None if params["correlation"] is None else parse_correlation(**params["correlation"])
        found = forecast_releases(
            **subject, mechanisms=params["mechanisms"], steps=params["postprocess"], correlation=known
        )
        return Response(found.model_dump())

    @extend_schema(request=ForecastRequest, responses={200: Forecast}, deprecated=True)
    @action(detail=False, methods=["post"], filterset_class=None, pagination_class=None)
    def outlook(self, request: Request) -> Response:
        """The former path of `/releases/forecast/`, with the same response; the next version removes it."""
        return self.forecast(request)

    @extend_schema(request=MechanismsRequest, responses={200: ExpectedErrors})
    @action(detail=False, methods=["post"], url_path="expected-errors", filterset_class=None, pagination_class=None)
    def expected_errors(self, request: Request) -> Response:
        """Errors to expect, with a verdict; computed from the original for its owner, nothing is stored or charged."""
        params = valid(MechanismsRequest, request.data)
        subject = self._subject(params)
        found = expected_errors(**subject, mechanisms=params["mechanisms"], steps=params["postprocess"])
        return Response(found.model_dump(), headers=UNKEPT)

    @extend_schema(request=LevelsRequest, responses={200: LeastLevels})
    @action(detail=False, methods=["post"], url_path="least-levels", filterset_class=None, pagination_class=None)
    def least_levels(self, request: Request) -> Response:
        """The least ε for an accepted error; computed from the original for its owner, nothing is stored or charged."""
        params = valid(LevelsRequest, request.data)
        subject, params["steps"] = self._subject(params), params.pop("postprocess")
        return Response(least_levels(**subject, **params).model_dump(), headers=UNKEPT)

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
        subject = self._subject(params)
        dataset = subject["dataset"]
        person = person_of(dataset, params["series"])
        truth = person.joined(cached_data(dataset.kind, dataset.points_path))
        is_landmark = mask_of_person(dataset, mask_of(**subject), person)
        found = tradeoff(params["mechanisms"], truth, is_landmark, series=params["series"], seed=params["seed"])
        return Response(found.model_dump(), headers=UNKEPT)

    @extend_schema(request=DeriveRequest, responses={201: ReleaseSerializer}, parameters=[IDEMPOTENCY_KEY])
    @action(detail=True, methods=["post"])
    def postprocess(self, request: Request, pk: Any = None) -> Response:
        """A new release out of this finished one by post-processing: the same guarantee, nothing charged."""
        source, params = self.get_object(), valid(DeriveRequest, request.data)
        key = sent_key(request, source.owner_id)
        made = services.derive_release(source=source, idempotency_key=key, **params)
        return Response(self.get_serializer(made).data, status=201)

    def cancel_job(self, row: Release) -> None:
        services.cancel_release(release=row)

    def retry_job(self, row: Release) -> Release:
        return services.retry_release(release=row)

    def perform_destroy(self, instance: Release) -> None:
        services.discard_release(release=instance)

    @download_action(MEDIA_TYPES, default="csv")
    def data(self, fmt: str) -> Download:
        """The release as a file that carries its privacy label."""
        return downloads.export(self.finished_object(), fmt)

    @extend_schema(responses={(200, NOTEBOOK): OpenApiTypes.OBJECT}, filters=False)
    @action(detail=True, content_negotiation_class=AnyAccept, records="download")
    def notebook(self, request: Request, pk: Any = None) -> FileResponse:
        """A Jupyter notebook of the release: it opens the CSV export beside it, prints its label and plots it."""
        return attachment(*downloads.notebook(self.finished_object()))

    @extend_schema(parameters=[binary.TrackQuery], responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False)
    @action(detail=True, content_negotiation_class=AnyAccept)
    def track(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """The published positions of one series, in full or simplified; see dashboard/maps/track_encoding.py."""
        row = self._finished_trajectory()
        return binary.answer(request, partial(line, row.data_path), tag=row.data_sha256[:32])

    @extend_schema(
        parameters=[joined_tracks.TracksQuery], responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False
    )
    @action(detail=True, content_negotiation_class=AnyAccept)
    def tracks(self, request: Request, pk: Any = None) -> HttpResponseBase:
        """The published positions of all series as one track in pieces; see dashboard/maps/joined_tracks.py."""
        row = self._finished_trajectory()
        read, lengths = partial(lines, row.data_path), row.dataset.series_lengths
        return joined_tracks.answer(request, read, lengths, tag=row.data_sha256[:32])

    @extend_schema(parameters=[SeriesQuery], responses={200: ReleaseCurves}, filters=False)
    @action(detail=True, records="original")
    def series(self, request: Request, pk: Any = None) -> Response:
        """Error, budget and temporal privacy loss per event of one series, for the owner's charts."""
        row, params = self._finished_trajectory(), valid(SeriesQuery, request.query_params)
        wanted = any(name in request.query_params for name in CORRELATION)
        correlation = correlation_of(params, row.dataset) if wanted else None
        landmark_set = self._compared_on(row, params)
        rest = {name: value for name, value in params.items() if name not in CORRELATION}
        released = files.read_series(row, rest["series"], landmark_set)
        return Response(
            release_curves(row.parsed_spec.mechanism, released, correlation=correlation, **rest).model_dump()
        )

    @extend_schema(parameters=[ErrorsQuery], responses={200: ErrorCurves}, filters=False)
    @action(detail=True, records="original")
    def errors(self, request: Request, pk: Any = None) -> Response:
        """Errors of one series as distributions and running means, landmarks apart, for the owner's charts."""
        row, params = self._finished_trajectory(), valid(ErrorsQuery, request.query_params)
        start, end = series_bounds(row.dataset.series_lengths, params["series"])
        is_landmark = mask_of(row.dataset, self._compared_on(row, params))[start:end]
        errors = files.read_curves(row, params["series"]).error_m
        return Response(error_curves(errors, is_landmark, **params).model_dump())

    def _subject(self, params: dict[str, Any]) -> dict[str, Any]:
        """The dataset and the landmark set of a :class:`SubjectRequest`, taken out of its parameters."""
        set_id, dataset_id = params.pop("landmark_set"), params.pop("dataset")
        found = get_object_or_404(visible_landmark_sets(self.request.user), pk=set_id) if set_id else None
        if found and dataset_id in (None, found.dataset_id):
            return {"dataset": found.dataset, "landmark_set": found}
        dataset = get_object_or_404(visible_datasets(self.request.user), pk=dataset_id)
        require_kind(dataset, Kind.TRAJECTORY)
        require_state(dataset, State.READY, "dataset")
        services.require_set_of(dataset, found)
        return {"dataset": dataset, "landmark_set": None}

    def _compared_on(self, row: Release, params: dict[str, Any]) -> LandmarkSet | None:
        """The landmark set of a release; of one without, that which the parameters name, and they name no more."""
        requested = params.pop("landmarks_of", None)
        if requested in (None, row.landmark_set_id):
            return row.landmark_set
        if row.landmark_set_id:
            rule = "left out or its own: the release has a landmark set"
            raise ParameterError(f"landmarks_of must be {rule}", field="landmarks_of", rule=rule, value=str(requested))
        found: LandmarkSet = get_object_or_404(
            visible_landmark_sets(self.request.user).filter(dataset=row.dataset), pk=requested
        )
        return found

    def _finished_trajectory(self) -> Release:
        row: Release = self.finished_object()
        require_kind(row.dataset, Kind.TRAJECTORY)
        return row


class MechanismsView(PublicFacts):
    """Mechanisms: parameters, guarantee, and the style they are drawn in."""

    @extend_schema(parameters=[KindQuery], responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        kind = valid(KindQuery, request.query_params).get("kind")
        return Response({"results": [listing(cls) for cls in (mechanisms.of(kind) if kind else mechanisms)]})


class PostProcessesView(PublicFacts):
    """Post-processing steps: parameters, why they are free, and whether they are fit for live use."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response({"results": [listing(cls) for cls in postprocesses]})


class LabelSchemaView(PublicFacts):
    """The JSON schema of the privacy label that every exported file carries."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response(Label.model_json_schema())
