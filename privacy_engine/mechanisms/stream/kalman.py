"""Kalman: equally spaced samples of every window, with a Kalman filter between and over them."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints, ceil_div
from privacy_engine.core.params import Param
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, StreamEstimateMechanism, StreamMechanism

DRIFT = 0.2
"""Standard deviation of a level's change from timestamp to timestamp, as a share of the level."""
GROWTH = 1.0
"""Variance of that change in events, for each event of the level."""

Samples = Annotated[
    int,
    Param(
        label="Samples",
        symbol="M",
        help="How many timestamps of every window are sampled at least: one in w/M, rounded down.",
        lowest=1,
        highest=10_000,
        example=10,
    ),
]


class FilteredSamples(Publisher):
    """A sample every ``interval`` timestamps, each with the same share of ε, and a filter for each dimension."""

    def __init__(
        self, mechanism: StreamMechanism, dimensions: int, rng: noise.RandomSource, *, interval: int, budget: float
    ) -> None:
        super().__init__(mechanism, dimensions, rng)
        self._interval, self._budget = interval, budget
        rate = mechanism.noise_rate(budget)
        self._noise = noise.BufferedLaplace(rate, rng)
        self._noise_variance = noise.discrete_laplace_sd(rate) ** 2
        self._estimate, self._variance = np.zeros(dimensions), np.full(dimensions, np.inf)

    def _rows(self, counts: Ints) -> Floats:
        from privacy_engine.kernels.kalman import filter_rows

        sampled = (self.published + np.arange(len(counts))) % self._interval == 0
        self.spend(np.where(sampled, self._budget, 0.0))
        drawn = counts[sampled]
        noisy = (drawn + self._noise.take(drawn.size).reshape(drawn.shape)).astype(np.float64)
        state = self._estimate, self._variance
        return filter_rows(noisy, sampled, self._noise_variance, DRIFT, GROWTH, *state)


@mechanisms.register
class StreamKalman(StreamEstimateMechanism):
    r"""Discrete Laplace noise at equally spaced timestamps, and a Kalman filter over them for each dimension.

    Every ``max(1, w // M)``-th timestamp is sampled, whatever the counts are. With n such timestamps at most in any w
    successive ones, each leaks at most ε/n, all of them at most ε: w-event privacy [1]_. The noise is that of [2]_; the
    filter [3]_ uses noisy counts and public constants only. It takes a level to change by 20 % of itself and by the
    root of itself from one timestamp to the next. Whether events are independent does not matter.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    .. [3] Fan, Xiong. "An adaptive approach to real-time aggregate monitoring with differential privacy". TKDE 2014.
    """

    title: ClassVar[str] = "Stream Kalman"
    summary: ClassVar[str] = "Equally spaced samples of every window, filtered over time."
    independent_dimensions: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (6e-4, 2e-6, 6e-8)

    name: Literal["stream-kalman"] = "stream-kalman"
    samples: Samples = 10

    @property
    def interval(self) -> int:
        """Timestamps from sample to sample."""
        return max(1, self.window // self.samples)

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> Publisher:
        return FilteredSamples(self, dimensions, rng, interval=self.interval, budget=self._budget())

    def _budget(self) -> float:
        return self.epsilon / ceil_div(self.window, self.interval)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self._budget()))
