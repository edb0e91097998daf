"""Lower bounds of ε from counts: Clopper-Pearson intervals and the ratio of two of them."""

import math

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats
from privacy_engine.core.on_demand import scipy


def at_least(hits: ArrayLike, trials: int, alpha: float) -> Floats:
    """Return the lower Clopper-Pearson bound of a probability: it exceeds the truth with probability <= ``alpha``.

    ``hits`` (any shape) of ``trials`` independent draws each. The bound is the ``alpha`` quantile of
    Beta(hits, trials - hits + 1), and 0 where there are no hits [1]_.

    References
    ----------
    .. [1] Clopper, Pearson. "The use of confidence or fiducial limits illustrated in the case of the binomial".
       Biometrika 1934.
    """
    k = np.asarray(hits, dtype=np.float64)
    quantile = scipy.special.betaincinv(np.maximum(k, 1.0), trials - np.maximum(k, 1.0) + 1.0, alpha)
    return np.asarray(np.where(k > 0, quantile, 0.0))


def at_most(hits: ArrayLike, trials: int, alpha: float) -> Floats:
    """Return the upper Clopper-Pearson bound of a probability; see :func:`at_least`."""
    return np.asarray(1.0 - at_least(trials - np.asarray(hits, dtype=np.float64), trials, alpha))


def loss_at_least(hits: ArrayLike, other_hits: ArrayLike, trials: int, alpha: float) -> Floats:
    """Return a lower bound of ln(p/q) for the probabilities of an event under two inputs, at least 0.

    ``hits`` of ``trials`` draws of the first input and ``other_hits`` of as many of the second fell into the event. The
    bound exceeds ln(p/q) with probability at most ``alpha``: each of the two intervals fails with half of it.

    >>> round(float(loss_at_least(5000, 1000, 100_000, 0.05)), 3)
    1.521
    """
    p, q = at_least(hits, trials, alpha / 2), at_most(other_hits, trials, alpha / 2)
    with np.errstate(divide="ignore"):
        return np.asarray(np.maximum(np.log(p) - np.log(q), 0.0))


def most_provable(trials: int, alpha: float) -> float:
    """Return the largest value :func:`loss_at_least` can take: all draws of an input in the event, none of the other.

    >>> round(most_provable(75_000, 0.05 / 12), 1)
    9.4
    """
    return float(loss_at_least(trials, 0, trials, alpha)) if trials else -math.inf
