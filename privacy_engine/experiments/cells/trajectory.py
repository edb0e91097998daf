"""``TrajectoryCell``: a release, landmarks, perhaps dummies beside them and a correlation that an adversary knows."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from typing import Annotated, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import field_serializer, field_validator, model_validator

from privacy_engine.accounting.distance import LEAST_M, MOST_M, scale
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix
from privacy_engine.accounting.validation import MAX_STATES
from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Frozen, Param
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments.cells.base import Cell, described, lacks, moved
from privacy_engine.experiments.measures import MarkedShare, Measure, Work
from privacy_engine.experiments.trials import Trials
from privacy_engine.landmarks import DummyMethod, LandmarkMethod, dummy_methods, landmark_methods

STATES = Param(label="States", help="Places the adversary distinguishes.", lowest=1, highest=MAX_STATES, example=2)
SMOOTHING = Param(
    label="Smoothing",
    symbol="s",
    help="0 is the strongest correlation. The paper calls 1 weak, 0.1 moderate and 0.01 strong.",
    lowest=0.0,
    highest=1e6,
    example=0.1,
)
DIAMETER = Param(
    label="How far apart states lie at most",
    symbol="D",
    unit="m",
    help="ε within the radius r counts D / r times. None: states one radius apart, the plain levels of the papers.",
    lowest=LEAST_M,
    highest=MOST_M,
    example=1000.0,
)


class Correlation(Frozen):
    """What an adversary knows of how positions follow one another: a smoothed matrix, the same in both directions.

    ``diameter_m`` is how far apart the positions of two states lie at most. It must be given, if only as None: states
    one radius of the mechanism apart, whose levels are plain numbers as in the papers.
    ``bound`` defines how landmark losses are put together:
    :func:`privacy_engine.accounting.temporal.landmark_temporal_loss`.
    """

    smoothing: Annotated[float, SMOOTHING]
    diameter_m: Annotated[float | None, DIAMETER]
    states: Annotated[int, STATES] = 2
    bound: Literal["published", "bridge"] = "published"

    def scale(self, radius_m: float) -> float:
        """What a level within ``radius_m`` is multiplied by to hold at the states' distance."""
        return 1.0 if self.diameter_m is None else scale(self.diameter_m, radius_m)

    def carried(self) -> LossFunction:
        """The loss function of the matrix, cached for the next call."""
        return _carried(self.states, self.smoothing)


@lru_cache(maxsize=8)
def _carried(states: int, smoothing: float) -> LossFunction:
    return LossFunction(smoothing_matrix(states, smoothing))


class TrajectoryCell(Cell):
    """One combination of an experiment on trajectories.

    ``redraw`` marks new landmarks in each repetition, by a seed made of that of the method and the cell's; dummies
    are always new ones. With ``common`` all cells of a seed also see the same landmarks.
    """

    data_kind: ClassVar[str] = Trajectory.kind

    landmarks: Any
    dummies: Any = None
    correlation: Correlation | None = None
    redraw: bool = False

    @field_validator("landmarks", "dummies", mode="before")
    @classmethod
    def _registered(cls, value: Any, info: Any) -> LandmarkMethod | DummyMethod | None:
        field = str(info.field_name)
        if value is None and field == "dummies":
            return None
        parse = landmark_methods.parse if field == "landmarks" else dummy_methods.parse
        found: LandmarkMethod | DummyMethod = described(field, lambda: parse(value))
        return found

    @field_serializer("landmarks", "dummies")
    def _dumped(self, value: LandmarkMethod | DummyMethod | None) -> dict[str, Any] | None:
        return None if value is None else value.model_dump()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for one in self.metrics:
            if one.needs_release and self.release is None:
                raise ParameterErrors([lacks("release", f"is required by the metric {one.name}", None)])
        if self.redraw and "seed" not in type(self.landmarks).model_fields:
            rule = "must be a random method to be drawn again"
            raise ParameterErrors([lacks("landmarks", rule, self.landmarks.name)])
        return self

    @cached_property
    def draws(self) -> tuple[str, str | None, bool, int | None]:
        """What its landmarks and dummies follow from, but for the repetition."""
        dummies = None if self.dummies is None else self.dummies.model_dump_json()
        random = self.redraw or dummies is not None
        return self.landmarks.model_dump_json(), dummies, self.redraw, self.root if random else None

    def values(self, data: Sequence[Trajectory], which: range) -> Floats:
        trials = Trials(self, data, which)
        measured = (_measured(one, trials, f"metrics.{i}") for i, one in enumerate(self.metrics))
        return np.array([MarkedShare().values(trials), *measured])

    def seconds(self, sizes: Sequence[int], repetitions: int) -> float:
        """About how long so many repetitions take on one core, in seconds, over series of so many events.

        Sums of constants measured on one core of a small machine in 2026, right within a factor of three for series of
        100 to 100,000 events: for the landmarks, for the dummies (:meth:`DummyMethod.seconds`, at worst) and for each
        metric. Which events are landmarks is not read: dummies are reckoned for the share a method requires, or a
        fifth. A first run in a process also loads its kernels, about 0.2 s, which are not counted.
        """
        events, draws = sum(sizes), repetitions if self.redraw else 1
        marking = draws * (7e-5 * len(sizes) + 3e-8 * events)
        if self.dummies is not None:
            marking += repetitions * self.dummies.seconds(_typical(self, sizes))
        work: Work = {}  # what two metrics share is done once
        for measure in self.metrics:
            work |= measure.work(self, list(sizes), repetitions)
        return float(marking + sum(work.values()))


def _measured(measure: Measure, trials: Trials, place: str) -> Floats:
    try:
        return measure.values(trials)
    except ParameterError as wrong:
        if wrong.field not in type(measure).model_fields:
            raise
        raise moved(wrong, wrong.field, f"{place}.{wrong.field}") from None


def _typical(cell: TrajectoryCell, lengths: Sequence[int]) -> list[LandmarkSet]:
    """Landmarks as many as the method may mark, spread evenly."""
    share = getattr(cell.landmarks, "share", 0.2)
    return [LandmarkSet(np.diff(np.floor(share * np.arange(n + 1))) > 0) for n in lengths]
