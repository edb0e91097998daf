"""Forecast errors of releases of given data: noise, and how far one moved since a position that is repeated.

It is computed from the original, so it is the owner's alone; :mod:`privacy_engine.analysis.forecast` has the noise
alone, from which events are landmarks. There are four ways, in this order:

- steps follow: releases by the mechanism itself, with fixed seeds, and the steps;
- budgets depend on the run: releases by :mod:`privacy_engine.analysis.simulation`, with fixed seeds;
- every published event has noise of its own: the law of the noise, in closed form;
- events repeat others: the law of each event's error is that of the noise at the event whose draw it shows, simulated
  with a fixed seed and independent noise for each event, which converges faster than releases whose events share draws.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privacy_engine import metrics, noise
from privacy_engine.analysis.error_curves import groups_of
from privacy_engine.analysis.forecast import Expected, has_known_budgets, noise_forecast, planned_noise
from privacy_engine.analysis.quantiles import ascending, quantile
from privacy_engine.analysis.results import Result
from privacy_engine.analysis.simulation import simulate
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated
from privacy_engine.core.progress import blocks
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.mapped_series import column, empty, leave, leaving, total
from privacy_engine.data.people import joined, joined_landmarks
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism
from privacy_engine.noise.expected import SharedNoise
from privacy_engine.postprocess import PostProcess
from privacy_engine.releases.spec import processed

ERRORS = 20_000
"""So many errors are simulated at least."""
FEWEST_RUNS, MOST_RUNS = 5, 200
"""Where releases are simulated, they are so many."""
MOST_EVENTS = 200_000
"""People are left out, evenly, of data with more events than this; one person is never divided."""
PROCESSED_ERRORS = 4_000
"""Where steps follow, so many errors at most are simulated, of at least one release of one person."""
SEED = 0


class ErrorFigures(Result):
    """Errors of ``events`` published events, in metres; null where nothing is published."""

    events: int
    mean_m: float | None
    typical_m: float | None
    """Half of the errors are at most this."""
    p95_m: float | None
    """95 % of the errors are at most this."""


class ErrorForecast(Result):
    """Errors to expect of a release: of all published events, of the landmarks among them, and of the others."""

    exact: bool
    """True if in closed form; otherwise releases of the data were simulated."""
    runs: int
    """How often each event's error was simulated; 0 if in closed form."""
    people: int
    """Of so many people; of large data some are left out."""
    noise_m: float | None
    """Half of the noise, without the movement since a repeated position and without steps, is at most this."""
    overall: ErrorFigures
    landmarks: ErrorFigures
    others: ErrorFigures


@dataclass(frozen=True, eq=False)
class ForecastData:
    """The people whose errors are forecast: their events in the order of time, and which of these are landmarks."""

    series: tuple[Trajectory, ...]
    masks: tuple[Mask, ...]

    @classmethod
    def of(cls, series: Sequence[Trajectory], landmarks: Sequence[LandmarkSet]) -> ForecastData:
        """The people of ``series``, one landmark set for each series; some people of more than :data:`MOST_EVENTS`.

        Raises
        ------
        DataError
            There is not one landmark set for each series, over its events.
        """
        persons, marks = joined(series), joined_landmarks(series, landmarks)
        chosen = _some([len(one) for one in persons])
        return cls(tuple(persons[i] for i in chosen), tuple(marks[i].mask for i in chosen))

    @property
    def events(self) -> int:
        """How many events there are."""
        return sum(map(len, self.masks))

    def first(self, events: int) -> ForecastData:
        """The first people, until they have so many events; at least one person."""
        ends = np.cumsum([len(mask) for mask in self.masks])
        count = int(np.searchsorted(ends, events)) + 1
        return ForecastData(self.series[:count], self.masks[:count])


def error_forecast(
    mechanism: TrajectoryMechanism, data: ForecastData, steps: Sequence[PostProcess] = (), *, errors: int = ERRORS
) -> ErrorForecast:
    """Return the errors to expect of a release of ``data`` by ``mechanism`` and the ``steps`` after it.

    The same for every call: seeds are fixed. Where releases are simulated there are ``errors`` of them, or more if one
    release has more.
    """
    noisy = noise_forecast(mechanism, data.masks) if has_known_budgets(mechanism) else None
    noise_m = noisy.overall.median_m if noisy else None
    if noisy and not steps and noisy.overall.drawn == noisy.overall.published:
        groups = {"overall": noisy.overall, "landmarks": noisy.landmark, "others": noisy.regular}
        figures = {name: _of_noise(one) for name, one in groups.items()}
        return ErrorForecast(exact=True, runs=0, people=len(data.masks), noise_m=noise_m, **figures)
    if steps:
        errors = min(errors, PROCESSED_ERRORS)
        data = data.first(errors)
    errors_m = _simulated(mechanism, data, steps, math.ceil(errors / max(data.events, 1)))
    marks = data.masks[0] if len(data.masks) == 1 else concatenated(data.masks, np.bool_)
    figures = {name: _of_errors(errors_m, of) for name, of in groups_of(marks).items()}
    return ErrorForecast(
        exact=False,
        runs=len(errors_m),
        people=len(data.masks),
        noise_m=noise_m,
        overall=figures["all"],
        landmarks=figures["landmarks"],
        others=figures["others"],
    )


def _simulated(mechanism: TrajectoryMechanism, data: ForecastData, steps: Sequence[PostProcess], runs: int) -> Floats:
    """Return errors in metres, (runs or more, events), NaN where nothing is published."""
    people = list(zip(data.series, data.masks, strict=True))
    if has_known_budgets(mechanism) and not steps:
        found, rng, first = _rows(runs, data), noise.seeded(SEED), 0
        for one, mask in people:
            _write_events(found[:, first : first + len(mask)], mechanism, one, mask, rng)
            first += len(mask)
        return found
    runs = min(max(runs, FEWEST_RUNS), MOST_RUNS)
    found = _rows(runs, data)
    for run in range(runs):
        if steps:
            rng = noise.seeded(SEED + run)
            parts = [_processed(mechanism, one, mask, steps, rng) for one, mask in people]
        else:
            parts = [_errors_m(mechanism, one, mask, SEED + i, run) for i, (one, mask) in enumerate(people)]
        found[run] = concatenated(parts)
        leave([found])
    return found


def _rows(runs: int, data: ForecastData) -> Floats:
    return empty(runs * data.events).reshape(runs, data.events)


def _write_events(
    found: Floats, mechanism: PlanarLaplaceMechanism, one: Trajectory, mask: Mask, rng: noise.RandomSource
) -> None:
    """Write errors of one person's events to (runs, n): of each its own law, independent of the others."""
    runs, n = found.shape
    columns = [column(dtype, runs * n) for dtype in (np.int64, np.int64, np.float64, np.int64, np.int64)]
    parts, passed, law = planned_noise(mechanism, mask), 0, (0, 0.0)
    for shown in [*parts] * runs if runs > 1 else parts:
        own, places, (law,) = shown.values > 0, passed + shown.event, shown.shared
        some = places[own], shown.drawn_at[own], shown.values[own], places[~own], shown.drawn_at[~own]
        for whole, values in zip(columns, some, strict=True):
            whole.add(values)
        passed += len(shown.is_landmark)
    places, at, rates, joint, joint_at = (whole.taken() for whole in columns)

    def write(places: Ints, lon: Floats, lat: Floats) -> None:
        run, event = np.divmod(places, n)
        found[run, event] = geo.distance_m(one.lon[event], one.lat[event], lon, lat)

    for part in leaving([found], blocks(n)):
        found[:, part] = np.nan
    for part in leaving([found, places, at, rates, one.lon, one.lat], blocks(len(rates))):
        write(places[part], *noise.planar_laplace(one.lon[at[part]], one.lat[at[part]], rates[part], rng=rng))
    if len(joint):
        plain = np.random.default_rng(SEED)
        far_m = SharedNoise(*law, 1.0).simulated_m(len(joint), plain)
        towards = plain.uniform(0, 2 * math.pi, len(joint))
        write(joint, *geo.destination(one.lon[joint_at], one.lat[joint_at], far_m, towards))


def _errors_m(mechanism: TrajectoryMechanism, one: Trajectory, mask: Mask, seed: int, run: int) -> Floats:
    """Return the errors of one simulated release of one person: those of its only repetition are its means."""
    landmarks = [LandmarkSet(mask)]
    found = simulate([mechanism], one, landmarks, seed=seed, repetitions=1, first_repetition=run, by_event=True)
    assert found.by_event_m is not None
    return np.asarray(found.by_event_m[0, 0])


def _processed(
    mechanism: TrajectoryMechanism,
    one: Trajectory,
    mask: Mask,
    steps: Sequence[PostProcess],
    rng: noise.RandomSource,
) -> Floats:
    """Return the errors of one release of one person after the steps, (n,)."""
    found = np.full(len(one), np.nan)
    release = processed(mechanism.release(one, LandmarkSet(mask), rng=rng), steps)
    found[release.event] = metrics.error_m(one, release)
    return found


def _of_noise(expected: Expected) -> ErrorFigures:
    return ErrorFigures(
        events=expected.published, mean_m=expected.mean_m, typical_m=expected.median_m, p95_m=expected.p95_m
    )


def _of_errors(errors_m: Floats, of: Mask) -> ErrorFigures:
    """Return the figures of errors, (runs, events), of some events."""
    whole = column(np.float64, errors_m.size)
    for run in errors_m:
        for some in leaving([errors_m, of], blocks(len(of))):
            whole.add(run[some][of[some] & ~np.isnan(run[some])])
    if not len(published := whole.taken()):
        return ErrorFigures(events=0, mean_m=None, typical_m=None, p95_m=None)
    ordered, events = ascending(published), round(len(published) / len(errors_m))
    typical_m, p95_m = (quantile(ordered, p) for p in (0.5, 0.95))
    return ErrorFigures(events=events, mean_m=total(published) / len(published), typical_m=typical_m, p95_m=p95_m)


def _some(sizes: Sequence[int]) -> list[int]:
    """Return the indices of people with ``sizes`` events, evenly spaced, of at most :data:`MOST_EVENTS` together."""
    stride = max(math.ceil(sum(sizes) / MOST_EVENTS), 1)
    return list(range(0, len(sizes), stride))
