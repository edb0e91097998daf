"""HierAdaPub: AdaPub for each level of a hierarchy, made consistent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar, Literal

import numpy as np

from privacy_engine import noise
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.params import Param
from privacy_engine.core.progress import reported
from privacy_engine.data import hierarchy as trees
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import Publisher, summable
from privacy_engine.mechanisms.stream.adapub import AdaptiveMechanism

HIERARCHY = Param(
    label="Hierarchy",
    help="Which dimensions are summed. Halves and quarters follow the order of the dimensions, quarters follow a grid "
    "where every name has two whole numbers; paths follow names such as “north/a”.",
    options=(("binary", "Halves"), ("quad", "Quarters"), ("path", "Paths in the names")),
)
SEPARATOR = Param(
    label="Separator",
    help="What separates the parts of a path; without meaning for the other hierarchies.",
    options=(("/", "/"), (".", "."), (":", ":"), ("|", "|"), ("-", "-"), ("_", "_")),
)


class _HierAdaPub(Publisher):
    def __init__(
        self, mechanism: StreamHierAdaPub, hierarchy: trees.Hierarchy, rng: noise.RandomSource, runs: int
    ) -> None:
        super().__init__(mechanism, len(hierarchy.levels[-1]), rng)
        self._budget, self._hierarchy, self._runs = mechanism.epsilon / mechanism.window, hierarchy, runs
        perturbation, clustering = mechanism.shares()
        budgets = trees.level_budgets(hierarchy.sizes, perturbation)
        sources = noise.branches(rng, len(budgets))  # levels draw in turns, whose order depends on the rows at once
        self._levels = [
            mechanism.run(budget, clustering / len(budgets), size, source, runs)
            for budget, size, source in zip(budgets.tolist(), hierarchy.sizes, sources, strict=True)
        ]
        self._consistency = trees.Consistency.of(hierarchy, budgets**2)

    def _rows(self, counts: Ints) -> Floats:
        self.spend(np.full(len(counts), self._budget))
        n, runs = len(counts), self._runs
        counts = summable(counts)
        estimates = [
            run.advance(self._hierarchy.counts(i, counts)).reshape(n * runs, size)
            for i, (run, size) in enumerate(zip(reported(self._levels), self._hierarchy.sizes, strict=True))
        ]
        leaves = self._consistency.of_dimensions(np.concatenate(estimates, axis=1))
        return leaves.reshape(n, runs * self.dimensions)


@mechanisms.register
class StreamHierAdaPub(AdaptiveMechanism):
    r"""AdaPub [1]_ for each level of a hierarchy of sums of dimensions, then least squares [2]_ over the tree.

    A level of :math:`\mu_i` groups spends :math:`\epsilon_i = \epsilon_p \mu_i^{1/3} / \sum_j \mu_j^{1/3}` of a window
    on noisy sums, which minimises the variance of all groups together, and :math:`\epsilon_c / H` on clusters, H the
    number of levels. Changes of the counts of a timestamp by Δ in sum change the groups of one level by at most Δ in
    sum, so each level leaks what ``stream-adapub`` in the same mode does at its share; the shares sum up to ε. The
    estimates of dimensions are those whose sums are nearest to all estimates, weighted by :math:`\epsilon_i^2`: a
    function of what the levels published. The hierarchy follows from the names and their order, which are published.

    The mode **text** has no guarantee, as in ``stream-adapub``.

    References
    ----------
    .. [1] Wang, Yang, Ren, Zhao. "Data-adaptive privacy-preserving mechanism for data stream publishing in real-time".
       Scientia Sinica Informationis 51, 2021.
    .. [2] Hay, Rastogi, Miklau, Suciu. "Boosting the Accuracy of Differentially Private Histograms Through
       Consistency". VLDB 2010.
    """

    title: ClassVar[str] = "HierAdaPub"
    summary: ClassVar[str] = "AdaPub for each level of a hierarchy of sums, made consistent."
    noise_varies: ClassVar[bool] = True
    work: ClassVar[tuple[float, float, float]] = (8e-4, 1e-5, 3e-7)

    name: Literal["stream-hieradapub"] = "stream-hieradapub"
    hierarchy: Annotated[Literal["binary", "quad", "path"], HIERARCHY] = "binary"
    separator: Annotated[Literal["/", ".", ":", "|", "-", "_"], SEPARATOR] = "/"

    def side_by_side(
        self, dimensions: int, names: Sequence[str] | None, rng: noise.RandomSource, runs: int
    ) -> Publisher:
        return _HierAdaPub(self, self.tree(dimensions, names), rng, runs)

    def tree(self, dimensions: int, names: Sequence[str] | None) -> trees.Hierarchy:
        """The hierarchy over so many dimensions.

        Raises
        ------
        DataError
            It follows from paths in the names, and there are no names.
        """
        if self.hierarchy == "binary":
            return trees.halves(dimensions)
        if self.hierarchy == "quad":
            return trees.quarters(dimensions, names)
        if names is None:
            raise DataError.must_be("names", "given where the hierarchy follows from paths in them", got="none")
        return trees.paths(names, self.separator)

    def noise_sd(self) -> float:
        """That of a noisy sum of a single dimension, which is its own hierarchy: more levels divide the budget."""
        return noise.discrete_laplace_sd(self.rates(*self.shares()).sums)
