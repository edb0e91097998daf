"""``NgramModel``: noisy counts of runs of cells of several lengths, longer ones where shorter ones are frequent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data.grid import Grid
from privacy_engine.decomposition.consistency import Consistent, consistent, shrunk
from privacy_engine.decomposition.gram_tree import GramTree
from privacy_engine.errors import DataError
from privacy_engine.recommender.base import Recommender, number, register, whole_numbers
from privacy_engine.recommender.tree import (
    FIRST_OF_EQUALS,
    LEAST_RATE,
    MOST_NODES,
    checked_order,
    nodes_of,
    noise_variance,
    runs_of,
)


@register
@dataclass(frozen=True, eq=False)
class NgramModel(Recommender):
    """An exploration tree of n-grams: counts of cells, and of what follows the grams that were expanded.

    Published are the noisy counts. Consistent counts, each the sum of its children, are computed from them.

    Parameters
    ----------
    order : int
        The most cells of the history that the next cell depends on.
    expanded : arrays of int, an array for each level but the last
        The nodes of the level that have children: a child for each cell and a child for the end of a sequence.
    rates : arrays of float, an array for each level
        Rate of the noise on the children of each expanded node of the level above, of the first level (1,).
    counts : arrays of int, an array for each level
        Noisy counts of its nodes.
    """

    model: ClassVar[str] = "ngrams"

    order: int
    expanded: tuple[Ints, ...]
    rates: tuple[Floats, ...]
    counts: tuple[Ints, ...]

    @cached_property
    def tree(self) -> GramTree:
        """The grams."""
        tree = GramTree(len(self.grid))
        for nodes in self.expanded:
            tree.expand(nodes)
        return tree

    @cached_property
    def estimates(self) -> Consistent:
        """Consistent counts of every node, by level."""
        precisions = []
        for depth, rates in enumerate(self.rates):
            each = np.array([1 / noise_variance(rate) for rate in rates])
            precisions.append(np.repeat(each, self.tree.symbols_each if depth else len(self.grid)))
        return consistent(self.tree.parents, [level.astype(np.float64) for level in self.counts], precisions)

    @cached_property
    def popularity(self) -> Floats:
        """The share of each cell, (cells,), at least 0 and in sum 1."""
        counts = np.maximum(self.estimates.counts[0], 0.0)
        return np.asarray((counts + 1e-9) / (counts + 1e-9).sum())

    @cached_property
    def following(self) -> tuple[Floats, ...]:
        """Counts of every node, by level, nearer to the popularity of their cells where noise is large."""
        tree, counts = self.tree, self.estimates.counts
        shares = [np.ones(len(self.grid))]
        for depth, nodes in enumerate(reported(self.expanded)):
            ends = counts[depth + 1][self.tree.symbols[depth + 1] == len(self.grid)]
            end = float(np.clip(ends.sum() / max(counts[depth][nodes].sum(), 1e-9), 1e-9, 1 - 1e-9))
            share = np.append((1 - end) * self.popularity, end)
            shares.append(shares[-1][tree.parents[depth + 1]] * share[tree.symbols[depth + 1]])
        return shrunk(tree.parents, self.estimates, shares)

    def scores(self, history: Sequence[int]) -> Floats:
        """The count of each cell after the longest end of the history that was expanded, at least 0, (cells,).

        Popularity where none was; of cells with equal counts the more popular ones come first.
        """
        cells = self.checked(history)
        for length in range(min(self.order, len(cells)), 0, -1):
            node = cells[-length:][:1]
            for depth, cell in enumerate(cells[len(cells) - length + 1 :]):
                node = self.tree.child(depth, node, np.array([cell]))
            first = self.tree.child(length - 1, node, np.zeros(1, dtype=np.int64))[0]
            if first >= 0:
                counts = self.following[length][first : first + len(self.grid)]
                return np.maximum(counts, 0.0) + FIRST_OF_EQUALS * self.popularity
        return self.popularity.copy()

    def densities(self) -> Floats:
        return self.estimates.counts[0].copy()

    def parts(self) -> dict[str, Any]:
        levels: list[dict[str, Any]] = [
            {"rates": rates.tolist(), "counts": counts.tolist()}
            for rates, counts in zip(self.rates, self.counts, strict=True)
        ]
        for i, nodes in enumerate(self.expanded):
            levels[i]["split"] = runs_of(nodes, len(self.counts[i]))
        return {"order": self.order, "levels": levels}

    @classmethod
    def from_parts(cls, grid: Grid, parts: Mapping[str, Any], *, private: bool) -> Self:
        order, tree, levels = checked_order(parts["order"]), GramTree(len(grid)), list(parts["levels"])
        rates, counts = [], []
        for depth, level in enumerate(levels):
            counts.append(whole_numbers(level["counts"], "counts", len(tree.parents[depth])))
            rates.append(np.array([number(rate, "rates", lowest=LEAST_RATE) for rate in level["rates"]]))
            if len(rates[-1]) != (len(tree.expanded[-1]) if depth else 1):
                raise DataError.must_be("rates", "one for each node with children in the level above")
            if depth + 1 < len(levels):
                nodes = nodes_of(whole_numbers(level["split"], "split"), len(counts[-1]))
                ends = tree.symbols[depth][nodes] == len(grid)
                if not len(nodes) or ends.any() or len(nodes) * tree.symbols_each > MOST_NODES or depth >= order:
                    rule = f"one or more grams of at most {order} cells, and not too many of them"
                    raise DataError(f"split must name {rule}", field="split", rule=rule)
                tree.expand(nodes)
        if not levels:
            raise DataError("levels must be one or more", field="levels", rule="one or more")
        return cls(grid, order, tuple(tree.expanded), tuple(rates), tuple(counts), private=private)
