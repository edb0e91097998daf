"""Uniform numbers whose bits are drawn as far as a decision needs them."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from privacy_engine.noise.ball_arithmetic import Ball, Undecided
from privacy_engine.noise.sources import RandomSource

T = TypeVar("T")
SPARE_BITS = 96
"""Precision of the balls beyond the bits of the uniforms: their own roundings stay far below a bit of these."""
MOST_WORDS = 1 << 14
"""A million bits: a decision that needs more has probability below 2**-900,000, so it shows a defect."""


class LazyUniform:
    """A uniform number on (0, 1): an infinite string of random bits, of which the first ones are known.

    Parameters
    ----------
    word : int
        The first bits.
    source : RandomSource
        Where the further ones come from.
    first_bits, word_bits : int
        How many bits ``word`` has, and how many each further word adds (its highest ones). Short words make decisions
        that need more of them likely, for tests.
    """

    __slots__ = ("_drawn", "_first_bits", "_source", "_value", "_word_bits")

    def __init__(self, word: int, source: RandomSource, *, first_bits: int = 64, word_bits: int = 64) -> None:
        self._value, self._source = int(word), source
        self._first_bits, self._word_bits, self._drawn = first_bits, word_bits, 1

    def bits(self, words: int) -> int:
        """How many bits the first ``words`` words are."""
        return self._first_bits + (words - 1) * self._word_bits

    def ball(self, words: int, bits: int) -> Ball:
        """All numbers that begin with the bits of the first ``words`` words; ``bits`` is the ball's precision."""
        while self._drawn < words:
            more = int(self._source.words(1)[0]) >> 64 - self._word_bits
            self._value = self._value << self._word_bits | more
            self._drawn += 1
        known = self.bits(words)
        first = self._value >> self._word_bits * (self._drawn - words)
        return Ball((2 * first + 1) << bits - known - 1, 1 << bits - known - 1, bits)


def settle(uniforms: Sequence[LazyUniform], decide: Callable[[Sequence[Ball], int], T]) -> T:
    """What ``decide(balls, bits)`` returns once it can: it gets the uniforms' balls, of more and more words.

    The same bits decide, extended: drawing others after an undecided attempt would favour what is easily decided.

    Raises
    ------
    ArithmeticError
        :data:`MOST_WORDS` did not suffice.
    """
    words = 1
    while words <= MOST_WORDS:
        bits = max((uniform.bits(words) for uniform in uniforms), default=0) + SPARE_BITS
        try:
            return decide([uniform.ball(words, bits) for uniform in uniforms], bits)
        except Undecided:
            words *= 2
    raise ArithmeticError(f"a decision that {MOST_WORDS} words of each uniform did not settle")
