"""What the API has of check-ins alone."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from dashboard.core.computing import computed_where
from dashboard.core.rest.parsing import UNKEPT, valid
from dashboard.datasets import selectors
from dashboard.datasets.checkins import cells
from dashboard.datasets.checkins.cells import CellsQuery, CellsSerializer
from dashboard.datasets.checkins.places import PlacesQuery, PlacesSerializer, most_visited
from dashboard.datasets.models import Dataset
from dashboard.jobs.viewsets import JobViewSet
from dashboard.storage.data_files import cached_data
from privacy_engine.data import CheckIns


class CheckInActions(JobViewSet[Dataset]):
    """Where they are."""

    @extend_schema(parameters=[CellsQuery], responses={200: CellsSerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def cells(self, request: Request, pk: Any = None) -> Response:
        """Check-ins in the cells of a grid over their extent, for the owner's map."""
        dataset, params = self.get_object(), valid(CellsQuery, request.query_params)
        selectors.require_ready_of(dataset, CheckIns.kind)
        return Response(_cells(dataset, params["k"]), headers=UNKEPT)

    @extend_schema(parameters=[PlacesQuery], responses={200: PlacesSerializer}, filters=False)
    @action(detail=True, filterset_class=None, pagination_class=None, records="original")
    def places(self, request: Request, pk: Any = None) -> Response:
        """The most visited places of check-ins by name, for their owner."""
        dataset, params = self.get_object(), valid(PlacesQuery, request.query_params)
        selectors.require_ready_of(dataset, CheckIns.kind)
        return Response(_places(dataset, params["k"]), headers=UNKEPT)


@computed_where(lambda dataset, _: dataset.is_large)
def _cells(dataset: Dataset, k: int) -> dict[str, Any]:
    checkins = cached_data(dataset.kind, dataset.points_path)
    grid = cells.display_grid(checkins)
    counts = cells.counted(grid, checkins)
    return cells.ranked(grid, counts, counts, k, positive=True)


@computed_where(lambda dataset, _: dataset.is_large)
def _places(dataset: Dataset, k: int) -> dict[str, Any]:
    return most_visited(cached_data(dataset.kind, dataset.points_path), k)


ADAPTER = CheckInActions
