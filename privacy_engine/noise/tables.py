"""Exact draws from a table of probabilities: integer thresholds, and further bits where a word lies on a threshold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.core.progress import reported
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.lazy_uniform import LazyUniform, settle
from privacy_engine.noise.sources import RandomSource, Words

Cumulative = Callable[[int], Sequence[Ball]]


class Table:
    """An index i with probability p_i, from the cumulative probabilities p_0, p_0 + p_1, … without the last, 1.

    A word below ``low[i]`` surely lies below the i-th of them times 2**``bits``, above ``high[i]`` surely above it;
    what lies between is a tie, which further bits of the same uniform decide.

    Parameters
    ----------
    low, high : (m - 1,) uint64
        Never decreasing.
    exact : callable
        ``exact(bits)`` gives balls of that precision that hold the cumulative probabilities, (m - 1,).
    bits : int
        Of the words used: 64, or fewer so that ties are likely, for tests.
    """

    def __init__(self, low: Words, high: Words, exact: Cumulative, bits: int = 64) -> None:
        self.low, self.high, self.bits = low, high, bits
        self.exact: Cumulative = lru_cache(maxsize=8)(exact)

    @classmethod
    def of(cls, exact: Cumulative, bits: int = 64) -> Table:
        """The table whose thresholds are as narrow as they can be, from balls of 64 bits more."""
        most, balls = (1 << bits) - 1, exact(bits + 64)

        def thresholds(sign: int) -> Words:
            ends = [(ball.mid + sign * ball.rad) >> ball.bits - bits for ball in balls]
            return np.array([min(max(end, 0), most) for end in ends], dtype=np.uint64)

        return cls(thresholds(-1), thresholds(1), exact, bits)

    def draw(self, n: int, rng: RandomSource) -> Ints:
        """``n`` independent indices, (n,)."""
        words = rng.words(n) >> np.uint64(64 - self.bits)
        index = np.searchsorted(self.high, words, side="left").astype(np.int64)
        if len(self.low):
            tied = (index < len(self.low)) & (self.low[np.minimum(index, len(self.low) - 1)] <= words)
            for i in reported(np.flatnonzero(tied)):
                index[i] = self.settled(int(words[i]), rng)
        return index

    def settled(self, word: int, rng: RandomSource) -> int:
        """The index of a uniform that begins with ``word``, by as many further bits as that takes."""
        uniform = LazyUniform(word, rng, first_bits=self.bits, word_bits=self.bits)

        def decide(balls: Sequence[Ball], bits: int) -> int:
            cumulative = self.exact(bits)
            first, last = 0, len(cumulative)
            while first < last:
                middle = (first + last) // 2
                first, last = (first, middle) if balls[0] < cumulative[middle] else (middle + 1, last)
            return first

        return settle([uniform], decide)
