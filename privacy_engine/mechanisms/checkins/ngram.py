"""N-grams: an exploration tree whose nodes are expanded where their noisy counts are large."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import advance
from privacy_engine.data import CheckIns
from privacy_engine.decomposition.gram_tree import GramTree, with_ends
from privacy_engine.decomposition.ngrams import estimated_height, expansion_threshold
from privacy_engine.decomposition.points import Points
from privacy_engine.mechanisms.base.checkin_parameters import Order
from privacy_engine.mechanisms.base.checkin_trees import LEAST_SHARE, first_nodes, run_sensitivity
from privacy_engine.mechanisms.base.checkins import COLLAPSED, CheckInMechanism
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.query_log import QueryLog
from privacy_engine.recommender.ngrams import NgramModel


@dataclass(frozen=True, eq=False)
class GramQuery:
    """Counts of the grams of a level with discrete Laplace noise, whose rate depends on the parent.

    ``rates`` (parents,) hold for ``each`` count in turn. ``epsilon`` is what the query spends at most; on no path from
    the first level to the last do the rates of all queries sum to more than that of ε alone.
    """

    name: str
    values: Callable[[Points], Ints]
    rates: Floats
    each: int
    epsilon: float

    def answer(self, points: Points, source: noise.RandomSource) -> Ints:
        """The counts with noise, (grams,)."""
        counts = self.values(points).reshape(-1, self.each)
        for rate in np.unique(self.rates).tolist():
            rows = np.flatnonzero(self.rates == rate)
            drawn = noise.discrete_laplace(rate, len(rows) * self.each, rng=source)
            counts[rows] += drawn.reshape(-1, self.each)
        return counts.ravel()

    def spent(self, first: Points, second: Points) -> float:
        """What the query spends between two inputs: the sum over counts of rate times difference."""
        apart = np.abs(self.values(first) - self.values(second)).reshape(-1, self.each)
        return float(self.rates @ apart.sum(axis=1))


@mechanisms.register
class CheckInNgram(CheckInMechanism):
    r"""Exploration tree of n-grams of up to m + 1 cells, with budgets that adapt to noisy counts.

    Every cell is counted; a gram of noisy count of at least θ gets children, one for each cell of the public grid and
    one for the end of a sequence, all of which are counted, with a share of the budget that its path has left: by the
    number of levels that are likely to follow [1]_ [2]_. Each position of a sequence begins one path down the tree, on
    which the rates of all noise sum to at most :math:`\epsilon / \Delta`. Where users are protected one has at most c
    positions; where check-ins are, one more changes the paths of at most m positions before it, each lost and new,
    and adds its own: :math:`\Delta = 2m + 1` (:func:`~privacy_engine.mechanisms.base.checkin_trees.run_sensitivity`;
    a check-in that divides a visit adds two paths and changes m - 1). Twice that if one is replaced. Each factor of the
    likelihood of a tree given what was published before it then changes so that all together are ε. Which grams are
    expanded, budgets and consistency read noisy counts alone.

    References
    ----------
    .. [1] Chen, Acs, Castelluccia. "Differentially private sequential data publication via variable-length n-grams".
       CCS 2012.
    .. [2] Zhang, Ghinita, Chow. "Differentially private location recommendations in geosocial networks". MDM 2014.
    """

    title: ClassVar[str] = "N-grams"
    summary: ClassVar[str] = "Noisy counts of cells, and of what follows the runs of cells that are frequent."
    counting: ClassVar[str] = COLLAPSED
    noise_varies: ClassVar[bool] = True

    work: ClassVar[tuple[float, float, float]] = (8e-4, 6e-8, 5e-5)

    name: Literal["checkin-ngram"] = "checkin-ngram"
    order: Order = 1

    def prepared(self, checkins: CheckIns) -> Points:
        """The run of m + 1 symbols from each position, the end of a sequence included; DataError without positions."""
        sequences = self.sequences(checkins)
        return with_ends(sequences.cells, sequences.starts, self.order + 1, len(self.grid))

    @property
    def sensitivity(self) -> int:
        """How many paths neighbours differ by at most."""
        return self.most_changed(self.contributions, run_sensitivity(self.order + 1, None))

    def noise_sd(self) -> float:
        """Standard deviation of the noise on the count of each cell."""
        return noise.discrete_laplace_sd(self.noise_rate(1 / (self.order + 1)))

    def fit(self, log: QueryLog) -> NgramModel:
        tree = GramTree(len(self.grid))
        shares = np.array([1 / (self.order + 1)])
        left = np.ones(1)  # what the path of each node has left
        rates: list[Floats] = []
        counts: list[Ints] = []
        while True:
            advance()
            depth, each = len(rates), tree.symbols_each if rates else len(self.grid)
            rates.append(np.array([self.noise_rate(share) for share in shares.tolist()]))
            most = float(rates[-1].max()) * self.sensitivity
            query = GramQuery(f"grams of {depth + 1}", partial(tree.counts, depth=depth), rates[-1], each, most)
            counts.append(log.answer(query))
            if depth == self.order:
                break
            left = np.repeat(left - shares, each)
            thresholds = expansion_threshold(len(self.grid), 1, np.repeat(rates[-1], each))
            cells = tree.symbols[-1] < len(self.grid)
            nodes = np.flatnonzero(cells & (counts[-1] >= thresholds) & (left >= LEAST_SHARE))
            nodes = np.sort(first_nodes(nodes[np.argsort(-counts[-1][nodes], kind="stable")], tree.symbols_each))
            if not len(nodes):
                break
            heights = estimated_height(
                thresholds[nodes], counts[-1][nodes], _likeliest(tree, counts)[nodes], self.order - depth
            )
            left = left[nodes]
            shares = left / heights
            tree.expand(nodes)
        return NgramModel(self.grid, self.order, tuple(tree.expanded), tuple(rates), tuple(counts), private=log.private)


def _likeliest(tree: GramTree, counts: list[Ints]) -> Floats:
    """The largest share of a next cell, of each node of the last level: after the gram without its first cell.

    Where that has no children the share of the most frequent cell. Noisy counts alone are read.
    """
    depth = len(counts) - 1
    first = np.maximum(counts[0], 0)
    overall = float(first.max() / max(first.sum(), 1))
    if depth == 0:
        return np.full(len(first), overall)
    suffix = tree.suffixes(depth)
    blocks = np.maximum(counts[-1].reshape(-1, tree.symbols_each), 0)
    own = np.full(len(counts[-2]), overall)
    own[tree.expanded[-1]] = blocks[:, :-1].max(axis=1) / np.maximum(blocks.sum(axis=1), 1)
    return np.where(suffix >= 0, own[suffix], overall)
