"""Quadtree, kd-tree, PrivTree and n-grams of check-ins: exact without noise, consistent, and what they spend."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.audit.controls import half_noise
from privacy_engine.decomposition.box_tree import BoxTree
from privacy_engine.decomposition.gram_tree import GramTree, with_ends
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.base import checkin_trees
from privacy_engine.mechanisms.base.checkin_trees import MedianQuery, run_sensitivity
from privacy_engine.mechanisms.checkins import CheckInKdTree, CheckInNgram, CheckInPrivTree, CheckInQuadtree
from privacy_engine.metrics import HitRate
from privacy_engine.recommender import Recommender, Sequences
from tests.cases import each
from tests.engine.checkin_samples import BOX, GRID, uploaded
from tests.engine.test_every_checkin_mechanism import gowalla
from tests.examples import examples

TREES = {
    "wide": (CheckInQuadtree, {}),
    "seed": (CheckInQuadtree, {"preset": "seed"}),
    "kdtree": (CheckInKdTree, {"height": 20}),
    "privtree": (CheckInPrivTree, {}),
}
LEVEL = {"rate": 1.0, "counts": [3]}
BOTH = {**TREES, "ngram": (CheckInNgram, {})}
every_tree = each("named", TREES)
every_one = each("named", BOTH)


def made(named, **given):
    cls, own = BOTH[named]
    return cls(**{"epsilon": 1.0, "contributions": 4, **BOX, **own, **given})


def range_counts(model, low, high):
    """Estimated counts of boxes of the space from ``low``, included, to ``high``, excluded, (n, d) both."""
    from_, to, values = model.leaves
    overlap = np.clip(np.minimum(to, high[:, None]) - np.maximum(from_, low[:, None]), 0, None)
    return (overlap / (to - from_)).prod(axis=2) @ values


def many(seed=1, users=120):
    rng = np.random.default_rng(seed)
    return [list((rng.random(9) ** 2 * 16).astype(int)) for _ in range(users)]


def spent(mechanism, first, second, seed):
    one, other = (mechanism.prepared(uploaded(cells)) for cells in (first, second))
    queries = mechanism.logged(uploaded(first), rng=noise.seeded(seed)).queries
    return sum(query.spent(one, other) for query in queries)


class TestWithoutNoise:
    """ε = 1e4: the noise is 0 but with a probability below e to the -100."""

    @each("order", [1, 2])
    @each("named", ["wide", "seed", "kdtree", "ngram"])
    def test_next_cells_are_counted_exactly(self, named, order):
        data = uploaded(many())
        model = made(named, epsilon=1e4, privacy_unit="record", order=order).release(data, rng=noise.seeded(1))
        runs = Sequences.of(data, GRID).windows(order + 1)
        for history in np.unique(runs[:, :-1], axis=0)[::7]:
            exact = np.bincount(runs[(runs[:, :-1] == history).all(axis=1), -1], minlength=16)
            assert model.scores(history.tolist()) == pytest.approx(exact, abs=1e-4)
        assert model.scores([]).shape == (16,)

    def test_leaves_of_privtree_are_counted_exactly(self):
        """A run counts one less at every level, so that boxes of few runs are leaves whatever the noise."""
        model = made("privtree", epsilon=1e4, privacy_unit="record").release(uploaded(many()), rng=noise.seeded(1))
        points = made("privtree", privacy_unit="record").prepared(uploaded(many()))
        for low, high, count in zip(*model.leaves, strict=True):
            inside = ((points.at >= low) & (points.at < high)).all(axis=1)
            assert count == pytest.approx(points.weights[inside].sum(), abs=1e-6)

    @pytest.mark.parametrize("named", ["wide", "seed", "kdtree"])
    @settings(max_examples=examples(30), deadline=None)
    @given(data=st.data())
    def test_range_counts_are_exact(self, named, data):
        uploads = uploaded(many(data.draw(st.integers(0, 9)), users=30))
        model = made(named, epsilon=1e4, privacy_unit="record").release(uploads, rng=noise.seeded(1))
        ends = np.sort([data.draw(st.tuples(st.integers(0, 4), st.integers(0, 4))) for _ in range(4)], axis=1)
        runs = Sequences.of(uploads, GRID).windows(2)
        at = np.column_stack([runs[:, 0] % 4, runs[:, 0] // 4, runs[:, 1] % 4, runs[:, 1] // 4])
        exact = ((at >= ends[:, 0]) & (at < ends[:, 1])).all(axis=1).sum()
        assert range_counts(model, ends[None, :, 0], ends[None, :, 1])[0] == pytest.approx(exact, abs=1e-6)


class TestModels:
    @every_tree
    @settings(max_examples=examples(20), deadline=None)
    @given(seed=st.integers(0, 2**32), epsilon=st.sampled_from([0.05, 1.0, 20.0]))
    def test_leaves_partition_the_space_and_counts_are_consistent(self, named, seed, epsilon):
        model = made(named, epsilon=epsilon).release(uploaded(many(seed)), rng=noise.seeded(seed))
        low, high, counts = model.leaves
        covered = np.zeros((4, 4, 4, 4), dtype=int)
        for first, end in zip(low, high, strict=True):
            covered[tuple(slice(a, b) for a, b in zip(first, end, strict=True))] += 1
        assert (covered == 1).all()
        for depth, level in enumerate(model.tree.levels[1:]):
            sums = np.bincount(level.parent, model.estimates.counts[depth + 1], len(model.tree.levels[depth]))
            inner = model.split_nodes(depth)
            assert sums[inner] == pytest.approx(model.estimates.counts[depth][inner], abs=1e-6)
        whole = range_counts(model, np.zeros((1, 4), dtype=int), np.full((1, 4), 4))[0]
        assert whole == pytest.approx(counts.sum()) == pytest.approx(model.estimates.counts[0][0], abs=1e-6)
        halves = np.array([[0, 0, 0, 0], [0, 0, 2, 0]]), np.array([[4, 4, 2, 4], [4, 4, 4, 4]])
        assert range_counts(model, *halves).sum() == pytest.approx(whole, abs=1e-6)
        assert model.densities().sum() == pytest.approx(whole, abs=1e-6)

    @every_tree
    def test_the_cells_of_one_leaf_share_by_popularity_and_the_square_of_the_distance(self, named):
        """A cell beside another one comes before all further ones: all have the same popularity."""
        model = made(named, epsilon=1e-3).release(uploaded([[0, 5, 0, 5]] * 99), rng=noise.seeded(4))
        assert len(model.leaves[2]) == 1
        squares = np.array([0.9988**2 * (cell % 4 - 1) ** 2 + (cell // 4 - 1) ** 2 for cell in range(16)])  # cos 2°
        expected = 1 / np.delete(squares, 5)
        scores = np.delete(model.scores([5]), 5)
        assert scores / scores.sum() == pytest.approx(expected / expected.sum(), rel=0.01)

    @each("side", [1, 2])
    @every_tree
    def test_the_smallest_grids_have_finite_scores(self, named, side):
        model = made(named, side=side).release(uploaded([[0, 5]]), rng=noise.seeded(1))
        assert np.isfinite([model.scores([]), model.scores([side**2 - 1])]).all()
        assert len(model.recommend([0], 9)) == side**2 - 1

    @each(
        ("named", "change", "rule"),
        [
            ("wide", {"order": 9}, "order must be a whole number from 1 to 4"),
            ("wide", {"order": True}, "order must be"),
            ("wide", {"rule": "any"}, "rule must be one of"),
            ("wide", {"levels": []}, "with one or more levels"),
            ("wide", {"levels": [{}]}, "counts of every leaf"),
            ("wide", {"levels": [LEVEL | {"rate": -1.0}]}, "rate must be"),
            ("wide", {"levels": [LEVEL | {"counts": [3, 4]}]}, "counts must be 1 whole numbers"),
            ("wide", {"levels": [LEVEL | {"split": [0, 2]}, {}]}, "runs of 1 nodes"),
            ("wide", {"levels": [LEVEL | {"split": [1]}, {}]}, "split must name one or more"),
            ("kdtree", {"levels": [LEVEL | {"split": [0, 1], "at": [4]}, {}]}, "at must lie"),
            ("kdtree", {"levels": [LEVEL | {"split": [0, 1]}, {}]}, "at"),
            ("ngram", {"levels": []}, "levels must be one or more"),
            ("ngram", {"levels": [{"rates": [], "counts": [0] * 16}]}, "rates must be one for each"),
            ("ngram", {"levels": [{"rates": [1.0], "counts": [0] * 16, "split": [16]}, {}]}, "split must name"),
        ],
    )
    def test_what_is_no_model_is_refused(self, named, change, rule):
        description = made(named).release(uploaded([[1, 2]]), rng=noise.seeded(2)).as_dict()
        with pytest.raises(DataError, match=rule):
            Recommender.from_dict({**description, **change})

    def test_a_quadtree_of_order_three_stays_within_the_most_nodes(self, monkeypatch):
        monkeypatch.setattr(checkin_trees, "MOST_NODES", 600)
        mechanism = made("wide", order=3, epsilon=1e4, privacy_unit="record")
        model = mechanism.release(uploaded(many()), rng=noise.seeded(1))
        assert max(len(level) for level in model.tree.levels) <= 600
        assert range_counts(model, np.zeros((1, 8), dtype=int), np.full((1, 8), 4))[0] == pytest.approx(
            Sequences.of(uploaded(many()), GRID).windows(4).shape[0]
        )


def count_difference(one, other, length):
    """The sum over runs of ``length`` of how far two sequences' counts differ, repeats collapsed."""
    found = {}
    for cells, sign in ((one, 1), (other, -1)):
        cells = [cell for i, cell in enumerate(cells) if i == 0 or cell != cells[i - 1]]
        for i in range(len(cells) - length + 1):
            run = tuple(cells[i : i + length])
            found[run] = found.get(run, 0) + sign
    return sum(map(abs, found.values()))


@each("length", [2, 3, 4])
def test_one_check_in_changes_runs_by_at_most_the_sensitivity_and_reaches_it(length):
    """All sequences of 6 check-ins in 3 cells, and one in any of 4 cells at any place: repeats are collapsed."""
    largest = 0
    for cells in itertools.product(range(3), repeat=6):
        for place, cell in itertools.product(range(7), range(4)):
            more = [*cells[:place], cell, *cells[place:]]
            largest = max(largest, count_difference(more, cells, length))
    assert largest == min(run_sensitivity(length, None), 2 * length - 1)
    assert run_sensitivity(length, 9) == count_difference(range(9), [], length)
    assert run_sensitivity(length, 1) == 1


class TestSpending:
    """Replay of every query of a fit, beside many others, so that trees are deep and their decisions uncertain."""

    @every_one
    @pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
    @pytest.mark.parametrize("unit", ["user", "record"])
    @settings(max_examples=examples(40), deadline=None)
    @given(data=st.data())
    def test_neighbours_beside_many_others(self, named, unit, relation, data):
        seed, order = data.draw(st.integers(0, 2**32)), data.draw(st.integers(1, 3))
        epsilon = data.draw(st.sampled_from([0.5, 2.0, 9.0]))
        mechanism = made(named, privacy_unit=unit, relation=relation, epsilon=epsilon, order=order, contributions=5)
        some = data.draw(st.lists(st.integers(0, 15), max_size=9)), data.draw(st.lists(st.integers(0, 15), max_size=9))
        first, second = many(seed, users=40), many(seed, users=40)
        if unit == "user":
            first, second = (
                (first, [*second, some[0]]) if relation == "add-remove" else ([*first, some[1]], [*second, some[0]])
            )
        else:
            for changed, place, cell in ((second, 3, 7), (first, 5, 2))[: 2 if relation == "replace-one" else 1]:
                changed[0].insert(place, data.draw(st.integers(0, 15), label=str(cell)))
        assert spent(mechanism, first, second, seed) <= epsilon * (1 + 1e-12)

    @every_one
    @each("unit", ["user", "record"])
    def test_half_of_the_noise_is_found(self, named, unit):
        """Users between far cells, or a check-in between two others: with half the noise they spend more than ε.

        Beside many others, so that trees are deep; beside few where the decisions of PrivTree are to be uncertain.
        """
        mechanism = made(named, privacy_unit=unit)
        crowd = [[0, 15], [0, 6, 15], [15, 0, 15, 0]] * (4 if named == "privtree" else 150)
        one, other = ([], [0, 15, 0, 15]) if unit == "user" else ([0, 15], [0, 6, 15])
        assert 0.4 < spent(mechanism, [*crowd, one], [*crowd, other], 3) <= 1.0
        assert spent(half_noise(mechanism).runs, [*crowd, one], [*crowd, other], 3) > 1.0

    def test_a_median_of_data_elements_would_be_no_option_of_both(self):
        """All split points of the box are options with a probability above 0, whatever the runs."""
        mechanism = made("kdtree", height=1, epsilon=5.0)
        found = set()
        for seed in range(60):
            model = mechanism.release(uploaded([[0, 5]] * 3), rng=noise.seeded(seed))
            found |= {int(model.splits[0][0])} if model.splits else set()
        assert found == {1, 2, 3}

    def test_medians_of_twice_the_level_are_found(self):
        """The worst split point of two runs, where one run more makes it so: within ε, and of 2ε beyond it."""
        mechanism = made("kdtree", contributions=2)
        one, other = (mechanism.prepared(uploaded(cells)) for cells in ([[0, 5]], [[0, 5], [10, 15]]))
        tree = BoxTree(np.array([4, 4, 4, 4]), "medians")
        found = []
        for epsilon in (8.0, 16.0):
            query = MedianQuery("medians", tree, np.array([0]), 1, epsilon)
            query.answer(one, noise.seeded(1))
            query.chosen = np.array([3])
            found.append(query.spent(one, other))
        assert found[0] == pytest.approx(8 + math.log(2 / 3), abs=1e-3)
        assert found[1] > 8.0


class TestGrams:
    TEXT = np.array([0, 1, 2, 1, 2, 2, 1, 0, 1, 1, 2])
    STARTS = np.array([0, 3, 5, 7, 11])

    def test_published_counts(self):
        """n-grams of {012, 12, 21, 0112} with the end symbol & = 3."""
        points, tree = with_ends(self.TEXT, self.STARTS, 3, 3), GramTree(3)
        assert tree.counts(points, 0).tolist() == [2, 5, 4]
        tree.expand(np.arange(3))
        pairs = tree.counts(points, 1).reshape(3, 4)
        assert pairs.tolist() == [[0, 2, 0, 0], [0, 1, 3, 1], [0, 1, 0, 3]]
        tree.expand(np.array([1, 5, 6, 9]))  # 01, 11, 12, 21
        assert tree.counts(points, 2).reshape(4, 4).tolist() == [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 3], [0, 0, 0, 1]]
        assert tree.suffixes(2).reshape(4, 4).tolist() == [[4, 5, 6, 7]] * 2 + [[8, 9, 10, 11], [4, 5, 6, 7]]

    def test_frequent_grams_are_expanded_and_budgets_of_a_path_sum_to_the_level(self):
        mechanism = made("ngram", epsilon=3.0, order=3, contributions=9)
        model = mechanism.release(uploaded([[0, 5, 10, 15, 3]] * 400 + [[7, 8]]), rng=noise.seeded(3))
        assert len(model.rates) == 4
        assert model.recommend([0, 5, 10], 1).tolist() == [15]
        assert model.recommend([5], 1).tolist() == [10]
        for path in ([0, 5, 10, 15], [5, 10, 15, 3]):
            node, total = np.array([path[0]]), model.rates[0][0]
            for depth, cell in enumerate(path[1:]):
                if model.tree.child(depth, node, np.array([0]))[0] < 0:
                    break
                node = model.tree.child(depth, node, np.array([cell]))
                total += model.rates[depth + 1][node[0] // 17]
            assert total * mechanism.sensitivity == pytest.approx(3.0, rel=1e-9)
            assert total * mechanism.sensitivity <= 3.0

    def test_children_sum_to_their_grams(self):
        model = made("ngram", epsilon=2.0, order=2).release(uploaded(many()), rng=noise.seeded(3))
        for depth, nodes in enumerate(model.expanded):
            for counts in (model.estimates.counts, model.following):
                sums = counts[depth + 1].reshape(-1, 17).sum(axis=1)
                assert sums == pytest.approx(counts[depth][nodes], abs=1e-6)


def test_privtree_splits_an_empty_root_as_often_as_proven():
    """Of 150 fits to nothing those whose root is split: q/(1 + q), within 5 standard deviations; false alarms 1e-6."""
    mechanism = made("privtree", epsilon=3.0)
    logs = [mechanism.logged(uploaded([[]]), rng=noise.seeded(seed)).queries[0] for seed in range(150)]
    split = np.mean([log.decisions[0][1][0] for log in logs])
    rate = logs[0].rate
    p = math.exp(-rate) / (1 + math.exp(-rate))  # the biased count of depth 0 is the threshold
    assert abs(split - p) <= 5 * math.sqrt(p * (1 - p) / 150)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("named", "figure"), [("seed", 23.1), ("wide", 26.3), ("kdtree", 22.1), ("ngram", 12.6), ("privtree", 33.0)]
)
def test_hit_rates_by_users_are_at_or_above_those_measured_before(shared, named, figure):
    """HR@10 of other users at ε = 1 by user, on 16 by 16 cells of Manhattan, fitted to half of the users, seed 1."""
    fitted, others = (gowalla(shared / "data" / "checkins", odd) for odd in (False, True))
    manhattan = {"west": -74.02, "south": 40.70, "east": -73.93, "north": 40.82, "side": 16, "contributions": 5}
    mechanism = BOTH[named][0](epsilon=1.0, **manhattan, **({} if named == "kdtree" else BOTH[named][1]))
    assert HitRate(k=10).of(others, mechanism.release(fitted, rng=noise.seeded(1))) >= figure
