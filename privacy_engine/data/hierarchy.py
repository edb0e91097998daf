"""Hierarchies over the dimensions of a stream: levels of sums, their budgets, and consistent estimates."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints

Counts = TypeVar("Counts", Ints, Floats)

_CELL = re.compile(r"\D*?(-?\d+)\D+?(-?\d+)\D*")


SEPARATORS = ("/", ":", "|")
"""What separates the parts of a path in names that were not written by hand."""


def natural(names: Sequence[str], *, on_a_grid: bool = False) -> dict[str, str]:
    """The hierarchy that names show, as parameters of ``stream-hieradapub``; empty where they show none.

    It is a function of the names, which are published.

    >>> natural(["north/a", "north/b", "sea/a"])
    {'hierarchy': 'path', 'separator': '/'}
    >>> natural(["north", "sea"]), natural(["r0c0", "r0c1"], on_a_grid=True)
    ({}, {'hierarchy': 'quad'})
    """
    if on_a_grid:
        return {"hierarchy": "quad"}
    for separator in SEPARATORS:
        above = {name.partition(separator)[0] for name in names if separator in name[1:-1]}
        if all(separator in name[1:-1] for name in names) and len(above) < len(names):
            return {"hierarchy": "path", "separator": separator}
    return {}


def level_budgets(sizes: ArrayLike, budget: float) -> Floats:
    r"""The shares of ``budget`` of levels with so many nodes, (H,): :math:`\epsilon \mu_i^{1/3} / \sum_j \mu_j^{1/3}`.

    They minimise :math:`\sum_i \mu_i / \epsilon_i^2`, the variance of all nodes together.

    >>> level_budgets([1, 8, 64], 0.7).round(3).tolist()
    [0.1, 0.2, 0.4]
    """
    roots = np.cbrt(np.asarray(sizes, dtype=np.float64))
    return np.asarray(budget * roots / roots.sum())


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Levels of groups of d dimensions, from the coarsest to the dimensions themselves; each divides that above.

    ``levels`` are (d,) each: the number of every dimension's group, from 0 without gaps.
    """

    levels: tuple[Ints, ...]

    @property
    def sizes(self) -> list[int]:
        """How many groups each level has."""
        return [int(level.max()) + 1 for level in self.levels]

    def counts(self, level: int, counts: Counts) -> Counts:
        """The sums (n, groups) of the counts (n, d) over the groups of a level."""
        group = self.levels[level]
        order = np.argsort(group, kind="stable")
        starts = np.flatnonzero(np.diff(group[order], prepend=-1))
        return np.ascontiguousarray(np.add.reduceat(counts[:, order], starts, axis=1))


def of_groups(levels: Sequence[Sequence[Hashable]], dimensions: int) -> Hierarchy:
    """The hierarchy whose groups are named in ``levels``, d names each; the dimensions alone are added below them."""
    numbered = [_numbered(names) for names in levels] + [np.arange(dimensions)]
    different = [a for a, b in pairwise(numbered) if a.max() < b.max()]
    return Hierarchy((*different, numbered[-1]))


def _numbered(names: Sequence[Hashable]) -> Ints:
    known: dict[Hashable, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)


def halves(dimensions: int) -> Hierarchy:
    """A binary tree over the order of the dimensions."""
    return _by_order(dimensions, 2)


def quarters(dimensions: int, names: Sequence[str] | None = None) -> Hierarchy:
    """A quad-tree: over the cells of a grid where every name has two whole numbers, else over the order.

    >>> quarters(4, ["r0c0", "r0c1", "r5c0", "r5c1"]).sizes
    [1, 2, 4]
    """
    cells = [_CELL.fullmatch(name) for name in names or ()]
    at = np.array([cell.groups() for cell in cells if cell], dtype=np.float64).astype(np.int64).reshape(-1, 2)
    if len(at) != dimensions or len(np.unique(at, axis=0)) != dimensions:
        return _by_order(dimensions, 4)
    at = at - at.min(axis=0)
    depth = int(at.max()).bit_length()
    return of_groups([[tuple(cell) for cell in (at >> up).tolist()] for up in range(depth, 0, -1)], dimensions)


def _by_order(dimensions: int, branches: int) -> Hierarchy:
    levels, parts = [], 1
    while parts < dimensions:
        levels.append((np.arange(dimensions) * parts // dimensions).tolist())
        parts *= branches
    return of_groups(levels, dimensions)


def paths(names: Sequence[str], separator: str) -> Hierarchy:
    """A tree from paths in the names: all, then what begins with the same parts.

    >>> paths(["north/a", "north/b", "south/a", "sea"], "/").sizes
    [1, 3, 4]
    """
    parts = [name.split(separator) for name in names]
    deepest = max(map(len, parts))
    return of_groups([[tuple(part[:depth]) for part in parts] for depth in range(deepest)], len(names))


@dataclass(frozen=True, eq=False)
class Consistency:
    r"""Weighted least squares: estimates of all groups, as sums of estimates of the dimensions nearest to them.

    Minimises :math:`\sum_v w_v (y_v - \hat y_v)^2` subject to every group being the sum of its parts, exactly, in two
    passes over the tree [1]_. Nodes are groups, level after level.

    Parameters
    ----------
    parent : (nodes,) int
        -1 for the groups of the first level.
    own, share : (nodes,) float
        What a node's own value weighs beside the sum of its children, and what part of what its parent's sum lacks it
        takes.
    leaves : int
        The first node that is a dimension.

    References
    ----------
    .. [1] Hay, Rastogi, Miklau, Suciu. "Boosting the Accuracy of Differentially Private Histograms Through
       Consistency". VLDB 2010.
    """

    parent: Ints
    own: Floats
    share: Floats
    leaves: int

    @classmethod
    def of(cls, hierarchy: Hierarchy, weights: ArrayLike) -> Consistency:
        """For the groups of ``hierarchy``; ``weights`` (H,) above 0 are those of the groups of each level.

        A weight is 1 over the variance of an estimate.
        """
        sizes = hierarchy.sizes
        first = np.concatenate([[0], np.cumsum(sizes)])
        parent = np.full(first[-1], -1, dtype=np.int64)
        for i, (above, level) in enumerate(pairwise(hierarchy.levels)):
            parent[first[i + 1] + level] = first[i] + above
        each = np.repeat(np.asarray(weights, dtype=np.float64), sizes)
        return cls(parent, *_factors(parent, each, int(first[-2])), int(first[-2]))

    def all(self, values: Floats) -> Floats:
        """Consistent estimates of all groups, level after level, (n, groups), from those in ``values``."""
        from privacy_engine.kernels.tree import consistent

        estimates = np.array(values, dtype=np.float64, order="C")
        consistent(estimates, self.parent, self.own, self.share)
        return estimates

    def of_dimensions(self, values: Floats) -> Floats:
        """Those of the dimensions alone, (n, d)."""
        return self.all(values)[:, self.leaves :]


def _factors(parent: Ints, weights: Floats, leaves: int) -> tuple[Floats, Floats]:
    """``own`` and ``share`` of every node, from the leaves up."""
    own, variance, below = np.ones(len(weights)), 1.0 / weights, np.zeros(len(weights))
    for v in range(len(weights) - 1, -1, -1):
        if v < leaves:
            own[v] = weights[v] / (weights[v] + 1.0 / below[v])
            variance[v] = own[v] / weights[v]
        if parent[v] >= 0:
            below[parent[v]] += variance[v]
    inner = parent >= 0
    return own, np.where(inner, variance / np.where(inner, below[parent], 1.0), 0.0)
