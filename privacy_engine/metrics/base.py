"""What the metrics share: the original beside published positions, of a release or of many repetitions."""

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.component import Component
from privacy_engine.core.progress import reported
from privacy_engine.data import Release, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.registry import Registry


class Metric(Component):
    """Base of every metric of every kind of data: one number, in ``unit``, for what a release costs in use.

    ``less_is_better``: a smaller value is of a more useful release. ``held_out``: the truth is of people that were left
    out of what was released, which only experiments have.
    """

    unit: ClassVar[str] = ""
    less_is_better: ClassVar[bool] = True
    held_out: ClassVar[bool] = False

    name: str

    def of(self, truth: Any, release: Any) -> float:
        """Its value for a release of ``truth``; not a number for an empty release."""
        raise NotImplementedError


class TrajectoryMetric(Metric):
    """Base of every metric of trajectories: one number, in ``unit``, for what became of a series.

    ``summary`` is the sentence a page shows beside the number; the docstring names the source. A subclass writes
    :meth:`_one`, or :meth:`_over` where all repetitions can be measured at once.
    """

    kind: ClassVar[str] = Trajectory.kind
    unit: ClassVar[str] = "m"

    def of(self, truth: Trajectory, release: Release) -> float:
        """Its value for a release; not a number for an empty release. Errors of :meth:`over`."""
        return float(self.over(truth, release.series.lon, release.series.lat, release.event))

    def over(self, truth: Trajectory, lon: ArrayLike, lat: ArrayLike, event: ArrayLike) -> Floats:
        """Its value for published positions, (...) for ``lon`` and ``lat`` (..., m): repetitions side by side.

        ``event`` (m,) are the 0-based events of ``truth`` that the positions stand for, ascending. Not a number where
        nothing is published, or where the original has nothing to compare with.

        Raises
        ------
        DataError
            The metric needs times and the original has none, or the arrays do not fit each other.
        ParameterError
            The series are longer than the metric can compare exactly.
        """
        if self.needs_time and truth.time_s is None:
            raise DataError(f"{self.title} needs times", field="time_s", rule="required")
        lon, lat = np.asarray(lon, dtype=np.float64), np.asarray(lat, dtype=np.float64)
        at = np.asarray(event, dtype=np.int64)
        if lon.shape != lat.shape or lon.shape[-1:] != at.shape:
            message = f"lon, lat and event must be as many, got {lon.shape}, {lat.shape} and {at.shape}"
            raise DataError(message, field="event", rule="same length")
        if not at.size:
            return np.full(lon.shape[:-1], np.nan)
        return np.asarray(self._over(truth, lon, lat, at))

    def seconds_once(self, events: int) -> float:
        """About how long a release of so many events takes, on a single core of a small machine."""
        return 5e-5 + 5e-8 * events

    def _over(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> Floats:
        m = len(event)
        rows = reported(zip(lon.reshape(-1, m), lat.reshape(-1, m), strict=True))
        return np.array([self._one(truth, x, y, event) for x, y in rows]).reshape(lon.shape[:-1])

    def _one(self, truth: Trajectory, lon: Floats, lat: Floats, event: Ints) -> float:
        """The value for the positions (m,), m ≥ 1, of a repetition."""
        raise NotImplementedError


def on_sphere(lon: Floats, lat: Floats) -> Floats:
    """Positions in degrees as points of the unit sphere, (n, 3): chords between them sort as great circles do."""
    from privacy_engine.kernels.staypoints import unit_vectors

    columns = [np.ascontiguousarray(axis).view() for axis in (lon, lat)]
    for column in columns:
        column.setflags(write=False)  # the kernel is compiled once, for arrays it may only read
    return unit_vectors(*columns)


metrics: Registry[Metric] = Registry("metric", "cairn.metrics", Metric)
