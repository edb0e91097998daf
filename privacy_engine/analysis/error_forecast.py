"""Forecast errors of releases of given data: noise, and how far a person moved since a position that is repeated.

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
from functools import cached_property, partial
from itertools import chain

import numpy as np

from privacy_engine import metrics, noise
from privacy_engine.analysis.forecast import (
    Expected,
    NoiseForecast,
    ShownNoise,
    has_known_budgets,
    has_shares,
    noise_forecast,
    noise_of,
    planned_noise,
)
from privacy_engine.analysis.repeated import FEWEST_RUNS, SHARES, SHOWN, Effort, off_by, repeated
from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints, Mask, ceil_div, concatenated
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.numbered import Each
from privacy_engine.data.people import must_pair, people
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.noise.expected import SharedNoise
from privacy_engine.postprocess import PostProcess
from privacy_engine.releases.spec import processed

MOST_ERRORS = 2_000_000
"""So many errors are simulated at most."""
MOST_PROCESSED = 10_000
"""Where steps follow, which take longer, people are left out of data with more events than this."""
MOST_EVENTS = 200_000
"""Of more events some are simulated, evenly, where each has a law of its own; otherwise people are left out."""
MOST_RELEASED, FEWEST_RELEASED = 1_000_000, 2
"""So many events of people who are released as a whole, and so many releases of each if there are that many."""
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
    """The people whose errors are forecast: their events in the order of time, and which of these are landmarks.

    Those of large data are put together whenever they are needed.
    """

    series: Sequence[Trajectory]
    masks: Sequence[Mask]

    @classmethod
    def of(cls, series: Sequence[Trajectory], landmarks: Sequence[LandmarkSet]) -> ForecastData:
        """The people of ``series``, a landmark set for each series.

        Raises
        ------
        DataError
            There is not a landmark set for each series, over its events.
        """
        must_pair(series, landmarks)
        masks, everyone = [marks.mask for marks in landmarks], people(series)
        data = cls(
            Each(everyone, lambda each: each.joined(series)), Each(everyone, lambda each: each.joined_mask(masks))
        )
        return cls([*data.series], [*data.masks]) if sum(map(len, everyone)) <= MOST_EVENTS else data

    @cached_property
    def sizes(self) -> tuple[Ints, Ints]:
        """How many events and how many landmarks each person has."""
        sizes = [(len(mask), int(np.count_nonzero(mask))) for mask in self.masks]
        events, landmarks = np.array(sizes, dtype=np.int64).reshape(-1, 2).T
        return events, landmarks

    @property
    def events(self) -> int:
        """How many events there are."""
        return int(self.sizes[0].sum())

    def some(self, events: int) -> ForecastData:
        """People of about so many events together, evenly by their landmarks; at least a person, if there is any."""
        if self.events <= events:
            return self
        sizes, landmarks = self.sizes
        by_landmarks = np.argsort(landmarks, kind="stable")
        stride = math.ceil(self.events / events)
        chosen = sorted(by_landmarks[min(stride // 2, len(sizes) - 1) :: stride].tolist())
        return ForecastData([self.series[i] for i in chosen], [self.masks[i] for i in chosen])


def error_forecast(
    mechanism: TrajectoryMechanism,
    data: ForecastData,
    steps: Sequence[PostProcess] = (),
    how: Effort = SHOWN,
) -> ErrorForecast:
    """Return the errors to expect of a release of ``data`` by ``mechanism`` and the ``steps`` after it.

    The same for every call: seeds are fixed. Where it simulates there are ``how.errors`` of them at first, or more if
    a release has more, and then as many as its precision needs, up to the limits of this module; where steps follow,
    as many releases as take its seconds by their own estimate.
    """
    known = mechanism if has_known_budgets(mechanism) and not steps else None
    plans, every = list[list[ShownNoise]](), max(math.ceil(data.events / MOST_EVENTS), 1) if known else 1
    if known and not has_shares(known):
        plans = [[*planned_noise(known, mask, every=every)] for mask in data.masks]
        noisy: NoiseForecast | None = noise_of(known, chain.from_iterable(plans))
    else:
        noisy = noise_forecast(mechanism, data.masks)
    noise_m = noisy.overall.median_m if noisy else None
    if noisy and not steps and noisy.overall.drawn == noisy.overall.published and (every == 1 or not plans):
        groups = {"overall": noisy.overall, "landmarks": noisy.landmark, "others": noisy.regular}
        figures = {name: _of_noise(expected) for name, expected in groups.items()}
        return ErrorForecast(exact=True, runs=0, people=len(data.masks), noise_m=noise_m, **figures)
    if not known:
        data = data.some(MOST_PROCESSED if steps else MOST_RELEASED)
    runs = how.runs(sum(step.seconds(len(mask)) for mask in data.masks for step in steps)) if steps else None
    if (steps and runs is None) or (not known and data.events > MOST_SIMULATED):
        unknown = _of_errors(np.empty((1, 0)), 0.0)
        figures = dict.fromkeys(("overall", "landmarks", "others"), unknown)
        return ErrorForecast(exact=False, runs=0, people=len(data.masks), noise_m=noise_m, **figures)
    rng = noise.seeded(SEED)
    marks = concatenated([mask[::every] for mask in data.masks], np.bool_)
    if known:
        each = plans or ([*planned_noise(known, mask, every=every)] for mask in data.masks)
        draw = partial(_independent, [_Shown.of(*pair, every) for pair in zip(data.series, each, strict=True)], rng)
    else:
        draw = partial(_of_releases, mechanism, data, rng, steps)
    size = max(len(marks), 1)
    fewest = 1 if known else max(min(FEWEST_RUNS, MOST_ERRORS // size), FEWEST_RELEASED)
    first, most = runs or (max(ceil_div(how.errors, size), fewest), max(MOST_ERRORS // size, 1))
    within = partial(off_by, independent=known is not None)
    errors, off = repeated(draw, within, first=first, most=most, precision=how.precision)
    return ErrorForecast(
        exact=False,
        runs=len(errors),
        people=len(data.masks),
        noise_m=noise_m,
        overall=_of_errors(errors, off),
        landmarks=_of_errors(errors[:, marks], within(errors[:, marks])),
        others=_of_errors(errors[:, ~marks], within(errors[:, ~marks])),
    )


@dataclass(frozen=True, eq=False)
class _Shown:
    """What each so many-th event of a person shows: the ``published`` (p,) among ``count`` of them.

    Where they are, where the draw that each shows was made, (p,) degrees, and its rate per metre, 0 for a draw that
    landmarks share by ``law``.
    """

    count: int
    published: Ints
    lon: Floats
    lat: Floats
    drawn_lon: Floats
    drawn_lat: Floats
    rates: Floats
    law: tuple[int, float]

    @classmethod
    def of(cls, track: Trajectory, plan: Sequence[ShownNoise], every: int) -> _Shown:
        """By the plan of a release."""
        parts, count, law = list[tuple[Ints, Ints, Floats]](), 0, (0, 0.0)
        for shown in plan:
            (law,) = shown.shared
            parts.append((count + shown.event, shown.drawn_at, shown.values))
            count += len(shown.is_landmark)
        published, at, rates = (concatenated(of) for of in zip(*parts, strict=True)) if parts else _NONE
        event = every * published
        return cls(count, published, track.lon[event], track.lat[event], track.lon[at], track.lat[at], rates, law)

    def errors_m(self, runs: int, rng: noise.RandomSource) -> Floats:
        """Errors, (runs, count), independent of each other; NaN where nothing is published."""
        lon, lat, rates = (np.tile(column, runs) for column in (self.drawn_lon, self.drawn_lat, self.rates))
        joint = rates == 0
        lon[~joint], lat[~joint] = noise.planar_laplace(lon[~joint], lat[~joint], rates[~joint], rng=rng)
        if count := int(np.count_nonzero(joint)):
            generator = np.random.default_rng((rng.uniform(1) * 2.0**52).astype(np.int64))
            far_m = SharedNoise(*self.law, 1.0).simulated_m(count, generator)
            towards = generator.uniform(0, 2 * math.pi, count)
            lon[joint], lat[joint] = geo.destination(lon[joint], lat[joint], far_m, towards)
        errors_m = np.full((runs, self.count), np.nan)
        errors_m[:, self.published] = geo.distance_m(self.lon, self.lat, lon.reshape(runs, -1), lat.reshape(runs, -1))
        return errors_m


def _independent(shown: Sequence[_Shown], rng: noise.RandomSource, runs: int) -> Floats:
    """Errors of the events of people, (runs, n), each of a law of its own."""
    return np.concatenate([np.empty((runs, 0)), *(person.errors_m(runs, rng) for person in shown)], axis=1)


def _of_releases(
    mechanism: TrajectoryMechanism, data: ForecastData, rng: noise.RandomSource, steps: Sequence[PostProcess], runs: int
) -> Floats:
    """Errors of releases of people, and of the steps after them, (runs, n); NaN where none is published."""
    columns = [np.empty((runs, 0))]
    for track, mask in zip(data.series, data.masks, strict=True):
        if not steps:
            placed = mechanism.repeat(track, LandmarkSet(mask), runs, rng=rng)
            columns.append(geo.distance_m(track.lon, track.lat, placed[..., 0], placed[..., 1]))
            continue
        columns.append(np.full((runs, len(track)), np.nan))
        for row in columns[-1]:
            release = processed(mechanism.release(track, LandmarkSet(mask), rng=rng), steps)
            row[release.event] = metrics.error_m(track, release)
    return np.concatenate(columns, axis=1)


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
