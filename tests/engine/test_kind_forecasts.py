"""Forecasts of count streams and of check-ins: laws, by hand, and what is measured on releases by other seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.analysis.checkin_forecast import TEST_SHARE, checkin_forecast
from privacy_engine.analysis.repeated import Effort, mean_off_by, off_by, repeated
from privacy_engine.analysis.stream_forecast import count_forecast, zeros_forecast
from privacy_engine.evaluation import Evaluation, split_by_user
from privacy_engine.experiments.generated import CITY, CityCheckIns
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.stream.sample import StreamSample
from privacy_engine.mechanisms.stream.uniform import StreamUniform
from privacy_engine.metrics.recommendation import HitRate
from privacy_engine.metrics.stream import relative_errors
from tests.conftest import SHARED
from tests.engine.checkin_samples import BOX, uploaded
from tests.engine.mechanism_examples import plain_example
from tests.engine.stream_sets import counted, measured_set

WITHIN = 0.1
STREAMS = list(mechanisms.of("stream"))
MODELS = [cls for cls in mechanisms.of("checkins") if not cls.needs_venues]
EDGES = dict(zip(("west", "south", "east", "north"), CITY, strict=True))


def quick_among(classes, *names):
    """The classes, those that are not of these names as slow tests."""
    slow = [cls for cls in classes if cls.registered_name() not in names]
    return [pytest.param(one, id=one.registered_name(), marks=[pytest.mark.slow] * (one in slow)) for one in classes]


def flu():
    """Two years of the visits in 51 areas."""
    return counted(measured_set(SHARED / "data/streams/stateflu.csv").counts[:104])


def season(timestamps=120, dimensions=8, seed=3):
    rng = np.random.default_rng(seed)
    mean = 300 * (1.2 + np.sin(np.arange(timestamps) / 9))[:, None] * np.linspace(0.2, 2, dimensions)
    return counted(rng.poisson(mean))


def measured(mechanism, stream, releases=50):
    """Typical, 95 % and mean error, and ARE, of so many releases by other seeds than those of the forecast."""
    made = [mechanism.release(stream, rng=noise.seeded(1000 + i)).counts.astype(float) for i in range(releases)]
    errors = np.abs(np.array(made) - stream.counts)
    are = np.mean([relative_errors(stream.counts, one).mean() for one in made])
    return [*np.quantile(errors, [0.5, 0.95]), errors.mean(), are]


DATA = {"season": season, "flu": flu}


class TestCounts:
    @pytest.mark.parametrize("data", ["season", pytest.param("flu", marks=pytest.mark.slow)])
    @pytest.mark.parametrize("cls", quick_among(STREAMS, "stream-uniform", "stream-sample", "stream-kalman"))
    def test_are_those_of_fifty_releases(self, cls, data):
        stream, mechanism = DATA[data](), plain_example(cls, epsilon=2.0, window=10)
        found = count_forecast(mechanism, stream)
        shown = [found.typical_error, found.p95_error, found.mean_error, found.are]
        assert shown == pytest.approx(measured(mechanism, stream), rel=WITHIN)
        assert found.exact == (found.runs == 0) == (mechanism.known_noise(3) is not None)
        assert count_forecast(mechanism, stream) == found

    @given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.floats(0.01, 5.0))
    def test_closed_form_and_simulation_agree_on_a_repeated_count(self, seed, window, epsilon):
        """By summing the probabilities of all values of the noise."""
        counts = np.random.default_rng(seed).integers(0, 30, (9, 2))
        mechanism = StreamSample(epsilon=epsilon, window=window)
        rate, values = mechanism.noise_rate(epsilon), np.arange(-5000, 5001)
        probability = np.exp(-rate * np.abs(values)) * np.tanh(rate / 2)
        shown = np.arange(9) // window * window
        errors = np.abs((counts[shown] - counts)[..., None] + values).ravel()
        order, weights = np.argsort(errors), np.broadcast_to(probability, (9, 2, len(values))).ravel() / 18
        below = np.cumsum(weights[order])
        found = count_forecast(mechanism, counted(counts))
        assert found.mean_error == pytest.approx((errors * weights).sum(), rel=1e-6)
        for share, value in ((0.5, found.typical_error), (0.95, found.p95_error)):
            assert below[np.searchsorted(errors[order], value, side="right") - 1] >= share - 1e-9
            if value:
                assert below[np.searchsorted(errors[order], value, side="left") - 1] < share + 1e-9

    def test_noise_of_level_one_by_hand(self):
        """|N| of rate 0.01 is at most k with probability 1 - 2 q^(k + 1) / (1 + q): half at 69, 95 % at 300 − 1."""
        found = count_forecast(StreamUniform(epsilon=1.0, window=100), season())
        assert (found.exact, found.typical_error, found.within) == (True, 69, 0.0)
        assert found.p95_error == pytest.approx(-np.log(0.05) / 0.01, abs=1)

    def test_of_nothing_and_of_zeros(self):
        empty, stream = counted(np.empty((0, 2))), season()
        assert count_forecast(StreamUniform(epsilon=1.0, window=2), empty).are is zeros_forecast(empty).are is None
        zeros = zeros_forecast(stream)
        assert (zeros.typical_error, zeros.mean_error) == (np.median(stream.counts), stream.counts.mean())
        assert zeros.are == pytest.approx(relative_errors(stream.counts, 0 * stream.counts).mean())

    def test_in_pieces_it_is_that_of_the_whole(self, monkeypatch):
        mechanism, stream = StreamSample(epsilon=1.0, window=7), season()
        whole = count_forecast(mechanism, stream)
        monkeypatch.setattr("privacy_engine.analysis.stream_forecast.COUNTS_AT_ONCE", 50)
        assert count_forecast(mechanism, stream).model_dump() == pytest.approx(whole.model_dump(), rel=1e-12)

    def test_of_large_streams_each_run_keeps_some_errors(self, monkeypatch):
        mechanism, stream = plain_example(mechanisms["stream-kalman"], epsilon=2.0, window=10), season()
        whole = count_forecast(mechanism, stream)
        monkeypatch.setattr("privacy_engine.analysis.stream_forecast.MOST_ERRORS", 8 * 300)
        some = count_forecast(mechanism, stream)
        assert some.runs == 8
        assert some.typical_error == pytest.approx(whole.typical_error, rel=0.2)
        monkeypatch.setattr("privacy_engine.analysis.repeated.MOST_SECONDS", 0.0)
        assert count_forecast(mechanism, stream).typical_error is None


class TestCheckins:
    @pytest.mark.parametrize("cls", quick_among(MODELS, "checkin-popularity"))
    def test_are_hit_rates_of_users_held_out_by_other_seeds(self, cls):
        checkins = CityCheckIns(users=300, per_user=20, seed=4).data()
        mechanism = plain_example(cls, epsilon=2.0, side=8, **EDGES)
        found, rates, rng = checkin_forecast(mechanism, checkins), [], noise.seeded(77)
        for i in range(50):
            fitted, others = split_by_user(checkins, TEST_SHARE, np.random.default_rng([9, i]))
            model, length = mechanism.release(fitted, rng=rng), mechanism.parameter("order", 1)
            rates.append(HitRate().over(Evaluation(model, fitted, others, length)) / 100)
        assert found.hit_rate == pytest.approx(np.mean(rates), rel=WITHIN)
        assert found.gain == pytest.approx(found.hit_rate - found.baseline)
        assert found.baseline == checkin_forecast(mechanisms["checkin-nearest"](**_grid(mechanism)), checkins).hit_rate
        assert checkin_forecast(mechanism, checkins) == found

    def test_of_one_user_or_no_moves_nothing_is_known(self):
        mechanism = plain_example(mechanisms["checkin-popularity"], **BOX)
        assert checkin_forecast(mechanism, uploaded([[3], [4]])).baseline is None
        one = checkin_forecast(mechanism, uploaded([[3, 5, 3]]))
        assert (one.runs, one.hit_rate) == (0, None)


class TestEffort:
    def test_slow_runs_are_fewer_and_none_where_the_fewest_take_too_long(self):
        how = Effort(seconds=0.2, fewest=8)
        assert [how.runs(once_s) for once_s in (0.001, 0.03, 1.0, 3.0)] == [(8, 200), (6, 6), (4, 0), None]


class TestPrecision:
    def test_figures_are_off_by_as_much_as_stated(self):
        """Of 400 samples of exponential errors about 95 % are within two deviations, which do not grow for safety."""
        rng, true = np.random.default_rng(5), -np.log([0.5, 0.05])
        found = []
        for _ in range(400):
            errors = rng.exponential(1, (10, 200))
            off = np.abs(np.quantile(errors, [0.5, 0.95]) / true - 1).max()
            found.append((off, off_by(errors, independent=True), off_by(errors)))
        off, independent, by_run = np.array(found).T
        assert 0.88 < np.mean(off <= independent) < 0.98
        assert np.median(by_run) == pytest.approx(np.median(independent), rel=0.3)

    def test_more_runs_are_drawn_until_it_is_precise_or_there_are_enough(self):
        rng, drawn = np.random.default_rng(6), []

        def draw(runs):
            drawn.append(runs)
            return rng.normal(10, 1, runs)

        found, off = repeated(draw, mean_off_by, first=8, most=100_000, precision=0.005)
        assert off == mean_off_by(found) <= 0.005
        assert len(found) == sum(drawn) < 3000
        assert len(repeated(draw, mean_off_by, first=8, most=20, precision=0.005)[0]) == 20
        assert len(repeated(draw, mean_off_by, first=8, most=2, precision=0.005)[0]) == 8


def _grid(mechanism):
    names = "epsilon", "contributions", "side", *EDGES
    return {name: getattr(mechanism, name) for name in names}
