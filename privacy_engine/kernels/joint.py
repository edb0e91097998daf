"""Joint planar noise of simulations: how far a draw may move its positions, repetition by repetition."""

import math

import numpy as np
from numba import f8, i8, u8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled, compiled_for
from privacy_engine.kernels.elementary import arctan2, log, sincos
from privacy_engine.kernels.philox import LOW, SHIFT, Words, block, unit

APART = np.uint64(0x6A09_E667)  # what turns a key into another: no planar noise shares a draw with this


@compiled
def _gamma(shape: int, repetition: np.uint64, attempt: np.uint64, k0: np.uint64, k1: np.uint64) -> float:
    """A Gamma(``shape``) value: the sum of as many exponential ones, four to a block."""
    total, left, index = 0.0, shape, np.uint64(0)
    while left > 0:
        w0, w1, w2, w3 = block(index & LOW, index >> SHIFT, repetition, attempt, k0, k1)
        product = unit(w0)
        product *= unit(w1) if left > 1 else 1.0
        product *= unit(w2) if left > 2 else 1.0
        product *= unit(w3) if left > 3 else 1.0
        total -= log(product)
        left -= 4
        index += np.uint64(1)
    return total


@compiled_for(u8[::1], i8, i8, i8, f8)
def half_reach_sines(key: Words, first_repetition: int, lanes: int, count: int, rate: float) -> Floats:
    """sin(s/2R) of each repetition, for the reach s distributed as :mod:`privacy_engine.noise.reach` draws it.

    ``rate`` is per radian. The sampler is the same; a reach beyond half the Earth is cut to it.
    """
    out, power = np.empty(lanes), 2 * count
    mode = 2.0 * arctan2(float(count), rate)
    steepness = power / mode
    at_mode = power * log(sincos(0.5 * mode)[0] / mode) + (steepness - rate) * mode
    near = at_mode + math.lgamma(power + 1.0) - (power + 1) * math.log(steepness)
    share_far = 1.0 / (1.0 + math.exp(min(near + rate * math.pi + math.log(rate), 700.0)))
    k0, k1 = key[0] ^ APART, key[1]
    for r in range(lanes):
        repetition, attempt, out[r] = np.uint64(first_repetition + r), np.uint64(0), -1.0
        while out[r] < 0.0:
            w0, w1, _, _ = block(np.uint64(0), np.uint64(0), repetition, attempt, k0, k1)
            angle = _gamma(power + 1, repetition, attempt + np.uint64(1), k0, k1) / steepness
            attempt += np.uint64(2)
            if unit(w0) < share_far:
                out[r] = 1.0
            elif angle < math.pi:
                sine = sincos(0.5 * angle)[0]
                if log(unit(w1)) <= power * log(sine / angle) + (steepness - rate) * angle - at_mode:
                    out[r] = sine
    return out
