"""A generated set that no constant was chosen on: taxi pick-ups in 150 zones of a city, an hour each, three weeks.

Zones have sizes of a power law, so that half of them count less than one event an hour; business zones peak in the
morning, others in the evening, all are quieter at weekends. Shares of zones drift, and counts are overdispersed.
"""

from __future__ import annotations

import numpy as np

HOURS, ZONES = 504, 150


def city_stream(seed: int = 20261122) -> np.ndarray:
    """Counts, (504, 150)."""
    rng = np.random.default_rng(seed)
    hour = np.arange(HOURS)
    weekend = np.where(hour // 24 % 7 >= 5, 0.7, 1.0)
    morning, evening = (np.exp(-0.5 * ((hour % 24 - peak) / 3.0) ** 2) for peak in (8, 19))
    business = rng.random(ZONES) < 0.3
    peaks = np.where(business, 1.6, 0.6) * morning[:, None] + np.where(business, 0.6, 1.2) * evening[:, None]
    size = 120.0 * np.arange(1, ZONES + 1) ** -1.2
    share = np.exp(np.cumsum(0.01 * rng.standard_normal((HOURS, ZONES)), axis=0))
    return rng.poisson(size * weekend[:, None] * (0.15 + peaks) * share * rng.gamma(12.0, 1 / 12.0, (HOURS, ZONES)))
