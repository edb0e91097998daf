"""docs/ledger.md and the engine's list have of every changed copy whether it is found, as it is measured."""

import pytest

from benchmarks.event_copies import PAGE, measured, tables
from privacy_engine.event_hashes.limits import FOUND_IN_PART, NOT_FOUND
from tests.cases import each

Rows = list[list[str]]


@pytest.fixture(scope="module")
def rows():
    return measured()


def test_the_page_has_what_is_measured(rows):
    """If not: python -m benchmarks.event_copies."""
    assert f"<!-- measured -->\n{tables(*rows)}\n<!-- /measured -->" in PAGE.read_text()


@each(("verdict", "listed"), [("not found", NOT_FOUND), ("in part", FOUND_IN_PART)])
def test_the_list_of_what_is_not_found_is_complete(rows, verdict, listed):
    fixes, rest = rows
    assert [name for name, *_, decided in fixes + rest if decided == verdict] == list(listed)


def test_every_change_that_the_ledger_promises_to_find_is_found(rows):
    found = {name for name, *_, decided in rows[0] if decided == "found"}
    assert {
        "a part of the events, down to a single one",
        "times in another time zone",
        "local times that change to summer time",
        "positions rounded to 3 decimals",
        "times rounded to the minute",
        "positions rounded to 3 decimals and times cut off to the minute",
        "positions moved by 50 m to the north and to the east",
    } <= found
