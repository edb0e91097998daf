"""Levels of the dimensions: distributions near noise, normal variables far above it."""

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.mechanisms.stream.shrinkage.distributions import ONE_EVENT, LevelDistributions
from privacy_engine.mechanisms.stream.shrinkage.filters import clearness
from privacy_engine.mechanisms.stream.shrinkage.normal import NormalLevels

CLEAR = (15.0, 30.0)
"""Between which ratios of a level to its deviation normal variables take over: the grid is too coarse there."""


class Levels:
    """What is estimated of d dimensions from their samples.

    ``level`` (d,) are the estimates now, ``sampled`` those at the last sample, ``spread`` (d,) the relative variance of
    counts around them, ``signal`` (d,) estimates by their standard deviations, ``squares`` (d,) mean squares of the
    levels, ``growth`` (2, d) the variance that a drift of 1 has added since the last sample, ``loading`` (d,) how far
    each level follows the total. ``near`` is None for a single dimension.
    """

    def __init__(self, dimensions: int, noise: float, *, relative: bool) -> None:
        self.level, self.sampled, self.spread, self.signal, self.squares = np.zeros((5, dimensions))
        self.growth, self.loading = np.zeros((2, dimensions)), np.zeros(dimensions)
        self.normal = NormalLevels(dimensions)
        self.near = LevelDistributions(dimensions, noise, relative=relative) if dimensions > 1 else None
        self._clear_counts = np.zeros(dimensions)

    @property
    def weight(self) -> Floats:
        """Weights of the filters, (d, J), of several dimensions."""
        assert self.near is not None
        return self.near.weight

    def start(self, z: Floats, b: float, average: float) -> None:
        """Take the first samples ``z``, (d,), of noise with scale ``b``; ``average`` is the average level."""
        self.normal.start(z, b)
        self._finish(z, b, average, 0.0, 1.0, 0)
        # no fluctuation is known yet, and that of the level does not concern this count
        self._clear_counts = clearness(self.normal.found[2], self.normal.found[3], CLEAR)

    def update(self, z: Floats, b: float, average: float, *, common: float, ratio: float, steps: int) -> None:
        """Take the samples ``z``, (d,); the other arguments as in :meth:`LevelDistributions.update`."""
        self.normal.update(z, b, self.level, self.growth, common=common, ratio=ratio)
        self._clear_counts = self._finish(z, b, average, common, ratio, steps)

    def doubt(self) -> None:
        """Compare levels with an event more or less too: next to nothing they have hardly any variance."""
        if self.near is not None:
            self.signal = self.near.mean / np.sqrt(self.near.variance + ONE_EVENT)

    def counts(self, published: Floats) -> Floats:
        """``published`` (d,), or at a sample the estimates of the counts themselves where they are above noise."""
        mean, variance = self.normal.found[2], self.normal.found[3]
        if self.near is None:
            clear = np.clip((mean / np.sqrt(variance) - 1.0) / 2.0, 0.0, 1.0)
        else:
            mean = self._clear_counts * mean + (1.0 - self._clear_counts) * self.near.count
            clear = self.near.above_noise
        return np.asarray(clear * mean + (1.0 - clear) * published)

    def _finish(self, z: Floats, b: float, average: float, common: float, ratio: float, steps: int) -> Floats:
        """Combine what is estimated; returns how far the levels of several dimensions are above noise, (d,)."""
        clear = np.zeros(len(z))
        mean, variance, spread = self.normal.found[0], self.normal.found[1], self.normal.found[5]
        if self.near is None:
            self.level, self.spread, self.loading = np.maximum(mean, 1e-6), 0.5 * spread, self.normal.found[4]
            self.signal = np.maximum(mean, np.sqrt(self.squares)) / np.sqrt(variance)
        else:
            near = self.near
            near.update(z, b, average, common=common, ratio=ratio, steps=steps)
            clear = np.maximum(clearness(mean, variance, CLEAR), near.beyond(mean))
            self.level = np.maximum(clear * mean + (1.0 - clear) * near.median, 1e-6)
            self.spread, self.loading = clear * spread, clear * self.normal.found[4] + (1.0 - clear) * near.loading
            self.signal = near.mean / np.sqrt(near.variance)
        self.sampled = self.level.copy()
        self.growth[:] = 0.0
        return clear
