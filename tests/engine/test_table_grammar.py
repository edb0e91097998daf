"""What is written as a table in any dialect is read back, requested or refused: never silently different."""

from collections import Counter

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.engine.table_grammar import outcome_of, tables

EACH = 5000
SEEDS = (1, 2, 3, 4)
"""20,000 tables together; a failure prints the seed."""


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(tables())
def test_a_table_in_any_dialect_is_read_back(written):
    assert outcome_of(written) in ("read", "requested", "refused")


@pytest.mark.slow
@pytest.mark.parametrize("number", SEEDS)
def test_twenty_thousand_tables(number):
    outcomes = Counter()

    @seed(number)
    @settings(
        max_examples=EACH, deadline=None, database=None, phases=[Phase.generate], suppress_health_check=[*HealthCheck]
    )
    @given(tables())
    def each(written):
        outcomes[outcome_of(written)] += 1

    each()
    print(f"seed {number}: {dict(outcomes)}")
    assert outcomes["read"] > 0.8 * EACH
    assert outcomes["refused"] < 0.01 * EACH
