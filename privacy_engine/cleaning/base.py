"""What the steps share: series in, series out, and a report of what was done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from privacy_engine.core.arrays import Floats, Mask, counts_over, starts_within
from privacy_engine.core.component import Component
from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import MappedSeries, empty, leaving, mapped
from privacy_engine.data.trajectories import Trajectories, has_times, lengths_of, only
from privacy_engine.errors import DataError
from privacy_engine.registry import Registry

SHOWN_EVENTS = 20
MOST_SERIES = 100_000
MOST_EVENTS = 20_000_000

Reads = Literal["positions", "times", "nothing"]


@dataclass(frozen=True)
class Done:
    """What a step did: JSON-ready through :meth:`as_dict`.

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
        return vars(self) | {"events": list(self.events)}


class CleaningStep(Component):
    """Base of every step: the owner's explicit change of what came in, before anything is marked or released.

    ``reads`` names what decides over which events stay: where it is ``positions``, which events there are, and how
    many, is a fact about where someone was. Guarantees are about the series after cleaning and take its events and
    their times as known; what a step that reads positions reveals by leaving events out is not covered by them.
    """

    reads: ClassVar[Reads]

    name: str

    def apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], Done]:
        """The series after the step, and what it did.

        Raises
        ------
        DataError
            The data lack what the step needs (times), nothing would be left, or far too much.
        """
        if self.needs_time and not has_times(series):
            raise self._refuse("needs times", "needs times, and this file has none")
        remaining, message, dropped = self._apply(series)
        after = sum(lengths_of(remaining))
        if not after:
            raise self._refuse("at least 1 event left", "would leave no event")
        sizes = sum(lengths_of(series)), after, len(series), len(remaining)
        return remaining, Done(self.name, self.title, message, *sizes, tuple(dropped), self.stability(series))

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

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        """The series, a sentence, the first events dropped."""
        raise NotImplementedError

    def _refuse(self, rule: str, what: str) -> DataError:
        return DataError(f"{self.title} {what}.", field=f"cleaning.{self.name}", rule=rule)


class LeavesOut(CleaningStep):
    """Base of the steps that leave out events: those that :meth:`_keeps` rejects.

    ``which`` follows "5 events", with the parameters of the step in braces: ``faster than {0.highest_km_h:g} km/h``.
    """

    which: ClassVar[str]

    def _apply(self, series: Sequence[Trajectory]) -> tuple[Sequence[Trajectory], str, list[int]]:
        remaining, dropped, first = kept(series, self._keeps)
        return remaining, f"{quantity(dropped, 'event')} {self.which.format(self)} left out.", first

    def _keeps(self, some: Trajectories) -> Mask:
        """Which events (n,) stay."""
        raise NotImplementedError


cleaning_steps: Registry[CleaningStep] = Registry("cleaning step")


def made_of(series: Sequence[Trajectory], make: Callable[[Trajectories], Sequence[Trajectory]]) -> Sequence[Trajectory]:
    """What ``make`` makes of all series: of columns at once, of others singly."""
    if isinstance(series, Trajectories):
        return make(series)
    made = (track for each in reported(series) for track in make(only(each)))
    return mapped(made) if isinstance(series, MappedSeries) else list(made)


def kept(
    series: Sequence[Trajectory], keep: Callable[[Trajectories], Mask]
) -> tuple[Sequence[Trajectory], int, list[int]]:
    """The series without the events that ``keep`` rejects, how many those were, and the first of them.

    A series of which nothing is left goes.
    """
    dropped, first, start = 0, list[int](), 0

    def left(some: Trajectories) -> Trajectories:
        nonlocal dropped, start
        mask, sizes = keep(some), np.zeros(len(some), dtype=np.int64)
        for part in leaving([mask], blocks(len(mask))):
            gone = np.flatnonzero(~mask[part])
            dropped += len(gone)
            first.extend((gone[: SHOWN_EVENTS - len(first)] + part.start + start).tolist())
            sizes += counts_over(mask[part], starts_within(part, some.starts))
        start += len(mask)
        return some.chosen(mask, sizes)

    return made_of(series, left), dropped, first


def of_events(judge: Callable[..., Mask], *columns: Floats) -> Mask:
    """For each event (n,) the result of ``judge`` for the cells of columns, some events at a time."""
    mask = empty(len(columns[0]), np.bool_)
    for part in leaving([mask, *columns], blocks(len(mask))):
        mask[part] = judge(*(column[part] for column in columns))
    return mask


def of_steps(some: Trajectories, judge: Callable[..., Mask], *columns: Floats, first: bool) -> Mask:
    """For each event (n,) the result of ``judge`` for the steps of columns to it; ``first`` where a series begins."""
    mask = empty(len(some.lon), np.bool_)
    for part in leaving([mask, *columns], blocks(len(mask) - 1)):
        mask[1:][part] = judge(*(np.diff(column[part.start : part.stop + 1]) for column in columns))
    mask[some.starts[:-1][np.diff(some.starts) > 0]] = first
    return mask
