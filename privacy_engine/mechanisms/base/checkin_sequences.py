"""What the mechanisms of sequences of cells share: sequences per user, and how far those of neighbours differ."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from privacy_engine import noise
from privacy_engine.data import CheckIns, Ints
from privacy_engine.mechanisms.base.checkins import COLLAPSED, CheckInMechanism
from privacy_engine.mechanisms.base.query_log import NoisyQuery
from privacy_engine.recommender import Sequences
from privacy_engine.recommender.gravity import band_counts, visit_counts

RECORD_VISITS, RECORD_TRANSITIONS = 2, 3
"""What one check-in more changes the counts of visits and of transitions by at most, in sum."""


class SequenceMechanism(CheckInMechanism):
    """Base of the mechanisms whose queries are of sequences of cells.

    Where users are protected a sequence has at most c cells after repeats are collapsed. Where records are it is not
    truncated: one more check-in at its beginning would move every later cell by one place.
    """

    counting: ClassVar[str] = COLLAPSED

    def prepared(self, checkins: CheckIns) -> Sequences:
        """The sequences of cells of each user; DataError where the check-ins have no positions."""
        return self.sequences(checkins)

    @property
    def visit_sensitivity(self) -> int:
        r"""The most that neighbours' counts of the cells of all sequences differ by in sum.

        A user has at most c cells. A check-in in b that is added between check-ins in a and c, of a user and in the
        box, is a visit of its own if b differs from both, and it divides one visit into two where a = c: b and a then
        count once more, 2. If b equals one of them nothing changes, and at an end of the sequence b counts at most
        once. One that is replaced is removed and another added, anywhere: twice as much.
        """
        return self.most_changed(self.contributions, RECORD_VISITS)

    @property
    def transition_sensitivity(self) -> int:
        r"""The most that neighbours' counts of transitions (a, b), a ≠ b, differ by in sum, and of their distances.

        Collapsing repeats and then counting successive cells is the same as counting the successive check-ins in the
        box whose cells differ. A user has at most c - 1 of these, so adding or removing one changes the counts by at
        most c - 1. A check-in in b that is added between check-ins in a and c changes :math:`(a, c)`,
        :math:`(a, b)` and :math:`(b, c)` alone, each by at most 1: 3. One that is replaced is removed and another
        added, anywhere: twice as much in both cases.
        """
        return self.most_changed(max(self.contributions - 1, 1), RECORD_TRANSITIONS)

    @property
    def sensitivity(self) -> int:
        """The sensitivity of the counts of visits: see :attr:`visit_sensitivity`."""
        return self.visit_sensitivity

    def visits_query(self, share: float) -> NoisyQuery:
        """The visits of each cell, (side²,), for a ``share`` of ε."""
        return self._query("visits of each cell", visit_counts, self.visit_sensitivity, share)

    def bands_query(self, share: float) -> NoisyQuery:
        """The transitions by band of distance, (16,), for a ``share`` of ε."""
        return self._query("transitions by distance", band_counts, self.transition_sensitivity, share)

    def _query(self, name: str, values: Callable[[Sequences], Ints], sensitivity: int, share: float) -> NoisyQuery:
        return NoisyQuery(name, values, sensitivity, self.noise_rate(share, sensitivity))


def noise_variance(query: NoisyQuery) -> float:
    """The variance of the noise on each number of a query: public, its rate is."""
    return float(noise.discrete_laplace_sd(query.rate)) ** 2
