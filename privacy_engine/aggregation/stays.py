"""Check-ins from trajectories: a check-in for each stay of a person, at its start."""

import csv
import io
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, BinaryIO

import numpy as np

from privacy_engine.core import geo
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.instants import instant
from privacy_engine.core.params import DistanceM, DurationS, GapS, PlaceM, Spec
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
    place_m : float or None
        Stays of one person this near to the first one at a place are at that place; None for no places.
    """

    distance_m: DistanceM
    duration_s: DurationS
    reading: Annotated[Reading, READING] = "seed"
    max_gap_s: GapS | None = None
    place_m: PlaceM | None = None

    def described(self, cleaned: Sequence[str] = ()) -> DetectedStays:
        """What promises about the check-ins name."""
        return DetectedStays(self.distance_m, self.duration_s, tuple(cleaned))


def stays_of(series: Sequence[Trajectory], spec: StaySpec) -> CheckIns:
    """The stays of each person as check-ins, in the order of their times.

    A check-in is at the time of the first event of a stay and at the mean position of its events; with ``place_m`` at
    that of the first stay at its place, which is "Place 1", "Place 2" … of the person. The stays and places of one
    person depend on no other person's events: a person is one user, whatever one of their events changes.

    Raises
    ------
    DataError
        A series has no times, or there is no stay at all.
    """
    user, names, start_s, _, lon, lat = detected(series, spec)
    stays = CheckIns(user, names, start_s, lon=lon, lat=lat)
    return stays if spec.place_m is None else _at_places(stays, spec.place_m)


def detected(series: Sequence[Trajectory], spec: StaySpec) -> tuple[Ints, list[str], Floats, Floats, Floats, Floats]:
    """The stays of each person in the order of their times: the code of the person, of all of whom the names follow;
    beginning, end, mean longitude and mean latitude, (n,) each.

    Raises
    ------
    DataError
        A series has no times, or there is no stay at all.
    """
    people = {name: code for code, name in enumerate(dict.fromkeys(track.person for track in series))}
    parts = [(people[track.person], *_stays(track, spec)) for track in reported(series)]
    person = np.repeat(np.array([code for code, *_ in parts], dtype=np.int64), [len(start) for _, start, *_ in parts])
    if not len(person):
        rule = f"at least 1 of {spec.duration_s:g} s within {spec.distance_m:g} m"
        raise DataError.must_be("stays", rule, 0, got="0")
    start_s, end_s, lon, lat = (np.concatenate([part[column] for part in parts]) for column in (1, 2, 3, 4))
    order = np.lexsort((start_s, person))
    names = [name or ONE_PERSON for name in people]
    return person[order], names, start_s[order], end_s[order], lon[order], lat[order]


def _at_places(stays: CheckIns, place_m: float) -> CheckIns:
    """The same, each where the first stay at its place was: the first such place of its user, or a new place."""
    lon, lat = np.array([stays.lon, stays.lat])
    first, place = list[int](), np.empty(len(stays), dtype=np.int64)
    begins = np.searchsorted(stays.user, stays.user)
    for i, begin in enumerate(reported(begins.tolist(), ROWS)):
        own = first[place[begin] if begin < i else len(first) :]
        near = np.flatnonzero(geo.distance_m(lon[i], lat[i], lon[own], lat[own]) <= place_m)
        place[i] = len(first) - len(own) + near[0] if len(near) else len(first)
        if not len(near):
            first.append(i)
    user = stays.user[first]
    numbers = (np.arange(len(first)) - np.searchsorted(user, user) + 1).tolist()
    places = [f"{stays.users[code]} {number}" for code, number in zip(user, numbers, strict=True)]
    called, at = [f"Place {number}" for number in numbers], np.array(first)[place]
    return replace(stays, place=place, places=places, lon=lon[at], lat=lat[at], place_names=called)


def _stays(track: Trajectory, spec: StaySpec) -> tuple[Floats, Floats, Floats, Floats]:
    """The times of the first and last event of each stay of a series and its mean position, (m,) each."""
    if track.time_s is None:
        raise DataError("every series must have times for stays to be detected", field="time_s", rule="times")
    groups = stay_points(
        track.lon,
        track.lat,
        track.time_s,
        distance_m=spec.distance_m,
        duration_s=spec.duration_s,
        reading=spec.reading,
        max_gap_s=spec.max_gap_s,
    )
    start = groups[:, 0]
    anchor = np.repeat(start, groups[:, 1] - start)
    east = (track.lon[_members(groups)] - track.lon[anchor] + 180) % 360 - 180  # a stay may lie across the antimeridian
    lon = (track.lon[start] + _means(east, groups) + 180) % 360 - 180
    return track.time_s[start], track.time_s[groups[:, 1] - 1], lon, _means(track.lat[_members(groups)], groups)


def _members(groups: Ints) -> Ints:
    """The events of all groups [i, j), group after group."""
    sizes = groups[:, 1] - groups[:, 0]
    return np.asarray(np.arange(sizes.sum()) + np.repeat(groups[:, 0] - np.cumsum(sizes) + sizes, sizes))


def _means(values: Floats, groups: Ints) -> Floats:
    """The mean of the values of each group, which lie group after group."""
    sizes = groups[:, 1] - groups[:, 0]
    if not len(sizes):
        return np.empty(0)
    return np.asarray(np.add.reduceat(values, np.cumsum(sizes) - sizes) / sizes)


def write_csv(checkins: CheckIns, out: BinaryIO) -> None:
    """Write users, times in UTC, positions and places, to be read as check-ins again: raw data, without a label."""
    assert checkins.lon is not None
    assert checkins.lat is not None
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    rows = csv.writer(text, lineterminator="\n")
    placed = checkins.place is not None
    rows.writerow(["user_id", "time", "lat", "lon", *["place_id", "place_name"] * placed])
    at = np.zeros(len(checkins), dtype=np.int64) if checkins.place is None else checkins.place
    columns = (column.tolist() for column in (checkins.user, checkins.time_s, checkins.lat, checkins.lon, at))
    for user, time_s, lat, lon, place in reported(zip(*columns, strict=True), ROWS):
        named = [checkins.places[place], checkins.place_names[place]] if placed else []
        rows.writerow([checkins.users[user], instant(time_s) or repr(time_s), repr(lat), repr(lon), *named])
    text.detach()
