"""Gravity: noisy visits of each cell, and noisy transitions by distance."""

from typing import ClassVar, Literal

from privacy_engine.mechanisms.base.checkin_sequences import SequenceMechanism, noise_variance
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender import GravityModel

VISITS, BANDS = 0.9, 0.1
"""The shares of ε that the two counts have: there are few bands, and each has many transitions."""


@mechanisms.register
class CheckInGravity(SequenceMechanism):
    r"""How often each cell is visited times how often users go so far: :math:`P_b \, f(d_{ab})` from a to b.

    Two counts are published with discrete Laplace noise [1]_: the visits of every cell for 9/10 of ε, and the
    transitions to each of 16 bands of distance, public and equally spaced on a logarithmic scale, for 1/10 of it. Both
    are of the same sequences, so a user (or a check-in) spends the sum, ε. Where users are protected and ε is below 1,
    visits of one user weigh at most k = max(2, ⌈c ε⌉) together (where n > k, each weighs k / n), for less noise.
    f is the number of transitions per pair of cells of a band, shrunk towards the public law :math:`1/d^2` and fitted
    so that it never increases with distance, P the visits, shrunk towards their mean; both by the part of their
    variance that the noise explains, two standard errors of it included: where it explains all, the nearest cells are
    recommended first. Interaction that is proportional to masses and falls with distance is Zipf's model of movement
    between cities [2]_; that moves between check-ins are mostly short is measured in [3]_.

    References
    ----------
    .. [1] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    .. [2] Zipf. "The P1 P2 / D hypothesis: on the intercity movement of persons". American Sociological Review 1946.
    .. [3] Cho, Myers, Leskovec. "Friendship and mobility: user movement in location-based social networks". KDD 2011.
    """

    title: ClassVar[str] = "Gravity"
    summary: ClassVar[str] = "Noisy popularity of cells and noisy distances of moves: near and much visited cells."
    noise_varies: ClassVar[bool] = True
    adaptive: ClassVar[bool] = False

    name: Literal["checkin-gravity"] = "checkin-gravity"

    def noise_sd(self) -> float:
        """Standard deviation of the noise on the visits of each cell; that on the bands differs."""
        return self.visit_noise_sd(VISITS)

    def fit(self, log: QueryLog) -> GravityModel:
        visits, bands = self.visits_query(VISITS), self.bands_query(BANDS)
        answers = log.answer(visits), log.answer(bands)
        variances = noise_variance(visits), noise_variance(bands)
        return GravityModel(self.grid, *answers, *variances, self.visit_parts, private=log.private)
