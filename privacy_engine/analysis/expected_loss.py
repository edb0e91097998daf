"""What releases would leak under a correlation, before any: from the landmark set, never from a position."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privacy_engine.accounting.runtime_estimate import STEP_S, loss_seconds
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.forecast import LONGEST_RUN, has_known_budgets
from privacy_engine.analysis.losses import (
    MAX_SECONDS,
    Bound,
    BoundOrBest,
    LandmarkLoss,
    highest,
    landmark_loss,
    levels,
    undefined,
)
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.simulated_losses import runs_of
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

UNKNOWN = "its budgets are known only after a run, and the dataset is too long to try it out here"
FEW_RUNS = 5


class ExpectedLoss(Result):
    """The largest losses over all series, under a correlation and without it; null where they are not known."""

    event: float | None = None
    """Of one event, by all releases, earlier and later ones."""
    event_level: float | None = None
    """The same without correlation."""
    joint: float | None = None
    """Of all landmarks and one more event together."""
    joint_level: float | None = None
    """The same without correlation."""
    bound: Bound | None = None
    """How joint is computed."""
    upper_bound: bool | None = None
    """False for the published formula."""
    why: str = ""
    """Why joint is not the bridged bound; else empty."""
    why_not: str = ""
    """Why a value is null; else empty."""
    simulated: int = 0
    """Medians of so many runs on generated walks; 0: budgets are known."""


@dataclass(frozen=True, eq=False)
class _Series:
    """Landmarks (n,), levels of own draws (n,) and of a shared draw, both at the states' distance."""

    is_landmark: Mask
    own: Floats
    shared: float


def expected_loss(
    mechanism: TrajectoryMechanism, masks: Sequence[Mask], correlation: Correlation, *, seconds: float = MAX_SECONDS
) -> ExpectedLoss:
    """The largest loss of an event, and of all landmarks and an event together, over series with landmarks ``masks``.

    ``event`` and ``joint`` under ``correlation``, ``event_level`` and ``joint_level`` without any. The landmarks of a
    series are together; series are apart, as the guarantee has it. Where budgets depend on the run, medians of a few
    ``simulated`` on generated walks. None, and why, where the answer would take more than ``seconds``.
    """
    if why_not := undefined(mechanism):
        return ExpectedLoss(why_not=why_not)
    if has_known_budgets(mechanism):
        return _loss(
            [_Series(mask, *levels(mechanism, mechanism.budgets(mask), mask, correlation)) for mask in masks],
            correlation,
            seconds,
        )
    if (n := sum(map(len, masks))) > LONGEST_RUN:
        return ExpectedLoss(why_not=UNKNOWN)
    few = min(FEW_RUNS, LONGEST_RUN // max(n, 1))
    runs = zip(*(runs_of(mechanism, mask, few) for mask in masks), strict=True)
    series = [
        [_Series(mask, *levels(mechanism, own, mask, correlation)) for mask, own in zip(masks, run, strict=True)]
        for run in runs
    ]
    losses = [_loss(run, correlation, seconds / FEW_RUNS) for run in series]
    if refused := next((loss for loss in losses if loss.why_not), None):
        return refused
    numbers = ("event", "event_level", "joint", "joint_level")
    middle = {name: float(np.median([getattr(loss, name) for loss in losses])) for name in numbers}
    return losses[0].model_copy(update=middle | {"simulated": few})


def _loss(series: list[_Series], correlation: Correlation, seconds: float) -> ExpectedLoss:
    """Of budgets that are known."""
    if (needed := sum(2 * STEP_S * len(row.own) for row in series)) > seconds:
        return ExpectedLoss(why_not=_too_long(needed, seconds))
    events = [
        temporal_loss(row.own, correlation.backward, correlation.forward, shared=row.shared).total for row in series
    ]
    return _together(series, correlation, seconds).model_copy(
        update={
            "event": max(map(highest, events), default=0.0),
            "event_level": max((highest(row.own + row.shared * row.is_landmark) for row in series), default=0.0),
        }
    )


def _together(series: list[_Series], correlation: Correlation, seconds: float) -> ExpectedLoss:
    """The landmarks and another event; by the bridged bound in every series, or by the published formula in some."""
    sides = [side for side in (correlation.backward, correlation.forward) if side is not None]
    refused = ""
    choices: tuple[BoundOrBest, ...] = ("", "published")
    for bound in choices:
        rule: Bound = bound or "bridge"
        needed = sum(loss_seconds(row.own, row.is_landmark, side, rule) for row in series for side in sides)
        if needed > seconds:
            refused = refused or _too_long(needed, seconds)
            continue
        try:
            losses = [landmark_loss(row.own, row.is_landmark, correlation, bound, shared=row.shared) for row in series]
        except ParameterError as error:
            refused = error.rule
            continue
        return _largest_joint(losses, refused)
    return ExpectedLoss(why_not=refused)


def _largest_joint(losses: list[LandmarkLoss], why_not_bridged: str) -> ExpectedLoss:
    """The largest of the series' ``losses``; ``why_not_bridged`` is empty where the bridged bound was tried on all."""
    bridged = all(loss.bound == "bridge" for loss in losses)
    return ExpectedLoss(
        joint=max((highest(loss.joint) for loss in losses), default=0.0),
        joint_level=max((loss.level for loss in losses), default=0.0),
        bound="bridge" if bridged else "published",
        upper_bound=bridged,
        why=why_not_bridged or next((loss.why for loss in losses if loss.why), ""),
    )


def _too_long(needed: float, seconds: float) -> str:
    return f"it would take about {needed:,.1f} s, and {seconds:.2g} s are given"
