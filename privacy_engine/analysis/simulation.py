"""Errors of mechanisms over many repetitions on a series, without the releases.

The events are processed once, in chunks, with all repetitions of a tile at each event: memory depends neither on the
number of repetitions nor, beyond the series and the plans of
:mod:`privacy_engine.mechanisms.base.simulation_plan`, on its length. The error of an event with a draw is the length of
its noise; the error of an event that shows an earlier or later draw is the distance from that draw to its true
position.

Noise is a function of (seed, repetition, event): the first ten of a hundred repetitions have the same bits as ten
alone, on every processor and for any partition of the work. **Never private**: the seed determines the noise, which
can then be subtracted, and errors are computed from true positions. Positions are not rounded to the grid of releases
(5 mm at most).
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import islice

import numpy as np

from privacy_engine import metrics, noise
from privacy_engine.core.arrays import Floats
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.base.simulation_plan import BatchSimulator, Chunk, Key, Needs, SimulationPlan, Tile, rows
from privacy_engine.mechanisms.base.trajectory import TrajectoryMechanism

EVENTS = 256
"""Events of a chunk: its noise, 0.8 MB, fits the processor's second-level cache."""

REPETITIONS = 128
"""Repetitions of a tile, at most :data:`privacy_engine.kernels.lanes.LANES`."""

MASKED_EVENTS = 2**20
"""Most events, over all landmark sets, of repetitions with own landmarks that are simulated together: 17 MB."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """Errors of every mechanism over every landmark set, metres.

    ``errors_m`` (mechanisms, landmark sets, repetitions) is each repetition's mean over the published events, NaN
    where nothing is published; ``by_event_m`` (mechanisms, landmark sets, n) is each event's mean over the
    repetitions, NaN where it is not published, or None if not requested. ``common`` is whether all pairs used the same
    noise (common random numbers: their differences vary less than the errors do) or each its own.
    """

    errors_m: Floats
    by_event_m: Floats | None
    common: bool
    seed: int
    first_repetition: int


def simulate(
    mechanisms: Sequence[TrajectoryMechanism],
    series: Trajectory,
    landmarks: Sequence[LandmarkSet],
    *,
    seed: int,
    repetitions: int,
    first_repetition: int = 0,
    common: bool = True,
    by_event: bool = False,
) -> Simulation:
    """Return the errors of ``repetitions`` seeded simulations of every mechanism over every landmark set.

    By default all share their noise: the unit draw of (seed, repetition, event), scaled by each budget. With
    ``common=False`` each pair of a mechanism and a landmark set has its own stream, which depends on the two and not
    on what else is simulated. A mechanism without a simulation plan is released once for each repetition, from its
    own seeded source, which is slower.

    Parameters
    ----------
    seed : int
        At least 0, of any size.
    repetitions, first_repetition : int
        Repetitions are numbered; those simulated start at the first. Below 2**32 in all.

    Raises
    ------
    DataError
        A landmark set is not over this series' events.
    ParameterError
        A number is out of its domain.
    """
    noise.counted(repetitions, "repetitions", 2**32)
    noise.counted(first_repetition, "first_repetition", 2**32 - repetitions + 1)
    which = range(first_repetition, first_repetition + repetitions)
    for marks in landmarks if mechanisms else ():
        marks.must_cover(series)
    pairs = [(mechanism, marks) for mechanism in mechanisms for marks in landmarks]
    masks = rows([marks.mask for marks in landmarks]) if landmarks else np.empty((0, len(series)), dtype=np.bool_)
    every = [plan for mechanism in mechanisms for plan in mechanism.simulation_plans(masks)]
    plans = {i: plan for i, plan in enumerate(every) if plan}
    errors_m, by_event_m = np.empty((len(pairs), repetitions)), np.empty((len(pairs), len(series) if by_event else 0))
    streams = [() if common else _stream(*pair) for pair in pairs]
    if plans:
        _simulate_plans(plans, streams, series, seed, which, errors_m, by_event_m)
    for i in sorted(set(range(len(pairs))) - plans.keys()):
        sources = (noise.simulated_releases(seed, repetition, *streams[i]) for repetition in which)
        errors_m[i], events_m = _simulate_releases(*pairs[i], series, sources, len(which))
        by_event_m[i] = events_m if by_event else ()
    shape = len(mechanisms), len(landmarks)
    of_events = by_event_m.reshape(*shape, len(series)) if by_event else None
    return Simulation(errors_m.reshape(*shape, repetitions), of_events, common, seed, first_repetition)


def simulate_errors(
    mechanism: TrajectoryMechanism,
    series: Trajectory,
    landmarks: LandmarkSet,
    *,
    seed: int,
    repetitions: int,
    first_repetition: int = 0,
    common: bool = True,
) -> Floats:
    """Return the mean absolute error of each of ``repetitions`` simulations, metres, (repetitions,).

    See :func:`simulate`.

    >>> from privacy_engine.mechanisms.landmark import EventLevel
    >>> here, marks = Trajectory(np.array([8.5, 8.6]), np.array([47.3, 47.4])), LandmarkSet(np.array([True, False]))
    >>> simulate_errors(EventLevel(epsilon=1, radius_m=100), here, marks, seed=1, repetitions=3).round().tolist()
    [311.0, 102.0, 257.0]
    """
    result = simulate(
        [mechanism],
        series,
        [landmarks],
        seed=seed,
        repetitions=repetitions,
        first_repetition=first_repetition,
        common=common,
    )
    return np.asarray(result.errors_m[0, 0])


def simulate_each(
    mechanism: TrajectoryMechanism,
    series: Trajectory,
    landmarks: Iterable[LandmarkSet],
    *,
    seed: int,
    first_repetition: int = 0,
) -> Floats:
    """Return the mean absolute error of a repetition for each landmark set, metres, (repetitions,).

    The i-th has number ``first_repetition`` + i and the bits that :func:`simulate_errors` returns for it alone; this
    is faster where every repetition has its own landmarks. Landmark sets are consumed as they are needed.

    >>> from privacy_engine.mechanisms.landmark import Skip
    >>> here, skip = Trajectory(np.array([8.5, 8.6]), np.array([47.3, 47.4])), Skip(epsilon=1, radius_m=100)
    >>> first, other = (LandmarkSet(np.array(mask)) for mask in ([True, False], [False, True]))
    >>> simulate_each(skip, here, [first, other], seed=1)[1:] == simulate_errors(
    ...     skip, here, other, seed=1, repetitions=1, first_repetition=1)
    array([ True])
    """
    sets, errors_m, first = iter(landmarks), [np.empty(0)], first_repetition
    lanes = max(1, min(REPETITIONS, MASKED_EVENTS // max(len(series), 1)))
    while some := list(islice(reported(sets), lanes)):
        errors_m.append(_simulate_each_tile(mechanism, series, some, seed, first))
        first += len(some)
    return np.concatenate(errors_m)


def _stream(mechanism: TrajectoryMechanism, landmarks: LandmarkSet) -> tuple[int, ...]:
    """Return the numbers of the pair's own stream of noise."""
    text = mechanism.model_dump_json().encode() + b"|" + np.packbits(landmarks.mask).tobytes()
    return tuple(np.frombuffer(hashlib.sha256(text).digest(), dtype="<u4").tolist())


@dataclass(frozen=True, eq=False)
class _KernelGroup:
    """Plans of a class: their indices, their simulator, and the sums of their errors by event, (plans, n or 0)."""

    members: list[int]
    simulator: BatchSimulator
    totals: Floats


@dataclass(frozen=True, eq=False)
class _NoiseGroup:
    """Plans that share the noise of ``key``; ``needs`` (n,) is the most that any requires of each event's."""

    key: Key
    kernels: list[_KernelGroup]
    needs: Needs

    @classmethod
    def of(cls, plans: dict[int, SimulationPlan], key: Key, events: int) -> _NoiseGroup:
        kernels = []
        for form in {type(plan): None for plan in plans.values()}:
            members = [i for i, plan in plans.items() if type(plan) is form]
            simulator = form.batch([plans[i] for i in members])
            kernels.append(_KernelGroup(members, simulator, np.zeros((len(members), events))))
        return cls(key, kernels, reduce(np.maximum, (kernel.simulator.needs for kernel in kernels)))


def _simulate_plans(
    plans: dict[int, SimulationPlan],
    streams: list[tuple[int, ...]],
    series: Trajectory,
    seed: int,
    which: range,
    errors_m: Floats,
    by_event_m: Floats,
) -> None:
    """Write the mean errors in metres of plan i to row i: of each repetition, and of each event if there are columns.

    Plan i has the noise of ``streams[i]``.
    """
    groups = [
        _NoiseGroup.of(
            {i: plan for i, plan in plans.items() if streams[i] == stream},
            noise.simulated_key(seed, *stream),
            by_event_m.shape[1],
        )
        for stream in dict.fromkeys(streams[i] for i in plans)
    ]
    for start in range(0, len(which), REPETITIONS):
        lanes = min(REPETITIONS, len(which) - start)
        for kernel, sums in _simulate_tile(series, groups, which[start], lanes):
            errors_m[:, start : start + lanes][kernel.members] = sums / kernel.simulator.published[:, np.newaxis]
    if by_event_m.size:
        for kernel in (kernel for group in groups for kernel in group.kernels):
            for i, totals in zip(kernel.members, kernel.totals, strict=True):
                by_event_m[i] = np.where(plans[i].published, totals, np.nan) / (len(which) or np.nan)


def _simulate_tile(
    series: Trajectory, groups: list[_NoiseGroup], first_repetition: int, lanes: int, *, one_lane_each: bool = False
) -> Iterator[tuple[_KernelGroup, Floats]]:
    """Simulate a tile of every group: sums of errors in metres, (plans, lanes), or (plans, 1) if a lane each."""
    from privacy_engine.kernels.lanes import SUM, UNITS, aligned, fill, frames

    tiles = [Tile(group.key, first_repetition, lanes, one_lane_each) for group in groups]
    states = [[run.simulator.start(tile) for run in group.kernels] for tile, group in zip(tiles, groups, strict=True)]
    units = aligned(1, (min(EVENTS, len(series)) + one_lane_each) * UNITS)[0]  # overwritten for every group
    extent = _extent_rad(series) if len(series) else 0.0
    for events in blocks(len(series), EVENTS):
        first = events.start
        frame = frames(series.lon[events], series.lat[events])
        for tile, group, its_states in zip(tiles, groups, states, strict=True):
            safe = fill(tile.key, first, first_repetition, lanes, group.needs[events], units)
            chunk = Chunk(series.lon, series.lat, extent, first, frame, units, safe)
            for kernel, state in zip(reported(group.kernels), its_states, strict=True):
                kernel.simulator.advance(tile, chunk, state, kernel.totals)
    for group, its_states in zip(groups, states, strict=True):
        for kernel, state in zip(group.kernels, its_states, strict=True):
            yield kernel, state[:, SUM : SUM + (1 if one_lane_each else lanes)]


def _extent_rad(series: Trajectory) -> float:
    """Return an upper bound of the distance of two events: parallels are shorter than the equator."""
    return math.radians(math.hypot(*(float(degrees.max() - degrees.min()) for degrees in (series.lon, series.lat))))


def _simulate_each_tile(
    mechanism: TrajectoryMechanism, series: Trajectory, landmarks: list[LandmarkSet], seed: int, first: int
) -> Floats:
    for i, marks in enumerate(reported(landmarks)):
        marks.must_cover(series)
        noise.counted(first + i, "first_repetition", 2**32)
    plans = mechanism.simulation_plans(rows([marks.mask for marks in landmarks]))
    together = {i: plan for i, plan in enumerate(plans) if plan}
    if len(together) == len(plans) and len({type(plan) for plan in plans}) == 1:
        group = _NoiseGroup.of(together, noise.simulated_key(seed), 0)
        [(kernel, sums)] = _simulate_tile(series, [group], first, len(plans), one_lane_each=True)
        return np.asarray(sums[:, 0] / kernel.simulator.published)
    alone = (
        simulate_errors(mechanism, series, marks, seed=seed, repetitions=1, first_repetition=first + i)
        for i, marks in enumerate(landmarks)
    )
    return np.concatenate(list(alone))


def _simulate_releases(
    mechanism: TrajectoryMechanism,
    landmarks: LandmarkSet,
    series: Trajectory,
    sources: Iterable[noise.RandomSource],
    repetitions: int,
) -> tuple[Floats, Floats]:
    """Return the mean errors in metres of a release for each repetition: of each repetition and of each event."""
    errors_m, totals, times = np.empty(repetitions), np.zeros(len(series)), np.zeros(len(series))
    for i, source in enumerate(reported(sources)):
        release = mechanism.release(series, landmarks, rng=source)
        errors = metrics.error_m(series, release)
        errors_m[i] = errors.mean() if errors.size else np.nan
        totals[release.event] += errors
        times[release.event] += 1
    times[times == 0] = np.nan
    return errors_m, totals / times
