"""The total of all dimensions: filters of it, and how the levels follow it between samples."""

import math

import numpy as np
from numba import b1, f8, i8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled_for, out
from privacy_engine.kernels.laplace_filter import corrected, observe
from privacy_engine.kernels.stream_levels import shrunk

TOTAL, TOTAL_VARIANCE, AVERAGE, BEFORE, FACTOR = range(5)
"""The total with its variance, its average, its value before, and the rhythm's factor since the last sample."""
FORGET_TOTAL = 0.99
LEAST_TOTAL = 1e-3


@compiled_for(f8[::1], f8[::1], out(f8[::1]))
def predict_total(drift: Floats, mean: Floats, variance: Floats) -> None:
    """Add the variance of a timestamp to the filters of the total, (J,)."""
    for j in range(len(drift)):
        level = max(mean[j], 1.0)
        variance[j] += drift[j] * drift[j] * level * level + level


@compiled_for(f8, f8, b1, out(f8[::1]), out(f8[::1]), out(f8[::1]))
def update_total(y: float, b: float, normal: bool, mean: Floats, variance: Floats, log_weight: Floats) -> None:
    """Correct the filters of the total, (J,), by ``y`` with Laplace noise of scale ``b``, or ``normal`` of that noise's
    variance."""
    best = -np.inf
    for j in range(len(mean)):
        if normal:
            scale, u = variance[j] + 2.0 * b * b, y - mean[j]
            log, score, curve = -0.5 * math.log(scale) - 0.5 * min(u * u / scale, 25.0), u / scale, -1.0 / scale
        else:
            log, score, curve = observe(y - mean[j], variance[j], b)
        m, variance[j] = corrected(mean[j], variance[j], score, curve)
        mean[j] = max(m, LEAST_TOTAL)
        log_weight[j] = FORGET_TOTAL * log_weight[j] + log
        best = max(best, log_weight[j])
    for j in range(len(mean)):
        log_weight[j] -= best


@compiled_for(i8, f8[::1], f8[::1], f8[::1], out(f8[::1]))
def rhythm(t: int, mean: Floats, variance: Floats, log_weight: Floats, state: Floats) -> float:
    """Mix the filters of the total into ``state`` and return its factor since the timestamp before ``t``.

    Below its standard deviation it is noise, which is no rhythm: factors are of totals of at least that.
    """
    weight = np.exp(log_weight)
    weight /= weight.sum()
    state[TOTAL] = (weight * mean).sum()
    state[TOTAL_VARIANCE] = (weight * (variance + (mean - state[TOTAL]) ** 2)).sum()
    if t == 0:
        state[AVERAGE] = state[TOTAL]
    state[AVERAGE] += max(0.02, 1.0 / (t + 1.0)) * (state[TOTAL] - state[AVERAGE])
    now = max(state[TOTAL], math.sqrt(state[TOTAL_VARIANCE]), 0.05 * state[AVERAGE], LEAST_TOTAL)
    factor = now / state[BEFORE] if t > 0 else 1.0
    state[BEFORE] = now
    return factor


@compiled_for(f8, f8[::1], f8[::1], out(f8[::1]), f8[::1], out(f8[:, ::1]), out(f8[::1]))
def advance_levels(
    factor: float, loading: Floats, sampled: Floats, state: Floats, squares: Floats, growth: Floats, level: Floats
) -> None:
    """Let the levels, (d,), follow the total's ``factor``, and add to ``growth`` (2, d) the variance of a drift of 1.

    ``sampled`` (d,) are the levels at the last sample, ``loading`` how far each follows the total, ``squares`` their
    mean squares.
    """
    state[FACTOR] *= factor
    for k in range(len(level)):
        level[k] = sampled[k] * (loading[k] * state[FACTOR] + 1.0 - loading[k])
        x = max(level[k], 0.05, math.sqrt(squares[k]))
        growth[0, k] += x * x + x
        growth[1, k] = growth[1, k] * factor * factor + x * x + x


@compiled_for(i8, i8, f8[::1], out(f8[::1]))
def average_squares(t: int, window: int, level: Floats, squares: Floats) -> None:
    """Update the mean squares of the levels, (d,), with those of timestamp ``t``."""
    share = max(1.0 / (t + 1.0), 0.25 / window)
    for k in range(len(level)):
        squares[k] += share * (max(level[k], 0.0) ** 2 - squares[k])


@compiled_for(
    i8,
    i8,
    f8[::1],
    f8,
    b1,
    f8[::1],
    out(f8[::1]),
    out(f8[::1]),
    out(f8[::1]),
    out(f8[::1]),
    f8[::1],
    f8[::1],
    out(f8[::1]),
    out(f8[:, ::1]),
    out(f8[::1]),
    f8[::1],
    f8[::1],
    f8,
    f8,
)
def between_samples(
    t: int,
    window: int,
    y: Floats,
    b: float,
    with_total: bool,
    drift: Floats,
    mean: Floats,
    variance: Floats,
    log_weight: Floats,
    state: Floats,
    loading: Floats,
    sampled: Floats,
    squares: Floats,
    growth: Floats,
    level: Floats,
    spread: Floats,
    signal: Floats,
    share: float,
    gate: float,
) -> Floats:
    """What is published at timestamps ``t``, ``t`` + 1, … without a sample, (n, d); the state is updated.

    ``y`` (n,) are noisy totals, read where ``b``, the scale of their noise, is above 0. The other arguments are those
    of the functions above and of :func:`~privacy_engine.kernels.stream_levels.shrunk`.
    """
    out = np.empty((len(y), len(level)))
    for i in range(len(y)):
        factor = 1.0
        if with_total:
            predict_total(drift, mean, variance)
            if b > 0.0:
                update_total(y[i], b, False, mean, variance, log_weight)
            factor = rhythm(t + i, mean, variance, log_weight, state)
        advance_levels(factor, loading, sampled, state, squares, growth, level)
        average_squares(t + i, window, level, squares)
        shrunk(level, spread, signal, share, gate, out[i])
    return out
