"""Which events get noise of their own, with which budgets, and the noise itself, before any release.

Which events are landmarks is read, never a position. Where budgets do not depend on the run, both are in closed form.
Where they do, budgets are those of the mechanism on a random walk with a fixed seed, and the noise
is left out: :mod:`privacy_engine.analysis.error_forecast` has errors of given data.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints, Mask, concatenated, counts_over, in_turn, over_parts, starts_within
from privacy_engine.core.progress import blocks
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.data.mapped_series import column, leaving, piecewise, total
from privacy_engine.data.trajectories import EVENTS
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism
from privacy_engine.mechanisms.landmark.base import PlanarLaplaceMechanism, drawn_of
from privacy_engine.noise.expected import (
    Noise,
    OwnNoise,
    SharedNoise,
    mixture_mean_m,
    mixture_quantile_m,
    planar_sphere_mean_m,
)
from privacy_engine.releases.inputs import ReleaseInputs

QUANTILES = (0.5, 0.95)
LONGEST_RUN = 10_000
"""So many events are simulated at most: a mechanism whose budgets depend on the run takes about 7 µs for each."""
FEWEST_EVENTS, MOST_RUNS = 2_000, 100
"""Short series are simulated again and again, to this many events or runs."""
MOST_LAWS = 4096
"""Laws of joint noise whose integrals are held at once."""
DECIDED_BY_SHARES = (
    "budgets", "budgets_at_once", "budgets_each", "shown", "shown_each", "draws_shown", "independent"
)  # fmt: skip
"""What a mechanism that :func:`has_shares` does not override."""
MOST_RATES = 100_000
"""Rates of draws that are held before equal ones are put together."""
STEP_M = 500.0
"""Standard deviation per axis of a step of the random walk: a taxi's between two fixes, five minutes apart."""


@dataclass(frozen=True)
class Fresh:
    """What gets noise of its own among the landmarks, the other events, or all.

    ``events`` are so many, of which ``published`` appear in the release and ``drawn`` get noise of their own; the rest
    repeat another's draw. ``share`` is the least and greatest budget of a draw, as a share of ε.
    """

    events: int
    published: int
    drawn: int
    share: tuple[float, float] | None


@dataclass(frozen=True)
class Expected(Fresh):
    """And how far noise moves the published positions from where they were drawn, metres; None where none is published.

    How far a person moved since the draw that is repeated is no noise.
    """

    mean_m: float | None = None
    median_m: float | None = None
    p95_m: float | None = None


@dataclass(frozen=True)
class FreshForecast:
    """What gets noise of its own over series of n events; ``exact``: whatever the run, otherwise from a simulation."""

    exact: bool
    landmark: Fresh
    regular: Fresh
    overall: Fresh


@dataclass(frozen=True)
class NoiseForecast:
    """The noise of a mechanism over series of n events, in closed form."""

    landmark: Expected
    regular: Expected
    overall: Expected


@dataclass(frozen=True, eq=False)
class ShownNoise:
    """Landmarks and budgets of every event of series, (n,); the events published, (p,), and of each of these.

    ``values``: the rate of the draw it shows, per metre, 0 if landmarks share that draw. ``drawn_at`` is the event that
    draw was made at. ``shared`` is the draw that landmarks share of each of m series, which begin at ``starts``
    (m + 1,): how many do, and its rate.
    """

    is_landmark: Mask
    budgets: Floats
    event: Ints
    drawn_at: Ints
    values: Floats
    starts: Ints = field(default_factory=lambda: np.zeros(1, dtype=np.int64))
    shared: Sequence[tuple[int, float]] = ()


def fresh_forecast(mechanism: TrajectoryMechanism, masks: Sequence[Mask]) -> FreshForecast | None:
    """Return what gets noise of its own over series whose landmarks are ``masks``, a mask (n,) for each series.

    None where it could only be simulated and the series are longer than :data:`LONGEST_RUN` together.
    """
    if has_known_budgets(mechanism):
        tallies = _known_tallies(mechanism, masks, _Tally.add_events)
        return FreshForecast(True, *(tally.fresh(mechanism.epsilon, 1) for tally in tallies))
    n = sum(map(len, masks))
    if n > LONGEST_RUN:
        return None
    runs, rng = min(math.ceil(FEWEST_EVENTS / max(n, 1)), MOST_RUNS), noise.seeded(0)
    tallies = _tallies((_run(mechanism, mask, seed, rng) for seed in range(runs) for mask in masks), _Tally.add_events)
    return FreshForecast(False, *(tally.fresh(mechanism.epsilon, runs) for tally in tallies))


def noise_forecast(mechanism: TrajectoryMechanism, masks: Sequence[Mask]) -> NoiseForecast | None:
    """Return the noise over series whose landmarks are ``masks``, (n,) for each; None if it depends on the run."""
    if not has_known_budgets(mechanism):
        return None
    return NoiseForecast(*(tally.expected(mechanism.epsilon) for tally in _known_tallies(mechanism, masks, _Tally.add)))


def noise_of(mechanism: PlanarLaplaceMechanism, plans: Iterable[ShownNoise]) -> NoiseForecast:
    """Return the noise of what :func:`planned_noise` has."""
    return NoiseForecast(*(tally.expected(mechanism.epsilon) for tally in _tallies(plans, _Tally.add)))


def overall_noise(mechanism: TrajectoryMechanism, inputs: ReleaseInputs[Any]) -> Expected | None:
    """What :func:`noise_forecast` has of all events, kept with the inputs; None where budgets depend on the run."""
    known = vars(inputs).setdefault("_noise", {})
    if mechanism not in known:
        known[mechanism] = _overall(mechanism, inputs.masks)
    expected: Expected | None = known[mechanism]
    return expected


def _overall(mechanism: TrajectoryMechanism, masks: Sequence[Mask]) -> Expected | None:
    if not has_known_budgets(mechanism):
        return None
    return _known_tallies(mechanism, masks, _Tally.add)[-1].expected(mechanism.epsilon)


def expected_error_m(mechanism: TrajectoryMechanism, is_landmark: Mask) -> Floats:
    """What noise moves each published position of a series by on average, metres, (m,), without a position known.

    Raises
    ------
    ValueError
        The mechanism's budgets depend on the run.
    """
    if not has_known_budgets(mechanism):
        raise ValueError(f"the budgets of {mechanism.name} depend on the run")
    errors_m = [np.empty(0)]
    for shown in planned_noise(mechanism, is_landmark):
        own = shown.values > 0
        errors_m.append(np.empty(len(own)))
        errors_m[-1][own] = planar_sphere_mean_m(shown.values[own])
        if not own.all():
            errors_m[-1][~own] = SharedNoise(*shown.shared[0], 1.0).mean_m()
    return np.concatenate(errors_m)


def simulated_budgets(mechanism: TrajectoryMechanism, is_landmark: Mask, runs: int) -> Floats:
    """Every event's budget in so many runs over random walks, (runs, n), the same every time: seeds 0, 1, …"""
    rng = noise.seeded(0)
    budgets = [_run(mechanism, is_landmark, seed, rng).budgets for seed in range(runs)]
    return np.array(budgets).reshape(runs, len(is_landmark))


def has_known_budgets(mechanism: TrajectoryMechanism) -> TypeGuard[PlanarLaplaceMechanism]:
    """True if every budget follows from the landmarks alone, so that nothing needs to be tried out."""
    own, base = type(mechanism), PlanarLaplaceMechanism
    if not issubclass(own, base) or own.perturb is not base.perturb:
        return False
    return any(getattr(own, name) is not getattr(base, name) for name in ("budgets", "budgets_at_once", "shares"))


def planned_noise(
    mechanism: PlanarLaplaceMechanism, mask: Mask, starts: Ints | None = None, every: int = 1
) -> Iterator[ShownNoise]:
    """The plan of a release with known budgets, whatever the positions, in pieces of each so many-th of its events.

    Of several people with ``starts`` (m + 1,), where their events begin. ``drawn_at`` is among all events.
    """
    starts = np.array([0, len(mask)]) if starts is None else starts
    budgets = mechanism.budgets_each(mask, starts)
    (own, _), fresh = mechanism.independent(budgets, mask), drawn_of(budgets)
    draws = column(np.int64, len(fresh))
    for some in leaving([fresh], blocks(len(fresh))):
        draws.add(np.flatnonzero(fresh[some]) + some.start)
    events = draws.taken()
    shared = [(0, 0.0)] * (len(starts) - 1)
    if own is not budgets:
        counts = counts_over(piecewise(lambda drawn, part: drawn & (part == 0), fresh, own, dtype=np.bool_), starts)
        joint = piecewise(np.subtract, budgets, own)
        sums = over_parts(np.add, joint, starts) if len(starts) > 2 else joint[:1] + total(joint[1:])  # the same
        shared = list(zip(counts.tolist(), (sums / mechanism.radius_m).tolist(), strict=False))
    for some, numbers in leaving([mask, budgets, own, fresh, events], mechanism.draws_shown(fresh, starts)):
        first = -some.start % every
        kept = numbers[first::every]
        event = np.flatnonzero(kept >= 0)
        drawn_at = events[kept[event]]
        within = (np.maximum(starts_within(some, starts) - first, 0) + every - 1) // every
        of = slice(some.start + first, some.stop, every)
        marks, spent = mask[of], budgets[of]
        if every > 1:  # views would hold all
            marks, spent = marks.copy(), spent.copy()
        yield ShownNoise(marks, spent, event, drawn_at, mechanism.epsilon_per_m(own[drawn_at]), within, shared)


def _plans(mechanism: PlanarLaplaceMechanism, masks: Sequence[Mask]) -> Iterator[ShownNoise]:
    """The plans of several people, some together."""
    starts: Ints = np.cumsum([0, *map(len, masks)])
    for some in in_turn(np.diff(starts), EVENTS):
        parts = [*masks[some]]
        part = parts[0] if len(parts) == 1 else concatenated(parts, np.bool_)
        yield from planned_noise(mechanism, part, starts[some.start : some.stop + 1] - starts[some.start])


def _run(mechanism: TrajectoryMechanism, mask: Mask, seed: int, rng: noise.RandomSource) -> ShownNoise:
    """Budgets and published events of a release of a random walk."""
    steps = np.random.default_rng(seed).normal(0, STEP_M, (len(mask), 2))
    walk = Trajectory(*geo.LocalPlane(0.0, 0.0).unproject(np.cumsum(steps, axis=0)))
    release = mechanism.release(walk, LandmarkSet(mask), rng=rng)
    return ShownNoise(mask, release.budgets, release.event, release.event, np.zeros(len(release.event)))


class _Tally:
    """What a forecast needs of a group of the events of many series, of which none is held.

    ``shown``: the rates of the draws that are published, and how many positions show them.
    """

    def __init__(self) -> None:
        self.events = self.published = self.drawn = self.held = 0
        self.most = MOST_RATES
        self.ends: list[float] = []
        self.shown: list[tuple[Floats, Ints]] = []
        self.shared: Counter[tuple[int, float]] = Counter()

    def add_events(self, part: ShownNoise, of: Mask) -> None:
        """Count the events ``of`` a series, and their budgets."""
        budgets = part.budgets[of]
        drawn = budgets[budgets > 0]
        self.events += len(budgets)
        self.published += int(np.count_nonzero(of[part.event]))
        self.drawn += len(drawn)
        self.ends += [float(drawn.min()), float(drawn.max())] if drawn.size else []

    def add(self, part: ShownNoise, of: Mask) -> None:
        """Add the events ``of`` a series, and their noise."""
        self.add_events(part, of)
        values = part.values[of[part.event]]
        self.shown.append(np.unique(values, return_counts=True))
        joint = part.event[of[part.event] & (part.values == 0)]
        weights = np.bincount(np.searchsorted(part.starts, joint, side="right") - 1, minlength=len(part.shared))
        for i in np.flatnonzero(weights).tolist():
            self.shared[part.shared[i]] += int(weights[i])
        self.held += len(self.shown[-1][0])
        if self.held > self.most:
            self.shown = [self.rates()]
            self.held = len(self.shown[0][0])
            self.most = max(MOST_RATES, 2 * self.held)

    def with_those(self, other: _Tally) -> _Tally:
        """What is counted of two groups that have no event in common."""
        both = _Tally()
        for name in ("events", "published", "drawn", "ends", "shown", "shared"):
            setattr(both, name, getattr(self, name) + getattr(other, name))
        return both

    def rates(self) -> tuple[Floats, Ints]:
        """The distinct rates, ascending, and how many positions show each."""
        rates, of = np.unique(concatenated([rates for rates, _ in self.shown]), return_inverse=True)
        counts = np.zeros(len(rates), dtype=np.int64)
        np.add.at(counts, of, concatenated([counts for _, counts in self.shown], np.int64))
        return rates, counts

    def fresh(self, epsilon: float, runs: int) -> Fresh:
        """What gets noise of its own in a run, of so many ``runs``."""
        return Fresh(
            events=round(self.events / runs),
            published=round(self.published / runs),
            drawn=round(self.drawn / runs),
            share=(min(self.ends) / epsilon, max(self.ends) / epsilon) if self.ends else None,
        )

    def expected(self, epsilon: float) -> Expected:
        """The same with the noise."""
        mean_m, median_m, p95_m = self._of_noise() if self.published else (None, None, None)
        return Expected(**vars(self.fresh(epsilon, 1)), mean_m=mean_m, median_m=median_m, p95_m=p95_m)

    def _of_noise(self) -> tuple[float, float, float]:
        rates, counts = self.rates()
        own = rates > 0
        laws: list[Noise] = [OwnNoise(rates[own], counts[own].astype(np.float64))] if own.any() else []
        shared = np.array([(*law, weight) for law, weight in self.shared.items() if weight]).reshape(-1, 3)
        laws += [SharedNoise(*shared[some].T) for some in blocks(len(shared), MOST_LAWS)]
        median_m, p95_m = (mixture_quantile_m(laws, p) for p in QUANTILES)
        return mixture_mean_m(laws), median_m, p95_m


def _tallies(parts: Iterable[ShownNoise], add: Callable[[_Tally, ShownNoise, Mask], None]) -> list[_Tally]:
    """Tallies of the landmarks, of the others and of all, to which each of ``parts`` is added."""
    landmarks, others = _Tally(), _Tally()
    for part in parts:
        add(landmarks, part, part.is_landmark)
        add(others, part, ~part.is_landmark)
    return [landmarks, others, landmarks.with_those(others)]


def has_shares(mechanism: PlanarLaplaceMechanism) -> bool:
    """True if the numbers of a person's events and landmarks decide the noise."""
    return all(getattr(type(mechanism), name) is getattr(PlanarLaplaceMechanism, name) for name in DECIDED_BY_SHARES)


def _known_tallies(
    mechanism: PlanarLaplaceMechanism, masks: Sequence[Mask], add: Callable[[_Tally, ShownNoise, Mask], None]
) -> list[_Tally]:
    """:func:`_tallies` of the plans of several people; by the numbers of their events alone where those decide."""
    if not has_shares(mechanism):
        return _tallies(_plans(mechanism, masks), add)
    sizes = [(len(mask), int(total(mask)), *_firsts(mask)) for mask in masks]
    n, k, first_landmark, first_other = np.array(sizes, dtype=np.int64).reshape(-1, 4).T
    own, theirs = (np.broadcast_to(np.asarray(share, dtype=np.float64), n.shape) for share in mechanism.shares(n, k))
    landmarks, others = _Tally(), _Tally()
    for tally, events, budgets, other_events, other_budgets, ahead in (
        (landmarks, k, own, n - k, theirs, first_other),
        (others, n - k, theirs, k, own, first_landmark),
    ):
        drawn = (budgets > 0) & (events > 0)
        hidden = np.where(drawn, 0, ahead if mechanism.leading_gap else 0)
        published = np.where(drawn | (other_budgets > 0) & (other_events > 0), events - hidden, 0)
        shows = published > 0
        tally.events, tally.published, tally.drawn = (int(count.sum()) for count in (events, published, events[drawn]))
        tally.ends = [float(end(budgets[drawn])) for end in (np.min, np.max) if drawn.any()]
        rates = mechanism.epsilon_per_m(np.where(drawn, budgets, other_budgets)[shows])
        tally.shown = [(rates, published[shows])]
    return [landmarks, others, landmarks.with_those(others)]


def _firsts(mask: Mask) -> tuple[int, int]:
    """The first landmark and the first other event; 0 where there is none."""
    return (int(mask.argmax()), int(mask.argmin())) if len(mask) else (0, 0)
