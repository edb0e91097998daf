"""What may be made of trajectories."""

from dashboard.datasets.common.rules import Rules
from dashboard.datasets.models import Dataset


class TrajectoryRules(Rules):
    """Counts and stays need times."""

    def uncountable(self, dataset: Dataset) -> str:
        return "" if dataset.has_time else "events with times"

    def has_stays(self, dataset: Dataset) -> bool:
        return dataset.has_time


ADAPTER = TrajectoryRules()
