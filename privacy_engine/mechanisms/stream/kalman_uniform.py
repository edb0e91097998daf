"""Kalman uniform: new noise at every timestamp, and a Kalman filter with relative drift over it."""

from typing import ClassVar, Literal

from privacy_engine import noise
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, StreamEstimateMechanism
from privacy_engine.mechanisms.stream.kalman import FilteredSamples


@mechanisms.register
class StreamKalmanUniform(StreamEstimateMechanism):
    r"""Discrete Laplace noise with :math:`\epsilon / w` at every timestamp, and a Kalman filter for each dimension.

    One timestamp leaks at most ε/w, and any w of them together at most ε: w-event privacy [1]_. The noise is that of
    [2]_; the filter [3]_ uses noisy counts and public constants only, those of ``stream-kalman``. Whether events are
    independent does not matter.

    References
    ----------
    .. [1] Kellaris, Papadopoulos, Xiao, Papadias. "Differentially private event sequences over infinite streams".
       VLDB 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    .. [3] Fan, Xiong. "An adaptive approach to real-time aggregate monitoring with differential privacy". TKDE 2014.
    """

    title: ClassVar[str] = "Stream Kalman, uniform"
    summary: ClassVar[str] = "New noise at every timestamp, filtered over time with a drift relative to the level."
    independent_dimensions: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (6e-4, 2e-6, 9e-8)

    name: Literal["stream-kalman-uniform"] = "stream-kalman-uniform"

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> Publisher:
        return FilteredSamples(self, dimensions, rng, interval=1, budget=self.epsilon / self.window)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self.epsilon / self.window))
