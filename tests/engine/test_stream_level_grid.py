"""``stream-shrink`` with one dimension: distributions of a level over a grid, against plain sums and drawn levels."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.kernels.level_bank import median
from privacy_engine.kernels.level_grid import change_levels, errors_on_grid, observe_on_grid
from privacy_engine.mechanisms.stream import StreamKalman, StreamShrink
from privacy_engine.mechanisms.stream.shrinkage.single import FILTERS, MASS, RATES, Single
from tests.cases import each

GRID = np.exp(np.arange(-2.0, 8.0, 0.1))


def around(level, width=0.2):
    found = np.exp(-0.5 * ((np.log(GRID) - math.log(level)) / width) ** 2)
    return found / found.sum()


def laplace(u, b):
    return np.exp(-np.abs(u) / b) / (2 * b)


class TestKernels:
    @given(variance=st.floats(0.0, 40.0), renewed=st.floats(0.0, 1.0))
    @settings(deadline=None, max_examples=40)
    def test_a_change_keeps_the_sum_and_adds_its_variance(self, variance, renewed):
        p, base = np.stack([around(20.0)]), np.full(len(GRID), 1 / len(GRID))
        steps = np.arange(len(GRID))
        before, mean = p[0] @ (steps - p[0] @ steps) ** 2, p[0] @ steps
        change_levels(p, np.array([variance]), np.zeros(1), base)
        assert p.sum() == pytest.approx(1.0)
        assert p[0] @ (steps - mean) ** 2 - before == pytest.approx(variance, rel=0.02, abs=1e-9)
        kept = p.copy()
        change_levels(p, np.zeros(1), np.array([renewed]), base)
        assert p == pytest.approx((1 - renewed) * kept + renewed * base)

    @each(("z", "b"), [(80.0, 20.0), (-300.0, 20.0), (5.0, 3.0)])
    def test_levels_given_a_sample_are_those_of_a_plain_sum(self, z, b):
        """Counts are normal around the level with its variance and 30 % of it; noise is Laplace's."""
        prior, log_weight, count = np.stack([around(50.0, 0.8)]), np.zeros(1), np.empty((1, len(GRID)))
        p = prior.copy()
        observe_on_grid(z, b, GRID, np.array([0.3]), 1.0, p, log_weight, count)
        x = np.linspace(-9, 9, 4001)
        expected = np.empty(len(GRID))
        for i, level in enumerate(GRID):
            sd = math.sqrt(level + (0.3 * level) ** 2)
            weight = np.exp(-0.5 * x * x) * laplace(z - level - sd * x, b)
            expected[i] = prior[0, i] * weight.sum()
            assert count[0, i] == pytest.approx(max((weight @ (level + sd * x)) / weight.sum(), 0.0), abs=0.02 * sd)
        assert p[0] == pytest.approx(expected / expected.sum(), abs=1e-4)

    @given(seed=st.integers(0, 2**32))
    def test_the_median_has_half_of_the_weight_below(self, seed):
        weight = np.random.default_rng(seed).random(len(GRID))
        found = median(weight, GRID)
        inside = found / math.exp(0.1) > GRID
        assert weight[inside].sum() <= 0.5 * weight.sum()
        assert weight[found * math.exp(0.1) < GRID].sum() <= 0.5 * weight.sum()

    @each("varies", [0.0, 0.3, 1.0])
    def test_what_is_expected_of_more_noise_is_a_larger_error_of_at_most_the_level(self, varies):
        level, filters, ones = around(100.0), np.array([[0.05], [0.003], [0.3]]), np.ones(5)
        variances = np.array([1.0, 1e2, 1e4, 1e6, 1e12])
        found = errors_on_grid(GRID, level, filters, np.ones(1), varies, 10.0 * ones, variances, 5.0 * ones)
        assert (np.diff(found) > 0).all()
        assert found[-1] <= 1.01 * float(level @ GRID)

    def test_errors_of_levels_are_averaged_where_the_stream_varies_and_their_logarithms_where_it_is_unknown(self):
        """Under infinite noise the error at a level is that level: from their geometric mean to their mean."""
        level, filters, one = 0.5 * (around(2.0) + around(200.0)), np.array([[0.0], [0.0], [0.0]]), np.ones(1)
        known = level >= 2e-3
        share = level[known] / level[known].sum()
        geometric, mean = np.exp(share @ np.log(GRID[known])), share @ GRID[known]
        for varies, expected in ((0.0, geometric), (1.0, mean), (0.5, math.sqrt(geometric * mean))):
            found = errors_on_grid(GRID, level, filters, one, varies, one, np.full(1, 1e18), one)
            assert found[0] == pytest.approx(expected, rel=1e-3)


class TestSingle:
    def test_filters_are_ordered_as_the_kernels_take_them(self):
        _, rate, white = FILTERS
        assert (np.diff(white) >= 0).all()
        assert (rate.reshape(-1, len(RATES)) == RATES).all()

    def test_clear_levels_vary_and_what_is_hidden_by_noise_does_not(self):
        rng = np.random.default_rng(5)
        clear, hidden = Single(1.0), Single(1.0)
        for level in np.repeat([20.0, 200.0], 15):
            clear.sample(rng.poisson(level) + rng.laplace(0, 1.0), 1.0)
            hidden.sample(rng.poisson(level) + rng.laplace(0, 1000.0), 1000.0)
        assert clear.varies > 0.9
        assert hidden.varies < 0.3

    def test_levels_are_drawn_again_as_often_as_they_occurred_and_the_prior_is_a_tenth_of_a_sample(self):
        single = Single(1.0)
        expected = MASS * single.base
        for level in (20.0, 200.0, 20.0, 21.0):
            single.sample(level, 1.0)
            expected += single.weight @ single._p
            assert np.allclose(single.base, expected / expected.sum(), rtol=1e-12, atol=0)

    @given(parts=st.lists(st.integers(1, 9), min_size=1, max_size=6))
    def test_timestamps_ahead_do_not_depend_on_how_many_are_computed_at_once(self, parts):
        one, other = Single(1.0), Single(1.0)
        for single in (one, other):
            single.sample(30.0, 5.0)
        together = np.concatenate([one.ahead(n) for n in parts])
        assert np.array_equal(together, other.ahead(sum(parts)))

    @given(
        z=st.lists(st.floats(-1e18, 1e18), min_size=1, max_size=4), b=st.floats(0.05, 1e9), least=st.floats(1e-5, 1e3)
    )
    @settings(deadline=None, max_examples=60)
    def test_everything_is_finite_and_not_negative(self, z, b, least):
        single = Single(least)
        for one in z:
            assert 0.0 <= single.sample(one, b) < math.inf
            assert (single.ahead(3) >= 0).all()
            assert np.isfinite(single.errors(np.ones(2), np.full(2, 2 * b * b), np.ones(2))).all()


class TestPublisher:
    @pytest.mark.slow
    @each("mean", [0.05, 0.4, 1.5])
    @each("epsilon", [0.1, 1.0])
    def test_a_stream_with_next_to_no_counts_is_published_nearly_as_zeros(self, mean, epsilon):
        """The absolute error of zeros is the mean count."""
        rows = np.random.default_rng(6).poisson(mean, (400, 1))
        mechanism = StreamShrink(epsilon=epsilon, window=100, sensitivity=1)
        runs = [mechanism.start(1, noise.seeded(seed)).publish_all(rows) for seed in range(8)]
        assert np.mean([np.abs(run - rows).mean() for run in runs]) < 1.2 * rows.mean() + 0.05

    def test_epidemics_are_followed_better_than_by_kalman(self):
        """Levels from 2 to 200 and back within 52 timestamps: 15 % less absolute error at least, mean of 4 runs."""
        wave = np.exp(3.0 + 2.3 * np.sin(2 * np.pi * np.arange(260) / 52))
        rows = np.random.default_rng(8).poisson(wave)[:, None]
        found = []
        for cls in (StreamShrink, StreamKalman):
            runs = [cls(epsilon=0.5, window=20, sensitivity=1).start(1, noise.seeded(seed)) for seed in range(4)]
            found.append(np.mean([np.abs(run.publish_all(rows) - rows).mean() for run in runs]))
        assert found[0] < 0.85 * found[1]
