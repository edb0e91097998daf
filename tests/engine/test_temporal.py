"""Temporal privacy loss: the published vectors, the definition, and what must hold for every transition matrix."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix, temporal_loss
from privacy_engine.errors import DataError, EngineError, ParameterError
from tests.cases import each
from tests.examples import examples

MATRICES = {
    "[[.8,.2],[0,1]]": [[0.8, 0.2], [0.0, 1.0]],
    "smooth n=2 s=.1": [[1.1 / 1.2, 0.1 / 1.2], [0.1 / 1.2, 1.1 / 1.2]],
    "[[.1,.2,.7],[.5,.3,.2],[.25,.25,.5]]": [[0.1, 0.2, 0.7], [0.5, 0.3, 0.2], [0.25, 0.25, 0.5]],
}


def defined_loss(matrix, alpha):
    """L(alpha) as it is defined: the best pair of rows and subset of columns, all of them tried."""
    subsets = np.array(list(itertools.product([0.0, 1.0], repeat=len(matrix))))
    mass = subsets @ matrix.T
    q, d = mass[:, :, None], mass[:, None, :]
    if alpha < 30:
        odds = math.expm1(alpha)
        return float(np.log1p((q - d) * odds / (1 + d * odds)).max())
    small = math.exp(-alpha)
    return float((np.log(q + (1 - q) * small) - np.log(d + (1 - d) * small)).max())


@st.composite
def transition_matrices(draw, largest=6):
    """Row-stochastic matrices from nearly uniform to nearly deterministic, some with zeros."""
    n = draw(st.integers(1, largest))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = rng.dirichlet(np.full(n, draw(st.sampled_from([0.05, 0.3, 1.0, 20.0]))), size=n)
    if draw(st.booleans()):
        matrix = np.where(matrix < matrix.max(axis=1, keepdims=True) * 0.2, 0.0, matrix)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


class TestSmoothingMatrix:
    def test_ranges_from_the_identity_to_the_uniform_matrix(self):
        assert np.array_equal(smoothing_matrix(4, 0), np.eye(4))
        assert np.allclose(smoothing_matrix(4, 1e12), 0.25, atol=1e-12)

    @each(
        ("n", "s", "field"),
        [(0, 1, "n"), (401, 1, "n"), (2.5, 1, "n"), (True, 1, "n"), (2, -1, "s"), (2, math.nan, "s"), (2, "x", "s")],
    )
    def test_names_what_it_refuses(self, n, s, field):
        with pytest.raises(ParameterError, match=rf"^{field} must be ") as caught:
            smoothing_matrix(n, s)
        assert caught.value.field == field


class TestLossFunction:
    @settings(max_examples=examples(150))
    @given(transition_matrices(), st.floats(0, 29))
    def test_is_the_maximum_over_pairs_and_subsets(self, matrix, alpha):
        assert LossFunction(matrix)(alpha) == pytest.approx(defined_loss(matrix, alpha), rel=0, abs=1e-12)

    @settings(max_examples=examples(50))
    @given(transition_matrices(), st.floats(30, 700))
    def test_is_that_maximum_for_large_losses_too(self, matrix, alpha):
        assert LossFunction(matrix)(alpha) == pytest.approx(defined_loss(matrix, alpha), rel=1e-13, abs=1e-12)

    @settings(max_examples=examples(150))
    @given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([5, 20, 60, 250]), st.floats(0, 690))
    def test_keeps_columns_however_rare(self, seed, n, decades, alpha):
        rng = np.random.default_rng(seed)
        matrix = 10.0 ** -rng.uniform(0, decades, (n, n))
        matrix[np.arange(n), rng.integers(0, n, n)] = 1.0
        matrix /= matrix.sum(axis=1, keepdims=True)
        assert LossFunction(matrix)(alpha) == pytest.approx(defined_loss(matrix, alpha), rel=1e-12, abs=1e-12)

    @settings(max_examples=examples(80))
    @given(transition_matrices(), st.lists(st.floats(0, 1000), min_size=2, max_size=20))
    def test_never_falls_never_exceeds_its_argument_and_starts_at_zero(self, matrix, values):
        carried, alpha = LossFunction(matrix), np.sort(values)
        found = carried(alpha)
        assert carried(0.0) == 0.0
        assert (found >= 0).all()
        assert (found <= alpha).all()
        assert (np.diff(found) >= -1e-12 * (1 + alpha[1:])).all()

    @settings(max_examples=examples(80))
    @given(st.integers(1, 12), st.floats(0, 10), st.floats(0, 20))
    def test_of_a_smoothing_matrix_has_a_closed_form(self, n, s, alpha):
        grown = math.exp(alpha)
        closed = math.log(((1 + s) * grown + (n - 1) * s) / (s * grown + 1 + (n - 1) * s)) if n > 1 else 0.0
        assert LossFunction(smoothing_matrix(n, s))(alpha) == pytest.approx(closed, rel=0, abs=1e-12)

    def test_keeps_the_shape_of_its_argument(self):
        carried = LossFunction(MATRICES["smooth n=2 s=.1"])
        assert isinstance(carried(1.0), float)
        assert carried(np.ones((2, 3))).shape == (2, 3)
        assert carried(np.ones((2, 3)))[1, 2] == carried(1.0)


class TestSupremum:
    @settings(max_examples=examples(100))
    @given(transition_matrices(), st.floats(1e-6, 50))
    def test_is_a_fixpoint_that_the_series_approaches(self, matrix, epsilon):
        carried = LossFunction(matrix)
        supremum, reached = carried.supremum(epsilon), temporal_loss(np.full(3000, epsilon), carried).backward
        if math.isfinite(supremum):
            assert supremum == pytest.approx(epsilon + carried(supremum), rel=1e-9)
            assert reached[-1] <= supremum * (1 + 1e-9)
            if reached[-1] - reached[-2] < 1e-15:
                assert reached[-1] == pytest.approx(supremum, rel=1e-6)
        else:
            assert reached[-1] - reached[-2] > 0

    def test_is_zero_where_nothing_is_spent_and_infinite_where_states_never_mix(self):
        carried = LossFunction(np.eye(3))
        assert carried.supremum(0.0) == 0.0
        assert carried.supremum(1e-9) == math.inf

    def test_does_not_overflow(self):
        assert LossFunction([[0.5, 0.5], [0.3, 0.7]]).supremum(800.0) == pytest.approx(800 + math.log(5 / 3))


class TestTemporalLoss:
    @settings(max_examples=examples(40))
    @given(transition_matrices(4), st.lists(st.floats(0, 40), max_size=12))
    def test_is_the_plain_recursion_to_twelve_digits(self, matrix, epsilons):
        def plain(budgets):
            losses, value = [], 0.0
            for budget in budgets:
                value = budget + defined_loss(matrix, value) if value < 700 else value
                losses.append(value)
            return losses

        found = temporal_loss(epsilons, matrix, matrix)
        assert np.allclose(found.backward, plain(epsilons), rtol=1e-12, atol=1e-12)
        assert np.allclose(found.forward, plain(epsilons[::-1])[::-1], rtol=1e-12, atol=1e-12)

    @settings(max_examples=examples(60))
    @given(transition_matrices(4), st.integers(0, 2**32), st.sampled_from([1e-12, 1e-3, 0.3, 5.0, 29.0]))
    def test_steps_as_the_loss_function_does(self, matrix, seed, level):
        """Also where losses pass 30, up to which the recursion goes on in other numbers."""
        carried, rng = LossFunction(matrix), np.random.default_rng(seed)
        budgets = rng.exponential(level, 200) * (rng.random(200) < 0.7)
        found = temporal_loss(budgets, carried).backward
        stepped = budgets[1:] + carried(found[:-1])
        assert found[0] == pytest.approx(budgets[0], rel=1e-15)
        assert np.allclose(found[1:], stepped, rtol=1e-13, atol=0)

    @settings(max_examples=examples(40))
    @given(st.lists(st.floats(0, 1e5), max_size=20), st.floats(0, 1))
    def test_without_correlation_is_the_budget(self, epsilons, mixed):
        assert np.array_equal(temporal_loss(epsilons).total, epsilons)
        same_rows = [[mixed, 1 - mixed]] * 2
        assert np.array_equal(temporal_loss(epsilons, same_rows, same_rows).total, epsilons)

    @each("level", [25.0, 29.9, 30.1])
    def test_does_not_overflow_just_below_the_change_of_numbers(self, level):
        """Where e^a - 1 is near its bound at every step, for longer than a block of steps."""
        carried = LossFunction([[0.6, 0.4], [0.4, 0.6]])
        found = temporal_loss(np.full(100, level), carried).backward
        assert np.allclose(found[1:], level + carried(found[:-1]), rtol=1e-13, atol=0)

    def test_does_not_overflow_and_leaves_its_input_alone(self):
        epsilons = np.full(20_000, 1e4)
        found = temporal_loss(epsilons, np.eye(3), MATRICES["[[.8,.2],[0,1]]"])
        assert found.backward[-1] == pytest.approx(2e8)
        assert np.isfinite(found.total).all()
        assert (epsilons == 1e4).all()

    BAD = {
        "epsilons": ([-1.0], [math.nan], [math.inf], ["x"], [[0.1]], 0.1),
        "backward": ([[0.5, 0.5]], [], np.full((401, 401), 1 / 401)),
        "forward": (
            [[0.5, 0.6], [0.5, 0.5]],
            [[1.5, -0.5], [0.5, 0.5]],
            [[math.nan, 1], [0.5, 0.5]],
            [[1], [0.5, 0.5]],
        ),
    }

    @each("field", BAD)
    def test_names_what_it_refuses(self, field):
        for value in self.BAD[field]:
            with pytest.raises(EngineError, match=rf"^{field} must ") as caught:
                temporal_loss(**{"epsilons": [0.1], field: value})
            assert caught.value.field == field
            assert caught.value.rule
            assert isinstance(caught.value, DataError | ParameterError)
