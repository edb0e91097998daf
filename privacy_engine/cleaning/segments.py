"""Series cut into pieces: at silences, at the antimeridian."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import numpy as np

from privacy_engine.cleaning.base import MOST_SERIES, CleaningStep, Reads, cleaning_steps, kept, made_of, of_steps
from privacy_engine.core.arrays import Mask
from privacy_engine.core.params import LeastEvents, SilenceS
from privacy_engine.core.plurals import quantity
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import spread, total
from privacy_engine.data.trajectories import Trajectories


class Cut(CleaningStep):
    """Base of the steps that cut: pieces are series of their own, named after theirs and numbered."""

    def _cut(self, series: Sequence[Trajectory], column: str, most: float) -> tuple[Sequence[Trajectory], int]:
        """The pieces, and the number of cuts: where a step of the column is larger than ``most``."""
        count = 0

        def cut(some: Trajectories) -> Sequence[Trajectory]:
            nonlocal count
            mask = of_steps(some, lambda step: np.abs(step) > most, getattr(some, column), first=False)
            count += int(total(mask))
            return some.cut_at(np.flatnonzero(mask)) if count <= MOST_SERIES else []

        pieces = made_of(series, cut)
        if len(series) + count > MOST_SERIES:
            rule = f"at most {MOST_SERIES:,} series"
            raise self._refuse(rule, f"would make {len(series) + count:,} series; {rule} can be kept")
        return pieces, count


@cleaning_steps.register
class SplitGaps(Cut):
    """Cuts a series where it is silent for longer than the limit; pieces shorter than the least number go.

    A gap shows when a logger was off, never where: the step reads times alone.
    """

    title: ClassVar[str] = "Split at gaps"
    summary: ClassVar[str] = "Splits a series where nothing was recorded for long."
    reads: ClassVar[Reads] = "times"
    needs_time: ClassVar[bool] = True

    name: Literal["split-gaps"] = "split-gaps"
    silence_s: SilenceS
    least_events: LeastEvents = 1

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        pieces, cuts = self._cut(series, "time_s", self.silence_s)
        remaining, dropped, first = kept(made_of(pieces, Trajectories.without_empty), self._long)
        short = f", and {quantity(dropped, 'event')} in shorter pieces left out" if dropped else ""
        return remaining, f"Cut at {quantity(cuts, 'gap')}{short}.", first

    def _long(self, some: Trajectories) -> Mask:
        return spread(np.diff(some.starts) >= self.least_events, some.starts)


@cleaning_steps.register
class SplitAntimeridian(Cut):
    """Cuts a series where it crosses the line of 180° longitude, for tools that draw such a step around the globe.

    Cairn itself needs no such cut: its distances, maps and mechanisms know no antimeridian.
    """

    title: ClassVar[str] = "Split at the antimeridian"
    summary: ClassVar[str] = "Splits a series where it crosses 180° of longitude."
    reads: ClassVar[Reads] = "positions"

    name: Literal["split-antimeridian"] = "split-antimeridian"

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        pieces, cuts = self._cut(series, "lon", 180)
        return pieces, f"Cut at {quantity(cuts, 'crossing')} of the antimeridian.", []
