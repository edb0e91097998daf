"""Trajectories in a notebook: cleaned, marked, released and drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from privacy_engine.cleaning import CleaningStep, Done, cleaning_steps, parse_cleaning
from privacy_engine.cleaning import clean as cleaned
from privacy_engine.core.arrays import Mask
from privacy_engine.core.optional import required
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.datatypes.labelled_release import Marks, release_trajectories
from privacy_engine.datatypes.tables import Table
from privacy_engine.errors import ParameterError
from privacy_engine.fluent.base import Original, Released, described_steps
from privacy_engine.fluent.drawing import track_map
from privacy_engine.fluent.plotting import plot_tracks
from privacy_engine.formats import Report
from privacy_engine.landmarks import (
    LandmarkMethod,
    SelectionSpec,
    landmark_methods,
    parse_short,
    parse_short_dummies,
)
from privacy_engine.releases.spec import ReleaseSpec


class TrajectoryData(Original):
    """Trajectories of people, with the landmarks that :meth:`landmarks` marked."""

    kind = Trajectory.kind

    def __init__(
        self,
        series: Sequence[Trajectory],
        report: Report | None = None,
        *,
        marks: Marks | None = None,
        cleaning: Sequence[CleaningStep] = (),
        done: Sequence[Done] = (),
    ) -> None:
        super().__init__(report)
        self.series, self.marks = tuple(series), marks
        self._cleaning, self._done = tuple(cleaning), tuple(done)

    @property
    def data(self) -> list[Trajectory]:
        return list(self.series)

    @property
    def masks(self) -> list[Mask]:
        """Which events of each series are landmarks; none before :meth:`landmarks`."""
        return [] if self.marks is None else [marks.mask for marks in self.marks.sets]

    def clean(self, *steps: Any) -> TrajectoryData:
        """The same after cleaning ``steps``, each in short (``drop-jumps:200``) or as an object; its label states them.

        Landmarks are marked afterwards: those of before are left out. Errors of :func:`privacy_engine.cleaning.clean`.
        """
        parsed = parse_cleaning(described_steps(steps, cleaning_steps, "steps"))
        series, done = cleaned(self.series, parsed)
        every, all_done = (*self._cleaning, *parsed), (*self._done, *done)
        return TrajectoryData(series, self.report, cleaning=every, done=all_done)

    def landmarks(
        self, method: Any, *, dummies: Any = None, seed: int | None = None, **parameters: Any
    ) -> TrajectoryData:
        """The same with the landmarks that ``method`` marks.

        Parameters
        ----------
        method : str, mapping or LandmarkMethod
            In short (``stay-points:200m:30min``, ``zones:FILE.geojson``), a registered name with ``parameters``, or an
            object as the API takes it.
        dummies : str, mapping or SelectionSpec, optional
            Events to mark beside them (``one-sided:2``).
        seed : int, optional
            Makes the choice of dummies repeatable, and so not private.

        Raises
        ------
        ParameterErrors
            The method or a parameter is not known, or outside its domain.
        DataError
            The data lack what the method needs.
        """
        beside = dummies if dummies is None or isinstance(dummies, SelectionSpec) else _dummies(dummies, seed)
        marks = Marks.of(self.series, _method(method, parameters), beside)
        return TrajectoryData(self.series, self.report, marks=marks, cleaning=self._cleaning, done=self._done)

    def release(
        self, mechanism: str, *, seed: int | None = None, then: Any = (), **parameters: Any
    ) -> TrajectoryRelease:
        """A release by a registered mechanism with its ``parameters``.

        Parameters
        ----------
        mechanism : str
            A name of ``pe.catalogue("trajectory")``.
        seed : int, optional
            Makes it repeatable; it is then a simulation and promises nothing.
        then : str, mapping or sequence of them
            Steps of post-processing, in short (``ou-smoother``) or as objects; they cost nothing.

        Raises
        ------
        ParameterErrors
            One for each parameter that is missing, unknown, or outside its domain.
        ParameterError
            The mechanism reads landmarks, and none were marked.
        """
        spec = self.spec(mechanism, seed, then, parameters)
        marks = self._marks(spec)
        made = release_trajectories(
            spec, self.series, marks, cleaning=self._cleaning, done=self._done, decisions=self.decisions
        )
        return TrajectoryRelease(made, self)

    publish = release

    def forecast(self, mechanism: str, *, then: Any = (), **parameters: Any) -> Table:
        """The errors to expect of such a release, in metres; for the owner. It raises what :meth:`release` raises."""
        return self.expected(self.spec(mechanism, 0, then, parameters))

    def beside(self, spec: ReleaseSpec) -> Sequence[LandmarkSet]:
        return self._marks(spec).sets

    def _marks(self, spec: ReleaseSpec) -> Marks:
        if self.marks is None and spec.mechanism.reads_landmarks:
            rule = 'marked first: .landmarks("stay-points:200m:30min"), or .landmarks("manual:") for none'
            message = f"landmarks must be {rule}; {spec.mechanism.name} reads them"
            raise ParameterError(message, field="landmarks", rule=rule)
        return self.marks or Marks.none(self.series)

    def to_dataframe(self) -> Any:
        """Series, person, time, longitude, latitude and landmark of each event as a pandas.DataFrame; raw data."""
        pandas = required("pandas", "to_dataframe()")
        frame = frame_of(pandas, self.series)
        if self.marks is not None:
            frame["landmark"] = np.concatenate([np.empty(0, np.bool_), *self.masks])
        return frame

    def plot(self, ax: Any = None) -> Any:
        """Draw tracks and landmarks by matplotlib, and return the axes; MissingPackage without it."""
        return plot_tracks(self.series, self.masks, ax=ax)

    def _facts(self) -> list[tuple[str, str]]:
        facts = self.facts
        rows = [("series", f"{len(self.series):,}"), ("people", f"{facts.people:,}")]
        rows += [("time", f"{facts.start} to {facts.end}")] if facts.start else [("time", "none")]
        rows += [("cleaning", ", ".join(step.title for step in self._cleaning))] if self._cleaning else []
        if self.marks is not None and self.marks.method is not None:
            marked = sum(marks.count for marks in self.marks.sets)
            rows += [("landmarks", f"{marked:,} ({self.marks.method.describe()})")]
        return rows

    def _drawing(self) -> str:
        return track_map(self.series, self.masks)


class TrajectoryRelease(Released):
    """A release of trajectories."""

    _original: TrajectoryData

    @property
    def series(self) -> list[Trajectory]:
        """The published series."""
        return [release.series for release in self.made.published]

    def plot(self, ax: Any = None, *, original: bool = False) -> Any:
        """Draw the published tracks by matplotlib, and return the axes; ``original`` draws it below, for its owner."""
        if original:
            ax = plot_tracks(self._original.series, ax=ax, colour="0.6")
        return plot_tracks(self.series, ax=ax)

    def _drawing(self) -> str:
        return track_map(self.series)


ADAPTER = TrajectoryData


def frame_of(pandas: Any, series: Sequence[Trajectory]) -> Any:
    """Events as a pandas.DataFrame: series, person, time, lon, lat; without times ``time`` is missing."""
    lengths = [len(track) for track in series]
    columns: dict[str, Any] = {
        name: np.repeat(np.array([getattr(track, of) for track in series], dtype=object), lengths)
        for name, of in (("series", "name"), ("person", "person"))
    }
    if series and all(track.time_s is not None for track in series):
        times = np.concatenate([track.time_s for track in series if track.time_s is not None])
        columns["time"] = pandas.to_datetime(np.round(times * 1e3).astype(np.int64), unit="ms", utc=True)
    for axis in ("lon", "lat"):
        columns[axis] = np.concatenate([np.empty(0), *(getattr(track, axis) for track in series)])
    return pandas.DataFrame(columns)


def _method(method: Any, parameters: Mapping[str, Any]) -> LandmarkMethod:
    if isinstance(method, str) and not parameters:
        return parse_short(method, read=lambda name: Path(name).read_bytes())
    described = {"name": method, **parameters} if isinstance(method, str) else method
    return landmark_methods.parse(described, field="landmarks")


def _dummies(dummies: Any, seed: int | None) -> SelectionSpec:
    if isinstance(dummies, str):
        return parse_short_dummies(dummies, seed=seed)
    return SelectionSpec.parse({"method": dummies, "seed": seed})
