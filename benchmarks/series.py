"""Series that the benchmarks share."""

from __future__ import annotations

import numpy as np


def wandering(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A walk that pauses: (lon, lat, time) with a fix every 5 s."""
    rng = np.random.default_rng(1)
    steps = rng.normal(0, 1e-4, (2, n)) * (np.sin(np.arange(n) / 500) > 0)
    return 116.4 + np.cumsum(steps[0]) % 1, 39.9 + np.cumsum(steps[1]) % 1, np.arange(n) * 5.0
