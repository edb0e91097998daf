"""Dummy landmark selection: the draw and its law, the one-sided guarantee exactly, texts and refusals."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.landmarks.dummy_selection import one_sided_dummies, select_dummies
from privacy_engine.landmarks.orders import landmark_histogram
from tests.cases import each, refusal
from tests.examples import examples

METHODS = ("optimal", "heuristic", "partitioned")
UTILITIES = ("distance", "count")
EXAMPLE = np.isin(np.arange(1, 11), [4, 5, 8])


def draw(mask=EXAMPLE, seed=1, **changed):
    arguments = {"method": "heuristic", "utility": "distance", "epsilon": 1.0} | changed
    return select_dummies(mask, **arguments, rng=noise.seeded(seed))


class TestSelection:
    @settings(max_examples=examples(100))
    @given(
        st.lists(st.booleans(), max_size=16),
        st.sampled_from(METHODS),
        st.sampled_from(UTILITIES),
        st.floats(1e-3, 1e3),
        st.integers(0, 2**32),
    )
    def test_marks_all_landmarks_and_the_events_of_the_option_drawn(self, marks, method, utility, epsilon, seed):
        selection = draw(marks, seed, method=method, utility=utility, epsilon=epsilon)
        before, after = np.array(marks, dtype=bool), selection.mask
        assert (after | ~before).all()
        assert (after & ~before).sum() == selection.chosen + 1
        assert len(selection.order) == len(selection.utilities) == (~before).sum()
        assert ((selection.utilities >= -1) & (selection.utilities <= 0)).all()
        added = selection.order[: selection.chosen + 1]
        if method == "partitioned" and len(marks):
            width, counts, _ = landmark_histogram(before)
            wanted = counts + np.bincount(added, minlength=len(counts))
            assert np.bincount(np.flatnonzero(after) // width, minlength=len(counts)).tolist() == wanted.tolist()
        elif len(marks):
            assert np.flatnonzero(after & ~before).tolist() == sorted(added.tolist())
        if len(added):
            assert selection.probabilities.sum() == pytest.approx(1)
        else:
            assert before.all()

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("draws", [2_000, pytest.param(8_000, marks=pytest.mark.thorough)])
    def test_options_are_drawn_by_their_probabilities(self, method, draws):
        """Chi-square of draws, seed 2; false alarms 1e-5 for each method."""
        rng, seen = noise.seeded(2), np.zeros(7)
        for _ in range(draws):
            one = select_dummies(EXAMPLE, method=method, utility="count", epsilon=1, rng=rng)
            seen[one.chosen] += 1
        expected = draws * one.probabilities
        assert chdtrc(6, ((seen - expected) ** 2 / expected).sum()) > 1e-5

    @pytest.mark.slow
    def test_partitioned_draws_alike_inside_a_bin_and_states_the_expected_utility(self):
        """Chi-square of 10,000 draws of one event of 5, seed 9; false alarms 1e-5."""
        rng, mask = noise.seeded(9), np.arange(6) == 2
        shares = []
        for _ in range(10_000):
            one = select_dummies(mask, method="partitioned", utility="count", epsilon=1e4, rng=rng)
            assert one.chosen == 0
            shares.append(one.mask & ~mask)
        seen = np.delete(np.sum(shares, axis=0), 2)
        assert chdtrc(4, ((seen - 2000) ** 2 / 2000).sum()) > 1e-5
        expected = -np.mean([2, 1, 1, 2, 3]) / 6
        assert draw(mask, method="partitioned").utilities == pytest.approx(expected)

    def test_same_seed_same_selection_and_the_input_stays(self):
        mask = EXAMPLE.copy()
        first, again = (draw(mask, 5, epsilon=0.01) for _ in range(2))
        assert np.array_equal(first.mask, again.mask)
        assert np.array_equal(mask, EXAMPLE)
        with pytest.raises(ValueError, match="read-only"):
            first.mask[0] = True
        for method in METHODS:
            assert draw([False] * 5, method=method).utilities.tolist() == [-1] * 5, "as far as can be"


def law(mask, epsilon):
    """The exact law of the one-sided selection, from its coins."""
    p = noise.cover_probability(epsilon)
    chances = [[(True, 1.0)] if marked else [(True, p), (False, 1 - p)] for marked in mask]
    return {
        tuple(marked for marked, _ in coins): math.prod(chance for _, chance in coins)
        for coins in itertools.product(*chances)
    }


class TestOneSided:
    @each("epsilon", [0.1, 1.0, 4.0])
    def test_a_landmark_is_distinguished_from_a_regular_event_by_at_most_epsilon(self, epsilon):
        for mask in itertools.product([False, True], repeat=5):
            ours = law(mask, epsilon)
            assert sum(ours.values()) == pytest.approx(1)
            for t in np.flatnonzero(mask).tolist():
                without = law((*mask[:t], False, *mask[t + 1 :]), epsilon)
                ratios = [chance / without[seen] for seen, chance in ours.items()]
                assert max(ratios) <= math.exp(epsilon) * (1 + 1e-12)
                assert min(ratios) == pytest.approx(math.exp(epsilon))  # no smaller coin would do

    def test_the_coins_fall_by_that_law(self):
        """Chi-square of 20,000 draws over 8 outcomes, seed 6; false alarms 1e-5."""
        rng, mask = noise.seeded(6), (False, True, False, False)
        expected = law(mask, 0.7)
        seen = dict.fromkeys(expected, 0)
        for _ in range(20_000):
            seen[tuple(one_sided_dummies(mask, epsilon=0.7, rng=rng).mask.tolist())] += 1
        chances = np.array(list(expected.values())) * 20_000
        assert chdtrc(7, ((np.array(list(seen.values())) - chances) ** 2 / chances).sum()) > 1e-5


class TestWhatIsStated:
    @each("method", METHODS)
    def test_a_drawn_option_states_that_it_is_no_differential_privacy(self, method):
        stated = draw(method=method)
        assert "need not be one" in stated.protects
        assert any("not differential privacy for the landmarks" in caveat for caveat in stated.caveats)
        assert any("surely no landmark" in caveat for caveat in stated.caveats)
        assert stated.method == method
        assert stated.epsilon == 1

    def test_the_one_sided_selection_states_its_share_and_its_side_and_a_seeded_one_is_not_private(self):
        stated = one_sided_dummies(EXAMPLE, epsilon=2, rng=np.random.default_rng(1))
        assert "e^−ε = 0.135" in stated.protects
        assert stated.caveats[0].startswith("It is one-sided.")
        assert not draw().private
        assert not stated.private
        assert one_sided_dummies(EXAMPLE, epsilon=1, rng=noise.publishable()).private


class TestRefusals:
    @each(
        ("field", "value", "rule"),
        [
            ("method", "best", "one of optimal, heuristic, partitioned"),
            ("utility", "size", "one of distance, count"),
            ("evaluation", "", "one of gaps, nearest"),
            ("distance", "l1", "one of euclidean, wasserstein"),
            ("epsilon", 0, "finite and greater than 0"),
            ("epsilon", math.inf, "finite and greater than 0"),
            ("epsilon", "much", "numeric"),
        ],
    )
    def test_name_field_rule_and_value(self, field, value, rule):
        for mask in (EXAMPLE, [True]):
            refused = refusal(ParameterError, draw, mask, **{field: value})
            assert (refused.field, refused.rule, refused.value) == (field, rule, value)
        with pytest.raises(DataError):
            one_sided_dummies([0.5], epsilon=1, rng=noise.seeded(1))
