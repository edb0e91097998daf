"""Forecasts of errors agree with errors that are measured of releases, and the least ε for an error is its inverse."""

import numpy as np
import pytest

from privacy_engine import geo, metrics, noise
from privacy_engine.analysis.accepted_error import least_epsilon
from privacy_engine.analysis.error_forecast import MOST_EVENTS, ForecastData, error_forecast
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms import landmark
from privacy_engine.postprocess import postprocesses
from privacy_engine.samples import samples
from privacy_engine.spec import processed
from tests.engine.mechanism_examples import every_mechanism, example

WITHIN = 0.15
SAMPLES = {one.series.name: one for one in samples()}
STEPS = sorted(cls.registered_name() for cls in postprocesses if cls.kind == Trajectory.kind)
RELEASES = {"walk": 100, "taxi": 100, "Bob": 1000}  # landmarks repeat few draws: the mean of one release varies


def data_of(name):
    sample = SAMPLES[name]
    return ForecastData.of([sample.series], sample.landmarks.mark([sample.series]))


def measured(mechanism, data, releases, steps=()):
    """Errors of so many releases of one person, by other seeds than those of the forecast."""
    [(one, mask)] = zip(data.series, data.masks, strict=True)
    if not steps:
        placed = mechanism.repeat(one, LandmarkSet(mask), releases, rng=noise.seeded(1000))
        found = geo.distance_m(one.lon, one.lat, placed[..., 0], placed[..., 1])
        return found[~np.isnan(found)]
    released = (mechanism.release(one, LandmarkSet(mask), rng=noise.seeded(1000 + i)) for i in range(releases))
    return np.concatenate([metrics.error_m(one, processed(release, steps)) for release in released])


def agree(mechanism, data, releases, steps=()):
    forecast, errors = error_forecast(mechanism, data, steps).overall, measured(mechanism, data, releases, steps)
    assert forecast.mean_m == pytest.approx(errors.mean(), rel=WITHIN)
    assert forecast.typical_m == pytest.approx(np.median(errors), rel=WITHIN)
    assert forecast.p95_m == pytest.approx(np.quantile(errors, 0.95), rel=WITHIN)


class TestAgreesWithMeasuredErrors:
    @pytest.mark.parametrize("name", ["taxi", pytest.param("Bob", marks=pytest.mark.slow)])
    @every_mechanism
    def test_on_the_samples(self, cls, name):
        agree(example(cls, epsilon=1.0, radius_m=200.0), data_of(name), RELEASES[name])

    @pytest.mark.parametrize("radius_m", [1.0, 20.0, 1000.0])
    @every_mechanism
    @pytest.mark.slow
    def test_on_the_dense_sample_for_every_radius(self, cls, radius_m):
        agree(example(cls, epsilon=1.0, radius_m=radius_m), data_of("walk"), RELEASES["walk"])

    def test_repeats_of_skip_count(self):
        """The headline gave 2 m, the noise of drawn events; the walk's landmarks repeat for an hour."""
        found = error_forecast(landmark.Skip(epsilon=1.0, radius_m=1.0), data_of("walk"))
        assert found.noise_m < 2 < found.others.mean_m + 0.1
        assert found.landmarks.mean_m > 5 * found.others.mean_m
        assert found.overall.events == found.landmarks.events + found.others.events

    @pytest.mark.parametrize("step", STEPS)
    @pytest.mark.slow
    def test_steps_count(self, step):
        cls = postprocesses[step]
        needed = {field["name"]: field["example"] for field in cls.fields() if field["required"]}
        agree(landmark.EventLevel(epsilon=1.0, radius_m=200.0), data_of("taxi"), 60, [cls(**needed)])


class TestForecast:
    @every_mechanism
    def test_series_of_nothing_or_one_event(self, cls):
        nothing = ForecastData.of([Trajectory([], [])], [LandmarkSet(np.zeros(0, bool))])
        assert error_forecast(example(cls), nothing).overall.mean_m is None
        assert least_epsilon(example(cls), nothing, 100.0) is None
        one = ForecastData.of([Trajectory([2.0], [48.0])], [LandmarkSet(np.ones(1, bool))])
        assert error_forecast(example(cls), one).overall.mean_m > 0

    def test_in_closed_form_where_every_event_has_its_own_noise(self):
        found = error_forecast(landmark.Uniform(epsilon=1.0, radius_m=200.0), data_of("Bob"))
        assert (found.exact, found.runs, found.overall.mean_m) == (True, 0, pytest.approx(2000))
        assert error_forecast(landmark.Skip(epsilon=1.0, radius_m=200.0), data_of("Bob")).runs > 0

    def test_of_many_people_some_are_left_out_evenly(self):
        n = MOST_EVENTS // 10
        many = [Trajectory(np.full(n, 2.0 + i), np.full(n, 48.0), person=str(i)) for i in range(25)]
        data = ForecastData.of(many, [LandmarkSet(np.zeros(n, bool))] * 25)
        assert data.events <= MOST_EVENTS
        assert [round(one.lon[0]) - 2 for one in data.series] == list(range(0, 25, 3))


class TestLeastEpsilon:
    @pytest.mark.parametrize("figure", ["typical_m", pytest.param("p95_m", marks=pytest.mark.slow)])
    @every_mechanism
    def test_the_error_at_it_is_accepted_and_at_less_it_is_not(self, cls, figure):
        data, mechanism = data_of("taxi"), example(cls, radius_m=200.0)
        accepted_m = 4000.0
        found = least_epsilon(mechanism, data, accepted_m, figure=figure)
        assert getattr(found.errors.overall, figure) <= accepted_m
        less = type(mechanism)(**mechanism.model_dump() | {"epsilon": 0.9 * found.epsilon})
        assert getattr(error_forecast(less, data).overall, figure) > accepted_m

    def test_half_the_error_takes_twice_the_level_where_all_is_drawn(self):
        mechanism, data = landmark.Uniform(epsilon=1.0, radius_m=200.0), data_of("Bob")
        one, half = (least_epsilon(mechanism, data, m).epsilon for m in (1000.0, 500.0))
        assert half == pytest.approx(2 * one, rel=0.02)
        assert one == pytest.approx(1.6783469900166605, rel=0.02)  # of five shares, within 200 m: the median is 1,678 m

    def test_what_repeats_alone_exceed_no_level_reaches(self):
        found = least_epsilon(landmark.Skip(epsilon=1.0, radius_m=200.0), data_of("Bob"), 100.0)
        assert found.epsilon is None
        assert found.errors.overall.typical_m > 100
