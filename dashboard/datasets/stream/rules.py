"""What may be made of count streams."""

from dashboard.datasets.common.rules import Rules
from dashboard.datasets.models import Dataset
from privacy_engine.data import LARGEST_COUNT


class StreamRules(Rules):
    """Mechanisms take whole counts."""

    def unreleasable(self, dataset: Dataset) -> tuple[str, str, str] | None:
        known = dataset.summary or {}
        largest = max((one["largest"] for one in known["dimensions"]), default=0.0)
        if known["whole"] and largest <= LARGEST_COUNT:
            return None
        reason = f"; the largest is {largest:g}" if known["whole"] else "; some are not whole numbers"
        return "counts", "whole numbers from 0 to 2**52", reason

    def uncountable(self, dataset: Dataset) -> str:
        return "trajectories or check-ins: it holds counts already"


ADAPTER = StreamRules()
