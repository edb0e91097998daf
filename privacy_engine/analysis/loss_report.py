"""What mechanisms would leak over landmarks under correlation.

Only the mask is read, never a position; no release is needed. Mechanisms whose budgets depend on the run are
simulated. Where the correlation is estimated from the dataset, that reads positions, and the result states it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privacy_engine.analysis.correlation import Correlation, CorrelationDescription
from privacy_engine.analysis.downsampling import decimated, runs
from privacy_engine.analysis.forecast import has_known_budgets
from privacy_engine.analysis.losses import Bound, BoundOrBest, LandmarkLoss, highest, landmark_loss, levels, undefined
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.simulated_losses import Overall, Spread, spread
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.errors import ParameterError, shown
from privacy_engine.landmarks.synthetic import average_temporal_distance
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

CHUNK = 1000
RADIUS_M = 1.0
"""The paper's: levels are per metre."""
PARTS = ("own", "joint")


class MaskFacts(Result):
    """What a mask is like, without reading a position."""

    points: int
    count: int
    share: float
    runs: int
    """The number of ranges of successive landmarks."""
    average_temporal_distance: float


class SimulatedRuns(Result):
    """Runs on generated walks, where budgets depend on the run."""

    runs: int
    """0: too long to simulate; the values are what no run exceeds."""
    note: str


class MechanismLoss(Result):
    """One mechanism's losses; medians of simulated runs where its budgets depend on the run."""

    name: str
    title: str
    parameters: dict[str, Any]
    """All but ε; examples where it needs some."""
    why_not: str
    """Why it has no losses here; else empty."""
    simulated: SimulatedRuns | None
    """null where its budgets are known beforehand."""
    level: float | None
    """Landmarks and one event without correlation, at the distance of the states."""
    highest_budget: float | None
    """The same of the worst event alone."""
    bridge: Overall | None
    published: Overall | None
    own: list[float] | None = None
    own_low: list[float] | None = None
    """The least of the simulated runs."""
    own_high: list[float] | None = None
    """The greatest."""
    joint: list[float] | None = None
    joint_low: list[float] | None = None
    joint_high: list[float] | None = None


class LossReport(MaskFacts):
    """What mechanisms leak over a landmark set. Reads which events are landmarks only."""

    landmark_set: str
    series: int
    epsilon: float
    radius_m: float
    epsilon_at_distance: float
    """epsilon × correlation.diameter_m / radius_m."""
    correlation: CorrelationDescription
    bound: Bound
    """That of the curves."""
    why: str
    """Why it is not the bridged bound; empty where it is or was not requested."""
    event: list[int]
    landmarks: list[list[int]]
    decimated: bool
    mechanisms: list[MechanismLoss]


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
        parts = {part: getattr(self.chosen, part) for part in PARTS}
        for part in PARTS:
            if self.spreads and (band := self.spreads[self.chosen.bound].band(part)):
                parts |= {f"{part}_low": band[0], f"{part}_high": band[1]}
        return parts

    def shown(self, at: Ints) -> MechanismLoss:
        """As results have it, the curves at the events ``at``."""
        run = self.spreads.get(self.chosen.bound) if self.chosen else None
        return MechanismLoss(
            name=self.name,
            title=self.mechanism.title,
            parameters=self.mechanism.model_dump(exclude={"name", "epsilon"}),
            why_not=self.why_not,
            simulated=SimulatedRuns(runs=len(run.runs), note=run.note) if run else None,
            level=self.chosen.level if self.chosen else None,
            highest_budget=self.chosen.highest_budget if self.chosen else None,
            bridge=self._overall("bridge"),
            published=self._overall("published"),
            **{name: curve[at].tolist() for name, curve in self.curves().items()},
        )

    def _overall(self, bound: Bound) -> Overall | None:
        if bound in self.spreads:
            return self.spreads[bound].overall()
        loss = self.losses.get(bound)
        if loss is None:
            return None
        return Overall(joint=highest(loss.joint), own=highest(loss.own), landmarks_only=loss.landmarks_only)


@dataclass(frozen=True, eq=False)
class Losses:
    """The losses of mechanisms over n events with landmarks ``is_landmark`` (n,), in the order of time."""

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

    def shown(self, points: int, *, landmark_set: str, series: int) -> LossReport:
        """At most ``points`` events of the curves; the result names ``landmark_set`` and ``series``."""
        at = decimated([*self.curves.values()] or [self.is_landmark.astype(np.float64)], points)
        first = next(iter(self.drawn), None)
        return LossReport(
            landmark_set=landmark_set,
            series=series,
            **facts(self.is_landmark).model_dump(),
            epsilon=self.epsilon,
            radius_m=self.radius_m,
            epsilon_at_distance=self.epsilon * self.correlation.scale(self.radius_m),
            correlation=self.correlation.shown(),
            bound=first.bound if first else "published",
            why=first.why if first else "",
            event=at.tolist(),
            landmarks=runs(self.is_landmark),
            decimated=len(at) < len(self.is_landmark),
            mechanisms=[row.shown(at) for row in self.rows],
        )

    def lines(self) -> Iterator[str]:
        """Every event as CSV, many lines at a time, after comment lines that describe it."""
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
        known = about.model_dump(include={"s", "n", "cell_m", "smoothing"}, exclude_none=True)
        text = ", ".join(f"{name}={value}" for name, value in known.items())
        level = f"epsilon={self.epsilon:g} within {self.radius_m:g} m"
        states = f"for states at most {about.diameter_m:g} m apart"
        yield f"Temporal privacy loss at {level}, {states}; correlation {about.kind} {text}".rstrip()
        for loss in self.drawn[:1]:
            yield f"bound {loss.bound}" + ("" if loss.bound == "bridge" else ", which is not an upper bound")
        yield from (f"{row.name}: {simulated.note}" for row in self.rows for simulated in [*row.spreads.values()][:1])
        if about.note:
            yield about.note


def facts(is_landmark: Mask) -> MaskFacts:
    """What a mask is like, without reading a position."""
    count = int(is_landmark.sum())
    return MaskFacts(
        points=len(is_landmark),
        count=count,
        share=count / len(is_landmark) if len(is_landmark) else 0.0,
        runs=len(runs(is_landmark)),
        average_temporal_distance=average_temporal_distance(is_landmark),
    )


def losses(
    is_landmark: Mask,
    *,
    epsilon: float,
    correlation: Correlation,
    bound: BoundOrBest = "",
    radius_m: float = RADIUS_M,
    parameters: Mapping[str, Any] | None = None,
) -> Losses:
    """The losses of every registered mechanism at level ``epsilon`` within ``radius_m``; the curves by ``bound``.

    ``parameters`` are those of some mechanisms by their names; what is not given is as by default, or the example.

    Raises
    ------
    ParameterError
        A parameter lies outside its domain, or the requested bound cannot be computed.
    """
    own = _known(parameters or {})
    common = {"epsilon": epsilon, "radius_m": radius_m}
    described = [_described(cls, own.get(cls.registered_name(), {}), common) for cls in mechanisms.of("trajectory")]
    rows = [_row(mechanism, is_landmark, correlation, bound) for mechanism in described]
    return Losses(epsilon, radius_m, correlation, is_landmark, rows)


def _known(parameters: Mapping[str, Any]) -> Mapping[str, Any]:
    names = [cls.registered_name() for cls in mechanisms.of("trajectory")]
    for name, own in parameters.items():
        if name not in names:
            rule = f"one of {', '.join(names)}"
            message = f"a mechanism in parameters must be {rule}, got {shown(name)!r}"
            raise ParameterError(message, field="parameters", rule=rule, value=name)
        if not isinstance(own, dict) or {"name", "epsilon", "radius_m"} & own.keys():
            raise ParameterError.must_be(f"parameters.{name}", "an object of the mechanism's own parameters")
    return parameters


def _described(
    cls: type[TrajectoryMechanism], own: Mapping[str, Any], common: Mapping[str, Any]
) -> TrajectoryMechanism:
    needed = {param["name"]: param["example"] for param in cls.fields() if param["required"]}
    name = cls.registered_name()
    made: TrajectoryMechanism = mechanisms.of("trajectory").parse(
        {**needed, **own, "name": name, **common}, field=f"parameters.{name}" if own else ""
    )
    return made


def _row(mechanism: TrajectoryMechanism, is_landmark: Mask, correlation: Correlation, bound: BoundOrBest) -> Row:
    if why_not := undefined(mechanism):
        return Row(mechanism, {}, None, why_not)
    if not has_known_budgets(mechanism):
        return _simulated_row(mechanism, is_landmark, correlation, bound)
    budgets, shared = levels(mechanism, mechanism.budgets(is_landmark), is_landmark, correlation)
    chosen = landmark_loss(budgets, is_landmark, correlation, bound, shared=shared)
    losses: dict[Bound, LandmarkLoss] = {chosen.bound: chosen}
    if chosen.bound == "bridge":
        losses["published"] = landmark_loss(budgets, is_landmark, correlation, "published", shared=shared)
    elif bound:  # the published bound was requested: the other beside it, where it can be computed
        other = landmark_loss(budgets, is_landmark, correlation, shared=shared)
        losses[other.bound] = other
    return Row(mechanism, losses, chosen)


def _simulated_row(
    mechanism: TrajectoryMechanism, is_landmark: Mask, correlation: Correlation, bound: BoundOrBest
) -> Row:
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
