"""Gaussian chains seen through noise: best estimates and likelihood in O(n), through a tridiagonal system.

Prior: x is a Markov chain with tridiagonal precision Q; a draw y_t of x_t has precision w_t (0: no draw). Then
E[x | y] solves (Q + diag w) x = w y, which is what a Kalman filter and a Rauch-Tung-Striebel smoother [1]_ compute
in two passes, here by a banded Cholesky factor for both axes [2]_.

References
----------
.. [1] Rauch, Tung, Striebel. "Maximum likelihood estimates of linear dynamic systems". AIAA Journal 1965.
.. [2] Rue, Held. "Gaussian Markov Random Fields". Chapman & Hall 2005.
"""

from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.on_demand import scipy

LONGEST_FIT = 16_384
"""Parameters are fitted on so many events at most, the first ones; 1e5 events take well under a second then."""


@dataclass(frozen=True)
class Chain:
    """A prior: diagonal (n,) and off-diagonal (scalar) of Q, and log det Q (of its proper part)."""

    diagonal: Floats
    beside: float
    log_det: float


def random_walk(n: int, step_variance: float) -> Chain:
    """Independent steps of variance q per axis; nothing known of the start (a flat prior)."""
    ends = np.full(n, 2.0)
    ends[0] -= 1
    ends[-1] -= 1
    return Chain(ends / step_variance, -1 / step_variance, -(n - 1) * np.log(step_variance))


def ornstein_uhlenbeck(n: int, variance: float, correlation: float) -> Chain:
    """Stationary, mean 0: variance σ² per axis and correlation φ from an event to the next."""
    innovation = variance * (1 - correlation**2)
    diagonal = np.full(n, 1 + correlation**2)
    diagonal[0] -= correlation**2
    diagonal[-1] -= correlation**2
    if n == 1:
        diagonal[0] = 1 - correlation**2
    return Chain(
        diagonal / innovation, -correlation / innovation, -float(np.log(variance) + (n - 1) * np.log(innovation))
    )


def smooth(chain: Chain, values: Floats, precision: Floats) -> tuple[Floats, float]:
    """E[x | values], (n, c), of draws (n, c) with precision (n,), and log det (Q + diag w)."""
    banded = np.empty((2, len(precision)))
    banded[0] = chain.diagonal + precision
    banded[1] = chain.beside
    factor, failed = scipy.linalg.lapack.dpbtrf(banded, lower=True)  # as cholesky_banded, without what it looks at
    if failed:
        raise np.linalg.LinAlgError(f"{failed}-th leading minor not positive definite")
    solved, _ = scipy.linalg.lapack.dpbtrs(factor, precision[:, None] * values, lower=True)
    return np.asarray(solved), float(2 * np.log(factor[0]).sum())


def deviance(chain: Chain, values: Floats, precision: Floats, *, level: bool) -> tuple[float, Floats]:
    """Minus twice the log-likelihood of the draws, summed over the c axes, up to a constant; and each axis' mean.

    ``level``: the mean is unknown, and is taken where the likelihood is largest; otherwise it is 0.
    """
    ones = np.ones((len(values), 1))
    together = np.hstack([values, ones])
    smoothed, log_det = smooth(chain, together, precision)
    residual = precision[:, None] * (together - smoothed)  # V⁻¹ times each column, V the variance of the draws
    products = together.T @ residual
    axes = values.shape[1]
    mean = products[:axes, -1] / products[-1, -1] if level else np.zeros(axes)
    squares = float((np.diag(products)[:axes] - mean**2 * products[-1, -1]).sum())
    return axes * (log_det - chain.log_det) + squares, mean
