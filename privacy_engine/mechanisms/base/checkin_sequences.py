"""What the mechanisms of sequences of cells share: sequences per user, and how far those of neighbours differ."""

import math
from collections.abc import Callable
from functools import partial
from typing import ClassVar

from privacy_engine import noise
from privacy_engine.core.arrays import Ints
from privacy_engine.data import CheckIns
from privacy_engine.mechanisms.base.checkins import COLLAPSED, CheckInMechanism
from privacy_engine.mechanisms.base.query_log import NoisyQuery
from privacy_engine.recommender import Sequences
from privacy_engine.recommender.gravity import band_counts, visit_counts, weighted_visits

RECORD_VISITS, RECORD_TRANSITIONS = 2, 3
"""What a further check-in changes the counts of visits and of transitions by at most, in sum."""
LEAST_WEIGHT = 2
"""What the visits of a user weigh together at least where there are as many, however much noise there is."""
PARTS = 1000
"""The parts of a visit that weighted visits are counted in."""


class SequenceMechanism(CheckInMechanism):
    """Base of the mechanisms whose queries are of sequences of cells.

    Where users are protected a sequence has at most c cells after repeats are collapsed. Where records are it is not
    truncated: a further check-in at its beginning would move every later cell by a place.
    """

    counting: ClassVar[str] = COLLAPSED

    def prepared(self, checkins: CheckIns) -> Sequences:
        """The sequences of cells of each user; DataError where the check-ins have no positions."""
        return self.sequences(checkins)

    @property
    def visit_weight(self) -> int:
        r"""How many visits those of a user weigh together at most, k; all c of them from :math:`\epsilon = 1` on.

        Otherwise :math:`k = \max(2, \lceil c \epsilon \rceil)`: most users have far fewer than c visits, and noise that
        hides c of every user hides theirs. Each visit of a user with n > k weighs k / n.
        """
        return min(self.contributions, max(LEAST_WEIGHT, math.ceil(self.contributions * self.epsilon)))

    @property
    def visit_parts(self) -> int:
        """In how many parts of 1 visits are counted: 1 where each weighs 1."""
        return PARTS if self.privacy_unit == "user" and self.visit_weight < self.contributions else 1

    @property
    def visit_sensitivity(self) -> int:
        r"""The most that neighbours' counts of the cells of all sequences differ by in sum, in parts of a visit.

        The visits of a user weigh at most k in sum, rounded down to whole parts. Where records are protected none is
        weighted: a check-in in b that is added between check-ins in a and c, of a user and in the box, is a visit of
        its own if b differs from both, and it divides a visit into two where a = c: b and a then count once more, 2.
        If b equals either nothing changes, and at an end of the sequence b counts at most once. One that is
        replaced is removed and another added, anywhere: twice as much.
        """
        return self.sensitivity * self.visit_parts

    @property
    def transition_sensitivity(self) -> int:
        r"""The most that neighbours' counts of transitions (a, b), a ≠ b, differ by in sum, and of their distances.

        Collapsing repeats and then counting successive cells is the same as counting the successive check-ins in the
        box whose cells differ. A user has at most c - 1 of these, so adding or removing a user changes the counts by at
        most c - 1. A check-in in b that is added between check-ins in a and c changes :math:`(a, c)`,
        :math:`(a, b)` and :math:`(b, c)` alone, each by at most 1: 3. One that is replaced is removed and another
        added, anywhere: twice as much in both cases.
        """
        return self.most_changed(max(self.contributions - 1, 1), RECORD_TRANSITIONS)

    @property
    def sensitivity(self) -> int:
        """The most that neighbours' visits of all cells differ by in sum: see :attr:`visit_sensitivity`."""
        return self.most_changed(self.visit_weight, RECORD_VISITS)

    def visits_query(self, share: float) -> NoisyQuery:
        """The visits of each cell in parts, (side²,), for a ``share`` of ε."""
        parts, most = self.visit_parts, self.visit_weight
        values = visit_counts if parts == 1 else partial(weighted_visits, most=most, parts=parts)
        return self._query("visits of each cell", values, self.visit_sensitivity, share)

    def visit_noise_sd(self, share: float) -> float:
        """Standard deviation of the noise on each of these, in visits."""
        return noise.discrete_laplace_sd(self.visits_query(share).rate) / self.visit_parts

    def bands_query(self, share: float) -> NoisyQuery:
        """The transitions by band of distance, (16,), for a ``share`` of ε."""
        return self._query("transitions by distance", band_counts, self.transition_sensitivity, share)

    def _query(self, name: str, values: Callable[[Sequences], Ints], sensitivity: int, share: float) -> NoisyQuery:
        return NoisyQuery(name, values, sensitivity, self.noise_rate(share, sensitivity))


def noise_variance(query: NoisyQuery) -> float:
    """The variance of the noise on each number of a query: public, its rate is."""
    return float(noise.discrete_laplace_sd(query.rate)) ** 2
