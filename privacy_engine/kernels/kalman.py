"""Scalar Kalman filters, a filter for each dimension of a stream, whose variance grows with the level."""

import numpy as np
from numba import b1, f8

from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.kernels import compiled_for, out


@compiled_for(f8[:, ::1], b1[::1], f8, f8, f8, out(f8[::1]), out(f8[::1]))
def filter_rows(
    noisy: Floats,
    sampled: Mask,
    noise_variance: float,
    drift: float,
    growth: float,
    estimate: Floats,
    variance: Floats,
) -> Floats:
    """Estimates of successive timestamps, (n, d), 0 where they are negative; the state, each (d,), is updated.

    ``noisy`` has a row for each sampled timestamp, of noise with ``noise_variance``. The variance between timestamps
    grows by (``drift`` μ)² + ``growth`` μ, μ the estimate, at least 1; before the first sample it is infinite, and
    that sample is the estimate.
    """
    n, d = len(sampled), len(estimate)
    levels = np.empty((n, d))
    row = 0
    for t in range(n):
        for k in range(d):
            level = max(estimate[k], 1.0)
            variance[k] += (drift * level) ** 2 + growth * level
            if sampled[t]:
                gain = variance[k] / (variance[k] + noise_variance) if variance[k] < np.inf else 1.0
                estimate[k] += gain * (noisy[row, k] - estimate[k])
                variance[k] = gain * noise_variance
            levels[t, k] = max(estimate[k], 0.0)
        if sampled[t]:
            row += 1
    return levels
