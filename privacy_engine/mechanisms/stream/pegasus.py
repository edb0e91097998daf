"""PeGaSus: perturb every count, group successive counts that differ little, publish the median of a group so far."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, StreamEstimateMechanism

PERTURBED, GROUPED = 0.8, 0.2
"""Of a timestamp's ε/w, for its noisy counts and for its groups."""
THRESHOLD = 5.0
"""In Δ over the groups' budget."""


class _PeGaSus(Publisher):
    mechanism: StreamPeGaSus

    def __init__(self, mechanism: StreamPeGaSus, dimensions: int, rng: noise.RandomSource) -> None:
        from privacy_engine.kernels.stream_groups import MOST

        super().__init__(mechanism, dimensions, rng)
        self._budget = mechanism.epsilon / mechanism.window
        shares = (PERTURBED * self._budget, GROUPED * self._budget / 8, GROUPED * self._budget / 4)
        draws = (noise.BufferedLaplace(mechanism.noise_rate(share), rng) for share in shares)
        self._count_noise, self._query_noise, self._threshold_noise = draws
        self._limit = THRESHOLD * mechanism.sensitivity / (GROUPED * self._budget)
        self._raw, self._ordered = (np.zeros((dimensions, MOST), dtype=np.int64) for _ in range(2))
        self._size, self._threshold = (np.zeros(dimensions, dtype=np.int64) for _ in range(2))

    def _rows(self, counts: Ints) -> Floats:
        from privacy_engine.kernels.stream_groups import pegasus

        self.spend(np.full(len(counts), self._budget))
        draws = (self._count_noise, self._query_noise, self._threshold_noise)
        perturbed, queries, thresholds = (draw.take(counts.size).reshape(counts.shape) for draw in draws)
        state, out = (self._raw, self._ordered, self._size, self._threshold), np.empty(counts.shape)
        pegasus(counts, counts + perturbed, queries, thresholds, self._limit, *state, out)
        return out


@mechanisms.register
class StreamPeGaSus(StreamEstimateMechanism):
    r"""Noise at every timestamp, and the median over the group of similar counts that it belongs to.

    A timestamp has the budget :math:`\epsilon / w`, of which .8 is for its noisy counts and .2, :math:`\epsilon_g`,
    for the groups of each dimension [1]_. A count joins its dimension's open group if the group's deviation with it,
    rounded down to a whole number, plus noise of rate :math:`\epsilon_g / (8 \Delta)` is below
    :math:`5 \Delta / \epsilon_g` plus noise of rate :math:`\epsilon_g / (4 \Delta)`, drawn once for the group;
    otherwise it is a group of its own, and the next timestamp opens another. A count that changes by δ changes the sum
    of distances from the mean by less than 2δ, hence what is rounded down by at most 2δ, and it is in the queries of
    one group only, a sparse vector test that ends with its first count too far: that leaks
    :math:`\epsilon_g \delta / \Delta`. In sum over all dimensions δ is at most Δ, so one timestamp leaks at most
    :math:`\epsilon / w` and w of them ε, w-event privacy. Medians are computed from noisy counts. A group ends at
    256 counts, and deviations are of counts up to 2**40. The noise is discrete Laplace [2]_. Whether events are
    independent does not matter.

    References
    ----------
    .. [1] Chen, Machanavajjhala, Hay, Miklau. "PeGaSus: data-adaptive differentially private stream processing".
       CCS 2017.
    .. [2] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Stream PeGaSus"
    summary: ClassVar[str] = "New noise at every timestamp, smoothed over successive counts that differ little."
    independent_dimensions: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (6e-4, 2e-6, 2.5e-7)

    name: Literal["stream-pegasus"] = "stream-pegasus"

    def publisher(self, dimensions: int, rng: noise.RandomSource) -> Publisher:
        return _PeGaSus(self, dimensions, rng)

    def noise_sd(self) -> float:
        return noise.discrete_laplace_sd(self.noise_rate(PERTURBED * self.epsilon / self.window))
