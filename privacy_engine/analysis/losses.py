"""Temporal privacy loss of a series at the distance of the states: per event, and of the landmarks together."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from privacy_engine.accounting.pairwise import MAX_PAIRWISE_STATES, pairwise_loss, pairwise_seconds
from privacy_engine.accounting.runtime_estimate import loss_seconds
from privacy_engine.accounting.temporal import MAX_BRIDGE_STATES, TemporalLoss, landmark_losses, temporal_loss
from privacy_engine.analysis.correlation import Correlation
from privacy_engine.analysis.results import Result
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.core.progress import blocks
from privacy_engine.data.mapped_series import chosen, leaving, piecewise, total
from privacy_engine.errors import EngineError, ParameterError

Bound = Literal["bridge", "published"]
BoundOrBest = Bound | Literal[""]
"""A bound, or the best that can be had."""
BOUNDS: tuple[Bound, ...] = ("bridge", "published")
MAX_SECONDS = 2.0
"""What a loss may take within a request."""


@dataclass(frozen=True, eq=False)
class LandmarkLoss:
    """Losses of the events of a series, two arrays (n,): ``own`` of each alone, ``joint`` with all landmarks.

    ``landmarks_only`` is what the landmarks leak together; ``level`` what they and another event leak where nothing is
    correlated, ``highest_budget`` the worst event alone. ``why`` is the reason why it is not the bridged bound.

    A draw that landmarks share (joint noise) changes its odds by its level whichever of them move: it counts once
    together, whole for each landmark alone, and not for another event, beside which the landmarks are known.
    """

    bound: Bound
    own: Floats
    joint: Floats
    landmarks_only: float
    level: float
    highest_budget: float
    why: str = ""

    def shown(self, at: Any = slice(None)) -> LandmarkLossCurves:
        """As results show it, at the events ``at``."""
        return LandmarkLossCurves(
            bound=self.bound,
            upper_bound=self.bound == "bridge",
            why=self.why,
            own=self.own[at].tolist(),
            joint=self.joint[at].tolist(),
            landmarks_only=self.landmarks_only,
            level=self.level,
        )


class LandmarkLossCurves(Result):
    """What the landmarks leak together, with one more event and without; null where it is not defined."""

    bound: Bound | None = None
    upper_bound: bool | None = None
    """False for the published formula."""
    why: str = ""
    """Why it is not the bridged bound; empty where it is or was not requested."""
    own: list[float] | None = None
    """Each event's own part."""
    joint: list[float] | None = None
    """All landmarks and this event together."""
    landmarks_only: float | None = None
    level: float | None = None
    """Landmarks and one event without correlation, at the distance of the states."""
    undefined: str = ""
    """Why there is none; else empty."""


def undefined(mechanism: Any) -> str:
    """Why a mechanism's budgets do not determine its temporal loss; empty where they do.

    A mechanism for which neither the accounting of single draws nor of a shared draw (:func:`levels`) holds has its
    reason in a class variable ``temporal_loss_undefined``.
    """
    reason = mechanism.temporal_loss_undefined
    return f"not defined: {reason}" if reason else ""


def levels(mechanism: Any, budgets: Floats, is_landmark: Mask, correlation: Correlation) -> tuple[Floats, float]:
    """Levels at the distance of the states: of the draws with noise of their own, (n,), and of a shared draw, or 0.

    ``budgets`` (n,) are levels within the mechanism's radius; a level grows with the distance.
    """
    own, shared = mechanism.independent(budgets, is_landmark)
    times = correlation.scale(mechanism.radius_m)
    return piecewise(lambda part: part * times, own), shared * times


def event_loss(own: Floats, shared: float, correlation: Correlation) -> tuple[TemporalLoss, bool]:
    """The loss of each event, and whether it is pairwise; ``own`` (n,) and ``shared`` are those of :func:`levels`.

    Pairwise where the distance of every two states is known, they are few and time allows it; else at the largest.
    """
    sides = correlation.backward, correlation.forward
    apart = correlation.distances_m
    few = apart is not None and apart.any() and len(apart) <= MAX_PAIRWISE_STATES
    if apart is not None and few and pairwise_seconds(len(own), *sides) <= MAX_SECONDS:
        return pairwise_loss(own, apart / correlation.diameter_m, *sides, shared=shared), True
    return temporal_loss(own, *sides, shared=shared), False


def landmark_loss(
    budgets: Floats,
    is_landmark: Mask,
    correlation: Correlation,
    bound: BoundOrBest = "",
    *,
    shared: float = 0.0,
) -> LandmarkLoss:
    """By the requested bound; without a request the bridged bound where it can be computed, else the published formula.

    ``budgets`` and ``shared`` are what :func:`levels` gives.

    Raises
    ------
    ParameterError
        The requested bound cannot be computed, or neither can: it would take too long, or the matrices do not suit.
    """
    if bound:
        return _loss(budgets, is_landmark, correlation, bound, shared)
    try:
        return _loss(budgets, is_landmark, correlation, "bridge", shared)
    except ParameterError as error:
        return replace(_loss(budgets, is_landmark, correlation, "published", shared), why=error.rule)


def _loss(budgets: Floats, is_landmark: Mask, correlation: Correlation, bound: Bound, shared: float) -> LandmarkLoss:
    refusal = _unbridged(correlation) if bound == "bridge" else ""
    if not refusal:
        sides = [side for side in (correlation.backward, correlation.forward) if side is not None]
        seconds = sum(loss_seconds(budgets, is_landmark, side, bound) for side in sides)
        if seconds > MAX_SECONDS:
            refusal = f"it would take about {seconds:,.0f} s, and {MAX_SECONDS:g} s are given"
    if refusal:
        raise _refused(bound, refusal)
    try:
        own, joint = landmark_losses(budgets, is_landmark, correlation.backward, correlation.forward, bound=bound)
    except EngineError as error:
        raise _refused(bound, error.message) from error
    alone, level = (float(total(chosen(values, is_landmark))) + shared for values in (own, budgets))
    regular = most = 0.0
    for some in leaving([budgets, is_landmark, own, joint], blocks(len(own))):
        more = shared * is_landmark[some]
        own[some] += more
        joint[some] += shared
        regular = max(regular, highest(budgets[some][~is_landmark[some]]))
        most = max(most, highest(budgets[some] + more))
    return LandmarkLoss(bound, own, joint, alone, level + regular, most)


def _unbridged(correlation: Correlation) -> str:
    if why := correlation.unchained():
        return why
    sides = [side for side in (correlation.backward, correlation.forward) if side is not None]
    states = max((len(side.matrix) for side in sides), default=1)
    if states > MAX_BRIDGE_STATES:
        return f"it takes at most {MAX_BRIDGE_STATES} states, and there are {states}"
    return ""


def _refused(bound: Bound, why: str) -> ParameterError:
    return ParameterError(f"bound cannot be {bound} here: {why}", field="bound", rule=why, value=bound)


def highest(values: Floats) -> float:
    """The largest of them; 0 of none."""
    pieces = (values[some] for some in leaving([values], blocks(len(values))))
    return max((float(np.max(piece, initial=0.0)) for piece in pieces), default=0.0)
