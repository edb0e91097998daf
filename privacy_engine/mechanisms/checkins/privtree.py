"""PrivTree: a decomposition without a bound on the height, and noisy counts of its leaves."""

from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.decomposition.privtree import whole_decay
from privacy_engine.mechanisms.base.checkin_trees import PrivTreeQuery, TreeMechanism
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender.tree import TreeModel, new_tree

DECISION_SHARE = 0.5
THRESHOLD = 0


@mechanisms.register
class CheckInPrivTree(TreeMechanism):
    r"""PrivTree on runs of m + 1 cells: boxes are split where noisy, biased counts exceed a threshold, then counted.

    Half of ε decides which boxes are split, all axes at once, into :math:`F = 4^{m + 1}` parts: a box of depth d with n
    runs if :math:`\max(n - d \delta, \theta - \delta) + K > \theta`, K discrete Laplace noise of rate :math:`\epsilon
    (F - 1)/(2 \Delta (2F - 1))`, δ the next whole number above :math:`\ln F` over that rate. All decisions together are
    ε/2 for runs that change by at most Δ in sum, however high the tree [1]_ (whole counts and noise: proven in
    :mod:`privacy_engine.decomposition.privtree`). The other half counts the leaves, which are disjoint, with discrete
    Laplace noise of rate :math:`\epsilon/(2 \Delta)`. Δ is c - m where users are protected, 2m + 1 where check-ins are,
    and twice that if one is replaced.

    References
    ----------
    .. [1] Zhang, Xiao, Xie. "PrivTree: A Differentially Private Algorithm for Hierarchical Decompositions". SIGMOD
       2016.
    """

    title: ClassVar[str] = "PrivTree"
    summary: ClassVar[str] = "Noisy counts of moves between boxes that are split where there are many."

    work: ClassVar[tuple[float, float, float]] = (2e-3, 1e-7, 4e-4)

    name: Literal["checkin-privtree"] = "checkin-privtree"

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each count of a leaf."""
        return noise.discrete_laplace_sd(self.noise_rate(1 - DECISION_SHARE))

    @property
    def decision_rate(self) -> float:
        """Rate of the noise on each decision."""
        parts = 4 ** (self.order + 1)
        return self.noise_rate(DECISION_SHARE * (parts - 1) / (2 * parts - 1))

    @property
    def decay(self) -> int:
        return whole_decay(self.decision_rate, 4 ** (self.order + 1))

    def fit(self, log: QueryLog) -> TreeModel:
        empty, half = new_tree(self.grid, self.order, "every-axis"), DECISION_SHARE * self.epsilon
        query = PrivTreeQuery("splits of boxes", empty, self.decision_rate, self.decay, THRESHOLD, half)
        tree = log.answer(query)
        levels = len(tree.levels)
        counts, spent = [np.empty(0, dtype=np.int64)] * levels, np.full(levels, DECISION_SHARE)
        return self.fitted(log, tree, counts, [0.0] * levels, spent)
