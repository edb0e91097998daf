r"""How far one joint draw reaches: exact rejection from an envelope of two tangents and a plateau, O(1) in positions.

With p positions the angle :math:`a = s/R` has the log density :math:`g(a) = 2p \ln \sin(a/2) - \rho a` up to π and
:math:`-\rho a` beyond, :math:`\rho = \epsilon R`. Its derivative :math:`p \cot(a/2) - \rho`, from π on :math:`-\rho`,
is continuous and falls, so g is concave and lies below each of its tangents. The envelope's five numbers are floats and
exact from then on; that it lies above g is proven with balls, whichever floats they are (:func:`_above`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from privacy_engine.core import geo
from privacy_engine.noise.ball_arithmetic import Ball, Undecided
from privacy_engine.noise.lazy_uniform import SPARE_BITS, LazyUniform, settle
from privacy_engine.noise.planar_exact import rate_ball
from privacy_engine.noise.sources import RandomSource

PROOF_BITS = 320
BEFORE, LEVEL, AFTER = range(3)


class Envelope(NamedTuple):
    """exp(``top``) between ``left`` and ``right``; slopes of the logarithm ``up`` before and ``down`` after."""

    left: float
    right: float
    up: float
    down: float
    top: float


@lru_cache(maxsize=256)
def envelope(count: int, epsilon_per_m: float) -> Envelope:
    """The envelope of ``count`` positions at this rate, proven to lie above the density.

    Raises
    ------
    ArithmeticError
        None was proven: a defect.
    """
    for margin in (1e-9, 1e-7, 1e-5, 1e-3, 1e-1, 10.0):
        found, touching = _candidate(count, epsilon_per_m * geo.EARTH_RADIUS_M, margin)
        try:
            if _above(found, touching, count, epsilon_per_m):
                return found
        except Undecided:
            pass
    raise ArithmeticError(f"no envelope of the reach of {count} positions at {epsilon_per_m:g} per metre was proven")


def _candidate(count: int, rate: float, margin: float) -> tuple[Envelope, tuple[float, float, float]]:
    """Tangents where the density has fallen by about e on either side of the mode, a little above; where they touch."""
    power = 2 * count

    def height(a: float) -> float:
        return (power * math.log(math.sin(a / 2)) if a < math.pi else 0.0) - rate * a

    def slope(a: float) -> float:
        return (count / math.tan(a / 2) if a < math.pi else 0.0) - rate

    mode = 2 * math.atan2(count, rate)
    wide = math.sin(mode / 2) * math.sqrt(8 / power)
    low, high = max(mode - wide, 0.4 * mode), mode + wide
    spare = margin * 1e-4 * abs(height(mode)) + margin * 1e-5 * power
    top = height(mode) + margin * min(1.0, rate) + spare
    up, down = slope(low), slope(high) * (1 - margin)
    left = low + ((top - height(low)) * (1 - 10 * margin) - spare) / up
    right = high + ((top - height(high)) * (1 - 10 * margin) - spare) / down
    left, right = min(left, mode - 1e-3 * wide), max(right, mode + 1e-3 * wide)
    return Envelope(left, right, up, down, top), (low, mode, high)


def _above(found: Envelope, touching: tuple[float, float, float], count: int, epsilon_per_m: float) -> bool:
    """Whether the envelope is proven to lie above the density everywhere: above a tangent of g on each piece."""
    left, right, up, down, top = (Ball.exact(one, PROOF_BITS) for one in found)
    rate, pi, zero = rate_ball(epsilon_per_m, PROOF_BITS), Ball.pi(PROOF_BITS), Ball(0, 0, PROOF_BITS)

    def tangent(at: float) -> tuple[Ball, Ball, Ball]:
        a = Ball.exact(at, PROOF_BITS)
        if pi < a:
            return a, -(rate * a), -rate
        sine, cosine = (a / Ball.exact(2, PROOF_BITS)).sin_cos()
        return a, sine.log() * (2 * count) - rate * a, cosine / sine * count - rate

    (low, low_height, low_slope), (mode, height, slope), (high, high_height, high_slope) = map(tangent, touching)
    plateau = all(height + slope * (end - mode) < top for end in (left, high))  # from high on the next tangent falls
    plateau = plateau and high_height < top and high_slope < zero
    before = all(low_height + low_slope * (end - low) < top + up * (end - left) for end in (zero, left))
    after = high_height + high_slope * (right - high) < top and high_slope < down
    return zero < left and left < right and zero < up and down < zero and plateau and before and after


class Reach:
    """One reach that was drawn: a real number, known to the required precision.

    ``angle`` is a float within ``off`` of it, in radians; ``whole`` is True where it is beyond π, so that a position
    may be anywhere.
    """

    def __init__(self, count: int, epsilon_per_m: float, rng: RandomSource) -> None:
        from privacy_engine.kernels import certified

        self._count, self._epsilon_per_m = count, epsilon_per_m
        self._envelope = envelope(count, epsilon_per_m)
        rate = epsilon_per_m * geo.EARTH_RADIUS_M
        while True:
            words = rng.words(3)
            self._uniforms = [LazyUniform(word, rng) for word in words.tolist()]
            state, self.angle, self.off = certified.reach_proposal(words, 2.0 * count, rate, *self._envelope)
            if state == certified.UNDECIDED and self.accepted():
                self.angle, self.off, self.whole = settle(self._uniforms, self._known)
                break
            if state == certified.DONE:
                self.whole = self.angle > math.pi
                break

    def accepted(self) -> bool:
        """Whether the proposal of the present uniforms is kept, decided in balls."""
        return settle(self._uniforms, self._decide)

    def half_sine(self, bits: int) -> Ball:
        """sin(a/2) as a ball, from as many bits of its own uniforms; 1 where the whole sphere is reached."""
        if self.whole:
            return Ball.exact(1, bits)
        words = (bits - SPARE_BITS) // 64  # of 64 bits each
        a, _, _ = self._place([one.ball(words, bits) for one in self._uniforms], bits)
        return (a / Ball.exact(2, bits)).sin_cos()[0]

    def _place(self, balls: Sequence[Ball], bits: int) -> tuple[Ball, Ball, int]:
        """The proposed angle, how far the envelope's logarithm is below its top there, and the piece it is on."""
        left, right, up, down, _ = (Ball.exact(one, bits) for one in self._envelope)
        one = Ball.exact(1, bits)
        before, level = one / up, right - left
        at = balls[0] * (before + level - one / down)
        if at < before:
            lift = balls[1].log()
            return left + lift / up, lift, BEFORE
        if at < before + level:
            return left + balls[1] * level, Ball(0, 0, bits), LEVEL
        lift = balls[1].log()
        return right + lift / down, lift, AFTER

    def _decide(self, balls: Sequence[Ball], bits: int) -> bool:
        a, lift, piece = self._place(balls, bits)
        if piece == BEFORE and a < Ball(0, 0, bits):
            return False
        height = -(rate_ball(self._epsilon_per_m, bits) * a)
        if a < Ball.pi(bits):
            height += (a / Ball.exact(2, bits)).sin_cos()[0].log() * (2 * self._count)
        return balls[2].log() < height - Ball.exact(self._envelope.top, bits) - lift

    def _known(self, balls: Sequence[Ball], bits: int) -> tuple[float, float, bool]:
        """The float nearest to the angle, how far it is off, and whether the angle is beyond π."""
        a, _, _ = self._place(balls, bits)
        found = float(a)
        return found, (a.rad + 1) * 2.0**-bits + 2.0**-52 * abs(found), not a < Ball.pi(bits)
