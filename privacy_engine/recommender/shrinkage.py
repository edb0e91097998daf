"""Noisy counts shrunk towards what is expected of them, by how much more they vary than their noise."""

import math

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported

STANDARD_ERRORS = 2.0
"""What exceeds the noise counts beyond so many standard errors: less could be noise."""
LEAST_SHARE = 1e-3
"""The least estimate, as a share of what is expected."""


def shrunk_towards(
    counts: Floats, expected: Floats, variance: float, least: float = LEAST_SHARE, lowest: float = -math.inf
) -> Floats:
    r"""Counts (n, m) with noise of known ``variance``, shrunk towards what is ``expected`` of them (n, m).

    The true count is taken to have mean :math:`\mu` and variance :math:`\tau^2 = \mu + \gamma \mu^2`; the estimate is
    :math:`\mu + \tau^2 / (\tau^2 + \sigma^2) (y - \mu)` [1]_, with :math:`\gamma` from the second moments of all
    counts, less two standard errors that Laplace noise gives it (its fourth moment is :math:`6\sigma^4`): where noise
    alone could be its cause it is zero. At least the share ``least`` of what is expected remains of each, and a count
    below ``lowest`` is estimated as ``lowest`` is.

    References
    ----------
    .. [1] Morris. "Parametric empirical Bayes inference: theory and applications". JASA 1983.
    """
    scale = moment = 0.0
    for count, mean in reported(zip(counts, expected, strict=True)):  # row by row: a row stays in the cache
        square = mean * mean
        scale += float(square @ square)
        moment += float(((count - mean) ** 2 - variance - mean) @ square)
    gamma = max(moment - _uncertain(scale, variance), 0.0) / scale if scale > 0 else 0.0
    shrunk = np.empty(expected.shape)
    for row, count, mean in reported(zip(shrunk, counts, expected, strict=True)):
        spread = mean + gamma * (mean * mean)
        weight = spread / np.maximum(spread + variance, np.finfo(np.float64).tiny)
        np.maximum(mean + weight * (np.maximum(count, lowest) - mean), least * mean, out=row)
    return shrunk


def detectable(expected: Floats, times: Ints, variance: float) -> bool:
    r"""True if :func:`shrunk_towards` would find deviations as large as what is ``expected``, :math:`\gamma = 1`.

    Each of the expected counts occurs ``times`` times.
    """
    scale = float(times.ravel() @ expected.ravel() ** 4)
    return scale > _uncertain(scale, variance)


def _uncertain(scale: float, variance: float) -> float:
    """What noise alone may add to the second moments, weighted by squares of means whose squares sum to ``scale``."""
    return STANDARD_ERRORS * variance * math.sqrt(5.0 * scale)
