"""The exponential mechanism and the one-sided coins: published probabilities, their laws, what they refuse."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.errors import ParameterError
from tests.cases import each


class TestExponentialMechanism:
    @given(
        st.lists(st.tuples(st.floats(-1e3, 1e3), st.floats(-1, 1)), min_size=1, max_size=20),
        st.floats(1e-3, 5),
        st.floats(1e-2, 1e2),
    )
    def test_utilities_that_differ_by_the_sensitivity_move_no_probability_further_than_epsilon(
        self, options, epsilon, sensitivity
    ):
        one = np.array([utility for utility, _ in options])
        other = one + sensitivity * np.array([moved for _, moved in options])
        p, q = (noise.exponential_weights(u, epsilon, sensitivity) for u in (one, other))
        seen = (p > 1e-290) & (q > 1e-290)
        assert (np.abs(np.log(p[seen] / q[seen])) <= epsilon * (1 + 1e-9) + 1e-9).all()

    @pytest.mark.parametrize("draws", [10_000, pytest.param(40_000, marks=pytest.mark.thorough)])
    def test_draws_follow_the_weights(self, draws):
        """Chi-square of draws over 7 options, seed 5; false alarms 1e-5."""
        rng, utilities = noise.seeded(5), -np.arange(7) / 7
        law = noise.exponential_weights(utilities, 3, 0.5)
        seen = np.bincount([noise.exponential_mechanism(utilities, 3, 0.5, rng=rng) for _ in range(draws)])
        assert chdtrc(6, ((seen - draws * law) ** 2 / (draws * law)).sum()) > 1e-5

    def test_hopeless_options_are_never_chosen_and_overflow_nothing(self):
        assert noise.exponential_weights([0, -1e308, 5], 1e308, 1e-300).tolist() == [0, 0, 1]
        assert noise.exponential_mechanism([-1e9, 0, -1e9], 1, 1e-9, rng=np.random.default_rng(1)) == 1
        assert noise.exponential_mechanism([7.0], 1, 1, rng=noise.publishable()) == 0

    @each(
        ("field", "value"),
        [("epsilon", 0), ("epsilon", math.inf), ("epsilon", "x"), ("sensitivity", -1), ("sensitivity", math.nan)],
    )
    def test_refuses_by_name(self, field, value):
        with pytest.raises(ParameterError) as refused:
            noise.exponential_weights(**({"utilities": [0.0], "epsilon": 1, "sensitivity": 1} | {field: value}))
        assert refused.value.field == field
        assert refused.value.value is value
        assert refused.value.rule in ("finite and greater than 0", "numeric")

    @each("utilities", [[], [math.nan], [[0.0]]])
    def test_refuses_utilities_that_are_none(self, utilities):
        with pytest.raises(ParameterError, match="utilities must be a one-dimensional array"):
            noise.exponential_mechanism(utilities, 1, 1, rng=noise.seeded(1))


class TestCoins:
    def test_fall_as_often_as_stated(self):
        """Five standard errors of 200,000 coins, seed 3; false alarms 6e-7 for each epsilon."""
        for epsilon in (0.1, 1.0, 3.0):
            p = noise.cover_probability(epsilon)
            assert p == math.exp(-epsilon)
            share = noise.covered(200_000, epsilon, rng=noise.seeded(3)).mean()
            assert share == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 200_000))

    def test_refuse_a_level_that_is_none(self):
        with pytest.raises(ParameterError, match="epsilon must be finite and greater than 0, got 0"):
            noise.covered(3, 0, rng=noise.seeded(1))
