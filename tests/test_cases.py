"""The loops over cases inside one test: all run, and those that fail are named."""

from datetime import date

import pytest

from tests.cases import each, refusal
from tests.conftest import is_of_day


@pytest.mark.parametrize("bad", [(), (2,), (1, 3)])
def test_every_case_runs_and_those_that_fail_are_named(bad):
    seen = []

    @each("letter", ["a", "b"])
    @each(("number", "square"), [(1, 1), (2, 4), (3, 9)])
    def checked(letter, number, square):
        seen.append((letter, number, square))
        assert letter == "a" or number not in bad

    if bad:
        with pytest.raises(BaseException) as caught:  # noqa: PT011 (one error, or a group of several)
            checked()
        several = getattr(caught.value, "exceptions", [caught.value])
        assert [one.__notes__[0] for one in several] == [f"case: {number}-{number**2}" for number in bad]
        assert caught.value.__notes__[-1] == "case: 'b'"
    else:
        checked()
    assert seen == [(letter, number, number**2) for letter in "ab" for number in (1, 2, 3)]


def test_a_test_without_cases_or_with_other_arguments_is_an_error():
    with pytest.raises(AssertionError, match="without cases"):
        each("number", [])
    with pytest.raises(AssertionError, match="does not take letter"):
        each("letter", ["a"])(lambda number: None)


def test_a_call_that_is_not_refused_fails():
    assert refusal(ValueError, int, "x").args
    with pytest.raises(pytest.fail.Exception):
        refusal(ValueError, int, "1")


def test_long_tests_and_cases_with_marks_stay_apart():
    def checked(number):
        pass

    for apart in (
        each("number", [1, pytest.param(2, marks=pytest.mark.slow)])(checked),
        each("number", [1, 2])(pytest.mark.slow(checked)),
    ):
        assert [mark.name for mark in apart.pytestmark].count("parametrize") >= 1


def test_three_days_of_ci_are_all_long_tests(request):
    days = [date(2027, 3, day) for day in (1, 2, 3)]
    for item in request.session.items:
        number = sum(is_of_day(item, day) for day in days)
        assert number == (3 if item.path.name == "test_every_page.py" else 1), item.nodeid
