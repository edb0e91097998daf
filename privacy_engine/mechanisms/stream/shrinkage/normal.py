"""Levels as normal variables: a bank of Kalman filters for each dimension, right where levels are far above noise."""

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.mechanisms.stream.shrinkage.filters import FILTERS, Mixing


class NormalLevels:
    """``found`` has the rows of :mod:`privacy_engine.kernels.laplace_filter`, (6, d)."""

    def __init__(self, dimensions: int) -> None:
        self.found = np.zeros((6, dimensions))
        self._mean, self._variance, self._log_weight = np.zeros((3, dimensions, FILTERS.shape[1]))
        self._mixing = Mixing(dimensions)

    def start(self, z: Floats, b: float) -> None:
        """Take the first samples ``z``, (d,), of noise with scale ``b``."""
        white, loading = FILTERS[1], FILTERS[2]
        self._mean[:] = z[:, None]
        self._variance[:] = 2 * b * b + (white * np.maximum(z, 0.0)[:, None]) ** 2
        weight = np.tile(self._mixing.proportions, (len(z), 1))
        within = np.exp((weight * np.log(self._variance)).sum(axis=1))
        noise = np.full(len(z), 2 * b * b)
        self.found[:] = np.stack([z, within, z, noise, weight @ loading, weight @ white**2])

    def update(self, z: Floats, b: float, level: Floats, growth: Floats, *, common: float, ratio: float) -> None:
        """Take the samples ``z``, (d,); the other arguments as in ``update_bank``."""
        from privacy_engine.kernels.laplace_filter import update_bank

        weight = np.empty_like(self._mean)
        state = self._mean, self._variance, self._log_weight, self._mixing.proportions, weight, self.found
        update_bank(z, b, common, ratio, FILTERS, level, growth, *state)
        self._mixing.learn(self._log_weight)
