"""Writes of the landmarks app: mark, rename, copy, forget. Nothing is written by a preview. Dummies: dummies.py."""

import uuid
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
from django.db import transaction
from django.db.models import RestrictedError

from dashboard.core.computing import computed
from dashboard.core.errors import Conflict, require_state
from dashboard.core.rest.json_text import as_json
from dashboard.core.text import one_line
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import person_masks
from dashboard.datasets.selectors import require_markable
from dashboard.jobs.models import State
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.released import earlier_of, mark_released
from dashboard.landmarks.selectors import described as facts_of
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.storage import parquet
from dashboard.storage.data_files import read_data
from privacy_engine import data
from privacy_engine.core.arrays import Mask
from privacy_engine.data.people import most_landmarks
from privacy_engine.landmarks import LandmarkMethod, ReleasedZones, landmark_methods
from privacy_engine.landmarks.methods import Marked

COPY = ", copy"


def lock_dataset(dataset: Dataset) -> Dataset:
    """The dataset's row, locked until the transaction ends: what is built on its points starts here.

    Raises
    ------
    Conflict
        It was deleted since it was looked up.
    """
    held = Dataset.objects.select_for_update().filter(pk=dataset.pk).first()
    if held is None:
        raise Conflict("The dataset was deleted meanwhile.", field="dataset", rule="still there")
    return held


def preview_landmarks(*, dataset: Dataset, method: dict[str, Any] | LandmarkMethod) -> Sequence[data.LandmarkSet]:
    """What the method would mark, an engine landmark set for each series; nothing is stored.

    Raises
    ------
    Conflict
        The dataset is not ready.
    EngineError
        The method or its parameters do not suit; the error names the field.
    """
    require_state(dataset, State.READY, "dataset")
    require_markable(dataset)
    described = landmark_methods.parse(method, field="method")
    if isinstance(described, ReleasedZones):
        return mark_released(dataset, described)
    return described.mark(read_data(dataset.kind, dataset.points_path))


@computed
def preview_json(*, dataset: Dataset, method: dict[str, Any] | LandmarkMethod) -> bytes | BinaryIO:
    """What :func:`preview_landmarks` marks, as JSON."""
    return as_json(facts_of(joined(preview_landmarks(dataset=dataset, method=method)), dataset.series_lengths))


def mark_landmarks(
    *, owner: Any, dataset: Dataset, method: dict[str, Any] | LandmarkMethod, name: str = ""
) -> LandmarkSet:
    """Define landmarks of a dataset that ``owner`` may change, and keep the set.

    Errors as in :func:`preview_landmarks`.
    """
    require_role(owner, dataset, Role.EDITOR)
    described = landmark_methods.parse(method, field="method")
    marked = _marked(dataset, described)  # outside: a lock is not held that long
    with transaction.atomic():
        held = lock_dataset(dataset)
        require_state(held, State.READY, "dataset")
        if held.points_file != dataset.points_file:
            raise Conflict("The dataset was read again meanwhile. Try again.", field="dataset", rule="unchanged")
        return LandmarkSet.objects.create(
            dataset=held,
            name=one_line(name) or described.describe(),
            method=described.model_dump(),
            **marked,
        )


@computed
def _marked(dataset: Dataset, method: LandmarkMethod) -> dict[str, Any]:
    mask = joined(preview_landmarks(dataset=dataset, method=method))
    return columns_of(dataset, mask) | {"earlier": earlier_of(dataset, method, mask)}


def columns_of(dataset: Dataset, mask: Mask) -> dict[str, Any]:
    """What the row of a landmark set has of the events that are landmarks."""
    return {
        "packed": parquet.pack_mask(mask),
        "points": len(mask),
        "count": int(mask.sum()),
        "count_per_person": most_landmarks(person_masks(dataset, mask)),
    }


def joined(sets: Sequence[data.LandmarkSet]) -> Mask:
    """The landmark sets of a dataset's series as a single mask over all its events."""
    if isinstance(sets, Marked):
        return sets.mask
    return np.concatenate([part.mask for part in sets]) if sets else np.zeros(0, dtype=np.bool_)


@transaction.atomic
def duplicate_landmark_set(*, landmark_set: LandmarkSet, name: str = "") -> LandmarkSet:
    """Keep the same marks once more, under ``name``; of dummies it is no other draw."""
    lock_dataset(landmark_set.dataset)
    kept = LandmarkSet.objects.get(pk=landmark_set.pk)
    kept.pk, kept._state.adding = uuid.uuid4(), True
    kept.name = one_line(name) or one_line(f"{kept.name[: 200 - len(COPY)]}{COPY}")
    kept.save(force_insert=True)
    return kept


@transaction.atomic
def delete_landmark_set(*, landmark_set: LandmarkSet) -> None:
    """Forget a set that no release was made with, and no set with dummies.

    Raises
    ------
    Conflict
        A release uses it, or dummies were added to it.
    """
    lock_dataset(landmark_set.dataset)
    try:
        landmark_set.delete()
    except RestrictedError:
        raise _in_use(landmark_set) from None


def _in_use(landmark_set: LandmarkSet) -> Conflict:
    if used := landmark_set.releases.count():
        rule = "used by no release"
        text = f"{'1 release uses' if used == 1 else f'{used} releases use'} this landmark set; discard them first."
    else:
        used, rule = landmark_set.with_dummies.count(), "source of no set with dummies"
        sets = "1 set with dummies was" if used == 1 else f"{used} sets with dummies were"
        text = f"{sets} made from this landmark set; delete {'it' if used == 1 else 'them'} first."
    return Conflict(text, field="landmark_set", rule=rule, value=used)
