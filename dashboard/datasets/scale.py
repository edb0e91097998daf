"""The scale of a dataset's own positions, which errors are compared with: read from the original, the owner's alone."""

from collections.abc import Sequence

from dashboard.core.computing import computed
from dashboard.datasets.models import Dataset
from dashboard.storage.data_files import cached_data
from privacy_engine.analysis.data_scale import DataScale, data_scale
from privacy_engine.data import Trajectory


def stored_scale(dataset: Dataset) -> DataScale | None:
    """Return the scale recorded when the trajectories were read; None for those of an earlier version."""
    scale = (dataset.summary or {}).get("own_scale")
    return None if scale is None else DataScale(**scale)


def scale_of(dataset: Dataset, series: Sequence[Trajectory] | None = None) -> DataScale:
    """Return the scale of trajectories that are ready; that of those of an earlier version is computed and recorded.

    ``series`` are its positions, where they are in memory already.
    """
    scale = stored_scale(dataset)
    if scale is None:
        scale = data_scale(series) if series else _scale(dataset)
        dataset.summary = {**(dataset.summary or {}), "own_scale": scale.model_dump()}
        Dataset.objects.filter(pk=dataset.pk, points_file=dataset.points_file).update(summary=dataset.summary)
    return scale


@computed
def _scale(dataset: Dataset) -> DataScale:
    return data_scale(cached_data(dataset.kind, dataset.points_path))
