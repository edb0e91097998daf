"""Forecasts of errors agree with measured ones; the least ε for an error; the scale that verdicts compare with."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import metrics, noise
from privacy_engine.analysis.accepted_error import least_epsilon
from privacy_engine.analysis.data_scale import DataScale, data_scale
from privacy_engine.analysis.error_forecast import MOST_EVENTS, ForecastData, error_forecast
from privacy_engine.analysis.reference_radius import P95, reference_radius, within
from privacy_engine.analysis.verdict import GPS_ACCURACY_M, TITLES, USABLE_SHARE, rules, verdict
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.kernels.medians import geometric_medians
from privacy_engine.landmarks.samples import samples
from privacy_engine.mechanisms import landmark
from privacy_engine.noise import planar_quantile_m
from privacy_engine.postprocess import CausalFilter, postprocesses
from privacy_engine.releases.spec import processed
from tests.cases import each
from tests.engine.mechanism_examples import every_mechanism, example, plain_example

WITHIN = 0.15
SAMPLES = {one.series.name: one for one in samples()}
RELEASES = {"walk": 100, "taxi": 100, "Bob": 1000}  # landmarks repeat few draws: the mean of one release varies
DENSE = [("walk", radius_m) for radius_m in (1.0, 20.0, 1000.0)]


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
    @pytest.mark.parametrize(
        ("name", "radius_m"),
        [("taxi", 200.0), *(pytest.param(*one, marks=pytest.mark.slow) for one in (("Bob", 200.0), *DENSE))],
    )
    @every_mechanism
    def test_on_the_samples(self, cls, name, radius_m):
        agree(example(cls, epsilon=1.0, radius_m=radius_m), data_of(name), RELEASES[name])

    @pytest.mark.parametrize("cls", [cls for cls in postprocesses if cls.kind == Trajectory.kind])
    @pytest.mark.slow
    def test_steps_count(self, cls):
        agree(landmark.EventLevel(epsilon=1.0, radius_m=200.0), data_of("taxi"), 60, [plain_example(cls)])


class TestForecast:
    @every_mechanism
    def test_series_of_nothing_or_one_event(self, cls):
        nothing = ForecastData.of([Trajectory([], [])], [LandmarkSet(np.zeros(0, bool))])
        assert error_forecast(example(cls), nothing).overall.mean_m is None
        assert least_epsilon(example(cls), nothing, 100.0) is None
        one = ForecastData.of([Trajectory([2.0], [48.0])], [LandmarkSet(np.ones(1, bool))])
        assert error_forecast(example(cls), one).overall.mean_m > 0

    def test_in_closed_form_where_every_event_has_its_own_noise_and_repeats_of_skip_count(self):
        """The headline gave 2 m, the noise of drawn events; the walk's landmarks repeat for an hour."""
        found = error_forecast(landmark.Uniform(epsilon=1.0, radius_m=200.0), data_of("Bob"))
        assert (found.exact, found.runs, found.overall.mean_m) == (True, 0, pytest.approx(2000))
        assert error_forecast(landmark.Skip(epsilon=1.0, radius_m=200.0), data_of("Bob")).runs > 0
        found = error_forecast(landmark.Skip(epsilon=1.0, radius_m=1.0), data_of("walk"))
        assert found.noise_m < 2 < found.others.mean_m + 0.1
        assert found.landmarks.mean_m > 5 * found.others.mean_m
        assert found.overall.events == found.landmarks.events + found.others.events

    def test_of_many_people_some_are_left_out_evenly_by_their_landmarks(self):
        n, counts = MOST_EVENTS // 10, np.random.default_rng(0).permutation(25)
        many = [Trajectory(np.full(n, 2.0 + i), np.full(n, 48.0), person=str(i)) for i in range(25)]
        data = ForecastData.of(many, [LandmarkSet(np.arange(n) < count) for count in counts])
        some = data.some(MOST_EVENTS)
        assert data.events == 25 * n
        assert sorted(int(mask.sum()) for mask in some.masks) == list(range(1, 25, 3))
        assert [counts[round(one.lon[0]) - 2] for one in some.series] == [mask.sum() for mask in some.masks]

    @pytest.mark.parametrize("mechanism", [
        landmark.Uniform(epsilon=1.0, radius_m=200.0),
        landmark.Skip(epsilon=1.0, radius_m=200.0),
        landmark.Planned(epsilon=1.0, radius_m=200.0, step_variance_m2=1e4),
    ])  # fmt: skip
    def test_everyone_counts_in_large_data(self, monkeypatch, mechanism):
        """Two people of Geolife stood for 182: a typical error of 3,500 km where that of the release is 6,900."""
        rng = np.random.default_rng(0)
        many, sets = [], []
        for i, share in enumerate(rng.random(12)):
            steps = rng.normal(0, 50, (int(rng.integers(50, 600)), 2))
            many.append(trajectory(np.cumsum(steps, axis=0), person=str(i)))
            sets.append(LandmarkSet(rng.random(len(steps)) < share))
        data = ForecastData.of(many, sets)
        whole = error_forecast(mechanism, data)
        monkeypatch.setattr("privacy_engine.analysis.error_forecast.MOST_EVENTS", 1000)
        large = error_forecast(mechanism, ForecastData.of(many, sets))
        assert large.people == whole.people == 12
        for group in ("overall", "landmarks", "others"):
            few, every = getattr(large, group), getattr(whole, group)
            assert few.typical_m == pytest.approx(every.typical_m, rel=0.15)
            assert few.p95_m == pytest.approx(every.p95_m, rel=0.15)


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
        after = least_epsilon(mechanism, data_of("walk"), 500.0, steps=[CausalFilter(step_variance_m2=1e4)])
        assert after.errors.overall.typical_m <= 500.0
        found = least_epsilon(landmark.Skip(epsilon=1.0, radius_m=200.0), data, 100.0)
        assert found.epsilon is None, "what repeats alone exceed no level reaches"
        assert found.errors.overall.typical_m > 100


PLANE = geo.LocalPlane(0.0, 0.0)
SCALE = DataScale(median_step_m=200.0, extent_m=5000.0, stay_radius_m=None)


def trajectory(xy_m, plane=PLANE, **columns):
    return Trajectory(*plane.unproject(np.asarray(xy_m, dtype=float)), **columns)


positions = st.integers(2, 40).flatmap(
    lambda n: st.integers(0, 2**32 - 1).map(lambda seed: np.random.default_rng(seed).normal(0, 2000, (n, 2)))
)


def close(found, expected, factor=1.0, rel=1e-3):
    assert found.median_step_m == pytest.approx(factor * expected.median_step_m, rel=rel, abs=0.1)
    assert found.extent_m == pytest.approx(factor * expected.extent_m, rel=rel, abs=0.1)


class TestLaws:
    @given(positions, st.floats(0, 6.3), st.floats(-60, 60), st.floats(-180, 180), st.floats(1.0, 20.0))
    def test_turned_and_moved_data_have_the_same_scale_which_grows_with_them(self, xy_m, angle, lat, lon, factor):
        turned = xy_m @ np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
        close(data_scale([trajectory(turned, geo.LocalPlane(lon, lat))]), data_scale([trajectory(xy_m)]))
        close(data_scale([trajectory(factor * xy_m)]), data_scale([trajectory(xy_m)]), factor)

    def test_few_events_far_away_change_the_extent_little_and_a_person_more_with_the_same_data_nothing(self):
        xy_m = np.random.default_rng(1).normal(0, 1000, (1000, 2))
        strayed = xy_m.copy()
        strayed[:20] += 3e6
        assert data_scale([trajectory(strayed)]).extent_m < 1.2 * data_scale([trajectory(xy_m)]).extent_m
        one, other = (trajectory(xy_m, person=name) for name in "ab")
        close(data_scale([one, other]), data_scale([one]), rel=1e-9)

    def test_a_home_at_one_end_of_the_way_to_work_is_no_middle(self):
        """The circle around home that holds the workplace is twice as wide as the data."""
        xy_m = np.concatenate([np.zeros((70, 2)), np.full((30, 2), 3000.0)])
        assert data_scale([trajectory(xy_m)]).extent_m == pytest.approx(3000 * 2**0.5, rel=1e-3)

    @given(st.floats(-60, 60), st.floats(-180, 180), st.integers(1, 30))
    def test_at_one_place_the_extent_is_nothing_and_there_is_no_bound_and_no_verdict(self, lat, lon, events):
        scale = data_scale([Trajectory(np.full(events, lon), np.full(events, lat))])
        assert (scale.extent_m, verdict(34, 95, scale)) == (0, None)
        assert not any(one.at_most_m for one in rules(scale))

    @given(st.lists(positions, min_size=1, max_size=4))
    def test_the_extent_is_the_median_of_those_of_all_people(self, people):
        series = [trajectory(xy_m, person=str(i)) for i, xy_m in enumerate(people)]
        assert data_scale(series).extent_m == np.median([data_scale([one]).extent_m for one in series])


class TestByHand:
    def test_steps_of_100_m_along_a_line_of_2_km_and_no_events(self):
        found = data_scale([trajectory(np.column_stack([np.arange(21) * 100.0, np.zeros(21)]))])
        assert found.median_step_m == pytest.approx(100, rel=1e-6)
        assert found.extent_m == pytest.approx(2000, rel=1e-4)
        assert found.stay_radius_m is None
        nothing = DataScale(median_step_m=None, extent_m=None, stay_radius_m=None)
        assert data_scale([]) == data_scale([Trajectory([], [])]) == nothing
        points, starts = np.array([[7.0, 7.0], [0.0, 0.0], [10.0, 0.0], [1000.0, 0.0]]), np.array([0, 1, 4])
        assert geometric_medians(points, starts, 0.01, 100) == pytest.approx(
            np.array([[7.0, 7.0], [10.0, 0.0]]), abs=0.05
        )

    def test_the_radius_of_a_stay_is_about_its_own_centre(self):
        """Half an hour on a circle of 50 m, two hours later the same 5 km away."""
        turns = np.linspace(0, 2 * np.pi, 30, endpoint=False)
        circle = 50 * np.column_stack([np.cos(turns), np.sin(turns)])
        time_s = np.concatenate([np.arange(30) * 60.0, 9000 + np.arange(30) * 60.0])
        found = data_scale([trajectory(np.concatenate([circle, circle + np.array([5000, 0])]), time_s=time_s)])
        assert found.stay_radius_m == pytest.approx(50, rel=1e-3)


class TestReferenceRadius:
    def test_noise_of_level_one_is_usable_by_hand(self):
        limits = {None: "Doorway", 100: "Doorway", 4743: "Doorway", 4744: "Block", 23719: "Block", 23720: "District"}
        for extent_m, title in limits.items():
            assert reference_radius(SCALE.model_copy(update={"extent_m": extent_m})).title == title
        assert float(planar_quantile_m(1.0, 0.95)) == pytest.approx(P95, rel=1e-9)
        assert within(2.0, 50.0, 50.0) == 2.0
        assert within(2.0, 50.0, 200.0) == pytest.approx(8.0)  # the same rate

    @each("sample", samples(), ids=lambda one: one.series.name)
    def test_level_one_within_it_gives_something_usable_on_every_sample(self, sample):
        scale = data_scale([sample.series])
        data = ForecastData.of([sample.series], sample.landmarks.mark([sample.series]))
        radius_m = reference_radius(scale).radius_m
        found = []
        for cls in (landmark.Skip, landmark.Uniform, landmark.Joint):
            forecast = error_forecast(example(cls, epsilon=1.0, radius_m=radius_m), data)
            found.append(verdict(forecast.overall.typical_m, forecast.overall.p95_m, scale, noise_m=forecast.noise_m))
        assert "usable" in {one.name for one in found}


class TestVerdict:
    def test_by_hand_for_an_extent_of_5_km(self):
        for typical_m, p95_m, noise_m, name in (
            *((9.9, 90_000, None, "hides-nothing"), (40, 300, 2.0, "hides-nothing"), (10, 1000, 10.0, "usable")),
            *((10, 1000.1, None, "coarse"), (900, 5000, None, "coarse"), (900, 5000.1, None, "too-large")),
        ):
            found = verdict(typical_m, p95_m, SCALE, noise_m=noise_m)
            assert (found.name, found.title) == (name, TITLES[name])

    def test_a_weaker_promise_is_never_usable_and_none_is_stated_first(self):
        for typical_m, p95_m, more, name in (
            (20, 300, {"exposed": True}, "landmarks-exposed"),
            (900, 9000, {"exposed": True}, "landmarks-exposed"),
            (9.9, 300, {"exposed": True}, "hides-nothing"),
            (9.9, 300, {"exposed": True, "unsound": True}, "no-guarantee"),
        ):
            assert verdict(typical_m, p95_m, SCALE, **more).name == name

    def test_rules_have_the_bounds_that_verdicts_use(self):
        bounds = {one.name: one.at_most_m for one in rules(SCALE)}
        assert list(bounds) == list(TITLES)
        for name, bound in bounds.items():
            if bound:
                assert verdict(GPS_ACCURACY_M, bound, SCALE).name == name
                assert verdict(GPS_ACCURACY_M, bound * 1.001, SCALE).name != name
        assert bounds["usable"] == USABLE_SHARE * SCALE.extent_m
        for extent_m in (None, 0.0, 1e-9):
            assert verdict(1, 1, DataScale(median_step_m=None, extent_m=extent_m, stay_radius_m=None)) is None
