"""What noisy numbers are likely to be, given a prior mean of each: a Gamma prior, Laplace noise, by quadrature.

All of it reads numbers that are published with noise, and is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import gamma

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported

SHAPES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
"""Candidates for the shape of the prior: smaller ones are wider for the same mean."""
STEP = 0.25
"""Prior means are alike within so much of their logarithm: they are rounded to multiples of it."""
LEAST = 1e-4
"""The least prior mean."""
LOW_POINTS, HIGH_POINTS = 40, 80
TINY = 1e-300


@dataclass(frozen=True)
class Posterior:
    """The posterior ``mean`` of each number, (n,), and the ``shape`` of the prior that makes the numbers likeliest."""

    mean: Floats
    shape: float


def posterior(noisy: Floats, prior_mean: Floats, scale: float) -> Posterior:
    r"""The mean of θ where :math:`y = \theta + L`, L Laplace noise of ``scale``, for each of the n ``noisy`` y.

    θ is Gamma with the given mean and a shape κ that all n share: the candidate under which they are likeliest. The
    integrals are sums over 120 values of θ. Since the likelihood is :math:`e^{-|y - \theta|/b}`, the sum over values
    below y is the sum up to the last of them times one factor, and so above: with both running sums a number costs a
    look-up, whatever the number of values.

    Parameters
    ----------
    noisy, prior_mean : (n,) float
    scale : float
        Of the Laplace noise.
    """
    values = np.append(0.0, np.geomspace(1e-3, 1.0, LOW_POINTS)[:-1])
    values = np.append(values, np.geomspace(1.0, max(float(noisy.max(initial=0.0)), 2.0) * 1.2, HIGH_POINTS))
    edges = np.concatenate([[0.0], (values[1:] + values[:-1]) / 2, [np.inf]])
    levels, level = np.unique(np.round(np.log(np.maximum(prior_mean, LEAST)) / STEP).astype(int), return_inverse=True)
    means = np.exp(levels * STEP)
    at = _Between(noisy, values, scale)
    best, most = None, -np.inf
    for shape in reported(SHAPES):
        prior = np.diff(gamma.cdf(edges[None], shape, scale=means[:, None] / shape), axis=1) + TINY
        evidence, first = at.sums(prior, level), at.sums(prior * values, level)
        likelihood = float(np.log(evidence).sum())
        if best is None or likelihood > most:
            best, most = Posterior(first / evidence, shape), likelihood
    assert best is not None
    return best


class _Between:
    """Sums over ``values`` (m,), ascending, of weights times e^(-|y - value| / scale), for each noisy y (n,)."""

    def __init__(self, noisy: Floats, values: Floats, scale: float) -> None:
        self._steps = np.exp(-np.diff(values) / scale)
        self._after: Ints = np.searchsorted(values, noisy)  # how many values are less than y
        last, following = np.maximum(self._after - 1, 0), np.minimum(self._after, len(values) - 1)
        self._below = np.exp(-np.abs(noisy - values[last]) / scale) * (self._after > 0)
        self._above = np.exp(-np.abs(values[following] - noisy) / scale) * (self._after < len(values))
        self._last, self._following = last, following

    def sums(self, weights: Floats, level: Ints) -> Floats:
        """The sums for the ``weights`` (levels, m) of the ``level`` (n,) of each number."""
        up, down = weights.copy(), weights.copy()
        for i, step in enumerate(self._steps):
            up[:, i + 1] += up[:, i] * step
        for i in range(len(self._steps) - 1, -1, -1):
            down[:, i] += down[:, i + 1] * self._steps[i]
        sums = up[level, self._last] * self._below + down[level, self._following] * self._above
        return np.asarray(np.maximum(sums, TINY))
