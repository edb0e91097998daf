"""REST API of bundles: a release, or several, as a ZIP."""

from collections.abc import Sequence
from typing import Any

from django.http import HttpResponseBase, StreamingHttpResponse
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request

from dashboard.core.filenames import content_disposition
from dashboard.core.ids import uuid_or_404
from dashboard.core.rest.binary import not_modified
from dashboard.core.rest.parsing import AnyAccept
from dashboard.core.rest.views import ApiView
from dashboard.releases import bundle, choice, selectors
from dashboard.releases.models import Release
from privacy_engine.datatypes import datatypes

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
        self.read_rows = choice.releases_by_id(request.user, requested)
        return _answer(request, self.read_rows)


def _answer(request: Request, requested: Sequence[Release]) -> HttpResponseBase:
    rows = bundle.chosen(requested)
    kinds = bundle.formats(request.query_params.getlist("format"), rows)
    etag = bundle.etag(rows, kinds)
    headers = {"ETag": etag, "Cache-Control": "private, no-cache", "X-Content-Type-Options": "nosniff"}
    if known := not_modified(request, headers):
        return known
    for row in rows:  # after the first byte it could no longer be refused
        row.data_path.require_sound()
    answer = StreamingHttpResponse(bundle.stream(rows, kinds), content_type=bundle.MEDIA_TYPE, headers=headers)
    answer["Content-Disposition"] = content_disposition(bundle.name(rows))
    return answer
