"""Units of a dataset: people whole, borders that any cut may use, and streams of the seed of their own."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.data import LandmarkSet, units
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.data.units import units_of
from privacy_engine.datatypes.trajectory_facts import facts_of, facts_of_parts, facts_part
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.releases import spec as specs
from privacy_engine.releases.spec import ReleaseSpec

SERIES = st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 9)), min_size=1, max_size=30)
MECHANISMS = list(mechanisms.of("trajectory"))
REQUIRED = {"epsilon": 1.0, "radius_m": 100.0, "window": 7, "step_variance_m2": 100.0}


@given(SERIES, st.integers(1, 40))
def test_units_hold_people_whole_and_restart_at_every_border(series, events):
    persons, sizes = [who for who, _ in series], [n for _, n in series]
    cut = units_of(persons, sizes, events)
    assert [unit.start for unit in cut] == [0, *(unit.stop for unit in cut[:-1])]
    assert cut[-1].stop == len(series)
    owners = [set(persons[unit]) for unit in cut]
    assert sum(map(len, owners)) == len(set(persons))
    for i, unit in enumerate(cut):
        rest = units_of(persons[unit.start :], sizes[unit.start :], events)
        assert [(one.start + unit.start, one.stop + unit.start) for one in rest] == [(u.start, u.stop) for u in cut[i:]]
        assert sum(sizes[unit]) <= events or not _border_within(persons[unit])


def _border_within(persons):
    return any(not set(persons[:i]) & set(persons[i:]) for i in range(1, len(persons)))


def data_of(sizes, persons):
    rng, n = np.random.default_rng(3), sum(sizes)
    starts = np.append(0, np.cumsum(sizes))
    time_s = np.concatenate([1.7e9 + 60.0 * np.arange(size) for size in sizes])
    names = [f"s{i}" for i in range(len(sizes))]
    lon, lat = 2.3 + rng.uniform(0, 0.1, n), 48.8 + rng.uniform(0, 0.1, n)
    tracks = Trajectories(lon.round(7), lat.round(7), starts, names, persons, time_s)
    mask = rng.random(n) < 0.2
    return tracks, [LandmarkSet(mask[first:last]) for first, last in pairwise(starts)]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda cls: cls.registered_name())
def test_a_seeded_release_is_the_same_for_every_cut(monkeypatch, mechanism):
    monkeypatch.setattr(specs, "units_of", lambda *of: units_of(*of, events=200))
    sizes, persons = [90, 60, 80, 110, 70, 150, 40, 30], ["a", "b", "a", "c", "c", "d", "e", "f"]
    tracks, marks = data_of(sizes, persons)
    required = {field["name"]: REQUIRED[field["name"]] for field in mechanism.fields() if field["required"]}
    spec = ReleaseSpec.parse({"mechanism": {"name": mechanism.registered_name(), **required}, "seed": 5})
    whole = spec.release(tracks, marks)
    cut = units_of(persons, sizes, events=200)
    assert len(cut) == 4
    for number, unit in enumerate(cut):
        for last in range(number + 1, len(cut) + 1):
            some = slice(unit.start, cut[last - 1].stop)
            part = spec.release(tracks.part(some.start, some.stop), marks[some], first_unit=number)
            for one, other in zip(part, whole[some], strict=True):
                assert one.series.name == other.series.name
                for column in ("budgets", "fresh", "sd_m", "event"):
                    np.testing.assert_array_equal(getattr(one, column), getattr(other, column))
                np.testing.assert_array_equal(one.series.lon, other.series.lon)
                np.testing.assert_array_equal(one.series.lat, other.series.lat)


def test_units_draw_from_streams_of_their_own(monkeypatch):
    monkeypatch.setattr(specs, "units_of", lambda *of: units_of(*of, events=50))
    sizes, persons = [50, 50, 50], ["a", "b", "c"]
    lon = np.tile(np.linspace(2.3, 2.4, 50), 3)
    tracks = Trajectories(lon, np.full(150, 48.8), np.array([0, 50, 100, 150]), persons, persons)
    marks = [LandmarkSet(np.zeros(50, dtype=np.bool_))] * 3
    spec = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 100.0}, "seed": 5})
    drawn = [release.series.lon for release in spec.release(tracks, marks)]
    assert len({tuple(values) for values in drawn}) == 3
    (alone,) = spec.release(tracks.part(0, 1), marks[:1])
    np.testing.assert_array_equal(alone.series.lon, drawn[0])
    assert sizes == [len(values) for values in drawn]


def test_data_of_one_unit_are_drawn_as_before_there_were_units():
    assert units.UNIT == 1 << 20
    assert units_of(["a", "b"], [units.UNIT // 2, units.UNIT // 2]) == [slice(0, 2)]


@given(SERIES, st.booleans(), st.integers(0, 99))
def test_facts_of_parts_are_those_of_all(series, timed, seed):
    rng = np.random.default_rng(seed)
    persons, sizes = [who for who, _ in series], [n for _, n in series]
    starts, n = np.append(0, np.cumsum(sizes)), sum(sizes)
    lon, lat = rng.uniform(170, 190, n), rng.uniform(-10, 10, n)
    times = np.concatenate([np.sort(rng.uniform(0, 1e5, size)) for size in sizes])
    marked = rng.random(n) < 0.3 if seed % 2 else None
    columns = ((lon + 180) % 360 - 180).round(7), lat.round(7), starts, [f"s{i}" for i in range(len(sizes))], persons
    tracks = Trajectories(*columns, times if timed else None, marked)
    cut = units_of(persons, sizes, events=20)
    assert facts_of_parts(facts_part(tracks.part(unit.start, unit.stop)) for unit in cut) == facts_of(tracks)
