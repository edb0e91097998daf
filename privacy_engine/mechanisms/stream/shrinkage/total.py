"""The total over all dimensions, which an event changes by as much as it changes a dimension."""

import math

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.mechanisms.base.stream import summable

DRIFTS = np.array((0.003, 0.01, 0.03, 0.1, 0.3, 0.8))
"""Standard deviations of the total's change from timestamp to timestamp, as shares of the total."""


class Total:
    """A bank of filters of the total, and the rhythm that it gives the dimensions.

    ``state`` has the values named in :mod:`privacy_engine.kernels.stream_total`.
    """

    def __init__(self) -> None:
        self.mean, self.variance = np.zeros((2, len(DRIFTS)))
        self.log_weight = -0.5 * (np.log(DRIFTS / 0.1) / 2.0) ** 2
        self.state = np.array([0.0, 0.0, 0.0, 1.0, 1.0])

    @property
    def value(self) -> float:
        """Its estimate."""
        return float(self.state[0])

    @property
    def deviation(self) -> float:
        """The standard deviation of that estimate."""
        return math.sqrt(self.state[1])

    @property
    def relative_variance(self) -> float:
        """The variance of that estimate by its square, at most 1."""
        return min(float(self.state[1]) / max(self.value, 1.0) ** 2, 1.0)

    @property
    def drift(self) -> float:
        """Relative variance that a timestamp adds."""
        weight = np.exp(self.log_weight)
        return float((weight * DRIFTS**2).sum() / weight.sum())

    def take_rhythm(self) -> float:
        """The factor since the last sample; the next starts here."""
        factor, self.state[4] = float(self.state[4]), 1.0
        return factor

    def start(self, sampled: float, sampled_sd: float, y: float, b: float) -> float:
        """Take the first sum of samples and the first noisy total ``y``, of scale ``b``, 0 where there is none."""
        from privacy_engine.kernels.stream_total import rhythm

        variance = sampled_sd**2
        if b > 0.0:
            share = 2 * b * b / (2 * b * b + variance)
            sampled, variance = share * sampled + (1.0 - share) * y, share * variance
        self.mean[:], self.variance[:] = max(sampled, 0.5 * math.sqrt(variance)), variance
        return float(rhythm(0, self.mean, self.variance, self.log_weight, self.state))

    def update(self, t: int, sampled: float, sampled_sd: float, y: float, b: float) -> float:
        """The same at a later sample ``t``; returns the factor of the total since the timestamp before."""
        from privacy_engine.kernels.stream_total import predict_total, rhythm, update_total

        predict_total(DRIFTS, self.mean, self.variance)
        update_total(sampled, sampled_sd / math.sqrt(2.0), True, self.mean, self.variance, self.log_weight)
        if b > 0.0:
            update_total(y, b, False, self.mean, self.variance, self.log_weight)
        return float(rhythm(t, self.mean, self.variance, self.log_weight, self.state))


def noisy_totals(counts: Ints, noise: Ints) -> Floats:
    """Totals of counts (n, d), cut as :func:`summable` does, plus ``noise`` (n,), as floats."""
    return np.asarray((summable(counts).sum(axis=1) + noise).astype(np.float64))
