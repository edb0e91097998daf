"""What releases would be like, before any is made: read from the landmark set and the ledger, never from a position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dashboard.datasets import ledger
from dashboard.landmarks.correlation import Correlation
from dashboard.landmarks.loss import MAX_SECONDS
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.promise import masks_of_people, promise_context
from dashboard.releases.expected_loss import expected_loss
from privacy_engine.analysis.forecast import outlook
from privacy_engine.data import Mask
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.postprocess import PostProcess
from privacy_engine.promise import Context


def outlooks(
    landmark_set: LandmarkSet,
    mechanisms: Sequence[TrajectoryMechanism],
    steps: Sequence[PostProcess],
    correlation: Correlation | None = None,
) -> dict[str, Any]:
    """For each mechanism what noise to expect and what it guarantees; what they cost together; what the steps are.

    With a ``correlation`` also what each would leak under it; all of them together get the time one answer may take.
    """
    masks, seconds = masks_of_people(landmark_set), MAX_SECONDS / max(len(mechanisms), 1)
    context = promise_context(landmark_set, masks=masks)
    return {
        "mechanisms": [
            _outlook(mechanism, masks, context)
            | {"loss": correlation and expected_loss(mechanism, masks, correlation, seconds=seconds)}
            for mechanism in mechanisms
        ],
        "correlation": correlation and correlation.shown(),
        "postprocess": [{"name": step.name, "title": step.title, "causal": step.causal} for step in steps],
        "budget": ledger.quote(landmark_set.dataset, mechanisms, context),
    }


def _outlook(mechanism: TrajectoryMechanism, masks: list[Mask], context: Context) -> dict[str, Any]:
    found = outlook(mechanism, masks)
    return {
        "name": mechanism.name,
        "title": mechanism.title,
        "expected": found and found.as_dict(),
        "guarantee": mechanism.guarantee(context).as_dict(),
    }
