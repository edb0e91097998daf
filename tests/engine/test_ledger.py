"""The ledger of landmark privacy and the budgets it allows, against the published vectors."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import geo, noise
from privacy_engine.accounting.landmark_ledger import Ledger, protected_sums
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import BudgetError
from privacy_engine.mechanisms.landmark import Adaptive, Skip, Uniform
from tests.cases import each


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


def test_adaptive_skips_more_when_nothing_moves_and_gains_by_it():
    n, mask = 400, np.arange(400) % 2 == 0
    calibrated = Adaptive(epsilon=1, radius_m=1).release(still(n), LandmarkSet(mask), rng=noise.seeded(1))
    literal = Adaptive(epsilon=1, radius_m=1, reading="literal").release(
        still(n), LandmarkSet(mask), rng=noise.seeded(1)
    )
    drawn = [release.fresh[mask].mean() for release in (calibrated, literal)]
    assert drawn[0] < 0.75
    assert 0.8 < drawn[1] < 1.0  # literal states "moved" 89 % of the time when nothing does
    assert calibrated.fresh[~mask].all()
    assert literal.fresh[~mask].all()
    assert calibrated.fresh[0]
    assert calibrated.budgets[-1] > Uniform(epsilon=1, radius_m=1).budgets(mask)[-1]


def test_adaptive_draws_every_landmark_of_a_fast_walk():
    n = 200
    fast = Trajectory(np.linspace(-60, 60, n), np.zeros(n))  # 67 km a step, noise of a few hundred metres
    mask = np.arange(n) % 2 == 0
    release = Adaptive(epsilon=1, radius_m=1).release(fast, LandmarkSet(mask), rng=noise.seeded(1))
    assert release.fresh.all()
    assert np.allclose(release.budgets, Uniform(epsilon=1, radius_m=1).budgets(mask))


def test_adaptive_beats_uniform_on_a_slow_walk():
    rng = np.random.default_rng(5)
    walk = Trajectory(116.4 + np.cumsum(rng.normal(0, 4e-3, 1000)), 39.9 + np.cumsum(rng.normal(0, 3e-3, 1000)))
    mask = rng.random(1000) < 0.4
    mean = {}
    for mechanism in (Uniform(epsilon=1, radius_m=1), Adaptive(epsilon=1, radius_m=1)):
        release = mechanism.release(walk, LandmarkSet(mask), rng=noise.seeded(2))
        mean[mechanism.name] = geo.distance_m(walk.lon, walk.lat, release.series.lon, release.series.lat).mean()
    assert mean["landmark-adaptive"] < 0.9 * mean["landmark-uniform"]
