"""How many stays and landmarks each distance and duration would find in trajectories, for their owner's editor."""

from typing import Any

from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be
from dashboard.datasets.models import Dataset
from dashboard.maps.prepared import LARGE, facts
from dashboard.storage.data_files import cached_data
from privacy_engine.landmarks.stay_survey import stay_survey


def _is_computed(dataset: Dataset) -> bool:
    return dataset.points <= LARGE or not dataset.beside("stay-counts").is_sound()


@computed_where(_is_computed)
def stay_counts_of(dataset: Dataset) -> dict[str, Any]:
    """Return the counts of a dataset that is ready; those of a large dataset are stored with it.

    Raises
    ------
    ParameterError
        Its events have no times.
    """
    if not dataset.has_time or not dataset.points:
        raise must_be("dataset", "events with times", str(dataset.pk))

    def make() -> dict[str, Any]:
        return stay_survey(cached_data(dataset.kind, dataset.points_path)).model_dump()

    return make() if dataset.points <= LARGE else facts(dataset.beside("stay-counts"), make)
