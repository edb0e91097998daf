"""The filters that levels of the dimensions are estimated by: what they allow for, and how likely that is at first."""

import numpy as np

from privacy_engine.core.arrays import Floats

DRIFTS = (0.005, 0.02, 0.06, 0.15, 0.5)
"""Standard deviations of a level's change from timestamp to timestamp, as shares of the level."""
WHITES = (-0.03, 0.0, 0.25, 0.7, 2.0)
"""Standard deviations of a count around its level, as shares of the level."""
FILTERS = np.array([(drift, white, loading) for drift in DRIFTS for loading in (0.0, 1.0) for white in WHITES]).T.copy()
"""Drift, white fluctuation and loading of each filter, (3, J): whether a level follows the total between samples."""
USUAL_DRIFT, DRIFT_RANGE, WHITE_PENALTY = 0.06, 1.5, 2.0
MIXED_MASS, MIXED_ROUNDS = 60.0, 6


class Mixing:
    """Mixing proportions of the filters over all dimensions, ``proportions`` (J,), estimated from likelihoods."""

    def __init__(self, dimensions: int) -> None:
        drift, white, loading = FILTERS
        log = -0.5 * (np.log(drift / USUAL_DRIFT) / DRIFT_RANGE) ** 2 - WHITE_PENALTY * np.abs(white)
        weight = np.where((loading > 0) & (dimensions == 1), 0.0, np.exp(log))  # a sole dimension has no common rhythm
        self._base = np.asarray(weight / weight.sum())
        self.proportions = self._base.copy()

    def learn(self, log_weight: Floats) -> None:
        """Estimate the proportions again from log-likelihoods of the filters, (d, J)."""
        from privacy_engine.kernels.laplace_filter import proportions

        proportions(np.exp(log_weight), self._base, MIXED_MASS, MIXED_ROUNDS, self.proportions)


def clearness(mean: Floats, variance: Floats, between: tuple[float, float]) -> Floats:
    """How far means (d,) are above their standard deviations, from 0 at the first ratio of ``between`` to 1, (d,)."""
    low, high = between
    return np.asarray(np.clip((mean / np.sqrt(variance) - low) / (high - low), 0.0, 1.0))
