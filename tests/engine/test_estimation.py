"""Transition matrices estimated from data: the counts, the smoothing, and what is refused."""

import itertools
import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.estimation import estimate_correlation, estimate_from_states
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError, ParameterError
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

    def test_states_that_it_is_a_disclosure(self):
        found = estimate_from_states([1, 2, 1, 2, 1], smoothing=0)
        assert found.forward.tolist() == [[0, 1], [1, 0]], (
            "no smoothing is needed where every state is left and entered"
        )
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
            *(([1, 2], smoothing, "smoothing") for smoothing in (-1, math.nan, "x", 0)),
            *((states, 1, "states") for states in ([1], [], [[1], [2]], [[[1]]], 3, [1.5, 2.5], ["a", "b"])),
        ],
    )
    def test_names_what_it_refuses(self, states, smoothing, field):
        with pytest.raises((DataError, ParameterError), match=rf"^{field} must ") as caught:
            estimate_from_states(states, smoothing=smoothing)
        assert caught.value.field == field


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

    def test_names_what_it_refuses(self):
        for cell_m in (0, -1, 1e-3, math.nan, math.inf, "x"):
            with pytest.raises(ParameterError, match=r"^cell_m must "):
                estimate_correlation(Trajectory([1.0, 2.0], [1.0, 2.0]), cell_m=cell_m, smoothing=1.0)
        with pytest.raises(ParameterError, match="cell_m must be so large that the series visit at most 400 states"):
            estimate_correlation(Trajectory(np.linspace(0, 1, 500), np.zeros(500)), cell_m=1, smoothing=1.0)
        for series in ([], Trajectory([], []), Trajectory([1.0], [1.0])):
            with pytest.raises(DataError, match="series must have two events"):
                estimate_correlation(series, cell_m=10, smoothing=1.0)
