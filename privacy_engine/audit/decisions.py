"""What reveals most of a tree whose decisions are private: three runs that change, each in a box near its threshold."""

from __future__ import annotations

from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask, ceil_div
from privacy_engine.recommender import Recommender, TreeModel

RUNS = 3
"""A check-in in b between those in a and c removes the run (a, c) and adds (a, b) and (b, c)."""
NAMES = tuple(f"{what} run {i}" for i in range(RUNS) for what in ("count beside", "depth of"))
_OF = ((0, 2), (0, 1), (1, 2))


class Decisions:
    """Uploads that differ in three runs of two cells, and what a published tree has where they are.

    Each run is in a box that is split as often as not with half the noise: runs of other users, half of the decay, lie
    in its opposite corner. The leaf of a run has its count, less theirs, and its depth shows which boxes were split.

    Parameters
    ----------
    side : int
        Cells per side of the grid, even and at least 4.
    beside : int
        Runs of other users in each of the three boxes.
    """

    def __init__(self, side: int, beside: int) -> None:
        half = side // 2
        corner = (half - 1) * (side + 1)
        self._cells, self.beside = np.array([0, half, half * side]), beside
        self._others = self._cells + corner
        self._points, self._other_points = (_points(cells, side) for cells in (self._cells, self._others))

    @classmethod
    def of(cls, mechanism: Any) -> Decisions | None:
        """Those of a mechanism; None where it has no private decisions, or none that a check-in moves thrice."""
        decay = mechanism.decay
        if decay is None or mechanism.privacy_unit == "user" or mechanism.relation != "add-remove":
            return None
        side = mechanism.grid.columns
        return cls(side, ceil_div(decay, 2)) if mechanism.order == 1 and side >= 4 and side % 2 == 0 else None

    def uploads(self) -> tuple[list[Ints], list[Ints]]:
        """The cells of each user without and with the added check-in."""
        others = [self._others[list(pair)] for pair in _OF for _ in range(self.beside)]
        return [self._cells[[0, 2]], *others], [self._cells, *others]

    def observe(self, model: Recommender) -> Floats:
        """What :data:`NAMES` lists of a tree, (names,)."""
        assert isinstance(model, TreeModel)
        observed = np.zeros((RUNS, 2))
        for depth, level in enumerate(model.tree.levels):
            leaves = np.flatnonzero(~model.split_nodes(depth))
            low, high = level.low[leaves, None], level.high[leaves, None]
            leaf, run = np.nonzero(_inside(self._points, low, high))
            theirs = _inside(self._other_points, low, high)[leaf].sum(axis=1)
            observed[run, 0] = model.leaf_counts[depth][leaf] - self.beside * theirs
            observed[run, 1] = depth
        return observed.ravel()


def _inside(points: Ints, low: Ints, high: Ints) -> Mask:
    """Which boxes (n, 1, 4) hold which points (m, 4), (n, m)."""
    return np.asarray(((low <= points) & (points < high)).all(axis=2))


def _points(cells: Ints, side: int) -> Ints:
    """The three runs of three cells as points of the tree, (runs, 4): column and row of the first and the second."""
    return np.array([[place for i in pair for place in divmod(int(cells[i]), side)[::-1]] for pair in _OF])
