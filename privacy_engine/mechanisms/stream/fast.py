"""FAST: samples at intervals that follow the error of a filter, with the same schedule for all dimensions."""

from __future__ import annotations

import math
from collections import deque
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import RowPublisher, StreamEstimateMechanism
from privacy_engine.mechanisms.stream.feedback import ERRORS, LARGEST_STEP, ProcessVariance, corrected, feedback

SET_POINT = 0.1
"""The relative error at which the interval stays as it is."""
BLOCK = 256

Samples = Annotated[
    int,
    Param(
        label="Samples",
        symbol="M",
        help="How many timestamps of a window are sampled at most, each with an equal share of the level.",
        lowest=1,
        highest=10_000,
        example=10,
    ),
]


def next_interval(interval: float, errors: Floats, longest: int) -> float:
    """The interval after a sample, in timestamps, from 1 to ``longest``; ``errors`` are relative, newest last.

    >>> next_interval(4.0, np.array([0.1, 0.1]), 20), next_interval(4.0, np.array([9.0]), 20)
    (4.0, 1.0)
    """
    excess = min(float(feedback(errors)) / SET_POINT - 1, 50.0)
    return min(max(interval + LARGEST_STEP * (1 - math.exp(excess)), 1.0), float(longest))


class _Fast(RowPublisher):
    mechanism: StreamFAST

    def __init__(self, mechanism: StreamFAST, dimensions: int, rng: noise.RandomSource) -> None:
        super().__init__(mechanism, dimensions, rng)
        rate = mechanism.noise_rate(mechanism.share)
        self._noise, self._noise_variance = noise.BufferedLaplace(rate, rng, block=BLOCK), mechanism.noise_sd() ** 2
        self._sampled: deque[int] = deque()
        self._interval, self._due = 1.0, 0
        self._errors: deque[float] = deque(maxlen=ERRORS)
        self._estimate, self._variance = np.zeros(dimensions), np.array(np.inf)

    def _row(self, row: Ints, t: int) -> Floats:
        self._variance = self._variance + self.mechanism.process_variance
        if self._sampled and self._sampled[0] <= t - self.mechanism.window:
            self._sampled.popleft()
        if t >= self._due and len(self._sampled) < self.mechanism.samples:
            self._sample(row, t)
        else:
            self.spend(np.zeros(1))
        return self._estimate

    def _sample(self, row: Ints, t: int) -> None:
        self.spend(np.array([self.mechanism.share]))
        self._sampled.append(t)
        prior, noisy = self._estimate, (row + self._noise.take(self.dimensions)).astype(np.float64)
        self._estimate, self._variance = corrected(prior, self._variance, noisy, np.array(self._noise_variance))
        change = np.abs(self._estimate - prior) / np.maximum(np.abs(self._estimate), 1.0)
        self._errors.append(float(change.mean()))
        self._interval = next_interval(self._interval, np.array(self._errors), self.mechanism.window)
        self._due = t + round(self._interval)


@mechanisms.register
class StreamFAST(StreamEstimateMechanism):
    r"""Samples with the budget :math:`\epsilon / M` each, at most M in a window, and a Kalman filter between them.

    At a sample every dimension is measured with discrete Laplace noise of rate :math:`\epsilon / (M \Delta)` [2]_; a
    filter with the process variance Q corrects its estimates, which are published at every timestamp. A controller
    decides from the relative change of the estimates at the last samples when the next one is [1]_. All of this is
    computed from releases, and all dimensions are sampled at once: counts of neighbours differ by at most Δ in sum at
    each timestamp, so a sample leaks at most :math:`\epsilon / M`, and a window of at most M samples ε, w-event
    privacy. With a schedule for each dimension it would be more, since events may be in any of them. Whether events
    are independent does not matter.

    References
    ----------
    .. [1] Fan, Xiong. "An adaptive approach to real-time aggregate monitoring with differential privacy". TKDE 2014.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream FAST"
    summary: ClassVar[str] = "A few samples of every window, more often while counts change; a filter between them."
    work: ClassVar[tuple[float, float, float]] = (5e-4, 1e-5, 2e-7)

    name: Literal["stream-fast"] = "stream-fast"
    samples: Samples = 10
    process_variance: ProcessVariance = 1000.0

    @property
    def share(self) -> float:
        """The budget of a sample: a window has no more than w."""
        return self.epsilon / min(self.samples, self.window)

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> _Fast:
        return _Fast(self, dimensions, rng)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(self.share))
