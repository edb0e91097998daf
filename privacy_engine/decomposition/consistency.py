"""Counts of a tree's nodes, made consistent: each equals the sum of its children."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.errors import DataError


class Consistent(NamedTuple):
    """Consistent counts of each level's nodes, and the variance of each node's estimate from its own subtree."""

    counts: tuple[Floats, ...]
    variances: tuple[Floats, ...]


def consistent(parents: Sequence[Ints], counts: Sequence[Floats | Ints], precisions: Sequence[Floats]) -> Consistent:
    r"""The consistent counts nearest to noisy ones, by level: generalised least squares in two passes.

    Up, with :math:`V` the variance of z: :math:`z = (y/\sigma^2 + \sum z_c / \sum V_c) / (1/\sigma^2 + 1/\sum V_c)`;
    down: :math:`x_c = z_c + (V_c / \sum V) (x_p - \sum z)`. They are unbiased and, among linear unbiased estimates that
    are consistent, of least variance [1]_. They read noisy counts alone, so they cost no budget.

    Parameters
    ----------
    parents : arrays of int, an array for each level
        The parent of each node, its place in the level above; of the first level they are ignored.
    counts : arrays of float
        Noisy counts of the nodes of each level.
    precisions : arrays of float
        :math:`1/\sigma^2` of each, finite; 0 where a node has no count of its own, greater than 0 at leaves.

    Raises
    ------
    DataError
        A precision is out of its domain.

    References
    ----------
    .. [1] Hay, Rastogi, Miklau, Suciu. "Boosting the accuracy of differentially private histograms". VLDB 2010; with a
       variance for each level: Cormode, Procopiuc, Srivastava, Shen, Yu. ICDE 2012.

    Examples
    --------
    >>> parents, counts, precisions = [[-1], [0, 0]], [[10.0], [4.0, 3.0]], [[1.0], [1.0, 1.0]]
    >>> estimates = consistent(*[[np.array(x) for x in y] for y in (parents, counts, precisions)])
    >>> [level.tolist() for level in estimates.counts]
    [[9.0], [5.0, 4.0]]
    """
    means: list[Floats] = []
    variances: list[Floats] = []
    sums: list[Floats] = []
    spreads: list[Floats] = []
    for i in reported(range(len(counts) - 1, -1, -1)):
        size, weight = len(counts[i]), np.asarray(precisions[i], dtype=np.float64)
        below, total, spread = _sums(parents[i + 1], means[-1], variances[-1], size) if means else [np.zeros(size)] * 3
        if not np.isfinite(weight).all() or (weight < 0).any() or (weight[below == 0] == 0).any():
            raise DataError.must_be("precisions", "finite and at least 0, and greater than 0 at leaves")
        inverse = np.divide(1.0, spread, out=np.zeros(size), where=below > 0)
        variances.append(1.0 / (weight + inverse))
        means.append((counts[i] * weight + total * inverse) * variances[-1])
        sums.append(total)
        spreads.append(spread)
    for column in (means, variances, sums, spreads):
        column.reverse()
    fitted = means[:1]
    for i in reported(range(1, len(counts))):
        share = variances[i] / spreads[i - 1][parents[i]]
        fitted.append(means[i] + share * (fitted[i - 1] - sums[i - 1])[parents[i]])
    return Consistent(tuple(fitted), tuple(variances))


def shrunk(parents: Sequence[Ints], estimates: Consistent, volumes: Sequence[Floats]) -> tuple[Floats, ...]:
    r"""Consistent counts with less noise: children nearer to even shares of their parent where they hardly differ.

    A child is its parent's count times its share of the volume, plus s times the distance x of its own estimate from
    that, :math:`s = \max(0, 1 - (d - 2) \sigma^2 / \sum x^2)`, d + 1 the number of children: the estimate
    of James and Stein [1]_, of less error in sum for d of at least 3. With fewer children s is 1. Children still sum to
    their parent, and without noise nothing changes.

    References
    ----------
    .. [1] James, Stein. "Estimation with quadratic loss". Berkeley Symposium 1961; positive part: Baranchik 1964.
    """
    result = [estimates.counts[0]]
    for i in range(1, len(parents)):
        parent, size = parents[i], len(estimates.counts[i - 1])
        share = volumes[i] / volumes[i - 1][parent]
        apart = estimates.counts[i] - estimates.counts[i - 1][parent] * share
        children, energy, spread = _sums(parent, apart**2, estimates.variances[i], size)
        noise = np.maximum(children - 3, 0) * spread / np.maximum(children, 1)
        factor = np.clip(1 - np.divide(noise, energy, out=np.ones(size), where=energy > 0), 0, 1)
        result.append(result[-1][parent] * share + factor[parent] * apart)
    return tuple(result)


def _sums(parent: Ints, means: Floats, variances: Floats, size: int) -> list[Floats]:
    """How many children each of ``size`` nodes has, and the sums of their means and variances."""
    return [np.bincount(parent, weights, size).astype(np.float64) for weights in (None, means, variances)]
