"""Each bound of docs/decisions/0016-exact-noise.md: of the elementary functions rigorously, of what is made from them
by comparison with balls. The numbers in capitals are those of the proof, in units of U = 2**-53.

Balls hold the results of real arithmetic; their reference is :mod:`decimal` with 60 digits more than a ball has: its
square root, logarithm and exponential are correctly rounded, and sines and cosines are summed here.
"""

import math
from decimal import Decimal, getcontext, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.core import geo
from privacy_engine.kernels import certified, elementary
from privacy_engine.noise.ball_arithmetic import Ball, Undecided
from privacy_engine.noise.planar_exact import HALF_TURN, rate_ball
from tests.cases import each
from tests.engine.called import called
from tests.engine.running_error import BITS, UP, Rounded, Series, U, dyadic, magnitude, most_on, worst

OCTANT, SMALL_SINE, LOG, ARCTAN2, SINCOS, BEARING = 3.4, 1.5, 2.9, 9.5, 4.0, 6.0
QUARTER = math.pi / 4 * (1 + 2.0**-20)
octant, small_arctan, log_of_parts = (
    getattr(elementary, name).py_func for name in ("octant", "small_arctan", "log_of_parts")
)


def x_series(order):
    return Series([0, 1] + [0] * (order - 2))


def factorial_series(order, odd):
    signs = (Fraction((-1) ** (k // 2), math.factorial(k)) for k in range(order))
    return [sign if k % 2 == odd else Fraction(0) for k, sign in enumerate(signs)]


def off_by(found, true):
    return [a - b for a, b in zip(found.c, true, strict=True)]


@cache
def sine_and_cosine_off():
    sine, cosine = octant(x_series(ORDER))
    return off_by(sine, factorial_series(ORDER, True)), off_by(cosine, factorial_series(ORDER, False))


def odd_series(order, numerator):
    """numerator(k) / k for odd k."""
    return [Fraction(numerator(k), k) if k % 2 else Fraction(0) for k in range(order)]


@cache
def log_off():
    """The remainder, over s = f/(2 + f), so that ln(1 + f) = 2 (s + s³/3 + …) and f = 2 (s + s² + …)."""
    off = off_by(log_of_parts(0.0, Series([0] + [2] * 39)), odd_series(40, lambda k: 2))
    return most_on(off[1:], -LOG_S, LOG_S, 32) + 2 * 0.1716**39 / (1 - 0.1716)


ORDER = 34
TAIL = QUARTER**ORDER / math.factorial(ORDER) * 2
LOG_S = Fraction(0.1716)  # the largest s


class TestElementaryFunctions:
    """The code of the kernels itself: the remainders of its polynomials, and every rounding."""

    def test_of_an_eighth_of_a_turn(self):
        pieces = [(Fraction(QUARTER) * i / 128, Fraction(QUARTER) * (i + 1) / 128) for i in range(128)]
        for which, off in ((0, sine_and_cosine_off()[0]), (1, sine_and_cosine_off()[1])):
            assert most_on(off, Fraction(0), Fraction(QUARTER), 64) + TAIL < 0.3 * U
            assert worst(lambda a, b, which=which: octant(Rounded.between(a, b))[which].error, pieces) < OCTANT - 0.3

    def test_a_small_sine_is_right_in_proportion(self):
        """Down to 2**-100; below, z and all that is multiplied by it are less than U**3."""
        relative = most_on(sine_and_cosine_off()[0][1:], Fraction(0), Fraction(QUARTER), 64) + TAIL
        pieces = dyadic(QUARTER, 100, 16)

        def bound(a, b):
            least = float(a) * (1 - float(a) ** 2 / 6)
            return octant(Rounded.between(a, b))[0].error / least

        assert worst(bound, pieces) + relative / U < SMALL_SINE

    def test_sine_and_cosine_up_to_pi(self):
        """What taking quarters out costs: one rounding of at most half U, and what the two constants leave of π/2."""
        left = Ball.exact(elementary.HALF_PI_HIGH, BITS) + Ball.exact(elementary.HALF_PI_LOW, BITS)
        constants = 2 * magnitude(left - Ball.pi(BITS) / Ball.exact(2, BITS))
        assert int(2 * elementary.HALF_PI_HIGH * 2.0**32) == 2 * elementary.HALF_PI_HIGH * 2.0**32  # products are exact
        reduction = 0.5 * U + 2 * elementary.HALF_PI_LOW * U + constants
        assert OCTANT * U + reduction < SINCOS * U

    @pytest.mark.slow
    @each("k", [*range(-110, 2)])
    def test_of_a_logarithm_in_proportion(self, k):
        """Of every float from 2**-110 to 2: k ln 2 + ln(1 + f), f between the roots less 1."""
        low, high = math.sqrt(0.5) * (1 - 2.0**-18) - 1, math.sqrt(2) * (1 + 2.0**-18) - 1
        pieces = [*dyadic(high, 54 if k in (0, -1) else 3, 8)]
        pieces += [(-b, -a) for a, b in dyadic(-low, 54 if k == 0 else 3, 8)]
        pieces += [(-Fraction(1, 16), Fraction(1, 16))] if k not in (0, -1) else []
        for a, b in pieces:
            found = log_of_parts(float(k), Rounded.between(a, b))
            ends = [k * math.log(2) + math.log1p(float(end)) for end in (a, b)]
            if ends[0] * ends[1] <= 0:  # what lies between -2**-53 and 2**-53 is 0, exactly
                assert k in (0, -1)
                continue
            least = min(map(abs, ends)) * (1 - 1e-9)
            assert (found.error + log_off() * max(abs(float(a)), abs(float(b))) / 1.7) / least < LOG * U

    def test_of_an_angle(self):
        """The octant's t, known to three roundings; then π/4 + t, π/2 − that, π − that, with their constants."""
        t, relative = elementary.TAN_PI_8 * UP, 3.01
        off = off_by(small_arctan(x_series(80)), odd_series(80, lambda k: (-1) ** (k // 2)))
        approximation = most_on(off, Fraction(0), Fraction(t), 32) + t**81 / 81

        def bound(a, b):
            return small_arctan(Rounded.between(a, b, float(b) * relative * U)).error

        angle = worst(bound, [(Fraction(t) * i / 64, Fraction(t) * (i + 1) / 64) for i in range(64)]) * U
        pi = Ball.pi(BITS)
        for share, rounding in ((4, 0.5), (2, 1.0), (1, 2.0)):  # half a last place of what is below 1, 2 and 4
            constant = magnitude(Ball.exact(math.pi / share, BITS) - pi / Ball.exact(share, BITS))
            angle += constant + rounding * U
        assert angle + approximation < ARCTAN2 * U

    def test_of_a_bearing(self):
        """Half of the last of 54 bits, the constant of a quarter turn, one rounding, and the octant's."""
        pi = Ball.pi(BITS)
        half_bit = math.pi / 2 * U
        constant = magnitude(Ball.exact(certified.QUARTER_TURN, BITS) * 2**53 - pi) / 4
        assert half_bit + constant + 0.5 * U + OCTANT * U < BEARING * U
        words = np.random.default_rng(1).integers(0, 2**64, size=300, dtype=np.uint64).tolist()
        for word in [*words, *(q * 2**62 + e for q in range(4) for e in (0, 2**61, 2**61 - 1, 1023, 2**62 - 1))]:
            sine, cosine = called(certified.bearing)(np.uint64(word))
            for end in (word >> 10 << 10, (word >> 10) + 1 << 10):  # both ends of what 54 bits leave
                turn = Ball.exact(Fraction(end, 2**63), 200) * Ball.pi(200)
                for found, true in zip((sine, cosine), turn.sin_cos(), strict=True):
                    assert abs(float(Ball.exact(found, 200) - true)) < BEARING * U

    @each("lat", [0.0, 44.999999, 45.0, 45.0000001, 60.0, 89.9999999, 90.0, -90.0, -33.3, 5e-324])
    def test_a_latitude_past_45_degrees_is_taken_from_the_pole_exactly(self, lat):
        """90 − |lat| is exact (Sterbenz), so its sine keeps its proportion: 2 U of the angle, 1.5 U of its own."""
        if abs(lat) > 45:
            assert Fraction(90.0 - abs(lat)) == 90 - Fraction(abs(lat))
            angle = (90.0 - abs(lat)) * certified.PER_DEGREE
            true = float(Ball.exact((90 - Fraction(abs(lat))) / 180, 300) * Ball.pi(300))
            assert abs(angle - true) <= 2 * U * true


def draws(kind, n, seed):
    """Positions, rates per metre and words: at random, at the edges of every branch, or aimed at the pole."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 2**64, size=(n, 4), dtype=np.uint64)
    lon, lat = rng.uniform(-180, 180, n), np.degrees(np.arcsin(rng.uniform(-1, 1, n)))
    epsilon = 10.0 ** rng.uniform(-9, 1, n)
    if kind == "edges":
        lat = rng.choice([90, -90, 89.9999999, -89.99999995, 89.99, 0, 45, -45, 45.00000005, 1e-300, 30.00000005], n)
        lon = rng.choice([180, -180, 179.99999995, -179.99999995, 0, 90, -0.0, 1e-308, 120.1234567], n)
        edges = [0, 1, 2**10, 2**12, 2**20, 2**61 - 1, 2**61, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 3 * 2**62, 2**64 - 1]
        words = np.where(rng.random((n, 4)) < 0.4, rng.choice(np.array(edges, dtype=np.uint64), (n, 4)), words)
        one = 1 / geo.EARTH_RADIUS_M
        some = rng.choice([one, np.nextafter(one, 0), np.nextafter(one, 1), 1e-30, 1e-9, 2e-7, 10, 1e6, 1e12], n)
        epsilon = np.where(rng.random(n) < 0.5, some, epsilon)
    if kind == "pole":
        gap = 10.0 ** rng.uniform(-8, 1, n)
        lat, epsilon = 90 - gap, np.clip(2 / (np.radians(gap) * geo.EARTH_RADIUS_M), 1e-9, 10)
        words[:, 3] = (rng.normal(0, 1, n) * 2.0 ** rng.uniform(30, 58, n)).astype(np.int64).view(np.uint64)
    return lon, lat, epsilon, words


def true_draw(lon, lat, epsilon, uniforms, near):
    """Angle travelled, east and north in cells, of uniforms that are exactly these numbers; 400 bits."""
    bits = 400
    u = [Ball.exact(one, bits) for one in uniforms]
    one = Ball.exact(1, bits)
    angle = (
        -(u[0] * u[1]).log() / rate_ball(epsilon, bits) if near else Ball.atan2(u[0].sqrt(), (one - u[0]).sqrt()) * 2
    )
    sp, cp = (Ball.exact(Fraction(lat) / 180, bits) * Ball.pi(bits)).sin_cos()
    (sd, cd), (sb, cb) = angle.sin_cos(), (u[3] * 2 * Ball.pi(bits)).sin_cos()
    out, east, north = cp * cd - sp * sd * cb, sd * sb, sp * cd + cp * sd * cb
    y = Ball.atan2(north, (out * out + east * east).sqrt()) * HALF_TURN / Ball.pi(bits)
    return angle, Ball.exact(Fraction(lon) * 10**7, bits) + Ball.atan2(east, out) * HALF_TURN / Ball.pi(bits), y


@each("kind", ["random", "edges", "pole"])
def test_destinations_lie_within_their_bounds(kind):
    """The uniforms' further bits are at an end of what the words leave, where the middle is wrong by most."""
    ratio = np.zeros(2)
    compared = 0
    for i, (lon, lat, epsilon, words) in enumerate(zip(*draws(kind, 1500, 4), strict=True)):
        near, rate = epsilon * geo.EARTH_RADIUS_M > 1, epsilon * geo.EARTH_RADIUS_M
        kept, sd, cd, off = (
            called(certified.near_angle)(rate, *words[:3])
            if near
            else called(certified.far_angle)(rate, words[0], words[2])
        )
        if kept != certified.DONE:
            continue
        x, y, off_x, off_y = called(certified.destination)(lon, lat, sd, cd, words[3], off)
        shift = 2**11 if i % 2 else 2**12 - 2  # the middle of the 52 bits, or nearly their end
        uniforms = [Fraction((int(word) >> 12 << 12) + shift, 2**64) for word in words[:3]]
        angle, east, north = true_draw(lon, lat, epsilon, [*uniforms, Fraction(2 * int(words[3]) + 1, 2**65)], near)
        assert abs(float(angle.sin_cos()[0] - Ball.exact(sd, 400))) <= off + SINCOS * U
        if off_x < 0.5:  # otherwise it is undecided, whatever the error
            errors = abs(float(east - Ball.exact(x, 400))), abs(float(north - Ball.exact(y, 400)))
            wrapped = min(errors[0], abs(errors[0] - 2 * HALF_TURN)), errors[1]
            ratio = np.maximum(ratio, np.array(wrapped) / (off_x, off_y))
            compared += 1
    assert compared > 300
    assert (ratio < 0.85).all()
    assert (ratio > 0.001).all()


PI_50 = "3.14159265358979323846264338327950288419716939937510"
precisions = st.sampled_from([64, 97, 160, 224, 352, 1000])
fractions = st.tuples(st.floats(-4, 4), st.integers(0, 60)).map(lambda pair: Fraction(pair[0]) / 2 ** pair[1])
positive = st.tuples(st.floats(0.5, 1), st.integers(-40, 20)).map(
    lambda pair: Fraction(pair[0]) * Fraction(2) ** pair[1]
)


def decimal(value):
    return Decimal(value.numerator) / Decimal(value.denominator)


def holds(ball, value):
    """Whether ``value``, known to 50 digits more than the ball, is a member."""
    return abs(value * 2**ball.bits - ball.mid) <= ball.rad


def digits(bits):
    return localcontext(prec=bits * 302 // 1000 + 60)


def series(term, k, x):
    """``term`` and all that follow, each −x²/(k + 1)(k + 2) times the one before."""
    total = Decimal(0)
    while abs(term) > Decimal(10) ** -getcontext().prec:
        total += term
        term *= -x * x / ((k + 1) * (k + 2))
        k += 2
    return total


def sine(x):
    return series(x, 1, x)


def cosine(x):
    return series(Decimal(1), 0, x)


def spread(value, bits, units):
    """A ball that holds ``value`` at its upper edge, so that a bound that is too small shows."""
    exact = Ball.exact(value, bits)
    return Ball(exact.mid - units, exact.rad + units, bits)


class TestEachOperation:
    @given(fractions, fractions, precisions, st.integers(0, 1000), st.integers(0, 1000))
    def test_of_arithmetic_holds_the_exact_result(self, a, b, bits, i, j):
        x, y = spread(a, bits, i), spread(b, bits, j)
        assert (x + y).contains(a + b)
        assert (x - y).contains(a - b)
        assert (-x).contains(-a)
        assert (x * y).contains(a * b)
        assert (x * 7).contains(a * 7)
        try:
            assert (x / y).contains(a / b)
        except Undecided:
            assert abs(y.mid) <= y.rad

    @given(positive, precisions, st.integers(0, 1000))
    def test_root_and_logarithm_hold_the_exact_result(self, a, bits, units):
        x = spread(a, bits, units)
        with digits(bits):
            try:
                assert holds(x.sqrt(), decimal(a).sqrt())
                assert holds(x.log(), decimal(a).ln())
            except Undecided:
                assert x.mid <= x.rad

    @given(fractions, precisions, st.integers(0, 1000))
    def test_exponential_sine_and_cosine_hold_the_exact_result(self, a, bits, units):
        x = spread(a * 8, bits, units)
        with digits(bits):
            assert holds(x.exp(), decimal(a * 8).exp())
            for ball, value in zip(x.sin_cos(), (sine(decimal(a * 8)), cosine(decimal(a * 8))), strict=True):
                assert holds(ball, value)

    @given(fractions, fractions, precisions, st.integers(0, 1000), st.integers(0, 1000))
    def test_angles_hold_the_exact_result(self, a, b, bits, i, j):
        """The middle θ lies within asin(cos θ·y − sin θ·x)/f of the angle, on the side of the point."""
        y, x = spread(a, bits, i), spread(b, bits, j)
        try:
            found = Ball.atan2(y, x)
        except Undecided:
            assert x.mid**2 + y.mid**2 <= 5 * (x.rad + y.rad + 2) ** 2
            return
        with digits(bits):
            middle = decimal(Fraction(found.mid, 2**bits))
            s, c, far = sine(middle), cosine(middle), (decimal(a) ** 2 + decimal(b) ** 2).sqrt()
            off = abs(c * decimal(a) - s * decimal(b)) / far
            assert c * decimal(b) + s * decimal(a) > 0
            assert off * 2**bits <= found.rad
            assert found.rad <= 4 + Decimal("2.3") * (x.rad + y.rad + 1) / far  # and it is no wider than it states

    @each("bits", [64, 128, 160])
    def test_pi_is_pi(self, bits):
        with digits(bits):
            assert abs(Decimal(Ball.pi(bits).mid) / 2**bits - Decimal(PI_50)) < Decimal(2) ** -bits + Decimal(10) ** -49

    @each("twos", [-300, -64, -3])
    def test_an_exponential_below_the_precision_is_nearly_zero_and_never_lost(self, twos):
        ball = Ball.exact(twos, 96).exp()
        with digits(900):
            assert holds(ball, Decimal(twos).exp())
        assert ball.rad <= 3


class TestDecisions:
    @given(fractions, fractions, st.integers(0, 50), st.integers(0, 50))
    def test_a_comparison_is_right_or_undecided(self, a, b, i, j):
        try:
            assert (spread(a, 64, i) < spread(b, 64, j)) is (a < b)
        except Undecided:
            assert abs(a - b) * 2**64 <= 2 * (i + j) + 2

    @given(fractions, st.integers(0, 50))
    def test_a_cell_is_right_or_undecided(self, a, i):
        for value, cell in ((a, "floor"), (a - Fraction(1, 2), "nearest")):
            try:
                assert getattr(spread(value, 64, i), cell)() == a.__floor__()
            except Undecided:
                assert abs(a - round(a)) * 2**64 <= 2 * i + 2

    def test_what_may_not_be_is_undecided_and_never_wrong(self):
        zero = Ball(0, 1, 64)
        for operation in (zero.sqrt, zero.log, lambda: Ball.exact(1, 64) / zero, lambda: Ball.atan2(zero, zero)):
            with pytest.raises(Undecided):
                operation()
        with pytest.raises(Undecided):
            Ball(0, 1 << 64, 64).exp()
