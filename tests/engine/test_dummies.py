"""Dummy landmark selection: draws and their laws, the one-sided guarantee exactly, registered methods, refusals."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.data import LandmarkSet
from privacy_engine.errors import DataError, ParameterError, ParameterErrors
from privacy_engine.landmarks import SelectionSpec, dummy_methods, parse_short_dummies
from privacy_engine.landmarks.counts import bars, coin_counts, mean_of, summed
from privacy_engine.landmarks.dummy_selection import one_sided_dummies, select_dummies
from privacy_engine.landmarks.orders import landmark_histogram
from tests.cases import each, refusal

METHODS = ("optimal", "heuristic", "partitioned")
EXAMPLE = np.isin(np.arange(1, 11), [4, 5, 8])


def draw(mask=EXAMPLE, seed=1, **changed):
    arguments = {"method": "heuristic", "utility": "distance", "epsilon": 1.0} | changed
    return select_dummies(mask, **arguments, rng=noise.seeded(seed))


class TestSelection:
    @given(
        st.lists(st.booleans(), max_size=16),
        st.sampled_from(METHODS),
        st.sampled_from(["distance", "count"]),
        st.floats(1e-3, 1e3),
        st.integers(0, 2**32),
    )
    def test_marks_all_landmarks_and_the_events_of_the_option_drawn(self, marks, method, utility, epsilon, seed):
        selection = draw(marks, seed, method=method, utility=utility, epsilon=epsilon)
        before, after = np.array(marks, dtype=bool), selection.mask
        assert (after | ~before).all()
        assert (after & ~before).sum() == selection.chosen + 1
        assert len(selection.order) == len(selection.utilities) == (~before).sum()
        assert ((selection.utilities >= -1) & (selection.utilities <= 0)).all()
        added = selection.order[: selection.chosen + 1]
        if method == "partitioned" and len(marks):
            width, counts, _ = landmark_histogram(before)
            wanted = counts + np.bincount(added, minlength=len(counts))
            assert np.bincount(np.flatnonzero(after) // width, minlength=len(counts)).tolist() == wanted.tolist()
        elif len(marks):
            assert np.flatnonzero(after & ~before).tolist() == sorted(added.tolist())
        if len(added):
            assert selection.probabilities.sum() == pytest.approx(1)
        else:
            assert before.all()

    @pytest.mark.slow
    def test_partitioned_draws_alike_inside_a_bin_and_states_the_expected_utility(self):
        """Chi-square of 10,000 draws of one event of 5, seed 9; false alarms 1e-5."""
        rng, mask = noise.seeded(9), np.arange(6) == 2
        shares = []
        for _ in range(10_000):
            one = select_dummies(mask, method="partitioned", utility="count", epsilon=1e4, rng=rng)
            assert one.chosen == 0
            shares.append(one.mask & ~mask)
        seen = np.delete(np.sum(shares, axis=0), 2)
        assert chdtrc(4, ((seen - 2000) ** 2 / 2000).sum()) > 1e-5
        expected = -np.mean([2, 1, 1, 2, 3]) / 6
        assert draw(mask, method="partitioned").utilities == pytest.approx(expected)

    def test_same_seed_same_selection_and_the_input_stays(self):
        mask = EXAMPLE.copy()
        first, again = (draw(mask, 5, epsilon=0.01) for _ in range(2))
        assert np.array_equal(first.mask, again.mask)
        assert np.array_equal(mask, EXAMPLE)
        with pytest.raises(ValueError, match="read-only"):
            first.mask[0] = True
        for method in METHODS:
            assert draw([False] * 5, method=method).utilities.tolist() == [-1] * 5, "as far as can be"


def law(mask, epsilon):
    """The exact law of the one-sided selection, from its coins."""
    p = noise.cover_probability(epsilon)
    chances = [[(True, 1.0)] if marked else [(True, p), (False, 1 - p)] for marked in mask]
    return {
        tuple(marked for marked, _ in coins): math.prod(chance for _, chance in coins)
        for coins in itertools.product(*chances)
    }


@each("epsilon", [0.1, 1.0, 4.0])
def test_a_landmark_is_distinguished_from_a_regular_event_by_at_most_epsilon(epsilon):
    for mask in itertools.product([False, True], repeat=5):
        ours = law(mask, epsilon)
        assert sum(ours.values()) == pytest.approx(1)
        for t in np.flatnonzero(mask).tolist():
            without = law((*mask[:t], False, *mask[t + 1 :]), epsilon)
            ratios = [chance / without[seen] for seen, chance in ours.items()]
            assert max(ratios) <= math.exp(epsilon) * (1 + 1e-12)
            assert min(ratios) == pytest.approx(math.exp(epsilon))  # no smaller coin would do


def test_the_one_sided_selection_states_its_share_and_its_side_and_a_seeded_one_is_not_private():
    stated = one_sided_dummies(EXAMPLE, epsilon=2, rng=np.random.default_rng(1))
    assert "e^−ε = 0.135" in stated.protects
    assert stated.caveats[0].startswith("It is one-sided.")
    assert not draw().private
    assert not stated.private
    assert one_sided_dummies(EXAMPLE, epsilon=1, rng=noise.publishable()).private


def test_refusals_name_field_rule_and_value():
    for field, value, rule in (
        *(("method", "best", "one of optimal, heuristic, partitioned"), ("utility", "size", "one of distance, count")),
        *(("evaluation", "", "one of gaps, nearest"), ("distance", "l1", "one of euclidean, wasserstein")),
        *(("epsilon", 0, "finite and greater than 0"), ("epsilon", math.inf, "finite and greater than 0")),
        ("epsilon", "much", "numeric"),
    ):
        for mask in (EXAMPLE, [True]):
            refused = refusal(ParameterError, draw, mask, **{field: value})
            assert (refused.field, refused.rule, refused.value) == (field, rule, value)
        with pytest.raises(DataError):
            one_sided_dummies([0.5], epsilon=1, rng=noise.seeded(1))


NAMES = ("dummies-one-sided", "dummies-optimal", "dummies-heuristic", "dummies-partitioned")
SERIES = [LandmarkSet(np.isin(np.arange(n), marks)) for n, marks in ((10, [3, 4, 7]), (6, [0]), (3, [0, 1, 2]))]


def method(name, **changed):
    return dummy_methods.parse({"name": name, "epsilon": 1.0} | changed)


class TestEveryMethod:
    @each("name", NAMES)
    def test_selects_once_for_each_series_and_keeps_all_landmarks(self, name):
        one = method(name)
        drawn = one.select(SERIES, rng=noise.seeded(1))
        assert [len(one.mask) for one in drawn] == [10, 6, 3]
        assert all((one.mask | ~marks.mask).all() for one, marks in zip(drawn, SERIES, strict=True))
        assert all(one.caveats and one.protects and not one.private for one in drawn)
        assert mean_of(one.counts(SERIES)) == pytest.approx(sum(mean_of(one.counts([marks])) for marks in SERIES))
        assert one.select([], rng=noise.seeded(1)) == []
        assert one.counts([]).tolist() == [1.0]
        assert "ε = 1" in one.describe()

    @each("name", NAMES)
    def test_states_its_guarantee_before_it_runs(self, name):
        promise = dummy_methods[name].promise()
        json.dumps(promise)
        assert promise["guarantees"] == (name == "dummies-one-sided")
        assert ("Not differentially private" in promise["statement"]) == (name != "dummies-one-sided")
        assert "parallel composition" in promise["over_series"] or "no promise" in promise["over_series"]
        assert "levels add up" in promise["redrawing"]
        assert set(method(name).select(SERIES, rng=noise.seeded(1))[0].caveats) <= set(promise["caveats"])

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("draws", [1_000, pytest.param(4_000, marks=pytest.mark.thorough)])
    def test_the_number_of_dummies_follows_the_stated_law(self, name, draws):
        """Chi-square of draws over three series, rare ends joined, seed 4; false alarms 1e-5 for each method."""
        one, rng = method(name, **({} if name == NAMES[0] else {"utility": "count", "epsilon": 4.0})), noise.seeded(4)
        law = one.counts(SERIES)
        landmarks = sum(marks.count for marks in SERIES)
        drawn = [sum(int(s.mask.sum()) for s in one.select(SERIES, rng=rng)) - landmarks for _ in range(draws)]
        seen, expected = np.bincount(drawn, minlength=len(law)), draws * law
        often = expected > 10
        seen, expected = np.append(seen[often], seen[~often].sum()), np.append(expected[often], expected[~often].sum())
        kept = expected > 0
        assert seen[~kept].sum() == 0
        assert chdtrc(kept.sum() - 1, ((seen - expected)[kept] ** 2 / expected[kept]).sum()) > 1e-5

    @each("name", NAMES[1:])
    def test_its_work_is_foreseen(self, name):
        """Refused sizes take no time; what is taken takes longer the longer it is."""
        few = [LandmarkSet(np.arange(14) < 2)]
        many = [LandmarkSet(np.arange(1_000) % 90 > 0)]
        assert 0 < method(name).seconds(few) < 1
        assert method(name).seconds(many * 100) > method(name).seconds(many)
        refused = [LandmarkSet(np.zeros(1_000_001, dtype=bool))]
        assert method(name).seconds(refused) < 1e-3
        with pytest.raises(ParameterError, match="Every series must have at most") as error:
            method(name).select(refused, rng=noise.seeded(1))
        assert error.value.field == "method.name"


class TestSpec:
    def test_a_seed_repeats_the_draw_and_ends_privacy(self):
        spec = SelectionSpec.parse({"method": {"name": NAMES[0], "epsilon": 1.0}, "seed": 3})
        assert SelectionSpec.parse(json.loads(spec.model_dump_json())) == spec
        first, again = ([one.mask.tolist() for one in spec.select(SERIES)] for _ in range(2))
        assert first == again
        assert not spec.private
        fresh = SelectionSpec.parse({"method": {"name": NAMES[0], "epsilon": 1.0}})
        assert all([fresh.private, *(one.private for one in fresh.select(SERIES))])
        one, two = (noise.source(3, stream=noise.Stream.DUMMIES).uniform(4) for _ in range(2))
        assert (one == two).all()
        assert (one != noise.source(3).uniform(4)).all(), "a release with the seed draws other numbers"

    def test_refusals_name_every_field_at_fault(self):
        with pytest.raises(ParameterErrors) as refused:
            SelectionSpec.parse({"method": {"name": NAMES[2], "epsilon": 0, "utility": "x"}, "seed": -1})
        assert [one.field for one in refused.value.errors] == ["method.epsilon", "method.utility", "seed"]


class TestShort:
    def test_is_the_description(self):
        for text, expected in (
            ("one-sided:2", {"name": NAMES[0], "epsilon": 2.0}),
            ("optimal:0.5:count", {"name": NAMES[1], "epsilon": 0.5, "utility": "count", "evaluation": "gaps"}),
            (
                "heuristic:1:nearest:distance",
                {"name": NAMES[2], "epsilon": 1.0, "utility": "distance", "evaluation": "nearest"},
            ),
            ("partitioned:0.5", {"name": NAMES[3], "epsilon": 0.5, "utility": "distance", "distance": "euclidean"}),
        ):
            assert parse_short_dummies(text).model_dump() == {"method": expected, "seed": None}

    def test_fail_states_how_it_is_written(self):
        for text in ("", "one-sided", "one-sided:", "one-sided:x", "heuristic:1:most", "one-sided:1e9"):
            with pytest.raises(ParameterError, match="dummies must be METHOD:LEVEL"):
                parse_short_dummies(text)
        with pytest.raises(ParameterErrors, match="method.distance is not a parameter here"):
            parse_short_dummies("heuristic:1:wasserstein")


class TestCounts:
    @given(st.lists(st.integers(0, 700), min_size=1, max_size=4), st.floats(1e-3, 20))
    @example([221, 699, 699, 700], 8.0)
    def test_coins_of_several_series_are_the_coins_of_one(self, coins, epsilon):
        apart = summed(coin_counts(n, -epsilon) for n in coins)
        assert apart == pytest.approx(coin_counts(sum(coins), -epsilon), abs=1e-11)  # ln 2800! is 2e4: an ulp is 4e-12

    def test_coins_fall_by_the_binomial_law(self):
        for n, epsilon in ((0, 1.0), (1, 0.3), (40, 2.0)):
            p = math.exp(-epsilon)
            expected = [math.comb(n, d) * p**d * (1 - p) ** (n - d) for d in range(n + 1)]
            assert coin_counts(n, -epsilon) == pytest.approx(expected, rel=1e-10)

    @given(st.integers(1, 3000), st.floats(1e-3, 20), st.integers(1, 30))
    def test_bars_lie_side_by_side_and_leave_out_no_more_than_the_ends(self, n, epsilon, most):
        law = coin_counts(n, -epsilon)
        found = bars(law, most=most)
        for bar in found:
            assert bar.probability == pytest.approx(law[bar.first : bar.last + 1].sum(), abs=1e-12), bar
        for end in (law[: found[0].first], law[found[-1].last + 1 :]):
            assert end.sum() <= 5e-4 + 1e-9
        assert 1 <= len(found) <= most
        assert all(a.last + 1 == b.first for a, b in itertools.pairwise(found))
        assert len({bar.last - bar.first for bar in found[:-1]}) <= 1
        assert 1 - 1e-3 - 1e-9 <= sum(bar.probability for bar in found) <= 1 + 1e-9
