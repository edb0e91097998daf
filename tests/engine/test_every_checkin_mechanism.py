"""One battery over the registered mechanisms of check-ins, and what recommendation.md measured."""

import gzip
import json
import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.data import CheckIns
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.grid import Grid
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms import recommendation
from privacy_engine.mechanisms.recommendation import (
    CheckInBlend,
    CheckInGravity,
    CheckInKdTree,
    CheckInMarkov,
    CheckInNgram,
    CheckInPopularity,
    CheckInPrivTree,
    CheckInQuadtree,
    CheckInVenues,
)
from privacy_engine.mechanisms.recommendation.blend import TRANSITIONS, VISITS
from privacy_engine.metrics import HitRate, RangeCountError, TopOverlap
from privacy_engine.recommender import PopularityModel, Recommender, Sequences, model_digest
from privacy_engine.recommender.gravity import band_counts, visit_counts
from privacy_engine.recommender.transitions import transition_counts
from privacy_engine.spec import ReleaseSpec
from privacy_engine.venues import Venues
from tests.cases import each
from tests.engine import checkin_samples
from tests.engine.checkin_samples import BOX

CLASSES = list(mechanisms.of("checkins"))
PRIVATE = [cls for cls in CLASSES if cls.publishable]
RAW = [CheckInPopularity, CheckInVenues, CheckInGravity, CheckInBlend]
"""Mechanisms whose masses are counts with the noise that :meth:`noise_sd` declares."""
TREES = [CheckInKdTree, CheckInNgram, CheckInPrivTree, CheckInQuadtree]
SPENDING_BESIDE_MANY = [CheckInKdTree, CheckInNgram, CheckInPrivTree]
EXAMPLE = {"epsilon": 0.7, "contributions": 3, **BOX}
UNITS = [(unit, relation) for unit in ("user", "record") for relation in ("add-remove", "replace-one")]
every_mechanism = each("cls", CLASSES)
every_private = each("cls", PRIVATE)
every_unit = each(("unit", "relation"), UNITS)


def venues_of(side):
    """A listed venue in the middle of each cell of the box."""
    cells = np.arange(side**2)
    lon, lat = ((at + 0.5) * (4 / side) for at in (cells % side, cells // side))
    return Venues([str(cell) for cell in cells], lon, lat, [""] * len(cells))


VENUES = venues_of(4)


def example(cls, **given):
    return cls(**{**EXAMPLE, **given})


def uploaded(*cells):
    """Check-ins with a listed venue in the middle of each cell."""
    flat = np.array([cell for one in cells for cell in one], dtype=np.int64)
    return checkin_samples.uploaded(cells, place=flat % 17, places=[*VENUES.ids, "outside"], venues=VENUES)


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


def test_the_registered_names_are_these():
    names = {"checkin-popularity", "checkin-venues", "checkin-gravity", "checkin-blend", "checkin-markov"}
    assert names <= {cls.registered_name() for cls in CLASSES}
    assert {getattr(recommendation, name) for name in recommendation.__all__} == set(CLASSES)
    assert {cls.registered_name() for cls in set(CLASSES) - set(PRIVATE)} == {"checkin-markov", "checkin-nearest"}


@each(("field", "other"), [("east", "west"), ("north", "south")])
def test_a_box_without_inside_is_refused(field, other):
    with pytest.raises(ParameterErrors, match=f"mechanism.{field} must be greater than {other}"):
        ReleaseSpec.parse({"mechanism": {**example(CLASSES[0]).model_dump(), field: 0.0}})


def test_transitions_of_too_many_cells_are_refused():
    with pytest.raises(ParameterErrors, match=r"mechanism\.side must be at most 32"):
        ReleaseSpec.parse({"mechanism": {**example(CheckInBlend).model_dump(), "side": 33}})


@every_private
@every_unit
@given(cells=users, more=st.lists(some_cell, max_size=9), seed=st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_no_neighbours_spend_more_than_the_level(cls, unit, relation, cells, more, seed):
    """Replay of all queries of a fit, over what one user (or check-in) changes: in sum at most ε, each within its own.

    Brute force over neighbours: one user (or check-in) more, or another in its place.
    """
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
    least /= 2 if cls in (CheckInKdTree, CheckInPrivTree) else 1
    assert sum(query.spent(one, other) for query in queries) >= least * mechanism.epsilon


@each("cls", RAW)
@every_unit
def test_declared_queries_spend_the_level(cls, unit, relation):
    mechanism = example(cls, privacy_unit=unit, relation=relation)
    queries = mechanism.logged(uploaded([1, 2]), rng=noise.seeded(1)).queries
    assert sum(query.epsilon for query in queries) == pytest.approx(mechanism.epsilon, rel=1e-9)
    assert sum(query.epsilon for query in queries) <= mechanism.epsilon


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

    def test_of_records(self):
        mechanism = example(CheckInGravity, privacy_unit="record")
        assert self.differ(visit_counts, [1, 1], [1, 2, 1]) == mechanism.visit_sensitivity == 2
        assert self.differ(transition_counts, [0, 9], [0, 2, 9]) == mechanism.transition_sensitivity == 3
        assert self.differ(band_counts, [0, 15], [0, 1, 15]) == 3
        twice = example(CheckInGravity, privacy_unit="record", relation="replace-one")
        assert (twice.visit_sensitivity, twice.transition_sensitivity) == (4, 6)

    def test_of_users(self):
        mechanism = example(CheckInGravity)
        assert self.differ(visit_counts, [], [0, 1, 0, 1], 3) == mechanism.visit_sensitivity == 3
        assert self.differ(transition_counts, [], [0, 1, 0, 1], 3) == mechanism.transition_sensitivity == 2
        assert example(CheckInGravity, contributions=1).transition_sensitivity == 1

    def test_a_truncated_sequence_of_records_would_shift(self):
        """Why records have no bound of contributions: one at the beginning moves all that follow by one place."""
        cells = [3, 8, 1, 12, 6]
        assert self.differ(transition_counts, cells, [15, *cells], 5) == 2
        assert self.differ(visit_counts, [1, 2, 2, 3], [1, 2, 1, 2, 3], 3) == 2


@given(cells=st.lists(st.integers(0, 5), min_size=1, max_size=12), data=st.data())
@settings(max_examples=100, deadline=None)
def test_one_substituted_event_changes_at_most_2n_runs_of_length_n(cells, data):
    """In sequences as they are, before repeats are collapsed."""
    changed = list(cells)
    changed[data.draw(st.integers(0, len(cells) - 1))] = data.draw(st.integers(0, 5))
    for n in (1, 2, 3, 4):
        one, other = (Counter(tuple(row[i : i + n]) for i in range(len(row) - n + 1)) for row in (cells, changed))
        assert sum(abs(one[key] - other[key]) for key in one | other) <= 2 * n


def test_the_first_check_ins_in_the_box_count():
    data = uploaded([-1, 5, 5, 6, 7], [5])
    assert example(CheckInPopularity).counted(data).nonzero()[0].tolist() == [5, 6]
    assert example(CheckInPopularity).counted(data)[5] == 3
    assert example(CheckInPopularity, privacy_unit="record").counted(data).sum() == 5
    assert example(CheckInGravity, contributions=2).prepared(data).cells.tolist() == [5, 6, 5]
    assert example(CheckInGravity, privacy_unit="record", contributions=2).prepared(data).cells.tolist() == [5, 6, 7, 5]


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


@each("cls", RAW)
@every_unit
def test_declared_error_matches_draws(cls, unit, relation):
    """10,240 counts of visits: the sample sd is within 6 % of the declared one (its own sd is 1.1 %)."""
    mechanism = example(cls, privacy_unit=unit, relation=relation, side=16)
    data = replace(uploaded(), venues=venues_of(16))
    drawn = [model.densities() for model in mechanism.releases(data, 40, rng=noise.seeded(3))]
    part = VISITS / (VISITS + TRANSITIONS) if cls is CheckInBlend else 1.0  # it declares what it has with transitions
    assert np.std(drawn) == pytest.approx(mechanism.noise_sd() * part, rel=0.06)


def audited(cls, unit, relation, trials, epsilon=1.5):
    """Verdicts of audits of a mechanism and of it with half the noise; one that holds fails with probability 0.05."""
    described = example(cls, epsilon=epsilon, privacy_unit=unit, relation=relation, side=2).model_dump()
    names = [control + cls.registered_name() for control in ("", "control:half-noise:")]
    specs = [{"mechanism": {**described, "name": name}, "trials": trials, "seed": 5} for name in names]
    return [audit(AuditSpec.parse(spec)).verdict for spec in specs]


@every_unit
def test_the_audit_finds_half_the_noise_of_popularity(unit, relation):
    assert audited(CheckInPopularity, unit, relation, 3_000) == ["consistent", "violated"]


def test_the_audit_finds_half_the_noise_of_gravity():
    assert audited(CheckInGravity, "user", "add-remove", 1_500) == ["consistent", "violated"]


def _audited(cls):
    """A mechanism whose audit is slow, or thorough where it takes minutes."""
    takes_minutes = cls in [*TREES, CheckInBlend, CheckInGravity]
    return pytest.param(cls, marks=pytest.mark.thorough if takes_minutes else pytest.mark.slow)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("unit", ["user", "record"])
@pytest.mark.parametrize("cls", [_audited(cls) for cls in PRIVATE])
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
    mechanism = example(CheckInMarkov)
    assert mechanism.guarantee().statement.startswith("There is no guarantee: counts are published without noise")
    assert mechanism.guarantee().epsilon is None
    with pytest.raises(ParameterErrors, match="without noise"):
        ReleaseSpec.parse({"mechanism": mechanism.model_dump()})


@every_mechanism
def test_check_ins_without_positions_are_refused(cls):
    data = CheckIns(np.array([0]), ["a"], np.array([0.0]), np.array([0]), ["cafe"])
    with pytest.raises(DataError, match="must have positions|must be joined with a list of venues"):
        example(cls).release(data, rng=noise.seeded(1))


class TestModelAndMetrics:
    def test_cells_and_boxes_agree(self):
        grid = Grid.square(-74.03, 40.69, -73.91, 40.83, 16)
        boxes = grid.boxes()
        middle = (boxes[:, :2] + boxes[:, 2:]) / 2
        assert np.array_equal(grid.cells(middle[:, 0], middle[:, 1]), np.arange(256))
        assert grid.cells([-74.03, -73.91, -74.031], [40.69, 40.83, 40.7]).tolist() == [0, 255, -1]

    def test_exact_counts_have_no_error(self):
        data = uploaded([0, 5, 5, 6], [5, 9])
        counts = example(CheckInPopularity, privacy_unit="record").counted(data)
        model = PopularityModel(Grid.from_dict(BOX), counts)
        assert RangeCountError().of(data, model) == 0
        assert TopOverlap().of(data, model) == 100
        assert HitRate().of(data, model) == 100
        assert model.top(1).tolist() == [5]

    def test_no_move_is_no_number(self):
        assert math.isnan(HitRate().of(uploaded([3], [3, 3]), PopularityModel(Grid.from_dict(BOX), np.arange(16))))


def gowalla(folder, odd):
    """Check-ins in New York of the users with odd numbers, or of the others: a split by user."""
    with gzip.open(folder / "gowalla_nyc_events.tsv.gz", "rt") as file:
        rows = [line.split("\t")[:4] for line in file]
    rows = sorted((row for row in rows if int(row[0]) % 2 == odd), key=lambda row: (int(row[0]), row[1]))
    names, user = np.unique(np.array([int(row[0]) for row in rows]), return_inverse=True)
    time_s = np.array([row[1].rstrip("Z") for row in rows], dtype="M8[s]").astype(np.float64)
    lat, lon = (np.array([float(row[i]) for row in rows]) for i in (2, 3))
    return CheckIns(user, [str(name) for name in names], time_s, lon=lon, lat=lat)


def test_hit_rates_of_other_users_are_near_those_measured_before(shared):
    """Popularity at ε = 1 on 16 by 16 cells of Manhattan: .285 by user, .294 by record (the box was not stated)."""
    fitted, others = (gowalla(shared / "data" / "checkins", odd) for odd in (False, True))
    assert not set(fitted.users) & set(others.users)
    manhattan = {"west": -74.03, "south": 40.69, "east": -73.91, "north": 40.83, "side": 16}
    for unit, expected in (("user", 28.5), ("record", 29.4)):
        mechanism = CheckInPopularity(epsilon=1.0, contributions=5, privacy_unit=unit, **manhattan)
        model = mechanism.release(fitted, rng=noise.seeded(1))
        assert HitRate().of(others, model) == pytest.approx(expected, rel=0.35)
        assert TopOverlap().of(fitted, model) >= 70


@each(("epsilon", "model"), [(0.1, "gravity"), (1e4, "transitions")])
def test_a_blend_publishes_transitions_where_their_noise_would_not_hide_them(epsilon, model):
    """Either way ε is spent: on visits and bands, or on visits, bands and transitions."""
    mechanism = example(CheckInBlend, epsilon=epsilon)
    data = uploaded(*[[1, 2, 3]] * 50)
    assert mechanism.release(data, rng=noise.seeded(1)).model == model
    queries = mechanism.logged(data, rng=noise.seeded(1)).queries
    assert len(queries) == {"gravity": 2, "transitions": 3}[model]
    assert sum(query.epsilon for query in queries) == pytest.approx(epsilon)
