"""Which series an experiment is tried on: those of a dataset, joined and cut, or without it a synthetic series."""

from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from privacy_engine.core.params import EventCount, Frozen, Param, Seed
from privacy_engine.data import Trajectory, people
from privacy_engine.errors import ParameterError
from privacy_engine.experiments.synthetic_series import taxi, walk

JOIN = Param(
    label="Series",
    help="As they are, or those of one person joined in the order of time.",
    options=(("none", "As they are"), ("person", "One for each person")),
)
LIKE = Param(
    label="Synthetic data",
    help="A taxi with an event every three minutes, or a pedestrian with one every five seconds.",
    options=(("taxi", "A taxi"), ("walk", "A walk")),
)


class GeneratedSeries(Frozen):
    """One synthetic series of ``events`` events; a walk has fewer where it ends before, and takes no ``seed``."""

    like: Annotated[Literal["taxi", "walk"], LIKE]
    events: EventCount
    seed: Seed = 1

    def series(self) -> Trajectory:
        """The series: the same for equal descriptions."""
        return walk(self.events) if self.like == "walk" else taxi(np.random.default_rng(self.seed), self.events)

    def __len__(self) -> int:
        return len(self.series()) if self.like == "walk" else self.events


class SeriesSelection(Frozen):
    """What cells are tried on, as a function of the series that are given and of nothing else.

    ``join`` is "none" for the series as they are, or "person" for one series a person with their events in the order
    of time (:func:`privacy_engine.data.people.joined`). Of each that results the ``first_events`` are taken, all
    without a number. ``generated`` is what takes their place where no series are given.
    """

    join: Annotated[Literal["none", "person"], JOIN] = "none"
    first_events: EventCount | None = None
    generated: GeneratedSeries | None = None

    def of(self, series: Sequence[Trajectory]) -> list[Trajectory]:
        """The selection of the ``series`` of a dataset, or without any what is generated.

        Raises
        ------
        ParameterError
            No series are given and none are generated.
        """
        if not series:
            return [self._required().series()]
        chosen = people.joined(series) if self.join == "person" else list(series)
        return chosen if self.first_events is None else [track.first(self.first_events) for track in chosen]

    def lengths(self, series: Sequence[int], of_people: Sequence[int]) -> list[int]:
        """How many events each series of :meth:`of` has, from those of the dataset's series and of its people."""
        if not series:
            return [len(self._required())]
        lengths = of_people if self.join == "person" else series
        return [length if self.first_events is None else min(length, self.first_events) for length in lengths]

    def _required(self) -> GeneratedSeries:
        if self.generated is None:
            rule = "is required where no series are generated"
            raise ParameterError(f"dataset {rule}", field="dataset", rule=rule)
        return self.generated


AS_THEY_ARE = SeriesSelection()
"""The series of a dataset as they are: what a spec without ``series`` means."""
