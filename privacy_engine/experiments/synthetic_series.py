"""Synthetic series that resemble the paper's data sets, used where those are not available."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats
from privacy_engine.data import Trajectory
from privacy_engine.landmarks.samples import samples

TAXI_INTERVAL_S = 177.0
TAXI_STEP_M = 1230.0
"""25 km/h for the 177 s between two fixes quoted for T-Drive."""
TAXI_Q_M2 = 378_000.0
"""That, half of the time, in two axes: 1230² / 2 / 2, from those public figures alone."""
CITY_SPREAD_M = 4000.0
"""Destinations about the centre, per axis: fares of 7 km on average."""
WALK_Q_M2 = 50.0
"""The Geolife user guide: a fix every 5 to 10 m; 10 m in two axes."""


def taxi(rng: np.random.Generator, events: int = 1000) -> Trajectory:
    """T-Drive-like: straight fares to places about the centre at 25 km/h, then waits as long; 10 m of GPS noise.

    Made to match the 177 s and 623 m between fixes quoted for T-Drive; docs/results/papers.md has the assumptions.
    """
    points: list[Floats] = []
    here = rng.normal(0, CITY_SPREAD_M, 2)
    while len(points) < events:
        there = rng.normal(0, CITY_SPREAD_M, 2)
        steps = max(round(float(np.hypot(*(there - here))) / TAXI_STEP_M), 1)
        points += [here + (there - here) * i / steps for i in range(1, steps + 1)]
        points += [there] * int(rng.geometric(1 / 5.8))
        here = there
    xy_m = np.array(points[:events]) + rng.normal(0, 10, (events, 2))
    return Trajectory(
        *geo.LocalPlane(116.4, 39.9).unproject(xy_m), np.linspace(0, TAXI_INTERVAL_S * (events - 1), events)
    )


def walk(events: int = 1000) -> Trajectory:
    """Geolife-like: the first events of the sample's walk, a fix every 5 s and long stays."""
    return first_events([samples()[0].series], events)


def first_events(series: Sequence[Trajectory], events: int) -> Trajectory:
    """The first events of all series in their order, as a series; without times where any of them has none.

    Raises
    ------
    DataError
        A later series begins before an earlier series ends.
    """
    lon, lat = (np.concatenate([getattr(track, axis) for track in series])[:events] for axis in ("lon", "lat"))
    times = [track.time_s for track in series if track.time_s is not None]
    return Trajectory(lon, lat, np.concatenate(times)[:events] if len(times) == len(series) else None)
