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
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from privacy_engine import metrics, noise
from privacy_engine.data import Floats, LandmarkSet, Trajectory
from privacy_engine.registry import Mechanism
from privacy_engine.simulation_plan import Abreast, Key, Needs, Stretch, Tile, Walk

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
    streams = [() if common else _stream(*pair) for pair in pairs]
    walks = {i: walk for i, (mechanism, marks) in enumerate(pairs) if (walk := mechanism.walk(marks.mask))}
    found = _walked(walks, {i: streams[i] for i in walks}, series, seed, which, by_event) if walks else {}
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


@dataclass(frozen=True, eq=False)
class _Sort:
    """Walks of one sort: which they are, and the sums of their errors by event, (walks, n or 0)."""

    members: list[int]
    abreast: Abreast
    totals: Floats


@dataclass(frozen=True, eq=False)
class _Party:
    """Walks that share their noise, by ``key``."""

    key: Key
    sorts: list[_Sort]

    @classmethod
    def of(cls, walks: dict[int, Walk], key: Key, events: int) -> _Party:
        sorts = []
        for kind in {type(walk): None for walk in walks.values()}:
            members = [i for i, walk in walks.items() if type(walk) is kind]
            abreast = kind.abreast([walks[i] for i in members])
            sorts.append(_Sort(members, abreast, np.zeros((len(members), events))))
        return cls(key, sorts)

    def needs(self, events: slice) -> Needs:
        first, *others = (sort.abreast.needs(events) for sort in self.sorts)
        return np.maximum.reduce([first, *others]) if others else first


def _walked(
    walks: dict[int, Walk],
    streams: dict[int, tuple[int, ...]],
    series: Trajectory,
    seed: int,
    which: range,
    by_event: bool,
) -> dict[int, _Found]:
    parties = [
        _Party.of(
            {i: walk for i, walk in walks.items() if streams[i] == stream},
            noise.simulated_key(seed, *stream),
            len(series) if by_event else 0,
        )
        for stream in dict.fromkeys(streams.values())
    ]
    sums = {i: np.empty(len(which)) for i in walks}
    for start in range(0, len(which), REPETITIONS):
        lanes = min(REPETITIONS, len(which) - start)
        for sort, rows in _through(series, parties, which[start], lanes):
            for i, row in zip(sort.members, rows, strict=True):
                sums[i][start : start + lanes] = row
    found = dict[int, _Found]()
    for sort in (sort for party in parties for sort in party.sorts):
        for i, published, by_events in zip(sort.members, sort.abreast.published.tolist(), sort.totals, strict=True):
            if by_event:
                by_events[~walks[i].published] = np.nan
            found[i] = sums[i] / (published or np.nan), by_events / (len(which) or np.nan)
    return found


def _through(
    series: Trajectory, parties: list[_Party], first_repetition: int, lanes: int, *, apart: bool = False
) -> Iterator[tuple[_Sort, Floats]]:
    """Take a tile of every party over the whole series: sums of errors in metres, (walks, lanes), or 1 lane apart."""
    from privacy_engine.kernels.lanes import SUM, UNITS, fill, frames

    tiles = [Tile(party.key, first_repetition, lanes, apart) for party in parties]
    states = [[sort.abreast.start(tile) for sort in party.sorts] for tile, party in zip(tiles, parties, strict=True)]
    units = np.empty((min(EVENTS, len(series)) + apart) * UNITS)  # every party writes it anew
    extent = _extent_rad(series) if len(series) else 0.0
    for first in range(0, len(series), EVENTS):
        events = slice(first, first + EVENTS)
        frame = frames(series.lon[events], series.lat[events])
        for tile, party, its_states in zip(tiles, parties, states, strict=True):
            safe = fill(tile.key, first, first_repetition, lanes, party.needs(events), units)
            stretch = Stretch(series.lon, series.lat, extent, first, frame, units, safe)
            for sort, state in zip(party.sorts, its_states, strict=True):
                sort.abreast.go(tile, stretch, state, sort.totals)
    for party, its_states in zip(parties, states, strict=True):
        for sort, state in zip(party.sorts, its_states, strict=True):
            yield sort, state[:, SUM : SUM + (1 if apart else lanes)]


def _extent_rad(series: Trajectory) -> float:
    """No two events are farther apart, as parallels are shorter than the equator."""
    return math.radians(math.hypot(float(np.ptp(series.lon)), float(np.ptp(series.lat))))


def _each(mechanism: Mechanism, series: Trajectory, landmarks: list[LandmarkSet], seed: int, first: int) -> Floats:
    for i, marks in enumerate(landmarks):
        marks.must_cover(series)
        noise.counted(first + i, "first_repetition", 2**32)
    walks = [mechanism.walk(marks.mask) for marks in landmarks]
    together = {i: walk for i, walk in enumerate(walks) if walk}
    if len(together) == len(walks) and len({type(walk) for walk in walks}) == 1:
        party = _Party.of(together, noise.simulated_key(seed), 0)
        [(sort, sums)] = _through(series, [party], first, len(walks), apart=True)
        return np.asarray(sums[:, 0] / np.where(sort.abreast.published, sort.abreast.published, np.nan))
    alone = (
        simulate_errors(mechanism, series, marks, seed=seed, repetitions=1, first_repetition=first + i)
        for i, marks in enumerate(landmarks)
    )
    return np.concatenate(list(alone))


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
