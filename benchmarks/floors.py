"""Floors: work that a result cannot do without, or that is as small as work on as many numbers can be, timed alone."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.timing import Side
from privacy_engine import noise
from privacy_engine.analysis.simulation import EVENTS
from privacy_engine.kernels.lanes import DIRECTION, UNITS, aligned, fill
from privacy_engine.mechanisms.landmark import EventLevel

LANES = 100
MOST = 2_048_000
"""Most units of a floor that are timed; the time of more is in proportion."""


def _draws(count: int) -> Callable[[], object]:
    """Radius and direction of as many draws, a chunk of events after another, as simulations make them."""
    key, units, events = noise.simulated_key(1), aligned(1, EVENTS * UNITS)[0], count // LANES
    needs = np.full(EVENTS, DIRECTION, dtype=np.uint8)
    return lambda: [fill(key, first, 0, LANES, needs[: events - first], units) for first in range(0, events, EVENTS)]


def _bytes(count: int) -> Callable[[], object]:
    source, target = np.ones(count, dtype=np.uint8), np.zeros(count, dtype=np.uint8)
    return lambda: np.copyto(target, source)


def _positions(count: int) -> Callable[[], object]:
    mechanism, source = EventLevel(epsilon=1.0, radius_m=200.0), noise.publishable()
    lon, lat, budgets = (np.full(count, value) for value in (116.4, 39.9, mechanism.epsilon))
    return lambda: mechanism.perturb(lon, lat, budgets, rng=source)


def _functions(count: int) -> Callable[[], object]:
    numbers, target = np.linspace(0, 1, count), np.empty(count)
    return lambda: np.log1p(np.exp(numbers, out=target), out=target)


def _sort(count: int) -> Callable[[], object]:
    numbers = np.random.default_rng(1).random(count)
    return lambda: np.argsort(numbers)


@dataclass(frozen=True)
class Kind:
    """What is timed (``work`` of a number of units), and the time of a unit that goals assume."""

    text: str
    unit: str
    work: Callable[[int], Callable[[], object]]
    assumed_s: float


KINDS = {
    "draws": Kind(
        "radius and direction of the same number of draws by the same generator, and nothing else",
        "draws",
        _draws,
        2e-9,
    ),
    "copy": Kind(
        "one pass over the bytes, a copy by numpy: results (16 for a draw), columns that are read or written (24 an "
        "event with its time), text of files, for the loss "
        "figure 17 an event (a budget, a mark, a loss), and for temporal loss "
        "the differences of all pairs of rows (8 n³ for n states)",
        "bytes",
        _bytes,
        1e-10,
    ),
    "noise": Kind(
        "exact planar Laplace noise of as many positions, with the positions on the grid, and nothing else",
        "published positions",
        _positions,
        3e-7,
    ),
    "random": Kind(
        "the operating system's random bytes: 32 for a position, 8 for a whole number",
        "random bytes",
        lambda count: lambda: os.urandom(count),
        2.5e-9,
    ),
    "functions": Kind("numpy's exp and log1p of one number for every event of a series", "events", _functions, 1e-8),
    "sort": Kind("numpy's argsort of as many numbers as there are events", "numbers", _sort, 4e-8),
}


@dataclass(frozen=True)
class Floor:
    """``count`` units of a kind, for the work that is shown."""

    kind: str
    count: float

    def __str__(self) -> str:
        unit = KINDS[self.kind].unit
        return f"{self.count:,.0f} {unit.removesuffix('s') if self.count == 1 else unit}"

    @property
    def assumed_s(self) -> float:
        """Its time where goals were set."""
        return self.count * KINDS[self.kind].assumed_s

    def side(self) -> Side:
        """The floor, or a part of it, as a side of a comparison: its time is that of one unit."""
        count = int(self.count if self.kind == "copy" else min(self.count, MOST))
        return Side(KINDS[self.kind].work(count), count)
