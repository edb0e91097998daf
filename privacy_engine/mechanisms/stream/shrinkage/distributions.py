"""Levels of many dimensions as distributions over a grid, with a prior in common: right where levels are near noise.

A normal variable cannot express that a level is not negative and changes by shares of itself; a distribution over its
logarithms can (:mod:`privacy_engine.kernels.level_bank`). What is published is a median of the count under the prior of
all dimensions, estimated from their samples [1]_.

References
----------
.. [1] Robbins. "An empirical Bayes approach to statistics". Berkeley Symposium 1956.
"""

import math
from functools import lru_cache
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.mechanisms.stream.shrinkage.filters import DRIFTS, FILTERS, WHITES, Mixing, clearness

STEP = 0.1
"""The distance of two levels of the grid in their logarithms."""
LOWEST, HIGHEST = 0.02, 100.0
"""The lowest level, and the highest in scales of the noise of a timestamp that has its equal share of ε."""
BEYOND = (0.1, 0.3)
"""Between which shares of the highest level of the grid normal variables take over."""
RATE, OWN = 0.005, 2.0
"""Probability that a level is drawn again at a timestamp, and how many samples a flat distribution counts as there."""
ZERO_MASS, ZERO_MASS_RELATIVE = 0.05, 0.3
"""Prior weight of levels that are next to nothing, also where relative errors matter: there they make the largest."""
FLAT, LARGEST = 0.02, 300.0
"""Prior weight of all levels alike, up to the largest, in shares of the average level."""
NOTHING = 0.02
"""Levels below this share of the average are next to nothing."""
PRIOR_MASS, PRIOR_ROUNDS, PRIOR_WIDTH = 8.0, 8, 0.6
"""How many dimensions the first prior counts as, and by how much of a logarithm an estimated prior is smoothed."""
LEAST_SHARE = 0.1
"""Relative errors matter by the level, but levels below this share of the average alike."""
MOVED = 10
"""Steps of the rhythm from which on the grids that follow it begin again."""
LEAST_VARIANCE = 1e-12
PROBABILITY, SAMPLES = 2.0**-15, 2.0**-10
"""Units of what is kept of 1,000 dimensions and more, as floats of 16 bits: those end at 65,504 units, and have 11 bits
of what is above 6e-5 units."""
CLEAR = (1.0, 3.0)
"""Between which ratios of a level to its deviation a sample's own estimate of its count is published."""
ONE_EVENT = 1.0
"""Added to that variance: a level next to nothing has hardly any, and the sample still decides nothing there."""


@lru_cache(maxsize=16)
def counts_below(lowest: float, step: float, points: int, whites: tuple[float, ...]) -> Floats:
    """Probability that a count is at most 0 or each level of a grid, (W, g, g + 1): a gamma variable's.

    A count at a level (the second axis) has the variance of a Poisson variable, and a relative deviation of its own
    (the first).
    """
    from scipy.special import gammainc

    grid = levels_of(lowest, step, points)
    white = np.array(whites)[:, None]
    relative = (white >= 0.0) / grid + white**2
    below = gammainc((1.0 / relative)[:, :, None], np.append(0.0, grid) / (grid * relative)[:, :, None])
    return np.asarray(below)


def levels_of(lowest: float, step: float, points: int) -> Floats:
    """Levels whose logarithms are ``step`` apart, (points,)."""
    return np.asarray(lowest * np.exp(step * np.arange(points)))


def _kept(values: Floats, unit: float) -> Any:
    """``values`` in multiples of ``unit``, as floats of 16 bits."""
    return (values / unit).astype(np.float16)


class LevelDistributions:
    """What is known of the levels of d dimensions.

    ``mean`` and ``variance`` (d,) are those of the levels, ``median`` (d,) is that of a count to come, ``count`` (d,)
    that of the one that was sampled, ``loading`` (d,) how far each level follows the total, ``weight`` (d, J) has the
    filters' weights. ``noise`` is the scale of a timestamp that has its equal share of ε.
    """

    def __init__(self, dimensions: int, noise: float, *, relative: bool) -> None:
        points, filters = math.ceil(math.log(HIGHEST * max(noise, 1.0) / LOWEST) / STEP), FILTERS.shape[1]
        self.mean, self.variance, self.median, self.count, self.loading = np.zeros((5, dimensions))
        self.weight = np.zeros((dimensions, filters))
        self._relative, self._mixing, self._rhythm, self._noise = relative, Mixing(dimensions), 1.0, 1.0
        self._log_weight = np.zeros((dimensions, filters))
        self._p = _kept(np.full((dimensions, 2 * len(DRIFTS), points), 1.0 / points), PROBABILITY)
        self._occurred = _kept(np.zeros((dimensions, 2, points)), SAMPLES)
        self._prior = np.zeros(0)

    def update(self, z: Floats, b: float, average: float, *, common: float, ratio: float, steps: int) -> None:
        """Take the samples ``z``, (d,), of noise with scale ``b``, ``steps`` timestamps after the last ones.

        ``average`` is the average level, ``ratio`` the factor of the total since the last samples, ``common`` its
        relative variance.
        """
        from privacy_engine.kernels.laplace_filter import FORGET
        from privacy_engine.kernels.level_bank import medians_under, update_levels

        self._rhythm *= ratio
        self._noise = 2.0 * b * b
        points = self._p.shape[2]
        grid, joint = levels_of(LOWEST, STEP, points), np.empty((len(z), len(WHITES), points))
        filters = STEP, np.array(DRIFTS), np.array(WHITES), float(steps), RATE, OWN, self._rhythm, common, FORGET
        p, occurred = self._p.astype(np.float64), self._occurred.astype(np.float64)
        p *= PROBABILITY
        occurred *= SAMPLES
        state = self._mixing.proportions, p, self._log_weight, occurred, self.weight, joint, self.count
        update_levels(z, b, grid, *filters, *state)
        self._p, self._occurred = _kept(p, PROBABILITY), _kept(occurred, SAMPLES)
        self._mixing.learn(self._log_weight)
        self.loading = self.weight @ FILTERS[2]
        prior = self._common_prior(joint, grid, average)
        matters = 1.0 / np.maximum(grid, LEAST_SHARE * average) if self._relative else np.ones(points)
        moments = np.empty((3, len(z)))
        medians_under(joint, prior, matters, grid, counts_below(LOWEST, STEP, points, WHITES), moments)
        self.mean, self.variance, self.median = moments
        self.variance = np.maximum(self.variance, LEAST_VARIANCE)
        self._keep_on_grid()

    @property
    def above_noise(self) -> Floats:
        """How far levels are above the noise of a sample, from 0 to 1, (d,): there it shows what each count is."""
        return clearness(self.mean, np.minimum(self.variance, self._noise) + ONE_EVENT, CLEAR)

    def beyond(self, levels: Floats) -> Floats:
        """How far levels (d,) are too high for the grid, from 0 to 1, (d,)."""
        top = LOWEST * math.exp(STEP * self._p.shape[2])
        low, high = BEYOND
        return np.asarray(np.clip((levels / top - low) / (high - low), 0.0, 1.0))

    def _common_prior(self, joint: Floats, grid: Floats, average: float) -> Floats:
        """The prior of all levels, (g,), estimated from ``joint`` (d, W, g) and smoothed."""
        from privacy_engine.kernels.laplace_filter import proportions

        base = self._first_prior(grid, average)
        if not len(self._prior):
            self._prior = base.copy()
        proportions(joint.sum(axis=1), base, PRIOR_MASS, PRIOR_ROUNDS, self._prior)
        reach = round(5 * PRIOR_WIDTH / STEP)
        kernel = np.exp(-0.5 * (np.arange(-reach, reach + 1) * STEP / PRIOR_WIDTH) ** 2)
        smooth = np.convolve(self._prior, kernel / kernel.sum())[reach : reach + len(grid)]
        return np.asarray(smooth + 1e-12)

    def _first_prior(self, grid: Floats, average: float) -> Floats:
        """Exponential around the average, with flat tails and some weight next to nothing, (g,)."""
        shares = grid / average
        prior = shares * np.exp(-shares) + FLAT * (shares < LARGEST)
        prior /= prior.sum()
        nothing = grid <= max(NOTHING * average, grid[0])
        prior[nothing] += (ZERO_MASS_RELATIVE if self._relative else ZERO_MASS) / nothing.sum()
        return np.asarray(prior / prior.sum())

    def _keep_on_grid(self) -> None:
        """Move the distributions that follow the rhythm by whole steps where it would take them off the grid."""
        whole = math.trunc(math.log(self._rhythm) / STEP)
        if abs(whole) < MOVED:
            return
        self._rhythm *= math.exp(-STEP * whole)
        for rows in (self._p[:, 1::2], self._occurred[:, 1:]):
            moved, last = np.zeros_like(rows), rows.shape[2] - 1
            for i in range(last + 1):
                moved[:, :, min(max(i + whole, 0), last)] += rows[:, :, i]
            rows[:] = moved
