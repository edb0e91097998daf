"""What is spent is at most ε, as rational numbers: of the rates that noise is really drawn at (bar D8)."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import Ledger, exact_sum, exact_units, nearest_float
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import BudgetError
from privacy_engine.mechanisms.landmark import Uniform
from tests.cases import each
from tests.engine.mechanism_examples import CLASSES, every_mechanism, protected_sets, variants

CASES = 100_000
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
        self.own = {}
        self.together = 0.0
        monkeypatch.setattr(noise, "planar_laplace", self.planar)
        monkeypatch.setattr(noise, "joint_planar", self.joint)

    def planar(self, lon, lat, epsilon_per_m, *, rng):
        self.own |= dict(zip(lon.tolist(), np.broadcast_to(epsilon_per_m, lon.shape).tolist(), strict=True))
        jitter = rng.uniform(len(lon))
        return lon, jitter  # so that Adaptive sees what moves and what does not

    def joint(self, lon, lat, epsilon_per_m, *, rng):
        self.together = epsilon_per_m
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
    recorder, rng, spent, of = Recorder(monkeypatch), noise.seeded(3), [], CASES // len(CLASSES) + 1
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
