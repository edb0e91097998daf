"""What experiments on check-ins are run on."""

from dashboard.datasets.models import Dataset
from dashboard.experiments.common.inputs import Inputs
from privacy_engine.experiments import Given


class CheckInInputs(Inputs):
    """The number of check-ins, and the box they lie in."""

    def known(self, dataset: Dataset) -> Given:
        bounds = (dataset.summary or {}).get("bounds")
        return Given(box=tuple(bounds) if bounds else None)

    def sizes_of(self, dataset: Dataset) -> list[int]:
        return [dataset.points]


ADAPTER = CheckInInputs()
