"""The lists of mutants are valid: each text occurs once, the changed source compiles, the tests exist."""

from __future__ import annotations

import ast

import pytest

from tests.mutants import ROOT, Mutant, listed

MUTANTS = listed()


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_a_mutant_changes_one_place_of_a_source_that_compiles(mutant: Mutant) -> None:
    source = (ROOT / mutant.file).read_text()
    assert ast.dump(ast.parse(mutant.source())) != ast.dump(ast.parse(source))


@pytest.mark.parametrize("mutant", MUTANTS, ids=str)
def test_the_tests_of_a_mutant_exist(mutant: Mutant) -> None:
    assert mutant.tests
    for test in mutant.tests:
        file, *names = test.partition("[")[0].split("::")
        text = (ROOT / file).read_text()
        assert all(f"def {name}(" in text or f"class {name}" in text for name in names), test


def test_no_mutant_is_listed_twice() -> None:
    assert len(MUTANTS) >= 96
    assert len({(one.file, one.old, one.new) for one in MUTANTS}) == len(MUTANTS)


def test_a_text_that_occurs_twice_or_not_at_all_is_refused() -> None:
    for old in ("import", "no such text"):
        with pytest.raises(ValueError, match="not once"):
            Mutant("tests/mutants/__init__.py", old, "", ()).source()
