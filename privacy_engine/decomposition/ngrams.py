"""Exploration trees of n-grams: which nodes are worth their children, and the budget of each."""

import math

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints


def expansion_threshold(alphabet: int, contributions: int, budget: ArrayLike) -> Floats:
    r"""The count from which children are counted: :math:`\theta = l \ln((|I| + 1)/2)/\epsilon_v` [1]_.

    At this count the noise of scale :math:`l/\epsilon_v` on an empty node reaches it with the probability
    :math:`1/(|I| + 1)`: of the children of a node about a single empty child is expanded.

    References
    ----------
    .. [1] Chen, Acs, Castelluccia. "Differentially private sequential data publication via variable-length n-grams".
       CCS 2012.

    Examples
    --------
    >>> expansion_threshold(64, 10, 0.5).round(6).item()
    69.624802
    """
    return np.asarray(contributions * math.log((alphabet + 1) / 2) / np.asarray(budget, dtype=np.float64))


def estimated_height(thresholds: ArrayLike, counts: ArrayLike, largest: ArrayLike, left: int) -> Ints:
    r"""How many levels below each node are worth a share of its budget, (n,).

    :math:`h = \min(l, \max(1, \lceil \ln(\theta/c)/\ln p_{max} \rceil))`: after so many steps that continue a gram with
    the largest probability :math:`p_{max}` its count c falls below the threshold θ. Chen et al., CCS 2012.

    Parameters
    ----------
    thresholds, counts : (n,) float
        Greater than 0.
    largest : (n,) float
        The largest probability of a next cell, from 0 to 1.
    left : int
        Levels that are left, at least 1.

    Examples
    --------
    >>> estimated_height([69.624802], [400.0], [0.3], 5).tolist()
    [2]
    """
    ratio = np.asarray(thresholds, dtype=np.float64) / np.asarray(counts, dtype=np.float64)
    slope = np.log(np.clip(largest, 1e-9, 1 - 1e-9))
    return np.asarray(np.clip(np.ceil(np.log(ratio) / slope), 1, left), dtype=np.int64)
