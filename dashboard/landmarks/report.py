"""A landmark set's report: what mechanisms would leak over it under correlation.

Only the mask is read, never a position; no release is needed. Mechanisms whose budgets depend on the run are
simulated. Where the correlation is estimated from the dataset, that reads positions, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dashboard.core.downsampling import decimated
from dashboard.datasets.people import mask_of_person, person_of
from dashboard.landmarks.correlation import Correlation
from dashboard.landmarks.loss import Bound, LandmarkLoss, highest, landmark_loss, levels, undefined
from dashboard.landmarks.models import LandmarkSet
from dashboard.landmarks.simulated import Spread, spread
from dashboard.storage import parquet
from privacy_engine import mechanisms as _families  # noqa: F401  (registers the mechanisms)
from privacy_engine.analysis.forecast import has_known_budgets
from privacy_engine.data import Floats, Mask
from privacy_engine.errors import ParameterError, shown
from privacy_engine.landmarks.synthetic import average_temporal_distance, dataset_temporal_distance
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

MAX_EVENTS = 100_000
"""Events of one person that a report is worked out for within a request."""
CHUNK = 1000
RADIUS_M = 1.0
"""The paper's: levels are per metre."""
PARTS = ("own", "joint")


@dataclass(frozen=True, eq=False)
class Row:
    """One mechanism: its losses by both bounds, or why there are none; ``spreads`` where its runs differ."""

    mechanism: TrajectoryMechanism
    losses: dict[Bound, LandmarkLoss]
    chosen: LandmarkLoss | None
    why_not: str = ""
    spreads: dict[Bound, Spread] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """The mechanism's."""
        return self.mechanism.registered_name()

    def curves(self) -> dict[str, Floats]:
        """Its losses at every event, (n,) each; the least and the greatest of its runs too, where they differ."""
        if self.chosen is None:
            return {}
        found = {part: getattr(self.chosen, part) for part in PARTS}
        for part in PARTS:
            if self.spreads and (band := self.spreads[self.chosen.bound].band(part)):
                found |= {f"{part}_low": band[0], f"{part}_high": band[1]}
        return found

    def shown(self, at: Any) -> dict[str, Any]:
        """As the answer has it, the curves at the events ``at``."""
        curves = {name: curve[at].tolist() for name, curve in self.curves().items()}
        names = [f"{part}{end}" for part in PARTS for end in ("", "_low", "_high")]
        run = self.spreads.get(self.chosen.bound) if self.chosen else None
        return {
            "name": self.name,
            "title": self.mechanism.title,
            "parameters": self.mechanism.model_dump(exclude={"name", "epsilon"}),
            "why_not": self.why_not,
            "simulated": {"runs": len(run.runs), "note": run.note} if run else None,
            "level": self.chosen.level if self.chosen else None,
            "highest_budget": self.chosen.highest_budget if self.chosen else None,
            "bridge": self._overall("bridge"),
            "published": self._overall("published"),
            **{name: curves.get(name) for name in names},
        }

    def _overall(self, bound: Bound) -> dict[str, Any] | None:
        if bound in self.spreads:
            return self.spreads[bound].overall()
        found = self.losses.get(bound)
        if found is None:
            return None
        alone = {"joint": highest(found.joint), "own": highest(found.own), "landmarks_only": found.landmarks_only}
        return alone | dict.fromkeys(("least", "greatest", "most"))


@dataclass(frozen=True, eq=False)
class Report:
    """The losses over all events of the person whose ``series`` of a landmark set it is, in the order of time."""

    landmark_set: LandmarkSet
    series: int
    epsilon: float
    radius_m: float
    correlation: Correlation
    is_landmark: Mask
    rows: list[Row]

    @property
    def drawn(self) -> list[LandmarkLoss]:
        """The losses that have curves."""
        return [row.chosen for row in self.rows if row.chosen]

    @property
    def curves(self) -> dict[str, Floats]:
        """Every curve under its mechanism's name and its own."""
        return {f"{row.name} {name}": curve for row in self.rows for name, curve in row.curves().items()}

    def shown(self, points: int) -> dict[str, Any]:
        """As the API answers, at most ``points`` events of the curves."""
        at = decimated([*self.curves.values()] or [self.is_landmark.astype(np.float64)], points)
        first = next(iter(self.drawn), None)
        return {
            "landmark_set": str(self.landmark_set.pk),
            "series": self.series,
            **facts(self.is_landmark),
            "epsilon": self.epsilon,
            "radius_m": self.radius_m,
            "epsilon_at_distance": self.epsilon * self.correlation.scale(self.radius_m),
            "correlation": self.correlation.shown(),
            "bound": first.bound if first else "published",
            "why": first.why if first else "",
            "event": at.tolist(),
            "landmarks": parquet.runs(self.is_landmark),
            "decimated": len(at) < len(self.is_landmark),
            "mechanisms": [row.shown(at) for row in self.rows],
        }

    def lines(self) -> Iterator[str]:
        """Every event as CSV, many lines at a time, after lines that say what it is."""
        yield "".join(f"# {line}\r\n" for line in self._about())
        yield ",".join(["event", "landmark", *self.curves])
        yield "\r\n"
        columns = [self.is_landmark.astype(int), *self.curves.values()]
        for start in range(0, len(self.is_landmark), CHUNK):
            parts = [column[start : start + CHUNK].tolist() for column in columns]
            rows = enumerate(zip(*parts, strict=True), start)
            yield "".join(f"{event},{','.join(map(repr, values))}\r\n" for event, values in rows)

    def _about(self) -> Iterator[str]:
        about = self.correlation.shown()
        said = ", ".join(
            f"{name}={about[name]}" for name in ("s", "n", "cell_m", "smoothing") if about[name] is not None
        )
        level = f"epsilon={self.epsilon:g} within {self.radius_m:g} m"
        states = f"for states at most {about['diameter_m']:g} m apart"
        yield f"Temporal privacy loss at {level}, {states}; correlation {about['kind']} {said}".rstrip()
        for loss in self.drawn[:1]:
            yield f"bound {loss.bound}" + ("" if loss.bound == "bridge" else ", which is not an upper bound")
        yield from (f"{row.name}: {one.note}" for row in self.rows for one in [*row.spreads.values()][:1])
        if about["note"]:
            yield about["note"]


def facts(is_landmark: Mask) -> dict[str, Any]:
    """What a mask is like, without looking at a position."""
    count = int(is_landmark.sum())
    return {
        "points": len(is_landmark),
        "count": count,
        "share": count / len(is_landmark) if len(is_landmark) else 0.0,
        "runs": len(parquet.runs(is_landmark)),
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
        "runs": sum(len(parquet.runs(part)) for part in parts),
        "average_temporal_distance": dataset_temporal_distance(landmark_set.mask, lengths),
    }


def mask_of(landmark_set: LandmarkSet, series: int) -> Mask:
    """Which events are landmarks of the person whose ``series`` it is, where they are few enough for a report.

    Events of all series of the person, in the order of time: they share one budget.

    Raises
    ------
    ParameterError
        There is no such series, or its person has more events than are worked out within a request.
    """
    person = person_of(landmark_set.dataset, series)
    if len(person) > MAX_EVENTS:
        rule = f"a series of a person with at most {MAX_EVENTS:,} events"
        raise ParameterError(
            f"series must be {rule}, this one has {len(person):,}", field="series", rule=rule, value=series
        )
    return mask_of_person(landmark_set.dataset, landmark_set.mask, person)


def report(
    landmark_set: LandmarkSet,
    *,
    series: int,
    epsilon: float,
    correlation: Correlation,
    bound: Bound | Any = "",
    radius_m: float = RADIUS_M,
    parameters: Mapping[str, Any] | None = None,
) -> Report:
    """The losses of every registered mechanism at level ``epsilon`` within ``radius_m``; the curves by ``bound``.

    ``parameters`` are those of some mechanisms by their names; what is not given is as by default, or the example.

    Raises
    ------
    ParameterError
        As :func:`mask_of`; a parameter lies outside its domain, or the bound asked for cannot be had.
    """
    is_landmark = mask_of(landmark_set, series)
    own = _known(parameters or {})
    common = {"epsilon": epsilon, "radius_m": radius_m}
    described = [_described(cls, own.get(cls.registered_name(), {}), common) for cls in mechanisms.of("trajectory")]
    rows = [_row(mechanism, is_landmark, correlation, bound) for mechanism in described]
    return Report(landmark_set, series, epsilon, radius_m, correlation, is_landmark, rows)


def _known(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    names = [cls.registered_name() for cls in mechanisms.of("trajectory")]
    for name, own in parameters.items():
        if name not in names:
            rule = f"one of {', '.join(names)}"
            message = f"a mechanism in parameters must be {rule}, got {shown(name)!r}"
            raise ParameterError(message, field="parameters", rule=rule, value=name)
        if not isinstance(own, dict) or {"name", "epsilon", "radius_m"} & own.keys():
            rule = "an object of the mechanism's own parameters"
            raise ParameterError(f"parameters.{name} must be {rule}", field=f"parameters.{name}", rule=rule)
    return parameters


def _described(
    cls: type[TrajectoryMechanism], own: Mapping[str, Any], common: Mapping[str, Any]
) -> TrajectoryMechanism:
    needed = {one["name"]: one["example"] for one in cls.fields() if one["required"]}
    name = cls.registered_name()
    return mechanisms.of("trajectory").parse(
        {**needed, **own, "name": name, **common}, field=f"parameters.{name}" if own else ""
    )


def _row(mechanism: TrajectoryMechanism, is_landmark: Mask, correlation: Correlation, bound: Any) -> Row:
    if why_not := undefined(mechanism):
        return Row(mechanism, {}, None, why_not)
    if not has_known_budgets(mechanism):
        return _simulated_row(mechanism, is_landmark, correlation, bound)
    budgets, shared = levels(mechanism, mechanism.budgets(is_landmark), is_landmark, correlation)
    chosen = landmark_loss(budgets, is_landmark, correlation, bound, shared=shared)
    losses: dict[Bound, LandmarkLoss] = {chosen.bound: chosen}
    if chosen.bound == "bridge":
        losses["published"] = landmark_loss(budgets, is_landmark, correlation, "published", shared=shared)
    elif bound:  # the published one was asked for: the other beside it, where it can be had
        other = landmark_loss(budgets, is_landmark, correlation, shared=shared)
        losses[other.bound] = other
    return Row(mechanism, losses, chosen)


def _simulated_row(mechanism: TrajectoryMechanism, is_landmark: Mask, correlation: Correlation, bound: Any) -> Row:
    if not hasattr(mechanism, "most_budgets"):
        return Row(mechanism, {}, None, "its budgets are known only after a run")
    first = spread(mechanism, is_landmark, correlation, bound)
    chosen = first.middle()
    spreads: dict[Bound, Spread] = {chosen.bound: first}
    if chosen.bound == "bridge":
        spreads["published"] = spread(mechanism, is_landmark, correlation, "published")
    elif bound:
        other = spread(mechanism, is_landmark, correlation)
        spreads[other.most.bound] = other
    return Row(mechanism, {}, chosen, "", spreads)
