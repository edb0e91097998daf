r"""Stationary Markov chains: which backward matrix belongs to a forward matrix.

A chain whose forward matrix F and backward matrix B are both the same at all times is stationary: with its shares
:math:`\pi = \pi F` the flows agree, :math:`\pi_i B_{ij} = \pi_j F_{ji}` [1]_. Only then is the bridged landmark loss of
:mod:`privacy_engine.accounting.temporal` a bound.

References
----------
.. [1] Norris. "Markov Chains". Cambridge University Press, 1997, section 1.9.
"""

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.accounting.validation import transition
from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import reported

DOUBLINGS = 60


def stationary(matrix: ArrayLike) -> Floats:
    """The shares of the states in the long run, (states,), starting from equal ones; ``matrix`` leaves them unmoved.

    A chain that falls into parts has many such shares; these give each part what reaches it from everywhere alike.

    Raises
    ------
    DataError
        ``matrix`` is not row-stochastic.

    Examples
    --------
    >>> stationary([[0.5, 0.5], [0.05, 0.95]]).round(4).tolist()
    [0.0909, 0.9091]
    """
    rows = transition(matrix, "matrix")
    power = (rows + np.eye(len(rows))) / 2  # lazy, so that a chain that alternates settles as well
    for _ in reported(range(DOUBLINGS)):
        power = power @ power
        power /= power.sum(axis=1, keepdims=True)
    shares: Floats = power.mean(axis=0)
    return np.asarray(shares / shares.sum())


def reversal(matrix: ArrayLike) -> Floats:
    """Pr(previous | present) of the stationary chain with ``matrix`` = Pr(next | present), (states, states), or back.

    A state that the chain leaves for good has no previous state in the long run; it is given itself.

    Examples
    --------
    >>> reversal([[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]).tolist()
    [[0.5, 0.0, 0.5], [0.5, 0.5, 0.0], [0.0, 0.5, 0.5]]
    """
    rows, shares = transition(matrix, "matrix"), stationary(matrix)
    flows = (rows * shares[:, None]).T
    sums = flows.sum(axis=1, keepdims=True)
    seen = sums > 1e-300
    return np.asarray(np.where(seen, flows / np.where(seen, sums, 1.0), np.eye(len(rows))))


def mismatch(backward: ArrayLike, forward: ArrayLike) -> float:
    """The largest difference of the two matrices' flows: 0 if they belong to the same stationary chain, at most 1.

    >>> mismatch([[0.8, 0.2], [0.2, 0.8]], [[0.8, 0.2], [0.2, 0.8]])
    0.0
    """
    back, ahead = transition(backward, "backward"), transition(forward, "forward")
    if back.shape != ahead.shape:
        return 1.0
    shares = stationary(ahead)
    return float(np.abs(shares[:, None] * back - (shares[:, None] * ahead).T).max())
