"""Chart data of a release: error, budget and temporal loss per event, thinned out for display."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from dashboard.core.downsampling import decimated, listed
from dashboard.landmarks.correlation import Correlation
from dashboard.landmarks.loss import Bound, LandmarkLoss, event_loss, highest, landmark_loss, levels, undefined
from dashboard.releases import files
from dashboard.releases.models import Release
from dashboard.storage import parquet
from privacy_engine.accounting.temporal import TemporalLoss
from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.errors import ParameterError

NOT_ASKED = "not computed: no correlation was asked for; without cell_m it takes diameter_m, how far states lie apart"


@dataclass(frozen=True, eq=False)
class _Losses:
    """What the budgets of one person leak; nothing and a reason where that is not defined.

    ``level`` is the mechanism's ε at the distance of the states; ``pairwise`` is true where every two have their own.
    """

    event: TemporalLoss | None
    landmark: LandmarkLoss | None
    level: float | None = None
    supremum: dict[str, float | None] | None = None
    pairwise: bool = False
    why_not: str = ""

    def at(self, events: Ints) -> _Losses:
        """The same at ``events`` alone; what holds for all of them together stays."""
        event = self.event and TemporalLoss(
            *(getattr(self.event, one)[events] for one in ("backward", "forward", "total"))
        )
        own = self.landmark and replace(self.landmark, own=self.landmark.own[events], joint=self.landmark.joint[events])
        return replace(self, event=event, landmark=own)

    def curves(self) -> list[Floats]:
        event = [self.event.backward, self.event.forward, self.event.total] if self.event else []
        return event + ([self.landmark.own, self.landmark.joint] if self.landmark else [])


def chart_data(
    row: Release,
    *,
    series: int,
    correlation: Correlation | None,
    points: int,
    bound: Bound | str = "",
    first: int = 0,
    after: int | None = None,
) -> dict[str, Any]:
    """Error, budget and temporal loss over the events of one series, for its owner.

    Losses are those of all events of the person whose series it is, shown at the events from ``first`` to before
    ``after``; none without ``correlation``.

    Raises
    ------
    ParameterError
        There is no such series, no such stretch of it, ``points`` lies outside its domain, or the bound asked for
        cannot be had.
    """
    person = files.person_of_release(row, series)
    joined, marked = files.read_person(row, person)
    found, here = files.read_curves(row, series), person.ranks_of(series)
    is_landmark = marked[here]
    loss = _losses(row, joined.budgets, marked, correlation, bound).at(here)
    at = decimated([found.error_m, found.budget, *loss.curves()], points, first, after)
    return {
        "series": series,
        "event": at.tolist(),
        "time_s": None if found.time_s is None else listed(found.time_s[at]),
        "error_m": listed(found.error_m[at]),
        "budget": found.budget[at].tolist(),
        "loss": _event_loss(loss, correlation, at),
        "landmark": _landmark_loss(loss, at),
        "correlation": correlation and correlation.shown(),
        "landmarks": parquet.runs(is_landmark),
        "points": len(found.budget),
        "decimated": len(at) < len(found.budget[first:after]),
    }


def _losses(row: Release, budgets: Floats, is_landmark: Mask, correlation: Correlation | None, bound: Any) -> _Losses:
    mechanism = row.parsed_spec.mechanism
    if (why_not := undefined(mechanism)) or correlation is None:
        return _Losses(None, None, why_not=why_not or NOT_ASKED)
    own, shared = levels(mechanism, budgets, is_landmark, correlation)
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


def _event_loss(loss: _Losses, correlation: Correlation | None, at: Ints) -> dict[str, Any]:
    """Each event alone; ``s``, ``n`` and the matrices are those of ``correlation``."""
    shown = correlation.shown() if correlation else {"s": None, "n": None}
    names = ("s", "n", "backward_matrix", "forward_matrix")
    common = {name: shown[name] for name in names if name in shown} | {"level": loss.level, "pairwise": loss.pairwise}
    if loss.event is None:
        return {"backward": None, "forward": None, "total": None, **common, "supremum": None, "undefined": loss.why_not}
    return {
        "backward": loss.event.backward[at].tolist(),
        "forward": loss.event.forward[at].tolist(),
        "total": loss.event.total[at].tolist(),
        **common,
        "supremum": loss.supremum,
        "undefined": "",
    }


def _landmark_loss(loss: _Losses, at: Ints) -> dict[str, Any]:
    nothing = dict.fromkeys(("bound", "upper_bound", "own", "joint", "landmarks_only", "level"))
    if loss.landmark is None:
        return {**nothing, "why": "", "undefined": loss.why_not}
    return {**loss.landmark.shown(at), "undefined": ""}
