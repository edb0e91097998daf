"""What is expected of visits given noisy counts: against sums over fine grids, against draws, and at its limits."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.recommender.posterior import EVIDENCE, PRECISE, SHAPES, powers_of_counts, prior_means


def drawn(seed: int, side: int, mean: float, shape: float, scale: float) -> tuple[np.ndarray, np.ndarray]:
    """Log-normal counts, and the same with Laplace noise, (side, side) each."""
    rng = np.random.default_rng(seed)
    truth = np.rint(mean * np.exp(shape * rng.standard_normal((side, side)) - shape**2 / 2))
    return truth, truth + np.rint(rng.laplace(0, scale, truth.shape))


def by_definition(counts: np.ndarray, scale: float, power: float) -> np.ndarray:
    """The estimate of each cell, each integral a sum over 1,601 points of a normal distribution."""
    z = np.linspace(-10, 10, 1_601)
    normal = np.exp(-(z**2) / 2) / np.exp(-(z**2) / 2).sum()
    values = np.maximum(counts, 0).ravel()
    mean = max(counts.mean(), np.sqrt(2) * scale / np.sqrt(counts.size), 1.0)
    priors = prior_means(counts, mean).reshape(-1, counts.size)
    equal = np.exp(-np.abs(values - mean) / scale) / (2 * scale)
    logs, means = [np.log(equal).sum() + EVIDENCE], [np.full(counts.size, mean**power)]
    for prior in priors:
        for shape in SHAPES:
            true = prior[:, None] * np.exp(shape * z - shape**2 / 2)
            joint = normal * np.exp(-np.abs(values[:, None] - true) / scale) / (2 * scale)
            logs.append(np.log(joint.sum(axis=1)).sum() - np.log(len(priors) * len(SHAPES)))
            means.append((joint * true**power).sum(axis=1) / joint.sum(axis=1))
    weights = np.exp(np.array(logs) - max(logs))
    return (weights @ np.array(means) / weights.sum()).reshape(counts.shape)


@pytest.mark.parametrize(("mean", "shape", "scale"), [(8.0, 1.5, 20.0), (30.0, 1.2, 4.0), (3.0, 2.0, 2.0)])
@pytest.mark.parametrize("power", [1.0, 0.9])
def test_tables_are_the_integrals_of_the_definition(mean: float, shape: float, scale: float, power: float) -> None:
    _, counts = drawn(3, 4, mean, shape, scale)
    assert powers_of_counts(counts, 2 * scale**2, power) == pytest.approx(by_definition(counts, scale, power), rel=0.05)


@pytest.mark.parametrize("scale", [2.0, 8.0])
def test_estimates_are_as_large_as_the_truth_in_the_mean_and_nearer_than_the_counts(scale: float) -> None:
    """Of 3 × 1,024 cells, by tenths of the estimates: within four standard errors of the mean truth, or 15 % of it."""
    grids = [drawn(seed, 32, 10.0, 1.4, scale) for seed in range(3)]
    truth, counts = (np.concatenate([one.ravel() for one in part]) for part in zip(*grids, strict=True))
    found = np.concatenate([powers_of_counts(one, 2 * scale**2, 1.0).ravel() for _, one in grids])
    for cells in np.array_split(np.argsort(found), 10):
        error = truth[cells].std() / np.sqrt(len(cells))
        assert abs(found[cells].mean() - truth[cells].mean()) < max(4 * error, 0.15 * truth[cells].mean())
    squares = [((one - truth) ** 2).mean() for one in (found, np.maximum(counts, 0), np.full(truth.shape, 10.0))]
    assert squares[0] < 0.95 * min(squares[1:])


@given(seed=st.integers(0, 2**32), power=st.floats(0.1, 1.0))
@settings(max_examples=10, deadline=None)
def test_without_noise_they_are_powers_of_the_counts(seed: int, power: float) -> None:
    _, counts = drawn(seed, 5, 20.0, 1.5, 1.0)
    assert powers_of_counts(counts, 0.0, power) == pytest.approx(np.maximum(counts, 0) ** power)
    large = 1e5 + 1e3 * counts
    assert powers_of_counts(large, 2.0, power) == pytest.approx(large**power)


@given(seed=st.integers(0, 2**32), sides=st.tuples(st.integers(1, 7), st.integers(1, 7)), scale=st.floats(1e-3, 1e5))
@settings(max_examples=15, deadline=None)
def test_they_are_positive_and_finite_whatever_the_counts(seed: int, sides: tuple[int, int], scale: float) -> None:
    rng = np.random.default_rng(seed)
    counts = np.rint(rng.laplace(0, scale, sides) + rng.choice([0, 1e6], sides, p=[0.9, 0.1]))
    found = powers_of_counts(counts, 2 * scale**2, 0.9)
    assert np.isfinite(found).all()
    assert (found > 0).all()


def test_counts_that_noise_explains_are_nearly_equal() -> None:
    """Noise alone, five times of five: half of the cells within 10 % of each other."""
    for seed in range(5):
        counts = np.rint(np.random.default_rng(seed).laplace(0, 1e4, (16, 16)))
        low, high = np.quantile(powers_of_counts(counts, 2e8, 0.9), [0.25, 0.75])
        assert high / low < 1.1


def test_one_crowded_place_stands_out_of_noise() -> None:
    counts = np.rint(np.random.default_rng(1).laplace(0, 20.0, (16, 16)))
    counts[5, 5] = 900.0
    found = powers_of_counts(counts, 800.0, 1.0)
    assert found[5, 5] == pytest.approx(900.0, rel=0.02)
    assert np.delete(found.ravel(), 85).max() < 100


def test_a_cell_among_crowded_ones_has_more_than_one_among_empty_ones() -> None:
    """Both have the same count: where near cells are alike, those around count."""
    rows = np.arange(16)[:, None] < 8
    counts = np.where(rows, 60.0, 0.0) + np.rint(np.random.default_rng(2).laplace(0, 20.0, (16, 16)))
    counts[3, 8] = counts[12, 8] = 30.0
    found = powers_of_counts(counts, 800.0, 1.0)
    assert found[3, 8] > 2 * found[12, 8]


def test_estimates_do_not_jump_where_counts_become_their_own_estimates() -> None:
    counts = np.full((4, 4), 5.0)
    below, above = (
        powers_of_counts(np.where(np.arange(16).reshape(4, 4) == 5, PRECISE * part, counts), 2.0, 1.0)[1, 1]
        for part in (0.999, 1.001)
    )
    assert above == pytest.approx(below, rel=0.02)
