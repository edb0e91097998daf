"""Quadtree: noisy counts in a decomposition that does not depend on the check-ins, with consistency."""

from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats
from privacy_engine.core.params import Param
from privacy_engine.core.progress import reported
from privacy_engine.decomposition.budgets import geometric_budgets
from privacy_engine.mechanisms.base.checkin_trees import TreeMechanism, worth_splitting
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender.tree import TreeModel, new_tree

Halvings = Annotated[
    int,
    Param(
        label="Halvings",
        symbol="h",
        help="How often each axis is halved at most. 4 reach single cells of a grid of 16 by 16.",
        lowest=1,
        highest=9,
        example=4,
    ),
]
PRESET = Param(
    label="Splits",
    help="Whether a box is halved along all axes at once, into many parts, or along one axis after the other.",
    options=(("wide", "all axes at once"), ("seed", "one axis a level")),
)


@mechanisms.register
class CheckInQuadtree(TreeMechanism):
    r"""Private spatial decomposition of runs of m + 1 cells, split at midpoints, as a quadtree is.

    Boxes are split at their middles, whatever the check-ins. Level i of h gets :math:`\epsilon_i \propto r^i`, r =
    :math:`2^{(D - 1)/3}` for D = 2(m + 1) axes halved at once and :math:`2^{1/3}` for one axis a level, in sum ε [1]_
    [2]_, with discrete Laplace noise of rate :math:`\epsilon_i / \Delta`. Which boxes are split further depends on
    noisy counts alone; a box that is not is counted once more, for what its path has left. Between neighbours runs
    change by at most Δ in sum, each on one path, whose rates sum to at most :math:`\epsilon / \Delta`: together ε. Δ
    is c - m where users are protected, 2m + 1 where check-ins are, and twice that if one is replaced. Counts are made
    consistent, and levels that would add more noise than detail are not used: both read noisy counts.

    References
    ----------
    .. [1] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    .. [2] Cormode, Procopiuc, Srivastava, Shen, Yu. "Differentially private spatial decompositions". ICDE 2012.
    """

    title: ClassVar[str] = "Quadtree"
    summary: ClassVar[str] = "Noisy counts of moves between boxes that are halved level by level."
    noise_varies: ClassVar[bool] = True

    work: ClassVar[tuple[float, float, float]] = (3e-3, 1.8e-7, 5e-4)

    name: Literal["checkin-quadtree"] = "checkin-quadtree"
    preset: Annotated[Literal["wide", "seed"], PRESET] = "wide"
    halvings: Halvings = 4

    @property
    def axes(self) -> int:
        """D, the number of axes of the space of runs."""
        return 2 * (self.order + 1)

    def shares(self) -> Floats:
        """The share of ε of each level, the root first."""
        halvings = min(self.halvings, (self.side - 1).bit_length())
        if self.preset == "wide":
            return geometric_budgets(1.0, halvings, 2 ** ((self.axes - 1) / 3))
        return geometric_budgets(1.0, halvings * self.axes, 2 ** (1 / 3))

    def noise_sd(self) -> float:
        """Standard deviation of the noise on each count of the last level, the smallest."""
        return noise.discrete_laplace_sd(self.noise_rate(self.shares()[-1]))

    def fit(self, log: QueryLog) -> TreeModel:
        tree = new_tree(self.grid, self.order, "every-axis" if self.preset == "wide" else "widest-axis")
        counts, rates, shares = [], [], self.shares()
        for share in reported(shares.tolist()):
            noisy, rate = self.level_counts(log, tree, share)
            counts.append(noisy)
            rates.append(rate)
            nodes = worth_splitting(noisy, rate, tree)
            if not len(nodes) or len(counts) == len(shares):
                break
            tree.expand(nodes)
        return self.fitted(log, tree, counts, rates, np.cumsum(shares))
