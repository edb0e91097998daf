"""``TrajectoryCell``: a release, landmarks, perhaps dummies beside them and a correlation that an adversary knows."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from pydantic import field_serializer, field_validator, model_validator

from privacy_engine.analysis.data_scale import data_scale
from privacy_engine.analysis.reference_radius import reference_radius
from privacy_engine.core.arrays import Floats
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.experiments.cells.base import Cell, described, lacks, moved
from privacy_engine.experiments.correlation import Correlation
from privacy_engine.experiments.inputs import Given, columns_digest
from privacy_engine.experiments.measures import MarkedShare, Measure, Work
from privacy_engine.experiments.trials import Trials
from privacy_engine.landmarks import DummyMethod, LandmarkMethod, dummy_methods, landmark_methods


class TrajectoryCell(Cell):
    """One combination of an experiment on trajectories.

    ``redraw`` marks new landmarks in each repetition, by a seed made of that of the method and the cell's; dummies
    are always new ones. With ``common`` all cells of a seed also see the same landmarks.
    """

    data_kind: ClassVar[str] = Trajectory.kind
    item: ClassVar[str] = "event"
    generated: ClassVar[str] = "synthetic series"
    results: ClassVar[int] = 1
    columns: ClassVar[tuple[str, ...]] = ("lon", "lat", "time_s", "marked")
    takes_series: ClassVar[bool] = True
    has_landmarks: ClassVar[bool] = True

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
        method: LandmarkMethod | DummyMethod = described(field, lambda: parse(value))
        return method

    @field_serializer("landmarks", "dummies")
    def _dumped(self, value: LandmarkMethod | DummyMethod | None) -> dict[str, Any] | None:
        return None if value is None else value.model_dump()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        for metric in self.metrics:
            if metric.needs_release and self.release is None:
                raise ParameterErrors([lacks("release", f"is required by the metric {metric.name}", None)])
        if self.redraw and "seed" not in type(self.landmarks).model_fields:
            rule = "must be a random method to be drawn again"
            raise ParameterErrors([lacks("landmarks", rule, self.landmarks.name)])
        return self

    @classmethod
    def sizes_of(cls, data: Sequence[Trajectory]) -> list[int]:
        return [len(track) for track in data]

    @classmethod
    def given_of(cls, data: Sequence[Trajectory] | None) -> Given | None:
        return Given(radius_m=reference_radius(data_scale(data)).radius_m) if data else None

    @classmethod
    def digest_of(cls, data: Sequence[Trajectory] | None) -> str:
        def columns(track: Trajectory) -> Iterator[tuple[str, Any]]:
            yield f" {len(track)} {track.time_s is not None} {track.marked is not None} ", None
            yield from (("", getattr(track, name)) for name in cls.columns)

        every = (column for track in data or () for column in columns(track))
        return columns_digest(f"cairn experiment {cls.results}", every)

    @cached_property
    def draws(self) -> tuple[str, str | None, bool, int | None]:
        """What its landmarks and dummies follow from, but for the repetition."""
        dummies = None if self.dummies is None else self.dummies.model_dump_json()
        random = self.redraw or dummies is not None
        return self.landmarks.model_dump_json(), dummies, self.redraw, self.root if random else None

    def values(self, data: Sequence[Trajectory], which: range) -> Floats:
        trials = Trials(self, data, which)
        measured = (_measured(metric, trials, f"metrics.{i}") for i, metric in enumerate(self.metrics))
        return np.array([MarkedShare().values(trials), *measured])

    def seconds(self, sizes: Sequence[int], repetitions: int) -> float:
        """About how long so many repetitions take on a single core, in seconds, over series of so many events.

        Sums of constants measured on a core of a small machine in 2026, right within a factor of three for series of
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
