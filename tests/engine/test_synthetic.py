"""Synthetic landmarks: published weights and distances, the law of the sampler, what is refused."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.errors import DataError, ParameterError
from privacy_engine.landmarks.synthetic import MODES, average_temporal_distance, landmark_weights, sample_landmarks
from tests.cases import each, refusal
from tests.examples import examples


class TestWeights:
    @each("name", MODES)
    @each("scale", [1e-3, 0.5, 30.0, 1e12])
    def test_sum_to_one_at_every_scale(self, name, scale):
        weights = landmark_weights(101, name, scale)
        assert weights.sum() == pytest.approx(1)
        assert (weights >= 0).all()

    def test_peak_where_they_should_and_mirror_each_other(self):
        assert landmark_weights(99, "left-skewed", 9).argmax() == 74
        assert landmark_weights(99, "symmetric", 9).argmax() == 49
        assert np.allclose(landmark_weights(99, "right-skewed", 9), landmark_weights(99, "left-skewed", 9)[::-1])
        assert sorted(landmark_weights(99, "bimodal", 9).argsort()[-2:]) == [24, 74]
        assert landmark_weights(4, "uniform", 1).tolist() == [0.25] * 4


def sets_of_two(weights):
    """The law of two draws one after another without replacement."""
    pairs = itertools.combinations(range(len(weights)), 2)
    return {(i, j): weights[i] * weights[j] * (1 / (1 - weights[i]) + 1 / (1 - weights[j])) for i, j in pairs}


class TestSampler:
    @pytest.mark.slow
    @each("name", MODES)
    def test_draws_follow_the_weights(self, name):
        """Chi-square of 30,000 pairs from 6 timestamps, seed 11; false alarms 1e-5 for each distribution."""
        rng, law, draws = noise.seeded(11), sets_of_two(landmark_weights(6, name, 2.0)), 30_000
        seen = dict.fromkeys(law, 0)
        for _ in range(draws):
            i, j = np.flatnonzero(sample_landmarks(6, 2, name, rng=rng, scale_divisor=3)).tolist()
            seen[i, j] += 1
        expected = np.array(list(law.values())) * draws
        assert expected.sum() == pytest.approx(draws)
        assert expected.min() > 5
        statistic = ((np.array(list(seen.values())) - expected) ** 2 / expected).sum()
        assert chdtrc(len(law) - 1, statistic) > 1e-5

    @settings(max_examples=examples(60))
    @given(st.data(), st.sampled_from(sorted(MODES)), st.integers(1, 300), st.floats(1e-3, 300))
    def test_marks_as_many_as_requested(self, data, name, n, divisor):
        count = data.draw(st.integers(0, n))
        mask = sample_landmarks(n, count, name, rng=noise.seeded(n), scale_divisor=divisor)
        assert mask.shape == (n,)
        assert mask.dtype == np.bool_
        assert mask.sum() == count

    def test_same_seed_same_landmarks_and_generators_are_taken(self):
        first, again = (sample_landmarks(500, 50, "bimodal", rng=np.random.default_rng(4)) for _ in range(2))
        other = sample_landmarks(500, 50, "bimodal", rng=noise.seeded(5))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)


@each(
    ("field", "values", "rule"),
    [
        ("n", (0, 2.5), "a whole number from 1 to 100000000"),
        ("count", (11, -1, True), "a whole number from 0 to 10"),
        ("scale_divisor", (0, float("nan"), "wide"), "from 1e-11 to 10000"),
        ("distribution", ("normal",), "one of left-skewed, symmetric, right-skewed, bimodal, uniform"),
    ],
)
def test_refusals_name_field_rule_and_value(field, values, rule):
    for value in values:
        arguments = {"n": 10, "count": 3, "distribution": "uniform", "scale_divisor": 10.0} | {field: value}
        refused = refusal(ParameterError, sample_landmarks, **arguments, rng=noise.seeded(1))
        assert (refused.field, refused.rule, refused.value) == (field, rule, value) or value != value
        assert str(refused).startswith(f"{field} must be {rule}, got ")


def test_weights_refuse_a_scale_that_is_none():
    with pytest.raises(ParameterError, match=r"scale must be from 0\.001 to 1e\+12, got -1"):
        landmark_weights(5, "symmetric", -1)


def test_distance_refuses_what_is_no_mask():
    with pytest.raises(DataError):
        average_temporal_distance([1, 2, 3])
