"""Many repetitions of mechanisms over one series: their errors, and no release.

Time is walked once, all repetitions of a tile side by side at each event, in stretches: memory depends neither on how
many repetitions there are nor, beyond the series and what a mechanism says of it, on how long the series is. A fresh
event's error is how far its noise moved it; a held one's is how far what it shows lies from where it was.

What is drawn is a function of (seed, repetition, event), so the first ten of a hundred repetitions are the same bits
as ten alone, on every processor and however the work is cut. **Never private**: whoever knows the seed can subtract
the noise, and errors read the truth. Positions are not rounded to the grid of releases (5 mm at most).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from privacy_engine import metrics, noise
from privacy_engine.data import Floats, LandmarkSet, Mask, Trajectory
from privacy_engine.registry import Mechanism
from privacy_engine.walks import Key, Stretch, Tile, Walk

EVENTS = 256
"""Events of a stretch: its noise, 0.8 MB, stays in the processor's second cache."""

REPETITIONS = 128
"""Repetitions of a tile, at most :data:`privacy_engine.kernels.lanes.LANES`."""

MASKED_EVENTS = 2**20
"""Events of repetitions with landmarks of their own that are walked together, at most: 17 MB."""


@dataclass(frozen=True, eq=False)
class Simulation:
    """Errors of every mechanism over every landmark set, metres.

    ``errors_m`` (mechanisms, landmark sets, repetitions) is each repetition's mean over the published events, not a
    number where nothing is published; ``by_event_m`` (mechanisms, landmark sets, n) is each event's mean over the
    repetitions, not a number where it is not published, or None if nobody asked. ``common`` says whether all of them
    saw the same noise (common random numbers: their differences vary less than they do) or each its own.
    """

    errors_m: Floats
    by_event_m: Floats | None
    common: bool
    seed: int
    first_repetition: int


def simulate(
    mechanisms: Sequence[Mechanism],
    series: Trajectory,
    landmarks: Sequence[LandmarkSet],
    *,
    seed: int,
    repetitions: int,
    first_repetition: int = 0,
    common: bool = True,
    by_event: bool = False,
) -> Simulation:
    """Errors of ``repetitions`` seeded simulations of every mechanism over every landmark set.

    By default all share their noise: the unit draw of (seed, repetition, event), scaled by each budget. With
    ``common=False`` each pair of a mechanism and a landmark set has a stream of its own, which depends on the two and
    not on what else is simulated. A mechanism without a walk is released again and again, each repetition from a
    seeded source of its own: right, and slow.

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
    pairs = [(mechanism, marks) for mechanism in mechanisms for marks in landmarks]
    for _, marks in pairs:
        marks.must_cover(series)
    walks = [mechanism.walk(marks.mask) for mechanism, marks in pairs]
    streams = [() if common else _stream(*pair) for pair in pairs]
    units, found = _room_for(EVENTS) if any(walks) else np.empty(0), dict[int, _Found]()
    for stream in dict.fromkeys(streams):
        group = {i: walk for i, walk in enumerate(walks) if walk and streams[i] == stream}
        if group:
            key = noise.simulated_key(seed, *stream)
            found |= zip(group, _walked(list(group.values()), series, key, which, by_event, units), strict=True)
    for i, (mechanism, marks) in enumerate(pairs):
        if i not in found:
            sources = (noise.simulated_releases(seed, one, *streams[i]) for one in which)
            found[i] = _released(mechanism, series, marks, sources, len(which))
    shape = len(mechanisms), len(landmarks)
    errors_m = np.array([found[i][0] for i in range(len(pairs))]).reshape(*shape, repetitions)
    events_m = [found[i][1] for i in range(len(pairs))] if by_event else None
    by_event_m = None if events_m is None else np.array(events_m).reshape(*shape, len(series))
    return Simulation(errors_m, by_event_m, common, seed, first_repetition)


def simulate_errors(
    mechanism: Mechanism,
    series: Trajectory,
    landmarks: LandmarkSet,
    *,
    seed: int,
    repetitions: int,
    first_repetition: int = 0,
    common: bool = True,
) -> Floats:
    """The mean absolute error of each of ``repetitions`` simulations, metres, (repetitions,); see :func:`simulate`.

    >>> from privacy_engine.mechanisms.landmark import EventLevel
    >>> here, marks = Trajectory(np.array([8.5, 8.6]), np.array([47.3, 47.4])), LandmarkSet(np.array([True, False]))
    >>> simulate_errors(EventLevel(epsilon=1, radius_m=100), here, marks, seed=1, repetitions=3).round().tolist()
    [311.0, 102.0, 257.0]
    """
    one = simulate(
        [mechanism],
        series,
        [landmarks],
        seed=seed,
        repetitions=repetitions,
        first_repetition=first_repetition,
        common=common,
    )
    return np.asarray(one.errors_m[0, 0])


def simulate_each(
    mechanism: Mechanism,
    series: Trajectory,
    landmarks: Iterable[LandmarkSet],
    *,
    seed: int,
    first_repetition: int = 0,
) -> Floats:
    """The mean absolute error of one repetition for each landmark set, metres, (repetitions,).

    The i-th has number ``first_repetition`` + i and the bits that :func:`simulate_errors` gives it alone: repetitions
    whose landmarks are drawn anew are faster so. Landmark sets are asked for as they are needed.

    >>> from privacy_engine.mechanisms.landmark import Skip
    >>> here, skip = Trajectory(np.array([8.5, 8.6]), np.array([47.3, 47.4])), Skip(epsilon=1, radius_m=100)
    >>> one, other = (LandmarkSet(np.array(mask)) for mask in ([True, False], [False, True]))
    >>> simulate_each(skip, here, [one, other], seed=1)[1:] == simulate_errors(
    ...     skip, here, other, seed=1, repetitions=1, first_repetition=1)
    array([ True])
    """
    sets, found, first = iter(landmarks), [np.empty(0)], first_repetition
    lanes = max(1, min(REPETITIONS, MASKED_EVENTS // max(len(series), 1)))
    while some := list(islice(sets, lanes)):
        found.append(_each(mechanism, series, some, seed, first))
        first += len(some)
    return np.concatenate(found)


_Found: TypeAlias = tuple[Floats, Floats]
"""Mean errors in metres, of each repetition and of each event; the second may be empty if nobody asked."""


def _stream(mechanism: Mechanism, landmarks: LandmarkSet) -> tuple[int, ...]:
    """Numbers for a stream of noise that no other mechanism or landmark set has."""
    text = mechanism.model_dump_json().encode() + b"|" + np.packbits(landmarks.mask).tobytes()
    return tuple(np.frombuffer(hashlib.sha256(text).digest(), dtype="<u4").tolist())


def _room_for(events: int) -> Floats:
    """Room for the noise of a tile over as many events, which every stretch writes anew."""
    from privacy_engine.kernels.lanes import UNITS

    return np.empty(events * UNITS)


def _walked(
    walks: list[Walk], series: Trajectory, key: Key, which: range, by_event: bool, units: Floats
) -> Iterator[_Found]:
    sums, totals = np.zeros((len(walks), len(which))), np.zeros((len(walks), len(series) if by_event else 0))
    for start in range(0, len(which), REPETITIONS):
        tile = Tile(key, which[start], min(REPETITIONS, len(which) - start))
        _walk(walks, series, tile, sums[:, start : start + tile.lanes], totals, units)
    for walk, total, by_events in zip(walks, sums, totals, strict=True):
        published = walk.published
        if by_event:
            by_events[~published] = np.nan
        yield total / (np.count_nonzero(published) or np.nan), by_events / (len(which) or np.nan)


def _walk(walks: list[Walk], series: Trajectory, tile: Tile, sums: Floats, totals: Floats, units: Floats) -> None:
    """Add a tile's errors to ``sums`` (walks, lanes) and ``totals`` (walks, n or 0)."""
    states = [walk.start(tile) for walk in walks]

    def bearings(events: slice) -> Mask:
        return np.asarray(np.logical_or.reduce([walk.bearings(events) for walk in walks]))

    for stretch in _stretches(series, tile, units, bearings):
        events = slice(stretch.first, stretch.last)
        for walk, state, total, by_events in zip(walks, states, sums, totals, strict=True):
            walk.go(tile, stretch, state, total, by_events[events])


def _each(mechanism: Mechanism, series: Trajectory, landmarks: list[LandmarkSet], seed: int, first: int) -> Floats:
    for i, marks in enumerate(landmarks):
        marks.must_cover(series)
        noise.counted(first + i, "first_repetition", 2**32)
    walks = [mechanism.walk(marks.mask) for marks in landmarks]
    if len({type(walk) for walk in walks}) == 1 and walks[0] is not None:
        tile = Tile(noise.simulated_key(seed), first, len(walks))
        return _abreast([walk for walk in walks if walk is not None], series, tile)
    alone = (
        simulate_errors(mechanism, series, marks, seed=seed, repetitions=1, first_repetition=first + i)
        for i, marks in enumerate(landmarks)
    )
    return np.concatenate(list(alone))


def _abreast(walks: list[Walk], series: Trajectory, tile: Tile) -> Floats:
    """Mean errors in metres of walks with landmarks of their own, a lane of the tile each."""
    abreast, sums = type(walks[0]).abreast(walks), np.zeros(len(walks))
    state, units = abreast.start(tile), _room_for(EVENTS + 1)
    for stretch in _stretches(series, tile, units, abreast.bearings):
        abreast.go(tile, stretch, state, sums)
    return np.asarray(sums / np.where(abreast.published, abreast.published, np.nan))


def _stretches(series: Trajectory, tile: Tile, units: Floats, bearings: Callable[[slice], Mask]) -> Iterator[Stretch]:
    """The whole series with the tile's noise, which each stretch leaves to the next in ``units``."""
    from privacy_engine.kernels.lanes import fill, frames

    for first in range(0, len(series), EVENTS):
        events = slice(first, min(first + EVENTS, len(series)))
        safe = fill(tile.key, first, tile.first, tile.lanes, bearings(events), units)
        frame = frames(series.lon[events], series.lat[events])
        yield Stretch(series.lon, series.lat, first, events.stop, frame, units, safe)


def _released(
    mechanism: Mechanism,
    series: Trajectory,
    landmarks: LandmarkSet,
    sources: Iterable[noise.RandomSource],
    repetitions: int,
) -> _Found:
    """By the mechanism itself, a release for each repetition."""
    errors_m, totals, times = np.empty(repetitions), np.zeros(len(series)), np.zeros(len(series))
    for i, source in enumerate(sources):
        release = mechanism.release(series, landmarks, rng=source)
        errors = metrics.error_m(series, release)
        errors_m[i] = errors.mean() if errors.size else np.nan
        totals[release.event] += errors
        times[release.event] += 1
    times[times == 0] = np.nan
    return errors_m, totals / times
