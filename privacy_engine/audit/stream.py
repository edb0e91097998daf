"""The audit of mechanisms that publish counts: neighbouring streams, draws, statistics of published counts."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.kinds import Column, Observed, Pair, residue_columns
from privacy_engine.data import CountStream, Floats

FEWEST, MOST = 2, 8
"""Timestamps of a stream, beside its window: few, because a budget spread over many shows less of itself."""
START = 7.0
MODULES = (2, 3, 5, 10)


class StreamKind:
    """Two dimensions at a few timestamps; the distance is the change of the counts within one window, in Δ."""

    name = CountStream.kind

    def pairs(self, mechanism: Any) -> list[Pair]:
        """All timestamps of a window changed, by Δ each; the first alone; all by Δ split over both dimensions.

        Where the window is longer than the stream its timestamps are all of it; the claim is ε for each pair, which
        must hold however few of the window's timestamps differ.
        """
        n = min(max(int(mechanism.window), FEWEST), MOST)
        within, delta = min(int(mechanism.window), n), int(mechanism.sensitivity)
        base = np.full((n, 2), START)
        whole, first, last, both = base.copy(), base.copy(), base.copy(), base.copy()
        whole[:within, 0] += delta
        first[0, 0] += delta
        last[n - within :, 1] += delta
        both[:within, 0] += delta // 2
        both[:within, 1] += delta - delta // 2
        here, epsilon = _stream(base), float(mechanism.epsilon)
        named = {
            f"{within} timestamps of a window, {delta} more each": whole,
            f"the first timestamp, {delta} more": first,
            f"the last {within} timestamps, {delta} more in the other dimension": last,
            f"{within} timestamps, {delta} more over both dimensions": both,
        }
        return [Pair(name, here, _stream(other), 1.0, epsilon) for name, other in named.items()]

    def draw(self, mechanism: Any, given: CountStream, times: int, rng: noise.RandomSource) -> Observed:
        """Published counts of ``times`` releases, (times, n, 2)."""
        return np.asarray(mechanism.repeat(given, times, rng=rng), dtype=np.float64)

    def values(self, pair: Pair) -> list[Column]:
        """Every published count, the sum of those that differ, and how many are repeated."""
        n, d = pair.first.counts.shape
        found = [Column("sum where the inputs differ", partial(_changed, pair=pair)), Column("repeats", _repeats)]
        return found + [
            Column(f"timestamp {t}, dimension {k}", partial(_count, t=t, k=k)) for t in range(n) for k in range(d)
        ]

    def residues(self, pair: Pair) -> list[Column]:
        """Low bits and residues of every published count."""
        n, d = pair.first.counts.shape
        return [
            column
            for t in range(n)
            for k in range(d)
            for column in residue_columns(f"timestamp {t}, dimension {k}", partial(_count, t=t, k=k), 1.0, MODULES)
        ]

    def features(self, pair: Pair, observed: Observed) -> Floats:
        """Of each count how much nearer it is to which input, and which are repeated."""
        first, second = pair.first.counts, pair.second.counts
        nearer = np.abs(observed - second) - np.abs(observed - first)
        flat = nearer[:, first != second]
        repeated = (observed[:, 1:] == observed[:, :-1]).all(axis=2)
        return np.concatenate([flat, flat.sum(axis=1, keepdims=True), repeated.astype(np.float64)], axis=1)


def _stream(counts: Floats) -> CountStream:
    return CountStream(counts, ("a", "b"), [str(t) for t in range(len(counts))])


def _count(observed: Observed, *, t: int, k: int) -> Floats:
    return observed[:, t, k]


def _changed(observed: Observed, *, pair: Pair) -> Floats:
    return np.asarray(observed[:, pair.first.counts != pair.second.counts].sum(axis=1))


def _repeats(observed: Observed) -> Floats:
    return np.asarray((observed[:, 1:] == observed[:, :-1]).all(axis=2).sum(axis=1), dtype=np.float64)
