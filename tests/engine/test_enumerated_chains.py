"""Losses against exact enumeration: every output of randomised response over hidden Markov chains, summed up.

No formula of the accounting is used: paths are listed, outputs are listed, likelihoods are divided.
"""

import itertools
from functools import cached_property

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.accounting.temporal import landmark_temporal_loss, temporal_loss
from tests.examples import examples


class Chain:
    """A stationary chain (forward ``matrix``) observed through binary randomised response with a budget each time."""

    def __init__(self, matrix, budgets, yes):
        """``yes`` (n, states): which states answer 1 to the question of each time, before the answer is randomised."""
        self.matrix, self.states, n = matrix, len(matrix), len(budgets)
        leaves = matrix.T - np.eye(self.states)
        self.start = np.linalg.lstsq(
            np.vstack([leaves, np.ones(self.states)]), np.eye(self.states + 1)[-1], rcond=None
        )[0]
        self.paths = np.array(list(itertools.product(range(self.states), repeat=n)))
        self.chance = self.start[self.paths[:, 0]] * matrix[self.paths[:, :-1], self.paths[:, 1:]].prod(axis=1)
        keep = 1 / (1 + np.exp(-budgets))
        answers = yes[np.arange(n), self.paths]
        outputs = np.array(list(itertools.product([False, True], repeat=n)))
        self.likelihood = np.where(outputs[:, None] == answers, keep, 1 - keep)  # (outputs, paths, n)

    @property
    def backward(self):
        """Pr(l_{t-1} | l_t), by Bayes."""
        found = (self.matrix * self.start[:, None]).T
        return np.asarray(found / found.sum(axis=1, keepdims=True))

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
    def test_is_the_exact_loss_of_a_chain_that_tends_to_stay(self, p, q, budgets):
        """Randomised response reaches the bound there: always the same answer is the worst output, both ways."""
        p, q = max(p, 1 - q), max(q, 1 - p)
        chain, n = Chain(two_states(p, q), budgets, WHICH[: len(budgets)]), len(budgets)
        found = temporal_loss(budgets, chain.backward, chain.matrix)
        assert found.backward == pytest.approx([chain.loss([t], slice(0, t + 1)) for t in range(n)], rel=0, abs=1e-12)
        assert found.forward == pytest.approx([chain.loss([t], slice(t, n)) for t in range(n)], rel=0, abs=1e-12)
        assert found.total == pytest.approx([chain.loss([t]) for t in range(n)], rel=0, abs=1e-12)

    @settings(max_examples=examples(100))
    @given(probabilities, budgets_of)
    def test_is_the_exact_loss_of_a_chain_that_alternates_between_equals(self, p, budgets):
        chain = Chain(two_states(p, p), budgets, WHICH[: len(budgets)])
        found = temporal_loss(budgets, chain.backward, chain.matrix).total
        assert found == pytest.approx([chain.loss([t]) for t in range(len(budgets))], rel=0, abs=1e-12)

    @settings(max_examples=examples(100))
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


class TestLandmarks:
    def test_the_bridge_is_never_below_the_exact_joint_loss_of_300_chains(self):
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
