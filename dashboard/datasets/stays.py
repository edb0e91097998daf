"""Check-ins made of the stays of trajectories: the request for them, and the form's fields."""

from typing import Any

from dashboard.datasets.derived import create_derived
from dashboard.datasets.models import Dataset
from dashboard.datasets.selectors import require_kind, require_ready
from privacy_engine.aggregation.stays import StaySpec
from privacy_engine.core.component import form_fields
from privacy_engine.data import CheckIns
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError


def stay_fields() -> list[dict[str, Any]]:
    """Return the fields of the form."""
    return list(form_fields(StaySpec).values())


def has_stays(dataset: Dataset) -> bool:
    """Return whether stays can be detected in a dataset that is ready."""
    return dataset.data_type.has_stays and dataset.has_time


def stays_dataset(*, dataset: Dataset, spec: StaySpec, name: str = "") -> Dataset:
    """Make check-ins of a dataset's stays: a dataset that waits for a worker, with the budget of the same upload.

    Raises
    ------
    Conflict
        The dataset is not ready.
    ParameterError
        It holds no trajectories, or they have no times.
    """
    require_ready(dataset)
    require_kind(dataset, *(kind for kind, datatype in datatypes.items() if datatype.has_stays))
    if not has_stays(dataset):
        rule = "events with times"
        raise ParameterError(f"dataset must hold {rule}", field="dataset", rule=rule, value=str(dataset.pk))
    return create_derived(
        dataset,
        name=name or f"Stays of {dataset.name}",
        kind=CheckIns.kind,
        stay_detection=spec.model_dump(mode="json"),
    )
