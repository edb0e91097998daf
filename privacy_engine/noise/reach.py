"""How far joint draws reach: exact rejection from envelopes of two tangents and a plateau, O(1) in positions.

The density and its envelope, five floats, are those of :mod:`privacy_engine.kernels.reach_envelope`.
"""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core import geo
from privacy_engine.core.progress import reported
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.lazy_uniform import SPARE_BITS, LazyUniform, settle
from privacy_engine.noise.planar_exact import rate_ball
from privacy_engine.noise.sources import RandomSource

BEFORE, LEVEL, AFTER = range(3)


class Reaches:
    """How far each of m joint draws reaches: real numbers, known to the required precision.

    ``angle`` (m,) are floats within ``off`` (m,) of them, in radians; ``whole`` (m,) is True where it is beyond π, so
    that a position may be anywhere. ``count`` (m,) are the positions of each, ``epsilon_per_m`` (m,) the rates.

    Raises
    ------
    ArithmeticError
        An envelope was not proven: a defect.
    """

    def __init__(self, count: ArrayLike, epsilon_per_m: ArrayLike, rng: RandomSource) -> None:
        from privacy_engine.kernels import certified, reach_envelope

        self._count, self._epsilon_per_m = (np.array(values, dtype=np.float64) for values in (count, epsilon_per_m))
        power, rate, m = 2 * self._count, self._epsilon_per_m * geo.EARTH_RADIUS_M, len(self._count)
        self._envelopes, self._words, todo = np.empty((m, 5)), np.empty((m, 3), dtype=np.uint64), np.arange(m)
        if not reach_envelope.envelopes(self._count, rate, self._envelopes):
            raise ArithmeticError("an envelope of the reach of joint noise was not proven")
        self._rng, self._uniforms = rng, dict[int, list[LazyUniform]]()
        (self.angle, self.off), self.whole = np.empty((2, m)), np.empty(m, dtype=np.bool_)
        while todo.size:
            self._words[todo] = words = rng.words(3 * todo.size).reshape(-1, 3)
            state, (angle, off) = np.empty(todo.size, dtype=np.uint8), np.empty((2, todo.size))
            certified.reach_proposals(words, power[todo], rate[todo], self._envelopes[todo], state, angle, off)
            self.angle[todo], self.off[todo], self.whole[todo] = angle, off, angle > math.pi
            for j in reported(np.flatnonzero(state == certified.UNDECIDED)):
                i = int(todo[j])
                if known := self.known(i):
                    state[j], (self.angle[i], self.off[i], self.whole[i]) = certified.DONE, known
                else:
                    del self._uniforms[i]  # the next proposal has others
            todo = todo[state != certified.DONE]

    def _own(self, i: int) -> list[LazyUniform]:
        """The uniforms of the last proposal, whose further bits are drawn once."""
        if i not in self._uniforms:
            self._uniforms[i] = [LazyUniform(word, self._rng) for word in self._words[i].tolist()]
        return self._uniforms[i]

    def known(self, i: int) -> tuple[float, float, bool] | None:
        """The angle in balls: the nearest float, how far it is off, whether it is beyond π; None: it is not kept."""
        kept = settle(self._own(i), partial(self._decide, i))
        return settle(self._own(i), partial(self._known, i)) if kept else None

    def half_sine(self, i: int, bits: int) -> Ball:
        """sin(a/2) as a ball, from as many bits of its own uniforms; 1 where the whole sphere is reached."""
        if self.whole[i]:
            return Ball.exact(1, bits)
        words = (bits - SPARE_BITS) // 64  # of 64 bits each
        a, _, _ = self._place(i, [uniform.ball(words, bits) for uniform in self._own(i)], bits)
        return (a / Ball.exact(2, bits)).sin_cos()[0]

    def _place(self, i: int, balls: Sequence[Ball], bits: int) -> tuple[Ball, Ball, int]:
        """The proposed angle, how far the envelope's logarithm is below its top there, and the piece it is on."""
        left, right, up, down, _ = (Ball.exact(bound, bits) for bound in self._envelopes[i].tolist())
        unit = Ball.exact(1, bits)
        before, level = unit / up, right - left
        at = balls[0] * (before + level - unit / down)
        if at < before:
            lift = balls[1].log()
            return left + lift / up, lift, BEFORE
        if at < before + level:
            return left + balls[1] * level, Ball(0, 0, bits), LEVEL
        lift = balls[1].log()
        return right + lift / down, lift, AFTER

    def _decide(self, i: int, balls: Sequence[Ball], bits: int) -> bool:
        a, lift, piece = self._place(i, balls, bits)
        if piece == BEFORE and a < Ball(0, 0, bits):
            return False
        height = -(rate_ball(self._epsilon_per_m[i], bits) * a)
        if a < Ball.pi(bits):
            height += (a / Ball.exact(2, bits)).sin_cos()[0].log() * (2 * int(self._count[i]))
        return balls[2].log() < height - Ball.exact(self._envelopes[i, 4], bits) - lift

    def _known(self, i: int, balls: Sequence[Ball], bits: int) -> tuple[float, float, bool]:
        a, _, _ = self._place(i, balls, bits)
        angle = float(a)
        return angle, (a.rad + 1) * 2.0**-bits + 2.0**-52 * abs(angle), not a < Ball.pi(bits)
