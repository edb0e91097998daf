"""Trips from check-ins and from trajectories, those of a person from that person's events alone."""

import csv
import io
import re
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, BinaryIO, ClassVar

import numpy as np

from privacy_engine.aggregation.stays import StaySpec, detected
from privacy_engine.aggregation.steps import LENGTH_RULE, seconds_of
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.instants import instant
from privacy_engine.core.params import Frozen
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import CheckIns, Trajectory
from privacy_engine.data.trips import Trips
from privacy_engine.errors import DataError, ParameterError

COLUMNS = ("person", "start", "end", "origin_lon", "origin_lat", "destination_lon", "destination_lat")
"""Of a table of trips."""
_METRES = re.compile(r"([0-9]{1,6})m", re.ASCII)


class Gap(Frozen):
    """A check-in begins a trip to the person's next one if that is at most ``seconds`` later."""

    kind: ClassVar[str] = CheckIns.kind
    usual: ClassVar[str] = "gap:24h"

    seconds: int


class Stays(Frozen):
    """A person's stays are the ends of trips, each from one stay to the next one."""

    kind: ClassVar[str] = Trajectory.kind
    usual: ClassVar[str] = "stays:200m:30min"

    stay: StaySpec


Rule = Gap | Stays
USUAL = {cls.kind: cls.usual for cls in (Gap, Stays)}
"""The rule for each kind of data where none is given."""


def rule_of(text: str) -> Rule:
    """What a text describes: ``gap:24h``, or ``stays:200m:30min``.

    >>> rule_of("gap:24h").seconds, rule_of("stays:200m:30min").stay.duration_s
    (86400, 1800.0)

    Raises
    ------
    ParameterErrors
        It is neither, or a distance or duration is out of its domain.
    """
    form, _, rest = text.partition(":")
    metres, _, length = rest.partition(":")
    if form == "gap" and (seconds := seconds_of(rest)):
        return Gap(seconds=seconds)
    if form == "stays" and (match := _METRES.fullmatch(metres)) and (seconds := seconds_of(length)):
        return Stays(stay=StaySpec.parse({"distance_m": float(match[1]), "duration_s": float(seconds)}))
    raise ParameterError.must_be("trips", f"gap:LENGTH or stays:METRESm:LENGTH, {LENGTH_RULE}", text)


@singledispatch
def trips_of(data: Any, rule: Rule) -> Trips:
    """The trips of each person in the order of their times, without those that end where they began.

    Raises
    ------
    DataError
        The data are not of the kind that the rule is for, have no positions or no times, or there is no stay.
    """
    raise DataError("trips must be made of trajectories or check-ins", field="data", rule="trajectories or check-ins")


@trips_of.register
def _of_checkins(data: CheckIns, rule: Rule) -> Trips:
    if not isinstance(rule, Gap):
        raise DataError.must_be("trips", "gap:LENGTH for check-ins", "stays")
    if data.lon is None or data.lat is None:
        raise DataError("check-ins must have positions for trips", field="lon", rule="positions")
    linked = (np.diff(data.user) == 0) & (np.diff(data.time_s) <= rule.seconds)
    return _between(data.user, data.users, data.time_s, data.time_s, data.lon, data.lat, linked)


@trips_of.register(list)
@trips_of.register(tuple)
def _of_trajectories(data: Sequence[Trajectory], rule: Rule) -> Trips:
    if not isinstance(rule, Stays):
        raise DataError.must_be("trips", "stays:METRESm:LENGTH for trajectories", "gap")
    person, names, start_s, end_s, lon, lat = detected(data, rule.stay)
    linked = (np.diff(person) == 0) & (start_s[1:] >= end_s[:-1])  # series of a person may overlap
    return _between(person, names, start_s, end_s, lon, lat, linked)


def _between(
    person: Ints, names: Sequence[str], arrived: Floats, left: Floats, lon: Floats, lat: Floats, linked: Any
) -> Trips:
    """Trips from each event that is ``linked`` (n - 1,) to the next one elsewhere."""
    linked = linked & ((np.diff(lon) != 0) | (np.diff(lat) != 0))
    first = np.flatnonzero(linked)
    ends = lon[first], lat[first], lon[first + 1], lat[first + 1]
    return Trips(person[first], names, *ends, left[first], arrived[first + 1])


def write_csv(trips: Trips, out: BinaryIO) -> None:
    """Write persons, times in UTC and both ends: raw data, without a label."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="")
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(COLUMNS)
    ends = (trips.origin_lon, trips.origin_lat, trips.destination_lon, trips.destination_lat)
    columns = (column.tolist() for column in (trips.person, trips.start_s, trips.end_s, *ends))
    for person, start_s, end_s, *degrees in reported(zip(*columns, strict=True), ROWS):
        times = [instant(time_s) or repr(time_s) for time_s in (start_s, end_s)]
        rows.writerow([trips.persons[person], *times, *map(repr, degrees)])
    text.detach()
