"""API of releases of count streams beside the upload: for its owner."""

from typing import Any, BinaryIO, ClassVar

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.computing import computed_where
from dashboard.core.rest.binary import CONTENT_TYPE, binary_response, filed
from dashboard.core.rest.parsing import UNKEPT, AnyAccept, Number, Whole, valid
from dashboard.datasets import heat_maps
from dashboard.datasets.models import Kind
from dashboard.datasets.stream import counts
from dashboard.datasets.stream.counts import CountsQuery, CountsSerializer
from dashboard.releases.common.actions import Actions, finished_of_kind
from dashboard.releases.common.least_levels import KindLevels
from dashboard.releases.common.published import original_of, read_release
from dashboard.releases.models import Release
from dashboard.releases.quote_api import LeastLevelsRequest, QuoteRequest, quotable_of
from dashboard.releases.stream import comparisons
from dashboard.releases.stream.expected import (
    CountPreview,
    ExpectedCounts,
    count_preview,
    expected_counts,
    least_count_levels,
)
from dashboard.storage.data_files import cached_release
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.stream_comparison import ColumnGrouping, StreamComparison
from privacy_engine.analysis.stream_detection import Detection


class GroupingQuery(serializers.Serializer[Any]):
    """Which dimension."""

    dimension = Whole(help_text="Its number, from 0.")


class ReleaseGrouping(Result):
    """The grouping of one dimension."""

    grouping: ColumnGrouping | None
    """Null where the mechanism reports none, or did not when it drew this release."""


class ReleasedCountsSerializer(CountsSerializer):
    """Released counts beside those of the upload; the latter and the figures are the owner's alone."""

    released = serializers.ListField(child=serializers.FloatField(allow_null=True))


class DetectionQuery(serializers.Serializer[Any]):
    """What to detect: a change of ``threshold`` within ``length`` timestamps, or ``length`` of them below it."""

    event = serializers.ChoiceField(choices=["jump", "low-signal"])
    length = Whole(min_value=1, max_value=10_000, required=False, default=10)
    threshold = Number(min_value=0)


class StreamActions(Actions):
    """Of count streams."""

    endpoints: ClassVar = {
        "counts": "Of count streams, like the next four.",
        "heat-map": "",
        "comparison": "",
        "grouping": "",
        "detection": "",
    }

    @extend_schema(request=QuoteRequest, responses={200: ExpectedCounts})
    @action(detail=False, methods=["post"], url_path="expected-counts", filterset_class=None, pagination_class=None)
    def expected_counts(self, request: Request) -> Response:
        """Errors of counts to expect, with a verdict; computed from the original for its owner, nothing is stored or
        charged."""
        return Response(expected_counts(**quotable_of(request, Kind.STREAM)).model_dump(), headers=UNKEPT)

    @extend_schema(request=LeastLevelsRequest, responses={200: KindLevels})
    @action(detail=False, methods=["post"], url_path="least-count-levels", filterset_class=None, pagination_class=None)
    def least_count_levels(self, request: Request) -> Response:
        """The least ε for an accepted typical error; computed from the original for its owner, nothing is stored or
        charged."""
        levels = least_count_levels(**quotable_of(request, Kind.STREAM, LeastLevelsRequest))
        return Response(levels.model_dump(), headers=UNKEPT)

    @extend_schema(request=QuoteRequest, responses={200: CountPreview})
    @action(detail=False, methods=["post"], url_path="count-preview", filterset_class=None, pagination_class=None)
    def count_preview(self, request: Request) -> Response:
        """Three streams beside a simulation by the first mechanism; for the owner, nothing is stored or charged."""
        chosen = quotable_of(request, Kind.STREAM)
        return Response(count_preview(chosen["dataset"], chosen["mechanisms"][0]).model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[CountsQuery], responses={200: ReleasedCountsSerializer}, filters=False)
    @action(detail=True, records="original")
    def counts(self, request: Request, pk: Any = None) -> Response:
        """Released counts of one stream beside those of the upload, for the owner's chart."""
        row, params = self._stream(), valid(CountsQuery, request.query_params)
        return Response(_counts(row, params.get("stream"), params["points"]), headers=UNKEPT)

    @extend_schema(parameters=[DetectionQuery], responses={200: Detection}, filters=False)
    @action(detail=True, records="original")
    def detection(self, request: Request, pk: Any = None) -> Response:
        """How well jumps or low signals of the upload are detected in released counts: a ROC curve, for the owner."""
        row, params = self._stream(), valid(DetectionQuery, request.query_params)
        return Response(comparisons.detected(row, **params).model_dump(), headers=UNKEPT)

    @extend_schema(responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False)
    @action(detail=True, content_negotiation_class=AnyAccept, url_path="heat-map")
    def heat_map(self, request: Request, pk: Any = None) -> HttpResponse:
        """All released counts, for a heat map; see dashboard/datasets/heat_maps.py."""
        row = self._stream()
        tag = f"{row.data_sha256[:32]}-{heat_maps.VERSION}"
        return binary_response(request, lambda: _heat_map(row), tag=tag)

    @extend_schema(responses={200: StreamComparison}, filters=False)
    @action(detail=True, records="original")
    def comparison(self, request: Request, pk: Any = None) -> Response:
        """Errors of each dimension against the upload, and what the windows spent; for the owner."""
        return Response(comparisons.compared(self._stream()).model_dump(), headers=UNKEPT)

    @extend_schema(parameters=[GroupingQuery], responses={200: ReleaseGrouping}, filters=False)
    @action(detail=True, records="original")
    def grouping(self, request: Request, pk: Any = None) -> Response:
        """Where clusters of timestamps begin in one dimension, and its group's size; for the owner."""
        row, params = self._stream(), valid(GroupingQuery, request.query_params)
        grouping = ReleaseGrouping(grouping=comparisons.grouping_of(row, params["dimension"]))
        return Response(grouping.model_dump(), headers=UNKEPT)

    def _stream(self) -> Release:
        return finished_of_kind(self, Kind.STREAM)


@computed_where(lambda row, *_: row.dataset.is_large)
def _counts(row: Release, which: int | None, points: int) -> dict[str, Any]:
    return counts.shown(original_of(row), which, points, released=read_release(row))


@computed_where(lambda row: row.dataset.is_large)
def _heat_map(row: Release) -> bytes | BinaryIO:
    return filed(heat_maps.encode(cached_release(row.kind, row.data_path).counts))


ADAPTER = StreamActions
