"""What is expected of the visits of cells given noisy counts: posterior means under a log-normal prior."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from privacy_engine.data import Floats

SHAPES = (0.5, 0.8, 1.1, 1.4, 1.7, 2.0, 2.4, 3.0)
"""Standard deviations of the logarithm of a count that are averaged over."""
SHARES, RADII = (0.25, 0.5, 0.75, 0.95), (1, 2, 3)
"""What part the mean of the cells around has in what is expected before a count, and how far these reach: likewise."""
EVIDENCE = 2.0
"""The log-likelihood by which counts must differ before they are as likely to differ as to be equal."""
PRECISE = 40.0
"""Counts of more scales of the noise are their own estimates: nothing known before changes them by 1 %."""
STEP, MARGIN = 0.25, 16.0
"""Spacing of the true counts that are summed over, and how far beyond the noisy ones they reach, in scales."""
LOG_STEP, LOG_MARGIN, LEVELS = 0.08, 14.0, 64
"""The same of small ones, in units of the logarithm, and how many means before a count are tabulated."""


def powers_of_counts(counts: Floats, variance: float, power: float) -> Floats:
    r"""What is expected of the ``power`` of true counts, (rows, columns), given ``counts`` with noise of ``variance``.

    The noise is Laplace's. True counts are taken to be log-normal [1]_, with a mean that is partly the mean of all
    noisy counts, at least 1, and partly that of the cells around [2]_. How large that part is, how far around, and the
    standard deviation of the logarithm are each one of a few values, all as likely before the counts are seen: the
    estimate is the mean over them, weighted by the product over cells of the likelihood of each count given those
    around. That all cells have the same number has the weight e² times that of the rest together, so that noise alone
    moves the estimates little. Without noise they are the powers of the counts. That a count is negative is as likely
    whatever the truth, but for a constant: it is estimated as 0 is.

    >>> powers_of_counts(np.array([[0.0, 4.0, 9.0]]), 0.0, 0.5).tolist()
    [[0.0, 2.0, 3.0]]

    References
    ----------
    .. [1] Limpert, Stahel, Abbt. "Log-normal distributions across the sciences: keys and clues". BioScience 2001.
    .. [2] Besag. "Statistical analysis of non-lattice data". The Statistician 1975. (Pseudo-likelihood.)
    """
    values = np.maximum(counts, 0.0)
    if variance <= 0 or not values.size:
        return np.asarray(values**power)
    scale, mean = float(np.sqrt(variance / 2)), max(float(counts.mean()), float(np.sqrt(variance / values.size)), 1.0)
    priors = np.log(prior_means(np.asarray(counts, dtype=np.float64), mean).reshape(-1, values.size))
    table, flat = _Table.of(priors, scale, power), values.ravel()
    logs = np.array([table.log_likelihoods(flat, prior).sum(axis=0) for prior in priors])
    alike = -float(np.abs(flat - mean).sum()) / scale - flat.size * np.log(2 * scale)
    highest = max(alike, float(logs.max()))
    weights, rest = np.exp(logs - highest) / logs.size, np.exp(alike + EVIDENCE - highest)
    found = np.full(flat.shape, rest * mean**power)
    for prior, weight in zip(priors, weights, strict=True):
        if weight.max() > np.finfo(np.float64).eps:
            found += table.powers(flat, prior) @ weight
    return np.asarray((found / (rest + weights.sum())).reshape(values.shape))


def prior_means(counts: Floats, mean: float) -> Floats:
    """Each way to expect a count by those around it, (1 + shares · radii, rows, columns), all positive."""
    found = [np.full(counts.shape, mean)]
    for radius in RADII:
        around = np.maximum(_means_around(counts, radius, mean), 0.0)
        found += [(1 - share) * mean + share * around for share in SHARES]
    return np.stack(found)


def _means_around(counts: Floats, radius: int, otherwise: float) -> Floats:
    """The mean of the cells at most ``radius`` rows and columns away, itself left out, (rows, columns)."""
    sums, cells = (_box_sums(one, radius) - one for one in (counts, np.ones(counts.shape)))
    return np.where(cells > 0, sums / np.maximum(cells, 1.0), otherwise)


def _box_sums(values: Floats, radius: int) -> Floats:
    width = 2 * radius + 1
    sums = np.pad(np.pad(values, radius).cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    return np.asarray(sums[width:, width:] - sums[:-width, width:] - sums[width:, :-width] + sums[:-width, :-width])


class _Table(NamedTuple):
    """Log-likelihoods and means of the power by count, logarithm of the prior mean and shape, (counts, levels, shapes).

    Counts are multiples of ``STEP`` scales up to :data:`PRECISE` of them.
    """

    first: float
    step: float
    scale: float
    power: float
    likelihood: Floats
    mean: Floats

    @classmethod
    def of(cls, priors: Floats, scale: float, power: float) -> _Table:
        """The table for logarithms of prior means from the least to the greatest of ``priors``."""
        first, last = float(priors.min()), float(priors.max())
        step = max((last - first) / (LEVELS - 1), float(np.finfo(np.float32).eps))
        even = scale * STEP * np.arange(1, round((PRECISE + MARGIN) / STEP) + 1)
        small = np.exp(np.arange(first - LOG_MARGIN, np.log(even[-1]), LOG_STEP))
        true = np.unique(np.concatenate([small, even]))
        logs, levels, shapes = np.log(true), first + step * np.arange(LEVELS)[:, None], np.array(SHAPES)
        widths = (np.diff(logs, prepend=logs[0]) + np.diff(logs, append=logs[-1])) / 2
        prior = np.exp(-(((logs[:, None, None] - levels) / shapes + shapes / 2) ** 2) / 2) / shapes
        prior = (prior * widths[:, None, None] / np.sqrt(2 * np.pi)).reshape(len(true), -1)
        counts = scale * STEP * np.arange(round(PRECISE / STEP) + 1)
        noise = np.exp(-np.abs(counts[:, None] - true) / scale) / (2 * scale)
        whole = np.maximum(noise @ prior, np.finfo(np.float64).tiny)
        tables = np.log(whole), (noise * true**power) @ prior / whole
        return cls(first, step, scale, power, *(one.reshape(len(counts), LEVELS, len(SHAPES)) for one in tables))

    def log_likelihoods(self, counts: Floats, priors: Floats) -> Floats:
        """Of each count given its own prior mean, but for a constant, (n, shapes)."""
        found, precise = self._read(self.likelihood, counts, priors), counts > PRECISE * self.scale
        logs, shapes = np.log(counts[precise])[:, None], np.array(SHAPES)
        apart = (logs - priors[precise, None]) / shapes + shapes / 2
        found[precise] = -(apart**2) / 2 - np.log(np.sqrt(2 * np.pi) * shapes) - logs
        return found

    def powers(self, counts: Floats, priors: Floats) -> Floats:
        """The mean of the power of each true count, (n, shapes)."""
        found, precise = self._read(self.mean, counts, priors), counts > PRECISE * self.scale
        found[precise] = (counts[precise] ** self.power)[:, None]
        return found

    def _read(self, values: Floats, counts: Floats, priors: Floats) -> Floats:
        """Linear interpolation in both directions, (n, shapes)."""
        row, below = _between(counts / (self.scale * STEP), values.shape[0])
        column, right = _between((priors - self.first) / self.step, values.shape[1])
        found = np.zeros((len(counts), values.shape[2]))
        for i, part in ((row, 1 - below), (row + 1, below)):
            for j, share in ((column, 1 - right), (column + 1, right)):
                found += values[i, j] * (part * share)[:, None]
        return found


def _between(position: Floats, n: int) -> tuple[np.ndarray, Floats]:
    """The point of a table of ``n`` before each position, and how far it is beyond that."""
    held = np.clip(position, 0.0, n - 1)
    before = np.minimum(held.astype(np.int64), n - 2)
    return before, held - before
