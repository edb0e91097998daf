"""The scale of trajectories themselves, which an error is compared with: median step, extent, stay radius.

All three are computed from the original, so they are the owner's alone. Turned or moved data have the same scale, up to
the curvature of the Earth, and a step or an extent grows with the data; a few events far away change little.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from pydantic import field_validator

from privacy_engine.analysis.quantiles import Quantiles
from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import (
    PIECE,
    Floats,
    Ints,
    Mask,
    ceil_div,
    concatenated,
    of_parts,
    parts_of,
    summed_parts,
)
from privacy_engine.core.progress import blocks, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leave, picked
from privacy_engine.data.trajectories import Trajectories, joined_people, labels_of, lengths_of
from privacy_engine.data.units import units_of
from privacy_engine.landmarks.staypoints import stays_in_turn

HELD = 0.95
"""The share of a person's events whose greatest distance is the extent, those nearest to their middle."""
STAY_DISTANCE_M, STAY_DURATION_S = 200.0, 1200.0
"""A stay: at least 20 minutes within 200 m [Li et al. 2008]."""
CENTRE_EVENTS = 20_000
"""At most so many events, about evenly spaced, determine the middle and the width of a person's events."""
DIRECTIONS = 40
"""In which events are measured: the greatest distance is at most .08 % more."""
ITERATIONS, SAME_PLACE_M = 100, 0.01
PLACE_M = 1e-3
"""Data that are no wider are at a single place: their extent is 0, not what rounding makes of it."""


class DataScale(Result):
    """Scale of trajectories in metres."""

    median_step_m: float | None
    """Half of the distances between successive events of a person are at most this; null without two events."""
    extent_m: float | None
    """The greatest distance between those 95 % of a person's events that are nearest to their geometric median, the
    median of all people; 0 at one place, null without events."""
    stay_radius_m: float | None
    """The median distance of an event of a stay from the stay's centre; a stay is at least 20 minutes within 200 m.
    null without times or stays."""

    @field_validator("extent_m")
    @classmethod
    def _of_places(cls, extent_m: float | None) -> float | None:
        return extent_m if extent_m is None or extent_m > PLACE_M else 0.0


class Distances(NamedTuple):
    """What a scale is the medians of, in metres: between events (n,), of people (k,), of stays' events (m,)."""

    steps: Floats
    extents: Floats
    stays: Floats


NONE = Distances(np.empty(0), np.empty(0), np.empty(0))


def data_scale(series: Sequence[Trajectory]) -> DataScale:
    """Return the scale of ``series``, whose events are joined for each person in the order of time."""
    return scale_of_parts(_distances(series))


def scale_of_parts(parts: Iterable[Distances]) -> DataScale:
    """:func:`data_scale` of people together, of whom each part has others."""
    together = [Quantiles() for _ in NONE]
    for part in parts:
        for quantiles, numbers in zip(together, part, strict=True):
            quantiles.add(numbers)
    steps, extents, stays = (quantiles.median() for quantiles in together)
    return DataScale(median_step_m=steps, extent_m=extents, stay_radius_m=stays)


def distances_of(series: Sequence[Trajectory]) -> Distances:
    """The distances of some people's series, in memory: of a part of :func:`scale_of_parts`."""
    parts = list(_distances(series))
    return Distances(*(concatenated(list(numbers)) for numbers in zip(*parts, strict=True))) if parts else NONE


def _distances(series: Sequence[Trajectory]) -> Iterator[Distances]:
    units = units_of(labels_of(series)[1], lengths_of(series))
    for block in joined_people(series, units=units):
        if len(some := block.people.without_empty()):
            yield NONE._replace(extents=extents_m(some))
            yield from (NONE._replace(steps=part) for part in _steps_m(some))
            yield from (NONE._replace(stays=part) for part in _stay_distances_m(some))


def _steps_m(some: Trajectories) -> Iterator[Floats]:
    ends = some.starts[1:-1] - 1
    for part in blocks(len(some.lon) - 1):
        between = ends[(part.start <= ends) & (ends < part.stop)]
        yield np.delete(some.steps_m(part), between - part.start)


def extents_m(some: Trajectories) -> Floats:
    """Return the greatest distance between the 95 % of each series' events nearest to its geometric median, metres.

    It is at most the diameter of the circle that holds them, which it is less than where they lie to one side of the
    median, as with a home and a workplace. No series may be empty.

    >>> extents_m(Trajectories([0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0, 3], [""], [""])).round(-3)
    array([222000.])
    """
    from privacy_engine.kernels.medians import geometric_medians

    lengths = np.diff(some.starts)
    every = ceil_div(lengths, CENTRE_EVENTS)
    lon, lat, sizes = some.lon, some.lat, ceil_div(lengths, every)
    if (every > 1).any():
        kept = np.concatenate(list(map(np.arange, some.starts[:-1], some.starts[1:], every)))
        spaces = np.minimum(np.repeat(every, sizes), np.repeat(some.starts[1:], sizes) - kept)
        kept += np.random.default_rng(0).integers(0, spaces)  # or data with that period would be known by a part
        lon, lat = picked(lon, kept), picked(lat, kept)
    starts = np.append(0, np.cumsum(sizes))
    planes, xy_m = geo.LocalPlanes.around(lon, lat, starts[:-1])
    sampled = lon, lat
    lon, lat = planes.unproject(geometric_medians(xy_m, starts, SAME_PLACE_M, ITERATIONS))
    at = (lengths - 1) * HELD
    below = np.floor(at).astype(np.int64)
    if len(some) == 1:
        low, high = _ranked(some, lon, lat, int(below[0]))
    else:
        which = np.repeat(np.arange(len(lengths)), lengths)
        away_m = geo.distance_m(lon[which], lat[which], some.lon, some.lat)
        for own_m in parts_of(away_m, some.starts):
            own_m.sort()
        low, high = (away_m[np.minimum(some.starts[:-1] + below + more, some.starts[1:] - 1)] for more in (0, 1))
    held = geo.distance_m(np.repeat(lon, sizes), np.repeat(lat, sizes), *sampled) <= np.repeat(high, sizes)
    return np.minimum(2 * (low + (high - low) * (at - below)), _widths_m(xy_m, held, starts[:-1]))


def _widths_m(xy_m: Floats, held: Mask, starts: Ints) -> Floats:
    """Return the greatest distance between the positions of each part that are held, (m,); infinite without any."""
    widths = np.full(len(starts), -np.inf)
    for angle in np.pi * np.arange(DIRECTIONS) / DIRECTIONS:
        along = xy_m @ np.array([math.cos(angle), math.sin(angle)])
        most = np.maximum.reduceat(np.where(held, along, -np.inf), starts)
        least = np.minimum.reduceat(np.where(held, along, np.inf), starts)
        np.maximum(widths, most - least, out=widths)
    return np.where(widths < 0, np.inf, widths)


def _ranked(track: Trajectories, lon: Floats, lat: Floats, rank: int) -> tuple[float, float]:
    """Return how far from a point those events of a series are that so many and another are nearer than, metres."""
    away = Quantiles()
    for part in track.pieces(PIECE):
        away.add(geo.distance_m(lon, lat, part.lon, part.lat))
    distances = away.ranked(rank, min(rank + 1, away.count - 1))
    return distances[0], distances[-1]


def _stay_distances_m(some: Trajectories) -> Iterator[Floats]:
    """Return the distance of each event of a stay from the stay's centre, metres."""
    if some.time_s is None:
        return
    columns, limits = (some.lon, some.lat, some.time_s), (STAY_DISTANCE_M, STAY_DURATION_S)
    for groups in stays_in_turn(*columns, distance_m=limits[0], duration_s=limits[1], starts=some.starts):
        ends = np.cumsum(groups[:, 1] - groups[:, 0])
        for part in reported(np.split(groups, np.unique((ends - 1) // PIECE, return_index=True)[1][1:])):
            yield from _from_centres_m(some, part) if len(part) else ()


def _from_centres_m(some: Trajectories, groups: Ints) -> Iterator[Floats]:
    """Return the distance of each event of some stays from its stay's centre, metres; of a long stay in pieces."""
    lengths = groups[:, 1] - groups[:, 0]
    ends = np.append(0, np.cumsum(lengths))

    @lru_cache(maxsize=1)
    def events(first: int, last: int) -> tuple[Ints, Floats, Floats]:
        stays = of_parts(np.arange(len(groups)), slice(first, last), ends)
        at = np.arange(first, last) + (groups[:, 0] - ends[:-1])[stays]
        columns = stays, some.lon[at], some.lat[at]
        leave(some)
        return columns

    def vectors(part: slice) -> Sequence[Floats]:
        return geo.unit_vectors(*events(part.start, part.stop)[1:])

    planes = geo.LocalPlanes.towards(*summed_parts(vectors, ends))
    sums, parts = np.zeros((2, len(groups))), [(part.start, part.stop) for part in blocks(int(ends[-1]), PIECE)]
    for part in parts:
        stays, lon, lat = events(*part)
        xy_m, stays = planes.of(stays).project(lon, lat), np.append(np.arange(len(groups)), stays)
        sums = np.stack([np.bincount(stays, np.append(*pair)) for pair in zip(sums, xy_m.T, strict=True)])
    at_lon, at_lat = planes.unproject((sums / lengths).T)
    for part in parts:
        stays, lon, lat = events(*part)
        yield geo.distance_m(at_lon[stays], at_lat[stays], lon, lat)
