"""Popularity: how many check-ins each cell of a public grid has, with noise."""

from typing import ClassVar, Literal

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.data import CheckIns
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import NoisyQuery, QueryLog
from privacy_engine.recommender import PopularityModel


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
    adaptive: ClassVar[bool] = False

    work: ClassVar[tuple[float, float, float]] = (3e-4, 2.5e-8, 1e-5)

    name: Literal["checkin-popularity"] = "checkin-popularity"

    def prepared(self, checkins: CheckIns) -> Ints:
        """The counts of :meth:`counted`."""
        return self.counted(checkins)

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each count."""
        return noise.discrete_laplace_sd(self.noise_rate())

    def fit(self, log: QueryLog) -> PopularityModel:
        query = NoisyQuery("check-ins of each cell", lambda counts: counts, self.sensitivity, self.noise_rate())
        return PopularityModel(self.grid, log.answer(query), private=log.private)
