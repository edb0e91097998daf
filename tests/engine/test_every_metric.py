"""One battery over every registered metric: laws, and what a page needs of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.landmark import EventLevel, Skip
from privacy_engine.metrics import metrics
from tests.cases import each
from tests.engine.mechanism_examples import plain_example as example
from tests.engine.mechanism_examples import walk
from tests.examples import examples

CLASSES = list(metrics.of("trajectory"))
every_metric = each("cls", CLASSES)


def resting(seed):
    """A walk that stands still for an hour in the middle, so that there is a stay."""
    there, n = walk(30, seed=seed), 90
    at = np.concatenate([np.arange(15), np.full(60, 15), np.arange(15, 30)])
    return Trajectory(there.lon[at], there.lat[at], np.arange(n) * 60.0, "rest")


def moved(series, seed, size=0.003):
    rng = np.random.default_rng(seed)
    return series.lon + rng.normal(0, size, len(series)), series.lat + rng.normal(0, size, len(series))


@every_metric
@settings(max_examples=examples(20))
@given(seed=st.integers(0, 2**32))
def test_the_truth_itself_is_without_error(cls, seed):
    truth = resting(seed)
    found = example(cls).over(truth, truth.lon, truth.lat, np.arange(len(truth)))
    assert found == pytest.approx(100.0 if cls.registered_name() == "poi-recall" else 0.0, abs=1e-6)


@every_metric
@settings(max_examples=examples(20))
@given(seed=st.integers(0, 2**32))
def test_repetitions_are_measured_as_one_by_one(cls, seed):
    truth, event = resting(seed), np.arange(0, 90, 2)
    lon, lat = (np.array(axis)[:, event] for axis in zip(*(moved(truth, seed + i) for i in range(3)), strict=True))
    together = example(cls).over(truth, lon, lat, event)
    assert together.shape == (3,)
    assert together == pytest.approx(
        [float(example(cls).over(truth, x, y, event)) for x, y in zip(lon, lat, strict=True)]
    )
    assert (together >= 0).all()
    assert example(cls).over(truth, lon.reshape(3, 1, -1), lat.reshape(3, 1, -1), event).shape == (3, 1)


@every_metric
@settings(max_examples=examples(20))
@given(seed=st.integers(0, 2**32), turn=st.floats(-180, 180))
def test_it_is_the_same_wherever_on_the_globe_and_whenever(cls, seed, turn):
    """The globe turned about its axis, also across the antimeridian, and the clock set by an hour."""
    truth, event = resting(seed), np.arange(90)
    lon, lat = moved(truth, seed)
    turned = Trajectory(geo.wrap_lon(truth.lon + turn), truth.lat, truth.time_s + 3600.0)
    here = example(cls).over(truth, lon, lat, event)
    assert example(cls).over(turned, geo.wrap_lon(lon + turn), lat, event) == pytest.approx(here, rel=1e-6, abs=1e-3)


@every_metric
def test_an_empty_release_has_no_value_and_arrays_that_do_not_fit_are_refused(cls):
    truth = resting(1)
    assert np.isnan(example(cls).over(truth, [], [], []))
    assert np.isnan(example(cls).over(truth, np.empty((2, 0)), np.empty((2, 0)), [])).all()
    for lon, lat in ((truth.lon, truth.lat), (truth.lon[:3], truth.lat[:4])):
        with pytest.raises(DataError, match="must be as many"):
            example(cls).over(truth, lon, lat, np.arange(3))


@every_metric
def test_a_release_is_measured_at_its_events(cls):
    truth = resting(3)
    release = Skip(epsilon=1.0, radius_m=50.0, leading="gap").release(
        truth, LandmarkSet(np.arange(90) < 5), rng=noise.seeded(1)
    )
    assert len(release.event) == 85
    found = example(cls).of(truth, release)
    assert type(found) is float
    assert found == example(cls).over(truth, release.series.lon, release.series.lat, np.arange(5, 90))


@every_metric
def test_without_times_it_works_or_states_why_not(cls):
    truth = Trajectory(resting(1).lon, resting(1).lat)
    release = EventLevel(epsilon=1.0, radius_m=1.0).release(truth, LandmarkSet(np.zeros(90, bool)), rng=noise.seeded(1))
    if cls.needs_time:
        with pytest.raises(DataError, match="needs times"):
            example(cls).of(truth, release)
    else:
        assert np.isfinite(example(cls).of(truth, release))
