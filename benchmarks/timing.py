"""Sides of a comparison and how their time is taken: CPU time of the process, in turns."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

ROUNDS = 7
SHORTEST_S = 0.01
"""What takes less is repeated within a round."""

PATIENCE_S = 1.5
"""A side that has taken this long is not timed again: a busy machine is seen in short rounds, not in long ones."""


@dataclass(frozen=True)
class Side:
    """One way to do the work: one call of ``work`` does ``size`` units of it."""

    work: Callable[[], object]
    size: int = 1


def cpu_s(work: Callable[[], object]) -> float:
    """CPU seconds of all threads of this process for one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


class Turns:
    """A reference that takes its turn in every round of the engine, while patience lasts."""

    def __init__(self, side: Side) -> None:
        self.side = side
        first = cpu_s(side.work)
        self.taken = [first] if first * ROUNDS > PATIENCE_S else []  # a short first run would count cold caches

    def take(self) -> None:
        if sum(self.taken) < PATIENCE_S:
            self.taken.append(cpu_s(self.side.work))

    @property
    def seconds(self) -> float:
        """Median of one unit."""
        return statistics.median(self.taken) / self.side.size
