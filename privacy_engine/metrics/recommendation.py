"""How good recommendations are for users that the model was not fitted to: hit rate, precision, recall, rank."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine.core.params import Param
from privacy_engine.data import CheckIns
from privacy_engine.evaluation import Evaluation, Positions, Ranks
from privacy_engine.metrics.base import metrics
from privacy_engine.metrics.checkins import CheckInMetric
from privacy_engine.recommender import Recommender

FIRST = Param(
    label="Recommended cells",
    symbol="k",
    help="How many cells are recommended.",
    lowest=1,
    highest=1000,
    example=10,
)


class RankMetric(CheckInMetric):
    """Base: a mean over all positions, of check-ins of users that were not fitted."""

    held_out: ClassVar[bool] = True
    less_is_better: ClassVar[bool] = False

    def of(self, truth: CheckIns, release: Recommender) -> float:
        """Its value for a model on ``truth``, which must be of users that the model was not fitted to."""
        return self.over(Evaluation(release, truth, truth))

    def over(self, evaluation: Evaluation) -> float:
        positions, ranks = evaluation.positions, evaluation.ranks
        return float("nan") if positions is None or ranks is None else self._mean(positions, ranks)

    def _mean(self, positions: Positions, ranks: Ranks) -> float:
        raise NotImplementedError


class FirstMetric(RankMetric):
    """Base: a mean, in percent, that reads which cells are among those recommended."""

    unit: ClassVar[str] = "%"
    shared: ClassVar[str] = ""
    """The name and the title of metrics that differ in how many cells are recommended alone."""
    usual: ClassVar[int] = 10

    @property
    def first(self) -> int:
        """How many cells are recommended."""
        return int(getattr(self, "k", self.usual))

    @property
    def column_name(self) -> str:
        """What a table calls it: with different numbers of cells it is a different metric."""
        return f"{self.shared.lower().replace(' ', '-')}@{self.first}"

    @property
    def full_title(self) -> str:
        """Its title with the number of cells, which is stated also where it is the usual number."""
        return f"{self.shared} at {self.first}"


class HitRateMetric(FirstMetric):
    """Base: the hit rate [1]_.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    """

    shared: ClassVar[str] = "Hit rate"

    def _mean(self, positions: Positions, ranks: Ranks) -> float:
        return 100.0 * float(ranks[positions.first].hits(self.first).mean())


@metrics.register
class HitRate(HitRateMetric):
    """The share of moves to another cell whose destination is among ``k`` recommended cells: HR@k [1]_.

    A move is from one cell of a user's sequence to the next one. Cells with equal scores are in random order: a move
    counts with its probability. Not a number without any move.
    """

    title: ClassVar[str] = "Hit rate"
    short: ClassVar[str] = "HR"
    summary: ClassVar[str] = "How often the next cell of a user who was not fitted is among the first k recommended."

    name: Literal["hit-rate"] = "hit-rate"
    k: Annotated[int, FIRST] = 10


@metrics.register
class HitRateOfOne(HitRateMetric):
    """The share of moves to another cell whose destination is the one that is recommended first: HR@1 [1]_.

    As :class:`HitRate`, for one recommended cell.
    """

    title: ClassVar[str] = "Hit rate of the first"
    short: ClassVar[str] = "HR@1"
    summary: ClassVar[str] = "How often the next cell of a user who was not fitted is the first recommended one."
    usual: ClassVar[int] = 1

    name: Literal["hit-rate-1"] = "hit-rate-1"


@metrics.register
class HitRateOfFive(HitRateMetric):
    """The share of moves to another cell whose destination is among five recommended cells: HR@5 [1]_.

    As :class:`HitRate`, for five recommended cells.
    """

    title: ClassVar[str] = "Hit rate of the first five"
    short: ClassVar[str] = "HR@5"
    summary: ClassVar[str] = "How often the next cell of a user who was not fitted is among the first five recommended."
    usual: ClassVar[int] = 5

    name: Literal["hit-rate-5"] = "hit-rate-5"


@metrics.register
class HitRateByUser(FirstMetric):
    """The mean over users of the share of their moves whose destination is among ``k`` recommended cells [1]_.

    As :class:`HitRate`, but a user with many moves counts as much as one with a single move, which is the mean of what
    users see of it.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    """

    title: ClassVar[str] = "Hit rate by user"
    short: ClassVar[str] = "HR by user"
    summary: ClassVar[str] = "The hit rate of each user who was not fitted, averaged over users instead of moves."
    shared: ClassVar[str] = title

    name: Literal["hit-rate-by-user"] = "hit-rate-by-user"
    k: Annotated[int, FIRST] = 10

    def _mean(self, positions: Positions, ranks: Ranks) -> float:
        _, user = np.unique(positions.sequence, return_inverse=True)
        hits = np.bincount(user, ranks[positions.first].hits(self.first))
        return 100.0 * float((hits / np.bincount(user)).mean())


@metrics.register
class Precision(FirstMetric):
    """The share of ``k`` recommended cells that are among the next ten cells of the user: precision@k [1]_.

    The next ten cells as in :class:`Recall`; the mean over positions.

    References
    ----------
    .. [1] Ye, Yin, Lee, Lee. "Exploiting geographical influence for collaborative point-of-interest recommendation".
       SIGIR 2011.
    """

    title: ClassVar[str] = "Precision"
    summary: ClassVar[str] = "How many of the first k recommended cells are among the next ten of the user."

    shared: ClassVar[str] = title

    name: Literal["precision"] = "precision"
    k: Annotated[int, FIRST] = 10

    def _mean(self, positions: Positions, ranks: Ranks) -> float:
        return 100.0 * float(ranks.hits(self.first).sum()) / (self.first * len(positions))


@metrics.register
class Recall(FirstMetric):
    """The share of the user's next ten cells that are among ``k`` recommended cells: recall@k [1]_.

    The next ten cells of the sequence, each cell once and without the present one; the mean over positions.

    References
    ----------
    .. [1] Ye, Yin, Lee, Lee. "Exploiting geographical influence for collaborative point-of-interest recommendation".
       SIGIR 2011.
    """

    title: ClassVar[str] = "Recall"
    summary: ClassVar[str] = "How many of the next ten cells of the user are among the first k recommended."

    shared: ClassVar[str] = title

    name: Literal["recall"] = "recall"
    k: Annotated[int, FIRST] = 10

    def _mean(self, positions: Positions, ranks: Ranks) -> float:
        hits = np.bincount(positions.position, ranks.hits(self.first), len(positions))
        return 100.0 * float((hits / np.bincount(positions.position, minlength=len(positions))).mean())


@metrics.register
class ReciprocalRank(RankMetric):
    """The mean of 1 / rank of the next cell: MRR [1]_. Cells with equal scores are in random order.

    References
    ----------
    .. [1] Voorhees. "The TREC-8 Question Answering Track Report". TREC 1999.
    """

    title: ClassVar[str] = "Reciprocal rank"
    short: ClassVar[str] = "MRR"
    summary: ClassVar[str] = "Mean of 1 / rank of the next cell of users who were not fitted; 1 is best."

    name: Literal["reciprocal-rank"] = "reciprocal-rank"

    def _mean(self, positions: Positions, ranks: Ranks) -> float:
        return float(ranks[positions.first].reciprocal().mean())
