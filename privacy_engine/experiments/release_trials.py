"""Repetitions of a cell over a count stream or check-ins: releases drawn in batches, and what they measure."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, ceil_div
from privacy_engine.core.progress import reported
from privacy_engine.releases.spec import processed

LARGEST_BATCH = 16
COUNTS_AT_ONCE = 2**18
"""Published counts of a batch, at most, where a release has fewer: memory stays flat in the repetitions."""


def batch_size(counts: int) -> int:
    """How many releases of so many counts each are drawn together."""
    return min(max(COUNTS_AT_ONCE // max(counts, 1), 1), LARGEST_BATCH)


class Trial(NamedTuple):
    """One repetition: what was released, and the release."""

    truth: Any
    release: Any


class Released(Protocol):
    """What repetitions read of a cell on count streams or check-ins."""

    release: Any
    metrics: Any

    @property
    def root(self) -> int: ...

    def truth(self, data: Any) -> Any: ...

    def batch_over(self, data: Any) -> int: ...

    def parts(self, truth: Any, batch: int) -> Any: ...

    def trial(self, parts: Any, release: Any) -> Any: ...


class ReleaseTrials:
    """The repetitions ``which`` of ``cell``, each a function of the cell, the data and its own number alone.

    Repetition r is the r mod B-th release of batch r div B, whose noise is drawn from the cell's seed and the number
    of the batch; B follows from the cell and the size of the data, and is 1 where a mechanism gains nothing from more.
    Never private: metrics read the truth.
    """

    def __init__(self, cell: Released, data: Any, which: range) -> None:
        self.cell, self.which = cell, which
        self.truth = cell.truth(data)

    def each(self) -> Iterator[Any]:
        """What is measured in each repetition, in their order; a batch of them is in memory."""
        mechanism, steps = self.cell.release.mechanism, self.cell.release.postprocess
        size = self.cell.batch_over(self.truth)
        for number in range(self.which.start // size, ceil_div(self.which.stop, size)):
            parts = self.cell.parts(self.truth, number)
            drawn = mechanism.releases(parts[0], size, rng=noise.simulated_releases(self.cell.root, number))
            first = number * size
            for release in reported(drawn[max(self.which.start - first, 0) : self.which.stop - first]):
                yield self.cell.trial(parts, processed(release, steps))

    def values(self) -> Floats:
        """Each metric of each repetition, (metrics, repetitions)."""
        rows = [[metric.of_trial(trial) for metric in self.cell.metrics] for trial in self.each()]
        return np.array(rows, dtype=np.float64).reshape(len(rows), len(self.cell.metrics)).T
