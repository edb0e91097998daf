"""Stationary chains and their reversals; how long a bridged loss takes, reported beforehand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.markov_chains import mismatch, reversal, stationary
from privacy_engine.accounting.runtime_estimate import loss_seconds, memory
from privacy_engine.accounting.temporal import LossFunction, smoothing_matrix
from privacy_engine.errors import DataError
from tests.examples import examples


@st.composite
def matrices(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 6))
    return np.asarray(rng.dirichlet(np.full(n, draw(st.sampled_from([0.3, 1.0, 5.0]))), size=n))


class TestReversal:
    @settings(max_examples=examples(60))
    @given(matrices())
    def test_belongs_to_the_same_chain_and_twice_is_the_chain_again(self, matrix):
        shares, backward = stationary(matrix), reversal(matrix)
        assert shares @ matrix == pytest.approx(shares, abs=1e-9)
        assert mismatch(backward, matrix) == pytest.approx(0, abs=1e-9)
        visited = shares > 1e-6
        assert reversal(backward)[visited] == pytest.approx(matrix[visited], abs=1e-5)

    def test_smoothing_matrices_are_their_own_and_a_cycle_runs_backwards(self):
        matrix = smoothing_matrix(5, 0.01)
        assert reversal(matrix) == pytest.approx(matrix, abs=1e-12)
        cycle = np.roll(np.eye(3), 1, axis=1)
        assert reversal(cycle).tolist() == cycle.T.tolist()

    def test_other_matrices_do_not_belong_together(self):
        one, other = [[0.5, 0.5], [0.05, 0.95]], [[0.9, 0.1], [0.5, 0.5]]
        assert mismatch(one, other) > 0.05
        assert mismatch(one, np.eye(3)) == 1.0
        with pytest.raises(DataError, match="backward must have rows that sum to 1"):
            mismatch([[0.5, 0.4], [0, 1]], np.eye(2))


class TestEffort:
    def test_even_gaps_take_steps_and_uneven_ones_pairs(self):
        carried, mask = LossFunction(smoothing_matrix(2, 0.1)), np.isin(np.arange(20_000), [10_000])
        even = np.where(np.arange(20_000) < 10_000, 0.2, 0.1)
        uneven = even.copy()
        uneven[15_000] = 0.3
        assert loss_seconds(even, mask, carried, "bridge") < 0.1
        assert loss_seconds(uneven, mask, carried, "bridge") > 1.0
        assert loss_seconds(uneven, mask, carried, "published") < 0.1

    def test_memory_is_when_powers_agree(self):
        matrix = smoothing_matrix(3, 0.1)
        power = np.linalg.matrix_power(matrix, memory(LossFunction(matrix)))
        assert np.ptp(power, axis=0).max() < 1e-13
        assert memory(LossFunction(np.eye(2))) > 10**8
        assert memory(LossFunction([[1.0]])) <= 2

    def test_without_correlation_it_is_next_to_nothing(self):
        assert loss_seconds(np.ones(5), np.zeros(5, dtype=bool), LossFunction([[1.0]]), "bridge") < 1e-6
        assert loss_seconds(np.ones(5), np.ones(5, dtype=bool), LossFunction(np.eye(2)), "bridge") < 0.1
