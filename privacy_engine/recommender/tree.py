"""``TreeModel``: noisy counts of runs of cells in the boxes of a decomposition."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self, get_args

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import reported
from privacy_engine.data.grid import Grid
from privacy_engine.decomposition.box_tree import BoxTree, Rule
from privacy_engine.decomposition.consistency import Consistent, consistent, shrunk
from privacy_engine.errors import DataError
from privacy_engine.recommender.base import Recommender, number, register, whole_numbers
from privacy_engine.recommender.distance_bands import from_cell, offset_distances_m

MOST_NODES = 1 << 18
MOST_ORDER = 4
DETAIL = 1.0
"""From so many standard deviations of the noise in their sum children are used: below they add noise, not detail."""
SHARINGS, EVEN_SHARE = 2, 0.1
FIRST_OF_EQUALS = 1e-6
CACHED_HISTORIES = 4096
LEAST_RATE = 1e-12


@register
@dataclass(frozen=True, eq=False)
class TreeModel(Recommender):
    """Runs of ``order`` + 1 successive cells as points of a space with two axes for each: its boxes and their counts.

    Published are the noisy counts. Consistent counts and the leaves that are used are computed from them.

    Parameters
    ----------
    order : int
        How many cells of the history the next cell depends on.
    rule : "every-axis", "widest-axis" or "medians"
        Where nodes are split.
    expanded : arrays of int, an array for each level but the last
        The nodes that are split.
    counts, leaf_counts : arrays of int, an array for each level
        Noisy counts of all its nodes, and of its leaves alone; of length 0 where there are none.
    rates, leaf_rates : (levels,) float
        Rates of the noise on them; 0 where there are none.
    splits : arrays of int
        Where the rule is ``medians``, the coordinate at which each node of ``expanded`` is split.
    """

    model: ClassVar[str] = "tree"

    order: int
    rule: Rule
    expanded: tuple[Ints, ...]
    counts: tuple[Ints, ...]
    rates: Floats
    leaf_counts: tuple[Ints, ...]
    leaf_rates: Floats
    splits: tuple[Ints, ...] = ()
    _scores: dict[tuple[int, ...], Floats] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def tree(self) -> BoxTree:
        """The boxes."""
        tree = new_tree(self.grid, self.order, self.rule)
        for i, nodes in enumerate(self.expanded):
            tree.expand(nodes, self.splits[i] if self.rule == "medians" else None)
        return tree

    def split_nodes(self, depth: int) -> Mask:
        """Which nodes of a level have children, (nodes,)."""
        mask = np.zeros(len(self.tree.levels[depth]), dtype=np.bool_)
        if depth < len(self.expanded):
            mask[self.expanded[depth]] = True
        return mask

    @cached_property
    def estimates(self) -> Consistent:
        """Consistent counts of every node, by level: each is the sum of its children."""
        counts, precisions = [], []
        for depth, level in enumerate(self.tree.levels):
            sums, precision = np.zeros(len(level)), np.zeros(len(level))
            for noisy, rate, there in (
                (self.counts[depth], self.rates[depth], np.ones(len(level), dtype=np.bool_)),
                (self.leaf_counts[depth], self.leaf_rates[depth], ~self.split_nodes(depth)),
            ):
                if rate > 0:
                    sums[there] += noisy / noise_variance(rate)
                    precision[there] += 1 / noise_variance(rate)
            counts.append(np.divide(sums, precision, out=np.zeros(len(level)), where=precision > 0))
            precisions.append(precision)
        return consistent([level.parent for level in self.tree.levels], counts, precisions)

    @cached_property
    def leaves(self) -> tuple[Ints, Ints, Floats]:
        """The boxes that are used, from low (n, d) to high (n, d), and their counts (n,): they partition the space.

        Children of a node are used if it has a count of at least :data:`DETAIL` standard deviations of theirs in sum.
        """
        levels, estimates, leaves = self.tree.levels, self.estimates, []
        parents = [level.parent for level in levels]
        counts = shrunk(parents, estimates, [level.volume for level in levels])
        reached = np.ones(1, dtype=np.bool_)
        for depth, (level, values) in enumerate(reported(zip(levels, counts, strict=True))):
            inner = self.split_nodes(depth)
            if depth < len(self.expanded) and self.rates[depth] > 0:
                spread = np.bincount(parents[depth + 1], estimates.variances[depth + 1], len(level))
                inner &= estimates.counts[depth] >= DETAIL * np.sqrt(spread)
            used = reached & ~inner
            leaves.append((level.low[used], level.high[used], values[used]))
            if depth + 1 < len(levels):
                reached = (reached & inner)[parents[depth + 1]]
        low, high, values = (np.concatenate(parts) for parts in zip(*leaves, strict=True))
        return low, high, values

    def scores(self, history: Sequence[int]) -> Floats:
        """The estimated count of the last ``order`` cells of the history followed by each cell, at least 0, (cells,).

        The count of a leaf is shared by its cells as by the gravity law: by popularity over the square of the distance
        from the last cell of the history [1]_. The cells before a shorter history may be any. Of cells with equal
        counts those come first that a history without its first cell recommends first, in the end by the same law.

        References
        ----------
        .. [1] Zipf. "The P1 P2 / D hypothesis: on the intercity movement of persons". American Sociological Review
           1946; with the square of the distance: Stewart. "An inverse distance variation for certain social
           influences". Science 1941.
        """
        recent = tuple(self.checked(history)[-self.order :].tolist())
        if recent not in self._scores:
            if len(self._scores) >= CACHED_HISTORIES:
                self._scores.clear()
            rows, share = self._matching(recent, self.popularity)
            weights = self._next_weights(recent)
            counts = self._spread(rows, share, self.order, weights)
            shorter = self.scores(recent[1:]) if len(recent) > 1 else weights
            self._scores[recent] = np.maximum(counts, 0.0) + FIRST_OF_EQUALS * shorter / max(shorter.max(), 1e-9)
        return self._scores[recent].copy()

    @cached_property
    def _nearness(self) -> Floats:
        """The inverse square of the distance of cells so many rows and columns apart, (rows, columns), at most 1.

        That of a cell from itself is the smallest: a sequence has no repeats.
        """
        squares = offset_distances_m(self.grid) ** 2
        squares[0, 0] = max(squares.max(), 1.0)
        return np.asarray(squares.min() / squares)

    def _next_weights(self, recent: Sequence[int]) -> Floats:
        """How the cells of a leaf share its count as the next after these cells, (cells,), all positive."""
        if not recent:
            return self.popularity
        return self.popularity * from_cell(self._nearness, recent[-1])

    def _matching(self, recent: Sequence[int], weights: Floats) -> tuple[Ints, Floats]:
        """The leaves that have runs with these cells before the last, (n,), and how much of each has them."""
        low, high, values = self.leaves
        rows, share = np.arange(len(values)), np.ones(len(values))
        for place, cell in enumerate(recent, self.order - len(recent)):
            row, column = divmod(cell, self.grid.columns)
            here, at = slice(2 * place, 2 * place + 2), np.array([column, row])
            inside = ((low[rows, here] <= at) & (at < high[rows, here])).all(axis=1)
            rows = rows[inside]
            share = share[inside] * weights[cell] / self._sums(rows, place, weights)
        return rows, share

    def _sums(self, rows: Ints, place: int, weights: Floats) -> Floats:
        """The weights of the cells that leaves have at a place of their runs, in sum, (n,)."""
        low, high, _ = self.leaves
        total = np.zeros((self.grid.rows + 1, self.grid.columns + 1))
        total[1:, 1:] = weights.reshape(self.grid.rows, -1).cumsum(axis=0).cumsum(axis=1)
        (west, south), (east, north) = (ends[rows, 2 * place : 2 * place + 2].T for ends in (low, high))
        return np.asarray(total[north, east] - total[south, east] - total[north, west] + total[south, west])

    def _spread(self, rows: Ints, share: Floats, place: int, weights: Floats) -> Floats:
        """Counts of leaves, times their share, spread over the cells they have at a place by weight, (cells,)."""
        low, high, values = self.leaves
        density = values[rows] * share / self._sums(rows, place, weights)
        (west, south), (east, north) = (ends[rows, 2 * place : 2 * place + 2].T for ends in (low, high))
        width = self.grid.columns + 1
        change = np.zeros((self.grid.rows + 1) * width)
        for row, column, sign in ((south, west, 1), (south, east, -1), (north, west, -1), (north, east, 1)):
            change += sign * np.bincount(row * width + column, density, minlength=len(change))
        total = change.reshape(-1, width).cumsum(axis=0).cumsum(axis=1)
        return np.asarray(total[:-1, :-1].ravel() * weights)

    def _mean_counts(self, weights: Floats) -> Floats:
        """The mean over the places of a run of how many have each cell there, (cells,)."""
        rows = np.arange(len(self.leaves[2]))
        places = range(self.order + 1)
        return np.asarray(np.mean([self._spread(rows, np.ones(len(rows)), place, weights) for place in places], axis=0))

    @cached_property
    def popularity(self) -> Floats:
        """How the cells of a box share its counts, (cells,), in sum 1: by the counts of other boxes of these cells."""
        weights = np.full(len(self.grid), 1 / len(self.grid))
        for _ in reported(range(SHARINGS)):
            counts = np.maximum(self._mean_counts(weights), 0.0)
            weights = (1 - EVEN_SHARE) * counts / max(counts.sum(), 1e-9) + EVEN_SHARE / len(self.grid)
        return weights

    def densities(self) -> Floats:
        """How many runs are estimated to have each cell, (cells,): the mean over their places, some negative."""
        return self._mean_counts(np.ones(len(self.grid)))

    def boxes(self, history: Sequence[int]) -> Floats:
        """The boxes of its leaves for what follows ``history``, (n, 4) in degrees."""
        low, high, _ = self.leaves
        rows, _ = self._matching(self.checked(history)[-self.order :].tolist(), self.popularity)
        ends = np.unique(np.column_stack([low[rows, -2:], high[rows, -2:]]), axis=0)
        lon, lat = self.grid.edges()
        return np.column_stack([lon[ends[:, 0]], lat[ends[:, 1]], lon[ends[:, 2]], lat[ends[:, 3]]])

    def parts(self) -> dict[str, Any]:
        levels: list[dict[str, Any]] = []
        for depth in range(len(self.tree.levels)):
            level: dict[str, Any] = {}
            for name, rates, counts in (("", self.rates, self.counts), ("leaf_", self.leaf_rates, self.leaf_counts)):
                if rates[depth] > 0:
                    level |= {f"{name}rate": float(rates[depth]), f"{name}counts": counts[depth].tolist()}
            if depth < len(self.expanded):
                level["split"] = runs_of(self.expanded[depth], len(self.tree.levels[depth]))
                level |= {"at": self.splits[depth].tolist()} if self.rule == "medians" else {}
            levels.append(level)
        return {"order": self.order, "rule": self.rule, "levels": levels}

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        order, rule, levels = checked_order(parts["order"]), parts["rule"], list(parts["levels"])
        if rule not in get_args(Rule) or not levels:
            wanted = f"one of {', '.join(get_args(Rule))}, with one or more levels"
            raise DataError(f"rule must be {wanted}, got {rule!s:.60}", field="rule", rule=wanted)
        tree = new_tree(grid, order, rule)
        splits: list[Ints] = []
        rows: list[tuple[float, Ints, float, Ints]] = []
        for depth, level in enumerate(levels):
            size, leaves = len(tree.leaf_level), len(tree.leaf_level)
            if depth + 1 < len(levels):
                nodes = nodes_of(whole_numbers(level["split"], "split"), size)
                at = whole_numbers(level["at"], "at", len(nodes)) if rule == "medians" else None
                _check_split(tree, nodes, at)
                tree.expand(nodes, at)
                splits += [] if at is None else [at]
                leaves -= len(nodes)
            rows.append((*_counts(level, "", size), *_counts(level, "leaf_", leaves)))
            if leaves and not rows[-1][0] + rows[-1][2]:
                raise DataError("rate must be of counts of every leaf", field="rate", rule="of counts of every leaf")
        rates, counts, leaf_rates, leaf_counts = zip(*rows, strict=True)
        made = (tuple(tree.expanded), counts, np.array(rates), leaf_counts, np.array(leaf_rates), tuple(splits))
        return cls(grid, order, rule, *made, private=private)


def _counts(level: Mapping[str, Any], name: str, size: int) -> tuple[float, Ints]:
    """The rate and the counts of nodes that a level has by this name, 0 and none where it has not."""
    if f"{name}counts" not in level:
        return 0.0, np.empty(0, dtype=np.int64)
    rate = number(level[f"{name}rate"], f"{name}rate", lowest=LEAST_RATE)
    return rate, whole_numbers(level[f"{name}counts"], f"{name}counts", size)


def checked_order(order: Any) -> int:
    """``order`` if it is a whole number from 1 to :data:`MOST_ORDER`, or a DataError."""
    if type(order) is not int or not 1 <= order <= MOST_ORDER:
        raise DataError.must_be("order", f"a whole number from 1 to {MOST_ORDER}", got=f"{order!s:.60}")
    return order


def new_tree(grid: Grid, order: int, rule: Rule) -> BoxTree:
    """The tree of a single node: all runs of ``order`` + 1 cells of ``grid``, a column and a row of each in turn."""
    return BoxTree(np.array([grid.columns, grid.rows] * (order + 1)), rule)


def noise_variance(rate: float) -> float:
    """Variance of discrete Laplace noise, at least 1e-12 so that it can be a weight."""
    q = float(np.exp(-rate))
    return max(2 * q / float(np.expm1(-rate)) ** 2, 1e-12)


def runs_of(nodes: Ints, size: int) -> list[int]:
    """The lengths of runs of ``size`` nodes that are not, and are, and again are not among ``nodes``, and so on.

    >>> runs_of(np.array([0, 1, 4]), 6)
    [0, 2, 2, 1, 1]
    """
    there = np.zeros(size, dtype=np.bool_)
    there[nodes] = True
    edges = np.flatnonzero(np.diff(there, prepend=False))
    return [int(run) for run in np.diff(edges, prepend=0, append=size)]


def nodes_of(runs: Ints, size: int) -> Ints:
    """The nodes of :func:`runs_of`, (n,); DataError where they are not of ``size`` nodes."""
    if (runs < 0).any() or runs.sum() != size:
        raise DataError.must_be("split", f"lengths of runs of {size:,} nodes")
    return np.flatnonzero(np.repeat(np.arange(len(runs)) % 2 == 1, runs))


def _check_split(tree: BoxTree, nodes: Ints, at: Ints | None) -> None:
    """DataError where a node cannot be split so, or the level below would have too many nodes."""
    level = tree.leaf_level
    if not len(nodes) or not level.divisible[nodes].all() or len(nodes) * tree.parts > MOST_NODES:
        rule = "one or more boxes of several points, and not too many of them"
        raise DataError(f"split must name {rule}", field="split", rule=rule)
    if at is not None:
        axis = level.widest(nodes)
        if ((at <= level.low[nodes, axis]) | (at >= level.high[nodes, axis])).any():
            raise DataError("at must lie inside of each box", field="at", rule="inside of each box")
