"""Transition matrices estimated from data: the counts, the smoothing, and what is refused."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.estimation import estimate_correlation, estimate_from_states
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError, EngineError, ParameterError
from privacy_engine.geo import EARTH_RADIUS_M
from tests.cases import each
from tests.examples import examples

METRE = 1 / (math.radians(1) * EARTH_RADIUS_M)  # of latitude, in degrees


class TestFromStates:
    @settings(max_examples=examples(100))
    @given(st.lists(st.lists(st.integers(-3, 3), min_size=2), min_size=1, max_size=4), st.floats(1e-3, 10))
    def test_is_smoothed_counting(self, several, smoothing):
        found = estimate_from_states(several, smoothing=smoothing)
        moves = Counter(move for states in several for move in itertools.pairwise(states))
        labels = sorted({state for states in several for state in states})
        assert found.labels.tolist() == labels
        for i, a in enumerate(labels):
            left = sum(moves[a, b] + smoothing for b in labels)
            entered = sum(moves[b, a] + smoothing for b in labels)
            for j, b in enumerate(labels):
                assert found.counts[i, j] == moves[a, b]
                assert found.forward[i, j] == pytest.approx((moves[a, b] + smoothing) / left)
                assert found.backward[i, j] == pytest.approx((moves[b, a] + smoothing) / entered)

    def test_comes_near_the_chain_that_made_the_states(self):
        """Rows of 8,000 moves or more: five standard errors."""
        rng, matrix = np.random.default_rng(4), np.array([[0.9, 0.1], [0.3, 0.7]])
        states = [0]
        for u in rng.random(40_000):
            states.append(int(u > matrix[states[-1], 0]))
        found = estimate_from_states(states, smoothing=1.0)
        assert found.forward == pytest.approx(matrix, abs=0.026)
        assert found.backward == pytest.approx(matrix, abs=0.026)  # two states: the chain reads the same backwards

    def test_serves_temporal_loss_and_more_smoothing_means_less_of_it(self):
        states, budgets = np.repeat([1, 2, 1, 3], 20), np.full(30, 0.1)
        losses = []
        for smoothing in (0.01, 1.0, 100.0):
            found = estimate_from_states(states, smoothing=smoothing)
            losses.append(temporal_loss(budgets, found.backward, found.forward).total.max())
        assert losses == sorted(losses, reverse=True)

    def test_states_that_it_is_a_disclosure(self):
        found = estimate_from_states([1, 2, 1], smoothing=1.0)
        assert found.data_dependent
        assert "itself a disclosure" in found.note
        assert "owner" in found.note

    def test_takes_400_states_and_no_more(self):
        assert estimate_from_states(np.arange(400), smoothing=1.0).forward.shape == (400, 400)
        with pytest.raises(ParameterError, match="states must have at most 400 states, got 401"):
            estimate_from_states(np.arange(401), smoothing=1.0)

    @each(
        ("states", "smoothing", "field"),
        [
            ([1], 1, "states"),
            ([], 1, "states"),
            ([[1], [2]], 1, "states"),
            ([[[1]]], 1, "states"),
            (3, 1, "states"),
            ([1.5, 2.5], 1, "states"),
            (["a", "b"], 1, "states"),
            ([1, 2], -1, "smoothing"),
            ([1, 2], math.nan, "smoothing"),
            ([1, 2], "x", "smoothing"),
            ([1, 2], 0, "smoothing"),
        ],
    )
    def test_names_what_it_refuses(self, states, smoothing, field):
        with pytest.raises(EngineError, match=rf"^{field} must ") as caught:
            estimate_from_states(states, smoothing=smoothing)
        assert caught.value.field == field
        assert isinstance(caught.value, DataError | ParameterError)

    def test_needs_no_smoothing_where_every_state_is_left_and_entered(self):
        assert estimate_from_states([1, 2, 1, 2, 1], smoothing=0).forward.tolist() == [[0, 1], [1, 0]]


class TestFromCells:
    @each(("lon", "lat"), [(116.4, 39.9), (179.9999, -60.0), (0.0, 0.0)])
    def test_counts_moves_between_square_cells(self, lon, lat):
        east = np.array([0.0, 10, 60, 160, 140, 20]) * METRE / math.cos(math.radians(lat))
        north = np.array([0.0, 40, 0, 0, 60, 0]) * METRE
        wrapped = (lon + east + 180) % 360 - 180
        found = estimate_correlation(Trajectory(wrapped, lat + north), cell_m=50, smoothing=1.0)
        assert found.labels.tolist() == [[0, 0], [1, 0], [2, 1], [3, 0]]
        assert found.counts.tolist() == [[1, 1, 0, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 0, 1, 0]]

    def test_of_several_series_counts_no_move_from_one_to_the_next(self):
        here, there = Trajectory([1.0, 1.0], [2.0, 2.0]), Trajectory([1.5, 1.5, 1.5], [2.0, 2.0, 2.0])
        nothing = Trajectory([], [])
        found = estimate_correlation([nothing, here, nothing, there], cell_m=1000, smoothing=1.0)
        assert found.counts.tolist() == [[1, 0], [0, 2]]

    def test_is_the_estimate_from_those_cells(self):
        rng = np.random.default_rng(3)
        walk = Trajectory(10 + np.cumsum(rng.normal(0, 1e-3, 500)), 50 + np.cumsum(rng.normal(0, 1e-3, 500)))
        found = estimate_correlation(walk, cell_m=1000, smoothing=0.5)
        assert found.counts.sum() == 499
        assert np.allclose(found.forward.sum(axis=1), 1, rtol=0, atol=1e-14)
        assert np.isfinite(temporal_loss(np.full(20, 0.1), found.backward, found.forward).total).all()

    @each("cell_m", [0, -1, 1e-3, math.nan, math.inf, "x"])
    def test_names_a_cell_it_refuses(self, cell_m):
        with pytest.raises(ParameterError, match=r"^cell_m must ") as caught:
            estimate_correlation(Trajectory([1.0, 2.0], [1.0, 2.0]), cell_m=cell_m, smoothing=1.0)
        assert caught.value.field == "cell_m"

    def test_refuses_more_cells_than_it_can_hold(self):
        walk = Trajectory(np.linspace(0, 1, 500), np.zeros(500))
        with pytest.raises(ParameterError, match="cell_m must be so large that the series visit at most 400 states"):
            estimate_correlation(walk, cell_m=1, smoothing=1.0)

    @each("series", [[], Trajectory([], []), Trajectory([1.0], [1.0])])
    def test_refuses_series_without_a_move(self, series):
        with pytest.raises(DataError, match="series must have two events"):
            estimate_correlation(series, cell_m=10, smoothing=1.0)
