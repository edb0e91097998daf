"""What a promise about a dataset with a landmark set depends on, before any release and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.datasets.people import person_masks
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.data import Mask
from privacy_engine.label import release_context
from privacy_engine.landmarks import LandmarkMethod, MarkedBeside, landmark_methods
from privacy_engine.people import most_landmarks
from privacy_engine.promise import Context


def promise_context(
    landmark_set: LandmarkSet, *, landmarks: int | None = None, masks: Sequence[Mask] | None = None
) -> Context:
    """The context of releases with this landmark set.

    ``landmarks`` is the largest number of landmarks of any one person; without it, it is what the set
    records, or counted in ``masks``, one for each person, or in those that are read from the dataset.
    """
    if landmarks is None:
        landmarks = landmark_set.count_per_person
    if landmarks is None:
        landmarks = most_landmarks(masks if masks is not None else masks_of_people(landmark_set))
    selection = landmark_set.selection
    return release_context(
        beside=None if selection is None else marked_beside(selection),
        earlier_per_m=landmark_set.earlier["spent_per_m"] if landmark_set.earlier else 0.0,
        landmarks=landmarks,
        method=method_of(landmark_set),
        cleaning=parse_cleaning(landmark_set.dataset.cleaning),
        stability=landmark_set.dataset.stability,
    )


def marked_beside(selection: dict[str, Any]) -> MarkedBeside:
    """How the dummies of a set were drawn; what was not kept of an old one counts as no promise."""
    return MarkedBeside(
        private=selection["private"],
        level=selection.get("one_sided_level"),
        draws=selection["earlier_selections"] + 1,
    )


def masks_of_people(landmark_set: LandmarkSet) -> list[Mask]:
    """The landmarks of each person, over their events in the order of time."""
    return person_masks(landmark_set.dataset, landmark_set.mask)


def method_of(landmark_set: LandmarkSet) -> LandmarkMethod:
    """How the landmarks were found; of a set with dummies, those beside which the dummies are."""
    found = landmark_set if landmark_set.source is None else landmark_set.source
    return landmark_methods.parse(found.method, field="method")
