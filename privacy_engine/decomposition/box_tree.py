"""``BoxTree``: boxes of a discrete space, split level by level, and the points in each."""

from typing import Literal

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.core.progress import reported
from privacy_engine.decomposition.boxes import Level, Split
from privacy_engine.decomposition.points import Points

Rule = Literal["every-axis", "widest-axis", "medians"]
"""Where nodes are split: at the middle of every axis, at the middle of the widest axis, or anywhere along that axis."""


class BoxTree:
    """Levels of boxes, the root first: the whole domain of ``sides`` (d,)."""

    def __init__(self, sides: Ints, rule: Rule) -> None:
        self.rule: Rule = rule
        self.levels = [Level.root(sides)]
        self.expanded: list[Ints] = []
        self._splits: list[tuple[Split, Ints]] = []
        self._nodes: dict[Points, list[Ints]] = {}

    @property
    def leaf_level(self) -> Level:
        """The last level."""
        return self.levels[-1]

    @property
    def parts(self) -> int:
        """Into how many parts a node is split at most."""
        return int(2 ** self.levels[0].low.shape[1]) if self.rule == "every-axis" else 2

    @property
    def leaves(self) -> list[Ints]:
        """The nodes of each level that are not split."""
        split = [*self.expanded, np.empty(0, dtype=np.int64)]
        return [np.setdiff1d(np.arange(len(level)), nodes) for level, nodes in zip(self.levels, split, strict=True)]

    def expand(self, nodes: Ints, at: Ints | None = None) -> None:
        """Split ``nodes`` (k,) of the last level, at the coordinates ``at`` (k,) where the rule is ``medians``."""
        level = self.levels[-1]
        split = level.halves(nodes, every_axis=self.rule == "every-axis")
        if at is not None:
            split = Split(split.axes, at[:, None])
        below, table = level.children(nodes, split)
        self.expanded.append(nodes)
        self._splits.append((split, table))
        self.levels.append(below)

    def located(self, points: Points, depth: int) -> Ints:
        """The node of the level at ``depth`` that each point is in, (n,), -1 where it is in none."""
        nodes = self._nodes.setdefault(points, [np.zeros(len(points), dtype=np.int64)])
        for i in reported(range(len(nodes), depth + 1)):
            nodes.append(self.levels[i - 1].descend(points.at, nodes[-1], self.expanded[i - 1], *self._splits[i - 1]))
        return nodes[depth]

    def counts(self, points: Points, depth: int) -> Ints:
        """How many points, with their weights, each node of the level at ``depth`` has, (nodes,)."""
        node = self.located(points, depth)
        inside = node >= 0
        sums = np.bincount(node[inside], points.weights[inside], minlength=len(self.levels[depth]))
        return sums.astype(np.int64)
