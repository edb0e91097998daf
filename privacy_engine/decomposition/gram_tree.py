"""``GramTree``: runs of symbols by their beginnings, and how many points there are of each."""

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.core.progress import reported
from privacy_engine.decomposition.points import Points

ABSENT = -1


class GramTree:
    """Levels of grams: those of a single cell, then those of another symbol below each node that is expanded.

    Symbols are the cells 0 to ``cells`` - 1, and ``cells`` for the end of a sequence, which begins no gram. The points
    are runs of symbols (n, d), :data:`ABSENT` after an end. A node's count is the sum of its children's.
    """

    def __init__(self, cells: int) -> None:
        self.cells = cells
        self.parents = [np.full(cells, -1, dtype=np.int64)]
        self.symbols = [np.arange(cells, dtype=np.int64)]
        self.expanded: list[Ints] = []
        self.places: list[Ints] = []
        self._nodes: dict[Points, list[Ints]] = {}

    @property
    def symbols_each(self) -> int:
        """How many children an expanded node has: a child for each cell, and a child for the end."""
        return self.cells + 1

    def expand(self, nodes: Ints) -> None:
        """Give ``nodes`` (k,) of the last level children."""
        place = np.full(len(self.parents[-1]), -1, dtype=np.int64)
        place[nodes] = np.arange(len(nodes))
        self.expanded.append(nodes)
        self.places.append(place)
        self.parents.append(np.repeat(nodes, self.symbols_each))
        self.symbols.append(np.tile(np.arange(self.symbols_each), len(nodes)))

    def child(self, depth: int, nodes: Ints, symbols: Ints) -> Ints:
        """The children of ``nodes`` (n,) of the level at ``depth`` by their symbols (n,), -1 where there is none."""
        if depth >= len(self.expanded):
            return np.full(len(nodes), -1, dtype=np.int64)
        place = np.where(nodes >= 0, self.places[depth][nodes], -1)
        return np.where((place >= 0) & (symbols >= 0), place * self.symbols_each + symbols, -1)

    def located(self, points: Points, depth: int) -> Ints:
        """The node of the level at ``depth`` that each point begins with, (n,), -1 where there is none."""
        nodes = self._nodes.setdefault(points, [points.at[:, 0]])
        for i in reported(range(len(nodes), depth + 1)):
            nodes.append(self.child(i - 1, nodes[-1], points.at[:, i]))
        return nodes[depth]

    def counts(self, points: Points, depth: int) -> Ints:
        """How many points, with their weights, begin with each node of the level at ``depth``, (nodes,)."""
        node = self.located(points, depth)
        inside = node >= 0
        sums = np.bincount(node[inside], points.weights[inside], minlength=len(self.parents[depth]))
        return sums.astype(np.int64)

    def suffixes(self, depth: int) -> Ints:
        """The node a level above that is each gram without its first cell, (nodes,), -1 where there is none."""
        if depth == 1:
            return np.where(self.symbols[1] < self.cells, self.symbols[1], -1)
        return self.child(depth - 2, self.suffixes(depth - 1)[self.parents[depth]], self.symbols[depth])


def with_ends(cells: Ints, starts: Ints, length: int, end: int) -> Points:
    """The runs of ``length`` symbols that begin with each cell of sequences, the last of each followed by ``end``.

    ``cells`` (n,) are those of all sequences, the i-th of which begins at ``starts[i]``, (sequences + 1,).

    >>> runs = with_ends(np.array([0, 1, 1]), np.array([0, 2, 3]), 2, 9)
    >>> runs.at.tolist(), runs.weights.tolist()
    ([[0, 1], [1, 9]], [1, 2])
    """
    stop = np.repeat(starts[1:], np.diff(starts))
    at = np.arange(len(cells))[:, None] + np.arange(length)
    padded = np.append(cells, end)
    runs = np.where(at < stop[:, None], padded[np.minimum(at, len(cells))], ABSENT)
    runs[at == stop[:, None]] = end
    return Points.distinct(runs, end + 1)
