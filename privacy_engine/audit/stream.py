"""The audit of mechanisms that publish counts: neighbouring streams, draws, statistics of published counts."""

from functools import partial
from typing import Any

import numpy as np

from privacy_engine import noise
from privacy_engine.audit.kinds import Column, Observed, Pair, residue_columns
from privacy_engine.core.arrays import Floats
from privacy_engine.data import CountStream

FEWEST, MOST, AFTER = 2, 8, 3
"""Timestamps of a stream, beside its window: few, because a budget spread over many shows less of itself."""
START = 7.0
RISE = 9.0
LASTS, APART, JUMP, FAR = 6, 2, 33, 1000.0
"""A first count lies ``APART`` Δ below those of the timestamps up to ``LASTS``, and ``JUMP`` Δ below later ones."""
SHARES = (2, 4)
"""Low counts, in Δ/ε: about the mean noise of a half and of a quarter of the level."""
MODULES = (2, 3, 5, 10)
Changed = tuple[Floats, dict[str, Floats]]
"""Counts, and others that differ from them in a window, by name."""


class StreamKind:
    """Two dimensions at a few timestamps; the distance is the change of the counts within a window, in Δ."""

    kind = CountStream.kind

    def per(self, mechanism: Any) -> str:
        """A window of w timestamps."""
        return "window"

    def pairs(self, mechanism: Any) -> list[Pair]:
        """Changes of constant counts, of low ones, and of counts that rise within the window that changes.

        Where the window is longer than the stream its timestamps are all of it; the claim is ε for each pair, which
        must hold however few of the window's timestamps differ. Mechanisms that compare counts with their own noise
        before they publish anything new show most of themselves where the two are alike, and at a rise; those streams
        go on for :data:`AFTER` timestamps after the window. Over a window of a timestamp, a first count is followed
        by similar ones and then by large ones: a median of all of them shows how long the first count was used.
        """
        window, delta, epsilon = int(mechanism.window), int(mechanism.sensitivity), float(mechanism.epsilon)
        low = dict.fromkeys(int(min(share * delta / epsilon, START)) for share in SHARES)
        bases = [_constant(window, delta), *(_low(count, window, delta) for count in low), _rising(window, delta)]
        bases += [_lasting(delta)] if window == 1 else []
        return [
            Pair(name, here, _stream(other), 1.0, epsilon)
            for base, changed in bases
            for here in [_stream(base)]
            for name, other in changed.items()
        ]

    def draw(self, mechanism: Any, given: CountStream, times: int, rng: noise.RandomSource) -> Observed:
        """Published counts of ``times`` releases, (times, n, 2)."""
        return np.asarray(mechanism.repeat(given, times, rng=rng), dtype=np.float64)

    def values(self, pair: Pair) -> list[Column]:
        """Every published count, the sum of those that differ, and how many are repeated."""
        n, d = pair.first.counts.shape
        columns = [Column("sum where the inputs differ", partial(_changed, pair=pair)), Column("repeats", _repeats)]
        return columns + [
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
        """Of each count how much nearer it is to which input, of each dimension which counts are repeated.

        Where a dimension that differs has a jump, also which counts are on the lower side of it.
        """
        first, second = pair.first.counts, pair.second.counts
        nearer = np.abs(observed - second) - np.abs(observed - first)
        flat = nearer[:, first != second]
        repeated = (observed[:, 1:] == observed[:, :-1]).reshape(len(observed), -1)
        jump = (np.ptp(first, axis=0) > 2 * RISE) & (first != second).any(axis=0)
        lower = (observed < (first.max(axis=0) + first.min(axis=0)) / 2)[:, :, jump].reshape(len(observed), -1)
        return np.column_stack([flat, flat.sum(axis=1), repeated.astype(np.float64), lower.astype(np.float64)])


def _constant(window: int, delta: int) -> Changed:
    n = min(max(window, FEWEST), MOST)
    within = min(window, n)
    base = np.full((n, 2), START)
    whole, first, last, both = base.copy(), base.copy(), base.copy(), base.copy()
    whole[:within, 0] += delta
    first[0, 0] += delta
    last[n - within :, 1] += delta
    both[:within, 0] += delta // 2
    both[:within, 1] += delta - delta // 2
    return base, {
        f"{within} timestamps of a window, {delta} more each": whole,
        f"the first timestamp, {delta} more": first,
        f"the last {within} timestamps, {delta} more in the other dimension": last,
        f"{within} timestamps, {delta} more over both dimensions": both,
    }


def _low(count: int, window: int, delta: int) -> Changed:
    within = min(window, MOST)
    base = np.full((within + AFTER, 2), float(count))
    whole, first = base.copy(), base.copy()
    whole[:within, 0] += delta
    first[0, 0] += delta
    changed = {f"counts of {count}, {delta} more at the first timestamp": first}
    return base, changed | ({f"counts of {count}, {delta} more at {within} timestamps": whole} if within > 1 else {})


def _rising(window: int, delta: int) -> Changed:
    within = min(window, MOST)
    base = np.zeros((within + AFTER, 2))
    base[1:] += RISE
    other = base.copy()
    other[1 : within + 1, 0] += delta
    return base, {f"counts that rise by {RISE:g}, and {delta} more at {within} timestamps from there on": other}


def _lasting(delta: int) -> Changed:
    """The other dimension is so far away that no partition puts the two together."""
    base = np.full((2 * LASTS, 2), FAR)
    base[0, 0] = START
    base[1:LASTS, 0] = START + APART * delta
    base[LASTS:, 0] = START + JUMP * delta
    other = base.copy()
    other[0, 0] += delta
    return base, {f"a first count of {delta} more, then {LASTS - 1} similar ones and a jump": other}


def _stream(counts: Floats) -> CountStream:
    return CountStream(counts, ("a", "b"), [str(t) for t in range(len(counts))])


def _count(observed: Observed, *, t: int, k: int) -> Floats:
    return observed[:, t, k]


def _changed(observed: Observed, *, pair: Pair) -> Floats:
    return np.asarray(observed[:, pair.first.counts != pair.second.counts].sum(axis=1))


def _repeats(observed: Observed) -> Floats:
    return np.asarray((observed[:, 1:] == observed[:, :-1]).all(axis=2).sum(axis=1), dtype=np.float64)


ADAPTER = StreamKind()
