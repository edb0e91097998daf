"""API of the comparison of a release of count streams with the upload: for its owner."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.rest.binary import CONTENT_TYPE, binary_response
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, Whole, valid
from dashboard.datasets import heat_maps
from dashboard.releases import stream_comparisons
from dashboard.releases.models import Release
from dashboard.storage.data_files import cached_release
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.stream_comparison import ColumnGrouping, StreamComparison


class GroupingQuery(serializers.Serializer[Any]):
    """Which dimension."""

    dimension = Whole(help_text="Its number, from 0.")


class ReleaseGrouping(Result):
    """The grouping of one dimension."""

    grouping: ColumnGrouping | None
    """Null where the mechanism reports none, or did not when it drew this release."""


class StreamActions:
    """Actions of the releases' view set for the comparison of count streams."""

    @extend_schema(responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False)
    @action(detail=True, content_negotiation_class=AnyAccept, url_path="heat-map")
    def heat_map(self, request: Request, pk: Any = None) -> HttpResponse:
        """All released counts, for a heat map; see dashboard/datasets/heat_maps.py."""
        row = self._stream()
        tag = f"{row.data_sha256[:32]}-{heat_maps.VERSION}"
        return binary_response(
            request, lambda: heat_maps.encode(cached_release(row.kind, row.data_path).counts), tag=tag
        )

    @extend_schema(responses={200: StreamComparison}, filters=False)
    @action(detail=True, records="original")
    def comparison(self, request: Request, pk: Any = None) -> Response:
        """Errors of each dimension against the upload, and what the windows spent; for the owner."""
        return Response(stream_comparisons.compared(self._stream()).model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[GroupingQuery], responses={200: ReleaseGrouping}, filters=False)
    @action(detail=True, records="original")
    def grouping(self, request: Request, pk: Any = None) -> Response:
        """Where clusters of timestamps begin in one dimension, and its group's size; for the owner."""
        row, params = self._stream(), valid(GroupingQuery, request.query_params)
        found = ReleaseGrouping(grouping=stream_comparisons.grouping_of(row, params["dimension"]))
        return Response(found.model_dump(), headers=UNKEPT)

    def _stream(self) -> Release:
        return self._of_kind("stream")  # type: ignore[attr-defined]
