"""Landmarks from an earlier release: which may be used, the marks, and what it spent on them."""

import uuid
from typing import Any

import numpy as np

from dashboard.core.errors import Conflict, must_be
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import people_of, person_masks
from dashboard.jobs.models import State
from dashboard.landmarks.promise import mask_of, promise_context
from dashboard.storage import parquet
from dashboard.storage.data_files import read_release
from privacy_engine.core.arrays import Mask
from privacy_engine.data import LandmarkSet
from privacy_engine.landmarks import LandmarkMethod, ReleasedZones
from privacy_engine.landmarks.coverage import earlier_loss_per_m


def mark_released(dataset: Dataset, method: ReleasedZones) -> list[LandmarkSet]:
    """One landmark set for each series of the dataset, out of the release that the method names.

    Raises
    ------
    ParameterError
        The dataset has no such release.
    Conflict
        It is not finished, seeded, or over landmarks that were found in positions.
    """
    row = usable_release(dataset, method)
    return method.mark_released(read_release(row.kind, row.data_path), dataset.series_lengths)


def usable_release(dataset: Dataset, method: ReleasedZones) -> Any:
    """The row of the release that the method names; errors as in :func:`mark_released`."""
    row = _release_of(dataset, method.release)
    if row is None:
        raise must_be("method.release", "a release of this dataset", method.release)
    choice = promise_context(dataset, row.set_read, landmarks=0).choice
    for holds, rule in (
        (row.state == State.DONE, "a finished release"),
        (not row.seeded, "a release without a seed, whose noise cannot be subtracted"),
        (row.summary and "landmarks_per_person" in row.summary, "a release that was drawn for people, not for series"),
        (
            row.set_read is None or (choice.from_times and not choice.not_covered),
            "a release that reads no landmarks (event, w-event or user level), or landmarks by schedule",
        ),
    ):
        if not holds:
            raise Conflict(
                f"The release cannot decide which events are landmarks: it must be {rule}.",
                field="method.release",
                rule=rule,
                value=method.release,
            )
    return row


def spent_per_m(dataset: Dataset, method: ReleasedZones, is_landmark: Mask) -> float:
    """What the release spent on the landmarks (n,) and a further event of any person, per metre."""
    row = usable_release(dataset, method)
    mechanism = row.parsed_spec.mechanism
    budgets = parquet.read_table(row.budgets_path, ["budget"]).column("budget").to_numpy()
    parts = np.split(budgets, np.cumsum(dataset.series_lengths)[:-1])
    own = [person.joined_values(parts) for person in people_of(dataset)]
    before, now = (person_masks(dataset, mask) for mask in (mask_of(dataset, row.set_read), is_landmark))
    losses = []
    for spent, earlier, landmarks in zip(own, before, now, strict=True):
        independent, together = mechanism.independent(spent, earlier)
        losses.append(earlier_loss_per_m(independent, together, mechanism.radius_m, landmarks))
    return max(losses, default=0.0)


def earlier_of(dataset: Dataset, method: LandmarkMethod, is_landmark: Mask) -> dict[str, Any] | None:
    """What a landmark set keeps of the release that decided it; None where no release did."""
    if not isinstance(method, ReleasedZones):
        return None
    row = usable_release(dataset, method)
    per_m = spent_per_m(dataset, method, is_landmark)
    return {"release": str(row.pk), "sha256": row.data_sha256, "spent_per_m": per_m}


def _release_of(dataset: Dataset, pk: str) -> Any:
    try:
        return dataset.releases.filter(pk=uuid.UUID(pk)).select_related("landmark_set__source").first()
    except ValueError:
        return None
