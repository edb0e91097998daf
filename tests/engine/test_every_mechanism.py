"""One battery over the registry: what holds for every mechanism, independent of its implementation.

Its noise is tested in test_every_mechanism_noise.py, neighbouring series in test_every_mechanism_neighbours.py.
"""

import json
import re

import numpy as np
import pytest

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import TOLERANCE, Ledger
from privacy_engine.data import LandmarkSet
from privacy_engine.errors import DataError
from privacy_engine.mechanisms import landmark
from privacy_engine.promise import Context
from tests.cases import each
from tests.engine.mechanism_examples import (
    CLASSES,
    EXAMPLE,
    adversarial_masks,
    every_mechanism,
    every_mechanism_but,
    example,
    variants,
    walk,
)


def test_the_registered_names_are_these():
    names = "event-level user-level landmark-uniform landmark-skip landmark-adaptive w-event landmark-optimal"
    assert [cls.registered_name() for cls in CLASSES] == [*names.split(), "landmark-planned", "landmark-joint"]
    assert {getattr(landmark, name) for name in landmark.__all__} == set(CLASSES)


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
def test_no_landmarks_is_the_very_release_of_event_level(cls):
    nowhere = LandmarkSet(np.zeros(40, bool))
    event_level = landmark.EventLevel(**EXAMPLE)
    for mechanism in variants(cls):
        one, two = (which.release(walk(40), nowhere, rng=noise.seeded(4)) for which in (mechanism, event_level))
        assert np.array_equal(one.budgets, event_level.budgets(nowhere.mask))
        assert one.fresh.all()
        if cls is not landmark.Adaptive:  # which draws in pieces
            assert np.array_equal(one.series.lon, two.series.lon)
            assert np.array_equal(one.series.lat, two.series.lat)


@every_mechanism
def test_empty_and_single_event_series_are_released_and_landmarks_of_another_series_refused(cls):
    for n, marked in ((0, False), (0, True), (1, False), (1, True)):
        mechanism = example(cls)
        release = mechanism.release(walk(n), LandmarkSet(np.full(n, marked)), rng=noise.publishable())
        assert len(release.series) == n
        assert np.allclose(release.budgets, EXAMPLE["epsilon"] / getattr(mechanism, "window", 1))
    with pytest.raises(DataError, match="landmarks must mark 5 events, got 4"):
        example(cls).release(walk(5), LandmarkSet(np.zeros(4, bool)), rng=noise.publishable())


@every_mechanism
def test_nothing_a_page_shows_of_it_is_empty_and_the_guarantee_reads_well(cls):
    assert cls.level in ("event", "w-event", "landmark", "user")
    texts = [cls.title, cls.summary, cls.statement(), *cls.assumptions, *cls.caveats]
    assert all(text.strip() == text and text for text in texts)
    assert all(text.endswith(".") for text in texts[1:])
    assert not re.search(r"[{}]", cls.statement())
    for sentence in (cls.sentence, cls.sentence_without_landmarks, cls.sentence_of_records):
        assert not sentence.endswith(".")  # conditions and what is not covered follow in the same sentence
    assert all([cls.neighbours.words, cls.neighbours.symbols, cls.caveats])
    assert cls.assumptions or cls is landmark.UserLevel  # which holds whatever the correlation
    assert [one.title for one in CLASSES].count(cls.title) == 1
    sources = cls.documentation().partition("References\n----------\n")[2]
    assert len(re.findall(r"\b(?:19|20)\d\d\b", sources)) >= sources.count(".. [") > 0  # each with its year
    for landmarks in (407, 0):
        guarantee = example(cls, epsilon=1.0, radius_m=200.0).guarantee(Context(landmarks=landmarks))
        assert "ε = 1 per 200 m" in guarantee.statement
        assert "all 0" not in guarantee.statement
    assert guarantee.level == cls.level
    json.dumps(guarantee.as_dict())
