"""Dummy landmark options: published orders, plain loops over everything, what is refused."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.errors import DataError, ParameterError
from privacy_engine.landmarks.dummy_selection import heuristic_order, optimal_order, partitioned_order
from privacy_engine.landmarks.orders import LONGEST, landmark_histogram
from tests.cases import each, refusal

TIE = 1e-12
EVALUATIONS = ("gaps", "nearest")
masks = st.lists(st.booleans(), max_size=26)


def at(timestamps, n):
    """The mask of 1-based timestamps."""
    return np.isin(np.arange(1, n + 1), timestamps)


@cache
def evaluate(marks, n, evaluation):
    """The evaluation as it is defined; ``marks`` are {0} ∪ L ∪ {n + 1}."""
    if evaluation == "gaps":
        return float(np.std(np.diff(marks)))
    return float(np.std([min(abs(t - m) for m in marks) for t in range(1, n + 1)]))


def marks_of(mask):
    return (0, *(np.flatnonzero(mask) + 1).tolist(), len(mask) + 1)


def plain_heuristic(mask, evaluation):
    """Every regular event tried at every step: O(r²n)."""
    n, marks, order = len(mask), marks_of(mask), []
    if all(mask):
        return []
    aim = evaluate(marks, n, evaluation)
    while len(marks) < n + 2:
        candidates = [t for t in range(1, n + 1) if t not in marks]
        away = [abs(evaluate(tuple(sorted((*marks, t))), n, evaluation) - aim) for t in candidates]
        chosen = next(t for t, far in zip(candidates, away, strict=True) if far <= min(away) + TIE)
        order.append(chosen - 1)
        marks = tuple(sorted((*marks, chosen)))
    return order


def plain_optimal(mask, evaluation):
    """Every order of the regular events tried."""
    n, marks, away = len(mask), marks_of(mask), {}
    if all(mask):
        return []
    aim = evaluate(marks, n, evaluation)
    for order in itertools.permutations(t for t in range(1, n + 1) if t not in marks):
        sets = (tuple(sorted(marks + order[: i + 1])) for i in range(len(order)))
        away[order] = abs(sum(evaluate(one, n, evaluation) for one in sets) / len(order) - aim)
    best = min(away.values())
    limit = TIE if best <= TIE else best + TIE
    return [t - 1 for t in next(order for order, far in away.items() if far <= limit)]  # in lexicographic order


def plain_partitioned(mask, distance):
    """Every bin tried at every step, in exact fractions."""
    _, original, capacity = (np.asarray(one).tolist() for one in landmark_histogram(mask))
    now, order = list(original), []
    while sum(now) < len(mask):
        far, shares = {}, [Fraction(count, sum(original) or 1) for count in original]
        for i in np.flatnonzero(np.array(now) < capacity).tolist():
            apart = [
                Fraction(n + (j == i), sum(now) + 1) - share
                for j, (n, share) in enumerate(zip(now, shares, strict=True))
            ]
            if distance == "wasserstein":
                far[i] = sum(abs(one) for one in itertools.accumulate(apart))
            else:
                far[i] = sum(one * one for one in apart)
        order.append(min(far, key=lambda i: (far[i], i)))
        now[order[-1]] += 1
    return order


class TestHeuristic:
    @pytest.mark.parametrize("evaluation", EVALUATIONS)
    @given(mask=masks)
    def test_equals_the_plain_loop(self, evaluation, mask):
        assert heuristic_order(mask, evaluation).tolist() == plain_heuristic(mask, evaluation)

    @each("evaluation", EVALUATIONS)
    def test_no_step_of_a_long_series_is_worse_than_any_other_cut(self, evaluation):
        mask = np.random.default_rng(8).random(400) < 0.03
        order, marks = (heuristic_order(mask, evaluation) + 1).tolist(), marks_of(mask)
        aim = evaluate(marks, 400, evaluation)
        for step in (0, 1, 50, 250):
            now = tuple(sorted((*marks, *order[:step])))
            away = {
                t: abs(evaluate(tuple(sorted((*now, t))), 400, evaluation) - aim)
                for t in range(1, 401, 7 if evaluation == "nearest" else 1)
                if t not in now
            }
            ours = abs(evaluate(tuple(sorted((*now, order[step]))), 400, evaluation) - aim)
            assert ours <= min(away.values()) + TIE


class TestOptimal:
    @pytest.mark.parametrize("evaluation", EVALUATIONS)
    @given(data=st.data())
    def test_equals_brute_force(self, evaluation, data):
        n = data.draw(st.integers(0, 12))
        regular = data.draw(st.sets(st.integers(0, max(n - 1, 0)), max_size=min(n, 6)))
        mask = [event not in regular for event in range(n)]
        assert optimal_order(mask, evaluation).tolist() == plain_optimal(mask, evaluation)

    @pytest.mark.slow
    @each("evaluation", EVALUATIONS)
    def test_is_never_further_from_the_landmarks_than_heuristic(self, evaluation):
        """Up to 16 regular events, as many as it takes."""
        for seed in range(20):
            mask, away = np.random.default_rng(seed).permutation(16 + seed) < seed, []
            for order in (optimal_order(mask, evaluation), heuristic_order(mask, evaluation)):
                assert np.array_equal(np.sort(order), np.flatnonzero(~mask))
                marks, values = marks_of(mask), []
                for event in order.tolist():
                    marks = tuple(sorted((*marks, event + 1)))
                    values.append(evaluate(marks, len(mask), evaluation))
                away.append(abs(np.mean(values) - evaluate(marks_of(mask), len(mask), evaluation)))
            assert away[0] <= away[1] + 2 * TIE


class TestPartitioned:
    @pytest.mark.parametrize("distance", ["euclidean", "wasserstein"])
    @given(mask=masks)
    def test_equals_the_plain_loop(self, distance, mask):
        assert partitioned_order(mask, distance).tolist() == plain_partitioned(mask, distance)

    def test_without_spread_the_bins_are_as_many_as_sturges_advises(self):
        assert landmark_histogram([False] * 9).width == 9
        assert landmark_histogram(np.arange(30) == 4).width == 30
        assert landmark_histogram([]).counts.tolist() == []

    @each("distance", ["euclidean", "wasserstein"])
    def test_long_series_fill_every_bin(self, distance):
        mask = np.random.default_rng(3).random(100_000) < np.linspace(0, 0.6, 100_000) ** 2
        _, counts, capacity = landmark_histogram(mask)
        order = partitioned_order(mask, distance)
        assert np.array_equal(counts + np.bincount(order, minlength=len(counts)), capacity)


class TestRefusals:
    def test_name_field_rule_and_value(self):
        for call, rule, value in (
            (lambda: optimal_order([False] * 17), "have at most 16 regular events (Optimal; Heuristic takes more)", 17),
            (
                lambda: heuristic_order(np.zeros(LONGEST["nearest"] + 1, dtype=bool), "nearest"),
                "have at most 100,000 events (Heuristic by nearest)",
                100_001,
            ),
            (
                lambda: partitioned_order(np.arange(70_000) < 2, "wasserstein"),
                "have at most 4,000,000,000 bins times regular events (Wasserstein; Euclidean takes more)",
                70_000 * 69_998,
            ),
        ):
            refused = refusal(ParameterError, call)
            assert (refused.field, refused.rule, refused.value) == ("is_landmark", rule, value)
        for call in (lambda: heuristic_order([True], "mean"), lambda: optimal_order([True], None)):
            assert refusal(ParameterError, call).rule == "one of gaps, nearest"
        assert refusal(ParameterError, partitioned_order, [True], "l2").rule == "one of euclidean, wasserstein"

    @each("order", [heuristic_order, optimal_order, partitioned_order])
    def test_are_given_to_what_is_no_mask(self, order):
        for mask in ([1, 2], [[True]], 3):
            refusal(DataError, order, mask)
