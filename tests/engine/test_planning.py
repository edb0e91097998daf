"""Budget planning: the published plan, and that no plan leaks more than it was made for."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.accounting.planning import plan_budgets
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix, temporal_loss
from privacy_engine.errors import DataError, EngineError, ParameterError
from tests.cases import each


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

    def test_by_upper_bound_comes_near_its_target_in_a_long_series(self):
        backward, forward = smoothing_matrix(3, 0.2), np.array([[0.7, 0.3], [0.4, 0.6]])
        budgets = plan_budgets(2.0, 10_001, backward, forward, "upper-bound")
        assert temporal_loss(budgets, backward, forward).total[5000] == pytest.approx(2.0, rel=1e-12)
        suprema = [LossFunction(matrix).supremum(budgets[0]) for matrix in (backward, forward)]
        assert sum(suprema) - budgets[0] == pytest.approx(2.0, rel=1e-12)

    def test_finds_a_plan_where_constant_budgets_would_grow_without_bound(self):
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
