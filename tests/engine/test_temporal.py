"""Temporal privacy loss: the published vectors, the definition, and what must hold for every transition matrix."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.temporal import (
    LossFunction,
    landmark_losses,
    landmark_own_loss,
    landmark_temporal_loss,
    smoothing_matrix,
    temporal_loss,
)
from privacy_engine.errors import DataError, EngineError, ParameterError
from tests.cases import each
from tests.examples import examples


def every_subset(rows):
    """L by its definition: the best ordered pair of ``rows`` (any number of them) and subset of columns."""
    subsets = np.array(list(itertools.product([0.0, 1.0], repeat=rows.shape[1])))
    mass = subsets @ rows.T
    q, d = (np.ravel(one) for one in np.broadcast_arrays(mass[:, :, None], mass[:, None, :]))

    def loss(alpha):
        if alpha > 30:
            small = math.exp(-alpha)
            return float((np.log(q + (1 - q) * small) - np.log(d + (1 - d) * small)).max())
        odds = math.expm1(alpha)
        return float(np.log1p((q - d) * odds / (1 + d * odds)).max())

    return loss


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
    @settings(max_examples=examples(200))
    @given(transition_matrices(), st.floats(0, 29) | st.floats(30, 700))
    def test_is_the_maximum_over_pairs_and_subsets(self, matrix, alpha):
        rel = 0 if alpha < 30 else 1e-13
        assert LossFunction(matrix)(alpha) == pytest.approx(every_subset(matrix)(alpha), rel=rel, abs=1e-12)

    @settings(max_examples=examples(150))
    @given(st.integers(0, 2**32), st.integers(2, 5), st.sampled_from([5, 20, 60, 250]), st.floats(0, 690))
    def test_keeps_columns_however_rare(self, seed, n, decades, alpha):
        rng = np.random.default_rng(seed)
        matrix = 10.0 ** -rng.uniform(0, decades, (n, n))
        matrix[np.arange(n), rng.integers(0, n, n)] = 1.0
        matrix /= matrix.sum(axis=1, keepdims=True)
        assert LossFunction(matrix)(alpha) == pytest.approx(every_subset(matrix)(alpha), rel=1e-12, abs=1e-12)

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
        carried = LossFunction(smoothing_matrix(2, 0.1))
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
        found = temporal_loss(epsilons, np.eye(3), [[0.8, 0.2], [0.0, 1.0]])
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


def formula(epsilons, mask, backward, forward):
    """alpha_t as printed, term by term."""
    n, alphas = len(epsilons), []
    for t in range(n):
        among = sorted({*np.flatnonzero(mask), t})
        alpha = 0.0
        for before, i, after in zip([-1, *among], among, [*among[1:], n], strict=False):
            back = ahead = 0.0
            for u in range(before + 1, i + 1):
                back = epsilons[u] + backward(back)
            for u in range(after - 1, i - 1, -1):
                ahead = epsilons[u] + forward(ahead)
            alpha += back + ahead - epsilons[i]
        alphas.append(alpha)
    return np.array(alphas)


def stationary(matrix):
    """The stationary law by state reduction (Grassmann, Taksar, Heyman 1985), exact for slow chains too."""
    rest = np.array(matrix)
    for k in range(len(rest) - 1, 0, -1):
        rest[:k, k] /= rest[k, :k].sum()
        rest[:k, :k] += np.outer(rest[:k, k], rest[k, :k])
    shares = np.ones(len(rest))
    for k in range(1, len(rest)):
        shares[k] = shares[:k] @ rest[:k, k]
    return shares / shares.sum()


def reverse(matrix):
    """Pr(l_{t-1} | l_t) of the stationary chain, by Bayes."""
    share = stationary(matrix)
    found = (matrix * share[:, None]).T / share[:, None]
    return np.asarray(found / found.sum(axis=1, keepdims=True))


@st.composite
def cases(draw, longest=14):
    """Budgets (any, or equal among landmarks and among the others), a mask, two loss functions."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, states = draw(st.integers(1, longest)), draw(st.integers(1, 4))
    mask = rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.5, 1.0]))
    epsilons = rng.random(n) * 2 if draw(st.booleans()) else np.where(mask, rng.random(), rng.random())
    if draw(st.booleans()):
        epsilons = np.where(rng.random(n) < 0.3, 0.0, epsilons)
    backward, forward = (LossFunction(rng.dirichlet(np.full(states, 0.4), size=states)) for _ in range(2))
    return epsilons, mask, backward, forward


class TestPublishedFormula:
    @settings(max_examples=examples(120))
    @given(cases())
    def test_is_the_formula_written_out(self, case):
        assert np.allclose(landmark_temporal_loss(*case), formula(*case), rtol=1e-12, atol=1e-12)

    @settings(max_examples=examples(30))
    @given(cases())
    def test_without_correlation_is_what_landmarks_and_one_event_spend(self, case):
        epsilons, mask = case[:2]
        spent = np.where(mask, 0, epsilons) + epsilons[mask].sum()
        assert np.allclose(landmark_temporal_loss(epsilons, mask), spent, rtol=1e-13)

    @settings(max_examples=examples(30))
    @given(cases())
    def test_own_losses_of_landmarks_sum_to_their_joint_loss(self, case):
        mask, own, alpha = case[1], landmark_own_loss(*case), landmark_temporal_loss(*case)
        assert np.allclose(alpha[mask], own[mask].sum(), rtol=1e-12)
        assert (own >= case[0] * (1 - 1e-12)).all()

    @each("bound", ["published", "bridge"])
    def test_both_at_once_are_the_two(self, bound):
        rng, matrix = np.random.default_rng(8), smoothing_matrix(3, 0.2)
        case = rng.random((4, 25)), rng.random((4, 25)) < 0.3, matrix, matrix
        own, joint = landmark_losses(*case, bound=bound)
        assert np.array_equal(own, landmark_own_loss(*case, bound=bound))
        assert np.array_equal(joint, landmark_temporal_loss(*case, bound=bound))

    def test_takes_many_series_at_once(self):
        rng, matrix = np.random.default_rng(3), smoothing_matrix(2, 0.1)
        masks, epsilons = rng.random((5, 30)) < 0.3, rng.random(30)
        together = landmark_temporal_loss(epsilons, masks, matrix, matrix)
        assert together.shape == (5, 30)
        for row, mask in zip(together, masks, strict=True):
            assert np.array_equal(row, landmark_temporal_loss(epsilons, mask, matrix, matrix))

    def test_of_an_empty_series_is_empty(self):
        assert landmark_temporal_loss([], np.zeros(0, dtype=bool), np.eye(2), np.eye(2)).shape == (0,)

    @pytest.mark.slow
    def test_long_gaps_with_varied_budgets_stay_exact(self):
        epsilons, mask = np.random.default_rng(5).random(300), np.isin(np.arange(300), [39, 289])
        carried = LossFunction(smoothing_matrix(3, 0.3))
        found = landmark_temporal_loss(epsilons, mask, carried, carried)
        assert np.allclose(found, formula(epsilons, mask, carried, carried), rtol=1e-12)

    @settings(max_examples=examples(60))
    @given(cases(), st.integers(0, 2**32))
    def test_budgets_equal_between_landmarks_are_the_formula_too(self, case, seed):
        epsilons, mask, *carried = case
        gap = np.cumsum(mask)
        stepped = np.where(mask, epsilons, np.random.default_rng(seed).random(gap.max() + 1)[gap])
        assert np.allclose(
            landmark_temporal_loss(stepped, mask, *carried), formula(stepped, mask, *carried), rtol=1e-12, atol=1e-12
        )


class TestBridge:
    def test_without_landmarks_is_the_published_loss(self):
        epsilons, matrix = np.random.default_rng(2).random(12), smoothing_matrix(2, 0.1)
        none = np.zeros(12, dtype=bool)
        assert np.allclose(
            landmark_temporal_loss(epsilons, none, matrix, matrix, bound="bridge"),
            landmark_temporal_loss(epsilons, none, matrix, matrix),
        )

    @each("seed", range(8))
    def test_budgets_equal_between_landmarks_give_the_same_loss(self, seed):
        rng = np.random.default_rng(seed)
        matrix, mask = rng.dirichlet(np.ones(3), size=3), rng.random(40) < 0.15
        stepped = rng.random(mask.sum() + 1)[np.cumsum(mask)]
        nearly = stepped * (1 + 1e-15 * np.arange(40))
        for loss in (landmark_temporal_loss, landmark_own_loss):
            slow, fast = (loss(budgets, mask, reverse(matrix), matrix, bound="bridge") for budgets in (nearly, stepped))
            assert np.allclose(slow, fast, rtol=1e-12)

    def test_kept_bridges_serve_shorter_and_longer_gaps(self):
        matrix, rng = smoothing_matrix(2, 0.3), np.random.default_rng(4)
        kept = LossFunction(matrix)
        for share in (0.4, 0.02, 0.2, 0.0, 0.5):
            mask = rng.random(300) < share
            fresh = landmark_temporal_loss(np.full(300, 0.2), mask, matrix, matrix, bound="bridge")
            again = landmark_temporal_loss(np.full(300, 0.2), mask, kept, kept, bound="bridge")
            assert np.array_equal(fresh, again)

    def test_refuses_what_would_take_too_long(self):
        mask = np.zeros(6000, dtype=bool)
        with pytest.raises(ParameterError, match="forward must mix within 5000 steps"):
            landmark_temporal_loss(np.ones(6000), mask, None, smoothing_matrix(2, 1e-5), bound="bridge")
        with pytest.raises(ParameterError, match="backward must have at most 50 states"):
            landmark_temporal_loss(np.ones(6000), mask, smoothing_matrix(51, 0.1), bound="bridge")
        still = landmark_temporal_loss(np.full(6000, 0.1), mask, np.eye(2), np.eye(2), bound="bridge")
        assert still == pytest.approx(600)


@each(
    ("field", "arguments"),
    [
        ("is_landmark", [([0.1, 0.1], [True]), ([0.1, 0.1], [0, 1]), (0.1, True)]),
        ("epsilons", [([0.1, -0.1], [True, False])]),
        ("backward", [([0.1], [True], [[0.5, 0.4], [0.5, 0.5]])]),
    ],
)
def test_names_what_it_refuses(field, arguments):
    for one in arguments:
        with pytest.raises(EngineError, match=rf"^{field} must ") as caught:
            landmark_temporal_loss(*one)
        assert caught.value.field == field


def test_refuses_an_unknown_bound_by_name():
    with pytest.raises(ParameterError, match="bound must be published or bridge, got 'exact'"):
        landmark_temporal_loss([0.1], [True], bound="exact")
