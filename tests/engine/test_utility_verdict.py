"""The verdict on count streams and models of check-ins: laws, and the least ε that a verdict or a reader accepts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.analysis.least_level import LEVELS, MOST, least_level
from privacy_engine.analysis.utility_verdict import USABLE_GAIN, count_rules, count_verdict, hit_verdict

ERRORS = st.floats(0, 10)
HITS = st.integers(0, 1000)
ORDER = ("usable", "coarse", "worse-than-free")


class TestCounts:
    @given(ERRORS, ERRORS, st.floats(1e-3, 10))
    def test_more_error_is_never_a_better_verdict(self, one, other, zeros):
        less, more = (ORDER.index(count_verdict(are, zeros).name) for are in sorted((one, other)))
        assert less <= more

    @given(st.floats(1e-6, 10))
    def test_zeros_themselves_are_not_better_than_zeros(self, zeros):
        assert count_verdict(zeros, zeros).title == "worse than publishing zeros"
        bounds = count_rules(zeros)
        assert bounds.usable < bounds.coarse == zeros
        assert count_verdict(bounds.usable, zeros).name == "usable"

    def test_the_rule_as_drawn(self):
        names = {are: count_verdict(are, 0.239).name for are in (0.091, 0.127, 0.238, 0.33)}
        assert list(names.values()) == ["usable", "coarse", "coarse", "worse-than-free"]
        assert count_verdict(0.004, 0.005).name == "coarse"  # a long stream, where everything is below 0.1

    @given(ERRORS, st.floats(0, 10))
    def test_without_a_guarantee_nothing_else_counts(self, are, zeros):
        assert count_verdict(are, zeros, unsound=True).title == "no guarantee"


class TestHits:
    @given(HITS, HITS, HITS)
    def test_more_hits_are_never_a_worse_verdict(self, one, other, public):
        fewer, more = (ORDER.index(hit_verdict(hits, public).name) for hits in sorted((one, other)))
        assert fewer >= more

    @given(HITS, HITS)
    def test_usable_is_above_the_public_baseline_by_more_than_the_gain(self, hits, public):
        found = hit_verdict(hits, public)
        assert (found.name == "usable") == (hits - public > USABLE_GAIN)
        assert (found.title == "worse than the public baseline") == (hits < public)
        if found.name == "usable":
            assert found.title == f"usable: {hits - public:,} more per 1,000"

    @given(HITS, HITS, st.floats(1e-3, 1e6))
    def test_protecting_check_ins_one_by_one_is_never_usable(self, hits, public, epsilon):
        found = hit_verdict(hits, public, exposed_epsilon=epsilon)
        assert (found.name, found.title.startswith("a person exposed")) == ("person-exposed", True)
        assert hit_verdict(hits, public, exposed_epsilon=epsilon, unsound=True).name == "no-guarantee"


class TestLeastLevel:
    @given(st.floats(1e-3, MOST), st.sampled_from(LEVELS))
    def test_is_the_least_of_two_digits_that_is_accepted(self, bound, start):
        tried = []

        def accepted(epsilon):
            tried.append(epsilon)
            return epsilon >= bound

        assert least_level(accepted, start=start) == min(one for one in LEVELS if one >= bound)
        assert len(tried) <= 24

    @pytest.mark.parametrize("start", [1e-3, 1.0, MOST])
    def test_is_none_where_no_level_is_accepted(self, start):
        assert least_level(lambda epsilon: False, start=start) is None
        assert least_level(lambda epsilon: epsilon > 1, lambda epsilon: False, start=start) is None

    def test_is_raised_until_it_is_confirmed(self):
        assert least_level(lambda epsilon: epsilon >= 0.5, lambda epsilon: epsilon >= 0.53) == 0.53

    @given(st.floats(1e-3, MOST), st.floats(1.0, 1e3))
    def test_a_search_that_was_far_too_low_is_raised_in_few_steps(self, bound, factor):
        tried = []

        def confirmed(epsilon):
            tried.append(epsilon)
            return epsilon >= min(factor * bound, MOST)

        expected = min(one for one in LEVELS if one >= min(factor * bound, MOST))
        assert least_level(lambda epsilon: epsilon >= bound, confirmed) == expected
        assert len(tried) <= 20
