"""Cleaning steps: laws of each, results computed manually and by plain loops."""

import json
import math
from datetime import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.cleaning import base, clean, cleaning_steps, jumps, parse_cleaning, resample
from privacy_engine.cleaning.jumps import AGREE, SLACK_S
from privacy_engine.core import geo
from privacy_engine.data import Trajectory, mapped_series
from privacy_engine.data.mapped_series import mapped
from privacy_engine.data.trajectories import together
from privacy_engine.errors import DataError, ParameterErrors
from tests.cases import each, refusal
from tests.engine.mechanism_examples import plain_variants
from tests.engine.recorded import whole
from tests.engine.test_long_charts import in_pieces_of
from tests.examples import examples

CLASSES = list(cleaning_steps)
PLACES = st.sampled_from([(2.35, 48.85), (180.0, 0.0), (0.0, 90.0), (7.0, -89.9)])


@st.composite
def datasets(draw):
    """Series with standing still, jumps, gaps, equal times, poles, the antimeridian, marks."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    found = []
    for number in range(draw(st.integers(1, 4))):
        n = draw(st.integers(1, 30))
        place = draw(PLACES)
        far_m = rng.choice([0.0, 1.0, 100.0, 1e6], n)
        xy_m = np.cumsum(rng.normal(0, 1, (n, 2)) * far_m[:, None], axis=0)
        lon, lat = geo.LocalPlane(*place).unproject(xy_m)
        time_s = 1.7e9 + np.cumsum(rng.choice([0.0, 1.0, 60.0, 1e5], n))
        marks = rng.random(n) < 0.3 if draw(st.booleans()) else None
        found.append(Trajectory(lon, lat, time_s, f"s{number}", marks))
    return found


def rows(series):
    return {row for one in series for row in zip(one.lon, one.lat, one.time_s, strict=True)}


def far_m(one, i, j):
    return float(geo.distance_m(one.lon[i], one.lat[i], one.lon[j], one.lat[j]))


def plain_trimmed(step, one):
    whole = range(len(one))
    far = [[j for j in whole if far_m(one, i, j) >= step.trim_m] for i in (0, len(one) - 1)]
    return [i for i in whole if far[0] and far[1] and far[0][0] <= i <= far[1][-1]]


def plain_hours(step, one):
    clocks = [datetime.fromtimestamp(t, ZoneInfo(step.time_zone)) for t in one.time_s]
    dated = [(i, at) for i, at in enumerate(clocks) if f"{at:%F}" >= (step.first_date or "")]
    return [i for i, at in dated if step.hours.startswith("daily") or (8 <= at.hour < 18 and at.weekday() < 5)]


PLAIN = {
    "leave-out-zone": lambda _, one: [
        i for i in range(len(one)) if geo.distance_m(2.35, 48.85, one.lon[i], one.lat[i]) > 500
    ],
    "trim-distance": plain_trimmed,
    "trim-time": lambda step, one: [
        i for i, t in enumerate(one.time_s) if one.time_s[0] + step.trim_s <= t <= one.time_s[-1] - step.trim_s
    ],
    "only-hours": plain_hours,
}
"""The events of a series that a step keeps, by loops."""
VALUES = {"hours": ("mon-fri:08:00-18:00",), "first_date": ("2023-11-16",), "trim_s": (0.0, 1e5), "trim_m": (0.0, 3e3)}


def variants(cls):
    return plain_variants(cls, VALUES)


def nothing_left(step, series):
    """True where no event is kept, or no grid time of a resampling falls between a first and a last time."""
    if step.name in PLAIN:
        return not any(PLAIN[step.name](step, one) for one in series)
    every_s = getattr(step, "every_s", None)
    return every_s is not None and all(
        math.ceil(one.time_s[0] / every_s) > math.floor(one.time_s[-1] / every_s) for one in series
    )


def line(*metres, every_s=10.0, **columns):
    """A walk east along the equator."""
    lon = np.degrees(np.array(metres) / geo.EARTH_RADIUS_M)
    return Trajectory(lon, np.zeros(len(lon)), np.arange(len(lon)) * every_s, **columns)


def one_step(series, **step):
    found, (done,) = clean(series, parse_cleaning([step]))
    whole({"done": done.as_dict(), "series": found})
    return found, done.as_dict()


class TestEveryStep:
    @each("cls", CLASSES)
    @given(series=datasets())
    def test_accounts_for_every_event(self, cls, series):
        before = sum(len(one) for one in series)
        for step in variants(cls):
            if nothing_left(step, series):
                with pytest.raises(DataError, match="would leave no event"):
                    clean(series, [step])
                continue
            found, (done,) = clean(series, [step])
            reported = json.loads(json.dumps(done.as_dict()))
            assert reported["before"] == before
            assert reported["after"] == sum(len(one) for one in found) > 0
            assert (reported["series_before"], reported["series_after"]) == (len(series), len(found))
            assert all(0 <= event < before for event in reported["events"])
            assert all(len(one) for one in found)
            for one in found:
                was = next(was for was in series if one.name.startswith(was.name))
                assert (one.marked is None) == (was.marked is None)
            if cls.registered_name() != "resample":
                assert rows(found) <= rows(series)
                assert before - reported["after"] >= len(reported["events"])

    @each("cls", CLASSES)
    @settings(max_examples=examples(15))
    @given(series=datasets(), size=st.integers(1, 12))
    def test_of_columns_and_of_files_gives_what_it_gives_of_each_series(self, cls, series, size):
        columns = together(series)
        for step in variants(cls):
            if nothing_left(step, series):
                continue
            expected, did = clean(list(columns), [step])
            with pytest.MonkeyPatch.context() as patch:
                in_pieces_of(patch, size, base, jumps, mapped_series)
                patch.setattr(resample, "PIECE", 100 * size)
                for other in (columns, mapped(columns)):
                    found, done = clean(other, [step])
                    assert done == did
                    if cls.registered_name() != "only-series":
                        assert type(found) is type(other)
                    for one, same in zip(found, expected, strict=True):
                        for name in ("lon", "lat", "time_s", "name", "marked", "person"):
                            np.testing.assert_equal(getattr(one, name), getattr(same, name))

    @pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls.reads == "times"])
    @given(series=datasets())
    def test_one_that_reads_times_alone_keeps_the_same_times_wherever_one_was(self, cls, series):
        elsewhere = [one.moved(np.zeros(len(one)), np.zeros(len(one))) for one in series]
        for step in variants(cls):
            if not nothing_left(step, series):
                here, there = (clean(given_, [step])[0] for given_ in (series, elsewhere))
                assert [one.time_s.tolist() for one in here] == [one.time_s.tolist() for one in there]

    @each("cls", [cls for cls in CLASSES if cls.needs_time])
    def test_reports_that_times_are_missing(self, cls):
        with pytest.raises(DataError, match="needs times") as refused:
            clean([Trajectory([0.0], [0.0])], [variants(cls)[0]])
        assert refused.value.field == f"cleaning.{cls.registered_name()}"


def test_parsing_names_the_step_and_the_field_at_fault():
    steps = [{"name": "drop-jumps", "highest_km_h": -1}, {"name": "magic"}, {"name": "resample"}]
    wrong = [one.field for one in refusal(ParameterErrors, parse_cleaning, steps).errors]
    assert wrong == ["cleaning.0.highest_km_h", "cleaning.1.name", "cleaning.2.every_s"]
    for numbers in ("", "0", "3-2", "1,,2", "a", "1-", "-1", "100001", "1;2", "١", "1" * 20_000):
        with pytest.raises(ParameterErrors, match="numbers of series"):
            parse_cleaning([{"name": "only-series", "numbers": numbers}])
    for steps in (None, {}, "drop-jumps", [{"name": "drop-repeats"}] * 9):
        with pytest.raises(ParameterErrors, match="at most 8 steps"):
            parse_cleaning(steps)


class TestRepeats:
    series = [Trajectory([1, 1, 1, 2, 1], [0, 0, 0, 0, 0], [0, 0, 5, 5, 9], "a", np.array([1, 0, 0, 1, 0], bool))]

    @each(
        ("same", "times", "events"),
        [("record", [0, 5, 5, 9], [1]), ("place", [0, 5, 9], [1, 2]), ("time", [0, 5, 9], [1, 3])],
    )
    def test_by_record_place_and_time(self, same, times, events):
        (one,), done = one_step(self.series, name="drop-repeats", same=same)
        assert one.time_s.tolist() == times
        assert done["events"] == events
        assert one.marked[0]

    def test_by_time_needs_times(self):
        with pytest.raises(DataError, match="by time needs times"):
            one_step([Trajectory([0.0], [0.0])], name="drop-repeats", same="time")

    @each("same", ["record", "place"])
    def test_an_event_that_differs_in_one_coordinate_is_no_repeat(self, same):
        north = Trajectory(np.zeros(3), np.array([0.0, 1.0, 1.0]), np.zeros(3))
        east = Trajectory(np.array([0.0, 1.0, 1.0]), np.zeros(3), np.zeros(3))
        for series in (north, east):
            (one,), _ = one_step([series], name="drop-repeats", same=same)
            assert len(one) == 2
        again = [Trajectory([1.0], [1.0], [0.0], "a"), Trajectory([1.0], [1.0], [0.0], "b")]
        found, done = one_step(again, name="drop-repeats", same=same)
        assert (len(found), done["events"]) == (2, []), "nothing repeats across series"


def reachable(one, i, j, km_h):
    far = geo.distance_m(one.lon[i], one.lat[i], one.lon[j], one.lat[j])
    return bool(far <= km_h / 3.6 * (one.time_s[j] - one.time_s[i] + SLACK_S))


def plain_without_jumps(one, km_h):
    """The rule written literally, with lists of events at one place; small ones are removed before the others."""
    places = [[0]]
    waiting = []
    for i in range(1, len(one)):
        if reachable(one, places[-1][-1], i, km_h):
            places[-1].append(i)
            waiting = []
        elif waiting and reachable(one, waiting[-1], i, km_h):
            waiting.append(i)
        else:
            waiting = [i]
        if len(waiting) == AGREE:
            if len(places[-1]) < AGREE:
                places.pop()
            places.append(waiting)
            waiting = []
    return [i for place in places for i in place]


class TestJumps:
    @each(
        ("series", "left", "events"),
        [
            (line(0, 50, 90_000, 150, 200), 4, [2]),
            (line(9e6, *range(0, 500, 50)), 10, [0]),
            (line(*range(0, 500, 50), *range(900_000, 900_500, 50)), 20, []),
            (line(0, 50, 500, every_s=0.0), 2, [2]),
        ],
        ids=["a spike", "a wrong first position", "a journey with the logger off", "equal times allow a second"],
    )
    def test_what_goes(self, series, left, events):
        (one,), done = one_step([series], name="drop-jumps", highest_km_h=200)
        assert (len(one), done["events"]) == (left, events)

    @given(series=datasets(), km_h=st.sampled_from([0.1, 5.0, 200.0, 1e6]))
    def test_equals_the_literal_rule(self, series, km_h):
        for one in series:
            (found,), _ = one_step([one], name="drop-jumps", highest_km_h=km_h)
            expected = plain_without_jumps(one, km_h)
            assert found.time_s.tolist() == one.time_s[expected].tolist()
            assert found.lon.tolist() == one.lon[expected].tolist()


@each("name", PLAIN)
@settings(max_examples=examples(40))
@given(series=datasets())
def test_what_stays_is_what_plain_loops_keep(name, series):
    for step in variants(cleaning_steps[name]):
        expected = [one.time_s[PLAIN[name](step, one)].tolist() for one in series]
        if any(expected):
            found, (done,) = clean(series, [step])
            assert [one.time_s.tolist() for one in found] == [times for times in expected if times]
            assert done.before - done.after == sum(map(len, series)) - sum(map(len, expected))


class TestZones:
    box = line(0, 1000, 2000, 3000)

    @each(
        ("zone", "stay"),
        [
            ("0, 0, 1500", [2, 3]),
            ("-1, 0.005; 1, 0.02", [0, 3]),
            ("1, 0.02; -1, 0.005", [0, 3]),
            ("-1, 0.005; 1, 0.005; 1, 0.02; -1, 0.02", [0, 3]),
            ("0, 0.02, 1", [0, 1, 2, 3]),
        ],
    )
    def test_are_circles_boxes_and_polygons(self, zone, stay):
        (found,), _ = one_step([self.box], name="leave-out-zone", zone=zone)
        assert found.time_s.tolist() == [10.0 * i for i in stay]

    def test_lie_across_180_degrees(self):
        ship = Trajectory([179.0, 179.9, -179.9, -179.0], [0.0] * 4, np.arange(4.0))
        for zone in ("0, 180, 20000", "-1, 179.5; 1, 180.5"):
            (found,), _ = one_step([ship], name="leave-out-zone", zone=zone)
            assert found.time_s.tolist() == [0.0, 3.0]

    @each(
        "zone", ["", "1, 2", "1, 2, 3, 4", "1, 2; 3", "1, 2, -3", "91, 2, 3; 1, 2, 3", "95, 2, 3", "a, 2, 3", "1; 2; 3"]
    )
    def test_that_are_none_are_refused(self, zone):
        wrong = refusal(ParameterErrors, parse_cleaning, [{"name": "leave-out-zone", "zone": zone}])
        assert [(one.field, one.rule[:16]) for one in wrong.errors] == [("cleaning.0.zone", "must be a circle")]


@each(("field", "value"), [("hours", "08:00"), ("hours", "abc:08:00-18:00"), ("hours", "mon:25:00-26:00"),
                           ("time_zone", "Mars"), ("last_date", "2023-01-01"), ("first_date", "1 May")])  # fmt: skip
def test_hours_that_are_none_are_refused(field, value):
    step = {"name": "only-hours", "time_zone": "UTC", "first_date": "2024-01-01", field: value}
    wrong = refusal(ParameterErrors, parse_cleaning, [step])
    assert [one.field for one in wrong.errors] == [f"cleaning.0.{field}"]


class TestSegments:
    def test_cuts_at_silences_and_the_antimeridian_and_numbers_the_pieces(self):
        one = Trajectory(
            np.arange(5.0), np.zeros(5), [0, 10, 5000, 5010, 20_000], "taxi", np.array([1, 0, 0, 0, 1], bool)
        )
        found, done = one_step([one], name="split-gaps", silence_s=1800, least_events=2)
        assert [(piece.name, piece.lon.tolist()) for piece in found] == [("taxi (1)", [0, 1]), ("taxi (2)", [2, 3])]
        assert found[0].marked.tolist() == [True, False]
        assert done["message"] == "Cut at 2 gaps, and 1 event in shorter pieces left out."
        assert done["events"] == [4]
        found, _ = one_step([line(0, 1, 2, every_s=1800.0)], name="split-gaps", silence_s=1800)
        assert [one.name for one in found] == [""], "a silence as long as the limit is none"
        found, _ = one_step([Trajectory([179.9, -179.9, 179.8], [0.0] * 3, None, "ship")], name="split-antimeridian")
        assert [piece.name for piece in found] == ["ship (1)", "ship (2)", "ship (3)"]

    def test_refuses_more_series_than_can_be_kept(self):
        n = 100_001
        with pytest.raises(DataError, match="at most 100,000 series"):
            one_step([Trajectory(np.zeros(n), np.zeros(n), np.arange(n) * 10.0)], name="split-gaps", silence_s=5)


class TestResample:
    def test_straight_and_last(self):
        series = [line(0, 100, 300, every_s=10.0, marked=np.array([True, False, True]))]
        for between, metres in (("straight", [0, 50, 100, 200, 300]), ("last", [0, 0, 100, 100, 300])):
            (one,), _ = one_step(series, name="resample", every_s=5, between=between)
            assert one.time_s.tolist() == [0, 5, 10, 15, 20]
            assert np.radians(one.lon) * geo.EARTH_RADIUS_M == pytest.approx(metres, abs=1e-6)
            assert one.marked.tolist() == [True, True, False, False, True]

    @given(st.integers(0, 2**32), PLACES, st.sampled_from([0.001, 1.0, 1e3, 1e6]))
    def test_lies_on_the_great_circle_a_share_of_the_way(self, seed, place, far_m):
        rng = np.random.default_rng(seed)
        lon, lat = geo.LocalPlane(*place).unproject(rng.normal(0, far_m, (2, 2)))
        (one,), _ = one_step([Trajectory(lon, lat, [0.0, 10.0])], name="resample", every_s=1)
        whole = float(geo.distance_m(lon[0], lat[0], lon[1], lat[1]))
        from_first = geo.distance_m(lon[0], lat[0], one.lon, one.lat)
        to_last = geo.distance_m(one.lon, one.lat, lon[1], lat[1])
        assert from_first == pytest.approx(whole * np.arange(11) / 10, abs=1e-6)
        assert from_first + to_last == pytest.approx(np.full(11, whole), abs=2e-6)

    def test_ticks_are_those_of_utc_neither_none_nor_too_many(self):
        (one,), _ = one_step([Trajectory([0, 1], [0, 0], [61.5, 199.0])], name="resample", every_s=60)
        assert one.time_s.tolist() == [120, 180]
        with pytest.raises(DataError, match="would leave no event"):
            one_step([Trajectory([0, 1], [0, 0], [1.0, 2.0])], name="resample", every_s=60)
        with pytest.raises(DataError, match="at most 20,000,000 events"):
            one_step([Trajectory([0, 1], [0, 0], [0.0, 1e9])], name="resample", every_s=0.001)


def test_series_by_number_and_range_and_first_events():
    series = [line(*range(number + 1), name=f"s{number}") for number in range(1, 6)]
    found, done = one_step(series, name="only-series", numbers=" 4-5, 1 ")
    assert [one.name for one in found] == ["s1", "s4", "s5"]
    assert done["message"] == "2 series left out."
    with pytest.raises(DataError, match="names series 6, but there are only 5"):
        one_step(series, name="only-series", numbers="6")
    found, done = one_step(series, name="first-events", events=3)
    assert [len(one) for one in found] == [2, 3, 3, 3, 3]
    assert done["events"] == [8, 12, 13, 17, 18, 19]


def test_steps_run_in_their_order_and_report_how_far_they_are():
    reported = []
    steps = parse_cleaning([{"name": "first-events", "events": 4}, {"name": "drop-jumps", "highest_km_h": 200}])
    (one,), done = clean([line(0, 50, 90_000, 150, 200)], steps, watch=reported.append)
    assert [did.name for did in done] == ["first-events", "drop-jumps"]
    assert [(did.before, did.after) for did in done] == [(5, 4), (4, 3)]
    assert reported == [0.0, 0.5]
    assert len(one) == 3
