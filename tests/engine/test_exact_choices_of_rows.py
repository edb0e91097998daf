"""The exponential mechanism of many rows at once: the same draws as one row at a time, ties of 64 bits included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.errors import ParameterError
from privacy_engine.noise.choice import option_table
from tests.engine.test_exact_planar import Scripted
from tests.examples import examples


@settings(max_examples=examples(100), deadline=None)
@given(
    rows=st.lists(st.lists(st.integers(-40, 0), min_size=4, max_size=4), min_size=1, max_size=5),
    seed=st.integers(0, 2**32),
    epsilon=st.floats(0.01, 20),
)
def test_rows_are_drawn_as_single_ones_are(rows, seed, epsilon):
    """First words at random, and words at the float thresholds, where the exact table decides with a second word."""
    rng = np.random.default_rng(seed)
    utilities = np.array(rows) / 2
    there = rng.random(utilities.shape) < 0.7
    there[np.arange(len(rows)), rng.integers(0, 4, len(rows))] = True
    for shift in (None, 0, 1 << 20, -(1 << 20)):
        words = rng.integers(0, 2**64, len(rows), dtype=np.uint64)
        tables = [option_table(one[keep], epsilon, 1.0) for one, keep in zip(utilities, there, strict=True)]
        if shift is not None:
            middles = [int(table.low[0]) // 2 + int(table.high[0]) // 2 if len(table.low) else 9 for table in tables]
            words = np.array([min(max(one + shift, 0), 2**64 - 1) for one in middles], dtype=np.uint64)
        # every row has the same second word, so that the order in which ties are settled is no matter
        found = noise.exponential_mechanisms(utilities, there, epsilon, 1.0, rng=Scripted([*words, *[7] * 50]))
        for i, table in enumerate(tables):
            alone = int(table.draw(1, Scripted([words[i], *[7] * 50]))[0])
            assert found[i] == np.flatnonzero(there[i])[alone]


def test_options_are_drawn_by_their_weights():
    """Chi-square of 40,000 rows, the last option absent; 3 degrees of freedom, false alarm 1e-5 (25.9)."""
    utilities = np.tile([0.0, -1.0, 0.5, 0.2, 9.0], (40_000, 1))
    there = np.tile([True, True, True, True, False], (40_000, 1))
    found = noise.exponential_mechanisms(utilities, there, 1.3, 1.0, rng=noise.seeded(4))
    law = noise.exponential_weights(utilities[0, :4], 1.3, 1.0) * 40_000
    assert ((np.bincount(found, minlength=4) - law) ** 2 / law).sum() < 25.9


def test_no_rows_and_refused_ones():
    none = np.empty((0, 3))
    assert noise.exponential_mechanisms(none, none > 0, 1.0, 1.0, rng=noise.seeded(1)).shape == (0,)
    for utilities, there in (([[0.0, np.nan]], [[True, True]]), ([[1e101]], [[True]]), ([[0.0]], [[False]])):
        with pytest.raises(ParameterError, match="^utilities must be"):
            noise.exponential_mechanisms(np.array(utilities), np.array(there), 1.0, 1.0, rng=noise.seeded(1))
    for field in ("epsilon", "sensitivity"):
        given = {"epsilon": 1.0, "sensitivity": 1.0, field: -1.0}
        with pytest.raises(ParameterError, match=f"^{field} must be"):
            noise.exponential_mechanisms(np.zeros((1, 2)), np.ones((1, 2), dtype=bool), **given, rng=noise.seeded(1))
