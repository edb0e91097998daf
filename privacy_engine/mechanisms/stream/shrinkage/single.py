"""The level of a single dimension: a distribution over a grid for each of a bank of filters [1]_.

Without other dimensions a prior of levels can only be of orders of magnitude, and a low count is seen through noise
larger than itself. Normal filters are wrong there: they cannot know that a level is not negative and changes by shares
of itself. A distribution over the logarithms of levels can, and its median is what has the least absolute error.

References
----------
.. [1] Bucy, Senne. "Digital synthesis of non-linear filters". Automatica 1971.
"""

import itertools
import math

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.mechanisms.stream.shrinkage import filters
from privacy_engine.mechanisms.stream.shrinkage.distributions import counts_below, levels_of

STEP = 0.1
"""The distance of two levels of the grid in their logarithms."""
LOWEST, HIGHEST = 0.02, 5e4
"""The lowest level, and the highest in units of the least noise."""
DRIFTS = (0.01, 0.03, 0.08, 0.2, 0.5)
"""Standard deviations of a level's logarithm from timestamp to timestamp."""
RATES = (0.003, 0.03)
"""Probabilities that a level is drawn again at a timestamp, from how often levels occurred."""
WHITE = (0.0, 0.3, 0.8, 2.0)
"""Standard deviations of a count around its level, as shares of the level, beside that of a Poisson variable."""
FILTERS = np.array(list(itertools.product(WHITE, DRIFTS, RATES))).T[[1, 2, 0]]
USUAL_DRIFT, DRIFT_RANGE, WHITE_PENALTY = 0.03, 1.25, 2.0
FORGET = 0.99
"""What is left of a filter's log-likelihood at the next sample."""
DECAY, NOTHING = 0.45, 0.1
"""Half of the prior of a level's logarithm is flat up to 1 and falls by this power of the level from there on; the
other half are levels up to the second value: of a stream with next to no counts, zeros are the best release."""
MASS = 0.1
"""How many samples the prior of levels counts as, beside those so far."""
LEAST_VARIANCE = 1e-12
CLEAR = (5.0, 10.0)
"""Between which ratios of a level to its standard deviation normal filters take over: the grid is too coarse there."""
LOG_PRIOR = -0.5 * (np.log(FILTERS[0] / USUAL_DRIFT) / DRIFT_RANGE) ** 2 - WHITE_PENALTY * FILTERS[2]


class Single:
    """What is known of the level of a dimension; ``least_noise`` is the scale of a sample that spends all of ε."""

    def __init__(self, least_noise: float) -> None:
        top = math.log(HIGHEST * max(least_noise, 1.0))
        self.grid = levels_of(LOWEST, STEP, math.ceil((top - math.log(LOWEST)) / STEP))
        prior, nothing = np.maximum(self.grid, 1.0) ** -DECAY, self.grid <= NOTHING
        self.base = 0.5 * prior / prior.sum() + 0.5 * nothing / nothing.sum()
        self._levels = MASS * self.base
        self._occurred = np.zeros(len(prior))
        self._p = np.tile(self.base, (FILTERS.shape[1], 1))
        self._log_weight = np.zeros(FILTERS.shape[1])
        self._since, self._samples = 0, 0
        self._moments = np.zeros(3)
        self._kept = np.zeros((len(RATES), len(WHITE), len(prior)))

    @property
    def weight(self) -> Floats:
        """Weights of the filters, (J,)."""
        weight = np.exp(LOG_PRIOR + self._log_weight)
        return np.asarray(weight / weight.sum())

    def sample(self, z: float, b: float) -> float:
        """Take a sample ``z`` of noise with scale ``b``; returns the median of the count."""
        from privacy_engine.kernels.level_bank import median
        from privacy_engine.kernels.level_grid import change_levels, observe_on_grid

        drift, rate, white = FILTERS
        if self._samples:
            steps = self._since + 1
            change_levels(self._p, steps * (drift / STEP) ** 2, 1.0 - (1.0 - rate) ** steps, self.base)
        counts = np.empty(self._p.shape)
        observe_on_grid(z, b, self.grid, white, FORGET, self._p, self._log_weight, counts)
        self._since, self._samples = 0, self._samples + 1
        of_filters = self.weight
        weight = of_filters[:, None] * self._p
        now = weight.sum(axis=0)
        self._occurred += now
        mean = float(now @ self.grid)
        self._moments += mean, mean * mean, float(now @ self.grid**2) - mean * mean
        self._levels += now
        self.base = self._levels / self._levels.sum()
        self._kept = weight.reshape(len(WHITE), -1, len(RATES), len(now)).sum(axis=1).transpose(1, 0, 2).copy()
        return float(median(now, (weight * counts).sum(axis=0) / np.maximum(now, 1e-300)))

    def ahead(self, n: int) -> Floats:
        """Medians of the counts of the next ``n`` timestamps, none of them sampled, (n,)."""
        from privacy_engine.kernels.level_grid import medians_ahead

        self._since += n
        return np.asarray(medians_ahead(self._since - n, n, self._kept, *self._counts()))

    def _counts(self) -> tuple[Floats, Floats, Floats, Floats]:
        return np.array(RATES), self.base, self.grid, counts_below(LOWEST, STEP, len(self.grid), WHITE)

    @property
    def varies(self) -> float:
        """Which share of the variance of levels is between samples, from 0 to 1: the rest is that of each estimate."""
        mean, square, within = self._moments / self._samples
        between = max(square - mean * mean, 0.0)
        return float(between / max(between + within, LEAST_VARIANCE))

    def errors(self, intervals: Floats, noise_variance: Floats, samples: Floats) -> Floats:
        """Absolute errors to expect with samples at these intervals, (n,)."""
        from privacy_engine.kernels.level_grid import errors_on_grid

        occurred = self._occurred / self._occurred.sum()
        state = self.grid, occurred, FILTERS, self.weight, self.varies
        return np.asarray(errors_on_grid(*state, intervals, noise_variance, samples))


def clearness(mean: float, variance: float) -> float:
    """How far normal filters are right, from 0 to 1."""
    return float(filters.clearness(np.array(mean), np.array(variance), CLEAR))
