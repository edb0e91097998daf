"""How many events after cleaning one uploaded record decides, and how far they move (docs/notes/cleaning.md)."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.cleaning import Done, clean, parse_cleaning, stability_of
from privacy_engine.core import geo
from privacy_engine.data import Trajectory
from tests.engine.test_cleaning import CLASSES, datasets, nothing_left, rows, variants
from tests.examples import examples

RESAMPLE = {"name": "resample", "every_s": 60.0}


def with_record_moved(series, which, record):
    """The same with one record somewhere else: 30 degrees to the south or to the north."""
    found = list(series)
    lat = found[which].lat.copy()
    lat[record] += -30.0 if lat[record] > 0 else 30.0
    found[which] = found[which].moved(found[which].lon, lat)
    return found


def positions(series):
    return np.concatenate([np.column_stack([one.lon, one.lat]) for one in series])


def events_changed(series, steps, which, record):
    before = positions(clean(series, steps)[0])
    after = positions(clean(with_record_moved(series, which, record), steps)[0])
    assert before.shape == after.shape  # which events there are follows from the times
    return int((before != after).any(axis=1).sum())


def most_changed(series, steps):
    return max(events_changed(series, steps, i, j) for i, one in enumerate(series) for j in range(len(one)))


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls.reads != "positions"])
@settings(max_examples=examples(15))
@given(series=datasets())
def test_no_record_decides_more_events_than_the_step_declares(cls, series):
    for step in variants(cls):
        if not nothing_left(step, series):
            assert most_changed(series, [step]) <= stability_of(clean(series, [step])[1])


@settings(max_examples=examples(20))
@given(series=datasets(), between=st.sampled_from(["straight", "last"]))
def test_of_resample_is_attained(series, between):
    (step,) = parse_cleaning([RESAMPLE | {"every_s": 700.0, "between": between}])
    if not nothing_left(step, series):
        assert most_changed(series, [step]) == step.stability(series)


@settings(max_examples=examples(15))
@given(series=datasets(), every_s=st.tuples(st.floats(5.0, 500.0), st.floats(5.0, 500.0)))
def test_of_several_steps_is_at_most_the_product(series, every_s):
    described = [RESAMPLE | {"every_s": every_s[0]}, {"name": "split-gaps", "silence_s": 100.0}]
    steps = parse_cleaning([*described, RESAMPLE | {"every_s": every_s[1]}, {"name": "first-events", "events": 40}])
    if nothing_left(steps[0], series) or nothing_left(steps[2], clean(series, steps[:2])[0]):
        return
    done = clean(series, steps)[1]
    assert most_changed(series, steps) <= stability_of(done) == np.prod([one.stability for one in done])


@pytest.mark.parametrize("cls", [cls for cls in CLASSES if cls.reads == "positions"])
@settings(max_examples=examples(15))
@given(series=datasets(), data=st.data())
def test_one_that_reads_positions_copies_each_event_from_one_record(cls, series, data):
    """A record moved decides its own event alone, and which others stay: their positions are as they were."""
    which = data.draw(st.integers(0, len(series) - 1))
    record = data.draw(st.integers(0, len(series[which]) - 1))
    moved = with_record_moved(series, which, record)
    for step in variants(cls):
        if nothing_left(step, moved):
            continue
        found, (done,) = clean(moved, [step])
        own = {(moved[which].lon[record], moved[which].lat[record], moved[which].time_s[record])}
        assert rows(found) <= rows(series) | own
        assert done.stability == 1


def test_one_raw_fix_decides_119_of_121_events():
    """The audit's case: three fixes, an hour apart, made into one event a minute."""
    series = [Trajectory([2.30, 2.35, 2.40], [48.85, 48.86, 48.85], [0.0, 3600.0, 7200.0])]
    steps = parse_cleaning([RESAMPLE])
    found, done = clean(series, steps)
    assert (len(found[0]), events_changed(series, steps, 0, 1)) == (121, 119)
    assert stability_of(done) == done[0].stability == done[0].as_dict()["stability"] == 119
    assert stability_of(clean(series, parse_cleaning([RESAMPLE | {"between": "last"}]))[1]) == 60


def moved_apart(a, b, a_moved, between="straight"):
    """How far each of ten events between two records moves as the first record moves, in metres."""
    (step,) = parse_cleaning([RESAMPLE | {"every_s": 1.0, "between": between}])
    (one,), _ = clean([Trajectory([a[0], b[0]], [a[1], b[1]], [0.0, 10.0])], [step])
    (other,), _ = clean([Trajectory([a_moved[0], b[0]], [a_moved[1], b[1]], [0.0, 10.0])], [step])
    return geo.distance_m(one.lon, one.lat, other.lon, other.lat)


anywhere = st.tuples(st.floats(-180, 180), st.floats(-90, 90))
bearing = st.floats(-np.pi, np.pi)


@given(
    a=anywhere, far=st.floats(0, 1), towards=bearing, d=st.sampled_from([0.1, 10.0, 1e3, 1e5, 3e6]), moves=bearing,
    between=st.sampled_from(["straight", "last"]),
)  # fmt: skip
def test_a_record_moved_by_d_moves_no_event_farther(a, far, towards, d, moves, between):
    """Records less than a quarter of the globe apart, before and after: what docs/notes/cleaning.md proves."""
    b = geo.destination(a[0], a[1], far * (np.pi / 2 * geo.EARTH_RADIUS_M - d), towards)
    assert (moved_apart(a, b, geo.destination(a[0], a[1], d, moves), between) <= d + 1e-5).all()


def test_beyond_a_quarter_of_the_globe_an_event_between_moves_farther():
    """Why the assumption is named: records 160 degrees apart, one moved by a kilometre to the side."""
    a, b = (0.0, 0.0), (160.0, 0.0)
    moved = moved_apart(a, b, geo.destination(*a, 1000.0, 0.0))
    assert moved.max() == pytest.approx(1000 * np.sin(np.radians(96)) / np.sin(np.radians(160)), rel=1e-3)  # 2,908 m
    last = moved_apart(a, b, geo.destination(*a, 1000.0, 0.0), "last")
    assert last.max() == pytest.approx(1000.0, abs=1e-3)


def test_the_stability_of_several_steps_is_the_product_of_theirs():
    one = Done("resample", "Resample", "", 1, 1, 1, 1)
    assert stability_of([]) == 1
    assert stability_of([replace(one, stability=m) for m in (2, 1, 3)]) == 6
