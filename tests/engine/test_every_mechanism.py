"""One battery over the registry: what holds for every mechanism, independent of its implementation.

Its noise is tested in test_every_mechanism_noise.py.
"""

import json
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.accounting.landmark_ledger import TOLERANCE, Ledger
from privacy_engine.accounting.promise import Context
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.errors import DataError
from privacy_engine.laws.base import Case
from privacy_engine.laws.densities import losses
from privacy_engine.mechanisms import landmark
from tests.cases import each
from tests.engine import mechanism_examples
from tests.engine.mechanism_examples import CLASSES, adversarial_masks, every_mechanism, example, variants, walk
from tests.examples import examples


def test_the_first_registered_names_are_these():
    names = "event-level user-level landmark-uniform landmark-skip landmark-adaptive w-event landmark-optimal"
    names = [*names.split(), "landmark-planned", "landmark-joint"]
    assert [cls.registered_name() for cls in CLASSES][: len(names)] == names


@every_mechanism
def test_same_seed_same_release_and_another_seed_another(cls):
    series, marks = walk(80), LandmarkSet(np.arange(80) % 3 == 0)
    for mechanism in variants(cls):
        one, two, three = (mechanism.release(series, marks, rng=noise.seeded(seed)) for seed in (7, 7, 8))
        mechanism_examples.assert_same_release(one, two)
        assert not np.array_equal(one.series.lon, three.series.lon)
        if cls is not landmark.Adaptive:  # whose budgets depend on the run
            assert np.array_equal(one.budgets, mechanism.budgets(marks.mask))


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


@mechanism_examples.every_mechanism_but(landmark.UserLevel, landmark.WEvent)
def test_no_landmarks_is_the_very_release_of_event_level(cls):
    nowhere, event_level = LandmarkSet(np.zeros(40, bool)), landmark.EventLevel(**mechanism_examples.EXAMPLE)
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
        assert np.allclose(release.budgets, mechanism_examples.EXAMPLE["epsilon"] / getattr(mechanism, "window", 1))
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


EPSILON, RADIUS_M = 0.7, 130.0


def worst(mechanism, mask, seed):
    """The largest change of the log-odds of an output by a neighbour."""
    return max(map(abs, losses(Case(mechanism), mechanism, walk(len(mask), seed), mask, seed)))


class TestExactDensities:
    """Of random sets; those of laws are adversarial. Odds: see :mod:`privacy_engine.laws.densities`."""

    @every_mechanism
    @settings(max_examples=examples(15))
    @given(mask=mechanism_examples.masks.filter(lambda mask: len(mask) <= 16), seed=st.integers(0, 2**32))
    def test_no_neighbour_moves_the_odds_of_an_output_further_than_epsilon(self, cls, mask, seed):
        for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
            assert worst(mechanism, mask, seed) <= EPSILON * (1 + 1e-9)

    @pytest.mark.slow
    @every_mechanism
    def test_of_adversarial_sets_too_and_the_worst_neighbour_comes_near(self, cls):
        """Truth moved straight away from every draw loses the whole budget of the set: nothing less may be declared."""
        for name, mask in adversarial_masks(9).items():
            for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
                most = worst(mechanism, mask, 3)
                assert most <= EPSILON * (1 + 1e-9), name
                if cls not in (landmark.Adaptive, landmark.WEvent):  # which may save, or have a longer window
                    assert most >= 0.999 * EPSILON, name


@each("cls", [one for one in CLASSES if one.level == "landmark"])
@each("seed", range(5))
def test_the_truth_at_a_landmark_that_is_not_drawn_is_not_read(cls, seed):
    rng, skipped = np.random.default_rng(seed), 0
    mask = rng.random(200) < 0.6
    still = Trajectory(116.4 + 1e-9 * np.arange(200), np.full(200, 39.9))  # so that Adaptive skips
    for mechanism in variants(cls, epsilon=EPSILON, radius_m=RADIUS_M):
        one = mechanism.release(still, LandmarkSet(mask), rng=noise.seeded(seed))
        unread = ~one.fresh
        elsewhere = Trajectory(
            np.where(unread, rng.uniform(-180, 180, 200), still.lon),
            np.where(unread, rng.uniform(-90, 90, 200), still.lat),
        )
        two = mechanism.release(elsewhere, LandmarkSet(mask), rng=noise.seeded(seed))
        mechanism_examples.assert_same_release(one, two)
        skipped += np.count_nonzero(unread)
    skipping = (landmark.Skip, landmark.Adaptive, landmark.Planned, landmark.Joint)
    assert skipped > 0 or cls not in skipping
