"""Trips out of check-ins and trajectories: whose, from where to where, and when; and the command that writes them."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.aggregation.stays import StaySpec, detected
from privacy_engine.aggregation.trips import COLUMNS, rule_of, trips_of
from privacy_engine.commands.main import main
from privacy_engine.data import CheckIns, Trajectory
from privacy_engine.data.trips import Trips
from privacy_engine.errors import DataError, EngineError
from tests.engine.test_stays import trajectories

STAYS = "stays:200m:10min"


@st.composite
def checkins(draw):
    """Up to thirty check-ins of three users at four places, at most two days apart."""
    user = np.sort(draw(st.lists(st.integers(0, 2), min_size=1, max_size=30)))
    place = np.array(draw(st.lists(st.integers(0, 3), min_size=len(user), max_size=len(user))))
    steps = draw(st.lists(st.integers(0, 2880), min_size=len(user), max_size=len(user)))
    return CheckIns(user, ["a", "b", "c"], np.cumsum(steps) * 60.0, lon=place * 0.1, lat=place * 0.01)


def written(trips):
    """A tuple for each trip, the person by name."""
    names = [trips.persons[code] for code in trips.person]
    ends = (trips.origin_lon, trips.origin_lat, trips.destination_lon, trips.destination_lat)
    return list(zip(names, trips.start_s, trips.end_s, *ends, strict=True))


@given(checkins(), st.sampled_from(["gap:1h", "gap:24h", "gap:2d"]))
def test_a_check_in_begins_a_trip_to_the_next_one_elsewhere_within_the_gap(data, text):
    seconds = {"gap:1h": 3600, "gap:24h": 86400, "gap:2d": 172800}[text]
    expected = []
    for i in range(len(data) - 1):
        same, gap = data.user[i] == data.user[i + 1], data.time_s[i + 1] - data.time_s[i]
        if same and gap <= seconds and data.lon[i] != data.lon[i + 1]:
            times = data.time_s[i], data.time_s[i + 1]
            ends = data.lon[i], data.lat[i], data.lon[i + 1], data.lat[i + 1]
            expected.append((data.users[data.user[i]], *times, *ends))
    assert written(trips_of(data, rule_of(text))) == expected


def stays_in(series, spec):
    try:
        return detected(series, spec)[0]
    except DataError:  # there is none
        return []


@given(trajectories())
def test_trips_go_from_a_stay_to_the_next_one_and_depend_on_their_person_alone(series):
    spec = StaySpec(distance_m=200.0, duration_s=600.0)
    if not len(stays_in(series, spec)):
        with pytest.raises(DataError, match="stays"):
            trips_of(series, rule_of(STAYS))
        return
    whole = trips_of(series, rule_of(STAYS))
    assert (whole.end_s >= whole.start_s).all()
    person, names, start_s, end_s, lon, lat = detected(series, spec)
    stays = {(names[code], *rest) for code, *rest in zip(person, end_s, lon, lat, strict=True)}
    after = {(names[code], *rest) for code, *rest in zip(person, start_s, lon, lat, strict=True)}
    for name, left, arrived, *ends in written(whole):
        assert (name, left, *ends[:2]) in stays
        assert (name, arrived, *ends[2:]) in after
    for name in {track.person for track in series} & {whole.persons[code] for code in whole.person}:
        alone = trips_of([track for track in series if track.person == name], rule_of(STAYS))
        assert written(alone) == [trip for trip in written(whole) if trip[0] == name]


def test_a_rule_is_for_its_kind_of_data():
    track = Trajectory(np.zeros(9), np.zeros(9), np.arange(9) * 600.0)
    visits = CheckIns([0, 0], ["a"], [0.0, 1.0], lon=[0.0, 1.0], lat=[0.0, 1.0])
    nowhere = CheckIns([0, 0], ["a"], [0.0, 1.0], place=[0, 1], places=["x", "y"])
    for data, text in (([track], "gap:24h"), (visits, STAYS), (nowhere, "gap:24h"), ({}, "gap:24h")):
        with pytest.raises(DataError):
            trips_of(data, rule_of(text))


@pytest.mark.parametrize("text", ["", "gap", "gap:", "gap:0h", "gap:400d", "stays:200m", "stays:200:30min", "stays:x"])
def test_what_is_no_rule_is_refused_by_its_name(text):
    with pytest.raises(EngineError) as refused:
        rule_of(text)
    assert refused.value.field == "trips"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("person", [1, 0]),
        ("person", [0, 2]),
        ("origin_lon", [0.0, 181.0]),
        ("destination_lat", [np.nan, 0.0]),
        ("end_s", [5.0, -1.0]),
        ("start_s", [0.0]),
    ],
)
def test_what_are_no_trips_is_refused_by_its_column(field, value):
    columns = dict.fromkeys(
        ("origin_lon", "origin_lat", "destination_lon", "destination_lat", "start_s", "end_s"), [0.0] * 2
    )
    with pytest.raises(DataError) as refused:
        Trips(**{"person": [0, 1], "persons": ["a", "b"], **columns, field: value})
    assert refused.value.field == field


def test_the_command_writes_a_row_for_each_trip(tmp_path, capsys):
    source, out = tmp_path / "visits.csv", tmp_path / "trips.csv"
    source.write_text(
        "user_id,time,lat,lon\n"
        "ann,2024-06-03T08:00:00Z,52.5,13.4\nann,2024-06-03T09:00:00Z,52.6,13.4\nann,2024-06-06T09:00:00Z,52.5,13.4\n"
        "bob,2024-06-03T08:00:00Z,52.5,13.4\nbob,2024-06-03T20:00:00Z,52.5,13.5\n"
    )
    assert main(["trips", str(source), "--kind", "checkins", "--out", str(out)]) == 0
    assert capsys.readouterr().out == "2 trips of 2 people.\n"
    rows = list(csv.reader(out.read_text().splitlines()))
    assert rows[0] == list(COLUMNS)
    first = ["ann", "2024-06-03T08:00:00.000Z", "2024-06-03T09:00:00.000Z", "13.4", "52.5", "13.4", "52.6"]
    assert rows[1] == first
    assert len(rows) == 3
