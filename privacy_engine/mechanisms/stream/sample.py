"""Sample: a single timestamp of every window spends the whole budget, the others repeat it."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, StreamMechanism


class _Sample(Publisher):
    def __init__(self, mechanism: StreamSample, dimensions: int, rng: noise.RandomSource) -> None:
        super().__init__(mechanism, dimensions, rng)
        self._noise = noise.BufferedLaplace(mechanism.noise_rate(mechanism.epsilon), rng)
        self._last = np.empty((0, dimensions), dtype=np.int64)

    def _rows(self, counts: Ints) -> Ints:
        sampled = (self.published + np.arange(len(counts))) % self.mechanism.window == 0
        self.spend(np.where(sampled, self.mechanism.epsilon, 0.0))
        drawn = counts[sampled]
        drawn = drawn + self._noise.take(drawn.size).reshape(drawn.shape)
        values = np.concatenate([self._last, drawn])  # at the first timestamp there is no last, but a sample
        index = np.cumsum(sampled) - 1 + len(self._last)
        self._last = values[-1:]
        return np.asarray(values[index])


@mechanisms.register
class StreamSample(StreamMechanism):
    r"""Discrete Laplace noise with the whole budget ε at every w-th timestamp; those between repeat the last release.

    Which timestamps are sampled depends on nothing but their number: the first, and every w-th after it. Any w
    successive timestamps hold exactly one of them, which leaks at most ε, w-event privacy [1]_. The noise is that of
    [2]_. Whether events are independent does not matter.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream sample"
    summary: ClassVar[str] = "One timestamp of every window with the whole level; those between repeat it."
    independent_dimensions: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (5e-4, 8e-7, 3e-8)

    name: Literal["stream-sample"] = "stream-sample"

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> Publisher:
        return _Sample(self, dimensions, rng)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self.epsilon))

    def known_noise(self, timestamps: int) -> tuple[Ints, float]:
        return np.arange(timestamps) // self.window * self.window, self.noise_rate(self.epsilon)
