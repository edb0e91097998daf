"""A part of what came in: some of its series, the first events of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np
from pydantic import AfterValidator

from privacy_engine.cleaning.base import MOST_SERIES, CleaningStep, Reads, cleaning_steps, kept
from privacy_engine.core.arrays import Mask
from privacy_engine.core.params import EventCount, Param, broken
from privacy_engine.core.plurals import quantity
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import spread
from privacy_engine.data.trajectories import Trajectories

_LIST = re.compile(r"[0-9]{1,6}(-[0-9]{1,6})?(,[0-9]{1,6}(-[0-9]{1,6})?){0,999}", re.ASCII)
_RULE = f"must be numbers of series and ranges of them between 1 and {MOST_SERIES}: 1-3, 7"


def _spans(text: str) -> list[tuple[int, int]]:
    """The ranges of a list of numbers, inclusive, 1-based."""
    parts = (part.partition("-") for part in text.split(","))
    return [(int(first), int(last or first)) for first, _, last in parts]


def _listed(text: str) -> str:
    bare = re.sub(r"\s+", "", text)
    if len(text) > 10_000 or not _LIST.fullmatch(bare) or any(not 1 <= a <= b <= MOST_SERIES for a, b in _spans(bare)):
        raise broken(_RULE)
    return bare


@cleaning_steps.register
class OnlySeries(CleaningStep):
    """Keeps the series with these numbers, counted from 1 in the order of the file; the others go."""

    title: ClassVar[str] = "Only some series"
    summary: ClassVar[str] = "Keeps the series you name by number and leaves the others out."
    reads: ClassVar[Reads] = "nothing"

    name: Literal["only-series"] = "only-series"
    numbers: Annotated[
        str,
        AfterValidator(_listed),
        Param(label="Series", help="Numbers and ranges in the order of the file, such as 1-3, 7.", example="1"),
    ]

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        chosen = np.zeros(len(series), dtype=np.bool_)
        for first, last in _spans(self.numbers):
            if last > len(series):
                are = "is" if len(series) == 1 else "are"
                raise self._refuse(
                    f"1 to {len(series)}", f"names series {last:,}, but there {are} only {len(series):,}"
                )
            chosen[first - 1 : last] = True
        numbers = np.flatnonzero(chosen).tolist()
        chosen_series = series.picked(numbers) if isinstance(series, Trajectories) else [series[i] for i in numbers]
        return chosen_series, f"{quantity(len(series) - len(chosen_series), 'series')} left out.", []


@cleaning_steps.register
class FirstEvents(CleaningStep):
    """Keeps the first so many events of each series."""

    title: ClassVar[str] = "First events"
    summary: ClassVar[str] = "Keeps the first events of each series and leaves the rest out."
    reads: ClassVar[Reads] = "nothing"

    name: Literal["first-events"] = "first-events"
    events: EventCount

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        remaining, dropped, first = kept(series, self._first)
        return remaining, f"{quantity(dropped, 'event')} after the first {self.events:,} of a series left out.", first

    def _first(self, some: Trajectories) -> Mask:
        ends = np.minimum(some.starts[:-1] + self.events, some.starts[1:])
        starts = np.append(np.column_stack((some.starts[:-1], ends)), some.starts[-1])
        return spread(np.tile([True, False], len(some)), starts)
