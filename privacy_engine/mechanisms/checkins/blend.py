"""Blend: noisy transitions between cells, shrunk towards a gravity model."""

from typing import Any, ClassVar, Literal

from pydantic import field_validator

from privacy_engine.core.params import broken
from privacy_engine.mechanisms.base.checkin_sequences import SequenceMechanism, noise_variance
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import NoisyQuery, QueryLog
from privacy_engine.recommender import GravityModel, TransitionModel
from privacy_engine.recommender.distance_bands import offset_pairs
from privacy_engine.recommender.gravity import transitions_by_offset
from privacy_engine.recommender.shrinkage import detectable
from privacy_engine.recommender.transitions import transition_counts

VISITS, BANDS, TRANSITIONS = 0.6, 0.1, 0.3
"""The shares of ε that the three counts have."""
MOST_SIDE = 32
"""There are side⁴ transitions: about a million."""


@mechanisms.register
class CheckInBlend(SequenceMechanism):
    r"""Transitions between cells, as far as they exceed their noise, and gravity for the rest.

    Three counts of the same sequences are published with discrete Laplace noise [1]_, the shares of ε public:
    transitions by distance (1/10) and visits (3/5) as :class:`CheckInGravity` has them, and the transitions between
    every two cells of the grid, also those that never occur (3/10). A user (or a check-in) spends the sum, ε. Each of
    these y is then replaced by :math:`\mu + \tau^2 / (\tau^2 + \sigma^2) (y - \mu)`, with μ what gravity expects,
    :math:`\sigma^2` the known variance of the noise and :math:`\tau^2` estimated from the published counts [2]_. That
    reads nothing else and costs nothing. Where the published transitions by distance are so few that noise would hide
    deviations as large as what is expected of each two cells, transitions are not published: their share is spent on
    visits, ε in sum again, and the model is one of gravity.

    References
    ----------
    .. [1] Ghosh, Roughgarden, Sundararajan. "Universally Utility-Maximizing Privacy Mechanisms". STOC 2009.
    .. [2] Morris. "Parametric empirical Bayes inference: theory and applications". JASA 1983.
    """

    title: ClassVar[str] = "Blend"
    summary: ClassVar[str] = "Noisy transitions between cells, shrunk towards gravity by how noisy they are."
    noise_varies: ClassVar[bool] = True
    pair_s: ClassVar[float] = 3e-8

    name: Literal["checkin-blend"] = "checkin-blend"

    @field_validator("side")
    @classmethod
    def _few_cells(cls, value: Any) -> Any:
        if value > MOST_SIDE:
            raise broken(f"must be at most {MOST_SIDE}, since all transitions between cells are published")
        return value

    def transitions_query(self) -> NoisyQuery:
        """The transitions between every two cells, (side⁴,)."""
        return self._query("transitions between cells", transition_counts, self.transition_sensitivity, TRANSITIONS)

    def noise_sd(self) -> float:
        """Standard deviation of the noise on the visits of each cell where transitions are published, else less."""
        return self.visit_noise_sd(VISITS)

    def fit(self, log: QueryLog) -> TransitionModel | GravityModel:
        parts, of_bands, of_transitions = self.visit_parts, self.bands_query(BANDS), self.transitions_query()
        bands, variance = log.answer(of_bands), noise_variance(of_transitions)
        by_offset = transitions_by_offset(self.grid, bands, noise_variance(of_bands))
        if not detectable(by_offset, offset_pairs(self.grid), variance):
            of_visits = self.visits_query(VISITS + TRANSITIONS)
            variances = noise_variance(of_visits), noise_variance(of_bands)
            return GravityModel(self.grid, log.answer(of_visits), bands, *variances, parts, private=log.private)
        of_visits = self.visits_query(VISITS)
        visits, transitions = log.answer(of_visits), log.answer(of_transitions)
        variances = noise_variance(of_visits), noise_variance(of_bands)
        return TransitionModel(self.grid, visits, bands, *variances, transitions, variance, parts, private=log.private)
