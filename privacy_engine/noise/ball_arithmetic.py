"""Real numbers known to within a bound, on Python's integers: intervals that no rounding escapes.

A ball (``mid``, ``rad``, ``bits``) is every real number within ``rad`` of ``mid``, both in units of 2**-``bits``. Each
operation widens ``rad`` by what it may lose, so that the result of real arithmetic on any members is a member of the
result. Both operands have the same ``bits``. A comparison that the balls do not decide raises :class:`Undecided`.

Series are summed with :func:`_guard` more bits than the result has: 16 + log2(bits). They have fewer than ``bits``
terms, and a term is wrong by at most 4 units of its last place, so each sum is wrong by less than a quarter of a unit.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache


class Undecided(Exception):
    """The balls are too wide for a decision; more bits of the same numbers may decide it."""


class Ball:
    """All real numbers within ``rad`` of ``mid``, in units of 2**-``bits``.

    Examples
    --------
    >>> third = Ball.exact(1, 64) / Ball.exact(3, 64)
    >>> third < Ball.exact(Fraction(1, 3) + Fraction(1, 2**60), 64), third.contains(Fraction(1, 3))
    (True, True)
    """

    __slots__ = ("bits", "mid", "rad")

    def __init__(self, mid: int, rad: int, bits: int) -> None:
        self.mid, self.rad, self.bits = mid, rad, bits

    @classmethod
    def exact(cls, value: float | Fraction, bits: int) -> Ball:
        """The ball of a rational number, a float among them; ``rad`` is 0 where it is a multiple of 2**-``bits``."""
        number = Fraction(value)
        mid, rest = divmod(number.numerator << bits, number.denominator)
        return cls(mid, 1 if rest else 0, bits)

    @classmethod
    def pi(cls, bits: int) -> Ball:
        """The ball of π."""
        return cls(_pi(bits), 1, bits)

    def contains(self, value: float | Fraction) -> bool:
        """Whether a rational number is a member."""
        return bool(abs(Fraction(value) * (1 << self.bits) - self.mid) <= self.rad)

    def __float__(self) -> float:
        """The middle, rounded."""
        return float(Fraction(self.mid, 1 << self.bits))

    def __neg__(self) -> Ball:
        return Ball(-self.mid, self.rad, self.bits)

    def __add__(self, other: Ball) -> Ball:
        return Ball(self.mid + other.mid, self.rad + other.rad, self.bits)

    def __sub__(self, other: Ball) -> Ball:
        return Ball(self.mid - other.mid, self.rad + other.rad, self.bits)

    def __mul__(self, other: Ball | int) -> Ball:
        if isinstance(other, int):
            return Ball(self.mid * other, self.rad * abs(other), self.bits)
        spread = abs(self.mid) * other.rad + abs(other.mid) * self.rad + self.rad * other.rad
        return Ball(self.mid * other.mid >> self.bits, (spread >> self.bits) + 2, self.bits)

    def __truediv__(self, other: Ball) -> Ball:
        least = abs(other.mid) - other.rad
        if least <= 0:
            raise Undecided("a divisor that may be 0")
        mid = (self.mid << self.bits) // other.mid
        spread = (self.rad << self.bits) + (abs(mid) + 1) * other.rad
        return Ball(mid, spread // least + 2, self.bits)

    def __lt__(self, other: Ball) -> bool:
        if self.mid + self.rad < other.mid - other.rad:
            return True
        if self.mid - self.rad >= other.mid + other.rad:
            return False
        raise Undecided("two balls that overlap")

    def nearest(self) -> int:
        """The integer ⌊x + ½⌋ of every member x."""
        half = 1 << self.bits - 1
        low, high = self.mid - self.rad + half >> self.bits, self.mid + self.rad + half >> self.bits
        if low != high:
            raise Undecided("a ball that holds the boundary of a cell")
        return low

    def floor(self) -> int:
        """The integer ⌊x⌋ of every member x."""
        low, high = self.mid - self.rad >> self.bits, self.mid + self.rad >> self.bits
        if low != high:
            raise Undecided("a ball that holds an integer")
        return low

    def sqrt(self) -> Ball:
        """|√x − √m| = |x − m| / (√x + √m) ≤ r / √(m − r)."""
        if self.mid <= self.rad:
            raise Undecided("a square root of what may not be positive")
        least = math.isqrt(self.mid - self.rad << self.bits)
        return Ball(math.isqrt(self.mid << self.bits), (self.rad << self.bits) // least + 2, self.bits)

    def log(self) -> Ball:
        """|ln x − ln m| ≤ r / (m − r)."""
        if self.mid <= self.rad:
            raise Undecided("a logarithm of what may not be positive")
        spread = (self.rad << self.bits) // (self.mid - self.rad)
        return Ball(_log(self.mid, self.bits), spread + 2, self.bits)

    def exp(self) -> Ball:
        """|e^x − e^m| ≤ e^m (e^r − 1) ≤ 2 r e^m for r ≤ 1."""
        if self.rad >> self.bits:
            raise Undecided("an exponent known to less than 1")
        mid = _exp(self.mid, self.bits)
        return Ball(mid, ((mid + 1) * 2 * self.rad >> self.bits) + 2, self.bits)

    def sin_cos(self) -> tuple[Ball, Ball]:
        """Sine and cosine; neither changes faster than x."""
        sine, cosine = _sin_cos(self.mid, self.bits)
        return Ball(sine, self.rad + 1, self.bits), Ball(cosine, self.rad + 1, self.bits)

    @staticmethod
    def atan2(y: Ball, x: Ball) -> Ball:
        """The angle of (x, y), modulo 2π: a point within d of a point at distance f is seen within asin(d/f) of it."""
        far, near = math.isqrt(x.mid * x.mid + y.mid * y.mid), x.rad + y.rad + 1
        if far <= 2 * near:
            raise Undecided("the angle of a point that may be the origin")
        bits = x.bits
        # asin(q) is at most 1.05 q up to a half
        return Ball(_angle(y.mid, x.mid, bits), (near << bits) * 11 // (10 * far) + 3, bits)


def _guard(bits: int) -> int:
    return 16 + bits.bit_length()


@lru_cache(maxsize=64)
def _pi(bits: int) -> int:
    """π in units of 2**-``bits``, off by less than 1; Machin's formula."""
    q = bits + _guard(bits)
    return 4 * (4 * _atan_inverse(5, q) - _atan_inverse(239, q)) >> q - bits


def _atan_inverse(n: int, q: int) -> int:
    """atan(1/n) in units of 2**-q."""
    total, power, k = 0, (1 << q) // n, 1
    while power:
        total += power // k if k & 2 == 0 else -(power // k)
        power //= n * n
        k += 2
    return total


@lru_cache(maxsize=64)
def _log2(q: int) -> int:
    """ln 2 in units of 2**-q, off by less than 1."""
    guarded = q + _guard(q)
    return 2 * _atanh((1 << guarded) // 3, guarded) >> guarded - q


def _atanh(z: int, q: int) -> int:
    """atanh of z (units of 2**-q, |z| at most 1/3)."""
    total, power, square, k = 0, z, z * z >> q, 1
    while power not in (0, -1):
        total += power // k
        power = power * square >> q
        k += 2
    return total


def _log(mid: int, bits: int) -> int:
    """ln of mid·2**-bits > 0, off by less than 1 unit: x = 2^e y with y near 1, ln y = 2 atanh((y − 1)/(y + 1))."""
    q = bits + _guard(bits)
    exponent = mid.bit_length() - bits
    up = q - bits - exponent
    y = mid << up if up >= 0 else mid >> -up  # in [1/2, 1)
    if 10 * y < 7 << q:
        y, exponent = y << 1, exponent - 1  # in [0.7, 1.4)
    z = ((y - (1 << q)) << q) // (y + (1 << q))
    return 2 * _atanh(z, q) + exponent * _log2(q) >> q - bits


def _exp(mid: int, bits: int) -> int:
    """e^(mid·2**-bits), off by less than 1 unit: ln 2 is taken out, Taylor's series of the rest/2^8, squared again."""
    q = bits + _guard(bits) + 16 + max(mid.bit_length() - bits, 0) + max(2 * mid >> bits, 0)
    x = mid << q - bits
    twos = x // _log2(q)
    x = x - twos * _log2(q) >> 8
    total, term, k = 1 << q, 1 << q, 1
    while term := (term * x >> q) // k:
        total += term
        k += 1
    for _ in range(8):
        total = total * total >> q
    down = q - bits - twos
    return total >> down if down >= 0 else total << -down


def _sin_cos(mid: int, bits: int) -> tuple[int, int]:
    """Sine and cosine of mid·2**-bits, each off by less than 1 unit."""
    extra = max(mid.bit_length() - bits, 0)
    q = bits + _guard(bits)
    quarter = _pi(q + extra + 1)  # π/2 in units of 2**-(q + extra + 2)
    x = mid << q - bits + extra + 2
    turns = (2 * x + quarter) // (2 * quarter)
    x = x - turns * quarter >> extra + 2
    sine, cosine = _series(x, x, 1, q), _series(1 << q, x, 0, q)
    sine, cosine = ((sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine))[turns & 3]
    return sine >> q - bits, cosine >> q - bits


def _series(first: int, x: int, k: int, q: int) -> int:
    """first · (1 − x²/((k + 1)(k + 2)) + …): the sine for x and k = 1, the cosine for 1 and k = 0."""
    total, term, square = 0, first, x * x >> q
    while term not in (0, -1):
        total += term
        term = -(term * square >> q) // ((k + 1) * (k + 2))
        k += 2
    return total


def _angle(y: int, x: int, bits: int) -> int:
    """The angle of (x, y), not the origin, off by less than 2 units."""
    ax, ay = abs(x), abs(y)
    angle = _atan(ay, ax, bits) if ay <= ax else (_pi(bits) >> 1) - _atan(ax, ay, bits)
    angle = _pi(bits) - angle if x < 0 else angle
    return -angle if y < 0 else angle


def _atan(y: int, x: int, bits: int) -> int:
    """atan(y/x) for 0 ≤ y ≤ x, off by less than 1 unit: the angle is halved three times, then Taylor's series."""
    q = bits + _guard(bits)
    unit, t = 1 << q, (y << q) // x
    for _ in range(3):
        t = (t << q) // (unit + math.isqrt(unit * unit + t * t))
    total, power, square, k = 0, t, t * t >> q, 1
    while power:
        total += power // k if k & 2 == 0 else -(power // k)
        power = power * square >> q
        k += 2
    return total << 3 >> q - bits
