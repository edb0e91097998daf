"""Boxes of whole numbers that are split into smaller ones, level by level, with all nodes of a level in an array."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask


@dataclass(frozen=True, eq=False)
class Split:
    """Where each of k nodes is split: along ``axes`` (k, s), at whole coordinates ``at`` (k, s).

    Along an axis the lower part has the coordinates below ``at``; where these are none, the node is not split there.
    """

    axes: Ints
    at: Ints


@dataclass(frozen=True, eq=False)
class Level:
    """The nodes of a level: boxes from ``low`` (n, d), included, to ``high`` (n, d), excluded.

    ``parent`` (n,) is the node of the level above that each is a part of, -1 for the root.
    """

    low: Ints
    high: Ints
    parent: Ints

    @classmethod
    def root(cls, sides: Ints) -> Level:
        """The level of a single node, the whole domain of ``sides`` (d,)."""
        return cls(np.zeros((1, len(sides)), dtype=np.int64), np.array([sides], dtype=np.int64), np.array([-1]))

    def __len__(self) -> int:
        return len(self.parent)

    @property
    def volume(self) -> Floats:
        """How many points of the domain each box has, (n,)."""
        return np.asarray((self.high - self.low).astype(np.float64).prod(axis=1))

    @property
    def divisible(self) -> Mask:
        """Which boxes have several points, (n,)."""
        return np.asarray((self.high - self.low > 1).any(axis=1))

    def widest(self, nodes: Ints) -> Ints:
        """The axis along which each of ``nodes`` (k,) is widest, the first of several, (k,)."""
        return np.asarray((self.high[nodes] - self.low[nodes]).argmax(axis=1))

    def halves(self, nodes: Ints, *, every_axis: bool) -> Split:
        """Split ``nodes`` (k,) at the middle of every axis, or of the widest alone."""
        if every_axis:
            axes = np.broadcast_to(np.arange(self.low.shape[1]), (len(nodes), self.low.shape[1]))
        else:
            axes = self.widest(nodes)[:, None]
        row = nodes[:, None]
        return Split(axes, (self.low[row, axes] + self.high[row, axes]) // 2)

    def children(self, nodes: Ints, split: Split) -> tuple[Level, Ints]:
        """The level below of ``nodes`` (k,), and the child of each part, (k, 2**s): -1 where a part has no point.

        Part p has the upper part along the i-th axis of the split if bit i of p is set.
        """
        width = split.axes.shape[1]
        parts = np.arange(2**width)[:, None] >> np.arange(width) & 1
        shape = (len(nodes), 2**width, self.low.shape[1])
        low, high = (np.broadcast_to(ends[nodes, None], shape).copy() for ends in (self.low, self.high))
        row, part = np.arange(len(nodes))[:, None, None], np.arange(2**width)[:, None]
        at, axes, upper = split.at[:, None], split.axes[:, None], parts.astype(np.bool_)
        low[row, part, axes] = np.where(upper, at, low[row, part, axes])
        high[row, part, axes] = np.where(upper, high[row, part, axes], at)
        there = (low < high).all(axis=2)
        table = np.where(there, np.cumsum(there).reshape(there.shape) - 1, -1)
        return Level(low[there], high[there], np.repeat(nodes, there.sum(axis=1))), table

    def descend(self, points: Ints, node: Ints, nodes: Ints, split: Split, table: Ints) -> Ints:
        """The child that has each of ``points`` (p, d), by its ``node`` (p,) of this level; -1 where that is not split.

        ``node`` is -1 where a point is in none; ``nodes``, ``split`` and ``table`` are those of :meth:`children`.
        """
        place = np.full(len(self) + 1, -1, dtype=np.int64)  # the last is that of node -1
        place[nodes] = np.arange(len(nodes))
        children = np.full(len(node), -1, dtype=np.int64)
        inside = np.flatnonzero(place[node] >= 0)
        row = place[node[inside]]
        upper = points[inside[:, None], split.axes[row]] >= split.at[row]
        children[inside] = table[row, upper @ (1 << np.arange(upper.shape[1]))]
        return children
