"""What a mechanism's noise will be, before anything is drawn: it reads which events are landmarks, never a position.

Where budgets do not depend on the run it is closed form. Where they do, the mechanism runs on a generated walk with a
fixed seed: nobody's movements, and the same answer every time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from privacy_engine import geo, noise
from privacy_engine.data import Floats, LandmarkSet, Mask, Release, Trajectory
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism, last_draw
from privacy_engine.noise.expected import planar_sphere_mean_m, planar_sphere_quantile_m
from privacy_engine.registry import Mechanism

QUANTILES = (0.5, 0.95)
LONGEST_RUN = 10_000
"""So many events are simulated at most: a mechanism that walks through time takes about 25 µs for each."""
FEWEST_EVENTS, MOST_RUNS = 2_000, 100
"""Short series are simulated again and again, to this many events or runs."""
STEP_M = 500.0
"""Standard deviation per axis of a step of the generated walk: a taxi's between two fixes, five minutes apart."""


@dataclass(frozen=True)
class Expected:
    """Noise of the landmarks, of the other events, or of all.

    ``events`` are so many, of which ``published`` appear in the release and ``drawn`` get noise of their own; the rest
    repeat another's draw. ``share`` is the least and greatest budget of a draw, as a share of ε. ``mean_m``,
    ``median_m`` and ``p95_m`` are how far the published positions lie from where they were drawn, in metres: what
    noise does. How far one moved since the draw that is repeated comes on top. None where nothing is published.
    """

    events: int
    published: int
    drawn: int
    share: tuple[float, float] | None
    mean_m: float | None
    median_m: float | None
    p95_m: float | None


@dataclass(frozen=True)
class Outlook:
    """What to expect of a mechanism over series of n events. ``exact``: in closed form; otherwise from a simulation."""

    exact: bool
    landmark: Expected
    regular: Expected
    overall: Expected

    def as_dict(self) -> dict[str, Any]:
        """The outlook as JSON-ready data."""
        return asdict(self)


@dataclass(frozen=True)
class _Shown:
    """Every event of a run, (n,), and of its published ones the draw's rate per metre or the error in metres."""

    is_landmark: Mask
    budgets: Floats
    event: np.ndarray
    values: Floats


def outlook(mechanism: Mechanism, masks: Sequence[Mask]) -> Outlook | None:
    """What ``mechanism`` will do to series whose landmarks are ``masks``, one (n,) for each series.

    None where it could only be simulated and the series are longer than :data:`LONGEST_RUN` together.
    """
    exact = has_known_budgets(mechanism)
    if exact:
        shown = _joined([_planned(mechanism, mask) for mask in masks])  # type: ignore[arg-type]
    elif sum(map(len, masks)) > LONGEST_RUN:
        return None
    else:
        shown = _joined(_simulated(mechanism, masks))
    of_landmark = shown.is_landmark
    groups = (of_landmark, ~of_landmark, np.ones_like(of_landmark))
    runs = len(of_landmark) // max(sum(map(len, masks)), 1)
    return Outlook(exact, *(_expected(mechanism, shown, group, exact=exact, runs=max(runs, 1)) for group in groups))


def expected_error_m(mechanism: Mechanism, is_landmark: Mask) -> Floats:
    """What noise moves each published position of one series by on average, metres, (m,), without a position known.

    Raises
    ------
    ValueError
        The mechanism's budgets depend on the run.
    """
    if not has_known_budgets(mechanism):
        raise ValueError(f"the budgets of {mechanism.name} depend on the run")
    return planar_sphere_mean_m(_planned(mechanism, is_landmark).values)  # type: ignore[arg-type]


def has_known_budgets(mechanism: Mechanism) -> bool:
    """True if every budget follows from the landmarks alone and every draw is planar Laplace noise of its own."""
    own = type(mechanism)
    return (
        issubclass(own, PlanarLaplaceMechanism)
        and own.draw is PlanarLaplaceMechanism.draw
        and own.perturb is PlanarLaplaceMechanism.perturb
    )


def _planned(mechanism: PlanarLaplaceMechanism, mask: Mask) -> _Shown:
    """The release's plan: :meth:`assemble` says which events are published, whatever the positions."""
    budgets = mechanism.budgets(mask)
    fresh = np.flatnonzero(budgets > 0)
    nowhere, here = np.zeros(len(fresh)), Trajectory(np.zeros(len(mask)), np.zeros(len(mask)))
    release = mechanism.assemble(here, nowhere, nowhere, fresh, budgets)
    rates = mechanism.epsilon_per_m(budgets[fresh])
    return _Shown(mask, budgets, release.event, rates[_draws_shown(release)])


def _draws_shown(release: Release) -> np.ndarray:
    """Which draw each published position shows, (m,), counted in draws."""
    return last_draw(release.fresh)[release.event]


def _simulated(mechanism: Mechanism, masks: Sequence[Mask]) -> list[_Shown]:
    n = sum(map(len, masks))
    runs = min(math.ceil(FEWEST_EVENTS / max(n, 1)), MOST_RUNS)
    rng = noise.seeded(0)
    return [_run(mechanism, mask, seed, rng) for seed in range(runs) for mask in masks]


def _run(mechanism: Mechanism, mask: Mask, seed: int, rng: noise.RandomSource) -> _Shown:
    steps = np.random.default_rng(seed).normal(0, STEP_M, (len(mask), 2))
    walk = Trajectory(*geo.LocalPlane(0.0, 0.0).unproject(np.cumsum(steps, axis=0)))
    release = mechanism.release(walk, LandmarkSet(mask), rng=rng)
    at = np.flatnonzero(release.fresh)[_draws_shown(release)]
    error_m = geo.distance_m(walk.lon[at], walk.lat[at], release.series.lon, release.series.lat)
    return _Shown(mask, release.budgets, release.event, error_m)


def _joined(parts: Sequence[_Shown]) -> _Shown:
    starts = np.cumsum([0, *(len(part.budgets) for part in parts[:-1])])
    return _Shown(
        np.concatenate([part.is_landmark for part in parts]),
        np.concatenate([part.budgets for part in parts]),
        np.concatenate([part.event + start for part, start in zip(parts, starts, strict=True)]),
        np.concatenate([part.values for part in parts]),
    )


def _expected(mechanism: Mechanism, shown: _Shown, group: Mask, *, exact: bool, runs: int) -> Expected:
    drawn = shown.budgets[group & (shown.budgets > 0)] / mechanism.epsilon
    values = shown.values[group[shown.event]]
    figures = (None, None, None) if not values.size else _of_rates(values) if exact else _of_errors(values)
    return Expected(
        events=round(np.count_nonzero(group) / runs),
        published=round(len(values) / runs),
        drawn=round(len(drawn) / runs),
        share=(float(drawn.min()), float(drawn.max())) if drawn.size else None,
        mean_m=figures[0],
        median_m=figures[1],
        p95_m=figures[2],
    )


def _of_rates(rates: Floats) -> tuple[float, float, float]:
    kinds, counts = np.unique(rates, return_counts=True)
    median_m, p95_m = (planar_sphere_quantile_m(kinds, counts.astype(np.float64), p) for p in QUANTILES)
    return float(planar_sphere_mean_m(kinds) @ counts / counts.sum()), median_m, p95_m


def _of_errors(error_m: Floats) -> tuple[float, float, float]:
    median_m, p95_m = np.quantile(error_m, QUANTILES).tolist()
    return float(error_m.mean()), median_m, p95_m
