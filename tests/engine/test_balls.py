"""Balls: whatever real numbers the operands stand for, the result of real arithmetic lies in the result.

The reference is :mod:`decimal` with 60 digits more than a ball has: its square root, logarithm and exponential are
correctly rounded, and sines and cosines are summed here.
"""

from decimal import Decimal, getcontext, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from privacy_engine.noise.ball_arithmetic import Ball, Undecided
from tests.cases import each
from tests.examples import examples

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
    @settings(max_examples=examples(300))
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
