"""Stationary chains, estimated ones, and losses against exact enumeration of hidden Markov chains.

Of enumeration no formula of the accounting is used: paths and outputs are listed, likelihoods are divided. How long a
bridged loss takes is reported beforehand.
"""

import itertools
import math
from collections import Counter
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.accounting import markov_chains
from privacy_engine.accounting.estimation import estimate_correlation, estimate_from_states
from privacy_engine.accounting.markov_chains import mismatch, reversal
from privacy_engine.accounting.pairwise import pairwise_seconds
from privacy_engine.accounting.runtime_estimate import loss_seconds, memory
from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.core.geo import EARTH_RADIUS_M
from privacy_engine.data import Trajectory
from privacy_engine.errors import DataError, ParameterError
from tests.cases import each
from tests.engine.test_temporal import reverse, stationary


@st.composite
def matrices(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    n = draw(st.integers(1, 6))
    return np.asarray(rng.dirichlet(np.full(n, draw(st.sampled_from([0.3, 1.0, 5.0]))), size=n))


class TestReversal:
    @given(matrices())
    def test_belongs_to_the_same_chain_and_twice_is_the_chain_again(self, matrix):
        shares, backward = markov_chains.stationary(matrix), reversal(matrix)
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
        assert loss_seconds(even, mask, carried, "bridge") == pytest.approx(0.0103272)
        assert loss_seconds(uneven, mask, carried, "bridge") == pytest.approx(5.00932725)
        assert loss_seconds(uneven, mask, carried, "published") == pytest.approx(0.04499555)
        three = LossFunction([[0.5, 0.5, 0], [0, 0.2, 0.8], [0.1, 0.1, 0.8]])
        found = [pairwise_seconds(10, carried, None), pairwise_seconds(10, three, carried)]
        assert found == pytest.approx([5.49e-6, 1.818e-5])

    def test_memory_is_when_powers_agree_and_without_correlation_it_is_next_to_nothing(self):
        matrix = smoothing_matrix(3, 0.1)
        power = np.linalg.matrix_power(matrix, memory(LossFunction(matrix)))
        assert np.ptp(power, axis=0).max() < 1e-13
        chains = [smoothing_matrix(2, 0.1), matrix, np.eye(2), [[1.0]], np.full((2, 2), 0.5)]
        assert [memory(LossFunction(one)) for one in chains] == [178, 124, 10**9, 2, 2]
        alone, kept = LossFunction([[1.0]]), LossFunction(np.eye(2))
        assert loss_seconds(np.ones(5), np.zeros(5, dtype=bool), alone, "bridge") == pytest.approx(1.25e-7)
        assert loss_seconds(np.ones(5), np.ones(5, dtype=bool), kept, "bridge") == pytest.approx(5.265e-5)
        assert loss_seconds(np.arange(5.0), np.zeros(5, dtype=bool), kept, "bridge") == pytest.approx(3.159e-4)


class Chain:
    """A stationary chain (forward ``matrix``) observed through binary randomised response with a budget each time."""

    def __init__(self, matrix, budgets, yes):
        """``yes`` (n, states): which states answer 1 to the question of each time, before the answer is randomised."""
        self.matrix, self.states, n = matrix, len(matrix), len(budgets)
        self.backward = reverse(matrix)
        self.paths = np.array(list(itertools.product(range(self.states), repeat=n)))
        self.chance = stationary(matrix)[self.paths[:, 0]] * matrix[self.paths[:, :-1], self.paths[:, 1:]].prod(axis=1)
        keep = 1 / (1 + np.exp(-budgets))
        answers = yes[np.arange(n), self.paths]
        outputs = np.array(list(itertools.product([False, True], repeat=n)))
        self.likelihood = np.where(outputs[:, None] == answers, keep, 1 - keep)  # (outputs, paths, n)

    @cached_property
    def _of_all_times(self):
        """Pr(output | path), (outputs, paths)."""
        return np.asarray(self.likelihood.prod(axis=2))

    def loss(self, among, seen=slice(None)):
        """The largest log-ratio of an output's probabilities, given two different states of the times ``among``.

        Only the outputs of the times ``seen`` are used.
        """
        group = self.paths[:, among] @ self.states ** np.arange(len(among))
        member = np.eye(self.states ** len(among))[group] * self.chance[:, None]
        member = member[:, member.sum(axis=0) > 1e-300]
        given_path = self._of_all_times if seen == slice(None) else self.likelihood[:, :, seen].prod(axis=2)
        given_group = given_path @ (member / member.sum(axis=0))
        return float(np.log(given_group.max(axis=1) / given_group.min(axis=1)).max())


def two_states(stay, stay_too):
    return np.array([[stay, 1 - stay], [1 - stay_too, stay_too]])


probabilities = st.floats(0.02, 0.98)
budgets_of = st.lists(st.one_of(st.just(0.0), st.floats(0.01, 3)), min_size=1, max_size=6).map(np.array)
WHICH = np.tile([False, True], (6, 1))  # the answer is the state


class TestTemporalLoss:
    """Two states always make a reversible chain, so one matrix serves both directions."""

    @given(probabilities, probabilities, budgets_of)
    def test_is_the_exact_loss_of_a_chain_that_tends_to_stay_or_alternates_between_equals(self, p, q, budgets):
        """Randomised response reaches the bound there: always the same answer is the worst output, both ways."""
        equals = Chain(two_states(p, p), budgets, WHICH[: len(budgets)])
        p, q = max(p, 1 - q), max(q, 1 - p)
        chain, n = Chain(two_states(p, q), budgets, WHICH[: len(budgets)]), len(budgets)
        found = temporal_loss(budgets, chain.backward, chain.matrix)
        assert found.backward == pytest.approx([chain.loss([t], slice(0, t + 1)) for t in range(n)], rel=0, abs=1e-12)
        assert found.forward == pytest.approx([chain.loss([t], slice(t, n)) for t in range(n)], rel=0, abs=1e-12)
        assert found.total == pytest.approx([chain.loss([t]) for t in range(n)], rel=0, abs=1e-12)
        found = temporal_loss(budgets, equals.backward, equals.matrix).total
        assert found == pytest.approx([equals.loss([t]) for t in range(n)], rel=0, abs=1e-12)

    @given(st.integers(0, 2**32), budgets_of.filter(lambda budgets: len(budgets) <= 5))
    def test_is_never_below_the_exact_loss_of_any_chain_and_any_questions(self, seed, budgets):
        chain = random_chain(np.random.default_rng(seed), budgets)
        found = temporal_loss(budgets, chain.backward, chain.matrix).total
        assert all(chain.loss([t]) <= bound + 1e-12 for t, bound in enumerate(found.tolist()))


def random_chain(rng, budgets):
    """Two or three states, nearly deterministic to nearly uniform, some impossible steps, questions at random."""
    states = int(rng.integers(2, 4))
    matrix = rng.dirichlet(np.full(states, rng.choice([0.2, 0.6, 2.0])), size=states) + 1e-4
    if rng.random() < 0.3:
        cycle = np.eye(states) + np.roll(np.eye(states), 1, axis=1) > 0
        matrix[(rng.random((states, states)) < 0.5) & ~cycle] = 0.0  # all states still lead to one another
    yes = rng.random((len(budgets), states)) < 0.5
    return Chain(matrix / matrix.sum(axis=1, keepdims=True), budgets, yes)


@pytest.mark.slow
def test_the_bridge_is_never_below_the_exact_joint_loss_of_300_chains():
    """Seeds 0 to 299; every t of every chain, budgets of 0 and skipped landmarks among them."""
    published_below, shares = 0, []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 7 if seed % 2 else 6))
        budgets = rng.random(n) * rng.choice([0.2, 1.0, 3.0])
        budgets[rng.random(n) < 0.25] = 0.0
        chain, mask = random_chain(rng, budgets), rng.random(n) < rng.choice([0.2, 0.5, 0.9])
        if len(chain.matrix) == 2:
            chain = Chain(chain.matrix, budgets, WHICH[:n])  # the worst question there is
        how = (budgets, mask, chain.backward, chain.matrix)
        bridged, published = (landmark_temporal_loss(*how, bound=bound) for bound in ("bridge", "published"))
        for t in range(n):
            exact = chain.loss(sorted({*np.flatnonzero(mask).tolist(), t}))
            assert exact <= bridged[t] + 1e-12, (seed, t)
            published_below += published[t] < exact - 1e-9
            shares.append(exact / bridged[t] if bridged[t] else 1.0)
    assert published_below > 0  # what is printed is no bound
    assert np.median(shares) > 0.95  # and the bridge is not safe by being far off


METRE = 1 / (math.radians(1) * EARTH_RADIUS_M)  # of latitude, in degrees


class TestFromStates:
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

    def test_names_what_it_refuses(self):
        for states, smoothing, field in (
            *(([1, 2], smoothing, "smoothing") for smoothing in (-1, math.nan, "x", 0)),
            *((states, 1, "states") for states in ([1], [], [[1], [2]], [[[1]]], 3, [1.5, 2.5], ["a", "b"])),
        ):
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
        here, there, nothing = (Trajectory([at] * n, [2.0] * n) for at, n in ((1.0, 2), (1.5, 3), (0.0, 0)))
        found = estimate_correlation([nothing, here, nothing, there], cell_m=1000, smoothing=1.0)
        assert found.counts.tolist() == [[1, 0], [0, 2]], "no move from one series to the next"

    def test_names_what_it_refuses(self):
        for cell_m in (0, -1, 1e-3, math.nan, math.inf, "x"):
            with pytest.raises(ParameterError, match=r"^cell_m must "):
                estimate_correlation(Trajectory([1.0, 2.0], [1.0, 2.0]), cell_m=cell_m, smoothing=1.0)
        assert estimate_from_states(np.arange(400), smoothing=1.0).forward.shape == (400, 400)
        with pytest.raises(ParameterError, match="cell_m must be so large that the series visit at most 400 states"):
            estimate_correlation(Trajectory(np.linspace(0, 1, 500), np.zeros(500)), cell_m=1, smoothing=1.0)
        for series in ([], Trajectory([], []), Trajectory([1.0], [1.0])):
            with pytest.raises(DataError, match="series must have two events"):
                estimate_correlation(series, cell_m=10, smoothing=1.0)
