"""BD, BA, FAST, RescueDP and PeGaSus: vectors of streams.md, and what each decides by."""

import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.window_ledger import WindowLedger, window_sums
from privacy_engine.errors import BudgetError
from privacy_engine.kernels.kalman import filter_rows
from privacy_engine.kernels.stream_groups import LARGEST, MOST, pegasus, scaled_deviation
from privacy_engine.mechanisms import stream as streams
from privacy_engine.mechanisms.stream.ba import BudgetAbsorption
from privacy_engine.mechanisms.stream.bd import BudgetDistribution
from privacy_engine.mechanisms.stream.fast import next_interval
from privacy_engine.mechanisms.stream.feedback import corrected
from privacy_engine.mechanisms.stream.rescuedp import grouped
from tests.cases import each
from tests.engine.stream_sets import counted


def spent_by(rule, wishes):
    """What a budget rule spends where a release is drawn whenever it is wished for and offered."""
    found = []
    for wish in wishes:
        found.append(rule.offered() if wish else 0.0)
        rule.close(found[-1])
    return found


class TestBudgetRules:
    def test_distribution_halves_what_is_left(self):
        found = spent_by(BudgetDistribution(0.5, 3), [1] * 6)
        assert found == [0.25, 0.125, 0.0625, 0.15625, 0.140625, 0.1015625]
        assert window_sums(np.array(found), 3).max() <= 0.5

    def test_absorption_takes_unused_shares_and_pays_for_them(self):
        found = spent_by(BudgetAbsorption(0.5, 4), [1, 0, 0, 1, 1, 1, 1, 1])
        assert found == [0.125, 0, 0, 0.375, 0, 0, 0.125, 0.125]

    @pytest.mark.parametrize("rule", [BudgetDistribution, BudgetAbsorption])
    @given(wishes=st.lists(st.booleans(), max_size=80), window=st.integers(1, 12), epsilon=st.floats(1e-3, 1e3))
    @settings(max_examples=100, deadline=None)
    def test_no_window_spends_more_than_epsilon(self, rule, wishes, window, epsilon):
        WindowLedger(epsilon, window).spend_all(np.array(spent_by(rule(epsilon, window), wishes)))

    def test_too_little_counts_as_nothing(self):
        found = spent_by(BudgetDistribution(0.5, 100, least=0.01), [1] * 10)
        assert found == [0.25, 0.125, 0.0625, 0.03125, 0.015625, 0, 0, 0, 0, 0]


def test_a_second_budget_of_a_timestamp_counts_in_its_windows():
    ledger = WindowLedger(1.0, 2)
    with pytest.raises(BudgetError):
        ledger.spend_more(0.1)  # there is no timestamp yet
    ledger.spend(0.25)
    ledger.spend_more(0.25)
    ledger.spend(0.25)
    ledger.spend_more(0.25)
    for wrong in (0.01, -0.1, float("nan")):
        with pytest.raises(BudgetError):
            ledger.spend_more(wrong)
    with pytest.raises(BudgetError):
        ledger.spend(float("inf"))
    assert ledger.left == 0.5
    ledger.spend(0.5)


class TestDissimilarity:
    @each("cls", [streams.StreamBD, streams.StreamBA])
    def test_constant_counts_are_published_rarely_and_a_jump_at_once(self, cls):
        rows = np.full((60, 5), 1000)
        rows[40:] = 9000
        release = cls(epsilon=10.0, window=20, sensitivity=1).release(counted(rows), rng=noise.seeded(2))
        drawn = np.flatnonzero((np.diff(release.counts, axis=0, prepend=0) != 0).any(axis=1)).tolist()
        assert drawn[0] == 0
        assert 40 in drawn
        assert len(drawn) <= 20
        assert np.abs(release.counts - rows).max() < 100

    def test_the_distance_costs_half_of_epsilon_over_the_window(self):
        mechanism = streams.StreamBD(epsilon=1.0, window=4, sensitivity=1)
        release = mechanism.release(counted(np.zeros((30, 2))), rng=noise.seeded(3))
        assert release.budgets.min() == 1.0 / 8

    def test_after_absorbing_nothing_is_spent(self):
        rows = np.zeros((12, 50), dtype=int)
        rows[6:] = 10_000
        release = streams.StreamBA(epsilon=1.0, window=6, sensitivity=1).release(counted(rows), rng=noise.seeded(1))
        assert release.budgets[6] > 1 / 12  # it took the shares of timestamps before it
        taken = round((release.budgets[6] - 1 / 12) * 12) - 1
        assert (release.budgets[7 : 7 + taken] == 0).all()


class TestFAST:
    def test_one_schedule_of_at_most_m_samples_a_window(self):
        rows = np.random.default_rng(1).integers(0, 10_000, (300, 4))
        mechanism = streams.StreamFAST(epsilon=1.0, window=30, samples=5, process_variance=1e6)
        budgets = mechanism.release(counted(rows), rng=noise.seeded(1)).budgets
        assert set(budgets) == {0.0, 0.2}
        assert window_sums((budgets > 0).astype(float), 30).max() == 5

    def test_quiet_counts_are_sampled_at_growing_intervals(self):
        rows = np.full((100, 3), 5000)
        mechanism = streams.StreamFAST(epsilon=1e4, window=60, samples=60, process_variance=1.0)
        sampled = np.flatnonzero(mechanism.release(counted(rows), rng=noise.seeded(1)).budgets)
        assert sampled[:3].tolist() == [0, 1, 6]  # the first error is 100 %, so the mean of two is 5 %
        assert (np.diff(sampled)[2:] > 6).all()

    def test_the_interval_follows_the_error(self):
        assert next_interval(5.0, np.array([0.1] * 5), 100) == 5.0
        assert next_interval(5.0, np.array([0.0]), 100) == pytest.approx(5.0 + 10 * (1 - np.exp(-1)))
        assert next_interval(5.0, np.array([1e9]), 100) == 1.0
        assert next_interval(98.0, np.array([0.0]), 100) == 100.0

    def test_the_filter_weighs_by_variance(self):
        estimate, variance = corrected(np.array([10.0]), np.array([3.0]), np.array([20.0]), np.array([1.0]))
        assert (estimate[0], variance[0]) == (17.5, 0.75)
        first = corrected(np.array([0.0]), np.array([np.inf]), np.array([20.0]), np.array([9.0]))
        assert (first[0][0], first[1][0]) == (20.0, 9.0)


def plain_deviation(values):
    mean = sum(values) / len(values)
    return sum(abs(value - mean) for value in values)


def plain_pegasus(counts, noisy, queries, thresholds, limit):
    """One dimension by Algorithms 2 and 3 of the paper, with the noise given."""
    group, seen, closed, found, threshold = [], [], True, [], 0
    for x, z, query, fresh in zip(counts, noisy, queries, thresholds, strict=True):
        if closed or len(group) == MOST:
            group, seen, closed, threshold = [x], [z], False, fresh
        elif np.floor(plain_deviation([*group, x]) + 1e-9) + query - threshold < limit:
            group, seen = [*group, x], [*seen, z]
        else:
            group, seen, closed = [x], [z], True
        found.append(statistics.median(seen))
    return found


class TestPeGaSus:
    @each(("values", "scaled"), [([9, 5], 8), ([9, 5, 6], 14), ([3, 3, 3, 7], 24), ([4], 0)])
    def test_deviations_of_streams_md(self, values, scaled):
        assert scaled_deviation(np.array(values), len(values)) == scaled
        assert plain_deviation(values) == pytest.approx(scaled / len(values))

    @given(st.lists(st.integers(0, LARGEST), min_size=1, max_size=12), st.data())
    @settings(max_examples=200, deadline=None)
    def test_a_change_by_k_changes_the_rounded_deviation_by_at_most_2k(self, values, data):
        at, k = data.draw(st.integers(0, len(values) - 1)), data.draw(st.integers(1, 50))
        other = [*values]
        other[at] = min(other[at] + k, LARGEST)
        n = len(values)
        one, two = (scaled_deviation(np.array(each), n) for each in (values, other))
        assert abs(one - two) <= 2 * k * (n - 1)  # of n times the deviation
        assert abs(one // n - two // n) <= 2 * k

    def test_the_largest_group_of_the_largest_counts_does_not_overflow(self):
        values = np.array([0, LARGEST] * (MOST // 2))
        assert scaled_deviation(values, MOST) == MOST * MOST * LARGEST // 2

    @given(st.integers(0, 2**32), st.sampled_from([0.0, 20.0, 1e9]))
    @settings(max_examples=40, deadline=None)
    def test_the_kernel_is_the_algorithm_of_each_dimension(self, seed, limit):
        rng = np.random.default_rng(seed)
        counts, noisy, queries, thresholds = (rng.integers(0, 30, (300, 2)) for _ in range(4))
        state = [np.zeros(shape, dtype=np.int64) for shape in ((2, MOST), (2, MOST), 2, 2)]
        out = np.empty((300, 2))
        pegasus(counts, noisy, queries, thresholds, limit, *state, out)
        for k in range(2):
            columns = (each[:, k].tolist() for each in (counts, noisy, queries, thresholds))
            assert out[:, k].tolist() == plain_pegasus(*columns, limit)


class TestRescueDP:
    def test_small_and_alike_dimensions_are_grouped(self):
        t = np.arange(10.0)
        history = np.column_stack([t, 2 * t, -t, t + 5, 0 * t])
        groups = grouped(np.array([5.0, 5.0, 5.0, 900.0, 5.0]), history)
        assert groups[0] == groups[1]
        assert len(set(groups.tolist())) == 4

    def test_a_group_ends_where_it_is_expected_to_count_enough(self):
        history = np.tile(np.arange(10.0), (6, 1)).T
        assert np.bincount(grouped(np.full(6, 20.0), history)).max() == 3


def plain_filter(noisy, sampled, noise_variance, drift, growth):
    """One dimension, as a textbook has it: predict, then correct by the gain."""
    rows, found = iter(noisy), []
    mean, variance = next(rows), noise_variance
    found.append(max(mean, 0.0))
    for is_sample in sampled[1:]:
        level = max(mean, 1.0)
        variance += (drift * level) ** 2 + growth * level
        if is_sample:
            gain = variance / (variance + noise_variance)
            mean += gain * (next(rows) - mean)
            variance *= 1 - gain
        found.append(max(mean, 0.0))
    return found


@given(seed=st.integers(0, 2**32), interval=st.integers(1, 5), noise_variance=st.floats(0.01, 1e6))
@settings(max_examples=40, deadline=None)
def test_the_kernel_is_the_textbook_filter_of_each_dimension(seed, interval, noise_variance):
    rng = np.random.default_rng(seed)
    sampled = np.arange(30) % interval == 0
    noisy = rng.normal(20, 15, (sampled.sum(), 3))
    found = filter_rows(noisy, sampled, noise_variance, 0.2, 1.0, np.zeros(3), np.full(3, np.inf))
    for k in range(3):
        assert found[:, k] == pytest.approx(plain_filter(noisy[:, k], sampled, noise_variance, 0.2, 1.0))
    assert (found >= 0).all()


@each(("window", "samples", "interval", "most"), [(100, 10, 10, 10), (20, 7, 2, 10), (5, 10, 1, 5), (7, 1, 7, 1)])
def test_a_window_holds_at_most_the_samples_that_share_epsilon(window, samples, interval, most):
    mechanism = streams.StreamKalman(epsilon=1.0, window=window, sensitivity=1, samples=samples)
    budgets = mechanism.release(counted(np.full((50, 2), 9)), rng=noise.seeded(1)).budgets
    assert np.flatnonzero(budgets).tolist() == list(range(0, 50, interval))
    assert set(budgets[budgets > 0]) == {1.0 / most}


def test_estimates_follow_the_counts_where_noise_is_small():
    rows = np.random.default_rng(3).integers(100, 2000, (60, 4))
    mechanism = streams.StreamKalmanUniform(epsilon=1e4, window=1, sensitivity=1)
    published = mechanism.release(counted(rows), rng=noise.seeded(1)).counts
    assert np.abs(published - rows).max() < 0.01


@given(st.lists(st.integers(0, 64), min_size=1, max_size=40), st.integers(1, 6))
def test_what_was_taken_never_exceeds_a_window(sixteenths, window):
    """Amounts are binary fractions, so that sums of them are exact."""
    ledger, taken = WindowLedger(1.0, window=window), []
    for one in sixteenths:
        fits = sum(taken[max(len(taken) - window + 1, 0) :]) + one <= 16
        try:
            ledger.spend(one / 16)
        except BudgetError:
            assert not fits
            ledger.spend(0.0)  # nothing was taken, and the window goes on
            taken.append(0)
        else:
            assert fits
            taken.append(one)
    assert ledger.left == 1.0 - sum(taken[max(len(taken) - window + 1, 0) :]) / 16
