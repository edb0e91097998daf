"""Fast equals plain, to 1e-12 on 200 random cases each: the loss function, its series, landmark losses, plans.

The plain readings share nothing with the engine: every subset of columns tried, the algorithm of the paper, and the
formulas for landmarks window by window.
"""

import itertools
import math
from collections.abc import Callable
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.accounting.planning import plan_budgets
from privacy_engine.accounting.temporal import (
    LossFunction,
    landmark_own_loss,
    landmark_temporal_loss,
    smoothing_matrix,
    temporal_loss,
)
from privacy_engine.errors import DataError, EngineError, ParameterError
from tests.cases import each
from tests.engine.test_temporal import every_subset, reverse, transition_matrices
from tests.later import optimize

Loss = Callable[[float], float]


def cao(matrix, alpha):
    """Algorithm 1 of Cao et al.: for each pair start with the columns where q_j > d_j, strike out what lowers it."""
    odds, best = math.expm1(alpha), 0.0
    for q_row, d_row in itertools.permutations(matrix, 2):
        kept = q_row > d_row
        while True:
            q, d = q_row[kept].sum(), d_row[kept].sum()
            # q_j / d_j <= (q odds + 1) / (d odds + 1), without a division by 0
            struck = kept & (q_row * (d * odds + 1) <= d_row * (q * odds + 1))
            if not struck.any():
                break
            kept &= ~struck
        best = max(best, math.log1p((q - d) * odds / (1 + d * odds)))
    return best


@given(transition_matrices(30), st.floats(0, 29))
def test_the_loss_function_equals_the_algorithm_of_the_paper(matrix, alpha):
    assert LossFunction(matrix)(alpha) == pytest.approx(cao(matrix, alpha), rel=0, abs=1e-12)


def recursion(budgets, loss):
    found, value = [], 0.0
    for budget in budgets.tolist():
        value = budget + loss(value)
        found.append(value)
    return found


budgets_of = st.lists(st.one_of(st.just(0.0), st.floats(1e-9, 40)), max_size=12).map(np.array)


class TestSeries:
    @given(transition_matrices(4), transition_matrices(4), budgets_of)
    def test_equals_the_recursion(self, backward, forward, budgets):
        found = temporal_loss(budgets, backward, forward)
        before = np.array(recursion(budgets, every_subset(backward)))
        after = np.array(recursion(budgets[::-1], every_subset(forward))[::-1])
        for ours, theirs in ((found.backward, before), (found.forward, after), (found.total, before + after - budgets)):
            assert np.allclose(ours, theirs, rtol=1e-12, atol=1e-12)


def bridge(matrix, h, end):
    """Steps of a chain known to be in state ``end`` after h of them: B[y, z] = P[y,z] P^(h-1)[z,end] / P^h[y,end]."""
    ahead, here = (np.linalg.matrix_power(matrix, k)[:, end] for k in (h - 1, h))
    return np.asarray((matrix * ahead)[here > 0] / here[here > 0, None])


class Windows:
    """The loss at the first event of a window, from the definition; kernels and losses are cached."""

    def __init__(self, matrix, bridged):
        self.matrix, self.ends = matrix, range(len(matrix)) if bridged else ()
        self.own = every_subset(matrix)
        self.kept: dict[tuple[int, int], Loss] = {}

    def bridge(self, h, end):
        if (h, end) not in self.kept:
            self.kept[h, end] = every_subset(bridge(self.matrix, h, end))
        return self.kept[h, end]

    def loss(self, budgets, known):
        """Of a window with these budgets; ``known``: the event after it is one of those that are looked at."""
        n, found = len(budgets), []
        for end in self.ends if known else ():
            steps = [partial(lambda value, h, end: self.bridge(h, end)(value), h=n - i, end=end) for i in range(n - 1)]
            found.append(self._chain(budgets, steps))
        return max(found) if found else self._chain(budgets, [self.own] * (n - 1))

    @staticmethod
    def _chain(budgets, steps):
        value = float(budgets[-1])
        for budget, step in zip(budgets[-2::-1].tolist(), reversed(steps), strict=True):
            value = budget + step(value)
        return value


def landmark_losses(budgets, mask, back, ahead):
    """alpha_t and own loss of every t: for each t all windows between the members of L ∪ {t}, one by one."""
    n, joint, own = len(budgets), [], []
    for t in range(n):
        among = sorted({*np.flatnonzero(mask).tolist(), t})
        alphas = {}
        for before, i, after in zip([-1, *among[:-1]], among, [*among[1:], n], strict=True):
            forward = ahead.loss(budgets[i:after], known=after < n)
            backward = back.loss(budgets[before + 1 : i + 1][::-1], known=before >= 0)
            alphas[i] = backward + forward - budgets[i]
        joint.append(sum(alphas.values()))
        own.append(alphas[t])
    return joint, own


@st.composite
def chains(draw, longest):
    """Budgets (any, constant, some 0), a mask, the forward matrix of a stationary chain."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n, states = draw(st.integers(1, longest)), draw(st.integers(1, 3))
    budgets = np.full(n, rng.random()) if draw(st.booleans()) else rng.random(n) * draw(st.sampled_from([0.1, 2, 20]))
    budgets[rng.random(n) < draw(st.sampled_from([0.0, 0.3]))] = 0.0
    matrix = rng.dirichlet(np.full(states, draw(st.sampled_from([0.3, 1.0, 5.0]))), size=states) + 1e-6
    return budgets, rng.random(n) < draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])), matrix / matrix.sum(axis=1)[:, None]


class TestLandmarks:
    @pytest.mark.parametrize("bound", ["published", "bridge"])
    @given(case=chains(9))
    def test_equals_the_windows_one_by_one(self, bound, case):
        budgets, mask, matrix = case
        back, ahead = (Windows(one, bound == "bridge") for one in (reverse(matrix), matrix))
        joint, own = landmark_losses(budgets, mask, back, ahead)
        how = (budgets, mask, reverse(matrix), matrix)
        assert np.allclose(landmark_temporal_loss(*how, bound=bound), joint, rtol=1e-12, atol=1e-12)
        assert np.allclose(landmark_own_loss(*how, bound=bound), own, rtol=1e-12, atol=1e-12)


class TestPlans:
    @given(
        st.integers(0, 2**32),
        st.integers(2, 4),
        st.sampled_from([0.5, 1.0, 5.0]),
        st.floats(0.01, 10),
        st.integers(2, 6),
    )
    def test_equals_the_roots_of_the_equations(self, seed, states, spread, alpha, n):
        """One direction may spend all there is: then it starts at alpha."""
        rng = np.random.default_rng(seed)
        backward, forward = (rng.dirichlet(np.full(states, spread), size=states) for _ in range(2))
        before, after = every_subset(backward), every_subset(forward)

        def excess(first):
            last = max(alpha - before(first), 0.0)
            return (last - after(last)) - (first - before(first))

        first = alpha if excess(alpha) >= 0 else optimize.brentq(excess, 0.0, alpha, xtol=1e-16, rtol=1e-15)
        last = alpha - before(first)
        middle = min(first - before(first), last - after(last))
        expected = [first, *[middle] * (n - 2), last]
        assert plan_budgets(alpha, n, backward, forward) == pytest.approx(expected, rel=1e-12, abs=1e-12)
        every = plan_budgets(alpha, n, backward, forward, "upper-bound")
        assert every == pytest.approx([middle] * n, rel=1e-12, abs=1e-12)


@st.composite
def correlations(draw):
    """None, or a matrix from nearly uniform to nearly the identity, some with zeros or a state that is never left."""
    n = draw(st.integers(0, 5))
    if n < 2:
        return None
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    matrix = rng.dirichlet(np.full(n, draw(st.sampled_from([0.1, 1.0, 20.0]))), size=n)
    matrix += np.eye(n) * draw(st.sampled_from([0.0, 1.0, 1e3, 1e6]))
    matrix = np.where(matrix < draw(st.sampled_from([0.0, 0.05])), 0.0, matrix)
    if draw(st.booleans()):
        matrix[0] = np.eye(n)[0]
    matrix = matrix / matrix.sum(axis=1, keepdims=True) + 1e-9  # so that states mix at all
    return LossFunction(matrix / matrix.sum(axis=1, keepdims=True))


class TestPlanBudgets:
    @given(correlations(), correlations(), st.floats(1e-6, 60), st.sampled_from([1, 2, 3, 4, 50, 3000]))
    def test_by_quantification_leaks_its_target_everywhere_and_never_more(self, backward, forward, alpha, n):
        budgets = plan_budgets(alpha, n, backward, forward)
        total = temporal_loss(budgets, backward, forward).total
        assert budgets.shape == (n,)
        assert total.max() <= alpha * (1 + 1e-12)
        assert total.min() >= alpha * (1 - 1e-9)

    @given(correlations(), correlations(), st.floats(1e-6, 60), st.sampled_from([1, 2, 3, 50, 3000]))
    def test_by_upper_bound_never_leaks_more_however_long(self, backward, forward, alpha, n):
        budgets = plan_budgets(alpha, n, backward, forward, "upper-bound")
        assert temporal_loss(budgets, backward, forward).total.max() <= alpha * (1 + 1e-12)
        assert (budgets == budgets[0]).all()

    def test_plans_of_long_series(self):
        backward, forward = smoothing_matrix(3, 0.2), np.array([[0.7, 0.3], [0.4, 0.6]])
        budgets = plan_budgets(2.0, 10_001, backward, forward, "upper-bound")
        assert temporal_loss(budgets, backward, forward).total[5000] == pytest.approx(2.0, rel=1e-12)
        suprema = [LossFunction(matrix).supremum(budgets[0]) for matrix in (backward, forward)]
        assert sum(suprema) - budgets[0] == pytest.approx(2.0, rel=1e-12)
        matrix = [[0.8, 0.2], [0.0, 1.0]]
        assert LossFunction(matrix).supremum(1.0) == math.inf
        budgets = plan_budgets(20.0, 500, matrix, matrix)
        assert 0 < budgets[250] < -math.log(0.8)
        assert temporal_loss(budgets, matrix, matrix).total == pytest.approx(20.0, rel=1e-12)

    @each("method", ["quantification", "upper-bound"])
    def test_refuses_states_that_never_mix_and_states_what_to_do(self, method):
        mixing = smoothing_matrix(2, 0.1)
        with pytest.raises(ParameterError, match=r"^backward must let losses fade, .* alpha / n = 0.01 for") as caught:
            plan_budgets(1.0, 100, np.eye(2), mixing, method)
        assert caught.value.field == "backward"
        with pytest.raises(ParameterError, match=r"^forward must let losses fade"):
            plan_budgets(1.0, 2, mixing, np.eye(2), method)
        assert plan_budgets(1.0, 1, np.eye(2), np.eye(2)).tolist() == [1.0]

    @each(
        ("arguments", "field"),
        [
            *(((alpha, 5), "alpha") for alpha in (0.0, -1.0, math.nan, math.inf, "x", [1.0, 2.0])),
            *(((1.0, n), "n") for n in (0, 2.0, True, 10**12)),
            ((1.0, 5, [[0.5, 0.6], [0.5, 0.5]]), "backward"),
            ((1.0, 5, None, [[1.0], [0.5, 0.5]]), "forward"),
            ((1.0, 5, None, None, "guess"), "method"),
        ],
    )
    def test_names_what_it_refuses(self, arguments, field):
        with pytest.raises(EngineError, match=rf"^{field} must ") as caught:
            plan_budgets(*arguments)
        assert caught.value.field == field
        assert isinstance(caught.value, DataError | ParameterError)
