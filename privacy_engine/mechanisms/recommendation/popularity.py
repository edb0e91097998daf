"""Popularity: how many check-ins each cell of a public grid has, with noise."""

from __future__ import annotations

from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import laplace_rate
from privacy_engine.data import CheckIns
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.popularity import PopularityModel


@mechanisms.register
class CheckInPopularity(CheckInMechanism):
    r"""Discrete Laplace noise of rate :math:`\epsilon / \Delta` on the number of check-ins in every cell of a grid.

    Every cell of the public grid is published, also the empty ones, so which cells there are discloses nothing. Where
    users are protected each contributes at most c check-ins, so that with one user more or less the counts differ by at
    most Δ = c in sum, and by 2c if one is replaced; where records are, by 1 or 2. Discrete Laplace noise then gives
    ε [1]_.
    Ranking the cells reads the published counts alone and costs nothing.

    References
    ----------
    .. [1] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    """

    title: ClassVar[str] = "Popularity"
    summary: ClassVar[str] = "Noisy counts of check-ins on a public grid: the most visited cells."

    name: Literal["checkin-popularity"] = "checkin-popularity"

    def noise_rate(self) -> float:
        """The rate of the noise on each count."""
        return laplace_rate(self.epsilon, self.sensitivity)

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each count."""
        return noise.discrete_laplace_sd(self.noise_rate())

    @property
    def batched(self) -> bool:
        return True

    def fit(self, checkins: CheckIns, rng: noise.RandomSource) -> PopularityModel:
        return self.releases(checkins, 1, rng=rng)[0]

    def releases(
        self, checkins: CheckIns, times: int, *, rng: noise.RandomSource | np.random.Generator
    ) -> list[PopularityModel]:
        source, counts = noise.as_source(rng), self.counted(checkins)
        drawn = noise.discrete_laplace(self.noise_rate(), times * len(counts), rng=source).reshape(times, -1)
        return [PopularityModel(self.grid, counts + one, source.private) for one in drawn]
