"""Check-ins of a generated city by a published model of mobility: exploration and preferential return with gravity.

Pappalardo, Simini, Rinzivillo, Pedreschi, Giannotti, Barabasi. "Returners and explorers dichotomy in human mobility".
Nature Communications 2015. Its constants are those of Song, Koren, Wang, Barabasi (Nature Physics 2010): a user who
visited S places goes to a new one with probability .6 S^-.21, otherwise back to one of them as often as before. A new
place has a probability proportional to its relevance and to the inverse of the square of its distance. Relevances go as
1/k; places lie about centres. No constant of a mechanism was chosen on it.
"""

from __future__ import annotations

import numpy as np

from privacy_engine.data import CheckIns

RHO, GAMMA = 0.6, 0.21
PLACES, CENTRES, CENTRE_KM = 2_000, 12, 1.5
SIDE_KM = 16.0
LEAST_KM = 0.2
BOX = (8.40, 47.30, 8.61, 47.44)
"""West, south, east and north in degrees: about 16 by 16 km."""
STEP_S = 12 * 3600.0


def explorer_city(
    users: int = 3_000, per_user: int = 30, seed: int = 2026, count: int = PLACES, skew: float = 1.0
) -> CheckIns:
    """Check-ins of ``users`` at ``count`` places, geometrically many of each with the mean ``per_user``.

    Relevances go as 1/k to the power ``skew``: 0 makes all places equally relevant.
    """
    rng = np.random.default_rng(seed)
    centres = rng.uniform(0.15, 0.85, (CENTRES, 2)) * SIDE_KM
    places = centres[rng.integers(0, CENTRES, count)] + CENTRE_KM * rng.standard_normal((count, 2))
    places = np.clip(places, 0.01, SIDE_KM - 0.01)
    relevance = rng.permutation(1.0 / np.arange(1, count + 1) ** skew)
    each = rng.geometric(1.0 / per_user, users)
    visits = _visits(places, relevance, each, rng)
    user, step = np.nonzero(np.arange(visits.shape[1]) < each[:, None])
    west, south, east, north = BOX
    at = places[visits[user, step]] / SIDE_KM
    names = [f"user {i}" for i in range(1, users + 1)]
    return CheckIns(
        user, names, step * STEP_S, lon=west + (east - west) * at[:, 0], lat=south + (north - south) * at[:, 1]
    )


def _visits(places: np.ndarray, relevance: np.ndarray, each: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The place of each step of each user, (users, steps); steps beyond ``each`` mean nothing."""
    away = np.maximum(np.hypot(*(places[:, None] - places[None, :]).transpose(2, 0, 1)), LEAST_KM)
    weight = relevance / away**2
    np.fill_diagonal(weight, 0.0)
    bounds = np.cumsum(weight, axis=1)
    bounds = (bounds / bounds[:, -1:] + np.arange(len(places))[:, None]).reshape(-1)
    visits = np.zeros((len(each), each.max()), dtype=np.int64)
    visits[:, 0] = rng.choice(len(places), len(each), p=relevance / relevance.sum())
    known = np.zeros((len(each), len(places)), dtype=np.bool_)
    known[np.arange(len(each)), visits[:, 0]] = True
    for step in range(1, visits.shape[1]):
        active = np.flatnonzero(each > step)
        explores = rng.random(len(active)) < RHO * known[active].sum(axis=1) ** -GAMMA
        back = visits[active, rng.integers(0, step, len(active))]
        new = np.searchsorted(bounds, visits[active, step - 1] + rng.random(len(active)), side="right") % len(places)
        visits[active, step] = np.where(explores, new, back)
        known[active, visits[active, step]] = True
    return visits
