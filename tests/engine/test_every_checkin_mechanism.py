"""One battery over the registered mechanisms of check-ins, and what recommendation.md measured."""

import gzip
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.data import CheckIns
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms import recommendation
from privacy_engine.metrics import HitRate, RangeCountError, TopOverlap
from privacy_engine.popularity import Grid, PopularityModel
from privacy_engine.spec import ReleaseSpec

CLASSES = list(mechanisms.of("checkins"))
BOX = {"west": 0.0, "south": 0.0, "east": 4.0, "north": 4.0, "side": 4}
EXAMPLE = {"epsilon": 0.7, "contributions": 3, **BOX}
UNITS = [(unit, relation) for unit in ("user", "record") for relation in ("add-remove", "replace-one")]
every_mechanism = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.registered_name())
every_unit = pytest.mark.parametrize(("unit", "relation"), UNITS)


def example(cls, **given):
    return cls(**{**EXAMPLE, **given})


def uploaded(*cells: list[int]) -> CheckIns:
    """Check-ins in the middle of these cells of the box, one list for each user; -1 lies outside."""
    user = np.repeat(np.arange(len(cells)), [len(one) for one in cells])
    flat = np.array([cell for one in cells for cell in one], dtype=np.int64)
    lon, lat = np.where(flat < 0, -1.0, flat % 4 + 0.5), np.where(flat < 0, -1.0, flat // 4 + 0.5)
    return CheckIns(user, [f"u{i}" for i in range(len(cells))], np.arange(len(flat)) * 1.0, lon=lon, lat=lat)


users = st.lists(st.lists(st.integers(-1, 15), max_size=8), max_size=6)


def test_the_registered_names_are_these():
    assert [cls.registered_name() for cls in CLASSES] == ["checkin-popularity"]
    assert {getattr(recommendation, name) for name in recommendation.__all__} == set(CLASSES)


@every_mechanism
@every_unit
def test_spec_survives_json(cls, unit, relation):
    spec = ReleaseSpec(mechanism=example(cls, privacy_unit=unit, relation=relation).model_dump())
    assert ReleaseSpec.parse(json.loads(json.dumps(spec.model_dump()))) == spec


@every_mechanism
@pytest.mark.parametrize("value", [float("nan"), float("inf"), 1e308, True, "x", None, [1.0]])
def test_values_outside_the_domain_are_refused_by_name(cls, value):
    for field in (one["name"] for one in cls.fields()):
        with pytest.raises(ParameterErrors) as caught:
            ReleaseSpec.parse({"mechanism": {**example(cls).model_dump(), field: value}})
        assert caught.value.errors[0].field == f"mechanism.{field}"


@pytest.mark.parametrize(("field", "other"), [("east", "west"), ("north", "south")])
def test_a_box_without_inside_is_refused(field, other):
    with pytest.raises(ParameterErrors, match=f"mechanism.{field} must be greater than {other}"):
        ReleaseSpec.parse({"mechanism": {**example(CLASSES[0]).model_dump(), field: 0.0}})


@every_mechanism
@every_unit
@given(cells=users, more=st.lists(st.integers(-1, 15), max_size=9), seed=st.integers(0, 2**32))
@settings(max_examples=80, deadline=None)
def test_counts_of_neighbours_differ_by_at_most_the_sensitivity(cls, unit, relation, cells, more, seed):
    """Brute force over neighbours: one user (or check-in) more, or another in its place."""
    mechanism = example(cls, privacy_unit=unit, relation=relation)
    rng = np.random.default_rng(seed)
    if unit == "user":
        first = [*cells, list(rng.integers(-1, 16, 7))] if relation == "replace-one" else cells
        second = [*cells, more]
    else:
        at = int(rng.integers(len(cells))) if cells else 0
        base = [list(one) for one in cells] or [[]]
        place = int(rng.integers(len(base[at]) + 1))
        first, second = [list(one) for one in base], [list(one) for one in base]
        second[at].insert(place, int(rng.integers(-1, 16)))
        if relation == "replace-one":
            first[at].insert(place, int(rng.integers(-1, 16)))
    one, other = (mechanism.counted(uploaded(*rows)) for rows in (first, second))
    assert np.abs(one - other).sum() <= mechanism.sensitivity


@every_mechanism
def test_the_sensitivity_is_reached(cls):
    mechanism = example(cls, relation="replace-one")
    one, other = (mechanism.counted(uploaded([cell] * 9)) for cell in (0, 15))
    assert np.abs(one - other).sum() == mechanism.sensitivity == 6


@every_mechanism
def test_the_first_check_ins_in_the_box_count(cls):
    data = uploaded([-1, 5, 5, 6, 7], [5])
    assert example(cls).counted(data).nonzero()[0].tolist() == [5, 6]
    assert example(cls).counted(data)[5] == 3
    assert example(cls, privacy_unit="record").counted(data).sum() == 5


@every_mechanism
def test_same_seed_same_model_and_the_input_is_unchanged(cls):
    data = uploaded([1, 2, 3], [1])
    before = data.lon.copy()
    one, two, three = (example(cls).release(data, rng=noise.seeded(seed)) for seed in (7, 7, 8))
    assert np.array_equal(one.counts, two.counts)
    assert not np.array_equal(one.counts, three.counts)
    assert np.array_equal(data.lon, before)
    assert not one.private
    assert example(cls).release(data, rng=noise.publishable()).private


@every_mechanism
@every_unit
def test_declared_error_matches_draws(cls, unit, relation):
    """102,400 cells: the sample sd is within 2 % of the declared one (its own sd is below 0.5 %)."""
    mechanism = example(cls, privacy_unit=unit, relation=relation, side=320)
    drawn = mechanism.release(uploaded(), rng=noise.seeded(3)).counts
    assert drawn.std() == pytest.approx(mechanism.noise_sd(), rel=0.02)


@every_mechanism
@every_unit
def test_the_audit_finds_the_controls_and_not_the_mechanism(cls, unit, relation):
    described = example(cls, epsilon=1.5, privacy_unit=unit, relation=relation, side=2).model_dump()
    for control, verdict in (("", "consistent"), ("control:half-noise:", "violated")):
        spec = {"mechanism": {**described, "name": control + cls.registered_name()}, "trials": 6_000, "seed": 5}
        assert audit(AuditSpec.parse(spec)).verdict == verdict


@every_mechanism
@every_unit
def test_the_guarantee_states_unit_and_relation(cls, unit, relation):
    mechanism = example(cls, privacy_unit=unit, relation=relation, epsilon=1.0)
    guarantee = mechanism.guarantee()
    assert ("Whichever user" in guarantee.statement) == (unit == "user")
    assert ("replaced by another" in guarantee.statement) == (relation == "replace-one")
    assert "ε = 1" in guarantee.statement
    assert "a grid chosen without the check-ins" in guarantee.statement
    assert ("n times that" in guarantee.statement) == (unit == "record")
    assert mechanism.loss().unit == guarantee.level == unit
    json.dumps(guarantee.as_dict())


def test_check_ins_without_positions_are_refused():
    data = CheckIns(np.array([0]), ["a"], np.array([0.0]), np.array([0]), ["cafe"])
    with pytest.raises(DataError, match="must have positions"):
        example(CLASSES[0]).release(data, rng=noise.seeded(1))


class TestModelAndMetrics:
    def test_cells_and_boxes_agree(self):
        grid = Grid(-74.03, 40.69, -73.91, 40.83, 16)
        boxes = grid.boxes()
        middle = (boxes[:, :2] + boxes[:, 2:]) / 2
        assert np.array_equal(grid.cells(middle[:, 0], middle[:, 1]), np.arange(256))
        assert grid.cells([-74.03, -73.91, -74.031], [40.69, 40.83, 40.7]).tolist() == [0, 255, -1]

    def test_exact_counts_have_no_error(self):
        data = uploaded([0, 5, 5, 6], [5, 9])
        counts = example(CLASSES[0], privacy_unit="record").counted(data)
        model = PopularityModel(Grid(**BOX), counts)
        assert RangeCountError().of(data, model) == 0
        assert TopOverlap().of(data, model) == 100
        assert HitRate().of(data, model) == 100
        assert model.top(1).tolist() == [5]

    def test_no_move_is_no_number(self):
        assert math.isnan(HitRate().of(uploaded([3], [3, 3]), PopularityModel(Grid(**BOX), np.arange(16))))


def gowalla(folder: Path, odd: bool) -> CheckIns:
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
        mechanism = CLASSES[0](epsilon=1.0, contributions=5, privacy_unit=unit, **manhattan)
        model = mechanism.release(fitted, rng=noise.seeded(1))
        assert HitRate().of(others, model) == pytest.approx(expected, rel=0.35)
        assert TopOverlap().of(fitted, model) >= 70
