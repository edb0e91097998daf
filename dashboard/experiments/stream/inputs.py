"""What experiments on count streams are run on."""

from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_ready
from dashboard.experiments.common.inputs import Inputs
from privacy_engine.experiments import Given


class StreamInputs(Inputs):
    """Timestamps and dimensions."""

    def known(self, dataset: Dataset) -> Given:
        require_ready(dataset)
        timestamps, dimensions = self.sizes_of(dataset)
        return Given.of_stream(timestamps, dimensions, (dataset.summary or {})["total"])

    def sizes_of(self, dataset: Dataset) -> list[int]:
        known = dataset.summary or {}
        return [known["timestamps"], len(known["dimensions"])]


ADAPTER = StreamInputs()
