"""Curves of a release: error, budget and temporal loss per event, reduced for display."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from pydantic import Field

from privacy_engine.accounting.temporal import TemporalLoss
from privacy_engine.analysis.correlation import Correlation, CorrelationDescription, Matrix, Supremum
from privacy_engine.analysis.downsampling import decimated, rolling_median, runs
from privacy_engine.analysis.losses import (
    BoundOrBest,
    LandmarkLoss,
    LandmarkLossCurves,
    event_loss,
    highest,
    landmark_loss,
    levels,
    undefined,
)
from privacy_engine.analysis.results import Curve, Result, listed
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.data.mapped_series import picked
from privacy_engine.errors import ParameterError
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

NO_CORRELATION = (
    "not computed: no correlation was requested; without cell_m it takes diameter_m, the distance between states"
)


@dataclass(frozen=True, eq=False)
class _Losses:
    """What the budgets of a person leak; nothing and a reason where that is not defined.

    ``level`` is the mechanism's ε at the distance of the states; ``pairwise`` is true where every two have their own.
    """

    event: TemporalLoss | None
    landmark: LandmarkLoss | None
    level: float | None = None
    supremum: Supremum | None = None
    pairwise: bool = False
    why_not: str = ""

    def at(self, events: Ints | slice) -> _Losses:
        """The same at ``events`` alone; what holds for all of them together stays."""
        event = self.event and TemporalLoss(
            *(picked(getattr(self.event, side), events) for side in ("backward", "forward", "total"))
        )
        own = self.landmark and replace(
            self.landmark, own=picked(self.landmark.own, events), joint=picked(self.landmark.joint, events)
        )
        return replace(self, event=event, landmark=own)

    def curves(self) -> list[Floats]:
        event = [self.event.backward, self.event.forward, self.event.total] if self.event else []
        return event + ([self.landmark.own, self.landmark.joint] if self.landmark else [])


class EventLossCurves(Result):
    """Temporal privacy loss of every event shown; null where it is not defined."""

    backward: list[float] | None = None
    forward: list[float] | None = None
    total: list[float] | None = None
    s: float | None
    n: int | None
    backward_matrix: Matrix | None = Field(default=None, exclude_if=lambda value: value is None)
    forward_matrix: Matrix | None = Field(default=None, exclude_if=lambda value: value is None)
    level: float | None
    """The mechanism's ε at the distance of the states: what may leak without correlation."""
    pairwise: bool
    """Every two cells at their own distance; else all states at diameter_m."""
    supremum: Supremum | None = None
    undefined: str = ""
    """Why there is none; else empty."""


class RollingMedian(Result):
    """Medians of the ``window`` events around each event shown."""

    window: int
    values: Curve


class ReleaseCurves(Result):
    """Curves of one series; null where nothing was published."""

    series: int
    event: list[int]
    time_s: Curve | None
    error_m: Curve
    error_median: RollingMedian | None = Field(default=None, exclude_if=lambda value: value is None)
    """Of the errors, where they are thinned out: the extremes that are left have another median."""
    budget: list[float]
    loss: EventLossCurves
    landmark: LandmarkLossCurves
    correlation: CorrelationDescription | None
    landmarks: list[list[int]]
    points: int
    decimated: bool


@dataclass(frozen=True, eq=False)
class ReleasedSeries:
    """One series of a release, of the m of all n events of its person.

    ``error_m``, ``budget`` and ``time_s`` (m,); ``budgets`` and ``is_landmark`` (n,) of all events of the person in
    the order of time, of which those at ``ranks`` (m,) are the series', all of them at ``slice(None)``.
    """

    error_m: Floats
    budget: Floats
    time_s: Floats | None
    budgets: Floats
    is_landmark: Mask
    ranks: Ints | slice


def release_curves(
    mechanism: TrajectoryMechanism,
    released: ReleasedSeries,
    *,
    series: int,
    correlation: Correlation | None,
    points: int,
    bound: BoundOrBest = "",
    first: int = 0,
    after: int | None = None,
) -> ReleaseCurves:
    """Error, budget and temporal loss over the events of the series number ``series``, for its owner.

    Losses are those of all events of the person, shown at the events from ``first`` to before ``after``; none without
    ``correlation``.

    Raises
    ------
    ParameterError
        There is no event from ``first`` to before ``after``, ``points`` lies outside its domain, or the requested bound
        cannot be had.
    """
    loss = _losses(mechanism, released, correlation, bound).at(released.ranks)
    at = decimated([released.error_m, released.budget, *loss.curves()], points, first, after)
    loss = loss.at(at)
    is_thinned = len(at) < len(released.budget[first:after])
    return ReleaseCurves(
        series=series,
        event=at.tolist(),
        time_s=None if released.time_s is None else listed(picked(released.time_s, at)),
        error_m=listed(picked(released.error_m, at)),
        error_median=_error_median(released.error_m[first:after], at - first) if is_thinned else None,
        budget=picked(released.budget, at).tolist(),
        loss=_event_loss(loss, correlation),
        landmark=loss.landmark.shown() if loss.landmark else LandmarkLossCurves(undefined=loss.why_not),
        correlation=None if correlation is None else correlation.shown(),
        landmarks=runs(released.is_landmark[released.ranks]),
        points=len(released.budget),
        decimated=is_thinned,
    )


def _error_median(error_m: Floats, at: Ints) -> RollingMedian:
    values, window = rolling_median(error_m, at)
    return RollingMedian(window=window, values=listed(np.where(np.isnan(picked(error_m, at)), np.nan, values)))


def _losses(
    mechanism: TrajectoryMechanism,
    released: ReleasedSeries,
    correlation: Correlation | None,
    bound: BoundOrBest,
) -> _Losses:
    is_landmark = released.is_landmark
    if (why_not := undefined(mechanism)) or correlation is None:
        return _Losses(None, None, why_not=why_not or NO_CORRELATION)
    own, shared = levels(mechanism, released.budgets, is_landmark, correlation)
    event, pairwise = event_loss(own, shared, correlation)
    level = mechanism.epsilon * correlation.scale(mechanism.radius_m)
    limits = correlation.supremum(highest(own), shared)
    try:
        landmark = landmark_loss(own, is_landmark, correlation, bound, shared=shared)
    except ParameterError as error:
        if bound:
            raise
        return _Losses(event, None, level, limits, pairwise, error.message)
    return _Losses(event, landmark, level, limits, pairwise)


def _event_loss(loss: _Losses, correlation: Correlation | None) -> EventLossCurves:
    """Each event alone; ``s``, ``n`` and the matrices are those of ``correlation``."""
    shown = None if correlation is None else correlation.shown()
    names = {"s", "n", "backward_matrix", "forward_matrix"}
    known = shown.model_dump(include=names) if shown else {"s": None, "n": None}
    common = EventLossCurves(**known, level=loss.level, pairwise=loss.pairwise)
    if loss.event is None:
        return common.model_copy(update={"undefined": loss.why_not})
    curves = {name: getattr(loss.event, name).tolist() for name in ("backward", "forward", "total")}
    return common.model_copy(update=curves | {"supremum": loss.supremum})
