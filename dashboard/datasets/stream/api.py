"""What the API has of count streams alone."""

from typing import Any, BinaryIO

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.computing import computed_where
from dashboard.core.rest.binary import CONTENT_TYPE, binary_response, filed
from dashboard.core.rest.parsing import UNKEPT, valid
from dashboard.datasets import heat_maps, selectors
from dashboard.datasets.models import Dataset
from dashboard.datasets.stream import counts
from dashboard.datasets.stream.counts import CountsQuery, CountsSerializer
from dashboard.jobs.viewsets import JobViewSet
from dashboard.storage.data_files import cached_data
from privacy_engine.data import CountStream


class StreamActions(JobViewSet[Dataset]):
    """Their counts."""

    @extend_schema(parameters=[CountsQuery], responses={200: CountsSerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def counts(self, request: Request, pk: Any = None) -> Response:
        """The counts of one stream, or the total of all, for the owner's chart."""
        dataset, params = self.get_object(), valid(CountsQuery, request.query_params)
        selectors.require_ready_of(dataset, CountStream.kind)
        return Response(_counts(dataset, params.get("stream"), params["points"]), headers=UNKEPT)

    @extend_schema(responses={(200, CONTENT_TYPE): OpenApiTypes.BINARY}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, url_path="heat-map", records="original")
    def heat_map(self, request: Request, pk: Any = None) -> HttpResponse:
        """All counts, for the owner's heat map; see dashboard/datasets/heat_maps.py."""
        dataset = self.get_object()
        selectors.require_ready_of(dataset, CountStream.kind)
        return binary_response(request, lambda: _heat_map(dataset), tag=f"{dataset.points_file}-{heat_maps.VERSION}")


@computed_where(lambda dataset, *_: dataset.is_large)
def _counts(dataset: Dataset, which: int | None, points: int) -> dict[str, Any]:
    return counts.shown(cached_data(dataset.kind, dataset.points_path), which, points)


@computed_where(lambda dataset: dataset.is_large)
def _heat_map(dataset: Dataset) -> bytes | BinaryIO:
    return filed(heat_maps.encode(cached_data(dataset.kind, dataset.points_path).counts))


ADAPTER = StreamActions
