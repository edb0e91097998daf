"""Cleaning: explicit, recorded steps between a file as it was read and the series that are worked on.

Nothing is cleaned unasked. A step is a file here, registered; the original stays, so every step can be undone by
reading it again without. What each did is reported (:class:`Done`) and stored with the dataset.

>>> from privacy_engine.data import Trajectory
>>> steps = parse_cleaning([{"name": "first-events", "events": 2}])
>>> series, done = clean([Trajectory([0.0, 0.1, 0.2], [0.0, 0.0, 0.0])], steps)
>>> len(series[0]), done[0].message
(2, '1 event after the first 2 of a series left out.')
"""

# ruff: noqa: I001  (the order of registration is the order of forms)

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from privacy_engine.cleaning.choose import FirstEvents, OnlySeries
from privacy_engine.cleaning.repeats import DropRepeats
from privacy_engine.cleaning.jumps import DropJumps
from privacy_engine.cleaning.segments import SplitAntimeridian, SplitGaps
from privacy_engine.cleaning.resample import Resample
from privacy_engine.cleaning.zone import LeaveOutZone
from privacy_engine.cleaning.trim import TrimDistance, TrimTime
from privacy_engine.cleaning.hours import OnlyHours
from privacy_engine.cleaning.base import CleaningStep, Done, cleaning_steps
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import MappedSeries
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.core.progress import reported


def parse_cleaning(description: Any) -> tuple[CleaningStep, ...]:
    """The steps a list of ``{name, …parameters}`` describes, in its order.

    Raises
    ------
    ParameterErrors
        With an error for each field at fault, named ``cleaning.0.field``.
    """
    return cleaning_steps.parse_list(description, field="cleaning")


def clean(
    series: Sequence[Trajectory], steps: Sequence[CleaningStep], *, watch: Callable[[float], None] | None = None
) -> tuple[Sequence[Trajectory], list[Done]]:
    """``series`` after ``steps`` in their order, and what each did; ``watch(share)`` is called with the progress.

    Raises
    ------
    DataError
        A step needs times that are not there, or would leave nothing or far too much.
    """
    # a list of mapped series would keep the pages of all in memory
    filed = isinstance(series, MappedSeries | Trajectories)
    cleaned, done = series if filed else list(series), list[Done]()
    for number, step in enumerate(reported(steps)):
        if watch is not None:
            watch(number / len(steps))
        cleaned, did = step.apply(cleaned)
        done.append(did)
    return cleaned, done


def stability_of(done: Iterable[Done]) -> int:
    """Return the stability m of several steps: the most events at the end whose position one uploaded record decides.

    It is the product of the steps' own: each of the at most m₁ events that a record decides after the first step
    decides at most m₂ events after the second. The product is an upper bound and need not be attained.

    Given m, a promise of ε for all landmarks and any one event after cleaning is one of m·ε for all landmarks and any
    one uploaded record: with Σ the budgets of the landmarks and M the largest budget of any other event, the events
    that the record decides add at most m·M, and Σ + m·M ≤ m·(Σ + M) ≤ m·ε, provided that a record moved by d moves
    none of them by more than d (docs/decisions/0018-stability-of-cleaning.md).
    """
    return math.prod(step.stability for step in done)
