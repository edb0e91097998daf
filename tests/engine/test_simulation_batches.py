"""Repetitions with landmarks of their own, and plans of many landmark sets, in one batch: the bits of each alone."""

import math
from dataclasses import fields
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.landmark_ledger import Ledger, surely_fits
from privacy_engine.analysis import simulation
from privacy_engine.analysis.simulation import simulate_each, simulate_errors
from privacy_engine.core import geo
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import BudgetError, DataError, ParameterError
from privacy_engine.mechanisms.landmark import EventLevel, Uniform
from tests.cases import each, refusal
from tests.engine.test_simulation import HOW, Rounded, marks, of, walk
from tests.examples import examples


def alone(mechanism, series, landmarks, seed, first=0):
    how = {"seed": seed, "repetitions": 1}
    ones = enumerate(landmarks, first)
    parts = [simulate_errors(mechanism, series, one, first_repetition=i, **how) for i, one in ones]
    return np.concatenate([np.empty(0), *parts])


mask_rows = st.integers(0, 40).flatmap(
    lambda n: st.lists(st.lists(st.booleans(), min_size=n, max_size=n), max_size=6).map(
        lambda rows: np.array(rows, dtype=np.bool_).reshape(len(rows), n)
    )
)


class Next(EventLevel):
    """Each event without a draw shows the next one: a rule of its own that reads one landmark set."""

    name: Literal["next"] = "next"

    def budgets(self, is_landmark):
        return np.where(is_landmark, 0.0, self.epsilon)

    def shown(self, fresh):
        return np.append(np.flatnonzero(fresh), -1)[np.cumsum(fresh) - fresh]


class Spends(Uniform):
    """Uniform that spends ``times`` as much, where the first event is a landmark."""

    name: Literal["spends"] = "spends"
    times: Any

    def budgets(self, is_landmark):
        return super().budgets(is_landmark) * (self.times if is_landmark[0] else 1.0)


@settings(max_examples=examples(150))
@given(which=st.integers(0, len(of(1, 1))), masks=mask_rows)
def test_plans_of_many_landmark_sets_are_those_of_each(which, masks):
    mechanism = [*of(0.7, 130.0), Next(**HOW)][which]
    found, expected = mechanism.simulation_plans(masks), [mechanism.simulation_plan(mask) for mask in masks]
    assert len(found) == len(expected)
    for plan, other in zip(found, expected, strict=True):
        assert type(plan) is type(other)
        for field in fields(plan):
            mine, its = (np.asarray(getattr(one, field.name)) for one in (plan, other))
            assert (mine.dtype, mine.shape, mine.tobytes()) == (its.dtype, its.shape, its.tobytes())


@each("times", [-1.0, 1 + 2e-12, 2.0, math.inf, math.nan])
@each("marked", [2, 9, 5_000])
def test_one_of_many_landmark_sets_that_overspends_is_refused(times, marked):
    n, mechanism = 6_000, Spends(**HOW, times=times)
    event = np.arange(n)
    masks = np.array([event == 5, event < marked])
    alone = refusal(BudgetError, mechanism.simulation_plan, masks[1])
    assert str(refusal(BudgetError, mechanism.simulation_plans, masks)) == str(alone)


@given(
    budgets=st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=50),
    scale=st.one_of(st.just(1.0), st.floats(-3e-12, 3e-12).map(lambda part: 1 + part)),
)
def test_a_sum_in_floats_proves_only_what_exact_sums_allow(budgets, scale):
    """At a level within 3e-12 of what is spent; the tolerance is 1e-12."""
    spent, mask = np.array([one for one, _ in budgets]), np.array([marked for _, marked in budgets])
    most = spent[mask].sum() + spent[~mask].max(initial=0.0)
    epsilon = float(most * scale)
    if surely_fits(epsilon, most, len(spent)):
        Ledger(epsilon).spend_all(spent, mask)
    elif scale >= 1.0:
        assert most == 0.0 or not most * (1 + 1e-13) <= epsilon


@settings(max_examples=examples(150))
@given(
    which=st.integers(0, len(of(1, 1)) - 1),
    masks=mask_rows.filter(lambda rows: rows.size),
    noise_m=st.floats(0, 7).map(lambda power: 10**power),
    seed=st.integers(0, 2**70),
    first=st.sampled_from([0, 5, 2**32 - 6]),
)
def test_are_the_same_bits_as_alone(which, masks, noise_m, seed, first):
    """Noise from a metre to many times round the Earth, where draws are looked at again."""
    n, rng = masks.shape[1], np.random.default_rng(seed)
    places = geo.destination(179.9, 60.0, 300.0 * rng.exponential(1, n), rng.uniform(0, 7, n))
    series, sets = Trajectory(*places), [LandmarkSet(mask) for mask in masks]
    mechanism = of(1.0, noise_m)[which]
    found = simulate_each(mechanism, series, iter(sets), seed=seed, first_repetition=first)
    assert found.tobytes() == alone(mechanism, series, sets, seed, first).tobytes()


@pytest.mark.parametrize("mechanism", of(1.0, 50.0), ids=lambda one: "-".join(str(v) for _, v in one))
def test_over_several_chunks_and_tiles(mechanism, monkeypatch):
    shares = (0.0, 0.1, 0.4, 0.9, 1.0, 0.5, 0.5)
    series, sets = walk(600), [marks(600, share, seed) for seed, share in enumerate(shares)]
    expected = alone(mechanism, series, sets, 3, 9).tobytes()
    assert simulate_each(mechanism, series, sets, seed=3, first_repetition=9).tobytes() == expected
    for name, value in (("REPETITIONS", 3), ("MASKED_EVENTS", 1300), ("MASKED_EVENTS", 1), ("EVENTS", 64)):
        with monkeypatch.context() as changed:
            changed.setattr(simulation, name, value)
            assert simulate_each(mechanism, series, sets, seed=3, first_repetition=9).tobytes() == expected


def test_a_mechanism_without_a_plan_is_released():
    series, sets = walk(20), [marks(20, 0.3, seed) for seed in range(3)]
    found = simulate_each(Rounded(**HOW), series, sets, seed=1, first_repetition=4)
    assert found.tobytes() == alone(Rounded(**HOW), series, sets, 1, 4).tobytes()


def test_none_and_nothing():
    assert simulate_each(Uniform(**HOW), walk(5), [], seed=1).shape == (0,)
    for mechanism in of(1.0, 50.0):
        nothing = [LandmarkSet(np.zeros(0, bool))] * 2
        assert np.isnan(simulate_each(mechanism, Trajectory([], []), nothing, seed=1)).all()


def test_refusals():
    with pytest.raises(DataError, match="must mark 5 events"):
        simulate_each(Uniform(**HOW), walk(5), [marks(5, 0.5), marks(4, 0.5)], seed=1)
    with pytest.raises(ParameterError, match="first_repetition"):
        simulate_each(Uniform(**HOW), walk(5), [marks(5, 0.5)] * 2, seed=1, first_repetition=2**32 - 1)
    with pytest.raises(ParameterError, match="seed"):
        simulate_each(Uniform(**HOW), walk(5), [marks(5, 0.5)], seed=-1)
