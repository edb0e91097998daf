"""How releases of count streams are drawn."""

from dashboard.datasets.models import Dataset
from dashboard.releases.common.drawing import Drawing
from privacy_engine.releases.spec import ReleaseSpec, for_counts


class StreamDrawing(Drawing):
    """The sensitivity of counted events, and the hierarchy that the names show, follow from the data."""

    def fitted(self, dataset: Dataset, spec: ReleaseSpec) -> ReleaseSpec:
        return for_counts(spec, dataset.counted, dataset.tree)


ADAPTER = StreamDrawing()
