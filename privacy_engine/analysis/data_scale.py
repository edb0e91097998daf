"""The scale of trajectories themselves, which an error is compared with: median step, extent, stay radius.

All three are computed from the original, so they are the owner's alone. Turned or moved data have the same scale, up to
the curvature of the Earth, and a step or an extent grows with the data; a few events far away change little.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from privacy_engine.analysis.median import Median
from privacy_engine.analysis.results import Result
from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.growing_column import gathered
from privacy_engine.core.progress import advance, reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leave
from privacy_engine.data.people import Person, people
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
    persons = [one for one in people(series) if len(one)]
    return DataScale(
        median_step_m=_median_of(series, persons, _steps_m),
        extent_m=_median_of(series, persons, lambda one: np.array([extent_m(one)])),
        stay_radius_m=_median_of(series, persons, _stay_distances_m),
    )


def _median_of(
    series: Sequence[Trajectory], persons: Sequence[Person], measured: Callable[[Trajectory], Floats]
) -> float | None:
    """The median of what is ``measured`` of each person's events."""
    found = Median()
    for one in reported(persons):
        found.add(measured(one.joined(series)))
        for i in one.members:
            leave(series[i])
    return found.value()


def _steps_m(one: Trajectory) -> Floats:
    return np.asarray(geo.distance_m(one.lon[:-1], one.lat[:-1], one.lon[1:], one.lat[1:]))


def _plane(one: Trajectory) -> tuple[geo.LocalPlane, slice]:
    """Return a plane around some of the events, and which ones."""
    some = slice(None, None, -(-len(one) // CENTRE_EVENTS))
    return geo.LocalPlane.around(one.lon[some], one.lat[some]), some


def extent_m(one: Trajectory) -> float:
    """Return the diameter of the circle around the events' geometric median that holds 95 % of them, metres.

    There must be at least one event.

    >>> round(extent_m(Trajectory([0.0, 0.0, 0.0], [-1.0, 0.0, 1.0])) / 1000)
    222
    """
    plane, some = _plane(one)
    lon, lat = plane.unproject(geometric_median(plane.project(one.lon[some], one.lat[some]))[np.newaxis])
    away_m = geo.distance_m(lon, lat, one.lon, one.lat)
    advance()
    return 2 * float(np.quantile(away_m, HELD, overwrite_input=True))


def geometric_median(xy_m: Floats) -> Floats:
    """Return the point with the least sum of distances to ``xy_m`` (n, 2) to a centimetre, (2,), by Weiszfeld's method.

    Distances below a centimetre count as a centimetre, so that a median on an event is found as well.
    """
    centre: Floats = xy_m.mean(axis=0)
    for _ in reported(range(ITERATIONS)):
        weights = 1 / np.maximum(np.hypot(*(xy_m - centre).T), SAME_PLACE_M)
        before, centre = centre, weights @ xy_m / weights.sum()
        if np.hypot(*(centre - before)) < SAME_PLACE_M:
            break
    return centre


def _stay_distances_m(one: Trajectory) -> Floats:
    """Return the distance of each event of a stay from the stay's centre, metres."""
    if one.time_s is None:
        return np.empty(0)
    advance()
    groups = stay_points(one.lon, one.lat, one.time_s, distance_m=STAY_DISTANCE_M, duration_s=STAY_DURATION_S)
    if not len(groups):
        return np.empty(0)
    plane, _ = _plane(one)
    lengths = groups[:, 1] - groups[:, 0]
    blocks = np.unique((np.cumsum(lengths) - 1) // BLOCK, return_index=True)[1][1:]
    return gathered(_from_centres_m(one, plane, some) for some in reported(np.split(groups, blocks)))


def _from_centres_m(one: Trajectory, plane: geo.LocalPlane, groups: Ints) -> Floats:
    """Return the distance of each event of some stays from its stay's centre, metres."""
    lengths = groups[:, 1] - groups[:, 0]
    stays, ends = np.repeat(np.arange(len(groups)), lengths), np.cumsum(lengths)
    events = np.arange(ends[-1]) + (groups[:, 0] - ends + lengths)[stays]
    xy_m = plane.project(one.lon[events], one.lat[events])
    centres = np.column_stack([np.bincount(stays, xy_m[:, axis]) / lengths for axis in (0, 1)])
    lon, lat = plane.unproject(centres)
    return geo.distance_m(lon[stays], lat[stays], one.lon[events], one.lat[events])
