"""Series cut into pieces: at silences, at the antimeridian."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privacy_engine.cleaning.base import MOST_SERIES, CleaningStep, Reads, cleaning_steps, cut
from privacy_engine.core.params import LeastEvents, SilenceS
from privacy_engine.core.plurals import counted
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory


class Cut(CleaningStep):
    """Base of the steps that cut: pieces are series of their own, named after theirs and numbered."""

    def _cut(
        self, series: Sequence[Trajectory], places: Callable[[Trajectory], NDArray[np.intp]]
    ) -> tuple[list[Trajectory], int]:
        cuts = [places(one) for one in reported(series)]
        count = sum(len(one) for one in cuts)
        if len(series) + count > MOST_SERIES:
            rule = f"at most {MOST_SERIES:,} series"
            raise self._refuse(rule, f"would make {len(series) + count:,} series; {rule} can be kept")
        return [piece for one, at in zip(series, cuts, strict=True) for piece in cut(one, at)], count


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

    def _apply(self, series: Sequence[Trajectory]) -> tuple[list[Trajectory], str, list[int]]:
        pieces, cuts = self._cut(series, self._silences)
        found, dropped, start = [], list[int](), 0
        for piece in reported(pieces):
            if len(piece) >= self.least_events:
                found.append(piece)
            else:
                dropped += range(start, start + len(piece))
            start += len(piece)
        short = f", and {counted(len(dropped), 'event')} in shorter pieces left out" if dropped else ""
        return found, f"Cut at {counted(cuts, 'gap')}{short}.", dropped

    def _silences(self, one: Trajectory) -> NDArray[np.intp]:
        assert one.time_s is not None
        return np.flatnonzero(np.diff(one.time_s) > self.silence_s) + 1


@cleaning_steps.register
class SplitAntimeridian(Cut):
    """Cuts a series where it crosses the line of 180° longitude, for tools that draw such a step around the globe.

    Cairn itself needs no such cut: its distances, maps and mechanisms know no antimeridian.
    """

    title: ClassVar[str] = "Split at the antimeridian"
    summary: ClassVar[str] = "Splits a series where it crosses 180° of longitude."
    reads: ClassVar[Reads] = "positions"

    name: Literal["split-antimeridian"] = "split-antimeridian"

    def _apply(self, series: Sequence[Trajectory]) -> tuple[list[Trajectory], str, list[int]]:
        found, cuts = self._cut(series, lambda one: np.flatnonzero(np.abs(np.diff(one.lon)) > 180) + 1)
        return found, f"Cut at {counted(cuts, 'crossing')} of the antimeridian.", []
