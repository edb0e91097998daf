"""One battery over the registry: what holds for every mechanism, independent of its implementation.

Its noise is tested in test_every_mechanism_noise.py, neighbouring series in test_every_mechanism_neighbours.py.
"""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import TOLERANCE, Ledger, protected_sums
from privacy_engine.data import LandmarkSet
from privacy_engine.errors import DataError, ParameterErrors
from privacy_engine.mechanisms import landmark
from privacy_engine.promise import Context
from privacy_engine.spec import ReleaseSpec
from tests.cases import each, refusal
from tests.engine.mechanism_examples import (
    CLASSES,
    EXAMPLE,
    adversarial_masks,
    every_mechanism,
    every_mechanism_but,
    example,
    masks,
    variants,
    walk,
)
from tests.examples import examples

EVENT_LEVEL = landmark.EventLevel(**EXAMPLE)


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
@each("value", [float("nan"), -1, "1"])
def test_values_outside_the_domain_are_refused_by_name(cls, value):
    for field in (one["name"] for one in cls.fields()):
        caught = refusal(ParameterErrors, ReleaseSpec.parse, {"mechanism": {**example(cls).model_dump(), field: value}})
        (error,) = caught.errors
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
    for mechanism in variants(cls):
        one, two, three = (mechanism.release(series, marks, rng=noise.seeded(seed)) for seed in (7, 7, 8))
        for same in ("budgets", "fresh", "event"):
            assert np.array_equal(getattr(one, same), getattr(two, same))
        assert np.array_equal(one.series.lon, two.series.lon)
        assert np.array_equal(one.series.lat, two.series.lat)
        assert not np.array_equal(one.series.lon, three.series.lon)


@every_mechanism
@each("mask", adversarial_masks(50).values(), ids=adversarial_masks(50))
def test_input_is_unchanged_and_the_shape_is_kept(cls, mask):
    series, marks = walk(50), LandmarkSet(mask)
    before = series.lon.copy(), series.lat.copy(), mask.copy()
    for mechanism in variants(cls):
        release = mechanism.release(series, marks, rng=noise.publishable())
        assert np.array_equal(series.lon, before[0])
        assert np.array_equal(series.lat, before[1])
        assert np.array_equal(marks.mask, before[2])
        assert release.budgets.shape == release.fresh.shape == (50,)
        assert np.array_equal(release.fresh, release.budgets > 0)
        left_out = ~np.logical_or.accumulate(release.fresh) & (getattr(mechanism, "leading", "") == "gap")
        assert np.array_equal(release.event, np.flatnonzero(~left_out))
        assert np.array_equal(release.series.time_s, series.time_s[release.event])
        assert release.series.name == "w"


@every_mechanism
@given(mask=masks, seed=st.integers(0, 2**32))
@settings(max_examples=examples(60))
def test_budget_spent_is_at_most_epsilon_at_every_protected_set(cls, mask, seed):
    for mechanism in variants(cls):
        release = mechanism.release(walk(len(mask)), LandmarkSet(mask), rng=noise.seeded(seed))
        sums = protected_sums(release.budgets, mechanism.protected(mask))
        assert sums.max() <= mechanism.epsilon * (1 + TOLERANCE)
        assert (release.budgets >= 0).all()


@every_mechanism
@each("n", [1, 2, 3, 7, 301])
def test_budgets_of_adversarial_sets_pass_the_ledger_event_by_event(cls, n):
    """At every prefix; and where the level bounds a set by ε, the set with the largest budget spends all of it."""
    for name, mask in adversarial_masks(n).items():
        for mechanism in variants(cls, epsilon=0.3):
            release = mechanism.release(walk(n), LandmarkSet(mask), rng=noise.seeded(n))
            ledger, protected = Ledger(0.3), mechanism.protected(mask)
            for budget, counts in zip(release.budgets.tolist(), protected.tolist(), strict=True):
                ledger.spend(budget, is_landmark=counts)
            spent = ledger.landmarks + ledger.largest_regular
            assert spent <= 0.3 * (1 + TOLERANCE), name
            if cls not in (landmark.Adaptive, landmark.WEvent):  # the one may save, the other's window may be longer
                assert spent == pytest.approx(0.3, rel=1e-12), name


@every_mechanism_but(landmark.Adaptive)
def test_budgets_that_do_not_depend_on_the_run_are_those_of_the_release(cls):
    mask = np.arange(30) % 4 == 0
    release = example(cls).release(walk(30), LandmarkSet(mask), rng=noise.publishable())
    assert np.array_equal(release.budgets, example(cls).budgets(mask))


@every_mechanism_but(landmark.UserLevel, landmark.WEvent)
def test_no_landmarks_is_event_level(cls):
    nowhere = np.zeros(40, bool)
    for mechanism in variants(cls):
        release = mechanism.release(walk(40), LandmarkSet(nowhere), rng=noise.publishable())
        assert np.array_equal(release.budgets, landmark.EventLevel(**EXAMPLE).budgets(nowhere))


@every_mechanism_but(landmark.UserLevel, landmark.WEvent)
def test_no_landmarks_is_the_very_release_of_event_level(cls):
    nowhere = LandmarkSet(np.zeros(40, bool))
    one, two = (which.release(walk(40), nowhere, rng=noise.seeded(4)) for which in (example(cls), EVENT_LEVEL))
    if cls is not landmark.Adaptive:  # which draws in pieces
        assert np.array_equal(one.series.lon, two.series.lon)
        assert np.array_equal(one.series.lat, two.series.lat)
    assert one.fresh.all()
    assert two.fresh.all()


@every_mechanism_but(landmark.EventLevel, landmark.WEvent, landmark.Joint)
def test_all_landmarks_is_user_level(cls):
    release = example(cls).release(walk(40), LandmarkSet(np.ones(40, bool)), rng=noise.seeded(3))
    user = landmark.UserLevel(**EXAMPLE).budgets(np.ones(40, bool))
    if cls is landmark.Adaptive:  # it may skip; the first share and the sum are user level's
        assert release.budgets[0] == user[0]
        assert release.budgets.sum() <= EXAMPLE["epsilon"] * (1 + TOLERANCE)
    elif "step_variance_m2" in cls.model_fields:  # it repeats; the same sum goes to the landmarks it draws
        assert release.budgets.sum() == pytest.approx(EXAMPLE["epsilon"], rel=1e-12)
        every_one = example(cls, step_variance_m2=1e12).budgets(np.ones(40, bool))
        assert np.array_equal(every_one, user)
    else:
        assert np.array_equal(release.budgets, user)


@every_mechanism
@each("n", [0, 1])
def test_empty_and_single_event_series_are_released(cls, n):
    for marked in (False, True):
        mechanism = example(cls)
        release = mechanism.release(walk(n), LandmarkSet(np.full(n, marked)), rng=noise.publishable())
        assert len(release.series) == n
        assert np.allclose(release.budgets, EXAMPLE["epsilon"] / getattr(mechanism, "window", 1))


@every_mechanism
def test_landmarks_over_another_series_are_refused(cls):
    with pytest.raises(DataError, match="landmarks must mark 5 events, got 4"):
        example(cls).release(walk(5), LandmarkSet(np.zeros(4, bool)), rng=noise.publishable())


@every_mechanism
def test_sources_have_years_and_the_guarantee_reads_well(cls):
    sources = cls.documentation().partition("References\n----------\n")[2]
    assert len(re.findall(r"\b(?:19|20)\d\d\b", sources)) >= sources.count(".. [") > 0  # each with its year
    guarantee = example(cls, epsilon=1.0, radius_m=200.0).guarantee(Context(landmarks=407))
    assert "ε = 1 per 200 m" in guarantee.statement
    assert guarantee.level == cls.level
    json.dumps(guarantee.as_dict())


@every_mechanism
def test_nothing_a_page_shows_of_it_is_empty(cls):
    assert cls.level in ("event", "w-event", "landmark", "user")
    texts = [cls.title, cls.summary, cls.statement(), *cls.assumptions, *cls.caveats]
    assert all(text.strip() == text and text for text in texts)
    for sentence in (cls.sentence, cls.sentence_without_landmarks, cls.sentence_of_records):
        assert not sentence.endswith(".")  # conditions and what is not covered follow in the same sentence
    assert cls.neighbours.words
    assert cls.neighbours.symbols
    assert not re.search(r"[{}]", cls.statement())
    assert all(text.endswith(".") for text in texts[1:])
    assert cls.caveats
    assert cls.assumptions or cls is landmark.UserLevel  # which holds whatever the correlation
    titles = [one.title for one in CLASSES]
    assert titles.count(cls.title) == 1


@every_mechanism
def test_the_guarantee_is_about_no_landmarks_where_there_are_none(cls):
    statement = example(cls, epsilon=1.0, radius_m=200.0).guarantee(Context(landmarks=0)).statement
    assert "ε = 1 per 200 m" in statement
    assert "all 0" not in statement
