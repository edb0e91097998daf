"""Planar noise in balls: what the float kernels leave undecided, decided on the same bits."""

from collections.abc import Sequence
from fractions import Fraction

from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.lazy_uniform import LazyUniform, settle

EARTH_RADIUS_M = Fraction(63_710_088, 10)
HALF_TURN = 1_800_000_000
"""Cells of 1e-7 degrees."""

Cell = tuple[int, int]


def rate_ball(epsilon_per_m: float, bits: int) -> Ball:
    """ε per radian, the float ε per metre times the radius."""
    return Ball.exact(Fraction(epsilon_per_m) * EARTH_RADIUS_M, bits)


def planar_cell(
    lon: float, lat: float, epsilon_per_m: float, uniforms: Sequence[LazyUniform], *, near: bool
) -> Cell | None:
    """What a proposal of the planar sampler gives, None if it is rejected.

    Parameters
    ----------
    lon, lat, epsilon_per_m : float
        Degrees, and per metre; each stands for the real number it is.
    uniforms : four of LazyUniform
        Radius, radius, acceptance, bearing.
    near : bool
        Which of the two samplers, both exact at every rate: that for noise that is small against the Earth?
    """

    def decide(balls: Sequence[Ball], bits: int) -> Cell | None:
        rate = rate_ball(epsilon_per_m, bits)
        angle = _near_angle(rate, balls) if near else _far_angle(rate, balls)
        return None if angle is None else destination_cell(lon, lat, angle, balls[3])

    return settle(uniforms, decide)


def _near_angle(rate: Ball, u: Sequence[Ball]) -> Ball | None:
    """Gamma(2) of the rate, cut at π, kept with probability sin(d)/d."""
    angle = -(u[0] * u[1]).log() / rate
    if Ball.pi(angle.bits) < angle or angle.sin_cos()[0] < u[2] * angle:
        return None
    return angle


def _far_angle(rate: Ball, u: Sequence[Ball]) -> Ball | None:
    """That of a uniform point of the sphere, sin²(d/2) = u, kept with probability exp(-rate d)."""
    unit = Ball.exact(1, rate.bits)
    angle = Ball.atan2(u[0].sqrt(), (unit - u[0]).sqrt()) * 2
    return None if -(rate * angle) < u[2].log() else angle


def destination_cell(lon: float, lat: float, angle: Ball, turn: Ball) -> Cell:
    """The cell that holds the end of a great circle of ``angle`` radians, at a bearing of ``turn`` turns.

    East cells are not wrapped. Raises Undecided where the balls are too wide.
    """
    bits, pi = angle.bits, Ball.pi(angle.bits)
    sp, cp = (Ball.exact(Fraction(lat) / 180, bits) * pi).sin_cos()
    sd, cd = angle.sin_cos()
    sb, cb = (turn * 2 * pi).sin_cos()
    out, east, north = cp * cd - sp * sd * cb, sd * sb, sp * cd + cp * sd * cb
    y = Ball.atan2(north, (out * out + east * east).sqrt()) * HALF_TURN / pi
    x = Ball.exact(Fraction(lon) * 10**7, bits) + Ball.atan2(east, out) * HALF_TURN / pi
    return x.nearest(), y.nearest()
