"""Landmarks by schedule: a function of times alone, equal to the calendar event by event, and quick."""

import datetime as dt
import itertools
import json
import zoneinfo

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.landmarks import Schedule, landmark_methods, parse_short
from privacy_engine.landmarks.local_time import local_clock, zone_names
from privacy_engine.landmarks.schedule import DAYS
from tests.cases import each, refusal
from tests.examples import examples

ZONES = sorted(zone_names())
ODD_ZONES = ["Europe/Paris", "Australia/Lord_Howe", "Pacific/Apia", "America/St_Johns", "Africa/Casablanca"]
times_of_day = st.builds("{:02d}:{:02d}".format, st.integers(0, 23), st.sampled_from([0, 1, 30, 59]))
windows = st.builds(
    lambda days, start, end: {"days": sorted(days, key=DAYS.index), "start": start, "end": end},
    st.sets(st.sampled_from(DAYS), min_size=1),
    times_of_day,
    times_of_day | st.just("24:00"),
).filter(lambda one: one["start"] != one["end"])
zones = st.sampled_from(ODD_ZONES) | st.sampled_from(ZONES)
dates = st.none() | st.dates(dt.date(2015, 1, 1), dt.date(2030, 1, 1)).map(dt.date.isoformat)
instants = st.integers(-3_000_000_000, 4_000_000_000)


@st.composite
def schedules(draw):
    first, last = sorted(draw(st.tuples(dates, dates)), key=lambda date: date or "")
    if last and not first:
        first, last = draw(st.sampled_from([(None, last), (last, None)]))
    chosen = draw(st.lists(windows, min_size=1, max_size=4))
    return Schedule(windows=chosen, time_zone=draw(zones), first_date=first, last_date=last)


@st.composite
def near_changes(draw):
    """A zone, and instants about the places where its offset changes within one year."""
    name, year = draw(zones), draw(st.integers(1950, 2060))
    zone = zoneinfo.ZoneInfo(name)
    days = [dt.datetime(year, 1, 1, tzinfo=dt.UTC) + dt.timedelta(days=day) for day in range(367)]
    offsets = [(int(day.timestamp()), day.astimezone(zone).utcoffset()) for day in days]
    changed = [then for (_, before), (then, after) in itertools.pairwise(offsets) if before != after]
    around = draw(st.lists(st.integers(-2 * 86400, 86400), min_size=1, max_size=30))
    return name, sorted(start + shift for start in changed or [int(days[0].timestamp())] for shift in around)


def is_inside(schedule, instant):
    zone = zoneinfo.ZoneInfo(schedule.time_zone)
    local = (dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(seconds=instant)).astimezone(zone)
    clock, today = local.strftime("%H:%M"), local.date()
    yesterday = today - dt.timedelta(days=1)

    def starts_on(date, window):
        text = date.isoformat()
        return (
            DAYS[date.weekday()] in window.days
            and (schedule.first_date is None or text >= schedule.first_date)
            and (schedule.last_date is None or text <= schedule.last_date)
        )

    for one in schedule.windows:
        if one.start < one.end:
            if starts_on(today, one) and one.start <= clock < one.end:
                return True
        elif (starts_on(today, one) and clock >= one.start) or (starts_on(yesterday, one) and clock < one.end):
            return True
    return False


def trajectory(times, seed=0):
    rng = np.random.default_rng(seed)
    return Trajectory(rng.uniform(-180, 180, len(times)), rng.uniform(-90, 90, len(times)), np.sort(times))


class TestReadsTimesOnly:
    @settings(max_examples=examples(60))
    @given(schedules(), st.lists(instants, max_size=20), st.integers(0, 99), st.integers(0, 99))
    def test_moving_positions_never_changes_which_events_are_landmarks(self, schedule, times, here, there):
        [a], [b] = (schedule.mark([trajectory(times, seed)]) for seed in (here, there))
        assert np.array_equal(a.mask, b.mask)

    def test_is_registered_as_covered_and_states_it(self):
        assert Schedule.reads == "times"
        assert parse_short("schedule:daily:22:00-06:00@UTC").not_covered == ()
        assert "reads times only, which are public" in Schedule.summary
        assert Schedule.coverage().startswith("Covered by the promise of a release, provided that the schedule")


class TestEqualsTheCalendar:
    @settings(max_examples=examples(300))
    @given(schedules(), st.lists(instants, max_size=30))
    def test_at_any_instant(self, schedule, times):
        edges = [dt.datetime.fromisoformat(f"{one}T12:00Z") for one in (schedule.first_date, schedule.last_date) if one]
        times = times + [int(edge.timestamp()) + 6 * 3600 * quarters for edge in edges for quarters in range(-6, 7)]
        found = schedule.holds(np.array(times, dtype=np.float64))
        assert found.tolist() == [is_inside(schedule, one) for one in times]

    @settings(max_examples=examples(300))
    @given(schedules(), near_changes())
    def test_where_clocks_are_put_forward_and_back(self, schedule, near):
        name, times = near
        schedule = schedule.model_copy(update={"time_zone": name})
        found = schedule.holds(np.array(times, dtype=np.float64))
        assert found.tolist() == [is_inside(schedule, one) for one in times]

    @settings(max_examples=examples(100))
    @given(near_changes())
    @example(("Pacific/Apia", [1325239199, 1325239200]))  # a whole day was left out: 29 December, then the 31st
    def test_local_clocks_are_those_of_the_calendar(self, near):
        name, times = near
        clock = local_clock(np.array(times, dtype=np.float64), name)
        for instant, day, second in zip(times, clock.day.tolist(), clock.second.tolist(), strict=True):
            local = dt.datetime.fromtimestamp(instant, zoneinfo.ZoneInfo(name))
            assert day == (local.date() - dt.date(1970, 1, 1)).days
            assert second == local.hour * 3600 + local.minute * 60 + local.second

    def test_fractions_of_a_second_belong_to_their_second(self):
        noon = dt.datetime(2024, 6, 3, 12, tzinfo=dt.UTC).timestamp()
        schedule = parse_short("schedule:mon:11:00-12:00@UTC")
        [found] = schedule.mark([Trajectory([0] * 3, [0] * 3, [noon - 3600, noon - 0.001, noon])])
        assert found.mask.tolist() == [True, True, False]


def test_each_series_has_its_own_marks():
    noon = dt.datetime(2024, 6, 3, 12, tzinfo=dt.UTC).timestamp()
    series = [trajectory([noon]), trajectory([]), trajectory([noon + 3600, noon + 7200])]
    found = parse_short("schedule:mon:12:00-13:30@UTC").mark(series)
    assert [one.mask.tolist() for one in found] == [[True], [], [True, False]]


NIGHT = {"days": ["mon"], "start": "22:00", "end": "06:00"}
GOOD = {"name": "schedule", "windows": [NIGHT], "time_zone": "Europe/Paris"}


class TestRefusals:
    @each(
        ("changed", "field", "rule"),
        [
            ({"windows": []}, "windows", "must have at least 1 entries"),
            ({"windows": [NIGHT | {"start": "9:00", "end": "10:00"}]}, "windows.0.start", "time of day"),
            ({"windows": [NIGHT | {"start": "24:00", "end": "10:00"}]}, "windows.0.start", "to 23:59"),
            ({"windows": [NIGHT | {"start": "09:00", "end": "24:01"}]}, "windows.0.end", "to 24:00"),
            ({"windows": [NIGHT | {"start": "09:00", "end": "09:00"}]}, "windows.0", "other than its start"),
            ({"windows": [{"days": [], "start": "09:00", "end": "10:00"}]}, "windows.0.days", "at least 1"),
            ({"windows": [{"days": ["Mon"], "start": "09:00", "end": "10:00"}]}, "windows.0.days.0", "one of"),
            ({"windows": [NIGHT | {"start": "٠٩:00", "end": "10:00"}]}, "windows.0.start", "time of day"),
            *(
                ({"time_zone": zone}, "time_zone", "must be the name of a time zone")
                for zone in ("Mars", "../../etc/passwd", "localtime", "")
            ),
            ({"time_zone": None}, "time_zone", "must be text"),
            ({"first_date": "2024-06-31"}, "first_date", "must be a date"),
            ({"first_date": "20240601"}, "first_date", "must be a date"),
            ({"first_date": "2024-06-02", "last_date": "2024-06-01"}, "last_date", "before the first date"),
            ({"zone": "UTC"}, "zone", "is not a parameter"),
        ],
    )
    def test_fail_by_field_rule_and_value(self, changed, field, rule):
        refused = refusal(ParameterErrors, landmark_methods.parse, GOOD | changed, field="method")
        [error] = refused.errors
        assert error.field == f"method.{field}"
        assert rule in error.rule

    def test_fail_without_times(self):
        with pytest.raises(DataError, match="the method Schedule need times, and this dataset has none"):
            landmark_methods.parse(GOOD).mark([Trajectory([0], [0])])

    @each("instant", [-1e12, 1e12, 253_402_300_000.0])
    def test_fail_where_there_is_no_calendar(self, instant):
        with pytest.raises(DataError, match="within the years 1 to 9999") as refused:
            landmark_methods.parse(GOOD).mark([Trajectory([0], [0], [instant])])
        assert refused.value.field == "time_s"

    def test_every_zone_is_read_at_both_ends_of_the_calendar(self):
        ends = np.array([-62_135_424_000.0, 253_402_127_999.0])
        for zone in ZONES[::7]:
            assert len(local_clock(ends, zone).day) == 2

    @each(
        "text",
        [
            *("schedule", "schedule:", "schedule:mon:22:00-06:00", "schedule:@UTC", "schedule:mon@UTC"),
            *(f"schedule:mon{one}@UTC" for one in (",22:00-06:00", ":22-6", ":25:00-06:00", ":22:00-22:00")),
            *(f"schedule:mo{one}:22:00-06:00@UTC" for one in ("on", "n-", "n:22:00-06:00,,tue")),
            "schedule:mon:22:00-06:00@Europe/Paris@UTC",
            *(f"schedule:mon:22:00-06:00@UTC:{one}" for one in ("2024-06-01", "..", "2024-06-01..2024-05-01")),
        ],
    )
    def test_fail_short_forms_that_mean_nothing(self, text):
        refused = refusal(ParameterError, parse_short, text)
        assert (getattr(refused, "errors", None) or [refused])[0].field.startswith("landmarks")


class TestShortForm:
    @settings(max_examples=examples(100))
    @given(schedules())
    def test_describes_what_the_long_form_does(self, schedule):
        """What describe() writes of the windows is the short form's own, but for blanks."""
        if any(len(window.days) == 7 for window in schedule.windows) or len(schedule.windows) > 3:
            return
        written = ",".join(window.describe().replace(" ", ":") for window in schedule.windows)
        dates = f":{schedule.first_date or ''}..{schedule.last_date or ''}"
        short = f"schedule:{written}@{schedule.time_zone}{dates if schedule.first_date or schedule.last_date else ''}"
        assert parse_short(short) == schedule
        assert landmark_methods.parse(json.loads(json.dumps(schedule.model_dump()))) == schedule

    def test_separators_and_days_that_share_a_time(self):
        comma, plus = (parse_short(f"schedule:mon:08:00-09:00{sign}fri-mon:20:00-21:00@UTC") for sign in ",+")
        assert comma == plus
        assert comma.windows[1].days == ["mon", "fri", "sat", "sun"]
        assert parse_short("schedule:mon,wed:8:00-09:00@UTC") == parse_short("schedule:mon+wed:08:00-09:00@UTC")
        assert parse_short("schedule:08:00-09:00@UTC") == parse_short("schedule:daily:08:00-09:00@UTC")
