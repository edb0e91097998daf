"""A landmark set's report: what mechanisms whose budgets are known beforehand would leak over it under correlation.

Only the mask is read, never a position; no release is needed. Where the correlation is estimated from the dataset, that
reads positions, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from dashboard import storage
from dashboard.landmarks.correlation import Correlation
from dashboard.landmarks.loss import Bound, LandmarkLoss, apart, highest, landmark_loss, undefined
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.queries import series_bounds
from dashboard.thinning import decimated
from privacy_engine import mechanisms as _families  # noqa: F401  (registers the mechanisms)
from privacy_engine.data import Mask
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.synthetic import average_temporal_distance, dataset_temporal_distance
from privacy_engine.registry import Mechanism, mechanisms

MAX_EVENTS = 100_000
"""Events of one series that a report is worked out for within a request."""
CHUNK = 1000
RADIUS_M = 1.0  # losses are levels, whatever the radius; only plans that weigh movement against noise read it


@dataclass(frozen=True, eq=False)
class Row:
    """One mechanism: its losses by both bounds, or why there are none."""

    mechanism: Mechanism
    losses: dict[Bound, LandmarkLoss]
    chosen: LandmarkLoss | None
    why_not: str = ""

    def shown(self, at: Any) -> dict[str, Any]:
        """As the answer has it, the curves at the events ``at``."""
        own = self.mechanism.model_dump(exclude={"name", "epsilon"})
        return {
            "name": self.mechanism.registered_name(),
            "title": self.mechanism.title,
            "parameters": own,
            "why_not": self.why_not,
            "level": self.chosen.level if self.chosen else None,
            "highest_budget": self.chosen.highest_budget if self.chosen else None,
            "bridge": _overall(self.losses.get("bridge")),
            "published": _overall(self.losses.get("published")),
            "own": self.chosen.own[at].tolist() if self.chosen else None,
            "joint": self.chosen.joint[at].tolist() if self.chosen else None,
        }


@dataclass(frozen=True, eq=False)
class Report:
    """The losses over one series of a landmark set."""

    landmark_set: LandmarkSet
    series: int
    epsilon: float
    correlation: Correlation
    is_landmark: Mask
    rows: list[Row]

    @property
    def drawn(self) -> list[LandmarkLoss]:
        """The losses that have curves."""
        return [row.chosen for row in self.rows if row.chosen]

    def shown(self, points: int) -> dict[str, Any]:
        """As the API answers, at most ``points`` events of the curves."""
        curves = [curve for loss in self.drawn for curve in (loss.own, loss.joint)]
        at = decimated(curves or [self.is_landmark.astype(np.float64)], points)
        first = next(iter(self.drawn), None)
        return {
            "landmark_set": str(self.landmark_set.pk),
            "series": self.series,
            **facts(self.is_landmark),
            "epsilon": self.epsilon,
            "correlation": self.correlation.shown(),
            "bound": first.bound if first else "published",
            "why": first.why if first else "",
            "event": at.tolist(),
            "landmarks": storage.runs(self.is_landmark),
            "decimated": len(at) < len(self.is_landmark),
            "mechanisms": [row.shown(at) for row in self.rows],
        }

    def lines(self) -> Iterator[str]:
        """Every event as CSV, many lines at a time, after lines that say what it is."""
        drawn = [(row.mechanism.registered_name(), row.chosen) for row in self.rows if row.chosen]
        yield "".join(f"# {line}\r\n" for line in self._about())
        yield ",".join(["event", "landmark", *(f"{name} {part}" for name, _ in drawn for part in ("own", "joint"))])
        yield "\r\n"
        columns = [self.is_landmark.astype(int), *(curve for _, loss in drawn for curve in (loss.own, loss.joint))]
        for start in range(0, len(self.is_landmark), CHUNK):
            parts = [column[start : start + CHUNK].tolist() for column in columns]
            rows = enumerate(zip(*parts, strict=True), start)
            yield "".join(f"{event},{','.join(map(repr, values))}\r\n" for event, values in rows)

    def _about(self) -> Iterator[str]:
        about = self.correlation.shown()
        said = ", ".join(
            f"{name}={about[name]}" for name in ("s", "n", "cell_m", "smoothing") if about[name] is not None
        )
        yield f"Temporal privacy loss at epsilon={self.epsilon:g}; correlation {about['kind']} {said}".rstrip()
        for loss in self.drawn[:1]:
            yield f"bound {loss.bound}" + ("" if loss.bound == "bridge" else ", which is not an upper bound")
        if about["note"]:
            yield about["note"]


def facts(is_landmark: Mask) -> dict[str, Any]:
    """What a mask is like, without looking at a position."""
    count = int(is_landmark.sum())
    return {
        "points": len(is_landmark),
        "count": count,
        "share": count / len(is_landmark) if len(is_landmark) else 0.0,
        "runs": len(storage.runs(is_landmark)),
        "average_temporal_distance": average_temporal_distance(is_landmark),
    }


def set_facts(landmark_set: LandmarkSet) -> dict[str, Any]:
    """The same of a whole set: runs and distances end where a series does."""
    lengths = landmark_set.dataset.series_lengths
    parts = np.split(landmark_set.mask, np.cumsum(lengths)[:-1])
    return {
        "points": landmark_set.points,
        "count": landmark_set.count,
        "share": landmark_set.share,
        "runs": sum(len(storage.runs(part)) for part in parts),
        "average_temporal_distance": dataset_temporal_distance(landmark_set.mask, lengths),
    }


def mask_of(landmark_set: LandmarkSet, series: int) -> Mask:
    """Which events of one series are landmarks, where the series is short enough for a report.

    Raises
    ------
    ParameterError
        There is no such series, or it has more events than are worked out within a request.
    """
    start, end = series_bounds(landmark_set.dataset.series_lengths, series)
    if end - start > MAX_EVENTS:
        rule = f"a series of at most {MAX_EVENTS:,} events"
        raise ParameterError(
            f"series must be {rule}, this one has {end - start:,}", field="series", rule=rule, value=series
        )
    return landmark_set.mask[start:end]


def report(
    landmark_set: LandmarkSet, *, series: int, epsilon: float, correlation: Correlation, bound: Bound | Any = ""
) -> Report:
    """The losses of every registered mechanism at level ``epsilon``; the curves by ``bound``.

    Raises
    ------
    ParameterError
        As :func:`mask_of`; ``epsilon`` lies outside its domain, or the bound asked for cannot be had.
    """
    is_landmark = mask_of(landmark_set, series)
    described = [_described(cls, epsilon) for cls in mechanisms]
    rows = [_row(mechanism, is_landmark, correlation, bound) for mechanism in described]
    return Report(landmark_set, series, epsilon, correlation, is_landmark, rows)


def _described(cls: type[Mechanism], epsilon: float) -> Mechanism:
    needed = {field["name"]: field["example"] for field in cls.fields() if field["required"]}
    return mechanisms.parse(needed | {"name": cls.registered_name(), "epsilon": epsilon, "radius_m": RADIUS_M})


def _row(mechanism: Mechanism, is_landmark: Mask, correlation: Correlation, bound: Any) -> Row:
    if why_not := undefined(mechanism):
        return Row(mechanism, {}, None, why_not)
    try:
        budgets, shared = apart(mechanism, mechanism.budgets(is_landmark), is_landmark)  # type: ignore[attr-defined]
    except (NotImplementedError, AttributeError):
        return Row(mechanism, {}, None, "its budgets are known only after a run")
    chosen = landmark_loss(budgets, is_landmark, correlation, bound, shared=shared)
    losses: dict[Bound, LandmarkLoss] = {chosen.bound: chosen}
    if chosen.bound == "bridge":
        losses["published"] = landmark_loss(budgets, is_landmark, correlation, "published", shared=shared)
    elif bound:  # the published one was asked for: the other beside it, where it can be had
        other = landmark_loss(budgets, is_landmark, correlation, shared=shared)
        losses[other.bound] = other
    return Row(mechanism, losses, chosen)


def _overall(loss: LandmarkLoss | None) -> dict[str, float] | None:
    if loss is None:
        return None
    return {"joint": highest(loss.joint), "own": highest(loss.own), "landmarks_only": loss.landmarks_only}
