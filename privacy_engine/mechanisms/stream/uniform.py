"""Uniform: every timestamp spends the same share of the window's budget."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, StreamMechanism


class _Uniform(Publisher):
    def __init__(self, mechanism: StreamUniform, dimensions: int, rng: noise.RandomSource) -> None:
        super().__init__(mechanism, dimensions, rng)
        self._budget = mechanism.epsilon / mechanism.window
        self._noise = noise.BufferedLaplace(mechanism.noise_rate(self._budget), rng)

    def _rows(self, counts: Ints) -> Ints:
        self.spend(np.full(len(counts), self._budget))
        return counts + self._noise.take(counts.size).reshape(counts.shape)


@mechanisms.register
class StreamUniform(StreamMechanism):
    r"""Discrete Laplace noise with the budget :math:`\epsilon / w` at every timestamp.

    Every count is a whole number, to which noise of rate :math:`\epsilon / (w \Delta)` is added exactly: at each
    timestamp the counts of neighbours differ by at most Δ in sum, so one timestamp leaks at most ε/w and any w of them
    together at most ε, w-event privacy [1]_. The noise is that of [2]_. Whether events are independent does not matter.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream uniform"
    summary: ClassVar[str] = "New noise at every timestamp, each with an equal share of the window’s level."
    independent_dimensions: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (5e-4, 2e-6, 8e-8)

    name: Literal["stream-uniform"] = "stream-uniform"

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> Publisher:
        return _Uniform(self, dimensions, rng)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self.epsilon / self.window))

    def known_noise(self, timestamps: int) -> tuple[Ints, float]:
        return np.arange(timestamps), self.noise_rate(self.epsilon / self.window)
