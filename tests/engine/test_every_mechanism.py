"""One battery over the registry: what holds for every mechanism, whatever it does inside.

Statistical tests state their seed; with it they are deterministic, and their bounds were chosen so that a fresh seed
would fail less than once in 10^5 runs.
"""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import beta

from privacy_engine import geo, noise
from privacy_engine.accounting.ledger import TOLERANCE, protected_sums
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.mechanisms import landmark
from privacy_engine.mechanisms.landmark.base import GRID_DEG
from privacy_engine.params import choices_of
from privacy_engine.registry import mechanisms
from privacy_engine.spec import ReleaseSpec

EXAMPLE = {"epsilon": 0.7, "radius_m": 130.0}
CLASSES = list(mechanisms)
every_mechanism = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.registered_name())


def every_mechanism_but(*exceptions):
    return pytest.mark.parametrize(
        "cls", [cls for cls in CLASSES if cls not in exceptions], ids=lambda cls: cls.registered_name()
    )


masks = st.lists(st.booleans(), min_size=1, max_size=60).map(np.array)


def example(cls, **given):
    """The class with the example of every parameter that has no default."""
    needed = {field["name"]: field["example"] for field in cls.fields() if field["required"]}
    return cls(**{**needed, **EXAMPLE, **given})


def variants(cls):
    """The class with each value of each of its choices, and with other values of its own numbers."""
    found = [example(cls)]
    for field, info in cls.model_fields.items():
        if field != "name":
            found += [example(cls, **{field: choice}) for choice in choices_of(info)]
    found += [example(cls, window=window) for window in (1, 3) if "window" in cls.model_fields]
    found += [example(cls, step_variance_m2=q) for q in (1.0, 1e12) if "step_variance_m2" in cls.model_fields]
    return found


def walk(n: int, seed: int = 1) -> Trajectory:
    rng = np.random.default_rng(seed)
    return Trajectory(
        116.4 + np.cumsum(rng.normal(0, 0.002, n)), 39.9 + np.cumsum(rng.normal(0, 0.002, n)), np.arange(n) * 60.0, "w"
    )


def test_the_registered_names_are_these():
    assert [cls.registered_name() for cls in CLASSES] == [
        "event-level",
        "user-level",
        "landmark-uniform",
        "landmark-skip",
        "landmark-adaptive",
        "w-event",
        "landmark-optimal",
        "landmark-planned",
        "landmark-joint",
    ]


def test_the_package_exports_every_registered_class():
    assert {getattr(landmark, name) for name in landmark.__all__} == set(CLASSES)


@every_mechanism
def test_spec_survives_json(cls):
    for mechanism in variants(cls):
        spec = ReleaseSpec(mechanism=mechanism.model_dump(), seed=None)
        again = ReleaseSpec.parse(json.loads(json.dumps(spec.model_dump())))
        assert again == spec
        assert again.digest == spec.digest


@every_mechanism
def test_every_parameter_has_label_domain_and_schema(cls):
    properties = cls.model_json_schema()["properties"]
    for field in cls.fields():
        assert field["label"]
        assert field["help"]
        assert (field["minimum"] is not None and field["maximum"] is not None) or field["choices"]
        assert properties[field["name"]]["title"] == field["label"]


@every_mechanism
@pytest.mark.parametrize(
    "value", [float("nan"), float("inf"), float("-inf"), -1, 0, 1e-300, 1e308, True, "١", "1", None]
)
@pytest.mark.parametrize("field", ["epsilon", "radius_m"])
def test_values_outside_the_domain_are_refused_by_name(cls, field, value):
    with pytest.raises(ParameterErrors) as caught:
        ReleaseSpec.parse({"mechanism": {**example(cls).model_dump(), field: value}})
    (error,) = caught.value.errors
    assert error.field == f"mechanism.{field}"
    assert error.rule
    assert field in error.message


@every_mechanism
def test_missing_and_unknown_parameters_are_refused_by_name(cls):
    with pytest.raises(ParameterErrors) as caught:
        ReleaseSpec.parse({"mechanism": {"name": cls.registered_name(), "epsilon": 1.0, "epsilonn": 1.0}})
    assert {error.field for error in caught.value.errors} == {
        "mechanism.epsilonn",
        *(f"mechanism.{field['name']}" for field in cls.fields() if field["required"] and field["name"] != "epsilon"),
    }


@every_mechanism
def test_same_seed_same_release_and_another_seed_another(cls):
    series, marks = walk(80), LandmarkSet(np.arange(80) % 3 == 0)
    one, two, three = (example(cls).release(series, marks, rng=noise.seeded(seed)) for seed in (7, 7, 8))
    assert np.array_equal(one.series.lon, two.series.lon)
    assert np.array_equal(one.budgets, two.budgets)
    assert not np.array_equal(one.series.lon, three.series.lon)


@every_mechanism
def test_input_is_unchanged_and_the_shape_is_kept(cls):
    series, marks = walk(50), LandmarkSet(np.arange(50) % 4 == 1)
    before = series.lon.copy(), series.lat.copy()
    for mechanism in variants(cls):
        release = mechanism.release(series, marks, rng=noise.publishable())
        assert np.array_equal(series.lon, before[0])
        assert np.array_equal(series.lat, before[1])
        assert len(release.series) == 50
        assert release.event.tolist() == list(range(50))
        assert release.budgets.shape == release.fresh.shape == (50,)
        assert np.array_equal(release.series.time_s, series.time_s)
        assert release.series.name == "w"


@every_mechanism
@given(mask=masks, seed=st.integers(0, 2**32))
@settings(max_examples=60, deadline=None)
def test_budget_spent_is_at_most_epsilon_at_every_protected_set(cls, mask, seed):
    for mechanism in variants(cls):
        release = mechanism.release(walk(len(mask)), LandmarkSet(mask), rng=noise.seeded(seed))
        sums = protected_sums(release.budgets, mechanism.protected(mask))
        assert sums.max() <= mechanism.epsilon * (1 + TOLERANCE)
        assert (release.budgets >= 0).all()


@every_mechanism_but(landmark.Adaptive)
def test_budgets_that_do_not_depend_on_the_run_are_those_of_the_release(cls):
    mask = np.arange(30) % 4 == 0
    release = example(cls).release(walk(30), LandmarkSet(mask), rng=noise.publishable())
    assert np.array_equal(release.budgets, example(cls).budgets(mask))


@every_mechanism_but(landmark.UserLevel, landmark.WEvent)
def test_no_landmarks_is_event_level(cls):
    release = example(cls).release(walk(40), LandmarkSet(np.zeros(40, bool)), rng=noise.publishable())
    assert np.array_equal(release.budgets, landmark.EventLevel(**EXAMPLE).budgets(np.zeros(40, bool)))


@every_mechanism_but(landmark.EventLevel, landmark.WEvent, landmark.Joint)
def test_all_landmarks_is_user_level(cls):
    release = example(cls).release(walk(40), LandmarkSet(np.ones(40, bool)), rng=noise.seeded(3))
    user = landmark.UserLevel(**EXAMPLE).budgets(np.ones(40, bool))
    if cls is landmark.Adaptive:  # it may skip; the first share and the sum are user level's
        assert release.budgets[0] == user[0]
        assert release.budgets.sum() <= EXAMPLE["epsilon"] * (1 + TOLERANCE)
    elif cls is landmark.Planned:  # it repeats; the same sum goes to the landmarks it draws
        assert release.budgets.sum() == pytest.approx(EXAMPLE["epsilon"], rel=1e-12)
        every_one = example(cls, step_variance_m2=1e12).budgets(np.ones(40, bool))
        assert np.array_equal(every_one, user)
    else:
        assert np.array_equal(release.budgets, user)


@every_mechanism
@pytest.mark.parametrize("n", [0, 1])
def test_empty_and_single_event_series_are_released(cls, n):
    for marked in (False, True):
        mechanism = example(cls)
        release = mechanism.release(walk(n), LandmarkSet(np.full(n, marked)), rng=noise.publishable())
        assert len(release.series) == n
        assert np.allclose(release.budgets, EXAMPLE["epsilon"] / getattr(mechanism, "window", 1))


@every_mechanism
def test_released_positions_lie_on_the_declared_grid(cls):
    release = example(cls).release(walk(60), LandmarkSet(np.arange(60) % 2 == 0), rng=noise.publishable())
    for values in (release.series.lon, release.series.lat):
        assert np.allclose(values / GRID_DEG, np.round(values / GRID_DEG), atol=1e-4)


@every_mechanism
def test_errors_of_fresh_draws_match_the_declared_noise(cls):
    # 100,000 draws at non-default parameters; the mean of Gamma(2) has sd sqrt(2)/2 of itself
    n = 100_000 if cls is not landmark.Adaptive else 10_000
    series = Trajectory(np.full(n, 116.4), np.full(n, 39.9))
    mask = np.arange(n) % (n // 4) == 0
    release = example(cls, epsilon=2.0, radius_m=50.0).release(series, LandmarkSet(mask), rng=noise.seeded(11))
    drawn = np.flatnonzero(release.fresh)
    errors = geo.distance_m(116.4, 39.9, release.series.lon[drawn], release.series.lat[drawn])
    scaled = errors * release.budgets[drawn] / 50.0
    if cls is landmark.UserLevel:  # ε/n over 100,000 events reaches round the Earth, where the mean is smaller
        assert scaled.mean() < 2.0
    else:
        assert scaled.mean() == pytest.approx(2.0, abs=5 * np.sqrt(2 / len(drawn)))


@every_mechanism
def test_neighbouring_series_stay_within_the_declared_factor(cls):
    """All landmarks and one regular event moved by a radius: no output half-plane betrays more than e^ε allows.

    Clopper-Pearson at 99.999 % on 3,000 runs each; seeds fixed.
    """
    mechanism = example(cls, epsilon=1.0, radius_m=500.0)
    mask = np.array([True, False, True, False])
    moved = mechanism.protected(mask) | (np.arange(4) == 1)
    here = Trajectory(np.full(4, 116.4), np.full(4, 39.9))
    lat = here.lat.copy()
    lat[moved] = geo.destination(116.4, 39.9, 500.0, 0.0)[1]
    there = Trajectory(here.lon, lat)
    runs = 3000
    north = [
        sum(
            mechanism.release(series, LandmarkSet(mask), rng=rng).series.lat[moved].mean() > 39.9 + 0.00225
            for _ in range(runs)
        )
        for series, rng in ((there, noise.seeded(5)), (here, noise.seeded(6)))
    ]
    surely = beta.ppf(1e-5, north[0], runs - north[0] + 1)
    at_most = beta.ppf(1 - 1e-5, north[1] + 1, runs - north[1])
    assert surely <= np.exp(mechanism.epsilon) * at_most


@every_mechanism
def test_landmarks_over_another_series_are_refused(cls):
    with pytest.raises(DataError, match="landmarks must mark 5 events, got 4"):
        example(cls).release(walk(5), LandmarkSet(np.zeros(4, bool)), rng=noise.publishable())


@every_mechanism
def test_the_docstring_cites_its_source_and_the_guarantee_reads_well(cls):
    assert "References" in cls.documentation()
    guarantee = example(cls, epsilon=1.0, radius_m=200.0).guarantee(407)
    assert "ε = 1 per 200 m" in guarantee.statement
    assert guarantee.level == cls.level
    assert guarantee.caveats
    json.dumps(guarantee.as_dict())


@every_mechanism
def test_the_guarantee_speaks_of_no_landmarks_where_there_are_none(cls):
    statement = example(cls, epsilon=1.0, radius_m=200.0).guarantee(0).statement
    assert "ε = 1 per 200 m" in statement
    assert "all 0" not in statement
