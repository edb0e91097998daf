"""One battery over the registered mechanisms of check-ins, and what recommendation.md measured."""

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import recommendation_sets
from privacy_engine import noise
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.data import CheckIns
from privacy_engine.data.grid import Grid
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.laws import checkins as laws
from privacy_engine.laws.checkins import BOX, UNITS, venues_of
from privacy_engine.mechanisms import checkins as models
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.checkins import CheckInBlend, CheckInGravity, CheckInKdTree, CheckInPopularity
from privacy_engine.mechanisms.checkins.blend import TRANSITIONS, VISITS
from privacy_engine.metrics import RangeCountError, TopOverlap
from privacy_engine.recommender import PopularityModel, Recommender, Sequences, model_digest
from privacy_engine.recommender.gravity import band_counts, visit_counts
from privacy_engine.recommender.transitions import transition_counts
from privacy_engine.releases.spec import ReleaseSpec
from tests.cases import each

CLASSES = list(mechanisms.of("checkins"))
PRIVATE = [cls for cls in CLASSES if cls.publishable]
RAW = [CheckInPopularity, models.CheckInVenues, CheckInGravity, CheckInBlend]
"""Mechanisms whose masses are counts with the noise that :meth:`noise_sd` declares."""
TREES = [CheckInKdTree, models.CheckInNgram, models.CheckInPrivTree, models.CheckInQuadtree]
SPENDING_BESIDE_MANY = [CheckInKdTree, models.CheckInNgram, models.CheckInPrivTree]
TAKING_MINUTES = [*TREES, CheckInBlend, CheckInGravity]  # of an audit
EXAMPLE = laws.GIVEN
every_mechanism = each("cls", CLASSES)
every_private = each("cls", PRIVATE)
every_unit = each(("unit", "relation"), UNITS)


def example(cls, **given):
    return cls(**{**EXAMPLE, **given})


def uploaded(*cells):
    """Check-ins with a listed venue in the middle of each cell."""
    return laws.uploaded(cells)


some_cell = st.integers(-1, 15) | st.integers(-1, 2)  # few cells: repeats, and visits that another one divides
users = st.lists(st.lists(some_cell, max_size=8), max_size=5)


def neighbours(unit, relation, cells, more, seed):
    """Two uploads: one user (or check-in) more, or another in its place."""
    rng = np.random.default_rng(seed)
    if unit == "user":
        first = [*cells, list(rng.integers(-1, 16, 7))] if relation == "replace-one" else cells
        return uploaded(*first), uploaded(*cells, more)
    base = [list(one) for one in cells] or [[]]
    first, second = [list(one) for one in base], [list(one) for one in base]
    for changed in (first, second) if relation == "replace-one" else (second,):
        at = int(rng.integers(len(base)))
        near = [*base[at], int(rng.integers(-1, 16))]
        changed[at].insert(int(rng.integers(len(base[at]) + 1)), near[int(rng.integers(len(near)))])
    return uploaded(*first), uploaded(*second)


def test_the_registered_names_are_these_and_boxes_without_inside_or_of_too_many_cells_are_refused():
    names = {"checkin-popularity", "checkin-venues", "checkin-gravity", "checkin-blend", "checkin-markov"}
    assert names <= {cls.registered_name() for cls in CLASSES}
    assert {cls.registered_name() for cls in set(CLASSES) - set(PRIVATE)} == {"checkin-markov", "checkin-nearest"}
    for cls, changed, message in (
        (CLASSES[0], {"east": 0.0}, "mechanism.east must be greater than west"),
        (CLASSES[0], {"north": 0.0}, "mechanism.north must be greater than south"),
        (CheckInBlend, {"side": 33}, "mechanism.side must be at most 32"),
    ):
        with pytest.raises(ParameterErrors, match=re.escape(message)):
            ReleaseSpec.parse({"mechanism": {**example(cls).model_dump(), **changed}})


@every_private
@every_unit
@given(cells=users, more=st.lists(some_cell, max_size=9), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_no_neighbours_spend_more_than_the_level(cls, unit, relation, cells, more, seed):
    """All queries of a fit, over what one user (or check-in) changes: in sum at most ε, each within its own."""
    mechanism = example(cls, privacy_unit=unit, relation=relation)
    first, second = neighbours(unit, relation, cells, more, seed)
    one, other = mechanism.prepared(first), mechanism.prepared(second)
    queries = mechanism.logged(first, rng=noise.seeded(seed)).queries
    spent = [query.spent(one, other) for query in queries]
    assert sum(spent) <= mechanism.epsilon * (1 + 1e-12)
    for query, one_spent in zip(queries, spent, strict=True):
        assert one_spent <= query.epsilon * (1 + 1e-12)


@every_private
@every_unit
def test_the_level_is_not_left_unspent(cls, unit, relation):
    """A user with visits between far cells (or a check-in between two others) spends most of ε, beside many others.

    Trees count more where there are more. Decisions of PrivTree and medians that are nearly certain spend nearly
    nothing.
    """
    mechanism = example(cls, privacy_unit=unit, relation=relation)
    between = {"user": ([[]], [[0, 15, 0, 15]], [[5, 6, 5, 6]]), "record": ([[0, 0]], [[0, 15, 0]], [[0, 6, 0]])}[unit]
    first, second = (between[0], between[1]) if relation == "add-remove" else (between[2], between[1])
    many = [[0, 15, 0], [15, 0, 15], [5, 6, 5], [6, 5, 6], [0, 6, 0]] * 200
    one, other = (mechanism.prepared(uploaded(*many, *more)) for more in (first, second))
    queries = mechanism.logged(uploaded(*many, *first), rng=noise.seeded(1)).queries
    least = 0.3 if (unit, relation) == ("record", "replace-one") else 0.5
    least /= 2 if cls in (CheckInKdTree, models.CheckInPrivTree) else 1
    assert sum(query.spent(one, other) for query in queries) >= least * mechanism.epsilon


class TestSensitivity:
    """The most that neighbours differ by, reached."""

    def differ(self, count, first, second, most=None):
        grid = Grid.from_dict(BOX)
        one, other = (count(Sequences.of(uploaded(cells), grid, most)) for cells in (first, second))
        return int(np.abs(one - other).sum())

    def test_of_popularity(self):
        mechanism = example(CheckInPopularity, relation="replace-one")
        one, other = (mechanism.counted(uploaded([cell] * 9)) for cell in (0, 15))
        assert np.abs(one - other).sum() == mechanism.sensitivity == 6

    def test_of_records_and_users(self):
        mechanism = example(CheckInGravity, privacy_unit="record")
        assert self.differ(visit_counts, [1, 1], [1, 2, 1]) == mechanism.visit_sensitivity == 2
        assert self.differ(transition_counts, [0, 9], [0, 2, 9]) == mechanism.transition_sensitivity == 3
        assert self.differ(band_counts, [0, 15], [0, 1, 15]) == 3
        twice = example(CheckInGravity, privacy_unit="record", relation="replace-one")
        assert (twice.visit_sensitivity, twice.transition_sensitivity) == (4, 6)
        mechanism = example(CheckInGravity)
        assert self.differ(visit_counts, [], [0, 1, 0, 1], 3) == mechanism.visit_sensitivity == 3
        assert self.differ(transition_counts, [], [0, 1, 0, 1], 3) == mechanism.transition_sensitivity == 2
        assert example(CheckInGravity, contributions=1).transition_sensitivity == 1


def test_the_first_check_ins_in_the_box_count():
    data = uploaded([-1, 5, 5, 6, 7], [5])
    assert example(CheckInPopularity).counted(data).nonzero()[0].tolist() == [5, 6]
    assert example(CheckInPopularity).counted(data)[5] == 3
    counts = example(CheckInPopularity, privacy_unit="record").counted(data)
    assert counts.sum() == 5
    assert example(CheckInGravity, contributions=2).prepared(data).cells.tolist() == [5, 6, 5]
    assert example(CheckInGravity, privacy_unit="record", contributions=2).prepared(data).cells.tolist() == [5, 6, 7, 5]
    model = PopularityModel(Grid.from_dict(BOX), counts)  # of exact counts, which have no error
    assert RangeCountError().of(data, model) == 0
    assert TopOverlap().of(data, model) == 100
    assert model.top(1).tolist() == [5]


@every_mechanism
def test_same_seed_same_model_and_the_input_is_unchanged(cls):
    data = uploaded([1, 2, 3], [1])
    before = data.lon.copy()
    one, two, three = (model_digest(example(cls).release(data, rng=noise.seeded(seed))) for seed in (7, 7, 8))
    assert one == two
    assert (one != three) == cls.publishable
    assert np.array_equal(data.lon, before)
    assert not example(cls).release(data, rng=noise.seeded(1)).private
    assert example(cls).release(data, rng=noise.publishable()).private == cls.publishable
    nowhere = CheckIns(np.array([0]), ["a"], np.array([0.0]), np.array([0]), ["cafe"])
    with pytest.raises(DataError, match="must have positions|must be joined with a list of venues"):
        example(cls).release(nowhere, rng=noise.seeded(1))


@every_mechanism
def test_a_model_survives_json_and_scores_every_history(cls):
    data = uploaded([1, 2, 3, 2], [1, 0, 5])
    model = example(cls).release(data, rng=noise.seeded(1))
    back = Recommender.from_dict(json.loads(json.dumps(model.as_dict())))
    assert model_digest(back) == model_digest(model)
    for history in ([], [2], [3, 2], [0, 1, 2, 3, 15]):
        assert back.scores(history).shape == (16,)
        assert np.isfinite(back.scores(history)).all()
        assert np.array_equal(back.scores(history), model.scores(history))
        ranked = back.recommend(history, 16).tolist()
        assert sorted([*ranked, *history[-1:]]) == list(range(16))
        assert back.boxes(history).shape[1:] == (4,)


def assert_declared_error(mechanism, data):
    """10,240 counts of visits: the sample sd is within 6 % of the declared one (its own sd is 1.1 %)."""
    drawn = [model.densities() for model in mechanism.releases(data, 40, rng=noise.seeded(3))]
    with_transitions = isinstance(mechanism, CheckInBlend)  # it declares what it has with them
    part = VISITS / (VISITS + TRANSITIONS) if with_transitions else 1.0
    assert np.std(drawn) == pytest.approx(mechanism.noise_sd() * part, rel=0.06)


@each("cls", RAW)
@every_unit
def test_declared_error_matches_draws_and_queries_spend_the_level(cls, unit, relation):
    mechanism = example(cls, privacy_unit=unit, relation=relation, side=16)
    data = replace(uploaded(), venues=venues_of(16))
    assert_declared_error(mechanism, data)
    spent = sum(query.epsilon for query in mechanism.logged(data, rng=noise.seeded(1)).queries)
    assert mechanism.epsilon * (1 - 1e-9) <= spent <= mechanism.epsilon


def audited(cls, unit, relation, trials, epsilon=1.5):
    """Verdicts of audits of a mechanism and of it with half the noise; one that holds fails with probability 0.05."""
    described = example(cls, epsilon=epsilon, privacy_unit=unit, relation=relation, side=2).model_dump()
    names = [control + cls.registered_name() for control in ("", "control:half-noise:")]
    specs = [{"mechanism": {**described, "name": name}, "trials": trials, "seed": 5} for name in names]
    return [audit(AuditSpec.parse(spec)).verdict for spec in specs]


@pytest.mark.parametrize(
    ("cls", "unit", "relation", "trials"),
    [
        *((CheckInPopularity, *unit, 3_000) for unit in UNITS),
        pytest.param(CheckInGravity, "user", "add-remove", 1_500, marks=pytest.mark.slow),
    ],
)
def test_the_audit_finds_half_the_noise(cls, unit, relation, trials):
    assert audited(cls, unit, relation, trials) == ["consistent", "violated"]


@pytest.mark.timeout(900)
@pytest.mark.parametrize("unit", ["user", "record"])
@pytest.mark.parametrize(
    "cls",
    [pytest.param(cls, marks=pytest.mark.thorough if cls in TAKING_MINUTES else pytest.mark.slow) for cls in PRIVATE],
)
def test_the_audit_finds_half_the_noise_of_every_mechanism(cls, unit):
    """But where a check-in beside few others spends less than half of ε: the replay of trees finds it there."""
    holds, altered = audited(cls, unit, "add-remove", 5_000 if cls in TREES else 12_000)
    assert holds == "consistent"
    assert altered == "violated" or (unit == "record" and cls in SPENDING_BESIDE_MANY)


@every_private
@every_unit
def test_the_guarantee_states_unit_and_relation(cls, unit, relation):
    mechanism = example(cls, privacy_unit=unit, relation=relation, epsilon=1.0)
    guarantee = mechanism.guarantee()
    assert ("Whichever user" in guarantee.statement) == (unit == "user")
    assert ("replaced by another" in guarantee.statement) == (relation == "replace-one")
    assert "ε = 1" in guarantee.statement
    assert f"with {cls.domain} chosen without the check-ins" in guarantee.statement
    assert ("n times that" in guarantee.statement) == (unit == "record")
    assert mechanism.loss().unit == guarantee.level == unit
    json.dumps(guarantee.as_dict())


@every_private
def test_repeats_count_as_the_guarantee_states(cls):
    """Repeats in one cell change nothing, however many, where the guarantee takes them as one; else they count."""
    mechanism = example(cls, contributions=3, epsilon=1e4)
    states = "successive ones in one cell taken as one" in mechanism.guarantee().statement
    assert states == ("successive ones in one cell taken as one" in cls.statement())
    once, often = uploaded([5, 6, 9], [1, 2, 0]), uploaded([5] * 7 + [6, 9], [1, 2, 0])
    queries = mechanism.logged(once, rng=noise.seeded(1)).queries
    one, other, nothing = (mechanism.prepared(data) for data in (once, often, uploaded([], [1, 2, 0])))
    assert sum(query.spent(one, nothing) for query in queries) > 0
    assert (sum(query.spent(one, other) for query in queries) == 0) == states


def test_the_reference_without_noise_has_no_guarantee_and_is_not_released():
    mechanism = example(models.CheckInMarkov)
    assert mechanism.guarantee().statement.startswith("There is no guarantee: counts are published without noise")
    assert mechanism.guarantee().epsilon is None
    with pytest.raises(ParameterErrors, match="without noise"):
        ReleaseSpec.parse({"mechanism": mechanism.model_dump()})


def gowalla(folder, odd):
    """Check-ins in New York of the users with odd numbers, or of the others: a split by user."""
    every = recommendation_sets.gowalla(folder / recommendation_sets.EVENTS)
    which = np.array(every.users, dtype=int)[every.user] % 2 == odd
    return replace(every, **{name: getattr(every, name)[which] for name in ("user", "time_s", "lon", "lat")})


@each(("epsilon", "model"), [(0.1, "gravity"), (1e4, "transitions")])
def test_a_blend_publishes_transitions_where_their_noise_would_not_hide_them(epsilon, model):
    """Either way ε is spent: on visits and bands, or on visits, bands and transitions."""
    mechanism = example(CheckInBlend, epsilon=epsilon)
    data = uploaded(*[[1, 2, 3]] * 50)
    assert mechanism.release(data, rng=noise.seeded(1)).model == model
    queries = mechanism.logged(data, rng=noise.seeded(1)).queries
    assert len(queries) == {"gravity": 2, "transitions": 3}[model]
    assert sum(query.epsilon for query in queries) == pytest.approx(epsilon)
