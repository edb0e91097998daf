"""Stays of trajectories as check-ins: whose they are, where and when, and what promises about them cover."""

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.aggregation.stays import StaySpec, stays_of, write_csv
from privacy_engine.analysis.step_facts import StepFacts, step_facts
from privacy_engine.core import geo
from privacy_engine.data import Trajectory
from privacy_engine.data.detected_stays import DetectedStays
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import DataError
from privacy_engine.formats import read
from privacy_engine.landmarks.staypoints import stay_points
from tests.cases import each

SPEC = StaySpec(distance_m=200.0, duration_s=600.0)
READINGS = st.sampled_from(["seed", "li08_def", "trackintel"])
STAYS = {"distance_m": st.floats(0, 2000), "duration_s": st.floats(0, 1000), "reading": READINGS}
SPECS = st.builds(StaySpec, max_gap_s=st.none() | st.floats(60, 1000), **STAYS)


@st.composite
def trajectories(draw, people=("a", "b", "c")):
    """Up to six series of three people, whose events are minutes and some hundred metres apart."""
    found = []
    for _ in range(draw(st.integers(1, 6))):
        n = draw(st.integers(1, 12))
        steps = st.lists(st.integers(0, 300), min_size=n, max_size=n)
        axes = (np.cumsum(draw(steps)) / 1e5 for _ in range(2))
        start = draw(st.integers(0, 3)) * 1000.0
        times = start + np.cumsum(draw(st.lists(st.integers(0, 600), min_size=n, max_size=n)))
        found.append(Trajectory(*axes, times.astype(float), person=draw(st.sampled_from(people))))
    return found


def rows(found, person=None):
    users = [found.users[user] for user in found.user]
    columns = zip(users, found.time_s.tolist(), found.lon.tolist(), found.lat.tolist(), strict=True)
    return [row for row in columns if person in (None, row[0])]


def detected(series, spec):
    """The same by definition: the stays of each series, one by one; nothing where there are none."""
    found = []
    for one in series:
        for i, j in stay_points(one.lon, one.lat, one.time_s, **spec.model_dump(exclude={"place_m"})).tolist():
            found.append((one.person, one.time_s[i], one.lon[i:j].mean(), one.lat[i:j].mean()))
    return found


@given(trajectories(), SPECS)
def test_each_stay_is_a_check_in_at_its_start_and_its_middle(series, spec):
    expected = detected(series, spec)
    if not expected:
        with pytest.raises(DataError, match="stays must be at least 1"):
            stays_of(series, spec)
        return
    found = rows(stays_of(series, spec))
    assert sorted(row[:2] for row in found) == sorted(row[:2] for row in expected)
    one, other = (np.array([row[2:] for row in of]) for of in (found, expected))
    apart = np.abs(one[:, None] - other).max(axis=2)  # rows that differ by rounding alone have no order
    assert max(apart.min(axis=0).max(), apart.min(axis=1).max()) <= 1e-9


@given(trajectories(), trajectories(("b", "c")), SPECS)
def test_the_stays_of_a_person_depend_on_no_other_person(series, others, spec):
    """So all events of one person, however they change, change the check-ins of one user."""
    own = [one for one in series if one.person == "a"]
    if not detected(own, spec):
        return
    expected = rows(stays_of(own, spec), "a")
    assert rows(stays_of(own + others, spec), "a") == expected
    assert rows(stays_of(others + own, spec), "a") == expected


@given(trajectories(), trajectories(("b", "c")), SPECS, st.sampled_from([0.0, 50.0, 400.0, 1e7]))
def test_stays_near_to_the_first_one_at_a_place_are_there_under_one_name(series, others, spec, place_m):
    """Places by plain loops; those of one person depend on no other person's events."""
    if not detected(series, spec):
        return
    placed, plain = stays_of(series, spec.model_copy(update={"place_m": place_m})), rows(stays_of(series, spec))
    known, expected = {}, []
    for user, _, lon, lat in plain:
        own = known.setdefault(user, [])
        near = [k for k, at in enumerate(own) if geo.distance_m(lon, lat, *at) <= place_m]
        own += [] if near else [(lon, lat)]
        expected.append((near or [len(own) - 1])[0])
    assert [placed.places[one] for one in placed.place] == [
        f"{user} {k + 1}" for (user, *_), k in zip(plain, expected, strict=True)
    ]
    assert [placed.place_names[one] for one in placed.place] == [f"Place {k + 1}" for k in expected]
    assert [row[2:] for row in rows(placed)] == [known[user][k] for (user, *_), k in zip(plain, expected, strict=True)]
    together = stays_of(others + series, spec.model_copy(update={"place_m": place_m}))
    own = [one for one in series if one.person == "a"]
    if detected(own, spec):
        assert rows(together, "a") == rows(placed, "a")
        assert [one for one in together.places if one[0] == "a"] == [one for one in placed.places if one[0] == "a"]


def test_a_stay_across_the_antimeridian_is_there():
    lon = np.array([179.9999, -179.9999, 179.9999, -179.9999])
    found = stays_of([Trajectory(lon, np.zeros(4), np.arange(4) * 600.0)], SPEC)
    assert abs(found.lon[0]) == pytest.approx(180.0, abs=1e-9)
    assert (list(found.users), len(found)) == (["person"], 1)


@given(trajectories())
def test_a_written_file_is_read_as_the_same_check_ins(series):
    spec = StaySpec(distance_m=2000.0, duration_s=0.0)
    found, out = stays_of(series, spec), io.BytesIO()
    write_csv(found, out)
    out.seek(0)
    again = read(out, name="stays.csv", kinds=["checkins"]).other
    assert sorted(rows(again)) == sorted(rows(found))
    placed, out = stays_of(series, spec.model_copy(update={"place_m": 100.0})), io.BytesIO()
    write_csv(placed, out)
    out.seek(0)
    again = read(out, name="stays.csv", kinds=["checkins"]).other
    assert [again.places[one] for one in again.place] == [placed.places[one] for one in placed.place]
    assert [again.place_names[one] for one in again.place] == [placed.place_names[one] for one in placed.place]
    stored = datatypes["checkins"]
    assert rows(stored.from_table(stored.to_table(found))) == rows(found)


def test_series_without_times_have_no_stays():
    with pytest.raises(DataError, match="every series must have times"):
        stays_of([Trajectory([0.0], [0.0])], SPEC)


def test_what_a_promise_covers_names_the_stays_and_not_the_cleaning():
    plain, cleaned = SPEC.described(), SPEC.described(["drop-jumps"])
    assert "all events of one person" in plain.covers
    assert "stays of at least 600 s within 200 m" in plain.covers
    assert plain.not_covered == ()
    assert cleaned.not_covered == ("what cleaning (drop-jumps) made of the upload before stays were detected",)
    assert DetectedStays.from_dict(cleaned.as_dict()) == cleaned


NOTHING = StepFacts(median_m=None, median_s=None, gap_s=None, gap_share=None)


def north(*lat, times=None):
    return np.zeros(len(lat)), np.array(lat), None if times is None else np.array(times)


def test_no_step_leads_from_one_series_to_the_next():
    found = step_facts([north(0, 1, 2), north(40, 41), north(80)])
    assert found.median_m == pytest.approx(float(geo.distance_m(0, 0, 0, 1)))
    assert (found.median_s, found.gap_s, found.gap_share) == (None, None, None)


def test_a_gap_is_longer_than_ten_median_steps():
    found = step_facts([north(*range(5), times=[0, 10, 20, 120, 240]), north(0, 1, times=[0, 10])])
    assert (found.median_s, found.gap_s) == (10, 100)
    assert found.gap_share == 120 / 250, "a step of exactly ten median steps is none"


@each("series", [[], [north(5)], [north(5, times=[1]), north(6, times=[1])]])
def test_without_two_events_in_a_series_there_is_no_step(series):
    assert step_facts(series) == NOTHING


def test_the_times_of_a_part_of_the_series_are_not_enough():
    found = step_facts([north(0, 1, times=[0, 10]), north(0, 1)])
    assert found.median_m is not None
    assert found.median_s is None


def test_without_any_time_between_events_nothing_is_a_gap():
    assert step_facts([north(0, 1, 2, times=[7, 7, 7])]).gap_share == 0
