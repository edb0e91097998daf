"""Registered ways to choose dummies: what they draw, how many they add by which law, their guarantees and refusals."""

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import chdtrc

from privacy_engine import noise
from privacy_engine.data import LandmarkSet
from privacy_engine.errors import ParameterError, ParameterErrors
from privacy_engine.landmarks import SelectionSpec, dummy_methods, parse_short_dummies
from privacy_engine.landmarks.counts import bars, coin_counts, mean_of, summed
from tests.cases import each
from tests.examples import examples

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
    @each(
        ("text", "expected"),
        [
            ("one-sided:2", {"name": NAMES[0], "epsilon": 2.0}),
            ("optimal:0.5:count", {"name": NAMES[1], "epsilon": 0.5, "utility": "count", "evaluation": "gaps"}),
            (
                "heuristic:1:nearest:distance",
                {"name": NAMES[2], "epsilon": 1.0, "utility": "distance", "evaluation": "nearest"},
            ),
            ("partitioned:0.5", {"name": NAMES[3], "epsilon": 0.5, "utility": "distance", "distance": "euclidean"}),
        ],
    )
    def test_is_the_description(self, text, expected):
        assert parse_short_dummies(text).model_dump() == {"method": expected, "seed": None}

    def test_fail_states_how_it_is_written(self):
        for text in ("", "one-sided", "one-sided:", "one-sided:x", "heuristic:1:most", "one-sided:1e9"):
            with pytest.raises(ParameterError, match="dummies must be METHOD:LEVEL"):
                parse_short_dummies(text)
        with pytest.raises(ParameterErrors, match="method.distance is not a parameter here"):
            parse_short_dummies("heuristic:1:wasserstein")


class TestCounts:
    @settings(max_examples=examples(50))
    @given(st.lists(st.integers(0, 700), min_size=1, max_size=4), st.floats(1e-3, 20))
    def test_coins_of_several_series_are_the_coins_of_one(self, coins, epsilon):
        apart = summed(coin_counts(n, -epsilon) for n in coins)
        assert apart == pytest.approx(coin_counts(sum(coins), -epsilon), abs=1e-12)

    def test_coins_fall_by_the_binomial_law(self):
        for n, epsilon in ((0, 1.0), (1, 0.3), (40, 2.0)):
            p = math.exp(-epsilon)
            expected = [math.comb(n, d) * p**d * (1 - p) ** (n - d) for d in range(n + 1)]
            assert coin_counts(n, -epsilon) == pytest.approx(expected, rel=1e-10)

    @settings(max_examples=examples(100))
    @given(st.integers(1, 3000), st.floats(1e-3, 20), st.integers(1, 30))
    def test_bars_lie_side_by_side_and_leave_out_no_more_than_the_ends(self, n, epsilon, most):
        found = bars(coin_counts(n, -epsilon), most=most)
        assert 1 <= len(found) <= most
        assert all(a.last + 1 == b.first for a, b in itertools.pairwise(found))
        assert len({bar.last - bar.first for bar in found[:-1]}) <= 1
        assert 1 - 1e-3 - 1e-9 <= sum(bar.probability for bar in found) <= 1 + 1e-9
