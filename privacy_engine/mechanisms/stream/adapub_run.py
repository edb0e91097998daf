"""Runs of AdaPub over counts: noise and state around the loops of :mod:`privacy_engine.kernels.adapub`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from privacy_engine import noise
from privacy_engine.core import progress
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.data.stream_release import Grouping

if TYPE_CHECKING:
    from privacy_engine.kernels.adapub import Draws

MODES = ("code", "svt", "post", "text")
"""In the order of the kernel's constants."""
NEAR, NEAR_OF_FEW, FEW = 24, 120, 64
"""Timestamps of a cluster there is memory for in every column, more where columns are few; a longer cluster has a row.

No power of two: the clusters of successive columns would be in the same lines of the processor's cache.
"""


class Rates(NamedTuple):
    """Rates of discrete Laplace noise: of sums, of a cluster's threshold, of queries; 0 where none is drawn."""

    sums: float
    starts: float
    queries: float


@dataclass(frozen=True)
class Record:
    """The grouping of a run, timestamp after timestamp; a frozen class, so that it is no part of a stored state."""

    active: bool = True
    starts: list[Mask] = field(default_factory=list)
    sizes: list[Ints] = field(default_factory=list)

    def add(self, cluster_sizes: Ints, groups: Ints) -> None:
        """Take the size of each column's cluster and its group at n more timestamps, (n, d) each."""
        self.starts.append(cluster_sizes == 1)
        self.sizes.append(np.array([np.bincount(row)[row] for row in groups], dtype=np.int64).reshape(groups.shape))

    def grouping(self, dimensions: int) -> Grouping | None:
        """What was recorded; None where nothing is."""
        if not self.active:
            return None
        nothing = np.empty((0, dimensions), dtype=np.int64)
        starts = [nothing.astype(np.bool_), *self.starts]
        return Grouping(np.concatenate(starts), np.concatenate([nothing, *self.sizes]))


class AdaPubRun:
    """``runs`` independent runs of AdaPub side by side over counts of ``dimensions``; it spends of no ledger itself.

    Parameters
    ----------
    rates : Rates
    mode : str
        One of :data:`MODES`.
    thresholds : int
        Of the partition; 0 leaves each dimension alone.
    relative : bool
        Whether the controller's error is relative, with the floor 1.
    epsilon : float
        That of the threshold of clusters.
    """

    _largest = 0  # no longer used: states that were stored before have it

    def __init__(
        self,
        rates: Rates,
        mode: str,
        thresholds: int,
        relative: bool,
        epsilon: float,
        dimensions: int,
        rng: noise.RandomSource,
        runs: int = 1,
    ) -> None:
        from privacy_engine.kernels import adapub as kernel

        columns, whole, self._t = runs * dimensions, np.int64, 0
        self.record = Record(active=False)  # of a single run may the grouping be recorded
        self._settings = kernel.Settings(MODES.index(mode), runs, thresholds > 0, relative, epsilon)
        near = 2 if mode == "code" else NEAR_OF_FEW if columns <= FEW else NEAR
        self.state = kernel.State(
            release=np.zeros(columns),
            errors=np.zeros((kernel.HISTORY, columns)),
            size=np.zeros(columns, dtype=whole),
            is_open=np.zeros(columns, dtype=np.bool_),
            start_noise=np.zeros(columns, dtype=whole),
            total=np.zeros(columns, dtype=whole),
            group=np.zeros(columns, dtype=whole),
            raw=np.zeros((columns, near), dtype=whole),
            noisy=np.zeros((columns, near)),
        )
        rows = np.zeros((0, kernel.LONGEST))
        self.long = kernel.Long(np.full(columns, -1, dtype=whole), rows.astype(whole), rows)
        self.sums, self.starts, self.queries = (noise.BufferedLaplace(rate, rng) if rate else None for rate in rates)
        self.bounds = noise.BufferedThresholds(thresholds, rng)

    def advance(self, counts: Ints) -> Floats:
        """Publish the counts (n, d) of the next timestamps in every run, (n, runs d), each run's columns together."""
        from privacy_engine.kernels.adapub import Trace, advance

        out, done = np.empty((len(counts), len(self.state.size))), 0
        recorded = len(counts) if self.record.active else 0
        trace = rest = Trace(*(np.empty((recorded, out.shape[1]), dtype=np.int64) for _ in Trace._fields))
        while done < len(counts):
            progress.advance()
            draws, t = self._draws(), self._t + done
            if recorded:
                rest = Trace(*(column[done:] for column in trace))
            fields = *self._settings, *self.state, *self.long, *draws, *rest
            published, rows_missing = advance(counts[done:], t, out[done:], *fields)
            self._taken(draws)
            done += published
            if rows_missing:
                self._add_rows()
        self._t += len(counts)
        if self.record.active:
            self.record.add(trace.size, trace.group)
        return out

    def _draws(self) -> Draws:
        """What a timestamp can take at most, and what is left beyond it.

        Each kind of noise is topped up where a timestamp could take more than is left, which does not depend on how
        many timestamps are given at once; nor does the order of the draws.
        """
        from privacy_engine.kernels.adapub import Draws

        columns, nothing = len(self.state.size), np.empty(0, dtype=np.int64)
        sums, starts, queries = (kind.ahead(columns) if kind else nothing for kind in self._noise())
        return Draws(sums, starts, queries, self.bounds.ahead(self._settings.runs), np.zeros(4, dtype=np.int64))

    def _noise(self) -> tuple[noise.BufferedLaplace | None, ...]:
        return self.sums, self.starts, self.queries

    def _taken(self, draws: Draws) -> None:
        *laplace, rows = draws.used.tolist()
        for kind, used in zip(self._noise(), laplace, strict=True):
            if kind:
                kind.skip(used)
        self.bounds.skip(rows)

    def _add_rows(self) -> None:
        """Double the rows of long clusters, and eight more: at most a row for each column."""
        rows, longest = self.long.raw.shape
        more = np.zeros((min(2 * rows + 8, len(self.long.place)) - rows, longest))
        raw, noisy = np.concatenate([self.long.raw, more.astype(np.int64)]), np.concatenate([self.long.noisy, more])
        self.long = self.long._replace(raw=raw, noisy=noisy)
