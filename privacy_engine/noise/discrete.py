"""The discrete Laplace law, drawn exactly: noise for whole numbers and for multiples of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.core.progress import reported
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.lazy_uniform import LazyUniform, settle
from privacy_engine.noise.sources import RandomSource, as_source
from privacy_engine.noise.validation import number, whole_number

SMALLEST_RATE = 1e-12
LAPLACE_RATES = (SMALLEST_RATE, 1e6)
CHUNK = 1 << 16


def discrete_laplace(rate: float, n: int, *, rng: RandomSource | np.random.Generator) -> Ints:
    r"""``n`` independent whole numbers, (n,), k with probability exactly :math:`\frac{1 - q}{1 + q} q^{|k|}`.

    :math:`q = e^{-\rho}`, ρ the ``rate``: added to a whole number that a neighbour changes by at most Δ it is
    :math:`\rho\Delta`-differentially private [1]_, with no allowance for floating point. The magnitude is
    :math:`\lfloor -\ln U / \rho \rfloor`, decided in floats with a proven bound or else in balls on the same bits.

    Parameters
    ----------
    rate : float
        From 1e-12 to 1e6.
    n : int

    Raises
    ------
    ParameterError
        One of them is out of its domain.

    References
    ----------
    .. [1] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """
    from privacy_engine.kernels import certified

    rate = number(rate, "rate", lowest=LAPLACE_RATES[0], highest=LAPLACE_RATES[1])
    n, rng = whole_number(n, "n", highest=2**40), as_source(rng)
    draws, done = np.empty(n, dtype=np.int64), 0
    while done < n:
        words = rng.words(min(n - done, CHUNK))
        done += certified.signed(magnitudes(rate, words, rng), words, draws[done:])
    return draws


def magnitudes(rate: float, words: np.ndarray, rng: RandomSource) -> Ints:
    """⌊-ln U / rate⌋ of uniforms that begin with the first 63 bits of ``words``, (n,)."""
    from privacy_engine.kernels import certified

    sizes, sure = np.empty(len(words), dtype=np.int64), np.empty(len(words), dtype=np.bool_)
    if certified.scaled_logarithms(words, rate, sizes, sure) < len(words):
        for i in reported(np.flatnonzero(~sure)):
            sizes[i] = magnitude(rate, LazyUniform(int(words[i]) >> 1, rng, first_bits=63))
    return sizes


def magnitude(rate: float, uniform: LazyUniform) -> int:
    """⌊-ln U / rate⌋ of a uniform, in balls."""

    def decide(balls: Sequence[Ball], bits: int) -> int:
        return (-balls[0].log() / Ball.exact(Fraction(rate), bits)).floor()

    return settle([uniform], decide)
