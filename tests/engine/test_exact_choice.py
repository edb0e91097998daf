"""Tables, coins, the exponential mechanism and the discrete Laplace law: exact, ties included (bars D2, D3).

Words of 2 to 8 bits make ties likely: every first word is enumerated, and what a tie leads to by every second one.
"""

import importlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.errors import ParameterError
from privacy_engine.landmarks.dummy_selection import one_sided_counts, one_sided_dummies
from privacy_engine.noise.choice import coin_table, option_table
from privacy_engine.noise.discrete import magnitude, magnitudes
from privacy_engine.noise.lazy_uniform import LazyUniform
from tests.cases import each, refusal
from tests.engine.test_exact_planar import HOSTILE, Scripted
from tests.examples import examples
from tests.later import stats


class NeedsMore(Exception):
    """A source has no further word."""


class Limited(Scripted):
    """Returns the given words, and raises where more are needed."""

    def words(self, n):
        if len(self.given) < n:
            raise NeedsMore
        return super().words(n)


def enumerated(draw, bits, depth):
    """The probability of each result over all strings of at most ``depth`` words, and of those that need more."""
    found = {}
    undecided = Fraction(0)
    open_strings = [(word,) for word in range(2**bits)]
    for length in range(1, depth + 1):
        longer = []
        for words in open_strings:
            try:
                result = draw(words)
                found[result] = found.get(result, Fraction(0)) + Fraction(1, 2 ** (bits * length))
            except NeedsMore:
                longer.append(words)
        if length == depth:
            undecided = Fraction(len(longer), 2 ** (bits * length))
        open_strings = [(*words, word) for words in longer for word in range(2**bits)]
    return found, undecided


def of_table(table):
    return lambda words: int(table.draw(1, Limited([word << 64 - table.bits for word in words]))[0])


def assert_within(found, undecided, law, slack=1e-13):
    """Each probability lies between what was decided for it and that plus what is still undecided."""
    for index, p in enumerate(law):
        decided = float(found.get(index, Fraction(0)))
        assert decided - slack <= p <= decided + float(undecided) + slack


def assert_exact(found, undecided, law, slack=1e-13):
    assert_within(found, undecided, law, slack)
    assert sum(found.values()) + undecided == 1


class TestTables:
    @each("bits", [2, 3, 4, 8])
    @each("epsilon", [0.01, 1 / 3, 1.0, 3.0, 9.0, 60.0])
    def test_of_a_coin(self, epsilon, bits):
        depth = {2: 8, 3: 4, 4: 4, 8: 2}[bits]  # words are requested in powers of two
        found, undecided = enumerated(of_table(coin_table(epsilon, bits=bits)), bits, depth)
        assert_exact(found, undecided, [math.exp(-epsilon), -math.expm1(-epsilon)])
        assert 0 < undecided <= Fraction(2, 2 ** (bits * depth))

    @pytest.mark.parametrize("bits", [2, 4, 8])
    @settings(max_examples=examples(8))
    @given(utilities=st.lists(st.floats(-5, 5), min_size=1, max_size=4), epsilon=st.floats(0.1, 6))
    def test_of_the_exponential_mechanism(self, bits, utilities, epsilon):
        depth = {2: 4, 4: 2, 8: 2}[bits]
        table = option_table(np.array(utilities), epsilon, 1.0, bits=bits)
        found, undecided = enumerated(of_table(table), bits, depth)
        assert_exact(found, undecided, noise.exponential_weights(utilities, epsilon, 1.0).tolist(), 1e-12)
        assert undecided <= Fraction(3 * len(utilities), 2 ** (bits * depth))

    def test_neighbours_are_within_epsilon_as_fractions(self):
        """D2: utilities that move by the sensitivity. What is undecided after two words, 1e-4, may go either way."""
        epsilon, one, two = 1.0, np.array([0.0, -1.0, 0.5]), np.array([-1.0, 0.0, 1.5])
        laws = [enumerated(of_table(option_table(u, epsilon, 1.0, bits=8)), 8, 2) for u in (one, two)]
        for (p, p_rest), (q, q_rest) in (laws, laws[::-1]):
            for index in range(3):
                assert math.log((p[index] + p_rest) / q[index]) <= epsilon + p_rest / p[index] + q_rest / q[index]
                assert math.log(p[index] / (q[index] + q_rest)) <= epsilon + 1e-9

    def test_thresholds_of_64_bits_are_as_narrow_as_can_be(self):
        for epsilon in (1e-6, 0.7, 20.0):
            table = coin_table(epsilon)
            assert int(table.high[0]) - int(table.low[0]) <= 1
            assert abs(int(table.low[0]) - math.exp(-epsilon) * 2**64) < 2**13  # the float's own error
        assert int(table.low[0]) / 2**64 == pytest.approx(math.exp(-20), rel=1e-15)

    def test_a_tie_of_64_bits_is_decided_by_the_next_word(self):
        table = coin_table(0.7)
        word = int(table.low[0])
        draws = [of_table(table)([word, more]) for more in (0, 2**64 - 1)]
        assert draws == [0, 1]
        assert of_table(table)([word - 1]) == 0
        assert of_table(table)([word + 2]) == 1


class TestCoins:
    @each("epsilon", [20.1, 745.0, 800.0, 1e4])
    def test_that_are_practically_never_true_are_refused_and_not_called_protection(self, epsilon):
        """A coin of e^-800 was 0 in floats: all dummies came out unmarked and the label promised protection."""
        for refused in (
            lambda: noise.covered(3, epsilon, rng=noise.seeded(1)),
            lambda: one_sided_dummies(np.zeros(10, dtype=bool), epsilon=epsilon, rng=noise.seeded(1)),
            lambda: one_sided_counts(3, epsilon=epsilon),
        ):
            with pytest.raises(ParameterError, match=r"^epsilon must be .*20"):
                refused()

    def test_fall_as_often_as_stated(self):
        """Five standard errors of 200,000 coins, seed 3; false alarms 6e-7 for each epsilon."""
        for epsilon in (0.1, 1.0, 3.0):
            p = noise.cover_probability(epsilon)
            assert p == math.exp(-epsilon)
            share = noise.covered(200_000, epsilon, rng=noise.seeded(3)).mean()
            assert share == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / 200_000))

    @each("value", HOSTILE)
    def test_refuse_what_is_no_level(self, value):
        with pytest.raises(ParameterError, match="^epsilon must be "):
            noise.covered(3, value, rng=noise.seeded(1))


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
        """Chi-square of single draws over 7 options and of rows whose last option is absent; false alarms 1e-5."""
        rng, utilities = noise.seeded(5), -np.arange(7) / 7
        law = noise.exponential_weights(utilities, 3, 0.5)
        seen = np.bincount([noise.exponential_mechanism(utilities, 3, 0.5, rng=rng) for _ in range(draws)])
        assert chdtrc(6, ((seen - draws * law) ** 2 / (draws * law)).sum()) > 1e-5
        utilities = np.tile([0.0, -1.0, 0.5, 0.2, 9.0], (4 * draws, 1))
        there = np.tile([True, True, True, True, False], (4 * draws, 1))
        found = noise.exponential_mechanisms(utilities, there, 1.3, 1.0, rng=noise.seeded(4))
        law = noise.exponential_weights(utilities[0, :4], 1.3, 1.0) * 4 * draws
        assert chdtrc(3, ((np.bincount(found, minlength=4) - law) ** 2 / law).sum()) > 1e-5

    def test_hopeless_options_are_never_chosen_and_overflow_nothing(self):
        assert noise.exponential_weights([0, -1e308, 5], 1e308, 1e-300).tolist() == [0, 0, 1]
        assert noise.exponential_mechanism([-1e9, 0, -1e9], 1, 1e-9, rng=np.random.default_rng(1)) == 1
        assert noise.exponential_mechanism([7.0], 1, 1, rng=noise.publishable()) == 0

    @settings(max_examples=examples(100), deadline=None)
    @given(
        rows=st.lists(st.lists(st.integers(-40, 0), min_size=4, max_size=4), min_size=1, max_size=5),
        seed=st.integers(0, 2**32),
        epsilon=st.floats(0.01, 20),
    )
    def test_rows_are_drawn_as_single_ones_are(self, rows, seed, epsilon):
        """First words at random, and those at the float thresholds, where the exact table decides with a second one."""
        rng, utilities = np.random.default_rng(seed), np.array(rows) / 2
        there = rng.random(utilities.shape) < 0.7
        there[np.arange(len(rows)), rng.integers(0, 4, len(rows))] = True
        for shift in (None, 0, 1 << 20, -(1 << 20)):
            words = rng.integers(0, 2**64, len(rows), dtype=np.uint64)
            tables = [option_table(one[keep], epsilon, 1.0) for one, keep in zip(utilities, there, strict=True)]
            if shift is not None:
                middles = [
                    int(table.low[0]) // 2 + int(table.high[0]) // 2 if len(table.low) else 9 for table in tables
                ]
                words = np.array([min(max(one + shift, 0), 2**64 - 1) for one in middles], dtype=np.uint64)
            # every row has the same second word, so that the order in which ties are settled is no matter
            found = noise.exponential_mechanisms(utilities, there, epsilon, 1.0, rng=Scripted([*words, *[7] * 50]))
            for i, table in enumerate(tables):
                alone = int(table.draw(1, Scripted([words[i], *[7] * 50]))[0])
                assert found[i] == np.flatnonzero(there[i])[alone]

    @each("value", HOSTILE)
    def test_refuses_by_name(self, value):
        for field in ("epsilon", "sensitivity"):
            given_ = {"epsilon": 1, "sensitivity": 1, field: value}
            refused = refusal(ParameterError, noise.exponential_mechanism, [0.0, 1.0], rng=1, **given_)
            assert refused.field == field
            assert refused.rule.startswith(("finite and greater than 0", "numeric", "from 1e-"))

    def test_refuses_utilities_that_are_none_and_rows_as_single_ones(self):
        def rows(utilities, there, rng=None, **given_):
            given_ = {"epsilon": 1.0, "sensitivity": 1.0} | given_
            return noise.exponential_mechanisms(np.array(utilities), np.array(there), **given_, rng=noise.seeded(1))

        for utilities in ([], [math.nan], [[0.0]]):
            with pytest.raises(ParameterError, match="utilities must be a one-dimensional array"):
                noise.exponential_mechanism(utilities, 1, 1, rng=noise.seeded(1))
        assert rows(np.empty((0, 3)), np.empty((0, 3)) > 0).shape == (0,)
        for utilities, there in (([[0.0, np.nan]], [[True, True]]), ([[1e101]], [[True]]), ([[0.0]], [[False]])):
            assert refusal(ParameterError, rows, utilities, there).field == "utilities"
        for field in ("epsilon", "sensitivity"):
            assert refusal(ParameterError, rows, [[0.0]], [[True]], **{field: -1.0}).field == field


class TestDiscreteLaplace:
    @pytest.mark.slow
    @each("bits", [2, 4, 8])
    @each("rate", [0.05, 0.7, 2.0])
    def test_magnitudes_of_short_words_have_the_exact_law(self, rate, bits):
        def draw(words):
            further = Limited([word << 64 - bits for word in words[1:]])
            return magnitude(rate, LazyUniform(words[0], further, first_bits=bits, word_bits=bits))

        found, undecided = enumerated(draw, bits, {2: 8, 4: 2, 8: 2}[bits])
        assert_within(found, undecided, [math.exp(-rate * k) * -math.expm1(-rate) for k in range(8)])
        assert undecided > 0

    @each("rate", [1e-9, 1e-7, 1e-3, 0.5, 3.0, 40.0])
    def test_floats_and_balls_agree(self, rate):
        rng = noise.seeded(8)
        words = rng.words(1500).copy()
        words[:6] = np.array([0, 1, 2**63, 2**64 - 1, 2**13, 2**64 - 2**12], dtype=np.uint64)
        found = magnitudes(rate, words, noise.seeded(9))
        for word, k in zip(words.tolist()[6:], found.tolist()[6:], strict=True):
            assert magnitude(rate, LazyUniform(word >> 1, rng, first_bits=63)) == k

    @each("value", HOSTILE)
    def test_refuses_by_name(self, value):
        with pytest.raises(ParameterError, match="^rate must be "):
            noise.discrete_laplace(value, 3, rng=noise.seeded(1))
        if not (isinstance(value, int) and not isinstance(value, bool) and value == 0):
            with pytest.raises(ParameterError, match="^n must be a whole number"):
                noise.discrete_laplace(1.0, value, rng=noise.seeded(1))
        assert noise.discrete_laplace(1.0, 0, rng=noise.seeded(1)).shape == (0,)


@pytest.mark.slow
@each("scale", [0.7, 5.0, 100.0])
def test_discrete_laplace_is_that_of_opendp(scale):
    """D11: two samplers of one law, written by different people; chi-square of two samples, false alarms 1e-5 each.

    OpenDP draws from its own generator, so this cannot be seeded: each run is a new sample.
    """
    dp = importlib.import_module("opendp.prelude")
    dp.enable_features("contrib")
    n = 50_000
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = np.array(dp.m.make_laplace(*space, scale=scale)([0] * n))
    ours = noise.discrete_laplace(1 / scale, n, rng=noise.publishable())
    edges = np.unique(np.round(np.linspace(-3, 3, 25) * scale).astype(int))
    counts = np.stack([np.bincount(np.searchsorted(edges, one), minlength=len(edges) + 1) for one in (ours, theirs)])
    counts = counts[:, counts.sum(axis=0) > 20]
    assert stats.chi2_contingency(counts).pvalue > 1e-5
