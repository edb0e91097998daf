"""What the steps share: series in, series out, and a report of what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Mask
from privacy_engine.core.component import Component
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError
from privacy_engine.registry import Registry

SHOWN_EVENTS = 20
MOST_SERIES = 100_000
MOST_EVENTS = 20_000_000

Reads = Literal["positions", "times", "nothing"]


@dataclass(frozen=True)
class Done:
    """What one step did: JSON-ready through :meth:`as_dict`.

    ``events`` are the first numbers (0-based, over the whole dataset as the step met it) of those it dropped.
    ``stability`` is the most events after the step whose position one record before it decides.
    """

    name: str
    title: str
    message: str
    before: int
    after: int
    series_before: int
    series_after: int
    events: tuple[int, ...] = ()
    stability: int = 1

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON-ready data."""
        return {
            "name": self.name,
            "title": self.title,
            "message": self.message,
            "before": self.before,
            "after": self.after,
            "series_before": self.series_before,
            "series_after": self.series_after,
            "events": list(self.events),
            "stability": self.stability,
        }


class CleaningStep(Component):
    """Base of every step: the owner's explicit change of what came in, before anything is marked or released.

    ``reads`` names what decides over which events stay: where it is ``positions``, which events there are, and how
    many, is a fact about where someone was. Guarantees are about the series after cleaning and take its events and
    their times as known; what a step that reads positions reveals by leaving events out is not covered by them.
    """

    reads: ClassVar[Reads]

    name: str

    def apply(self, series: Sequence[Trajectory]) -> tuple[list[Trajectory], Done]:
        """The series after the step, and what it did.

        Raises
        ------
        DataError
            The data lack what the step needs (times), nothing would be left, or far too much.
        """
        if self.needs_time and any(one.time_s is None for one in series):
            raise self._refuse("needs times", "needs times, and this file has none")
        found, message, dropped = self._apply(series)
        after = sum(len(one) for one in found)
        if not after:
            raise self._refuse("at least 1 event left", "would leave no event")
        before = sum(len(one) for one in series)
        return found, Done(
            self.name,
            self.title,
            message,
            before,
            after,
            len(series),
            len(found),
            tuple(dropped[:SHOWN_EVENTS]),
            self.stability(series),
        )

    @property
    def conditions(self) -> tuple[str, ...]:
        """Under which a record that moves by d moves no event by more than d: clauses that follow "provided that"."""
        return ()

    def stability(self, series_before: Sequence[Trajectory]) -> int:
        """Return the most events after the step whose position one record of ``series_before`` decides, at least 1.

        It is computed from the times alone, which are public. A step that keeps, drops or cuts copies every event it
        keeps from one record: 1. For a step with ``reads = "positions"`` it counts the positions of the events that
        are kept; that one record may also decide whether other events are kept is not counted: it is not covered.
        """
        return 1

    def _apply(self, series: Sequence[Trajectory]) -> tuple[list[Trajectory], str, list[int]]:
        """The series, one sentence, the events dropped."""
        raise NotImplementedError

    def _refuse(self, rule: str, what: str) -> DataError:
        return DataError(f"{self.title} {what}.", field=f"cleaning.{self.name}", rule=rule)


cleaning_steps: Registry[CleaningStep] = Registry("cleaning step")


def kept(series: Sequence[Trajectory], keep: Callable[[Trajectory], Mask]) -> tuple[list[Trajectory], int, list[int]]:
    """Each series without the events that ``keep`` rejects, how many those were, and the first of them.

    A series of which nothing is left goes.
    """
    found, dropped, first, start = [], 0, list[int](), 0
    for one in reported(series):
        mask = keep(one)
        gone = np.flatnonzero(~mask)
        dropped += len(gone)
        first += (gone[: SHOWN_EVENTS - len(first)] + start).tolist()
        start += len(one)
        if not len(gone):
            found.append(one)
        elif mask.any():
            found.append(one.picked(mask))
    return found, dropped, first


def cut(one: Trajectory, before: NDArray[np.intp]) -> list[Trajectory]:
    """``one`` in pieces that begin at the events ``before``; with more than one, numbered names."""
    if not len(before):
        return [one]
    edges = [0, *before.tolist(), len(one)]
    return [
        one.picked(slice(i, j), f"{one.name} ({number})" if one.name else str(number))
        for number, (i, j) in enumerate(reported(pairwise(edges)), 1)
    ]
