r"""Envelopes of how far joint draws reach: two tangents and a plateau, proven to lie above the density.

With p positions the angle :math:`a = s/R` has the log density :math:`g(a) = 2p \ln \sin(a/2) - \rho a` up to π and
:math:`-\rho a` beyond, :math:`\rho = \epsilon R`. Its derivative :math:`p \cot(a/2) - \rho`, from π on :math:`-\rho`,
is continuous and falls, so g is concave and lies below each of its tangents. An envelope is five floats, exact however
they were computed: exp(top) from left to right, falling with the slopes up and down before and after. That it lies
above g is proven in floats with the bounds of docs/decisions/0016-exact-noise.md.
"""

import math

from numba import f8

from privacy_engine.core.arrays import Floats
from privacy_engine.kernels import compiled_for, inlined, out
from privacy_engine.kernels.certified import U
from privacy_engine.kernels.elementary import log, sincos

MARGINS = (1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 10.0)
LEAST = 1e-300  # slope: the kernel that draws divides by it


@inlined
def _height(a: float, power: float, rate: float) -> float:
    return (power * math.log(math.sin(a / 2)) if a < math.pi else 0.0) - rate * a


@inlined
def _slope(a: float, count: float, rate: float) -> float:
    return (count / math.tan(a / 2) if a < math.pi else 0.0) - rate


@compiled_for(f8, f8, f8, out(f8[::1]))
def candidate(count: float, rate: float, margin: float, envelope: Floats) -> tuple[float, float, float]:
    """Tangents where the density has fallen by about e on either side of the mode, a little above; where they touch."""
    power = 2 * count
    mode = 2 * math.atan2(count, rate)
    wide = math.sin(mode / 2) * math.sqrt(8 / power)
    low, high = max(mode - wide, 0.4 * mode), mode + wide
    spare = margin * 1e-4 * abs(_height(mode, power, rate)) + margin * 1e-5 * power
    top = _height(mode, power, rate) + margin * min(1.0, rate) + spare
    up, down = _slope(low, count, rate), _slope(high, count, rate) * (1 - margin)
    left = low + ((top - _height(low, power, rate)) * (1 - 10 * margin) - spare) / up
    right = high + ((top - _height(high, power, rate)) * (1 - 10 * margin) - spare) / down
    envelope[0], envelope[1] = min(left, mode - 1e-3 * wide), max(right, mode + 1e-3 * wide)
    envelope[2], envelope[3], envelope[4] = up, down, top
    return low, mode, high


@inlined
def _tangent(a: float, count: float, rate: float) -> tuple[float, float, float, float, float]:
    """Where it touches, the height and slope of g there, and how far these may be off."""
    if a > math.pi:  # as real numbers too: no float is between
        return a, -rate * a, -rate, 4 * U * rate * a, 4 * U * rate
    sine, cosine = sincos(0.5 * a)
    level = log(sine)
    off, off_slope = 16 * U * (2 * count * (1 - level) + rate * a), 16 * U * (count / sine + rate)
    return a, 2 * count * level - rate * a, count * (cosine / sine) - rate, off, off_slope


@inlined
def _below(tangent: tuple[float, float, float, float, float], end: float, level: float, rise: float) -> bool:
    """Whether a tangent is below ``level`` + ``rise`` at ``end``, for all that the floats may be off."""
    at, height, slope, off, off_slope = tangent
    more = slope * (end - at)
    slack = off + off_slope * abs(end - at) + 8 * U * (abs(height) + abs(more) + abs(level) + abs(rise))
    return height + more + 1.01 * slack < level + rise


@compiled_for(f8[::1], f8, f8, f8, f8, f8)
def surely_above(envelope: Floats, low: float, mode: float, high: float, count: float, rate: float) -> bool:
    """Whether an envelope (5,) is proven to lie above g: on each piece above a tangent at these angles."""
    left, right, up, down, top = envelope[0], envelope[1], envelope[2], envelope[3], envelope[4]
    first, middle, last = _tangent(low, count, rate), _tangent(mode, count, rate), _tangent(high, count, rate)
    plateau = _below(middle, left, top, 0.0) and _below(middle, high, top, 0.0) and _below(last, high, top, 0.0)
    before = _below(first, 0.0, top, up * (0.0 - left)) and _below(first, left, top, 0.0)
    after = _below(last, right, top, 0.0) and last[2] + last[4] < min(down, 0.0)
    return bool(0.0 < left < right and up > LEAST and down < -LEAST and plateau and before and after)


@compiled_for(f8[::1], f8[::1], out(f8[:, ::1]))
def envelopes(count: Floats, rate: Floats, out: Floats) -> bool:
    """Write the envelope of each ``count`` at its ``rate`` per radian, (m,), to (m, 5); whether all are proven."""
    every = True
    for i in range(len(count)):
        proven = False
        for margin in MARGINS:
            if not proven:
                low, mode, high = candidate(count[i], rate[i], margin, out[i])
                proven = surely_above(out[i], low, mode, high, count[i], rate[i])
        every = every and proven
    return every
