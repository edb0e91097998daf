"""kd-tree: noisy counts in boxes that are split at private medians."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param
from privacy_engine.core.progress import reported
from privacy_engine.decomposition.budgets import geometric_budgets
from privacy_engine.mechanisms.base.checkin_trees import MedianQuery, TreeMechanism, worth_splitting
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender.tree import TreeModel, new_tree

MEDIAN_SHARE = 0.3
Height = Annotated[
    int,
    Param(
        label="Height",
        symbol="h",
        help="How many levels of halves there are at most below the whole.",
        lowest=1,
        highest=20,
        example=12,
    ),
]


@mechanisms.register
class CheckInKdTree(TreeMechanism):
    r"""Private spatial decomposition of runs of m + 1 cells, split at medians, as a kd-tree is.

    Each box is split along its widest axis near the median of its runs, by the exponential mechanism over all split
    points of the box [1]_ [2]_: no coordinate of the data is published as such, nor any tight bounding rectangle.
    Medians get 0.3 ε, the same share on each level, counts 0.7 ε, :math:`\epsilon_i \propto 2^{i/3}`, with discrete
    Laplace noise of rate :math:`\epsilon_i / \Delta`; a box that is not split is counted once more, for what its path
    has left. Between neighbours runs change by at most Δ in sum, each on one path. One run changes the utilities of a
    box by one half, so that the odds of its split change by at most e to the share of its level over Δ, and with the
    rates of the counts on its path these sum to at most :math:`\epsilon / \Delta`: together ε. Δ is c - m where users
    are protected, 2m + 1 where check-ins are, and twice that if one is replaced.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    .. [2] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
    """

    title: ClassVar[str] = "kd-tree"
    summary: ClassVar[str] = "Noisy counts of moves between boxes that are split near their private medians."
    noise_varies: ClassVar[bool] = True

    work: ClassVar[tuple[float, float, float]] = (6e-3, 2e-7, 1.8e-4)

    name: Literal["checkin-kdtree"] = "checkin-kdtree"
    height: Height = 12

    def shares(self) -> Floats:
        """The share of ε of the counts of each level, the root first."""
        return geometric_budgets(1.0 - MEDIAN_SHARE, self._levels, 2 ** (1 / 3))

    @property
    def _levels(self) -> int:
        """The height, at most that of single cells."""
        return min(self.height, 2 * (self.order + 1) * (self.side - 1)) if self.side > 1 else 0

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each count of the last level, the smallest."""
        return noise.discrete_laplace_sd(self.noise_rate(self.shares()[-1]))

    def fit(self, log: QueryLog) -> TreeModel:
        tree = new_tree(self.grid, self.order, "medians")
        counts, rates, shares = [], [], self.shares()
        median_share = MEDIAN_SHARE / max(len(shares) - 1, 1)
        splits: list[Ints] = []
        for share in reported(shares.tolist()):
            noisy, rate = self.level_counts(log, tree, share)
            counts.append(noisy)
            rates.append(rate)
            nodes = worth_splitting(noisy, rate, tree)
            if not len(nodes) or len(counts) == len(shares):
                break
            level_epsilon = self.noise_rate(median_share, 1)
            query = MedianQuery(f"medians of level {len(splits)}", tree, nodes, self.sensitivity, level_epsilon)
            splits.append(log.answer(query))
            tree.expand(nodes, splits[-1])
        return self.fitted(log, tree, counts, rates, np.cumsum(shares) + median_share * np.arange(len(shares)), splits)
