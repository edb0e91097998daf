"""Budgets of landmark mechanisms and their ledger: published vectors, limits, the ledger's theorem on random masks."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import TOLERANCE, Ledger
from privacy_engine.accounting.promise import Context
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import BudgetError
from privacy_engine.mechanisms.landmark import (
    Adaptive,
    EventLevel,
    OptimalSplit,
    Planned,
    Skip,
    Uniform,
    UserLevel,
    WEvent,
)
from tests.cases import each
from tests.examples import examples

masks = st.lists(st.booleans(), min_size=1, max_size=200).map(np.array)


def protected_sums(budgets, is_landmark):
    """For every t the budget spent on L ∪ {t}, rounded: what the theorem bounds by ε."""
    total = budgets[is_landmark].sum()
    return np.where(is_landmark, total, total + budgets)


step_variances = st.floats(1e-4, 1e14)


def marked(n, k, seed=1):
    mask = np.zeros(n, bool)
    mask[np.random.default_rng(seed).permutation(n)[:k]] = True
    return mask


def every_run(how, mask):
    """Budgets of every way to skip landmarks, (ways, n): the first event is always drawn."""
    later = np.flatnonzero(mask[1:]) + 1
    found = []
    for skipped in itertools.product((False, True), repeat=len(later)):
        skip = dict(zip(later.tolist(), skipped, strict=True))
        ledger, waited, budgets = Ledger(how.epsilon), 0, []
        first = ledger.share(int(mask.sum()), not mask.all())
        for t, landmark in enumerate(mask.tolist()):
            waited += landmark
            share = ledger.share(int(mask[t:].sum()), not mask[t:].all())
            if how.redistribution == "absorption":
                share = first * (waited if landmark else 1)
            if skip.get(t):
                budgets.append(0.0)
                continue
            ledger.spend(share, is_landmark=landmark)
            budgets.append(share)
            waited = 0 if landmark else waited
        found.append(budgets)
    return np.array(found)


@pytest.mark.parametrize("redistribution", ["uniform", "absorption"])
class TestMostBudgets:
    @given(st.lists(st.booleans(), min_size=1, max_size=9).map(np.array))
    @settings(max_examples=examples(60))
    def test_are_the_largest_of_every_run_there_could_be(self, redistribution, mask):
        how = Adaptive(epsilon=0.7, radius_m=1.0, redistribution=redistribution)
        assert how.most_budgets(mask) == pytest.approx(every_run(how, mask).max(axis=0), rel=1e-12)


class TestWEvent:
    @given(st.integers(1, 300), st.integers(1, 400))
    @settings(max_examples=examples(100))
    def test_every_window_spends_at_most_epsilon(self, n, window):
        budgets = WEvent(epsilon=0.7, radius_m=1.0, window=window).budgets(np.zeros(n, bool))
        sums = np.convolve(budgets, np.ones(window))
        assert sums.max() <= 0.7 * (1 + TOLERANCE)
        if n >= window:
            assert sums.max() == pytest.approx(0.7, rel=1e-12)

    def test_a_window_of_one_is_event_level_and_of_all_user_level(self):
        mask = marked(40, 10)
        how = {"epsilon": 2.0, "radius_m": 3.0}
        assert np.array_equal(WEvent(**how, window=1).budgets(mask), EventLevel(**how).budgets(mask))
        assert np.array_equal(WEvent(**how, window=40).budgets(mask), UserLevel(**how).budgets(mask))
        statement = WEvent(epsilon=1.0, radius_m=200.0, window=1500).guarantee(Context(landmarks=0)).statement
        assert statement.startswith("Any 1,500 successive events of one person together leak at most ε = 1 per 200 m")


class TestPlanned:
    @given(masks, step_variances, st.floats(1e-6, 1e4), st.floats(0.01, 2e7))
    @settings(max_examples=examples(300))
    def test_landmarks_and_one_other_spend_exactly_epsilon(self, mask, q, epsilon, radius_m):
        budgets = Planned(epsilon=epsilon, radius_m=radius_m, step_variance_m2=q).budgets(mask)
        assert protected_sums(budgets, mask).max() == pytest.approx(epsilon, rel=1e-12)
        assert (budgets[~mask] > 0).all()
        assert budgets[0] > 0  # nothing has to be left out or filled in later

    def test_of_fast_movement_is_the_optimal_split(self):
        fast = Planned(epsilon=1.0, radius_m=1.0, step_variance_m2=1e14)
        for k in (0, 1, 400, 999, 1000):
            mask = marked(1000, k)
            assert np.array_equal(fast.budgets(mask), OptimalSplit(epsilon=1.0, radius_m=1.0).budgets(mask))
        (field,) = [one for one in Planned.fields() if one["name"] == "step_variance_m2"]
        assert "public knowledge, never from this trace" in field["help"]
        assert field["required"]

    @given(masks, step_variances, st.floats(0.01, 0.99))
    def test_no_other_split_of_the_same_draws_has_a_smaller_error(self, mask, q, part):
        best = Planned(epsilon=1.0, radius_m=10.0, step_variance_m2=q).budgets(mask)
        fresh, drawn = best > 0, mask & (best > 0)
        shown = np.maximum.accumulate(np.where(fresh, np.arange(len(mask)), 0))
        if drawn.any() and not mask.all():
            other = np.where(drawn, part / drawn.sum(), np.where(mask, 0, 1 - part))
            errors = [noise.planar_mean_m(budgets[shown]).mean() for budgets in (best, other)]
            assert errors[0] <= errors[1] * (1 + 1e-12)

    def test_landmarks_between_repeat_the_last_release(self):
        mask = np.array([True, True, True, False, True, True, True])
        how = Planned(epsilon=1.0, radius_m=1.0, step_variance_m2=12 * 7.0**2 / 3**3)  # k + √(n − k) = 7: I = 3
        assert how.intervals(np.array([7]), np.array([6])).tolist() == [3]
        here = Trajectory(np.full(7, 2.35), np.full(7, 48.85))
        release = how.release(here, LandmarkSet(mask), rng=noise.seeded(4))
        assert release.fresh.tolist() == [True, False, False, True, True, False, False]
        places = list(zip(release.series.lon.tolist(), release.series.lat.tolist(), strict=True))
        assert places[0] == places[1] == places[2]
        assert places[4] == places[5] == places[6]
        assert len({places[0], places[3], places[4]}) == 3


class TestAbsorption:
    def drawn(self, mask, seed=3, q=0.0):
        n = len(mask)
        walk = Trajectory(np.full(n, 2.35), np.cumsum(np.random.default_rng(seed).normal(0, q, n)) + 40.0)
        how = Adaptive(epsilon=1.0, radius_m=1.0, redistribution="absorption")
        return walk, how.release(walk, LandmarkSet(mask), rng=noise.seeded(seed))

    def test_the_next_landmark_drawn_takes_all_the_skipped_ones_saved(self):
        mask = np.arange(300) % 2 == 1
        _, release = self.drawn(mask)
        share = 1 / 151
        drawn = np.flatnonzero(release.budgets[mask])
        assert Adaptive(epsilon=1.0, radius_m=1.0).redistribution == "uniform"  # the default
        assert len(drawn) < 120
        assert np.allclose(release.budgets[~mask], share)
        assert np.allclose(release.budgets[mask][drawn], share * np.diff(drawn, prepend=-1))


class TestClosedForms:
    """Budgets of the mechanisms of the paper, for three events of which none, one or all are landmarks."""

    @each(
        ("cls", "mask", "expected"),
        [
            (Uniform, [0, 0, 0], [6.0, 6.0, 6.0]), (Uniform, [0, 1, 0], [3.0, 3.0, 3.0]),
            (Uniform, [1, 1, 0], [2.0, 2.0, 2.0]), (Uniform, [1, 1, 1], [2.0, 2.0, 2.0]),
            (Skip, [0, 0, 0], [6.0, 6.0, 6.0]), (Skip, [0, 1, 0], [6.0, 0.0, 6.0]),
            (Skip, [1, 1, 1], [2.0, 2.0, 2.0]), (UserLevel, [0, 1, 0], [2.0, 2.0, 2.0]),
            (EventLevel, [0, 1, 0], [6.0, 6.0, 6.0]),
        ],
    )  # fmt: skip
    def test_are_those_of_the_paper(self, cls, mask, expected):
        assert cls(epsilon=6.0, radius_m=1.0).budgets(np.array(mask, dtype=bool)).tolist() == expected

    def test_rates_of_what_is_protected_together_never_sum_to_more_than_the_level(self):
        """In exact arithmetic, where budgets that are rounded may: a ninth nine times, for one."""
        rng, rounded_up = np.random.default_rng(3), 0
        for _ in range(200):
            how = Uniform(epsilon=float(rng.uniform(0.01, 5)), radius_m=float(rng.uniform(1, 500)))
            budgets = how.budgets(np.arange(int(rng.integers(2, 40))) > 0)
            level = Fraction(how.epsilon) / Fraction(how.radius_m)
            assert sum(map(Fraction, how.rates(budgets).tolist())) <= level
            rounded_up += sum(map(Fraction, how.epsilon_per_m(budgets).tolist())) > level
        assert rounded_up > 10


@given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=60))
def test_whatever_is_requested_landmarks_and_one_regular_never_exceed_epsilon(requests):
    ledger, budgets, mask = Ledger(1.0), [], []
    for is_landmark, wanted in requests:
        left = ledger.left_for_landmark if is_landmark else ledger.left_for_regular
        ledger.spend(min(wanted, left), is_landmark=is_landmark)
        budgets.append(min(wanted, left))
        mask.append(is_landmark)
        assert protected_sums(np.array(budgets), np.array(mask)).max() <= 1 + 1e-12


def test_overspending_is_refused_and_takes_nothing():
    ledger = Ledger(1.0)
    ledger.spend(0.6, is_landmark=True)
    for is_landmark in (True, False):
        with pytest.raises(BudgetError, match="got 0.5"):
            ledger.spend(0.5, is_landmark=is_landmark)
    assert (ledger.landmarks, ledger.largest_regular) == (0.6, 0.0)
    with pytest.raises(BudgetError):
        ledger.spend(float("nan"), is_landmark=False)
    with pytest.raises(BudgetError):
        Ledger(1.0).spend_all(np.array([0.6, 0.6]), np.array([True, False]))
    with pytest.raises(BudgetError):
        Ledger(1.0).spend_all(np.array([-0.1]), np.array([True]))


@each("k", range(1, 200))
def test_k_equal_shares_fit_although_floats_overshoot(k):
    Ledger(0.3).spend_all(np.full(k, 0.3 / k), np.ones(k, bool))


def still(n):
    return Trajectory(np.full(n, 2.35), np.full(n, 48.85))


def test_skip_repeats_the_last_release_and_never_the_truth():
    mask = np.array([True, True, False, True, True, False, True])
    truth = still(7)
    for leading, events in (("back-fill", [0, 1, 2, 3, 4, 5, 6]), ("gap", [2, 3, 4, 5, 6])):
        release = Skip(epsilon=1, radius_m=100, leading=leading).release(truth, LandmarkSet(mask), rng=noise.seeded(1))
        at = dict(zip(release.event.tolist(), zip(release.series.lon, release.series.lat, strict=True), strict=True))
        assert release.event.tolist() == events
        assert at[2] == at[3] == at[4]
        assert at[5] == at[6]
        assert at[2] != at[5]
        if leading == "back-fill":
            assert at[0] == at[1] == at[2]
        assert (2.35, 48.85) not in at.values()


def test_adaptive_skips_more_when_nothing_moves_and_draws_every_landmark_of_a_fast_walk():
    n, mask = 400, np.arange(400) % 2 == 0
    how = {"epsilon": 1, "radius_m": 1}
    uniform = Uniform(**how).budgets(mask)
    calibrated, literal = (
        Adaptive(**how, reading=reading).release(still(n), LandmarkSet(mask), rng=noise.seeded(1))
        for reading in ("calibrated", "literal")
    )
    assert calibrated.fresh[mask].mean() < 0.75
    assert 0.8 < literal.fresh[mask].mean() < 1.0  # literal states "moved" 89 % of the time when nothing does
    assert calibrated.fresh[~mask].all()
    assert literal.fresh[~mask].all()
    assert calibrated.fresh[0]
    assert calibrated.budgets[-1] > uniform[-1]
    fast = Trajectory(np.linspace(-120, 120, n), np.zeros(n))  # 67 km a step, noise of a few hundred metres
    release = Adaptive(**how).release(fast, LandmarkSet(mask), rng=noise.seeded(1))
    assert release.fresh.all()
    assert np.allclose(release.budgets, uniform)


def test_adaptive_beats_uniform_on_a_slow_walk():
    rng = np.random.default_rng(5)
    walk = Trajectory(116.4 + np.cumsum(rng.normal(0, 4e-3, 1000)), 39.9 + np.cumsum(rng.normal(0, 3e-3, 1000)))
    mask, mean = rng.random(1000) < 0.4, []
    for cls in (Adaptive, Uniform):
        there = cls(epsilon=1, radius_m=1).release(walk, LandmarkSet(mask), rng=noise.seeded(2)).series
        mean.append(geo.distance_m(walk.lon, walk.lat, there.lon, there.lat).mean())
    assert mean[0] < 0.9 * mean[1]
