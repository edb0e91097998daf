"""What the mechanisms that decompose the space of runs of cells share: sensitivity, and the queries of a level."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import advance, reported
from privacy_engine.data import CheckIns
from privacy_engine.decomposition.box_tree import BoxTree
from privacy_engine.decomposition.medians import split_utilities
from privacy_engine.decomposition.points import Points
from privacy_engine.decomposition.privtree import biased, decision_logs
from privacy_engine.mechanisms.base.checkin_parameters import Order
from privacy_engine.mechanisms.base.checkins import COLLAPSED, CheckInMechanism
from privacy_engine.mechanisms.base.query_log import NoisyQuery, QueryLog
from privacy_engine.recommender.tree import MOST_NODES, TreeModel

LEAST_SHARE = 1e-6
"""Of ε: with less left nothing is counted."""


class TreeMechanism(CheckInMechanism):
    r"""Base of the mechanisms that count runs of m + 1 successive cells in boxes of the space of all such runs.

    A run is a point of :math:`I^{m + 1}`, I the cells of the grid: 2(m + 1) whole coordinates. The boxes of a level
    are disjoint, and each is a part of one box of the level above: a run is counted in the boxes of one path down the
    tree. The rates of all noise on a path, with what its splits spend, sum to at most :math:`\epsilon / \Delta`, Δ the
    most by which neighbours' counts of runs differ in sum, so that all together are ε.
    """

    counting: ClassVar[str] = COLLAPSED

    order: Order = 1

    def prepared(self, checkins: CheckIns) -> Points:
        """The runs of m + 1 cells of all sequences, with how often each occurs; DataError without positions.

        Where users are protected the sequence of each is truncated to c cells after repeats are collapsed.
        """
        runs = self.sequences(checkins).windows(self.order + 1)
        return Points.of_cells(runs, self.grid.columns, len(self.grid))

    @property
    def sensitivity(self) -> int:
        """The most that neighbours' counts of runs differ by in sum: :func:`run_sensitivity`."""
        length = self.order + 1
        return self.most_changed(run_sensitivity(length, self.contributions), run_sensitivity(length, None))

    def level_counts(self, log: QueryLog, tree: BoxTree, share: float) -> tuple[Ints, float]:
        """Noisy counts of the last level's nodes, for a share of ε, and the rate of their noise."""
        depth, rate = len(tree.expanded), self.noise_rate(share)
        query = NoisyQuery(f"runs in boxes, level {depth}", partial(tree.counts, depth=depth), self.sensitivity, rate)
        return log.answer(query), rate

    def fitted(
        self,
        log: QueryLog,
        tree: BoxTree,
        counts: Sequence[Ints],
        rates: Sequence[float],
        spent: Floats,
        splits: Sequence[Ints] = (),
    ) -> TreeModel:
        """The model of a tree, with a further count of every leaf for what its path has left of ε.

        ``spent`` (levels,) is the share of ε that was spent on the way to a leaf of each level.
        """
        leaf_counts, leaf_rates = [], []
        for depth, nodes in enumerate(reported(tree.leaves)):
            left = 1.0 - float(spent[depth])
            leaf_rates.append(self.noise_rate(left) if len(nodes) and left > LEAST_SHARE else 0.0)
            leaf_counts.append(np.empty(0, dtype=np.int64))
            if leaf_rates[-1]:
                values = partial(_leaf_counts, tree, depth, nodes)
                query = NoisyQuery(f"runs in leaves, level {depth}", values, self.sensitivity, leaf_rates[-1])
                leaf_counts[-1] = log.answer(query)
        every = (tuple(tree.expanded), tuple(counts), np.array(rates), tuple(leaf_counts), np.array(leaf_rates))
        return TreeModel(self.grid, self.order, tree.rule, *every, tuple(splits), private=log.private)


def _leaf_counts(tree: BoxTree, depth: int, nodes: Ints, points: Points) -> Ints:
    return tree.counts(points, depth)[nodes]


def run_sensitivity(length: int, most: int | None) -> int:
    r"""The most that counts of runs of ``length`` n > 1 change by in sum, where a user or check-in is added or removed.

    A user whose sequence has at most c = ``most`` cells has at most c - n + 1 runs. Where check-ins are protected
    (``most`` is None) sequences are not truncated, and a further check-in, in a cell b, changes a sequence without
    repeats in one of three ways. (1) Not at all, if b equals a neighbour in the sequence. (2) b is inserted between two
    different cells, or at an end. The runs with cells on both sides of that place, at most n - 1, are lost, the runs
    with b, at most n, are new: :math:`2n - 1`. (3) b comes between two check-ins in one cell a, which becomes a, b, a.
    The runs with cells on both sides of a, at most n - 2, are lost; runs without b are as before, and those with b, at
    most n, are new: :math:`2n - 2`. A removal is the reverse of one of these.

    >>> [run_sensitivity(2, None), run_sensitivity(3, None), run_sensitivity(2, 10), run_sensitivity(3, 2)]
    [3, 5, 9, 1]
    """
    return 2 * length - 1 if most is None else max(most - length + 1, 1)


def worth_splitting(counts: Ints, rate: float, tree: BoxTree) -> Ints:
    r"""The nodes of the last level that are split, (k,): those whose noisy counts stand out of the noise.

    The threshold is :math:`\ln(F)/\sqrt{2}` standard deviations, F the number of children: of all children of an empty
    node one half is split on average. Where the next level would be too large, those of largest count are split.
    """
    threshold = math.log(tree.parts) / math.sqrt(2) * noise.discrete_laplace_sd(rate)
    nodes = np.flatnonzero(tree.leaf_level.divisible & (counts >= threshold))
    return np.sort(first_nodes(nodes[np.argsort(-counts[nodes], kind="stable")], tree.parts))


def first_nodes(nodes: Ints, parts: int) -> Ints:
    """The first of ``nodes`` (k,), so many that the next level has at most :data:`MOST_NODES`."""
    return nodes[: max(MOST_NODES // parts, 1)]


@dataclass(eq=False)
class MedianQuery:
    r"""Splits of the nodes of a level near the medians along their widest axes, by the exponential mechanism.

    One run more or less changes the utilities of one node by one half (:func:`split_utilities`), so runs that change by
    ``sensitivity`` in sum change the odds of all nodes' splits together by :math:`e^{\epsilon}` at most: weights are
    :math:`e^{\epsilon u / \Delta}`, the exponential mechanism for utilities that change by :math:`\Delta / 2`.
    """

    name: str
    tree: BoxTree
    nodes: Ints
    sensitivity: int
    epsilon: float
    chosen: Ints = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def __post_init__(self) -> None:
        self.depth = len(self.tree.expanded)
        level = self.tree.leaf_level
        self.axis = level.widest(self.nodes)
        self.low, self.high = level.low[self.nodes, self.axis], level.high[self.nodes, self.axis]
        self.size = int(self.high.max())

    def utilities(self, points: Points) -> Floats:
        """Utilities of the split points 1, 2, … of the domain, (k, split points)."""
        place = np.full(len(self.tree.levels[self.depth]) + 1, -1, dtype=np.int64)
        place[self.nodes] = np.arange(len(self.nodes))
        row = place[self.tree.located(points, self.depth)]
        inside = np.flatnonzero(row >= 0)
        values = points.at[inside, self.axis[row[inside]]]
        return split_utilities(values, row[inside], len(self.nodes), self.size, points.weights[inside])

    @property
    def there(self) -> Mask:
        """Which split points lie inside of which box, (k, split points)."""
        at = np.arange(1, self.size)
        return np.asarray((at > self.low[:, None]) & (at < self.high[:, None]))

    def answer(self, points: Points, source: noise.RandomSource) -> Ints:
        """The coordinate at which each node is split, (k,)."""
        chosen = noise.exponential_mechanisms(
            self.utilities(points), self.there, self.epsilon, self.sensitivity / 2, rng=source
        )
        self.chosen = chosen + 1
        return self.chosen

    def spent(self, first: Points, second: Points) -> float:
        """How far the odds of the splits that were drawn differ between two inputs: the sum over nodes."""
        logs = []
        for points in (first, second):
            exponents = np.where(self.there, self.utilities(points) * (self.epsilon / self.sensitivity), -np.inf)
            drawn = exponents[np.arange(len(self.nodes)), self.chosen - 1]
            logs.append(drawn - np.logaddexp.reduce(exponents, axis=1))
        return float(np.abs(logs[0] - logs[1]).sum())


@dataclass(eq=False)
class PrivTreeQuery:
    """The splits of a whole tree by PrivTree: :mod:`privacy_engine.decomposition.privtree` has algorithm and proof.

    ``epsilon`` is what they spend at most together, by ``rate`` and ``decay``. ``decisions`` has the nodes of each
    level and which of them are to be split; the first of these are, so many that the next level is not too large.
    """

    name: str
    tree: BoxTree
    rate: float
    decay: int
    threshold: int
    epsilon: float
    decisions: list[tuple[Ints, Mask]] = field(default_factory=list)

    def _excess(self, points: Points, depth: int, nodes: Ints) -> Ints:
        """Biased counts of nodes less the threshold, (k,)."""
        counts = self.tree.counts(points, depth)[nodes]
        return biased(counts, depth, self.decay, self.threshold) - self.threshold

    def answer(self, points: Points, source: noise.RandomSource) -> BoxTree:
        """The tree of one node, grown level by level: nodes whose noisy excess is positive are split."""
        while len(nodes := np.flatnonzero(self.tree.leaf_level.divisible)):
            advance()
            excess = self._excess(points, len(self.decisions), nodes)
            chosen = excess + noise.discrete_laplace(self.rate, len(nodes), rng=source) > 0
            self.decisions.append((nodes, chosen))
            if not chosen.any():
                break
            self.tree.expand(first_nodes(nodes[chosen], self.tree.parts))
        return self.tree

    def spent(self, first: Points, second: Points) -> float:
        """How far the odds of the decisions that were drawn differ between two inputs: the sum over nodes."""
        total = 0.0
        for depth, (nodes, chosen) in enumerate(self.decisions):
            logs = [decision_logs(self._excess(points, depth, nodes), self.rate) for points in (first, second)]
            differences = [np.abs(a - b) for a, b in zip(*logs, strict=True)]
            total += float(np.where(chosen, *differences).sum())
        return total
