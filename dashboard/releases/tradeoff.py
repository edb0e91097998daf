"""Mean error against ε: what mechanisms cost at other levels, simulated over the original. For its owner alone.

A seeded simulation and never a release: it reads the original, stores nothing, spends nothing. All mechanisms and
levels share their noise, and the same question has the same answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from dashboard.core.downsampling import listed
from dashboard.datasets.people import mask_of_person, person_of
from dashboard.landmarks.models import LandmarkSet
from dashboard.storage import parquet
from privacy_engine import data
from privacy_engine.analysis.simulation import simulate
from privacy_engine.data import Floats, Mask, Trajectory
from privacy_engine.errors import ParameterErrors
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

FACTORS = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
REPETITIONS = 20
BAND = (0.05, 0.95)
MOST_EVENTS = 10_000
MOST_DRAWS = 6_000_000
"""Of all mechanisms, levels and repetitions of one answer together."""
NOTE = "A simulation that reads the original: for its owner, never for publication."


def tradeoff(
    landmark_set: LandmarkSet, asked: Sequence[TrajectoryMechanism], *, series: int, seed: int
) -> dict[str, Any]:
    """For each mechanism its mean error over the events of the person whose ``series`` it is, at levels from a tenth
    to ten times its own.

    Many events are cut to the first of them, as many as are worked out within a request, with the landmarks among them.

    Raises
    ------
    ParameterError
        There is no such series, or ``seed`` lies outside its domain.
    """
    person = person_of(landmark_set.dataset, series)
    events = affordable(len(person), len(asked))
    truth = _first(person.joined(parquet.read_points(landmark_set.dataset.points_path)), events)
    is_landmark = mask_of_person(landmark_set.dataset, landmark_set.mask, person)[:events]
    return {
        "series": series,
        "points": len(person),
        "events": events,
        "landmarks": int(np.count_nonzero(is_landmark)),
        "repetitions": REPETITIONS,
        "seed": seed,
        "band": list(BAND),
        "note": NOTE,
        "mechanisms": _curves(asked, truth, is_landmark, seed),
    }


def affordable(events: int, count: int) -> int:
    """How many of a series' events are simulated for ``count`` mechanisms."""
    return min(events, MOST_EVENTS, max(MOST_DRAWS // (count * len(FACTORS) * REPETITIONS), 1))


def levels(mechanism: TrajectoryMechanism) -> list[TrajectoryMechanism]:
    """The mechanism at levels around its own, those outside the domain of ε left out."""
    return list(_levels(mechanism))


def _levels(mechanism: TrajectoryMechanism) -> Iterator[TrajectoryMechanism]:
    for factor in FACTORS:
        try:
            yield mechanisms.parse(mechanism.model_dump() | {"epsilon": float(f"{mechanism.epsilon * factor:.12g}")})
        except ParameterErrors:
            continue


def _first(series: Trajectory, events: int) -> Trajectory:
    return Trajectory(series.lon[:events], series.lat[:events])


def _curves(
    asked: Sequence[TrajectoryMechanism], truth: Trajectory, is_landmark: Mask, seed: int
) -> list[dict[str, Any]]:
    by_mechanism = [levels(one) if one.simulation_plan(is_landmark) else [] for one in asked]
    every = [level for one in by_mechanism for level in one]
    found = simulate(every, truth, [data.LandmarkSet(is_landmark)], seed=seed, repetitions=REPETITIONS)
    parts = np.split(found.errors_m[:, 0], np.cumsum([len(one) for one in by_mechanism])[:-1])
    return [_curve(one, at, errors_m) for one, at, errors_m in zip(asked, by_mechanism, parts, strict=True)]


def _curve(mechanism: TrajectoryMechanism, at: list[TrajectoryMechanism], errors_m: Floats) -> dict[str, Any]:
    """``errors_m`` (levels, repetitions); none where the mechanism could only be released again and again."""
    low, high = np.quantile(errors_m, BAND, axis=1) if at else (np.empty(0), np.empty(0))
    return {
        "mechanism": mechanism.model_dump(),
        "title": mechanism.title,
        "epsilon": [one.epsilon for one in at],
        "mean_m": listed(errors_m.mean(axis=1)),
        "low_m": listed(low),
        "high_m": listed(high),
        "why_not": "" if at else "it cannot be repeated fast enough to be simulated here",
    }
