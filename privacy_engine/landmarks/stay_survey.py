"""How many landmarks stay points of several distances and durations find, and with which of them to begin."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.core.params import Frozen
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import Trajectories, together, unchecked
from privacy_engine.landmarks.staypoints import stay_points

DISTANCES_M = (50.0, 100.0, 200.0, 500.0, 1000.0)
DURATIONS_S = (300.0, 600.0, 1200.0, 1800.0, 2400.0, 3600.0, 5400.0, 7200.0)
USUAL = (200.0, 1800.0)
"""The distance and duration that a proposal is near to: those that forms begin with."""
MOST_SHARE = 0.5
"""Of the events: more landmarks than others are hardly significant ones."""
MOST_EVENTS, PARTS = 200_000, 20
"""Of longer data so many events are looked at, in so many parts that lie evenly in them."""
ENOUGH = 2
"""Stays, which a proposal finds where any combination does."""
AVERAGED = 64
"""Events at most that the middle of a stay is the mean of, evenly from it."""
M_PER_DEG = EARTH_RADIUS_M * math.pi / 180


class StayCount(Frozen):
    """What one distance and duration find: landmarks, and the stays that they are in."""

    distance_m: float
    duration_s: float
    landmarks: int
    stays: int


class Proposal(StayCount):
    """The same with the number of different places that the stays are at."""

    places: int


class StaySurvey(Frozen):
    """What every distance with every duration finds in ``events`` of the ``of`` events; ``proposal`` is one of them.

    It is null where none finds a stay with at most half of the events.
    """

    events: int
    of: int
    counts: list[StayCount]
    proposal: Proposal | None


def stay_survey(series: Sequence[Trajectory]) -> StaySurvey:
    """Count the stay points of :data:`DISTANCES_M` and :data:`DURATIONS_S`, each as ``StayPoints`` finds them.

    The runs of a distance are the same for every duration, so that each distance is a single pass over the events.

    Raises
    ------
    DataError
        The series have no times.

    Examples
    --------
    >>> line = Trajectory([0.0, 0.0, 0.0, 1.0], [0.0] * 4, [0.0, 900.0, 1800.0, 1860.0])
    >>> counts = stay_survey([line]).counts
    >>> [(x.landmarks, x.stays) for x in counts if x.distance_m == 100 and x.duration_s in (1800, 3600)]
    [(3, 1), (0, 0)]
    """
    whole = series if isinstance(series, Trajectories) else together(series)
    some = _part_of(whole)
    survey = {m: stay_points(some.lon, some.lat, some.time_s, distance_m=m, duration_s=0.0, starts=some.starts)
             for m in DISTANCES_M}  # fmt: skip
    counts = [
        StayCount(distance_m=distance, duration_s=duration, landmarks=int(np.diff(stays).sum()), stays=len(stays))
        for distance, groups in survey.items()
        for duration in DURATIONS_S
        for stays in [_stays(some, groups, duration)]
    ]
    best = _nearest(counts, len(some.lon))
    proposal = None
    if best is not None:
        places = _places(some, _stays(some, survey[best.distance_m], best.duration_s), best.distance_m)
        proposal = Proposal(**best.model_dump(), places=places)
    return StaySurvey(events=len(some.lon), of=len(whole.lon), counts=counts, proposal=proposal)


def _part_of(whole: Trajectories) -> Trajectories:
    """All events, or parts of them as series of their own."""
    n = len(whole.lon)
    if n <= MOST_EVENTS:
        return whole
    length = MOST_EVENTS // PARTS
    first = np.linspace(0, n - length, PARTS).astype(np.int64)
    columns = {
        name: np.concatenate([getattr(whole, name)[at : at + length] for at in first.tolist()])
        for name in ("lon", "lat", *(["time_s"] if whole.time_s is not None else []))
    }
    within = [whole.starts[(whole.starts > at) & (whole.starts < at + length)] - at for at in first]
    starts = np.concatenate([[i * length, *(cuts + i * length)] for i, cuts in enumerate(within)] + [[PARTS * length]])
    names = [""] * (len(starts) - 1)
    return unchecked(**columns, starts=starts.astype(np.int64), names=names, persons=names)


def _stays(some: Trajectories, groups: Ints, duration_s: float) -> Ints:
    """Those of the runs [i, j), (m, 2), that last long enough."""
    assert some.time_s is not None
    return np.asarray(groups[some.time_s[groups[:, 1] - 1] - some.time_s[groups[:, 0]] >= duration_s])


def _nearest(counts: Sequence[StayCount], events: int) -> StayCount | None:
    """The count nearest to the usual, in factors of both, of those with enough stays and not too many landmarks."""
    usable = [count for count in counts if count.stays and count.landmarks <= MOST_SHARE * events]
    enough = [count for count in usable if count.stays >= ENOUGH] or usable

    def factors(count: StayCount) -> float:
        return abs(math.log(count.distance_m / USUAL[0])) + abs(math.log(count.duration_s / USUAL[1]))

    return min(enough, key=factors, default=None)


def _places(some: Trajectories, stays: Ints, reach_m: float) -> int:
    """How many places stays are at: those whose middles lie within ``reach_m`` of the first at a place.

    As the landmark editor lists them (static/js/trajectory/landmark_editor/landmark_facts.js).
    """
    places: dict[tuple[int, int], tuple[float, float]] = {}
    for start, end in stays.tolist():
        lon, lat = _middle(some.lon, some.lat, start, end)
        row = math.floor(lat * M_PER_DEG / reach_m)
        near = [(i, _column(lon, i, reach_m) + k) for i in (row - 1, row, row + 1) for k in (-1, 0, 1)]
        known = any(key in places and _apart_m(places[key], lon, lat) <= reach_m for key in near)
        if not known:
            places.setdefault((row, _column(lon, row, reach_m)), (lon, lat))
    return len(places)


def _middle(lon: Floats, lat: Floats, start: int, end: int) -> tuple[float, float]:
    stride = max(1, (end - start) // AVERAGED)
    east = lon[start:end:stride]
    east = east - 360 * np.floor((east - lon[start]) / 360 + 0.5)
    middle = float(east.mean())
    return middle - 360 * math.floor(middle / 360 + 0.5), float(lat[start:end:stride].mean())


def _column(lon: float, row: int, reach_m: float) -> int:
    across = reach_m / M_PER_DEG / max(1e-6, math.cos((row + 0.5) * reach_m / M_PER_DEG * math.pi / 180))
    return math.floor(lon / across)


def _apart_m(place: tuple[float, float], lon: float, lat: float) -> float:
    east = lon - place[0]
    east -= 360 * math.floor(east / 360 + 0.5)
    return math.hypot((lat - place[1]) * M_PER_DEG, east * M_PER_DEG * math.cos(math.radians(lat)))
