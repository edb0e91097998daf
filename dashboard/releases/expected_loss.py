"""What releases would leak under a correlation, before any: from the landmark set, never from a position."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dashboard.landmarks.correlation import Correlation
from dashboard.landmarks.loss import MAX_SECONDS, LandmarkLoss, highest, landmark_loss, levels, undefined
from dashboard.landmarks.simulated import runs_of
from privacy_engine.accounting.runtime_estimate import STEP_S, loss_seconds
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.analysis.forecast import LONGEST_RUN, has_known_budgets
from privacy_engine.data import Floats, Mask
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

UNKNOWN = "its budgets are known only after a run, and the dataset is too long to try it out here"
NUMBERS = ("event", "event_level", "joint", "joint_level")
NOTHING = dict.fromkeys((*NUMBERS, "bound", "upper_bound")) | {"simulated": 0}
FEW_RUNS = 5


@dataclass(frozen=True, eq=False)
class _Series:
    """Landmarks (n,), levels of own draws (n,) and of a shared one, both at the states' distance."""

    is_landmark: Mask
    own: Floats
    shared: float


def expected_loss(
    mechanism: TrajectoryMechanism, masks: Sequence[Mask], correlation: Correlation, *, seconds: float = MAX_SECONDS
) -> dict[str, Any]:
    """The largest loss of an event, and of all landmarks and an event together, over series with landmarks ``masks``.

    ``event`` and ``joint`` under ``correlation``, ``event_level`` and ``joint_level`` without any. The landmarks of a
    series are together; series are apart, as the guarantee has it. Where budgets depend on the run, medians of a few
    ``simulated`` on generated walks. None, and why, where the answer would take more than ``seconds``.
    """
    if why_not := undefined(mechanism):
        return NOTHING | {"why": "", "why_not": why_not}
    if has_known_budgets(mechanism):
        return _loss(
            [_Series(mask, *levels(mechanism, mechanism.budgets(mask), mask, correlation)) for mask in masks],
            correlation,
            seconds,
        )
    if (n := sum(map(len, masks))) > LONGEST_RUN:
        return NOTHING | {"why": "", "why_not": UNKNOWN}
    few = min(FEW_RUNS, LONGEST_RUN // max(n, 1))
    runs = zip(*(runs_of(mechanism, mask, few) for mask in masks), strict=True)
    series = [
        [_Series(mask, *levels(mechanism, one, mask, correlation)) for mask, one in zip(masks, run, strict=True)]
        for run in runs
    ]
    found = [_loss(one, correlation, seconds / FEW_RUNS) for one in series]
    refused = next((one for one in found if one["why_not"]), None)
    if refused:
        return refused
    middle = {name: float(np.median([one[name] for one in found])) for name in NUMBERS}
    return found[0] | middle | {"simulated": few}


def _loss(series: list[_Series], correlation: Correlation, seconds: float) -> dict[str, Any]:
    """Of budgets that are known."""
    if (needed := sum(2 * STEP_S * len(one.own) for one in series)) > seconds:
        return NOTHING | {"why": "", "why_not": _too_long(needed, seconds)}
    events = [
        temporal_loss(one.own, correlation.backward, correlation.forward, shared=one.shared).total for one in series
    ]
    alone = {
        "event": max(map(highest, events), default=0.0),
        "event_level": max((highest(one.own + one.shared * one.is_landmark) for one in series), default=0.0),
    }
    return NOTHING | alone | _together(series, correlation, seconds)


def _together(series: list[_Series], correlation: Correlation, seconds: float) -> dict[str, Any]:
    """The landmarks and one more event; by the bridged bound in every series, or by the published formula in some."""
    sides = [one for one in (correlation.backward, correlation.forward) if one is not None]
    refused = ""
    for bound in ("", "published"):
        rule = bound or "bridge"
        needed = sum(loss_seconds(one.own, one.is_landmark, side, rule) for one in series for side in sides)
        if needed > seconds:
            refused = refused or _too_long(needed, seconds)
            continue
        try:
            found = [
                landmark_loss(one.own, one.is_landmark, correlation, bound, shared=one.shared)  # type: ignore[arg-type]
                for one in series
            ]
        except ParameterError as error:
            refused = error.rule
            continue
        return _told(found, refused)
    return {"why": "", "why_not": refused}


def _told(found: list[LandmarkLoss], refused: str) -> dict[str, Any]:
    bridged = all(one.bound == "bridge" for one in found)
    return {
        "joint": max((highest(one.joint) for one in found), default=0.0),
        "joint_level": max((one.level for one in found), default=0.0),
        "bound": "bridge" if bridged else "published",
        "upper_bound": bridged,
        "why": refused or next((one.why for one in found if one.why), ""),
        "why_not": "",
    }


def _too_long(needed: float, seconds: float) -> str:
    return f"it would take about {needed:,.1f} s, and {seconds:.2g} s are given"
