"""``stream-shrink``: its filters against plain integration, its budget, and errors below those of simpler ones."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import WindowLedger
from privacy_engine.kernels.laplace_filter import observe, proportions, scaled_erfc
from privacy_engine.kernels.level_bank import medians_under, move_levels, update_levels
from privacy_engine.kernels.level_grid import medians_ahead
from privacy_engine.kernels.stream_levels import excess_losses, median_share
from privacy_engine.mechanisms.base.publisher_state import from_bytes, to_bytes
from privacy_engine.mechanisms.stream import StreamKalman, StreamSample, StreamShrink
from privacy_engine.mechanisms.stream.shrink import LAYOUT, SIGNIFICANT
from privacy_engine.mechanisms.stream.shrinkage import distributions, schedule
from privacy_engine.mechanisms.stream.shrinkage.distributions import LevelDistributions, counts_below, levels_of
from privacy_engine.mechanisms.stream.shrinkage.factor import LEAST_STRICT
from privacy_engine.mechanisms.stream.shrinkage.filters import FILTERS
from privacy_engine.mechanisms.stream.shrinkage.levels import ONE_EVENT, Levels
from privacy_engine.mechanisms.stream.shrinkage.schedule import Plan, Scheduler, after_total, first_plan, largest_budget
from privacy_engine.mechanisms.stream.shrinkage.single import Single
from privacy_engine.mechanisms.stream.shrinkage.total import Total, noisy_totals
from tests.cases import each


def density(u, variance, b):
    """Density of normal plus Laplace noise by a plain sum over the normal variable."""
    x = np.linspace(-10, 10, 200_001) * math.sqrt(variance)
    normal = np.exp(-0.5 * x * x / variance) / math.sqrt(2 * math.pi * variance)
    return float((normal * np.exp(-np.abs(u - x) / b) / (2 * b)).sum() * (x[1] - x[0]))


class TestFilters:
    @given(x=st.floats(-5, 25))
    def test_the_scaled_function_is_that_of_the_standard_library(self, x):
        assert scaled_erfc(x) == pytest.approx(math.exp(x * x) * math.erfc(x), rel=2e-7)

    @given(ratio=st.floats(0.1, 50), u=st.floats(-40, 40), variance=st.floats(0.01, 1e4))
    @settings(max_examples=60, deadline=None)
    def test_the_density_is_that_of_the_sum(self, ratio, u, variance):
        b = math.sqrt(variance) / ratio
        u *= math.sqrt(variance) / 8
        log, _, _ = observe(u, variance, b)
        assert log == pytest.approx(math.log(density(u, variance, b)), abs=2e-3)

    @given(ratio=st.floats(0.05, 25), u=st.floats(-30, 30))
    @settings(deadline=None)
    def test_the_derivatives_are_those_of_the_density(self, ratio, u):
        b, h = 1.0 / ratio, 1e-3
        (before, _, _), (_, score, curve), (after, _, _) = (observe(u + k * h, 1.0, b) for k in (-1, 0, 1))
        assert -score == pytest.approx((after - before) / (2 * h), abs=1e-2 / b)
        assert abs(score) <= 1 / b + 1e-9
        assert curve <= 0

    def test_mixing_proportions_find_the_filter_that_explains_the_samples(self):
        log_weight = np.zeros((200, 3))
        log_weight[:150, 1] = 5.0
        log_weight[150:, 2] = 5.0
        base, found = np.full(3, 1 / 3), np.full(3, 1 / 3)
        proportions(np.exp(log_weight), base, 1.0, 50, found)
        assert found.sum() == pytest.approx(1.0)
        assert found == pytest.approx([0.0, 0.75, 0.25], abs=0.02)


class TestLevels:
    GRID = levels_of(0.02, 0.1, 120)

    def observed(self, z, b, runs=1, drifts=(0.02,), whites=(0.0,), p=None):
        """Distributions (d, g) of levels, and medians of counts, after ``runs`` samples of the same ``z`` (d,)."""
        z, g = np.asarray(z, float), len(self.GRID)
        d, m, w = len(z), 2 * len(drifts), len(whites)
        p = np.full((d, m, g), 1 / g) if p is None else p
        log_weight, weight, count = np.zeros((d, m * w)), np.zeros((d, m * w)), np.zeros(d)
        occurred, joint, mixing = np.zeros((d, 2, g)), np.zeros((d, w, g)), np.full(m * w, 1 / (m * w))
        for _ in range(runs):
            how = 0.1, np.array(drifts), np.array(whites), 1.0, 0.005, 2.0, 1.0, 0.0, 0.97
            update_levels(z, b, self.GRID, *how, mixing, p, log_weight, occurred, weight, joint, count)
        return joint, count, p

    @given(
        parts=st.lists(st.floats(0, 1), min_size=3, max_size=60).filter(lambda parts: sum(parts) > 0.1),
        variance=st.floats(0.01, 4000),
    )
    def test_a_change_keeps_what_there_is_and_its_centre(self, parts, variance):
        p = np.zeros(1500)
        p[700 : 700 + len(parts)] = np.array(parts) / sum(parts)
        places, before = np.arange(1500), p.copy()
        move_levels(p, variance, np.empty(1500))
        assert p.sum() == pytest.approx(1.0)
        assert (p >= 0).all()
        assert p @ places == pytest.approx(before @ places, abs=1e-6)
        spread = (p @ places**2 - (p @ places) ** 2) - (before @ places**2 - (before @ places) ** 2)
        assert spread == pytest.approx(variance, rel=0.02)

    def test_the_likelihood_of_a_level_is_that_of_plain_integration(self):
        """Flat prior, one sample: weights of levels against the density of a normal count with Laplace noise."""
        joint, _, _ = self.observed([30.0], 10.0, whites=(0.5,))
        variance = self.GRID + (0.5 * self.GRID) ** 2
        expected = np.array([density(30.0 - g, v, 10.0) for g, v in zip(self.GRID[::8], variance[::8], strict=True)])
        assert joint[0, 0, ::8] / joint[0, 0, ::8].sum() == pytest.approx(expected / expected.sum(), abs=2e-3)

    @given(z=st.lists(st.floats(-1e18, 1e18), min_size=1, max_size=4), b=st.floats(0.05, 1e9))
    @settings(max_examples=60, deadline=None)
    def test_distributions_stay_distributions_whatever_the_samples(self, z, b):
        joint, count, p = self.observed(z, b, runs=2, drifts=(0.005, 0.5), whites=(0.0, 2.0))
        assert p.sum(axis=2) == pytest.approx(1.0)
        assert joint.sum(axis=(1, 2)) == pytest.approx(1.0)
        assert (count >= 0).all()
        assert np.isfinite(count).all()

    def medians(self, joint, mass=3.0):
        base = np.full(len(self.GRID), 1 / len(self.GRID))
        prior, found = base.copy(), np.empty((3, len(joint)))
        proportions(joint.sum(axis=1), base, mass, 8, prior)
        medians_under(joint, prior, np.ones(len(prior)), self.GRID, counts_below(0.02, 0.1, 120, (0.0,)), found)
        return found[2]

    def test_levels_without_noise_are_kept_and_noise_around_zero_is_next_to_nothing(self):
        levels = np.exp(np.random.default_rng(1).uniform(3, 7, 50))
        assert self.medians(self.observed(levels, 1.0, runs=20)[0]) == pytest.approx(levels, rel=0.1)
        only_noise = np.random.default_rng(2).laplace(0, 5, 400)
        assert (self.medians(self.observed(only_noise, 5.0)[0], mass=0.1) < 1.5).mean() > 0.95

    def test_the_median_of_a_count_is_that_of_draws(self):
        """A gamma variable with Poisson's variance and half its level as deviation, 200,000 draws."""
        joint = np.zeros((1, 1, 120))
        joint[0, 0, 80] = 1.0
        found, level = np.empty((3, 1)), self.GRID[80]
        below = counts_below(0.02, 0.1, 120, (0.5,))
        medians_under(joint, np.full(120, 1 / 120), np.ones(120), self.GRID, below, found)
        shape = 1 / (1 / level + 0.25)
        drawn = np.median(np.random.default_rng(5).gamma(shape, level / shape, 200_000))
        assert found[:, 0] == pytest.approx([level, 0.0, drawn], rel=0.02, abs=1e-6)

    def test_the_rhythm_moves_grids_by_whole_steps_and_changes_no_estimate(self, monkeypatch):
        """Totals that grow a hundredfold, then fall: estimates are those of a grid that is never moved."""
        z, found = np.array([10.0, 300.0, 50.0]), []
        for moved in (10, 10**9):
            monkeypatch.setattr(distributions, "MOVED", moved)
            near = LevelDistributions(3, 1000.0, relative=False)
            for factor in (1.0, 4.0, 5.0, 5.0, 0.2, 0.1):
                z = z * factor
                near.update(z, 5.0, float(z.mean()), common=0.01, ratio=factor, steps=3)
            found.append(near.median)
            z = np.array([10.0, 300.0, 50.0])
        assert found[0] == pytest.approx(found[1], rel=1e-3)

    @each("shape", [0.3, 1.0, 4.0, 50.0])
    def test_the_share_of_the_median_is_that_of_draws(self, shape):
        """The median of 200,000 draws; Wilson and Hilferty's formula is within 0.02 of the mean."""
        drawn = np.median(np.random.default_rng(5).gamma(shape, size=200_000)) / shape
        assert median_share(1 / shape) == pytest.approx(drawn, abs=0.02)

    @each(("counts", "published"), [(3.0, 8.0), (40.0, 8.0)])
    def test_losses_are_unbiased_under_the_noise(self, counts, published):
        """Mean over 400,000 draws with b = 5: |x - r| - |x|, within five of its standard errors and the kernel's."""
        b, n = 5.0, 400_000
        z = counts + np.random.default_rng(7).laplace(0, b, n)
        mean, variance = excess_losses(z, b, 0.5, np.ones(n), np.full(n, published), np.zeros(n))
        assert mean == pytest.approx(abs(counts - published) - counts, abs=5 * math.sqrt(variance / n) + 0.1)


class TestBudget:
    @given(
        spent=st.lists(st.floats(0, 0.05), min_size=1, max_size=19),
        t=st.integers(0, 400),
        interval=st.sampled_from([1, 2, 5, 6]),
        share=st.sampled_from([0.0, 0.1, 0.4]),
    )
    @settings(deadline=None)
    def test_a_plan_fits_into_what_the_window_has_left(self, spent, t, interval, share):
        plan = Scheduler(1.0, 20, 1, True).plan(interval, share, t, np.array(spent))
        ledger = WindowLedger(1.0, 20)
        ledger.spend_all(np.array(spent))
        ledger.spend_all(np.full(plan.wait - 1, plan.total_budget))
        ledger.spend(plan.total_budget + plan.budget)
        assert plan.budget > 0
        assert plan.wait <= interval + 20

    @given(seed=st.integers(0, 2**32), dimensions=st.sampled_from([1, 3, 5000]), delta=st.integers(1, 50))
    @settings(max_examples=40, deadline=None)
    def test_neighbours_have_totals_that_differ_by_at_most_the_sensitivity(self, seed, dimensions, delta):
        rng = np.random.default_rng(seed)
        counts = rng.integers(0, rng.choice([5, 2**52]), (1, dimensions))
        other = counts.copy()
        other[0, rng.integers(dimensions)] += delta
        none = np.zeros(1, dtype=np.int64)
        most = 2**62 // dimensions
        first, second = (int(np.minimum(rows, most).sum()) for rows in (counts, other))
        assert 0 <= second - first <= delta
        assert noisy_totals(counts, none)[0] == pytest.approx(first)

    @pytest.mark.slow
    @given(epsilon=st.floats(1e-3, 1e3), window=st.integers(1, 300), dimensions=st.integers(1, 4), seed=st.integers(0))
    @settings(max_examples=30, deadline=None)
    def test_no_sample_has_less_noise_than_declared(self, epsilon, window, dimensions, seed):
        rows = np.random.default_rng(seed).poisson(20.0, (120, dimensions))
        run = StreamShrink(epsilon=epsilon, window=window, sensitivity=1).start(dimensions, noise.seeded(0))
        for row in rows:
            assert run._plan.budget <= largest_budget(epsilon, window) * (1 + 1e-12)
            run.publish(row)

    def test_the_first_sample_spends_what_the_first_total_suggests(self):
        """Samples are (2 (w / (ε · 0.06 · average))²)^(1/3) apart, at most half a window, at least a tenth is spent."""
        first = first_plan(1.0, 100, 5)
        assert (first.share, first.wait, first.budget, first.total_budget) == (0.1, 0, 0.0, 0.02)
        for average, interval, budget in ((-40.0, 50, 0.45), (20.0, 24, 0.216), (1000.0, 1, 0.09)):
            plan = after_total(first, average, 1.0, 100, 1)
            assert (plan.interval, plan.share, plan.wait, plan.total_budget) == (interval, 0.1, 0, 0.02)
            assert plan.budget == pytest.approx(budget)


def errors(mechanism, rows, runs=3):
    """Mean absolute error by dimension's mean, over runs: the relative error without its unit."""
    level = np.maximum(rows.mean(axis=0), 0.01)
    found = []
    for seed in range(runs):
        published = mechanism.start(rows.shape[1], noise.seeded(seed)).publish_all(rows)
        found.append(float((np.abs(published - rows) / level).mean()))
    return float(np.mean(found))


class TestUtility:
    @pytest.mark.slow
    @each(("level", "epsilon"), [(500.0, 1.0), (50.0, 0.5), (2.0, 0.2)])
    def test_it_is_below_the_filter_without_a_total_and_the_plain_sample(self, level, epsilon):
        week = 1 + 0.5 * np.sin(2 * np.pi * np.arange(200) / 30)
        levels = level * np.exp(np.random.default_rng(4).normal(0, 1, 40))
        rows = np.random.default_rng(3).poisson(levels * week[:, None])
        ours = errors(StreamShrink(epsilon=epsilon, window=50, sensitivity=1), rows)
        for cls in (StreamKalman, StreamSample):
            assert ours < errors(cls(epsilon=epsilon, window=50, sensitivity=1), rows)

    @each("relative", [True, False])
    @each("last", [1, 4, 10, 34])
    def test_an_interval_changes_at_most_by_a_factor_of_three_and_is_a_third_of_the_window(self, relative, last):
        levels, total = Levels(3, 10.0, relative=relative), Total()
        levels.level[:] = 500.0, 20.0, 1.0
        levels.near.weight[:] = 1 / FILTERS.shape[1]
        total.state[:2] = 521.0, 400.0
        before, budgets = Plan(last, 0.1, 0, 0.1, 0.001), np.full(50, 0.005)
        plan = Scheduler(1.0, 100, 1, relative).choose(before, 50, levels, total, budgets)
        assert last / 3 - 1 <= plan.interval <= min(3 * last, 34)


class TestStates:
    ROWS = np.random.default_rng(1).poisson([300.0, 20.0, 1.0], (90, 3))

    def run(self, timestamps):
        run = StreamShrink(epsilon=1.0, window=10, sensitivity=1).start(3, noise.seeded(1))
        run.publish_all(self.ROWS[:timestamps])
        return run

    @each("dimensions", [1, 4])
    @each(("window", "layout"), [(1, 2), (100, 2), (1, 3), (100, 3)])
    def test_a_state_of_an_earlier_layout_publishes_its_levels_until_the_next_sample(self, dimensions, window, layout):
        mechanism = StreamShrink(epsilon=1.0, window=window, sensitivity=1)
        rows = np.full((110, dimensions), 5000)
        run, other = mechanism.start(dimensions, noise.seeded(1)), mechanism.start(dimensions, noise.seeded(2))
        run.publish_all(rows)
        stored = from_bytes(run.state())
        stored["own"]["_layout"] = layout
        other.restore(to_bytes(stored))
        again = mechanism.start(dimensions, noise.seeded(3))
        published = other.publish(rows[0])[None]
        again.restore(other.state())
        published = np.concatenate([published, again.publish_all(rows)])
        assert published == pytest.approx(np.full(published.shape, 5000.0), rel=0.35)
        WindowLedger(1.0, window).spend_all(np.concatenate([run.budgets, other.budgets, again.budgets]))

    def test_a_state_without_levels_is_continued_as_zeros(self):
        run, other = self.run(40), StreamShrink(epsilon=1.0, window=10, sensitivity=1).start(3, noise.seeded(2))
        stored = from_bytes(run.state())
        del stored["own"]["_layout"], stored["own"]["_levels"]
        other.restore(to_bytes(stored))
        assert np.isfinite(other.publish_all(self.ROWS[40:])).all()


class TestNextToNothing:
    """Counts whose total is below the noise: nothing is better than zeros, and next to them is where this stays."""

    @staticmethod
    def by_zeros(rows, seeds=2, **how):
        """Mean absolute and relative error by those of zeros."""
        least = np.maximum(rows, 0.01 * np.maximum(rows.sum(axis=0), 1))
        runs = [StreamShrink(**how).start(rows.shape[1], noise.seeded(seed)).publish_all(rows) for seed in range(seeds)]
        errors = np.abs(np.array(runs) - rows)
        return errors.mean() / rows.mean(), (errors / least).mean() / (rows / least).mean()

    @pytest.mark.slow
    @each("objective", ["relative", "absolute"])
    @each("window", [10, 100])
    def test_cells_of_a_grid_with_a_few_events_at_a_timestamp(self, window, objective):
        rng = np.random.default_rng(0)
        rows = rng.multinomial(12, np.full(300, 1 / 300), size=60)
        absolute, relative = self.by_zeros(rows, epsilon=1.0, window=window, sensitivity=1, objective=objective)
        assert absolute <= 1.1
        assert relative <= 1.5

    def test_a_clear_dimension_among_empty_ones_is_published(self):
        rows = np.zeros((60, 100), dtype=np.int64)
        rows[:, 7] = 500
        published = StreamShrink(epsilon=1.0, window=20, sensitivity=1).start(100, noise.seeded(1)).publish_all(rows)
        assert np.median(published[:, 7]) == pytest.approx(500, rel=0.1)
        assert np.delete(published, 7, axis=1).mean() < 0.5

    def test_less_than_half_a_count_is_published_as_none(self):
        rows = np.random.default_rng(1).poisson(0.3, (60, 40))
        published = StreamShrink(epsilon=5.0, window=10, sensitivity=1).start(40, noise.seeded(1)).publish_all(rows)
        assert not ((published > 0) & (published < 0.5)).any()


WINDOW = 30


@pytest.mark.parametrize("dimensions", [1, 3])
@pytest.mark.parametrize("layout", [None, LAYOUT - 1, LAYOUT + 1])
def test_only_levels_and_budgets_of_another_layout_are_read(dimensions, layout):
    mechanism = StreamShrink(epsilon=1.0, window=WINDOW, sensitivity=1)
    rows = np.tile(np.arange(1, dimensions + 1) * 1000, (40, 1))
    run, other = (mechanism.start(dimensions, noise.seeded(seed)) for seed in (1, 2))
    run.publish_all(rows)
    stored = from_bytes(run.state())
    stored["own"] = {"_layout": layout, "_levels": stored["own"]["_levels"], "_total": "of another layout"}
    other.restore(to_bytes(stored))
    fresh = mechanism.start(dimensions, noise.seeded(2))
    assert other._last == -1
    assert vars(other._total).keys() == vars(fresh._total).keys()
    wait = other._wait
    assert 0 < wait < WINDOW
    between = other.publish_all(rows[:wait])
    assert between == pytest.approx(np.tile(run._levels.level, (wait, 1)), abs=5e-4)
    other.publish(rows[0])
    assert other._last == 40 + wait


@pytest.mark.parametrize(("count", "doubted"), [(0, True), (5000, False)])
def test_levels_are_doubted_where_the_total_may_be_noise(count, doubted):
    run = StreamShrink(epsilon=1.0, window=WINDOW, sensitivity=1).start(3, noise.seeded(1))
    run.publish(np.full(3, count))
    near = run._levels.near
    strict = near.mean / np.sqrt(near.variance + ONE_EVENT)
    assert (run._total.value < SIGNIFICANT * run._total.deviation) == doubted
    assert np.allclose(run._levels.signal, strict, rtol=1e-12) == doubted
    assert (run._factor.gate >= LEAST_STRICT) == doubted


def test_a_sample_ends_the_time_without_samples():
    one = Single(1.0)
    for level in (40.0, 60.0):
        one.sample(level, 2.0)
        found = one.ahead(3)
        assert np.array_equal(found, medians_ahead(0, 3, one._kept, *one._counts()))


def test_no_level_of_the_search_is_below_a_twentieth_of_a_count():
    assert schedule._representatives(Levels(2, 1.0, relative=True))[0].tolist() == [0.05, 0.05]
