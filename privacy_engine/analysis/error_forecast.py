"""Forecast errors of releases of given data: noise, and how far one moved since a position that is repeated.

It is computed from the original, so it is the owner's alone. There are three ways, in this order:

- every published event has noise of its own, and no steps follow: the law of the noise, in closed form;
- budgets follow from the landmarks, and no steps follow: the law of each event's error is that of the noise at the
  event whose draw it shows, simulated with independent noise for each event, which converges faster than releases
  whose events share draws;
- releases by the mechanism itself, and the steps.

What is simulated has a fixed seed, and is repeated until it states errors to
:data:`~privacy_engine.analysis.repeated.PRECISION`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from privacy_engine import metrics, noise
from privacy_engine.analysis.forecast import Expected, has_known_budgets, noise_forecast, planned_noise
from privacy_engine.analysis.repeated import FEWEST_RUNS, SHARES, SHOWN, Effort, off_by, repeated
from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Mask, concatenated
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.people import must_pair, people
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism
from privacy_engine.noise.expected import SharedNoise
from privacy_engine.postprocess import PostProcess
from privacy_engine.releases.spec import processed

MOST_ERRORS = 2_000_000
"""So many errors are simulated at most."""
MOST_PROCESSED = 10_000
"""Where steps follow, which take longer, people are left out of data with more events than this."""
MOST_EVENTS = 200_000
"""People are left out, evenly, of data with more events than this; one person is never divided.

Of one with more events some are left out, evenly, where each has a law of its own.
"""
MOST_SIMULATED = 5_000_000
"""Events of a release that is simulated as a whole; of more nothing is known."""
SEED = 0
_NONE = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))


class ErrorFigures(Result):
    """Errors of ``events`` published events, in metres; null where nothing is published."""

    events: int
    mean_m: float | None
    typical_m: float | None
    """Half of the errors are at most this."""
    p95_m: float | None
    """95 % of the errors are at most this."""
    within: float | None
    """Both are off by at most this share of themselves, at two standard deviations; 0 in closed form."""


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
        must_pair(series, landmarks)
        masks, everyone = [one.mask for one in landmarks], people(series)
        chosen = [everyone[i] for i in _some([len(one) for one in everyone])]
        return cls(
            tuple(person.joined(series) for person in chosen), tuple(person.joined_mask(masks) for person in chosen)
        )

    @property
    def events(self) -> int:
        """How many events there are."""
        return sum(map(len, self.masks))

    def some(self, events: int) -> ForecastData:
        """People of about so many events together, evenly; at least one person."""
        chosen = _some([len(mask) for mask in self.masks], events)
        return ForecastData(tuple(self.series[i] for i in chosen), tuple(self.masks[i] for i in chosen))


def error_forecast(
    mechanism: TrajectoryMechanism,
    data: ForecastData,
    steps: Sequence[PostProcess] = (),
    how: Effort = SHOWN,
) -> ErrorForecast:
    """Return the errors to expect of a release of ``data`` by ``mechanism`` and the ``steps`` after it.

    The same for every call: seeds are fixed. Where it simulates there are ``how.errors`` of them at first, or more if
    one release has more, and then as many as its precision needs, up to the limits of this module; where steps follow,
    as many releases as take its seconds by their own estimate.
    """
    known, noisy = has_known_budgets(mechanism), noise_forecast(mechanism, data.masks)
    noise_m = noisy.overall.median_m if noisy else None
    if noisy and not steps and noisy.overall.drawn == noisy.overall.published:
        groups = {"overall": noisy.overall, "landmarks": noisy.landmark, "others": noisy.regular}
        figures = {name: _of_noise(one) for name, one in groups.items()}
        return ErrorForecast(exact=True, runs=0, people=len(data.masks), noise_m=noise_m, **figures)
    if steps:
        data = data.some(MOST_PROCESSED)
    independent, rng = known and not steps, noise.seeded(SEED)
    every = max(math.ceil(data.events / MOST_EVENTS), 1) if independent else 1
    runs = how.runs(sum(step.seconds(len(mask)) for mask in data.masks for step in steps)) if steps else None
    if (steps and runs is None) or (every == 1 and data.events > MOST_SIMULATED):
        unknown = _of_errors(np.empty((1, 0)), 0.0)
        figures = dict.fromkeys(("overall", "landmarks", "others"), unknown)
        return ErrorForecast(exact=False, runs=0, people=len(data.masks), noise_m=noise_m, **figures)
    marks = concatenated([mask[::every] for mask in data.masks], np.bool_)
    least = max(-(-how.errors // max(len(marks), 1)), 1 if independent else FEWEST_RUNS)
    first, most = runs or (least, max(MOST_ERRORS // max(len(marks), 1), 1))

    def drawn(runs: int) -> Floats:
        people = zip(data.series, data.masks, strict=True)
        if independent and has_known_budgets(mechanism):
            columns = [_of_events(mechanism, *one, runs, rng, every) for one in people]
        else:
            columns = [_of_releases(mechanism, *one, runs, rng, steps) for one in people]
        return np.concatenate([np.empty((runs, 0)), *columns], axis=1)

    within = partial(off_by, independent=independent)
    found, off = repeated(drawn, within, first=first, most=most, precision=how.precision)
    return ErrorForecast(
        exact=False,
        runs=len(found),
        people=len(data.masks),
        noise_m=noise_m,
        overall=_of_errors(found, off),
        landmarks=_of_errors(found[:, marks], within(found[:, marks])),
        others=_of_errors(found[:, ~marks], within(found[:, ~marks])),
    )


def _of_events(
    mechanism: PlanarLaplaceMechanism, one: Trajectory, mask: Mask, runs: int, rng: noise.RandomSource, every: int
) -> Floats:
    """Return errors of every so many-th event of a person, (runs, n): of each its own law, independent of the others.

    NaN where nothing is published.
    """
    parts, passed, law = list[Any](), 0, (0, 0.0)
    for shown in planned_noise(mechanism, mask):
        event, (law,) = passed + shown.event, shown.shared
        some = event % every == 0
        parts.append((event[some], shown.drawn_at[some], shown.values[some]))
        passed += len(shown.is_landmark)
    event, at, rates = (np.tile(concatenated(of), runs) for of in zip(*parts, strict=True)) if parts else _NONE
    lon, lat, joint = one.lon[at], one.lat[at], rates == 0
    lon[~joint], lat[~joint] = noise.planar_laplace(lon[~joint], lat[~joint], rates[~joint], rng=rng)
    if count := int(np.count_nonzero(joint)):
        generator = np.random.default_rng((rng.uniform(1) * 2.0**52).astype(np.int64))
        far_m = SharedNoise(*law, 1.0).simulated_m(count, generator)
        towards = generator.uniform(0, 2 * math.pi, count)
        lon[joint], lat[joint] = geo.destination(lon[joint], lat[joint], far_m, towards)
    found = np.full((runs, len(mask[::every])), np.nan)
    found[:, event[: len(event) // runs] // every] = geo.distance_m(one.lon[event], one.lat[event], lon, lat).reshape(
        runs, -1
    )
    return found


def _of_releases(
    mechanism: TrajectoryMechanism,
    one: Trajectory,
    mask: Mask,
    runs: int,
    rng: noise.RandomSource,
    steps: Sequence[PostProcess],
) -> Floats:
    """Return errors of releases of one person, and of the steps after them, (runs, n); NaN where none is published."""
    if not steps:
        placed = mechanism.repeat(one, LandmarkSet(mask), runs, rng=rng)
        return geo.distance_m(one.lon, one.lat, placed[..., 0], placed[..., 1])
    found = np.full((runs, len(one)), np.nan)
    for row in found:
        release = processed(mechanism.release(one, LandmarkSet(mask), rng=rng), steps)
        row[release.event] = metrics.error_m(one, release)
    return found


def _of_noise(expected: Expected) -> ErrorFigures:
    errors = {"mean_m": expected.mean_m, "typical_m": expected.median_m, "p95_m": expected.p95_m}
    return ErrorFigures(events=expected.published, within=0.0 if expected.published else None, **errors)


def _of_errors(errors_m: Floats, within: float) -> ErrorFigures:
    """Return the figures of errors, (runs, events), which they state ``within`` this share of themselves."""
    published = ~np.isnan(errors_m)
    held = errors_m[published]
    if not len(held):
        return ErrorFigures(events=0, mean_m=None, typical_m=None, p95_m=None, within=None)
    typical_m, p95_m = np.quantile(held, SHARES).tolist()
    events = round(len(held) / len(errors_m))
    return ErrorFigures(events=events, mean_m=float(held.mean()), typical_m=typical_m, p95_m=p95_m, within=within)


def _some(sizes: Sequence[int], events: int = MOST_EVENTS) -> list[int]:
    """Return the indices of people with ``sizes`` events, evenly spaced, of at most so many events together."""
    stride = max(math.ceil(sum(sizes) / events), 1)
    return list(range(0, len(sizes), stride))
