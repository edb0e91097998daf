"""``Events``: who was where and when, of trajectories and of check-ins alike."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import reported
from privacy_engine.data import CheckIns, Trajectory
from privacy_engine.errors import DataError


@dataclass(frozen=True, eq=False)
class Events:
    """n events in any order: the codes of their ``person`` and ``series``, seconds since 1970 UTC, degrees; (n,) each.

    ``cleaned`` are the names of the cleaning steps that made them of what was uploaded, ``decided`` the options that
    they were read with and that were decided from the data.
    """

    person: Ints
    series: Ints
    time_s: Floats
    lon: Floats
    lat: Floats
    cleaned: tuple[str, ...] = ()
    decided: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.time_s)


def events_of(data: Any, cleaned: Sequence[str] = ()) -> Events:
    """The events of data that have any; of check-ins each user is a person with a single series.

    Raises
    ------
    DataError
        There is no event, or events have no times or no positions.
    """
    events = read_events(data, cleaned)
    if not len(events):
        raise DataError("events must be at least 1, got 0", field="events", rule="at least 1", value=0)
    return events


@singledispatch
def read_events(data: Any, cleaned: Sequence[str]) -> Events:
    """What :func:`events_of` returns, registered here for each class of data."""
    raise DataError("data must be events at positions and times", field="data", rule="events")


@read_events.register
def _of_checkins(data: CheckIns, cleaned: Sequence[str]) -> Events:
    if data.lon is None or data.lat is None:
        raise DataError("check-ins must have positions to be counted on a grid", field="lon", rule="positions")
    return Events(data.user, data.user, data.time_s, data.lon, data.lat, tuple(cleaned))


@read_events.register(Sequence)
def _of_trajectories(data: Sequence[Trajectory], cleaned: Sequence[str]) -> Events:
    times = [track.time_s for track in data if track.time_s is not None]
    if len(times) != len(data):
        raise DataError("every series must have times to be counted by steps", field="time_s", rule="times")
    codes = {name: code for code, name in enumerate(dict.fromkeys(track.person for track in data))}
    lengths = [len(track) for track in reported(data)]
    person = np.repeat(np.array([codes[track.person] for track in data], dtype=np.int64), lengths)
    empty = [np.empty(0)]
    return Events(
        person,
        np.repeat(np.arange(len(data)), lengths),
        np.concatenate(times or empty),
        np.concatenate([track.lon for track in data] or empty),
        np.concatenate([track.lat for track in data] or empty),
        tuple(cleaned),
    )
