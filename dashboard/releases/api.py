"""REST API of the releases app."""

from collections.abc import Sequence
from typing import Any

from django.http import FileResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.filenames import content_disposition
from dashboard.core.idempotency import sent_key
from dashboard.core.ids import uuid_or_404
from dashboard.core.rest.binary import not_modified
from dashboard.core.rest.operations import CatalogView, idempotency_key, operation, row_action
from dashboard.core.rest.parsing import AnyAccept, attachment
from dashboard.core.rest.views import ApiView, PublicFacts
from dashboard.datasets.catalog import CatalogByKindView
from dashboard.datasets.models import Dataset, Kind
from dashboard.jobs.viewsets import Download, JobFilter, JobViewSet, download_action, finished
from dashboard.releases import bundle, downloads, selectors, services
from dashboard.releases.common.actions import actions
from dashboard.releases.models import Release
from dashboard.releases.quote_api import QuoteActions
from dashboard.releases.serializers import DeriveRequest, ReleaseRequest, ReleaseSerializer
from privacy_engine.datatypes import datatypes
from privacy_engine.exports.notebook import MEDIA_TYPE as NOTEBOOK
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.postprocess import postprocesses
from privacy_engine.releases.label import Label

IDEMPOTENCY_KEY = idempotency_key("The same key gives the same release.")
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
    visible_to = staticmethod(selectors.visible_releases)

    @operation(ReleaseRequest, ReleaseSerializer, status=201, parameters=[IDEMPOTENCY_KEY])
    def create(self, dataset: Dataset, **params: Any) -> Release:
        """Submit a release: its budget is charged at once, a worker draws it later."""
        key = sent_key(self.request, dataset.owner_id)
        return services.submit_release(owner=self.request.user, dataset=dataset, idempotency_key=key, **params)

    @row_action(DeriveRequest, ReleaseSerializer, method="POST", status=201, schema={"parameters": [IDEMPOTENCY_KEY]})
    def postprocess(self, source: Release, **params: Any) -> Release:
        """A new release out of this finished one by post-processing: the same guarantee, nothing charged."""
        key = sent_key(self.request, source.owner_id)
        return services.derive_release(source=source, idempotency_key=key, **params)

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

    @row_action(
        returns={(200, NOTEBOOK): OpenApiTypes.OBJECT},
        row=finished,
        content_negotiation_class=AnyAccept,
        records="download",
    )
    def notebook(self, row: Release) -> FileResponse:
        """A Jupyter notebook of the release: it opens the CSV export beside it, prints its label and plots it."""
        return attachment(*downloads.notebook(row))


class MechanismsView(CatalogByKindView):
    """Mechanisms: parameters, guarantee, and the style they are drawn in."""

    registry = mechanisms


class PostProcessesView(CatalogView):
    """Post-processing steps: parameters, why they are free, and whether they are fit for live use."""

    registry = postprocesses


class LabelSchemaView(PublicFacts):
    """The JSON schema of the privacy label that every exported file carries."""

    @extend_schema(responses={200: OpenApiTypes.OBJECT})
    def get(self, request: Request) -> Response:
        return Response(Label.model_json_schema())


NAMES = list(dict.fromkeys(name for datatype in datatypes.values() for name in datatype.exports))
FORMAT = OpenApiParameter("format", str, enum=NAMES, many=True, description="Which formats; all without it.")
MATCH = OpenApiParameter("If-None-Match", str, OpenApiParameter.HEADER)
ZIP = {(200, bundle.MEDIA_TYPE): OpenApiTypes.BINARY}


class ReleaseBundleView(ApiView):
    """One release as a ZIP: data, label, configuration, checksums. The same release gives the same bytes."""

    content_negotiation_class = AnyAccept
    records = "download"

    @extend_schema(operation_id="releases_one_bundle", parameters=[FORMAT, MATCH], responses=ZIP)
    def get(self, request: Request, pk: Any = None) -> HttpResponseBase:
        self.read_rows = [get_object_or_404(selectors.visible_releases(request.user), pk=pk)]
        return _answer(request, self.read_rows)


class BundleView(ApiView):
    """Several releases as one ZIP, each in a folder of its own."""

    content_negotiation_class = AnyAccept
    records = "download"

    @extend_schema(
        operation_id="releases_bundle",
        parameters=[OpenApiParameter("release", OpenApiTypes.UUID, many=True, required=True), FORMAT, MATCH],
        responses=ZIP,
    )
    def get(self, request: Request) -> HttpResponseBase:
        requested = [uuid_or_404(text) for text in request.query_params.getlist("release")]
        self.read_rows = selectors.requested_releases(request.user, requested)
        return _answer(request, self.read_rows)


def _answer(request: Request, requested: Sequence[Release]) -> HttpResponseBase:
    rows = bundle.chosen(requested)
    fmts = bundle.formats(request.query_params.getlist("format"), rows)
    etag = bundle.etag(rows, fmts)
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}
    if known := not_modified(request, headers):
        return known
    for row in rows:  # after the first byte it could no longer be refused
        row.data_path.require_sound()
    answer = StreamingHttpResponse(bundle.stream(rows, fmts), content_type=bundle.MEDIA_TYPE, headers=headers)
    answer["Content-Disposition"] = content_disposition(bundle.name(rows))
    return answer
