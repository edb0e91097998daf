"""Filter and smoothers against the textbook: Kalman's recursion and the backward pass of Rauch, Tung and Striebel."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.postprocess import CausalFilter


@st.composite
def draws(draw):
    """Positions (n, 2) in metres and precisions (n,), some 0: no draw; noise from centimetres to kilometres."""
    rng, n = np.random.default_rng(draw(st.integers(0, 2**32))), draw(st.integers(1, 40))
    sd_m = 10.0 ** rng.uniform(*draw(st.sampled_from([(1, 1.5), (0, 2), (-1, 3)])), n)
    precision = sd_m**-2.0 * (rng.random(n) < draw(st.sampled_from([0.3, 0.8, 1.0])))
    precision[rng.integers(n)] = 0.01  # one draw at least
    return np.cumsum(rng.normal(0, 30, (n, 2)), axis=0), precision


def plain_filter(q, values, precision):
    """Predict and correct; before the first draw nothing is known."""
    found, mean, variance = [], math.nan, math.inf
    for value, weight in zip(values.tolist(), precision.tolist(), strict=True):
        variance += q
        if weight and math.isnan(mean):
            mean, variance = value, 1 / weight
        elif weight:
            gain = variance / (variance + 1 / weight)
            mean, variance = mean + gain * (value - mean), (1 - gain) * variance
        found.append(mean)
    return found


class TestAgainstTheTextbook:
    @given(draws(), st.floats(1e-2, 1e6))
    def test_the_causal_filter_is_kalmans(self, case, q):
        xy_m, precision = case
        found = CausalFilter(step_variance_m2=q).estimate(xy_m, precision)
        for axis in (0, 1):
            expected = plain_filter(q, xy_m[:, axis], precision)
            assert found[:, axis] == pytest.approx(expected, rel=1e-12, abs=1e-12, nan_ok=True)
