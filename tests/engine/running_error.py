"""Two ways to run a kernel's very code: with a bound of every rounding error, and as an exact power series.

:class:`Rounded` stands for a float computed from exact inputs: the interval of its value in real arithmetic, and a
bound of how far the float may lie from it. :class:`Series` is a power series with rational coefficients, to compare the
polynomial that the code evaluates with the function it stands for.
"""

import itertools
import math
from fractions import Fraction

from privacy_engine.noise.ball_arithmetic import Ball

BITS = 420
U = 2.0**-53
UP = 1 + 2.0**-30  # more than the floats of this bookkeeping lose


def magnitude(ball):
    """An upper bound of every member's absolute value."""
    return math.ldexp((abs(ball.mid) + ball.rad) >> BITS - 200, -200) + 2.0**-199


class Rounded:
    """The interval of a value in real arithmetic, and a bound of the error of the float computed for it."""

    def __init__(self, value, error=0.0):
        self.value = value if isinstance(value, Ball) else Ball.exact(value, BITS)
        self.error = error

    @classmethod
    def between(cls, low, high, error=0.0):
        """Any float of an interval."""
        middle, half = Ball.exact((low + high) / 2, BITS), Ball.exact((high - low) / 2, BITS)
        return cls(Ball(middle.mid, middle.rad + half.mid + half.rad, BITS), error)

    def _round(self, value, error):
        """Half a unit in the last place of the largest float the result may be."""
        most = (magnitude(value) + error) * UP
        return Rounded(value, (error + math.ldexp(U, math.frexp(most)[1] - 1)) * UP)

    def __add__(self, other):
        b = _rounded(other)
        return self._round(self.value + b.value, self.error + b.error)

    __radd__ = __add__

    def __neg__(self):
        return Rounded(-self.value, self.error)

    def __sub__(self, other):
        return self + -_rounded(other)

    def __rsub__(self, other):
        return _rounded(other) + -self

    def __mul__(self, other):
        b = _rounded(other)
        error = magnitude(self.value) * b.error + magnitude(b.value) * self.error + self.error * b.error
        product = self.value * b.value
        if isinstance(other, float) and math.frexp(other)[0] == 0.5:  # a power of two rounds nothing
            return Rounded(product, error * UP)
        return self._round(product, error)

    __rmul__ = __mul__

    def __truediv__(self, other):
        quotient = self.value / other.value
        least = math.ldexp((abs(other.value.mid) - other.value.rad) >> BITS - 200, -200) - other.error
        assert least > 0
        return self._round(quotient, (self.error + magnitude(quotient) * other.error) / least * UP)

    def __float__(self):
        raise TypeError("a value with a bound is no float")


def _rounded(value):
    return value if isinstance(value, Rounded) else Rounded(value)


class Series:
    """The first coefficients of a power series in one variable."""

    def __init__(self, coefficients):
        self.c = [Fraction(one) for one in coefficients]

    def _both(self, other):
        b = other.c if isinstance(other, Series) else [Fraction(other)]
        return self.c, b + [Fraction(0)] * (len(self.c) - len(b))

    def __add__(self, other):
        return Series([a + b for a, b in zip(*self._both(other), strict=True)])

    __radd__ = __add__

    def __neg__(self):
        return Series([-a for a in self.c])

    def __sub__(self, other):
        return self + -(other if isinstance(other, Series) else Series([other] + [0] * (len(self.c) - 1)))

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        a, b = self._both(other)
        return Series([sum((a[i] * b[k - i] for i in range(k + 1)), Fraction(0)) for k in range(len(a))])

    __rmul__ = __mul__

    def __truediv__(self, other):
        found = []
        for k in range(len(self.c)):
            rest = self.c[k] - sum((found[i] * other.c[k - i] for i in range(k)), Fraction(0))
            found.append(rest / other.c[0])
        return Series(found)


def most_on(coefficients, low, high, pieces):
    """An upper bound of a polynomial's absolute value on an interval: Taylor's formula about each piece's middle."""
    ends = [low + (high - low) * j / pieces for j in range(pieces + 1)]
    unit = math.lcm(*(2 * end.denominator for end in ends))  # of x, so that all below are integers
    scale, degree = math.lcm(*(c.denominator for c in coefficients)), len(coefficients) - 1
    whole = [int(c * scale) * unit ** (degree - k) for k, c in enumerate(coefficients)]
    worst = 0
    for a, b in itertools.pairwise(int(end * unit) for end in ends):
        shifted, middle, half = list(whole), (a + b) // 2, (b - a) // 2
        for start in range(degree):  # Horner's scheme, again and again
            for k in range(degree - 1, start - 1, -1):
                shifted[k] += middle * shifted[k + 1]
        worst = max(worst, sum(abs(c) * half**k for k, c in enumerate(shifted)))
    return float(Fraction(worst, scale * unit**degree)) * UP


def dyadic(high, halvings, parts):
    """(high/2, high], (high/4, high/2], … each in so many parts."""
    found = []
    for j in range(halvings):
        top = Fraction(high) / 2**j
        found += [(top / 2 * (1 + Fraction(i, parts)), top / 2 * (1 + Fraction(i + 1, parts))) for i in range(parts)]
    return found


def worst(bound, pieces):
    """The largest ``bound(low, high)``, in units of U."""
    return max(bound(low, high) for low, high in pieces) / U
