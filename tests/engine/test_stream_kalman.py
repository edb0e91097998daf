"""The Kalman mechanisms of count streams: their filter and their schedule."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine import noise
from privacy_engine.data import CountStream
from privacy_engine.kernels.kalman import filter_rows
from privacy_engine.mechanisms.stream import StreamKalman, StreamKalmanUniform
from tests.cases import each


def plain_filter(noisy, sampled, noise_variance, drift, growth):
    """One dimension, as a textbook has it: predict, then correct by the gain."""
    rows, found = iter(noisy), []
    mean, variance = next(rows), noise_variance
    found.append(max(mean, 0.0))
    for is_sample in sampled[1:]:
        level = max(mean, 1.0)
        variance += (drift * level) ** 2 + growth * level
        if is_sample:
            gain = variance / (variance + noise_variance)
            mean += gain * (next(rows) - mean)
            variance *= 1 - gain
        found.append(max(mean, 0.0))
    return found


@given(seed=st.integers(0, 2**32), interval=st.integers(1, 5), noise_variance=st.floats(0.01, 1e6))
@settings(max_examples=40, deadline=None)
def test_the_kernel_is_the_textbook_filter_of_each_dimension(seed, interval, noise_variance):
    rng = np.random.default_rng(seed)
    sampled = np.arange(30) % interval == 0
    noisy = rng.normal(20, 15, (sampled.sum(), 3))
    found = filter_rows(noisy, sampled, noise_variance, 0.2, 1.0, np.zeros(3), np.full(3, np.inf))
    for k in range(3):
        assert found[:, k] == pytest.approx(plain_filter(noisy[:, k], sampled, noise_variance, 0.2, 1.0))
    assert (found >= 0).all()


@each(("window", "samples", "interval", "most"), [(100, 10, 10, 10), (20, 7, 2, 10), (5, 10, 1, 5), (7, 1, 7, 1)])
def test_a_window_holds_at_most_the_samples_that_share_epsilon(window, samples, interval, most):
    mechanism = StreamKalman(epsilon=1.0, window=window, sensitivity=1, samples=samples)
    stream = CountStream(np.full((50, 2), 9), ["a", "b"], [str(t) for t in range(50)])
    budgets = mechanism.release(stream, rng=noise.seeded(1)).budgets
    assert np.flatnonzero(budgets).tolist() == list(range(0, 50, interval))
    assert set(budgets[budgets > 0]) == {1.0 / most}


def test_estimates_follow_the_counts_where_noise_is_small():
    rows = np.random.default_rng(3).integers(100, 2000, (60, 4))
    stream = CountStream(rows, list("abcd"), [str(t) for t in range(60)])
    published = StreamKalmanUniform(epsilon=1e4, window=1, sensitivity=1).release(stream, rng=noise.seeded(1)).counts
    assert np.abs(published - rows).max() < 0.01
