r"""Levels of many dimensions as distributions over a grid of logarithms, for a bank of filters.

A filter has a drift and follows the total or not (its row of ``p``); a count fluctuates around its level with one of
several relative deviations, which the sample alone has to do with: the level's distributions given each of them are
merged after it [1]_. The grid of a filter that follows the total is times ``rhythm``, the total's factor so far.

References
----------
.. [1] Ackerson, Fu. "On state estimation in switching environments". IEEE TAC 1970.
"""

import math

import numpy as np
from numba import f8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled, compiled_for, out
from privacy_engine.kernels.laplace_filter import NEVER, observe

REACH, BOXES = 4.0, 3
"""Standard deviations of a change beyond which it is left out, and how many moving averages make a wide average."""
WIDE = 4.0
"""Variance in steps from which a change is made of moving averages."""
TAIL = 4.0
"""Standard deviations of a fluctuation beyond which noise alone decides how a density falls."""
FARTHEST = 1e6
"""Scales of noise beyond the grid from which on samples are alike, and likelihoods would be lost in rounding."""
LEAST, LEAST_LOG = 1e-12, -60.0
"""Levels with less probability, and samples with a likelihood lower than the best's by more, are impossible."""
LEAST_VARIANCE = 1e-9


@compiled
def _averaged(p: Floats, half: int, out: Floats) -> None:
    """Moving average of ``p`` over 2 ``half`` + 1 points; what leaves the grid stays at its end."""
    n, width = len(p), 2.0 * half + 1.0
    total = 0.0
    for i in range(min(half, n)):
        total += p[i]
    for i in range(n):
        if i + half < n:
            total += p[i + half]
        if i - half - 1 >= 0:
            total -= p[i - half - 1]
        out[i] = max(total, 0.0) / width
    for i in range(min(half, n)):
        out[0] += p[i] * (half - i) / width
        out[n - 1] += p[n - 1 - i] * (half - i) / width


@compiled
def convolve(p: Floats, variance: float, out: Floats) -> None:
    """Into ``out``: ``p`` moved by a normal number of steps of ``variance``; what leaves the grid stays at its end."""
    n = len(p)
    reach = 1 if variance < 0.5 else min(int(REACH * math.sqrt(variance)) + 1, n - 1)
    share = np.empty(reach + 1)
    for k in range(reach + 1):
        near = 1.0 - variance if k == 0 else 0.5 * variance
        share[k] = math.exp(-0.5 * k * k / variance) if variance >= 0.5 else near
    share /= share[0] + 2.0 * share[1:].sum()
    for i in range(n):
        out[i] = share[0] * p[i]
    for k in range(1, reach + 1):
        for i in range(n):
            moved = share[k] * p[i]
            out[max(i - k, 0)] += moved
            out[min(i + k, n - 1)] += moved


@compiled
def move_levels(p: Floats, variance: float, spare: Floats) -> None:
    """Let a level, distributed as ``p`` (g,), move by a number of steps of ``variance``; ``spare`` (g,) is overwritten.

    The number is normal, or the sum of three uniform numbers and a normal number where the variance is large.
    """
    if variance >= WIDE:
        half = int((math.sqrt(1.0 + 12.0 * variance / BOXES) - 1.0) / 2.0)
        for _ in range(BOXES):
            _averaged(p, half, spare)
            for i in range(len(p)):
                p[i] = spare[i]
        variance -= BOXES * ((2.0 * half + 1.0) ** 2 - 1.0) / 12.0
    if variance > 0.0:
        convolve(p, variance, spare)
        for i in range(len(p)):
            p[i] = spare[i]


@compiled
def observed(
    z: float, b: float, grid: Floats, scale: float, common: float, white: float, like: Floats, count: Floats
) -> float:
    """Into ``like`` (g,): likelihoods of a sample ``z`` with Laplace noise of scale ``b`` at levels ``grid`` times
    ``scale``, by the best, whose logarithm is returned; ``count`` (g,) receives the means of the count.

    A count has the variance of a Poisson variable, and the relative variance ``common`` plus the square of ``white``.
    """
    best, log_two_b = -np.inf, math.log(2.0 * b)
    z = min(max(z, -FARTHEST * b), grid[-1] * scale + FARTHEST * b)
    for i in range(len(grid)):
        level = grid[i] * scale
        poisson = level if white >= 0.0 else 0.0
        variance = max(poisson + (white * white + common) * level * level, LEAST_VARIANCE)
        distance = abs(z - level)
        if distance > variance / b + TAIL * math.sqrt(variance):
            log, score = 0.5 * variance / (b * b) - distance / b - log_two_b, 1.0 / b if z >= level else -1.0 / b
        else:
            log, score, _ = observe(z - level, variance, b)
        like[i], count[i] = log, max(level + variance * score, 0.0)
        best = max(best, log)
    for i in range(len(grid)):
        like[i] = math.exp(like[i] - best) if like[i] > best + LEAST_LOG else 0.0
    return float(best)


@compiled_for(f8[::1], f8[::1])
def median(weight: Floats, value: Floats) -> float:
    """Median of ``value`` (g,), ascending where ``weight`` is above 0, interpolated."""
    half, below, i = 0.5 * weight.sum(), 0.0, 0
    while i < len(weight) - 1 and below + weight[i] < half:
        below += weight[i]
        i += 1
    low = value[i - 1] if i > 0 and weight[i - 1] > 0.0 else value[i]
    high = value[i + 1] if i + 1 < len(value) and weight[i + 1] > 0.0 else value[i]
    low, high = 0.5 * (low + value[i]), 0.5 * (high + value[i])
    return float(low + min((half - below) / max(weight[i], 1e-300), 1.0) * (high - low))


@compiled
def shifted(p: Floats, steps: float, out: Floats) -> None:
    """Add to ``out`` (g,) what ``p`` (g,) has, ``steps`` higher; what would leave the grid is put at its end."""
    n, whole = len(p), math.floor(steps)
    part = steps - whole
    for i in range(n):
        if p[i] > 0.0:
            out[min(max(i + whole, 0), n - 1)] += (1.0 - part) * p[i]
            out[min(max(i + whole + 1, 0), n - 1)] += part * p[i]


@compiled_for(
    f8[::1],
    f8,
    f8[::1],
    f8,
    f8[::1],
    f8[::1],
    f8,
    f8,
    f8,
    f8,
    f8,
    f8,
    f8[::1],
    out(f8[:, :, ::1]),
    out(f8[:, ::1]),
    out(f8[:, :, ::1]),
    out(f8[:, ::1]),
    out(f8[:, :, ::1]),
    out(f8[::1]),
)
def update_levels(
    z: Floats,
    b: float,
    grid: Floats,
    step: float,
    drifts: Floats,
    whites: Floats,
    steps: float,
    rate: float,
    own: float,
    rhythm: float,
    common: float,
    forget: float,
    mixing: Floats,
    p: Floats,
    log_weight: Floats,
    occurred: Floats,
    weight: Floats,
    joint: Floats,
    count: Floats,
) -> None:
    """Let the levels of d dimensions change for ``steps`` timestamps, then correct them by the samples ``z``, (d,).

    Parameters
    ----------
    b : float
        Scale of the samples' Laplace noise.
    grid, step : (g,), float
        Levels, and the distance of their logarithms.
    drifts, whites : (D,), (W,)
        Standard deviations of a level's logarithm from timestamp to timestamp, and of a count by its level.
    rate, own : float
        Probability that a level is drawn again at a timestamp, from those that occurred: a flat distribution counts
        as ``own`` samples beside them.
    rhythm, common : float
        Factor of the total so far, and its relative variance.
    forget, mixing : float, (2 D W,)
        What is left of a log-likelihood at the next sample, and mixing proportions of the filters.
    p, log_weight, occurred : (d, 2 D, g), (d, 2 D W), (d, 2, g)
        Updated: distributions of levels in rows of each drift without and with the rhythm, log-likelihoods in the
        order of drifts, rhythm, whites, and weights of the levels that occurred.
    weight, joint, count : (d, 2 D W), (d, W, g), (d,)
        Receive weights of the filters, of fluctuations and levels, and the median of the count that was sampled.
    """
    n, many = len(grid), len(whites)
    like, mean, both = np.empty((2, many, n)), np.empty((2, many, n)), np.empty((2, many, n))
    best, evidence = np.empty((2, many)), np.empty((p.shape[1], many))
    spare, base = np.empty(n), np.empty(n)
    renewed, shift = 1.0 - (1.0 - rate) ** steps, math.log(rhythm) / step
    seen = np.nan
    for k in np.argsort(z):  # equal samples, and many are where counts are low, have the same likelihoods
        for r in range(2):
            samples = occurred[k, r].sum()
            for i in range(n):
                base[i] = renewed * (own / n + occurred[k, r, i]) / (own + samples)
            for m in range(r, p.shape[1], 2):
                if samples > 0.0:
                    row = p[k, m]
                    move_levels(row, steps * (drifts[m // 2] / step) ** 2, spare)
                    for i in range(n):
                        row[i] = (1.0 - renewed) * row[i] + base[i]
            for w in range(many):
                scale, of_all = (rhythm, common) if r else (1.0, 0.0)
                if z[k] != seen:
                    best[r, w] = observed(z[k], b, grid, scale, of_all, whites[w], like[r, w], mean[r, w])
        seen = z[k]
        _weigh(p[k], like, best, forget, mixing, evidence, log_weight[k], weight[k])
        both[:] = 0.0
        _merge(p[k], like, weight[k], evidence, both, spare)
        joint[k], count[k] = 0.0, 0.0
        for r in range(2):
            for i in range(n):
                occurred[k, r, i] *= forget
            for w in range(many):
                here = both[r, w].sum()
                if here > 0.0:
                    count[k] += here * median(both[r, w], mean[r, w])
                    for i in range(n):
                        occurred[k, r, i] += both[r, w, i]
                    shifted(both[r, w], r * shift, joint[k, w])


@compiled
def _weigh(
    p: Floats,
    like: Floats,
    best: Floats,
    forget: float,
    mixing: Floats,
    evidence: Floats,
    log_weight: Floats,
    weight: Floats,
) -> None:
    """Weights of the filters of a dimension, in the order of rows of ``p``, then whites; ``evidence`` (2 D, W)
    receives the mean likelihood under each."""
    many, highest, total = like.shape[1], -np.inf, 0.0
    for m in range(len(p)):
        row = p[m]
        for w in range(many):
            of_w, here, j = like[m % 2, w], 0.0, m * many + w
            for i in range(len(row)):
                here += row[i] * of_w[i]
            evidence[m, w] = here
            log_weight[j] = forget * log_weight[j] + best[m % 2, w] + math.log(max(here, NEVER))
            highest = max(highest, log_weight[j])
    for j in range(len(weight)):
        log_weight[j] -= highest
        weight[j] = mixing[j] * math.exp(log_weight[j])
        total += weight[j]
    for j in range(len(weight)):
        weight[j] /= total


@compiled
def _merge(p: Floats, like: Floats, weight: Floats, evidence: Floats, both: Floats, spare: Floats) -> None:
    """Correct the distributions ``p`` of a dimension, and add them to ``both`` (2, W, g) with their weights."""
    many = like.shape[1]
    for m in range(len(p)):
        row, total = p[m], 0.0
        spare[:] = 0.0
        for w in range(many):
            if evidence[m, w] > NEVER:
                part, of_w, into = weight[m * many + w] / evidence[m, w], like[m % 2, w], both[m % 2, w]
                for i in range(len(row)):
                    mass = part * row[i] * of_w[i]
                    into[i] += mass
                    spare[i] += mass
        for i in range(len(row)):
            total += spare[i]
        if total > 0.0:  # else the sample is impossible for this filter, which stays as it is
            for i in range(len(row)):
                mass = spare[i] / total
                row[i] = mass if mass > LEAST else 0.0


@compiled_for(f8[:, :, ::1], f8[::1], f8[::1], f8[::1], f8[:, :, ::1], out(f8[:, ::1]))
def medians_under(joint: Floats, prior: Floats, matters: Floats, grid: Floats, below: Floats, out: Floats) -> None:
    """Into ``out`` (3, d): mean and variance of levels under ``prior`` (g,), and medians of their counts.

    ``joint`` (d, W, g) as above; a median weighs levels by ``matters`` (g,). ``below`` (W, g, g + 1) has the
    probability that a count is at most 0 or each point of ``grid``.
    """
    weight = np.empty(joint.shape[1:])
    for k in range(len(joint)):
        scale, first, second = 0.0, 0.0, 0.0
        for w in range(joint.shape[1]):
            for i in range(len(grid)):
                mass = joint[k, w, i] * prior[i]
                weight[w, i] = mass * matters[i]
                scale, first, second = scale + mass, first + mass * grid[i], second + mass * grid[i] * grid[i]
        out[0, k] = first / scale
        out[1, k] = max(second / scale - out[0, k] ** 2, 0.0)
        out[2, k] = median_count(weight, grid, below)


@compiled
def median_count(weight: Floats, grid: Floats, below: Floats) -> float:
    """Median of a count at levels with ``weight`` (W, g); between two points of the grid by its logarithm."""
    low, high, half = 0, len(grid), 0.5 * weight.sum()
    at_low, at_high = (weight * below[:, :, 0]).sum(), 2.0 * half
    if at_low >= half:
        return 0.0
    while high - low > 1:
        middle = (low + high) // 2
        at = 0.0
        for w in range(len(weight)):
            for i in range(len(grid)):
                if weight[w, i] > 0.0:
                    at += weight[w, i] * below[w, i, middle]
        if at < half:
            low, at_low = middle, at
        else:
            high, at_high = middle, at
    part = (half - at_low) / max(at_high - at_low, 1e-300)
    if low == 0:
        return float(part * grid[0])
    return float(grid[low - 1] * (grid[high - 1] / grid[low - 1]) ** part)
