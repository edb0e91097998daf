"""Decompositions: level budgets, consistency of counts, medians, PrivTree, n-gram trees, splits of boxes."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.decomposition.boxes import Level, Split
from privacy_engine.decomposition.budgets import geometric_budgets
from privacy_engine.decomposition.consistency import consistent
from privacy_engine.decomposition.medians import split_utilities
from privacy_engine.decomposition.ngrams import estimated_height, expansion_threshold
from privacy_engine.decomposition.privtree import biased, decision_logs, privtree_decay, privtree_scale, whole_decay
from privacy_engine.errors import DataError, ParameterError
from tests.cases import each, refusal


class TestBudgets:
    @given(epsilon=st.floats(1e-3, 1e4), height=st.integers(0, 40), ratio=st.floats(0.1, 10))
    def test_they_sum_to_the_level_and_grow_by_the_ratio(self, epsilon, height, ratio):
        shares = geometric_budgets(epsilon, height, ratio)
        assert len(shares) == height + 1
        assert shares.sum() == pytest.approx(epsilon, rel=1e-12)
        assert shares[1:] / shares[:-1] == pytest.approx(ratio)

    def test_published_shares_and_what_is_none(self):
        binary = geometric_budgets(1.0, 3, 2 ** (1 / 3))
        assert binary.round(6).tolist() == [0.171018, 0.215470, 0.271475, 0.342037]
        assert geometric_budgets(1.0, 3, 2.0) == pytest.approx(np.array([1, 2, 4, 8]) / 15)
        for given_ in ((0.0, 3, 2.0), (1.0, -1, 2.0), (1.0, 3, float("inf")), (1, 1, -1.0)):
            field = "epsilon" if not given_[0] else "height" if given_[1] < 0 else "ratio"
            assert refusal(ParameterError, geometric_budgets, *given_).field == field


@st.composite
def trees(draw):
    """Parents, noisy counts and variances of one random tree whose inner nodes may have no count of their own."""
    n = draw(st.integers(1, 14))
    parents = [-1, *(draw(st.integers(0, i - 1)) for i in range(1, n))]
    counts = draw(st.lists(st.integers(-20, 50), min_size=n, max_size=n))
    variances = draw(st.lists(st.floats(0.1, 9), min_size=n, max_size=n))
    absent = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    inner = set(parents)
    variances = [np.inf if absent[i] and i in inner else one for i, one in enumerate(variances)]
    return np.array(parents), np.array(counts, dtype=float), np.array(variances)


def solved(parents, counts, variances):
    """Consistent counts of a tree given node by node, parents first."""
    depth = [0] * len(parents)
    for i, parent in enumerate(parents):
        depth[i] = depth[parent] + 1 if parent >= 0 else 0
    levels = [np.flatnonzero(np.array(depth) == i) for i in range(max(depth) + 1)]
    above = [np.searchsorted(levels[max(i - 1, 0)], np.asarray(parents)[level]) for i, level in enumerate(levels)]
    counts, variances = np.asarray(counts), np.asarray(variances)
    found = consistent(above, [counts[level] for level in levels], [1 / variances[level] for level in levels])
    return np.concatenate(found.counts)[np.argsort(np.concatenate(levels))]


class TestConsistency:
    @given(tree=trees())
    def test_it_is_the_weighted_least_squares_solution(self, tree):
        """Against the solution over leaves by a matrix: a node's count is the sum of the leaves below it."""
        parents, counts, variances = tree
        n = len(parents)
        leaves = [i for i in range(n) if i not in set(parents)]
        below = np.zeros((n, len(leaves)))
        for column, leaf in enumerate(leaves):
            node = leaf
            while node >= 0:
                below[node, column], node = 1.0, parents[node]
        weight = 1 / np.sqrt(variances)
        best = np.linalg.lstsq(below * weight[:, None], counts * weight, rcond=None)[0]
        found = solved(parents, counts, variances)
        assert found == pytest.approx(below @ best, abs=1e-8)

    def test_published_counts(self):
        epsilon = geometric_budgets(1.0, 1, 2 ** (1 / 3))
        assert epsilon.round(6).tolist() == [0.442493, 0.557507]
        found = solved([-1, 0, 0, 0, 0], [100.0, 20, 30, 25, 15], 2 / epsilon[[0, 1, 1, 1, 1]] ** 2)
        assert found == pytest.approx([97.158963, 21.789741, 31.789741, 26.789741, 16.789741], abs=1e-6)
        found = solved([-1, 0, 0, 1, 1], [10.0, 6, 3, 4, 1], [1.0, 1, 1, 2, 2])
        assert found.round(6).tolist() == [9.571429, 6.142857, 3.428571, 4.571429, 1.571429]

    def test_a_leaf_without_a_count_is_refused(self):
        for precision in (0.0, np.nan, np.inf, -1.0):
            with pytest.raises(DataError, match="precisions must be"):
                consistent([np.array([-1]), np.array([0])], [np.ones(1)] * 2, [np.ones(1), np.array([precision])])


class TestPrivTree:
    @given(
        rate=st.floats(0.02, 6),
        fanout=st.integers(2, 64),
        threshold=st.integers(-3, 9),
        counts=st.lists(st.integers(1, 60), min_size=1, max_size=12),
        split=st.integers(0, 12),
    )
    def test_decisions_on_a_path_stay_within_the_proven_bound(self, rate, fanout, threshold, counts, split):
        """One point less on every node of a path; the first decisions are splits, the next one is none."""
        path = np.sort(np.array(counts))[::-1]
        decay = whole_decay(rate, fanout)
        assert decay >= privtree_decay(1 / rate, fanout)
        logs = []
        for n in (path, path - 1):
            excess = biased(n, np.arange(len(n)), decay, threshold) - threshold
            split_log, leaf_log = decision_logs(excess, rate)
            done = min(split, len(path))
            logs.append(split_log[:done].sum() + leaf_log[done : done + 1].sum())
        assert abs(logs[0] - logs[1]) <= rate * (2 * fanout - 1) / (fanout - 1) * (1 + 1e-9)

    @each("rate", [0.05, 0.7, 4.0])
    def test_logarithms_are_those_of_discrete_laplace_noise(self, rate):
        k = np.arange(-2000, 2001)
        law = np.exp(-rate * np.abs(k))
        excess = np.arange(-20, 21)
        split = np.array([law[one + k > 0].sum() for one in excess]) / law.sum()
        found = decision_logs(excess, rate)
        assert np.exp(found[0]) == pytest.approx(split, abs=1e-14)
        assert np.exp(found[1]) == pytest.approx(1 - split, abs=1e-14)


@given(data=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5)), max_size=12), more=st.integers(0, 5))
def test_one_value_more_changes_each_utility_of_its_node_by_one_half(data, more):
    node, values = np.array(data, dtype=np.int64).reshape(-1, 2).T
    before = split_utilities(values, node, 3, 6)
    after = split_utilities(np.append(values, more), np.append(node, 1), 3, 6)
    assert np.array_equal(np.abs(after - before), np.repeat([[0.0], [0.5], [0.0]], 5, axis=1))


def test_published_numbers_of_medians_privtree_and_ngrams():
    utilities = split_utilities(np.array([1, 1, 2, 5, 7]), np.zeros(5, dtype=np.int64), 1, 8)[0]
    found = noise.exponential_weights(utilities, 1.0, 1.0)
    assert found.round(6).tolist() == [0.065917, *[0.179181] * 4, *[0.108679] * 2]
    assert privtree_scale(0.5, 4, 1) == pytest.approx(4.666667, abs=1e-6)
    assert privtree_decay(privtree_scale(0.5, 4, 1), 4) == pytest.approx(6.469373, abs=1e-6)
    threshold = expansion_threshold(64, 10, 0.5)
    assert threshold == pytest.approx(69.624802, abs=1e-6)
    assert np.log(threshold / 400) / np.log(0.3) == pytest.approx(1.4521, abs=1e-4)
    for count, share, most, height in ((400.0, 0.3, 5, 2), (400.0, 0.3, 1, 1), (10.0, 0.0, 4, 1)):
        assert estimated_height([threshold], [count], [share], most).tolist() == [height]
    # noise on an empty node, Laplace of scale l / ε, reaches it as often as stated: half of e to the -θ ε / l
    assert np.exp(-expansion_threshold(256, 7, 0.3) * 0.3 / 7) / 2 == pytest.approx(1 / 257)


@st.composite
def splits(draw):
    """A level of one box, then a split of it and of some of its children, each along some axes."""
    sides = np.array(draw(st.lists(st.integers(1, 5), min_size=1, max_size=3)))
    level, found = Level.root(sides), []
    for _ in range(draw(st.integers(1, 3))):
        nodes = np.array([i for i in range(len(level)) if draw(st.booleans())], dtype=np.int64)
        kind = draw(st.sampled_from(["every", "widest", "any"]))
        if kind == "any":
            axis = np.array([[draw(st.integers(0, len(sides) - 1))] for _ in nodes], dtype=np.int64).reshape(-1, 1)
            ends = zip(level.low[nodes, axis[:, 0]], level.high[nodes, axis[:, 0]], strict=True)
            split = Split(axis, np.array([[draw(st.integers(a, b))] for a, b in ends], dtype=np.int64).reshape(-1, 1))
        else:
            split = level.halves(nodes, every_axis=kind == "every")
        below, table = level.children(nodes, split)
        found.append((level, nodes, split, table, below))
        level = below
    return sides, found


@given(made=splits())
def test_children_partition_their_parents_and_points_descend_into_the_box_that_has_them(made):
    sides, levels = made
    points = np.array(list(itertools.product(*map(range, sides))), dtype=np.int64)
    node = np.zeros(len(points), dtype=np.int64)
    for level, nodes, split, table, below in levels:
        assert below.volume.sum() == level.volume[nodes].sum()
        after = level.descend(points, node, nodes, split, table)
        assert np.array_equal(after >= 0, np.isin(node, nodes) & (node >= 0))
        inside = after >= 0
        assert (below.low[after[inside]] <= points[inside]).all()
        assert (points[inside] < below.high[after[inside]]).all()
        assert np.array_equal(below.parent[after[inside]], node[inside])
        assert np.array_equal(np.bincount(after[inside], minlength=len(below)), below.volume)
        node = after


def test_one_axis_at_a_time_takes_the_widest_axes_in_turn():
    level, seen = Level.root(np.array([4, 4])), []
    for _ in range(4):
        nodes = np.arange(len(level))
        split = level.halves(nodes, every_axis=False)
        seen.append(sorted(set(split.axes.ravel().tolist())))
        level, _ = level.children(nodes, split)
    assert seen == [[0], [1], [0], [1]]
    assert len(level) == 16
    assert not level.divisible.any()
