"""Distributions of a level over a grid of logarithms: how they change, what follows from a sample, errors to expect."""

import math

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled_for, out
from privacy_engine.kernels.laplace_filter import NEVER
from privacy_engine.kernels.level_bank import convolve, median_count, observed

RARE, UNLIKELY = 2e-3, 0.01
"""Levels and filters with less weight are left out of what is expected."""


@compiled_for(out(f8[:, ::1]), f8[::1], f8[::1], f8[::1])
def change_levels(p: Floats, variance: Floats, renewed: Floats, base: Floats) -> None:
    """Let levels change: ``p`` (J, g) are distributions over the grid, each for a filter.

    A level moves by a normal number of steps of ``variance`` (J,), or is drawn from ``base`` (g,) with the probability
    ``renewed`` (J,).
    """
    moved = np.empty(p.shape[1])
    for j in range(len(p)):
        convolve(p[j], variance[j], moved)
        p[j] = (1.0 - renewed[j]) * moved + renewed[j] * base


@compiled_for(f8, f8, f8[::1], f8[::1], f8, out(f8[:, ::1]), out(f8[::1]), out(f8[:, ::1]))
def observe_on_grid(
    z: float, b: float, grid: Floats, white: Floats, forget: float, p: Floats, log_weight: Floats, count: Floats
) -> None:
    """Correct ``p`` (J, g) and the log-likelihoods ``log_weight`` (J,) by a sample ``z`` with Laplace noise of scale b.

    A count has the variance of a Poisson variable and ``white`` (J,), in ascending order, times the level as a standard
    deviation. ``count`` (J, g) receives its mean at each level given the sample.
    """
    like, best = np.empty(len(grid)), 0.0
    for j in range(len(p)):
        if j == 0 or white[j] != white[j - 1]:
            best = observed(z, b, grid, 1.0, 0.0, white[j], like, count[j])
        else:
            count[j] = count[j - 1]
        p[j] *= like
        total = p[j].sum()
        if total < NEVER:  # the sample is impossible for this filter, which begins again
            p[j] = like
        p[j] /= p[j].sum()
        log_weight[j] = forget * log_weight[j] + best + math.log(max(total, NEVER))
    log_weight -= log_weight.max()


@compiled_for(i8, i8, f8[:, :, ::1], f8[::1], f8[::1], f8[::1], f8[:, :, ::1])
def medians_ahead(since: int, n: int, p: Floats, rate: Floats, base: Floats, grid: Floats, below: Floats) -> Floats:
    """Medians of the counts at the ``since`` + 1st, ... timestamp after a sample, (n,).

    ``p`` (h, W, g) has the weights of fluctuations and levels at the sample for each ``rate`` (h,) at which a level is
    drawn from ``base`` (g,) again, ``below`` (W, g, g + 1) is as in
    :func:`~privacy_engine.kernels.level_bank.median_count`. Other changes are symmetric in the logarithm and leave
    medians as they are.
    """
    medians, weight = np.empty(n), np.empty(p.shape[1:])
    for i in range(n):
        weight[:] = 0.0
        for k in range(len(rate)):
            kept = (1.0 - rate[k]) ** (since + i + 1)
            for w in range(p.shape[1]):
                weight[w] += kept * p[k, w] + (1.0 - kept) * p[k, w].sum() * base
        medians[i] = median_count(weight, grid, below)
    return medians


@compiled_for(f8[::1], f8[::1], f8[:, ::1], f8[::1], f8, f8[::1], f8[::1], f8[::1])
def errors_on_grid(
    grid: Floats,
    level: Floats,
    filters: Floats,
    weight: Floats,
    varies: float,
    interval: Floats,
    noise_variance: Floats,
    samples: Floats,
) -> Floats:
    """Absolute errors to expect of filters in their steady state, (n,), for n candidates.

    It is the geometric mean over filters, and over levels by 1 - ``varies``: where they are not known yet, none of
    them decides alone. Levels that a stream varies between have their mean.

    Parameters
    ----------
    grid, level : (g,)
        Levels, and how often they occur.
    filters, weight : (3, J) and (J,)
        Drift, rate of new levels and white deviation of the filters, and their weights.
    varies : float
        How far ``level`` is how the stream varies, from 0, where it is how little is known of it, to 1.
    interval, noise_variance, samples : (n,)
        Timestamps between samples, the variance of their noise, and how many there will have been.
    """
    errors, used = np.zeros(len(interval)), 0.0
    mean, square = (level * grid).sum(), (level * grid * grid).sum()
    for j in range(len(weight)):
        if weight[j] < UNLIKELY:
            continue
        average, logs, shares = np.zeros(len(interval)), np.zeros(len(interval)), 0.0
        for i in range(len(grid)):
            if level[i] < RARE:
                continue
            x = grid[i]
            most = x * x
            grown = filters[0, j] ** 2 * (x * x + x) + filters[1, j] * (square - 2.0 * mean * x + x * x)
            w = filters[2, j] ** 2 * x * x + x
            for d in range(len(interval)):
                gained, noisy = grown * interval[d], noise_variance[d] + w
                before = 0.5 * (gained + math.sqrt(gained * gained + 4.0 * gained * noisy))
                after = max(before - gained, noisy / samples[d])
                at = max(before, after) + w
                at = at * noise_variance[d] / (at + noise_variance[d])
                between = after + 0.5 * grown * interval[d] + w
                at, between = at * most / (at + most), between * most / (between + most)
                of_d = (math.sqrt(at) + (interval[d] - 1.0) * math.sqrt(between)) / interval[d]
                average[d] += level[i] * of_d
                logs[d] += level[i] * math.log(of_d)
            shares += level[i]
        errors += weight[j] * (varies * np.log(average / shares) + (1.0 - varies) * logs / shares)
        used += weight[j]
    return np.exp(errors / used)
