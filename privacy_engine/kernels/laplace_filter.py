r"""Banks of filters for levels that are observed with Laplace noise.

Where a normal variable with variance :math:`s^2` is observed with Laplace noise of scale b, the observation has a
density p in closed form. The variable's mean and variance given it follow exactly from the derivatives of ln p [1]_:
:math:`m + s^2 \cdot (-\ln p)'` and :math:`s^2 + s^4 (\ln p)''`; a filter then takes the variable as normal again.

References
----------
.. [1] Masreliez. "Approximate non-Gaussian filtering with linear state and observation relations". IEEE TAC 1975.
.. [2] Press, Teukolsky, Vetterling, Flannery. "Numerical Recipes": erfcc.
"""

import math

import numpy as np
from numba import f8, i8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled, compiled_for, out

LEVEL, LEVEL_VARIANCE, COUNT, COUNT_VARIANCE, LOADING, SPREAD = range(6)
"""Rows of what :func:`update_bank` finds: mean and variance of level and count, weight of the rhythm, spread."""
FORGET = 0.97
"""What is left of a filter's log-likelihood at the next sample."""
LEAST = 1e-6
"""The least share of its variance that a level or count has after a sample."""
TAIL, WIDE = -25.0, 30.0
NEVER = 1e-200
"""A likelihood that counts as none."""


@compiled
def scaled_erfc(x: float) -> float:
    """exp(x²) erfc(x) for x from -26, to 1.2e-7 of itself [2]_."""
    t = 1.0 / (1.0 + 0.5 * abs(x))
    p = -0.82215223 + t * 0.17087277
    p = -1.13520398 + t * (1.48851587 + t * p)
    p = 0.09678418 + t * (-0.18628806 + t * (0.27886807 + t * p))
    tail = t * math.exp(-1.26551223 + t * (1.00002368 + t * (0.37409196 + t * p)))
    return tail if x >= 0.0 else 2.0 * math.exp(x * x) - tail


@compiled
def observe(u: float, variance: float, b: float) -> tuple[float, float, float]:
    """ln p, -(ln p)' and (ln p)'' at ``u`` for the sum of a centred normal variable and Laplace noise of scale ``b``.

    The second derivative is at most 0. Where the noise is small beside the variable, the sum is taken as normal.
    """
    s, distance = math.sqrt(variance), abs(u)
    near, far = (s / b - distance / s) * math.sqrt(0.5), (s / b + distance / s) * math.sqrt(0.5)
    if near < TAIL:
        log, score, curve = 0.5 * variance / (b * b) - distance / b - math.log(2.0 * b), 1.0 / b, 0.0
    elif s > WIDE * b and near > 3.0:
        total = variance + 2.0 * b * b
        log, score, curve = -0.5 * math.log(2.0 * math.pi * total) - 0.5 * u * u / total, distance / total, -1.0 / total
    else:
        above, below = 0.5 * scaled_erfc(near), 0.5 * scaled_erfc(far)
        both = above + below
        score = (above - below) / (b * both)
        curve = 1.0 / (b * b) - math.sqrt(2.0 / math.pi) / (b * s * both) - score * score
        log = math.log(both) - 0.5 * distance * distance / variance - math.log(2.0 * b)
    return log, score if u >= 0.0 else -score, min(curve, 0.0)


@compiled
def corrected(mean: float, variance: float, score: float, curve: float) -> tuple[float, float]:
    """Mean and variance given an observation with these derivatives of ln p."""
    return mean + variance * score, variance * max(1.0 + variance * curve, LEAST)


@compiled
def mixture(weight: Floats, mean: Floats, variance: Floats) -> tuple[float, float]:
    """Mean and variance of a mixture; the variances within are averaged as logarithms, which large ones move less."""
    centre, within, between = 0.0, 0.0, 0.0
    for j in range(len(weight)):
        centre += weight[j] * mean[j]
        within += weight[j] * math.log(variance[j])
    for j in range(len(weight)):
        between += weight[j] * (mean[j] - centre) ** 2
    return centre, math.exp(within) + between


@compiled
def _correct(
    z: float,
    b: float,
    x: float,
    common: float,
    ratio: float,
    filters: Floats,
    growth: Floats,
    mean: Floats,
    variance: Floats,
    log_weight: Floats,
    count: Floats,
) -> None:
    """Predict and correct the filters of a dimension at level ``x``; ``count`` (2, J) receives those of the count."""
    best = -np.inf
    for j in range(filters.shape[1]):
        drift, white, loading = filters[0, j], filters[1, j], filters[2, j]
        factor = ratio if loading > 0.0 else 1.0
        m = mean[j] * factor
        v = variance[j] * factor * factor + drift * drift * growth[int(loading)]
        w = white * white * x * x + (0.5 * x if white > 0.0 else 0.0) + loading * common * x * x
        log, score, curve = observe(z - m, v + w, b)
        mean[j], variance[j] = m + v * score, v * max(1.0 + v * curve, LEAST)
        count[0, j], count[1, j] = corrected(m, v + w, score, curve)
        log_weight[j] = FORGET * log_weight[j] + log
        best = max(best, log_weight[j])
    for j in range(filters.shape[1]):
        log_weight[j] -= best


@compiled_for(
    f8[::1],
    f8,
    f8,
    f8,
    f8[:, ::1],
    f8[::1],
    out(f8[:, ::1]),
    out(f8[:, ::1]),
    out(f8[:, ::1]),
    out(f8[:, ::1]),
    f8[::1],
    out(f8[:, ::1]),
    out(f8[:, ::1]),
)
def update_bank(
    z: Floats,
    b: float,
    common: float,
    ratio: float,
    filters: Floats,
    level: Floats,
    growth: Floats,
    mean: Floats,
    variance: Floats,
    log_weight: Floats,
    prior: Floats,
    weight: Floats,
    out: Floats,
) -> None:
    """Predict and correct the filters of every dimension, (d, J), by the samples ``z``, (d,).

    Parameters
    ----------
    common, ratio : float
        Relative variance of the rhythm, and its factor since the last sample.
    filters : (3, J)
        Relative drift of each filter, relative deviation of its white fluctuation, its loading on the rhythm, 0 or 1.
    level, growth : (d,) and (2, d)
        The level before, and the variance that a drift of 1 has added since the last sample, without and with rhythm.
    mean, variance, log_weight, weight : (d, J)
        Updated.
    prior : (J,)
        Mixing proportions.
    out : (6, d)
        Receives the rows named above.
    """
    count = np.empty((2, filters.shape[1]))
    for k in range(len(z)):
        x = max(level[k], 0.05)
        of_k = mean[k], variance[k], log_weight[k]
        _correct(z[k], b, x, common, ratio, filters, growth[:, k], of_k[0], of_k[1], of_k[2], count)
        weigh(log_weight[k], prior, weight[k])
        out[LEVEL, k], out[LEVEL_VARIANCE, k] = mixture(weight[k], mean[k], variance[k])
        out[COUNT, k], out[COUNT_VARIANCE, k] = mixture(weight[k], count[0], count[1])
        out[LOADING, k] = (weight[k] * filters[2]).sum()
        out[SPREAD, k] = (weight[k] * filters[1] * filters[1]).sum()


@compiled
def weigh(log_weight: Floats, prior: Floats, weight: Floats) -> None:
    """Posterior weights of filters, (J,), into ``weight``."""
    total = 0.0
    for j in range(len(prior)):
        weight[j] = prior[j] * math.exp(log_weight[j])
        total += weight[j]
    for j in range(len(prior)):
        weight[j] /= total


@compiled_for(f8[:, ::1], f8[::1], f8, i8, out(f8[::1]))
def proportions(like: Floats, base: Floats, mass: float, rounds: int, prior: Floats) -> None:
    """Update ``prior`` (J,), proportions of a mixture, by expectation maximisation.

    ``like`` (d, J) has likelihoods, up to a factor for each of d dimensions; ``mass`` dimensions as ``base`` (J,) are
    added. One that nothing explains does not count.
    """
    for _ in range(rounds):
        total, counted = mass * base, mass
        for k in range(len(like)):
            scale = 0.0
            for j in range(len(base)):
                scale += like[k, j] * prior[j]
            if scale > NEVER:
                counted += 1.0
                for j in range(len(base)):
                    total[j] += like[k, j] * prior[j] / scale
        for j in range(len(base)):
            prior[j] = total[j] / counted
