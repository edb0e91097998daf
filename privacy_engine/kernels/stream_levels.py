"""What is published at a level, the losses of a factor, and the error to expect of a plan."""

import math

import numpy as np
from numba import f8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled, compiled_for, out


@compiled
def median_share(relative_variance: float) -> float:
    """Median of a gamma distribution as a share of its mean (Wilson and Hilferty, PNAS 1931)."""
    return max(1.0 - relative_variance / 9.0, 0.0) ** 3


@compiled_for(f8[::1], f8[::1], f8[::1], f8, f8, out(f8[::1]))
def shrunk(level: Floats, spread: Floats, signal: Floats, factor: float, gate: float, out: Floats) -> None:
    """What is published at a level, (d,): the median of a count, or ``factor`` times the level where that is not nan.

    Both times by how far ``signal``, levels by their standard deviations, exceeds ``gate``, from 0 to 1.
    """
    for k in range(len(level)):
        x = max(level[k], 0.0)
        share = factor if factor >= 0.0 else median_share(0.5 / max(x, 1e-6) + spread[k])
        out[k] = share * x * min(max(signal[k] - gate, 0.0), 1.0)


@compiled
def excess_losses(
    z: Floats, b: float, width: float, weight: Floats, published: Floats, reference: Floats
) -> tuple[float, float]:
    r"""Mean and variance over dimensions of the weighted loss of ``published`` beyond that of ``reference``, (d,).

    With Laplace noise of scale b, :math:`F(z) - b^2 F''(z)` has the mean F(x). For the loss :math:`|x - r|` that is
    :math:`|z - r| - 2 b^2 \delta(z - r)`, where a normal density of standard deviation ``width`` stands for δ.
    """
    total, squares = 0.0, 0.0
    peak = 2.0 * b * b / (width * math.sqrt(2.0 * math.pi))
    for k in range(len(z)):
        u, v = z[k] - published[k], z[k] - reference[k]
        mine = abs(u) - peak * math.exp(-0.5 * (u / width) ** 2)
        other = abs(v) - peak * math.exp(-0.5 * (v / width) ** 2)
        excess = weight[k] * (mine - other)
        total += excess
        squares += excess * excess
    mean = total / len(z)
    return mean, squares / len(z) - mean * mean if len(z) > 1 else mean * mean


@compiled_for(f8[::1], f8, f8, f8[::1], f8[::1], f8[::1], f8[::1], f8[:, ::1], f8[::1], out(f8[:, ::1]))
def excess_of_choices(
    z: Floats,
    b: float,
    width: float,
    weight: Floats,
    level: Floats,
    spread: Floats,
    signal: Floats,
    choices: Floats,
    default: Floats,
    out: Floats,
) -> None:
    """Into ``out`` (c, 3): mean and variance of :func:`excess_losses` of each choice, and whether it publishes more.

    ``choices`` (c, 2) are factors and gates of :func:`shrunk`, ``default`` (2,) those they are compared with.
    """
    reference, published = np.empty(len(z)), np.empty(len(z))
    shrunk(level, spread, signal, default[0], default[1], reference)
    for i in range(len(choices)):
        shrunk(level, spread, signal, choices[i, 0], choices[i, 1], published)
        out[i, 0], out[i, 1] = excess_losses(z, b, width, weight, published, reference)
        out[i, 2] = 1.0 if published.sum() > reference.sum() else 0.0


@compiled_for(f8[::1], f8[:, ::1], f8[:, ::1], f8[::1], f8[::1], f8[::1], f8, f8[::1], f8[::1])
def predicted_errors(
    level: Floats,
    weight: Floats,
    filters: Floats,
    interval: Floats,
    noise_variance: Floats,
    common: Floats,
    common_drift: float,
    common_at_sample: Floats,
    samples: Floats,
) -> Floats:
    """:func:`predicted_error` of n candidates, (n, 2); all arguments after ``filters`` but the drift are (n,)."""
    errors = np.empty((len(interval), 2))
    for i in range(len(interval)):
        of_i = interval[i], noise_variance[i], common[i], common_drift, common_at_sample[i], samples[i]
        errors[i, 0], errors[i, 1] = predicted_error(level, weight, filters, *of_i)
    return errors


@compiled
def predicted_error(
    level: Floats,
    weight: Floats,
    filters: Floats,
    interval: float,
    noise_variance: float,
    common: float,
    common_drift: float,
    common_at_sample: float,
    samples: float,
) -> tuple[float, float]:
    """Relative and absolute error of the filters' steady state, each a mean over dimensions.

    That of a single dimension is the geometric mean over its filters: where they are not known yet, none of them
    decides alone.

    Parameters
    ----------
    level, weight, filters : (d,), (d, J), (3, J)
        As in :func:`~privacy_engine.kernels.laplace_filter.update_bank`.
    interval, noise_variance : float
        Timestamps between samples, and the variance of a sample's noise.
    common, common_drift, common_at_sample : float
        Relative variance of the rhythm, its growth a timestamp without total, its value at a sample.
    samples : float
        How many samples there will have been: a level is known no better than by that many.
    """
    relative, absolute = 0.0, 0.0
    rhythm = min(common, common_at_sample + 0.5 * common_drift * interval)
    for k in range(len(level)):
        x, expected, used = level[k], 0.0, 0.0
        for j in range(weight.shape[1]):
            if weight[k, j] < 0.01:
                continue
            drift, white, loading = filters[0, j], filters[1, j], filters[2, j]
            grown = drift * drift * (x * x + x)
            w = white * white * x * x + (x if white >= 0.0 else 0.0)
            gained = grown * interval + loading * x * x * common_at_sample
            noisy = noise_variance + w
            before = 0.5 * (gained + math.sqrt(gained * gained + 4.0 * gained * noisy))
            after = max(before - gained, noisy / samples)
            at = max(before, after) + w
            at = at * noise_variance / (at + noise_variance)
            between = after + 0.5 * grown * interval + w + loading * x * x * rhythm
            at, between = at * x * x / (at + x * x), between * x * x / (between + x * x)
            expected += weight[k, j] * math.log((math.sqrt(at) + (interval - 1.0) * math.sqrt(between)) / interval)
            used += weight[k, j]
        expected = math.exp(expected / used)
        relative += expected / x
        absolute += expected
    return relative / len(level), absolute / len(level)
