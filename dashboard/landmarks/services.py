"""Writes of the landmarks app: mark, add dummies, rename, copy, forget. Nothing is written by a preview."""

import uuid
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
from django.db import transaction
from django.db.models import RestrictedError

from dashboard.core.computing import computed
from dashboard.core.errors import Conflict, TooLarge, require_state
from dashboard.core.rest.json_text import as_json
from dashboard.core.text import one_line
from dashboard.datasets.models import Dataset
from dashboard.datasets.people import person_masks
from dashboard.datasets.selectors import require_markable
from dashboard.jobs.models import State
from dashboard.landmarks import selectors
from dashboard.landmarks.models import DummyDraw, LandmarkSet
from dashboard.landmarks.promise import method_of
from dashboard.landmarks.released import earlier_of, mark_released
from dashboard.landmarks.selectors import described as facts_of
from dashboard.projects.access import require_role
from dashboard.projects.models import Role
from dashboard.storage import parquet
from dashboard.storage.data_files import read_data
from privacy_engine import data
from privacy_engine.core.arrays import Mask
from privacy_engine.data.people import most_landmarks
from privacy_engine.landmarks import (
    DummyMethod,
    LandmarkMethod,
    ReleasedZones,
    SelectionSpec,
    dummy_methods,
    landmark_methods,
)
from privacy_engine.landmarks.counts import bars, mean_of
from privacy_engine.landmarks.dummy_selection import DummySelection
from privacy_engine.landmarks.methods import Marked, split
from privacy_engine.releases.label import NOT_PRIVATE

WORK_S = 40.0  # what a request may take: half a minute is Optimal's worst, and the server gives up after two minutes


@computed
def preview_dummies(*, landmark_set: LandmarkSet, method: dict[str, Any] | DummyMethod) -> dict[str, Any]:
    """Probability of each number of dummies, for the owner; nothing is drawn and nothing stored.

    Raises
    ------
    Conflict
        The set has dummies already.
    TooLarge
        It would take too long for a request.
    EngineError
        A parameter lies outside its domain, or a series is too long for the method.
    """
    described = dummy_methods.parse(method, field="method")
    law = described.counts(_series(landmark_set, described))
    return {
        "landmarks": landmark_set.count,
        "points": landmark_set.points,
        "expected": mean_of(law),
        "counts": [bar._asdict() for bar in bars(law)],
        **selectors.draws_from(landmark_set),
    }


def add_dummies(
    *, owner: Any, landmark_set: LandmarkSet, method: dict[str, Any] | DummyMethod, seed: Any = None, name: str = ""
) -> LandmarkSet:
    """A new set: the landmarks and dummies drawn beside them. Every call samples again, and is remembered.

    A seeded draw is an experiment: never private, stamped so, and not counted among the draws. Errors as in
    :func:`preview_dummies`.
    """
    require_role(owner, landmark_set, Role.EDITOR)
    return _add_dummies(landmark_set, method, seed, name)


@computed
def _add_dummies(landmark_set: LandmarkSet, method: dict[str, Any] | DummyMethod, seed: Any, name: str) -> LandmarkSet:
    spec = SelectionSpec.parse({"method": method, "seed": seed})
    drawn = spec.select(_series(landmark_set, spec.method))  # outside: a lock is not held that long
    mask = joined([data.LandmarkSet(draw.mask) for draw in drawn])
    earlier = earlier_of(landmark_set.dataset, method_of(landmark_set), mask)
    with transaction.atomic():
        held = lock_dataset(landmark_set.dataset)
        require_state(held, State.READY, "dataset")
        if not LandmarkSet.objects.filter(pk=landmark_set.pk).exists():
            raise Conflict("The landmark set was deleted meanwhile.", field="landmark_set", rule="still there")
        return LandmarkSet.objects.create(
            dataset=held,
            name=one_line(name) or spec.method.describe() + ("" if spec.private else ", seeded"),
            method=spec.method.model_dump(),
            **columns_of(held, mask),
            source=landmark_set,
            earlier=earlier,
            selection=_selection(landmark_set, spec, drawn, _remember(landmark_set, spec)),
        )


def _series(landmark_set: LandmarkSet, method: DummyMethod) -> Sequence[data.LandmarkSet]:
    """The landmarks of every series, if the method can be run on them here."""
    require_state(landmark_set.dataset, State.READY, "dataset")
    if landmark_set.source_id is not None:
        raise Conflict(
            "This landmark set has dummies already: draw from the set they were added to.",
            field="landmark_set",
            rule="without dummies",
            value=str(landmark_set.pk),
        )
    series = split(landmark_set.mask, landmark_set.dataset.series_lengths)
    seconds = method.seconds(series)
    if seconds > WORK_S:
        raise TooLarge(
            f"{method.title} may take {seconds:,.0f} s on this dataset, more than the {WORK_S:.0f} s of a request. "
            "Choose another way, or run manage.py release with --dummies, which may take as long as it needs.",
            field="method.name",
            rule=f"at most {WORK_S:.0f} s of work",
            value=round(seconds),
        )
    return series


def _remember(landmark_set: LandmarkSet, spec: SelectionSpec) -> dict[str, Any]:
    """What was drawn from these landmarks, this draw counted in the level where it is private."""
    before = selectors.draws_from(landmark_set)
    if not spec.private:
        return before | {"one_sided_level": None}
    one_sided = spec.method.one_sided_level is not None and not selectors.other_draws_from(landmark_set).exists()
    DummyDraw.objects.create(
        owner_id=landmark_set.dataset.owner_id,
        source_digest=selectors.source_digest(landmark_set),
        method=spec.method.name,
        epsilon=spec.method.epsilon,
    )
    level = before["level_spent"] + spec.method.epsilon
    return before | {"level_spent": level, "one_sided_level": level if one_sided else None}


def _selection(
    landmark_set: LandmarkSet, spec: SelectionSpec, drawn: list[DummySelection], draws: dict[str, Any]
) -> dict[str, Any]:
    """What the owner's page shows of a draw. It reveals the landmarks, so it is the owner's alone."""
    lengths = landmark_set.dataset.series_lengths
    landmarks = [marked.count for marked in split(landmark_set.mask, lengths)]
    dummies = [int(np.count_nonzero(draw.mask)) - k for draw, k in zip(drawn, landmarks, strict=True)]
    stamp = [] if spec.private else [f"{NOT_PRIVATE}. Whoever knows the seed can take the dummies away again."]
    return {
        "seed": spec.seed,
        "private": spec.private,
        "protects": drawn[0].protects if drawn else spec.method.statement,
        "caveats": [*stamp, *spec.method.caveats, spec.method.over_series, *_redrawn(draws, spec.private)],
        "landmarks": sum(landmarks),
        "dummies": sum(dummies),
        "series": {"landmarks": landmarks, "dummies": dummies},
        **draws,
    }


def _redrawn(draws: dict[str, Any], private: bool) -> list[str]:
    """What drawing again has cost."""
    if not draws["earlier_selections"] or not private:
        return []
    return [
        f"Draw {draws['earlier_selections'] + 1} from these landmarks: the levels add up to ε = "
        f"{draws['level_spent']:g} (sequential composition). Whoever picks one of the draws spends that sum, which "
        "promises something only if all of them were one-sided coins; picking the one that suits the landmarks is "
        "covered by no level."
    ]


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
