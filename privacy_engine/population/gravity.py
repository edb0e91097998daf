"""Gravity: the table of flows whose sums by origin, by destination and by distance are given."""

from __future__ import annotations

import numpy as np

from privacy_engine.core.arrays import Floats, Ints

ROUNDS = 20
FLOOR = 0.01
"""The least sum: noise may have made one negative."""
TINY = 1e-9


def gravity(origins: Floats, destinations: Floats, by_band: Floats, bands: Ints) -> Floats:
    r"""The flows :math:`m_{od} = A_o B_d F_{band(o, d)}` with these sums, (k, k), none from a place to itself.

    By iterative proportional fitting [1]_, in 20 rounds.

    Parameters
    ----------
    origins, destinations : (k,) float
    by_band : (m,) float
        The sum of all flows between places as far apart as each band of distance.
    bands : (k, k) int
        The band of each pair of places.

    References
    ----------
    .. [1] Deming, Stephan. "On a Least Squares Adjustment of a Sampled Frequency Table When the Expected Marginal
       Totals are Known". Annals of Mathematical Statistics 1940.
    """
    rows, columns, sums = (np.maximum(given, FLOOR) for given in (origins, destinations, by_band))
    flows = np.multiply.outer(rows, columns)
    np.fill_diagonal(flows, 0.0)
    for _ in range(ROUNDS):
        now = np.bincount(bands.ravel(), weights=flows.ravel(), minlength=len(sums))
        flows *= (sums / np.maximum(now, TINY))[bands]
        flows *= (rows / np.maximum(flows.sum(axis=1), TINY))[:, None]
        flows *= columns / np.maximum(flows.sum(axis=0), TINY)
    return flows
