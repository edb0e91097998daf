"""Markov: exact counts of successive cells, the reference that protects nothing."""

from typing import ClassVar, Literal

from privacy_engine.data import CheckIns
from privacy_engine.mechanisms.base.checkin_parameters import LeastMass, Order
from privacy_engine.mechanisms.base.checkin_sequences import SequenceMechanism
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender import MarkovModel, Sequences


@mechanisms.register
class CheckInMarkov(SequenceMechanism):
    """Counts of runs of up to m + 1 cells without noise: what a private model is compared with [1]_.

    The next cell is ranked by how often it followed the longest end of the history, of at most m cells, that was
    followed by any cell at least ``least`` times; cells with equal counts share a rank. All check-ins in the box count,
    and the level has no effect: it is a parameter so that experiments can have this mechanism among others.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    """

    title: ClassVar[str] = "Markov, not private"
    summary: ClassVar[str] = "Exact counts of successive cells: a reference without any protection."
    publishable: ClassVar[bool] = False

    name: Literal["checkin-markov"] = "checkin-markov"
    order: Order = 1
    least: LeastMass = 1

    @property
    def unsound(self) -> str:
        return "counts are published without noise, so that a single check-in can be read from them"

    def prepared(self, checkins: CheckIns) -> Sequences:
        """All check-ins in the box as sequences; DataError where they have no positions."""
        return Sequences.of(checkins, self.grid)

    def noise_sd(self) -> float:
        """Zero: there is no noise."""
        return 0.0

    def fit(self, log: QueryLog) -> MarkovModel:
        return MarkovModel.fitted(log.data, self.order, self.least)
