"""Check-ins from trajectories: one for each stay of a person, at its start."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated, BinaryIO

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.instants import instant
from privacy_engine.core.params import DistanceM, DurationS, GapS, Spec
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import CheckIns, Trajectory
from privacy_engine.data.detected_stays import DetectedStays
from privacy_engine.errors import DataError
from privacy_engine.landmarks.staypoints import READING, Reading, stay_points

ONE_PERSON = "person"
"""The user of trajectories that name no person: all are one person's."""


class StaySpec(Spec):
    """What a stay is, as :func:`privacy_engine.landmarks.staypoints.stay_points` defines it.

    Parameters
    ----------
    distance_m : float
        How far from its first event a stay may reach.
    duration_s : float
        How long it must last.
    reading : str
        Which reading of the published definition.
    max_gap_s : float or None
        A gap longer than this ends a stay.
    """

    distance_m: DistanceM
    duration_s: DurationS
    reading: Annotated[Reading, READING] = "seed"
    max_gap_s: GapS | None = None

    def described(self, cleaned: Sequence[str] = ()) -> DetectedStays:
        """What promises about the check-ins name."""
        return DetectedStays(self.distance_m, self.duration_s, tuple(cleaned))


def stays_of(series: Sequence[Trajectory], spec: StaySpec) -> CheckIns:
    """The stays of each person as check-ins, in the order of their times.

    A check-in is at the time of the first event of a stay and at the mean position of its events. The stays of one
    person depend on no other person's events.

    Raises
    ------
    DataError
        A series has no times, or there is no stay at all.
    """
    people = {name: code for code, name in enumerate(dict.fromkeys(one.person for one in series))}
    found = [(people[one.person], *_stays(one, spec)) for one in reported(series)]
    user = np.repeat(np.array([code for code, *_ in found], dtype=np.int64), [len(time_s) for _, time_s, *_ in found])
    if not len(user):
        rule = f"at least 1 of {spec.duration_s:g} s within {spec.distance_m:g} m"
        raise DataError.must_be("stays", rule, 0, got="0")
    time_s, lon, lat = (np.concatenate([one[column] for one in found]) for column in (1, 2, 3))
    order = np.lexsort((time_s, user))
    names = [name or ONE_PERSON for name in people]
    return CheckIns(user[order], names, time_s[order], lon=lon[order], lat=lat[order])


def _stays(one: Trajectory, spec: StaySpec) -> tuple[Floats, Floats, Floats]:
    """The beginning and the mean longitude and latitude of each stay of one series, (m,) each."""
    if one.time_s is None:
        raise DataError("every series must have times for stays to be detected", field="time_s", rule="times")
    groups = stay_points(
        one.lon,
        one.lat,
        one.time_s,
        distance_m=spec.distance_m,
        duration_s=spec.duration_s,
        reading=spec.reading,
        max_gap_s=spec.max_gap_s,
    )
    start = groups[:, 0]
    anchor = np.repeat(start, groups[:, 1] - start)
    east = (one.lon[_members(groups)] - one.lon[anchor] + 180) % 360 - 180  # a stay may lie across the antimeridian
    lon = (one.lon[start] + _means(east, groups) + 180) % 360 - 180
    return one.time_s[start], lon, _means(one.lat[_members(groups)], groups)


def _members(groups: Ints) -> Ints:
    """The events of all groups [i, j), one group after another."""
    sizes = groups[:, 1] - groups[:, 0]
    return np.asarray(np.arange(sizes.sum()) + np.repeat(groups[:, 0] - np.cumsum(sizes) + sizes, sizes))


def _means(values: Floats, groups: Ints) -> Floats:
    """The mean of the values of each group, which lie one group after another."""
    sizes = groups[:, 1] - groups[:, 0]
    if not len(sizes):
        return np.empty(0)
    return np.asarray(np.add.reduceat(values, np.cumsum(sizes) - sizes) / sizes)


def write_csv(checkins: CheckIns, out: BinaryIO) -> None:
    """Write users, times in UTC and positions, to be read as check-ins again. They are raw data, and have no label."""
    assert checkins.lon is not None
    assert checkins.lat is not None
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["user_id", "time", "lat", "lon"])
    columns = (column.tolist() for column in (checkins.user, checkins.time_s, checkins.lat, checkins.lon))
    for user, time_s, lat, lon in reported(zip(*columns, strict=True), ROWS):
        rows.writerow([checkins.users[user], instant(time_s) or repr(time_s), repr(lat), repr(lon)])
    text.detach()
