"""What releases would be like, before any is made: read from the landmark set and the ledger, never from a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from dashboard.datasets import ledger
from dashboard.landmarks.models import LandmarkSet
from privacy_engine.data import Mask
from privacy_engine.outlook import outlook
from privacy_engine.postprocess import PostProcess
from privacy_engine.registry import Mechanism


def outlooks(
    landmark_set: LandmarkSet, mechanisms: Sequence[Mechanism], steps: Sequence[PostProcess]
) -> dict[str, Any]:
    """For each mechanism what noise to expect and what it guarantees; what they cost together; what the steps are."""
    masks = _masks(landmark_set)
    return {
        "mechanisms": [_outlook(mechanism, masks, landmark_set.count) for mechanism in mechanisms],
        "postprocess": [{"name": step.name, "title": step.title, "causal": step.causal} for step in steps],
        "budget": ledger.quote(landmark_set.dataset, mechanisms),
    }


def _masks(landmark_set: LandmarkSet) -> list[Mask]:
    ends = np.cumsum(landmark_set.dataset.series_lengths)[:-1]
    return list(np.split(landmark_set.mask, ends))


def _outlook(mechanism: Mechanism, masks: list[Mask], landmarks: int) -> dict[str, Any]:
    found = outlook(mechanism, masks)
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "expected": found and found.as_dict(),
        "guarantee": mechanism.guarantee(landmarks).as_dict(),
    }
