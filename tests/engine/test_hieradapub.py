"""HierAdaPub: budgets of levels, hierarchies from order and names, least squares over the tree."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.audit import AuditSpec, audit
from privacy_engine.data import CountStream
from privacy_engine.data.hierarchy import Consistency, halves, level_budgets, natural, of_groups, paths, quarters
from privacy_engine.errors import DataError
from privacy_engine.mechanisms.stream import StreamHierAdaPub
from privacy_engine.releases.spec import ReleaseSpec, for_counts
from tests.cases import each


def mechanism(**given):
    return StreamHierAdaPub(**{"epsilon": 1.0, "window": 100, "sensitivity": 1, **given})


def members(hierarchy):
    """Which dimensions each group has, level after level, (groups, d)."""
    levels = zip(hierarchy.levels, hierarchy.sizes, strict=True)
    return np.concatenate([np.arange(size)[:, None] == level for level, size in levels]).astype(np.float64)


@st.composite
def trees(draw):
    dimensions = draw(st.integers(1, 12))
    names = [tuple(draw(st.lists(st.integers(0, 2), max_size=3))) for _ in range(dimensions)]
    return of_groups([[name[:depth] for name in names] for depth in range(4)], dimensions)


@each(
    ("names", "on_a_grid", "expected"),
    [
        (["n/a", "n/b", "s/a"], False, {"hierarchy": "path", "separator": "/"}),
        (["n:a/1", "n:a/2"], False, {"hierarchy": "path", "separator": "/"}),
        (["n|a", "n|b"], False, {"hierarchy": "path", "separator": "|"}),
        (["n/a", "s/a"], False, {}),
        (["n/a", "n/b", "sea"], False, {}),
        (["/a", "/b"], False, {}),
        (["a", "b"], False, {}),
        (["r0c0", "r0c1"], True, {"hierarchy": "quad"}),
    ],
)
def test_names_show_a_hierarchy_where_all_are_paths_with_parts_in_common(names, on_a_grid, expected):
    assert natural(names, on_a_grid=on_a_grid) == expected
    if expected:
        assert len(mechanism(**expected).tree(len(names), names).sizes) > 1


def test_the_hierarchy_of_the_names_is_used_where_none_is_given():
    described = {"name": "stream-hieradapub", "epsilon": 1.0, "window": 10}
    for stated, hierarchy in (({}, "path"), ({"hierarchy": "binary"}, "binary"), ({"separator": ":"}, "binary")):
        spec = for_counts(ReleaseSpec.parse({"mechanism": described | stated}), None, natural(["n/a", "n/b"]))
        assert (spec.mechanism.hierarchy, spec.mechanism.separator) == (hierarchy, stated.get("separator", "/"))
    spec = ReleaseSpec.parse({"mechanism": described | {"name": "stream-uniform"}})
    assert for_counts(spec, None, natural(["n/a", "n/b"])) == spec


@each(
    ("sizes", "expected"),
    [
        ([1, 4, 16], [0.156640, 0.248651, 0.394709]),
        ([1, 2, 4, 8, 16], [0.095612, 0.120463, 0.151774, 0.191224, 0.240927]),
    ],
)
def test_budgets_of_levels(sizes, expected):
    assert level_budgets(sizes, 0.8) == pytest.approx(expected, abs=5e-7)


@given(sizes=st.lists(st.integers(1, 1000), min_size=1, max_size=8), data=st.data())
def test_no_other_budgets_of_levels_have_a_smaller_variance(sizes, data):
    best = level_budgets(sizes, 1.0)
    other = np.array([data.draw(st.floats(0.01, 1.0)) for _ in sizes])
    assert (sizes / best**2).sum() <= (sizes / (other / other.sum()) ** 2).sum() * (1 + 1e-9)


class TestHierarchies:
    def test_halves_and_quarters_of_an_order_and_paths_of_any_depth(self):
        assert halves(32).sizes == [1, 2, 4, 8, 16, 32]
        assert halves(51).sizes == [1, 2, 4, 8, 16, 32, 51]
        assert quarters(64).sizes == [1, 4, 16, 64]
        assert quarters(5, ["a", "b", "c", "d", "e"]).sizes == [1, 4, 5]
        assert halves(1).sizes == quarters(1).sizes == [1]
        found = paths(["n/a/1", "n/a/2", "n/b", "s"], "/")
        assert [level.tolist() for level in found.levels] == [[0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 2], [0, 1, 2, 3]]
        assert paths(["a", "a", "b"], "/").sizes == [1, 3]  # dimensions of one name are two

    def test_quarters_of_a_grid_in_any_order_of_names(self):
        cells = [(row, column) for row in range(-3, 5) for column in range(4)]
        order = np.random.default_rng(1).permutation(len(cells))
        found = quarters(32, [f"row {cells[i][0]}, column {cells[i][1]}" for i in order])
        assert found.sizes == [1, 2, 8, 32]
        assert len({(cells[i][0] < 1, int(found.levels[1][k])) for k, i in enumerate(order)}) == 2
        for names in (["1,1", "1,1"], ["1,2", "a"], ["47.1,8.2", "47.1,8.3"]):
            assert [level.tolist() for level in quarters(2, names).levels] == [[0, 0], [0, 1]]  # no cells

    @given(tree=trees(), seed=st.integers(0, 2**32))
    def test_each_level_divides_the_one_above_and_its_sums_are_those_of_its_members(self, tree, seed):
        counts = np.random.default_rng(seed).integers(0, 99, (3, len(tree.levels[-1])))
        for above, level in zip(tree.levels, tree.levels[1:], strict=False):
            assert len(set(zip(level.tolist(), above.tolist(), strict=True))) == level.max() + 1
        found = np.concatenate([tree.counts(i, counts) for i in range(len(tree.levels))], axis=1)
        assert found.tolist() == (counts @ members(tree).T).tolist()

    def test_a_hierarchy_of_paths_requires_names(self):
        one = mechanism(hierarchy="path")
        with pytest.raises(DataError, match="names must be given"):
            one.start(2, noise.seeded(1))
        with pytest.raises(DataError, match="names must be as many as dimensions, 2, got 1"):
            one.start(2, noise.seeded(1), ["a"])
        assert one.start(2, noise.seeded(1), ["a/b", "a/c"]).publish([1, 2]).shape == (2,)
        assert mechanism(hierarchy="quad").start(2, noise.seeded(1)).publish([1, 2]).shape == (2,)


class TestConsistency:
    @given(tree=trees(), seed=st.integers(0, 2**32), data=st.data())
    @settings(deadline=None)
    def test_it_is_the_weighted_least_squares_solution(self, tree, seed, data):
        weights = np.array([data.draw(st.floats(0.05, 20.0)) for _ in tree.sizes])
        sums = members(tree)
        values = np.random.default_rng(seed).normal(50, 30, (2, len(sums)))
        root = np.sqrt(np.repeat(weights, tree.sizes))[:, None]
        expected = np.linalg.lstsq(root * sums, root * values.T, rcond=None)[0].T
        found = Consistency.of(tree, weights)
        assert found.of_dimensions(values) == pytest.approx(expected, rel=1e-8, abs=1e-8)
        assert found.all(values) == pytest.approx(expected @ sums.T, rel=1e-8, abs=1e-8)

    def test_many_dimensions_take_one_pass(self):
        tree = halves(20_000)
        exact = np.random.default_rng(1).integers(0, 9, (1, 20_000))
        values = np.concatenate([tree.counts(i, exact) for i in range(len(tree.levels))], axis=1)
        assert Consistency.of(tree, np.ones(len(tree.levels))).of_dimensions(values) == pytest.approx(exact, abs=1e-6)


class TestMechanism:
    @each("mode", ["code", "svt", "post"])
    def test_the_rates_of_all_levels_leak_at_most_epsilon_as_reals(self, mode):
        for epsilon, window, delta, size in ((0.7, 49, 3, 51), (1.0, 1, 1, 1024), (3.0, 10_000, 50, 7)):
            one = mechanism(mode=mode, epsilon=epsilon, window=window, sensitivity=delta)
            run, spent = one.start(size, noise.seeded(1)), Fraction(0)
            perturbation, clustering = one.shares()
            budgets = level_budgets(halves(size).sizes, perturbation)
            for budget in budgets.tolist():
                sums, starts, queries = map(Fraction, one.rates(budget, clustering / len(budgets)))
                spent += sums + {"code": queries, "svt": 2 * starts + 4 * queries, "post": 0}[mode]
            assert Fraction(epsilon) * (1 - Fraction(1, 10**9)) <= spent * delta * window <= Fraction(epsilon)
            run.publish(np.zeros(size))
            assert run.budgets.tolist() == [epsilon / window]

    @each("mode", ["code", "svt"])
    def test_sums_of_the_largest_counts_do_not_wrap(self, mode):
        """2048 counts of 2**52 are 2**63 in sum, one more than 64 bits hold: a neighbour has one event less."""
        rows = np.full((3, 2048), 2**52)
        fewer = rows.copy()
        fewer[:, -1] -= 1
        found = [mechanism(window=1, mode=mode).start(2048, noise.seeded(7)).publish_all(one) for one in (rows, fewer)]
        assert np.abs(found[0] - found[1]).max() < 1e6

    def test_small_noise_publishes_the_counts_and_the_release_depends_on_names(self):
        rows = np.random.default_rng(1).integers(0, 500, (5, 9))
        stream = CountStream(rows, [str(k) for k in range(9)], [str(t) for t in range(5)])
        found = mechanism(epsilon=1e4, window=1, mode="code", partition="none").release(stream, rng=noise.seeded(1))
        assert found.counts[0] == pytest.approx(rows[0], abs=0.01)
        rows = np.random.default_rng(1).integers(0, 500, (5, 4))
        labels = [str(t) for t in range(5)]
        streams = [CountStream(rows, names, labels) for names in (["a/1", "a/2", "b/1", "b/2"], ["a", "b", "c", "d"])]
        one, other = (mechanism(hierarchy="path").release(each, rng=noise.seeded(1)).counts for each in streams)
        assert not np.array_equal(one, other)
        same = [mechanism().release(each, rng=noise.seeded(1)).counts for each in streams]
        assert np.array_equal(*same)

    @pytest.mark.thorough
    @pytest.mark.parametrize("mode", ["code", "svt", "post"])
    def test_the_audit_finds_nothing(self, mode):
        described = {"name": "stream-hieradapub", "epsilon": 1.5, "window": 2, "sensitivity": 1, "mode": mode}
        found = audit(AuditSpec.parse({"mechanism": described, "trials": 100_000, "seed": 9}))
        assert found.verdict == "consistent"
        assert found.lower_bound > 0.4
