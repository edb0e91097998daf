"""Mean error against ε: what mechanisms cost at other levels, simulated over the original. For its owner alone.

A seeded simulation and never a release: it reads the original, stores nothing, spends nothing. All mechanisms and
levels share their noise, and the same question has the same answer.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from privacy_engine import data
from privacy_engine.analysis.results import Curve, Result, listed
from privacy_engine.analysis.simulation import simulate
from privacy_engine.core.arrays import Floats, Mask
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterErrors
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

FACTORS = (0.1, 0.2, 0.3, 0.5, 1.0, 2.0, 3.0, 5.0, 10.0)
REPETITIONS = 20
BAND = (0.05, 0.95)
MOST_EVENTS = 10_000
MOST_DRAWS = 6_000_000
"""Of all mechanisms, levels and repetitions of an answer together."""
NOTE = "A simulation that reads the original: for its owner, never for publication."


class TradeoffCurve(Result):
    """One mechanism's mean error against ε; null where nothing was published."""

    mechanism: dict[str, Any]
    title: str
    epsilon: list[float]
    """From a tenth of the mechanism's own level to ten times it."""
    mean_m: Curve
    low_m: Curve
    high_m: Curve
    why_not: str
    """Why there is no curve; else empty."""


class Tradeoff(Result):
    """Simulated over the original's first ``events`` of ``points``, ``landmarks`` of them landmarks."""

    series: int
    points: int
    events: int
    landmarks: int
    repetitions: int
    seed: int
    band: list[float]
    """low_m and high_m are these quantiles over the repetitions."""
    note: str
    mechanisms: list[TradeoffCurve]


def tradeoff(
    described: Sequence[TrajectoryMechanism], truth: Trajectory, is_landmark: Mask, *, series: int, seed: int
) -> Tradeoff:
    """For each mechanism its mean error over ``truth`` of n events with landmarks (n,), at levels from a tenth to ten
    times its own.

    Many events are cut to the first of them, as many as are worked out within a request, with the landmarks among them.
    ``series`` is the number that the result names.

    Raises
    ------
    ParameterError
        ``seed`` lies outside its domain.
    """
    events = affordable(len(truth), len(described))
    is_landmark = is_landmark[:events]
    return Tradeoff(
        series=series,
        points=len(truth),
        events=events,
        landmarks=int(np.count_nonzero(is_landmark)),
        repetitions=REPETITIONS,
        seed=seed,
        band=list(BAND),
        note=NOTE,
        mechanisms=_curves(described, Trajectory(truth.lon[:events], truth.lat[:events]), is_landmark, seed),
    )


def affordable(events: int, count: int) -> int:
    """How many of a series' events are simulated for ``count`` mechanisms."""
    return min(events, MOST_EVENTS, max(MOST_DRAWS // (count * len(FACTORS) * REPETITIONS), 1))


def levels(mechanism: TrajectoryMechanism) -> list[TrajectoryMechanism]:
    """The mechanism at levels around its own, those outside the domain of ε left out."""
    return list(_levels(mechanism))


def _levels(mechanism: TrajectoryMechanism) -> Iterator[TrajectoryMechanism]:
    for factor in FACTORS:
        try:
            yield mechanisms.of("trajectory").parse(
                mechanism.model_dump() | {"epsilon": float(f"{mechanism.epsilon * factor:.12g}")}
            )
        except ParameterErrors:
            continue


def _curves(
    described: Sequence[TrajectoryMechanism], truth: Trajectory, is_landmark: Mask, seed: int
) -> list[TradeoffCurve]:
    by_mechanism = [levels(mechanism) if mechanism.simulation_plan(is_landmark) else [] for mechanism in described]
    every = [level for at in by_mechanism for level in at]
    simulated = simulate(every, truth, [data.LandmarkSet(is_landmark)], seed=seed, repetitions=REPETITIONS)
    parts = np.split(simulated.errors_m[:, 0], np.cumsum([len(at) for at in by_mechanism])[:-1])
    return [_curve(*curve) for curve in zip(described, by_mechanism, parts, strict=True)]


def _curve(mechanism: TrajectoryMechanism, at: list[TrajectoryMechanism], errors_m: Floats) -> TradeoffCurve:
    """``errors_m`` (levels, repetitions); none where the mechanism could only be released again and again."""
    low, high = np.quantile(errors_m, BAND, axis=1) if at else (np.empty(0), np.empty(0))
    return TradeoffCurve(
        mechanism=mechanism.model_dump(),
        title=mechanism.title,
        epsilon=[level.epsilon for level in at],
        mean_m=listed(errors_m.mean(axis=1)),
        low_m=listed(low),
        high_m=listed(high),
        why_not="" if at else "it cannot be repeated fast enough to be simulated here",
    )
