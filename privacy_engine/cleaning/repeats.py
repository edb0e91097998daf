"""Removal of events that repeat their predecessor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.cleaning.base import LeavesOut, Reads, cleaning_steps, of_steps
from privacy_engine.core.arrays import Mask
from privacy_engine.core.params import Param
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import Trajectories, has_times

Same = Literal["record", "place", "time"]


@cleaning_steps.register
class DropRepeats(LeavesOut):
    """Drops every event that repeats the one before: the whole record, only its place, or only its time.

    The first of the repeating events stays. Dropping repeated places shortens what a logger wrote while nothing moved,
    and with it changes which share of the events a stay is.
    """

    title: ClassVar[str] = "Drop repeats"
    summary: ClassVar[str] = "Leaves out events that repeat the one before."
    which: ClassVar[str] = "that repeated the one before"
    reads: ClassVar[Reads] = "positions"

    name: Literal["drop-repeats"] = "drop-repeats"
    same: Annotated[
        Same,
        Param(
            label="Repeats are",
            help="What must equal the event before.",
            options=(
                ("record", "the same place at the same time"),
                ("place", "the same place, whatever the time"),
                ("time", "the same time, whatever the place"),
            ),
        ),
    ] = "record"

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        if self.same == "time" and not has_times(series):
            raise self._refuse("needs times", "by time needs times, and this file has none")
        return super()._apply(series)

    def _keeps(self, some: Trajectories) -> Mask:
        columns = [] if self.same == "time" else [some.lon, some.lat]
        if self.same != "place" and some.time_s is not None:
            columns.append(some.time_s)
        return of_steps(some, lambda *steps: np.any(steps, axis=0), *columns, first=True)
