"""What a promise about trajectories depends on: their landmarks, if there are any, and how these were found."""

from typing import Any

import numpy as np

from dashboard.datasets.models import Dataset
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.accounting.promise import Context
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.core.arrays import Mask
from privacy_engine.landmarks import LandmarkMethod, MarkedBeside, landmark_methods
from privacy_engine.releases.label import release_context


def promise_context(
    dataset: Dataset,
    landmark_set: LandmarkSet | None,
    *,
    landmarks: int,
) -> Context:
    """The context of releases of ``dataset``, of trajectories, with this landmark set or with none.

    ``landmarks`` is the largest number of landmarks of any person, which is 0 without a set.
    """
    read = dataset.decisions.listed, dataset.decisions.joined
    of_dataset = {"cleaning": parse_cleaning(dataset.cleaning), "stability": dataset.stability}
    if landmark_set is None:
        return release_context(landmarks=0, **of_dataset).with_reading(*read)
    selection = landmark_set.selection
    return release_context(
        beside=None if selection is None else marked_beside(selection),
        earlier_per_m=landmark_set.earlier["spent_per_m"] if landmark_set.earlier else 0.0,
        landmarks=landmarks,
        method=method_of(landmark_set),
        **of_dataset,
    ).with_reading(*read)


def marked_beside(selection: dict[str, Any]) -> MarkedBeside:
    """How the dummies of a set were drawn; what was not kept of an old set counts as no promise."""
    return MarkedBeside(
        private=selection["private"],
        level=selection.get("one_sided_level"),
        draws=selection["earlier_selections"] + 1,
    )


def mask_of(dataset: Dataset, landmark_set: LandmarkSet | None) -> Mask:
    """Which events of the dataset are landmarks, (points,): none without a set."""
    return np.zeros(dataset.points, dtype=np.bool_) if landmark_set is None else landmark_set.mask


def method_of(landmark_set: LandmarkSet) -> LandmarkMethod:
    """How the landmarks were found; of a set with dummies, those beside which the dummies are."""
    marked = landmark_set if landmark_set.source is None else landmark_set.source
    return landmark_methods.parse(marked.method, field="method")
