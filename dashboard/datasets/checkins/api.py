"""What the API has of check-ins alone."""

from typing import Any

from dashboard.core.computing import computed_where
from dashboard.core.rest.operations import row_action
from dashboard.datasets.checkins import cells
from dashboard.datasets.checkins.cells import CellsQuery, CellsSerializer
from dashboard.datasets.checkins.places import PlacesQuery, PlacesSerializer, most_visited
from dashboard.datasets.common.api import ready_of
from dashboard.datasets.models import Dataset
from dashboard.jobs.viewsets import JobViewSet
from dashboard.storage.data_files import cached_data
from privacy_engine.data import CheckIns


class CheckInActions(JobViewSet[Dataset]):
    """Where they are."""

    @row_action(CellsQuery, CellsSerializer, row=ready_of(CheckIns.kind), records="original")
    def cells(self, dataset: Dataset, k: int) -> dict[str, Any]:
        """Check-ins in the cells of a grid over their extent, for the owner's map."""
        return _cells(dataset, k)

    @row_action(PlacesQuery, PlacesSerializer, row=ready_of(CheckIns.kind), records="original")
    def places(self, dataset: Dataset, k: int) -> dict[str, Any]:
        """The most visited places of check-ins by name, for their owner."""
        return _places(dataset, k)


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
