"""The scale of trajectories themselves, which an error is compared with: median step, extent, stay radius.

All three are computed from the original, so they are the owner's alone. Turned or moved data have the same scale, up to
the curvature of the Earth, and a step or an extent grows with the data; a few events far away change little.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from privacy_engine.analysis.quantiles import Quantiles
from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.growing_column import gathered
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import Trajectories, joined_people
from privacy_engine.landmarks.staypoints import stay_points

HELD = 0.95
"""The share of a person's events that lie inside of the circle whose diameter is the extent."""
STAY_DISTANCE_M, STAY_DURATION_S = 200.0, 1200.0
"""A stay: at least 20 minutes within 200 m [Li et al. 2008]."""
CENTRE_EVENTS = 20_000
"""At most so many events, evenly spaced, determine the centre of a person's events."""
ITERATIONS, SAME_PLACE_M = 100, 0.01
BLOCK = 1 << 16
"""Events of stays measured at a time; a longer stay is measured as a whole."""


class DataScale(Result):
    """Scale of trajectories in metres."""

    median_step_m: float | None
    """Half of the distances between successive events of a person are at most this; null without two events."""
    extent_m: float | None
    """The diameter of the circle around the geometric median of a person's events that holds 95 % of them, the median
    of all people; null without events."""
    stay_radius_m: float | None
    """The median distance of an event of a stay from the stay's centre; a stay is at least 20 minutes within 200 m.
    null without times or stays."""


def data_scale(series: Sequence[Trajectory]) -> DataScale:
    """Return the scale of ``series``, whose events are joined for each person in the order of time."""
    steps, extents, stays = Quantiles(), Quantiles(), Quantiles()
    for block in joined_people(series):
        if not len(some := block.people.without_empty()):
            continue
        steps.add(_steps_m(some))
        extents.add(extents_m(some))
        stays.add(_stay_distances_m(some))
    return DataScale(median_step_m=steps.median(), extent_m=extents.median(), stay_radius_m=stays.median())


def _steps_m(some: Trajectories) -> Floats:
    lon, lat = some.lon, some.lat
    steps_m = geo.distance_m(lon[:-1], lat[:-1], lon[1:], lat[1:])
    return steps_m if len(some) == 1 else np.delete(steps_m, some.starts[1:-1] - 1)


def _of_each(lengths: Ints) -> Ints | slice:
    """Return which of k groups each event is of; of one, which may be long, what leaves it to be broadcast."""
    return slice(None) if len(lengths) == 1 else np.repeat(np.arange(len(lengths)), lengths)


def extents_m(some: Trajectories) -> Floats:
    """Return the diameter of the circle around each series' geometric median that holds 95 % of its events, metres.

    No series may be empty.

    >>> extents_m(Trajectories([0.0, 0.0, 0.0], [-1.0, 0.0, 1.0], [0, 3], [""], [""])).round(-3)
    array([222000.])
    """
    from privacy_engine.kernels.medians import geometric_medians

    lengths = np.diff(some.starts)
    every = -(-lengths // CENTRE_EVENTS)
    kept: Ints | slice = slice(None)
    if (every > 1).any():
        kept = np.concatenate(list(map(np.arange, some.starts[:-1], some.starts[1:], every)))
    lon, lat, sizes = some.lon[kept], some.lat[kept], -(-lengths // every)
    starts = np.append(0, np.cumsum(sizes))
    planes = geo.LocalPlanes.around(lon, lat, starts[:-1])
    medians = geometric_medians(planes.of(_of_each(sizes)).project(lon, lat), starts, SAME_PLACE_M, ITERATIONS)
    lon, lat = (one[_of_each(lengths)] for one in planes.unproject(medians))
    away_m = geo.distance_m(lon, lat, some.lon, some.lat)
    return 2 * _quantiles(away_m, some.starts, HELD)


def _quantiles(values: Floats, starts: Ints, share: float) -> Floats:
    """Return the quantile of the values of each series, as numpy's: between two of them along a line. Sorts them."""
    for start, end in itertools.pairwise(starts.tolist()):
        values[start:end].sort()
    at = (np.diff(starts) - 1) * share
    below = np.floor(at).astype(np.int64)
    low, high = (values[np.minimum(starts[:-1] + below + more, starts[1:] - 1)] for more in (0, 1))
    return np.asarray(low + (high - low) * (at - below))


def _stay_distances_m(some: Trajectories) -> Floats:
    """Return the distance of each event of a stay from the stay's centre, metres."""
    if some.time_s is None:
        return np.empty(0)
    columns, limits = (some.lon, some.lat, some.time_s), (STAY_DISTANCE_M, STAY_DURATION_S)
    groups = stay_points(*columns, distance_m=limits[0], duration_s=limits[1], starts=some.starts)
    lengths = groups[:, 1] - groups[:, 0]
    blocks = np.unique((np.cumsum(lengths) - 1) // BLOCK, return_index=True)[1][1:]
    return gathered(_from_centres_m(some, part) for part in reported(np.split(groups, blocks)) if len(part))


def _from_centres_m(some: Trajectories, groups: Ints) -> Floats:
    """Return the distance of each event of some stays from its stay's centre, metres."""
    lengths = groups[:, 1] - groups[:, 0]
    stays, ends = np.repeat(np.arange(len(groups)), lengths), np.cumsum(lengths)
    events = np.arange(ends[-1]) + (groups[:, 0] - ends + lengths)[stays]
    here_lon, here_lat = some.lon[events], some.lat[events]
    planes = geo.LocalPlanes.around(here_lon, here_lat, ends - lengths)
    of_each = _of_each(lengths)
    xy_m = planes.of(of_each).project(here_lon, here_lat)
    lon, lat = planes.unproject(np.column_stack([np.bincount(stays, xy_m[:, axis]) / lengths for axis in (0, 1)]))
    return geo.distance_m(lon[of_each], lat[of_each], here_lon, here_lat)
