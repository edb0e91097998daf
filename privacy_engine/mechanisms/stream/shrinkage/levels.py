"""Levels of the dimensions: a bank of filters for each, and one prior for all."""

from __future__ import annotations

import math

import numpy as np

from privacy_engine.data import Floats

DRIFTS = (0.004, 0.015, 0.04, 0.1, 0.25, 0.6)
"""Standard deviations of a level's change from one timestamp to the next, as shares of the level."""
WHITE = (0.0, 0.15, 0.4, 1.0, 2.5)
"""Standard deviations of a count around its level, as shares of the level."""
LOADINGS = (0.0, 1.0)
"""Whether a level follows the total between samples."""
FILTERS = np.array([(drift, white, loading) for drift in DRIFTS for white in WHITE for loading in LOADINGS]).T
USUAL_DRIFT, DRIFT_RANGE, WHITE_PENALTY = 0.1, 1.5, 0.25
MIXED_MASS, MIXED_ROUNDS = 20.0, 6
STEP = 0.2
GRID = np.concatenate([[0.0], np.exp(np.arange(-7.0, 5.6, STEP))])
"""Levels of the prior, as shares of the average level."""
ZERO_MASS, GRID_MASS = 0.05, 3.0


def _mixing_base(dimensions: int) -> Floats:
    """Mixing proportions before the first sample, (J,): one dimension has no rhythm in common with others."""
    drift, white, loading = FILTERS
    log = -0.5 * (np.log(drift / USUAL_DRIFT) / DRIFT_RANGE) ** 2 - WHITE_PENALTY * white
    found = np.where((loading > 0) & (dimensions == 1), 0.0, np.exp(log))
    return np.asarray(found / found.sum())


def _grid_base() -> Floats:
    """The prior of levels before the first sample, (g,): exponential, with flat tails and an atom at 0."""
    points = GRID[1:]
    found = np.concatenate([[ZERO_MASS], points * np.exp(-points) + 0.02])
    return np.asarray(found / found.sum())


class Levels:
    """What is estimated of d dimensions from their samples.

    ``level`` (d,) are the estimates now, ``sampled`` those at the last sample, ``signal`` estimates by their standard
    deviations, ``squares`` mean squares of the levels, ``growth`` (2, d) the variance that a drift of 1 has added since
    the last sample. ``found`` has the rows of :mod:`privacy_engine.kernels.laplace_filter`.
    """

    def __init__(self, dimensions: int) -> None:
        d, filters = dimensions, FILTERS.shape[1]
        self.level, self.sampled, self.signal, self.squares = np.zeros((4, d))
        self.growth, self.found = np.zeros((2, d)), np.zeros((6, d))
        self.weight = np.zeros((d, filters))
        self._mean, self._variance, self._log_weight = np.zeros((3, d, filters))
        self._base = _mixing_base(d)
        self._mixing, self._grid_base = self._base.copy(), _grid_base()
        self._prior = self._grid_base.copy()

    @property
    def spread(self) -> Floats:
        """Relative variance of the counts around their level, (d,); half of it where no other dimension confirms it."""
        return np.asarray(self.found[5] * (1.0 if len(self.level) > 1 else 0.5))

    def counts(self, published: Floats) -> Floats:
        """``published`` (d,), or at a sample the estimates of the counts themselves where they are above noise."""
        mean, variance = self.found[2], self.found[3]
        least = max(2.0, significant(len(mean))) if len(mean) > 1 else 1.0
        clear = np.clip((mean / np.sqrt(variance) - least) / 2.0, 0.0, 1.0)
        return np.asarray(clear * mean + (1.0 - clear) * published)

    def start(self, z: Floats, b: float, average: float) -> None:
        """Take the first samples ``z``, (d,), of noise with scale ``b``."""
        white, loading = FILTERS[1], FILTERS[2]
        self._mean[:] = z[:, None]
        self._variance[:] = 2 * b * b + (white * np.maximum(z, 0.0)[:, None]) ** 2
        self.weight[:] = self._mixing
        within = np.exp((self.weight * np.log(self._variance)).sum(axis=1))
        each = np.ones(len(z))
        rows = z, within, z, 2 * b * b * each, self.weight @ loading, self.weight @ white**2
        self.found[:] = np.stack(rows)
        self._finish(average)

    def update(self, z: Floats, b: float, average: float, *, common: float, ratio: float) -> None:
        """Take the samples ``z``, (d,); ``common`` and ``ratio`` as in ``update_bank``."""
        from privacy_engine.kernels.laplace_filter import mixing_proportions, update_bank

        state = self._mean, self._variance, self._log_weight, self._mixing, self.weight, self.found
        update_bank(z, b, common, ratio, FILTERS, self.level, self.growth, *state)
        mixing_proportions(self._log_weight, self._base, MIXED_MASS, MIXED_ROUNDS, self._mixing)
        self._finish(average)

    def _finish(self, average: float) -> None:
        mean, variance = self.found[0], self.found[1]
        if len(mean) == 1:
            self.level = np.maximum(mean, 1e-6)
            self.signal = np.maximum(mean, np.sqrt(self.squares)) / np.sqrt(variance)
        else:
            self.level = self._common_medians(mean, variance, average)
            self.signal = mean / np.sqrt(variance)
        self.sampled = self.level.copy()
        self.growth[:] = 0.0

    def _common_medians(self, mean: Floats, variance: Floats, average: float) -> Floats:
        """Medians under the prior of all dimensions, and the estimates themselves where they are far above noise."""
        from privacy_engine.kernels.stream_levels import level_medians

        prior = GRID, STEP, self._grid_base, GRID_MASS, self._prior
        medians = average * level_medians(mean / average, variance / average**2, *prior)
        clear = np.clip(mean / np.sqrt(variance) / max(3.0, significant(len(mean))) - 1.0, 0.0, 1.0)
        return np.asarray(clear * mean + (1.0 - clear) * medians)


def significant(dimensions: int) -> float:
    """How many standard deviations of Laplace noise none of ``dimensions`` exceeds, but for one case in 40 or so."""
    return math.log(40.0 * dimensions) / math.sqrt(2.0)
