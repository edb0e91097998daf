"""What the API has of count streams alone."""

from typing import Any, BinaryIO

from django.http.response import HttpResponseBase

from dashboard.core.computing import computed_where
from dashboard.core.rest.binary import binary_response, filed
from dashboard.core.rest.operations import BINARY, row_action
from dashboard.datasets import heat_maps
from dashboard.datasets.common.api import ready_of
from dashboard.datasets.models import Dataset
from dashboard.datasets.stream import counts
from dashboard.datasets.stream.counts import CountsQuery, CountsSerializer
from dashboard.jobs.viewsets import JobViewSet
from dashboard.storage.data_files import cached_data
from privacy_engine.data import CountStream


class StreamActions(JobViewSet[Dataset]):
    """Their counts."""

    @row_action(CountsQuery, CountsSerializer, row=ready_of(CountStream.kind), records="original")
    def counts(self, dataset: Dataset, points: int, stream: int | None = None) -> dict[str, Any]:
        """The counts of one stream, or the total of all, for the owner's chart."""
        return _counts(dataset, stream, points)

    @row_action(returns=BINARY, row=ready_of(CountStream.kind), url_path="heat-map", records="original")
    def heat_map(self, dataset: Dataset) -> HttpResponseBase:
        """All counts, for the owner's heat map; see dashboard/datasets/heat_maps.py."""
        tag = f"{dataset.points_file}-{heat_maps.VERSION}"
        return binary_response(self.request, lambda: _heat_map(dataset), tag=tag)


@computed_where(lambda dataset, *_: dataset.is_large)
def _counts(dataset: Dataset, which: int | None, points: int) -> dict[str, Any]:
    return counts.shown(cached_data(dataset.kind, dataset.points_path), which, points)


@computed_where(lambda dataset: dataset.is_large)
def _heat_map(dataset: Dataset) -> bytes | BinaryIO:
    return filed(heat_maps.encode(cached_data(dataset.kind, dataset.points_path).counts))


ADAPTER = StreamActions
