"""Utilities of the split points of many nodes, for medians by the exponential mechanism."""

import numpy as np

from privacy_engine.core.arrays import Floats, Ints


def split_utilities(values: Ints, node: Ints, nodes: int, size: int, weights: Ints | None = None) -> Floats:
    r"""How well every split point s of a domain halves the values of each node, (nodes, size - 1).

    The utility of s is :math:`-|r - n/2|`, n the number of values of the node and r how many of them are below s;
    column j is the split point j + 1. All split points of the domain 0 to size - 1 are options, whatever the values: a
    value of the data as the median would not be private. One value more or less changes n by 1 and r by 0 or 1, so that
    each utility changes by a half, up or down; c values change it by at most c/2 [1]_.

    Parameters
    ----------
    values : (n,) int
        From 0 to ``size`` - 1.
    node : (n,) int
        The node of each value, from 0 to ``nodes`` - 1.
    weights : (n,) int or None
        How often each value counts; once by default.

    References
    ----------
    .. [1] McSherry, Talwar. "Mechanism Design via Differential Privacy". FOCS 2007; for medians of nodes: Cormode et
       al. "Differentially private spatial decompositions". ICDE 2012.

    Examples
    --------
    >>> split_utilities(np.array([1, 1, 2, 5, 7]), np.zeros(5, dtype=np.int64), 1, 8).tolist()
    [[-2.5, -0.5, -0.5, -0.5, -0.5, -1.5, -1.5]]
    """
    counts = np.bincount(node * size + values, weights, minlength=nodes * size).reshape(nodes, size)
    below = np.cumsum(counts, axis=1)
    return np.asarray(-np.abs(below[:, :-1] - below[:, -1:] / 2))
