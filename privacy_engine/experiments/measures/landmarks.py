"""Measures of the landmarks alone: how far other events lie from them, how many events are marked."""

from collections.abc import Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.data import LandmarkSet
from privacy_engine.experiments.measures.base import Measure, Work, each, measures, over_series
from privacy_engine.experiments.trials import Trials
from privacy_engine.landmarks.synthetic import average_temporal_distance


class _OfMarks(Measure):
    """Base: the mean over series of what :meth:`of` makes of their landmarks; an empty series has none."""

    def values(self, trials: Trials) -> Floats:
        if trials.alike and len(trials.which):
            first = np.array(self._of_each(trials, trials.which.start))
            return over_series([np.full(len(trials.which), value) for value in first], len(trials.which))
        return each(trials, lambda repetition: self._of_each(trials, repetition))

    def _of_each(self, trials: Trials, repetition: int) -> list[float]:
        return [self.of(marks) if len(marks) else np.nan for marks in trials.marked(repetition)]

    def of(self, marks: LandmarkSet) -> float:
        """The value for the landmarks of a series with events."""
        raise NotImplementedError


@measures.register
class TemporalDistance(_OfMarks):
    """How many timestamps lie, on average, from a regular event to the nearest landmark or end of the series [1]_.

    Dummies count as landmarks: it is what a mechanism takes for them.

    References
    ----------
    .. [1] Katsomallos, Tzompanaki, Kotzinos. "Landmark Privacy: Configurable Differential Privacy Protection for
       Time Series". CODASPY 2022.
    """

    title: ClassVar[str] = "Average temporal distance"
    summary: ClassVar[str] = "How many timestamps lie between an event and the nearest landmark, on average."
    unit: ClassVar[str] = "events"

    name: Literal["temporal-distance"] = "temporal-distance"

    def of(self, marks: LandmarkSet) -> float:
        return average_temporal_distance(marks.mask)

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        return {self.name: repetitions * (2e-5 * len(lengths) + 1e-9 * sum(lengths))}


@measures.register
class MarkedShare(_OfMarks):
    """The share of the events that a mechanism takes for landmarks: landmarks and the dummies beside them [1]_.

    References
    ----------
    .. [1] Katsomallos. PhD thesis, "Protecting landmarks".
    """

    title: ClassVar[str] = "Marked events, dummies included"
    short: ClassVar[str] = "Marked events"
    summary: ClassVar[str] = "The share of the events treated as landmarks, from 0 to 1."

    name: Literal["marked-share"] = "marked-share"

    def of(self, marks: LandmarkSet) -> float:
        return marks.share

    def work(self, cell: Any, lengths: Sequence[int], repetitions: int) -> Work:
        return {self.name: repetitions * (1e-5 * len(lengths) + 1e-9 * sum(lengths))}
