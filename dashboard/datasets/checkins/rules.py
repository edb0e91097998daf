"""What may be made of check-ins."""

from typing import ClassVar

from dashboard.datasets.common.rules import Rules
from dashboard.datasets.models import Dataset


class CheckInRules(Rules):
    """Mechanisms and grids need positions."""

    users: ClassVar[bool] = True

    def unreleasable(self, dataset: Dataset) -> tuple[str, str, str] | None:
        return None if self._has_positions(dataset) else ("positions", "longitudes and latitudes", "")

    def uncountable(self, dataset: Dataset) -> str:
        if dataset.stay_detection is not None:  # one event can change any number of stays, and what it is charged for
            return "trajectories or uploaded check-ins: count the events that its stays were detected in"
        return "" if self._has_positions(dataset) else "events with positions"

    @staticmethod
    def _has_positions(dataset: Dataset) -> bool:
        return (dataset.summary or {})["bounds"] is not None


ADAPTER = CheckInRules()
