"""Each parser against thousands of damaged files of its own: typed errors only. 20,000 a parser run on demand.

``CAIRN_FUZZ=20000 python -m pytest tests/engine/test_parsers_fuzz.py`` is the long run.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privacy_engine.data import KINDS
from tests.engine.damaged_files import NAMES, SEEDS, damaged, survive
from tests.examples import examples

EXAMPLES = int(os.environ.get("CAIRN_FUZZ", examples(60)))
LONG = pytest.mark.timeout(7200 if EXAMPLES > 1000 else 180)
_CALM = settings(max_examples=EXAMPLES, deadline=None, database=None, suppress_health_check=list(HealthCheck))


def test_every_format_has_a_seed_that_it_reads() -> None:
    assert set(SEEDS) == set(NAMES)
    for name, data in SEEDS.items():
        survive(data)
        survive(data, format=name)


@LONG
@pytest.mark.parametrize("name", NAMES)
@_CALM
@given(seed=st.integers(0, 2**63), chosen=st.booleans())
def test_damaged_files_of_each_format(name: str, seed: int, chosen: bool) -> None:
    survive(damaged(SEEDS[name], seed), **({"format": name} if chosen else {}))


@LONG
@pytest.mark.parametrize("name", NAMES)
@_CALM
@given(data=st.binary(max_size=200))
def test_any_bytes_as_each_format(name: str, data: bytes) -> None:
    survive(data, format=name)


@LONG
@_CALM
@given(seed=st.integers(0, 2**63), name=st.sampled_from(NAMES), kinds=st.sampled_from([KINDS, KINDS[1:2], KINDS[2:]]))
def test_damaged_files_as_each_kind(seed: int, name: str, kinds: tuple[str, ...]) -> None:
    survive(damaged(SEEDS[name], seed), kinds=kinds)
