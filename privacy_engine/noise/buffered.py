"""Discrete Laplace noise drawn ahead in blocks: the same bits however many values are taken at a time."""

from __future__ import annotations

import math

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, ceil_div
from privacy_engine.noise.discrete import discrete_laplace
from privacy_engine.noise.sources import RandomSource, as_source

BLOCK, ROWS = 4096, 64


class BufferedLaplace:
    """Independent draws of :func:`discrete_laplace` at a ``rate``, in order.

    ``take(2)`` and ``take(3)`` return the values of ``take(5)``: draws are made ``block`` at a time.
    """

    def __init__(self, rate: float, rng: RandomSource | np.random.Generator, *, block: int = BLOCK) -> None:
        self._rate, self._rng, self._block = rate, as_source(rng), block
        self._left = np.empty(0, dtype=np.int64)

    @property
    def rate(self) -> float:
        """The rate of the draws."""
        return self._rate

    def take(self, n: int) -> Ints:
        """The next ``n`` draws, (n,)."""
        values = self.ahead(n)[:n]
        self.skip(n)
        return values

    def ahead(self, n: int) -> Ints:
        """The next draws, at least ``n``: they stay the next ones until :meth:`skip`."""
        missing = n - len(self._left)
        if missing > 0:
            blocks = range(0, missing, self._block)
            parts = [discrete_laplace(self._rate, self._block, rng=self._rng) for _ in blocks]
            self._left = np.concatenate([self._left, *parts])
        return self._left

    def skip(self, n: int) -> None:
        """Leave out the next ``n`` of the draws that :meth:`ahead` returned."""
        self._left = self._left[n:]


class BufferedThresholds:
    """Rows of ``n`` uniform numbers on (0, 1), in order: for what need not be exact nor secret."""

    def __init__(self, n: int, rng: RandomSource | np.random.Generator) -> None:
        self._rng, self._left = as_source(rng), np.empty((0, n))

    def ahead(self, rows: int) -> Floats:
        """The next rows, at least so many, (rows, n): they stay the next ones until :meth:`skip`."""
        n = self._left.shape[1]
        if n and len(self._left) < rows:
            more = ceil_div(rows, ROWS) * ROWS
            self._left = np.concatenate([self._left, self._rng.uniform(more * n).reshape(more, n)])
        return self._left

    def skip(self, rows: int) -> None:
        """Leave out so many of the rows that :meth:`ahead` returned."""
        self._left = self._left[rows:]


def discrete_laplace_sd(rate: float) -> float:
    r"""Standard deviation of :func:`discrete_laplace`: :math:`\sqrt{2q} / (1 - q)`, :math:`q = e^{-\rho}`."""
    return math.sqrt(2 * math.exp(-rate)) / -math.expm1(-rate)


def discrete_laplace_mean(rate: float) -> float:
    r"""Mean absolute value of :func:`discrete_laplace`: :math:`2q / (1 - q^2)`, :math:`q = e^{-\rho}`."""
    return 2 * math.exp(-rate) / -math.expm1(-2 * rate)
