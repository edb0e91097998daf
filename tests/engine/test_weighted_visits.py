"""Visits of a user that weigh less together below ε = 1: sensitivity, replay, noise, and the models of such counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.checkins import CheckInBlend, CheckInGravity
from privacy_engine.recommender import GravityModel, Recommender, TransitionModel
from privacy_engine.recommender.gravity import weighted_visits
from privacy_engine.recommender.shrinkage import shrunk_towards
from tests.cases import each
from tests.engine.checkin_samples import BOX, GRID, uploaded
from tests.engine.test_every_checkin_mechanism import assert_declared_error

BANDS = np.arange(16)[::-1] * 3
sequences = st.lists(st.integers(-1, 5), max_size=14)


def example(cls=CheckInGravity, **given):
    return cls(**{"epsilon": 0.3, "contributions": 8, **BOX, **given})


@each(
    ("epsilon", "contributions", "weight", "parts"),
    [(0.1, 10, 2, 1000), (0.25, 10, 3, 1000), (0.1, 100, 10, 1000), (1.0, 10, 10, 1), (0.1, 2, 2, 1), (0.1, 1, 1, 1)],
)
def test_the_sensitivity_is_the_weight_of_a_user_and_is_reached(epsilon, contributions, weight, parts):
    mechanism = example(epsilon=epsilon, contributions=contributions)
    assert (mechanism.visit_weight, mechanism.visit_parts, mechanism.sensitivity) == (weight, parts, weight)
    query, changed = mechanism.visits_query(0.5), 0
    assert query.sensitivity == mechanism.visit_sensitivity == weight * parts
    for cells in ([0], [0, 1, 2], [0, 1] * contributions, [*range(1, 8)] * 30):
        one, other = (mechanism.prepared(uploaded(many)) for many in ([[3]], [[3], cells]))
        changed = int(np.abs(query.values(one) - query.values(other)).sum())
        assert changed <= query.sensitivity
        assert query.spent(one, other) <= 0.5 * epsilon
    assert changed >= 0.99 * query.sensitivity


def test_each_visit_of_a_user_with_many_weighs_the_same_part():
    mechanism = example(epsilon=0.1)  # k = 2
    prepared = mechanism.prepared(uploaded([[0, 1, 0, 1, 0], [5], [6, 7]]))
    assert weighted_visits(prepared, 2, 1000)[[0, 1, 5, 6, 7]].tolist() == [1200, 800, 1000, 1000, 1000]
    assert np.array_equal(mechanism.visits_query(0.9).values(prepared), weighted_visits(prepared, 2, 1000))


def test_check_ins_that_are_protected_one_by_one_are_not_weighted():
    mechanism = example(epsilon=0.1, privacy_unit="record")
    assert (mechanism.visit_parts, mechanism.visit_sensitivity) == (1, 2)
    assert mechanism.visits_query(0.5).values(mechanism.prepared(uploaded([[0, 1] * 20]))).sum() == 40


@pytest.mark.parametrize("cls", [CheckInGravity, CheckInBlend])
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@given(cells=st.lists(sequences, max_size=4), pair=st.tuples(sequences, sequences), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_no_user_spends_more_than_the_level(cls, relation, cells, pair, seed):
    mechanism = example(cls, relation=relation)
    first = cells if relation == "add-remove" else [*cells, pair[0]]
    one, other = (mechanism.prepared(uploaded(many)) for many in (first, [*cells, pair[1]]))
    queries = mechanism.logged(uploaded(first), rng=noise.seeded(seed)).queries
    assert sum(query.spent(one, other) for query in queries) <= mechanism.epsilon * (1 + 1e-12)


@each("cls", [CheckInGravity, CheckInBlend])
def test_declared_error_is_in_visits_and_matches_draws(cls):
    assert_declared_error(example(cls, side=16), uploaded([]))


@pytest.mark.thorough
@pytest.mark.timeout(900)
def test_the_audit_finds_half_the_noise_of_weighted_visits():
    """One that holds fails with probability 0.05."""
    described = example(epsilon=0.9, contributions=10, side=2).model_dump()
    assert example(epsilon=0.9, contributions=10).visit_parts == 1000
    names = [control + "checkin-gravity" for control in ("", "control:half-noise:")]
    specs = [{"mechanism": {**described, "name": name}, "trials": 3_000, "seed": 5} for name in names]
    assert [audit(AuditSpec.parse(spec)).verdict for spec in specs] == ["consistent", "violated"]


def test_visits_in_parts_are_the_same_model_as_visits():
    visits = np.arange(16) * 9 - 20
    whole, parts = GravityModel(GRID, visits, BANDS, 30.0, 2.0), GravityModel(GRID, visits * 50, BANDS, 75e3, 2.0, 50)
    assert parts.densities().tolist() == whole.densities().tolist()
    assert parts.scores([3]) == pytest.approx(whole.scores([3]))
    described = parts.as_dict()
    assert described["visit_parts"] == 50
    assert "visit_parts" not in whole.as_dict()
    assert Recommender.from_dict(described).as_dict() == described
    model = TransitionModel(GRID, visits * 50, BANDS, 75e3, 2.0, np.zeros(256, dtype=np.int64), 9.0, 50)
    assert Recommender.from_dict(model.as_dict()).scores([]) == pytest.approx(whole.scores([]))
    for wrong in (0, 1.5, "50"):
        with pytest.raises(DataError, match="visit_parts must be"):
            Recommender.from_dict({**described, "visit_parts": wrong})


def test_a_negative_count_of_visits_is_estimated_as_none():
    visits = np.array([-25, 25, 90, 40] * 4)
    mass = GravityModel(GRID, visits, BANDS, 100.0, 2.0).mass
    shrunk = shrunk_towards(visits[None] * 1.0, np.full((1, 16), visits.mean()), 100.0)[0]
    assert (mass[visits < 0] > shrunk[visits < 0]).all()
    assert mass[visits >= 0] == pytest.approx(shrunk[visits >= 0])
