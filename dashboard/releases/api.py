"""REST API of the releases app."""

from typing import Any

from django.http import FileResponse
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.idempotency import HEADER, sent_key
from dashboard.core.rest.components import listing
from dashboard.core.rest.parsing import AnyAccept, attachment, valid
from dashboard.core.rest.views import PublicFacts
from dashboard.datasets.models import Kind
from dashboard.datasets.selectors import visible_datasets
from dashboard.datasets.serializers import KindQuery
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action
from dashboard.landmarks.selectors import visible_landmark_sets
from dashboard.releases import downloads, selectors, services
from dashboard.releases.common.actions import actions
from dashboard.releases.models import Release
from dashboard.releases.quote_api import QuoteActions
from dashboard.releases.serializers import DeriveRequest, ReleaseRequest, ReleaseSerializer
from privacy_engine.datatypes import datatypes
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


MEDIA_TYPES = {name: export.media_type for datatype in datatypes.values() for name, export in datatype.exports.items()}


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


ActionsOfKinds: Any = type("ActionsOfKinds", tuple(actions.values()), {})


@extend_schema_view(
    retry=extend_schema(description=RETRY, responses={200: ReleaseSerializer, 201: ReleaseSerializer}),
)
class ReleaseViewSet(QuoteActions, ActionsOfKinds, JobViewSet[Release]):
    """Releases: what may go out, drawn once by a worker."""

    serializer_class = ReleaseSerializer
    filterset_class = ReleaseFilter
    queryset = Release.objects.none()
    visible_to = staticmethod(selectors.visible_releases)

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
