"""What is spent is at most ε, in rational numbers of the rates that noise has (bar D8), and by each plain rule."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger, exact_sum, exact_units, nearest_float
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import BudgetError
from privacy_engine.mechanisms.landmark import Adaptive, EventLevel, OptimalSplit, Planned, Skip, Uniform, UserLevel
from tests.cases import each
from tests.engine.mechanism_examples import CLASSES, every_mechanism, masks, protected_sets, variants, walk

UNIT = Fraction(1, 2**1074)
budget_lists = st.lists(st.floats(0, 1e300), max_size=50)


class TestSums:
    @given(budget_lists)
    def test_are_exact_at_every_scale(self, values):
        assert exact_sum(np.array(values, dtype=float)) * UNIT == sum(map(Fraction, values), Fraction(0))

    @given(st.floats(0, 1e308))
    def test_a_float_is_a_whole_number_of_units_and_comes_back(self, value):
        assert exact_units(value) * UNIT == Fraction(value)
        assert nearest_float(exact_units(value)) == value

    @given(st.lists(st.tuples(st.booleans(), st.floats(0, 1)), max_size=60), st.floats(1e-6, 1e4))
    def test_a_ledger_never_takes_more_than_its_tolerance(self, requested, epsilon):
        ledger, landmarks, largest = Ledger(epsilon), Fraction(0), Fraction(0)
        for is_landmark, share in requested:
            budget = share * 1.01 * (ledger.left_for_landmark if is_landmark else ledger.left_for_regular)
            added = landmarks + Fraction(budget), largest
            added = added if is_landmark else (landmarks, max(largest, Fraction(budget)))
            fits = sum(added) <= Fraction(epsilon) * (1 + Fraction(1, 10**12))
            try:
                ledger.spend(budget, is_landmark=is_landmark)
                landmarks, largest = added
                assert fits
            except BudgetError:
                assert not fits

    def test_ten_million_small_shares_do_not_add_up_to_more(self):
        """A float that shares of 1e-7 are added to one by one is off by 1.6e-10 of 1 by then, beyond the tolerance."""
        share, ledger = 1e-7, Ledger(1.0)
        ledger.spend_all(np.full(10_000_000, share), np.ones(10_000_000, dtype=bool))
        assert ledger.landmarks == float(10_000_000 * Fraction(share))
        with pytest.raises(BudgetError):
            ledger.spend(1e-11, is_landmark=True)

    @each("wrong", [np.nan, np.inf, -1.0, -5e-324])
    def test_no_number_is_refused(self, wrong):
        with pytest.raises(BudgetError, match="^budgets must be finite and at least 0"):
            Ledger(1.0).spend_all(np.array([0.1, wrong]), np.array([True, False]))
        with pytest.raises(BudgetError, match="^budget must be between 0 and"):
            Ledger(1.0).spend(wrong, is_landmark=True)


class Recorder:
    """In place of the samplers: records the rates requested, by longitude, and moves nothing."""

    def __init__(self, monkeypatch):
        self.own, self.together = {}, 0.0
        monkeypatch.setattr(noise, "planar_laplace", self.planar)
        monkeypatch.setattr(noise, "joint_planar", self.joint)

    def planar(self, lon, lat, epsilon_per_m, *, rng):
        self.own |= dict(zip(lon.tolist(), np.broadcast_to(epsilon_per_m, lon.shape).tolist(), strict=True))
        jitter = rng.uniform(len(lon))
        return lon, jitter  # so that Adaptive sees what moves and what does not

    def joint(self, lon, lat, epsilon_per_m, *, rng, starts):
        self.together = sum(epsilon_per_m.tolist())
        return lon, lat


def most_spent(mechanism, mask, recorder, rng):
    """The largest sum of rates times the radius, over all that is protected together, in one release."""
    n = len(mask)
    recorder.own, recorder.together = {}, 0.0
    series = Trajectory(np.arange(n) / 4, np.zeros(n))
    release = mechanism.release(series, LandmarkSet(mask), rng=rng)
    joint = mask & release.fresh & bool(recorder.together)
    own = [Fraction(0)] * n
    for t in np.flatnonzero(release.fresh & ~joint).tolist():
        own[t] = Fraction(recorder.own[t / 4])
    found = Fraction(0)
    for together in protected_sets(mechanism, mask):
        total = sum((own[t] for t in np.flatnonzero(together).tolist()), Fraction(0))
        found = max(found, total + (Fraction(recorder.together) if (joint & together).any() else 0))
    return found * Fraction(mechanism.radius_m)


def cases(cls, count, seed):
    """Mechanisms of every choice, levels and radii of their whole domain, landmark sets of up to 12 events."""
    rng = np.random.default_rng(seed)
    done = 0
    while done < count:
        epsilon = float(rng.choice([0.1, 0.3, 1 / 3, 0.7, 1.0, 10.0 ** rng.uniform(-6, 4), 1e-6, 1e4]))
        radius_m = float(rng.choice([1.0, 0.1, 3.0, 130.0, 10.0 ** rng.uniform(-2, 7), 0.01, 2e7]))
        for mechanism in variants(cls, epsilon=epsilon, radius_m=radius_m):
            yield mechanism, rng.random(int(rng.integers(1, 13))) < rng.choice([0.0, 0.3, 0.6, 1.0])
            done += 1


@every_mechanism
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_no_protected_set_ever_spends_more_than_epsilon(cls, monkeypatch):
    """More than 10^5 cases over all mechanisms, as fractions. With rates of budget/radius many of them exceed ε."""
    recorder, rng, spent, of = Recorder(monkeypatch), noise.seeded(3), [], 100_000 // len(CLASSES) + 1
    for mechanism, mask in cases(cls, of, 5):
        share = most_spent(mechanism, mask, recorder, rng) / Fraction(mechanism.epsilon)
        assert share <= 1, (mechanism, mask)
        spent.append(float(share))
    assert len(spent) >= of
    assert max(spent) > 1 - 3e-12  # and the unused part is at most the margin


def test_rates_that_are_not_rounded_down_would_spend_more(monkeypatch):
    """The check above can fail: it does with the float quotients budget/radius alone."""
    monkeypatch.setattr(Uniform, "rates", Uniform.epsilon_per_m)
    recorder, rng = Recorder(monkeypatch), noise.seeded(3)
    over = (most_spent(how, mask, recorder, rng) > Fraction(how.epsilon) for how, mask in cases(Uniform, 300, 5))
    assert sum(over) > 30


levels = st.floats(1e-6, 1e4)


def at_half(low, high, slope):
    """Where a falling ``slope`` crosses 0, by halving."""
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    return low


class TestFixedBudgets:
    @given(masks, levels)
    def test_shares_are_the_exact_fractions(self, mask, epsilon):
        n, k, level = len(mask), int(mask.sum()), Fraction(epsilon)
        rules = {
            EventLevel: [level] * n,
            UserLevel: [level / n] * n,
            Uniform: [level / (k + 1 if k < n else n)] * n,
            Skip: [level / n] * n if k == n else [Fraction(0) if landmark else level for landmark in mask.tolist()],
        }
        for cls, expected in rules.items():
            found = cls(epsilon=epsilon, radius_m=1.0).budgets(mask)
            assert found == pytest.approx([float(one) for one in expected], rel=1e-15, abs=0)

    @given(masks, levels)
    def test_the_optimal_split_balances_what_the_last_share_gains(self, mask, epsilon):
        """ka + b = ε, and more for b gains the others as much as it costs the landmarks: (n-k)/b² = k²/(ε-b)²."""
        n, k = len(mask), int(mask.sum())
        b = at_half(0.0, 1.0, lambda b: (n - k) * (1 - b) ** 2 - k * k * b**2) if 0 < k < n else float(k == 0)
        expected = [epsilon * ((1 - b) / k if landmark else b) for landmark in mask.tolist()]
        found = OptimalSplit(epsilon=epsilon, radius_m=1.0).budgets(mask)
        assert found == pytest.approx(expected, rel=1e-12, abs=0)

    @given(masks, st.floats(1e-3, 1e3), st.floats(0.1, 1e5), st.floats(1e-4, 1e14))
    def test_the_plan_is_read_event_by_event(self, mask, epsilon, radius_m, q):
        n, k = len(mask), int(mask.sum())
        together = OptimalSplit(epsilon=epsilon, radius_m=radius_m).budgets(mask)[mask].sum() / radius_m
        wished = (12 * k**2 / (together**2 * q)) ** (1 / 3) if k else 1.0
        if abs(wished % 1 - 0.5) < 1e-9:
            return  # to which side a half is rounded is the last bit's choice
        interval, seen, drawn, shows = max(1, min(k, round(wished))), 0, [], []
        for landmark in mask.tolist():
            drawn.append(landmark and seen % interval == 0)
            shows.append(landmark if drawn[-1] or not landmark else shows[-1])  # does it show a landmark's draw?
            seen += landmark
        p, by_landmark = sum(drawn), sum(shows)
        ratio = math.sqrt(p * (n - by_landmark) / by_landmark) if p else 0.0
        a = epsilon / (p + ratio) if p else 0.0
        b = a * ratio if p else epsilon
        expected = [a if one else 0.0 if landmark else b for one, landmark in zip(drawn, mask.tolist(), strict=True)]
        how = Planned(epsilon=epsilon, radius_m=radius_m, step_variance_m2=q)
        assert how.intervals(np.array([n]), np.array([mask.sum()])).tolist() == [interval]
        assert how.budgets(mask) == pytest.approx(expected, rel=1e-12, abs=0)


def plain_adaptive(how, mask, lon, lat):
    """The budgets that releases ``lon``, ``lat`` lead to, as the rule is written."""
    k, regular_left, spent, one_slot = int(mask.sum()), int((~mask).sum()), 0.0, False
    slots = k + (regular_left > 0)
    left, wait, gap, last, saved, found = k, 0, 1, None, 0, []
    for t, landmark in enumerate(mask.tolist()):
        still = left + (1 if regular_left or one_slot else 0)
        share = (how.epsilon - spent) / still
        if how.redistribution == "absorption":
            share = how.epsilon / slots * (saved + 1 if landmark else 1)
        left, regular_left, wait = left - landmark, regular_left - (not landmark), wait + landmark
        if landmark and last is not None and wait < gap:
            found.append(0.0)
            saved += 1
            continue
        found.append(share)
        if landmark:
            spent, wait, saved = spent + share, 0, 0
        else:
            one_slot = True
        if last is not None:
            limit = (2.6017838101439437 if how.reading == "calibrated" else 1.0) * how.radius_m / share
            moved = geo.distance_m(lon[last], lat[last], lon[t], lat[t]) > limit
            gap = 1 if moved else gap + 1
        last = t
    return found


@pytest.mark.parametrize("reading", ["calibrated", "literal"])
@pytest.mark.parametrize("redistribution", ["uniform", "absorption"])
@example(np.random.default_rng(1).random(3000) < 0.9, 1, 20.0)
@given(masks, st.integers(0, 2**32), st.sampled_from([0.5, 20.0, 1e3]))
def test_adaptive_follows_its_own_releases_as_the_rule_is_written(reading, redistribution, mask, seed, radius_m):
    how = Adaptive(epsilon=1.0, radius_m=radius_m, reading=reading, redistribution=redistribution)
    for rng in (noise.seeded(seed), noise.publishable()):
        release = how.release(walk(len(mask), seed), LandmarkSet(mask), rng=rng)
        expected = plain_adaptive(how, mask, release.series.lon, release.series.lat)
        assert release.budgets == pytest.approx(expected, rel=1e-12, abs=0)
