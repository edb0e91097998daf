"""One battery over the registered post-processing steps: what holds for each, independent of its implementation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import geo, metrics, noise
from privacy_engine.data import LandmarkSet, Release, Trajectory
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from privacy_engine.params import choices_of
from privacy_engine.postprocess import postprocesses
from tests.cases import each
from tests.engine.mechanism_examples import CLASSES, example, variants

Q = 900.0  # 30 m a step and axis
CLASSES_OF_STEPS = list(postprocesses)
every_step = each("cls", CLASSES_OF_STEPS)


def steps(cls):
    """The class with each parameter given, left out where it may be, and with each of its choices."""
    needed = {field["name"]: field["example"] for field in cls.fields() if field["required"]}
    found = [cls(**needed)]
    for field, info in cls.model_fields.items():
        if field != "name":
            found += [cls(**{**needed, field: choice}) for choice in choices_of(info)]
        if field == "step_variance_m2":
            found += [cls(**{**needed, field: q}) for q in (1e-4, Q, 1e14)]
    return found


def walk(n, *, seed, q=Q):
    xy_m = np.cumsum(np.random.default_rng(seed).normal(0, np.sqrt(q), (n, 2)), axis=0)
    return Trajectory(*geo.LocalPlane(2.35, 48.85).unproject(xy_m), np.arange(n) * 60.0, "w")


@st.composite
def releases(draw):
    """Releases of every mechanism, near and far, of standing still and of leaps, with noise of every size."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, place = draw(st.integers(0, 40)), draw(st.sampled_from([(2.35, 48.85), (180.0, 0.0), (0.0, 90.0), (7.0, -89.9)]))
    steps_m = rng.normal(0, 1, (n, 2)) * draw(st.sampled_from([0.0, 1.0, 1e3, 1e6]))
    truth = Trajectory(*geo.LocalPlane(*place).unproject(np.cumsum(steps_m, axis=0)), np.arange(n) * 60.0, "w")
    mask = LandmarkSet(rng.random(n) < draw(st.sampled_from([0.0, 0.4, 0.9, 1.0])))
    size = {"epsilon": draw(st.sampled_from([1e-6, 1.0, 1e4])), "radius_m": draw(st.sampled_from([0.01, 50.0, 2e7]))}
    mechanism = draw(st.sampled_from([one for cls in CLASSES for one in variants(cls, **size)]))
    return mechanism.release(truth, mask, rng=noise.seeded(int(rng.integers(2**32))))


def cut(release, events):
    """What had been released when so many events were through."""
    seen = release.event < events
    series = release.series
    return Release(
        Trajectory(series.lon[seen], series.lat[seen], series.time_s[seen], series.name),
        release.event[seen],
        release.budgets[:events],
        release.fresh[:events],
        release.sd_m[:events],
    )


@every_step
@given(release=releases())
def test_positions_alone_change_and_are_finite_and_on_the_map(cls, release):
    before = {name: getattr(release, name).copy() for name in ("event", "budgets", "fresh", "sd_m")}
    lon, lat = release.series.lon.copy(), release.series.lat.copy()
    for step in steps(cls):
        smoothed, again = step.apply(release), step.apply(release)
        assert np.array_equal(smoothed.series.lon, again.series.lon)
        assert np.array_equal(smoothed.series.lat, again.series.lat)
        for name, values in before.items():
            assert np.array_equal(getattr(release, name), values)
            assert np.array_equal(getattr(smoothed, name), values)
        assert np.array_equal(release.series.lon, lon)
        assert np.array_equal(release.series.lat, lat)
        assert len(smoothed.series) == len(lon)
        assert np.array_equal(smoothed.series.time_s, release.series.time_s)
        assert smoothed.series.name == release.series.name
        assert ((smoothed.series.lon >= -180) & (smoothed.series.lon <= 180)).all()  # and so no nan
        assert (np.abs(smoothed.series.lat) <= 90).all()
        for values in (smoothed.series.lon, smoothed.series.lat):
            assert np.allclose(values / GRID_DEG, np.round(values / GRID_DEG), rtol=0, atol=1e-4)


@pytest.mark.parametrize("cls", [one for one in CLASSES_OF_STEPS if one.causal], ids=lambda cls: cls.__name__)
@given(release=releases(), share=st.floats(0, 1))
def test_a_causal_step_gives_at_every_moment_what_it_gives_in_the_end(cls, release, share):
    """Works on live data: of a prefix of a release it makes the prefix of what it makes of the whole."""
    events = round(share * len(release.budgets))
    for step in steps(cls):
        then, later = step.apply(cut(release, events)), cut(step.apply(release), events)
        apart = geo.distance_m(then.series.lon, then.series.lat, later.series.lon, later.series.lat)
        assert apart.max(initial=0.0) <= 0.02, step  # metres: the grid


@every_step
@each("mechanism", CLASSES)
def test_on_a_walk_of_its_model_it_is_no_worse_than_holding(cls, mechanism):
    """Mean absolute error, five walks of 400 events with seeds 0 to 4, together; half of the events are landmarks.

    A step that is given q is given the walk's own.
    """
    given_q = {"step_variance_m2": Q} if "step_variance_m2" in cls.model_fields else {}
    how, step = example(mechanism, epsilon=1.0, radius_m=100.0), cls(**given_q)
    held, smoothed = [], []
    for seed in range(5):
        truth, mask = walk(400, seed=seed), np.random.default_rng(seed).random(400) < 0.5
        release = how.release(truth, LandmarkSet(mask), rng=noise.seeded(seed))
        held.append(metrics.mean_absolute_error_m(truth, release))
        smoothed.append(metrics.mean_absolute_error_m(truth, step.apply(release)))
    assert np.mean(smoothed) <= 1.05 * np.mean(held)
