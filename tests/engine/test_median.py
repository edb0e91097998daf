"""The median of numbers that do not fit in memory is numpy's, bit for bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.median import Median

# numpy adds the two middle ones before it halves them: what it states of larger numbers is infinite
NUMBERS = st.one_of(st.floats(0, np.finfo(float).max / 2), st.sampled_from([0.0, 1.0, 1.0 + 2**-52]))


@given(st.lists(st.lists(NUMBERS, max_size=9), max_size=9), st.integers(0, 9))
def test_is_that_of_all_together(pieces, most):
    median, every = Median(most), np.array([one for piece in pieces for one in piece])
    for piece in pieces:
        median.add(np.array(piece, dtype=np.float64))
    expected = float(np.median(every)) if len(every) else None
    assert median.value() == median.value() == (expected if expected is None else pytest.approx(expected, rel=0, abs=0))


def test_of_one_number_again_and_again():
    median = Median(most=10)
    for _ in range(100):
        median.add(np.full(100, 7.25))
    assert median.value() == 7.25


def test_of_numbers_that_differ_in_their_last_bits():
    numbers = np.random.default_rng(1).permutation(np.array([1.0]).view(np.uint64) + np.arange(5000, dtype=np.uint64))
    median = Median(most=50)
    for piece in np.array_split(numbers.view(np.float64), 70):
        median.add(piece)
    assert median.value() == float(np.median(numbers.view(np.float64)))
