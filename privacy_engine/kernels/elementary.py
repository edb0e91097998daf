r"""Logarithm, sine, cosine and arc tangent from additions, multiplications, divisions and square roots alone.

IEEE 754 defines how these are rounded, but not for the functions of a mathematics library, and numpy's change with the
processor. Without branches, so that a loop over them is vectorised. The polynomials are fdlibm's [1]_.

References
----------
.. [1] Sun Microsystems, "fdlibm" 5.3: e_log.c, k_sin.c, k_cos.c, s_atan.c.
.. [2] Goldberg. "What every computer scientist should know about floating-point arithmetic", theorem 4. ACM CSUR 1991.
"""

import math

import numpy as np

from privacy_engine.kernels import inlined

WHOLE = np.uint64(0x4330_0000_0000_0000)  # 2**52: its last bits count ones
MANTISSA = np.uint64(0x000F_FFFF_FFFF_FFFF)
ROOT_HALF = np.uint64(0x3FE6_A09E_0000_0000)
TO_ONE = np.uint64(0x3FF0_0000_0000_0000 - 0x3FE6_A09E_0000_0000)
EXPONENT = np.uint64(52)
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
HALF_PI_HIGH, HALF_PI_LOW = 1.57079632673412561417e00, 6.07710050650619224932e-11  # 33 bits, and the next 53
PER_HALF_PI = 6.36619772367581382433e-01
ROUNDER = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to a whole number
HALF_PI, QUARTER_PI = math.pi / 2, math.pi / 4
ONE, SIGN, TO_SIGN = np.uint64(1), np.uint64(1 << 63), np.uint64(62)
QUARTER_BITS, QUARTER_MASK, EIGHTH = np.uint64(30), np.uint64(2**30 - 1), np.uint64(2**29)
EIGHTH_LESS_HALF, PER_QUARTER = 2.0**29 - 0.5, math.pi * 2.0**-31
TAN_PI_8 = 0.41421356237309503


@inlined
def to_float(bits: np.uint64) -> float:
    """A whole number below 2**52 as a float."""
    return float(np.uint64(bits | WHOLE).view(np.float64) - 4503599627370496.0)


@inlined
def halfway(bits: np.uint64) -> float:
    """A whole number below 2**51 and a half, as a float."""
    return float(np.uint64(bits | WHOLE).view(np.float64) - 4503599627370495.5)


@inlined
def log(x: float) -> float:
    """Natural logarithm of a normal number greater than 0."""
    bits = np.float64(x).view(np.uint64) + TO_ONE
    k = to_float(bits >> EXPONENT) - 1023.0
    return log_of_parts(k, np.uint64((bits & MANTISSA) + ROOT_HALF).view(np.float64) - 1.0)


@inlined
def log_of_parts(k: float, f: float) -> float:
    """k ln 2 + ln(1 + f), for a whole k and 1 + f between the roots of 1/2 and 2."""
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    odd = 1.818357216161805012e-01 + w * 1.479819860511658591e-01
    odd = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 + w * odd))
    half = 0.5 * f * f
    return k * LN2_HIGH - ((half - (s * (half + (even + odd)) + k * LN2_LOW)) - f)


@inlined
def octant(r: float) -> tuple[float, float]:
    """Sine and cosine for -pi/4 <= r <= pi/4."""
    z = r * r
    s = -1.98412698298579493134e-04 + z * (
        2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)
    )
    s = r + r * z * (-1.66666666666666324348e-01 + z * (8.33333333332248946124e-03 + z * s))
    c = 2.48015872894767294178e-05 + z * (
        -2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11)
    )
    c = z * z * (4.16666666666666019037e-02 + z * (-1.38888888888741095749e-03 + z * c))
    half = 0.5 * z
    first = 1.0 - half
    c = first + (((1.0 - first) - half) + c)
    return s, c


@inlined
def direction(word: np.uint64) -> tuple[float, float]:
    """Sine and cosine of (``word`` + 1/2) / 2**32 turns: :func:`sincos` where the quarter is read off the word."""
    shifted = word + EIGHTH
    s, c = octant((to_float(shifted & QUARTER_MASK) - EIGHTH_LESS_HALF) * PER_QUARTER)
    quarter = shifted >> QUARTER_BITS  # 0 to 4
    odd = quarter & ONE == ONE
    sine = np.float64(c if odd else s).view(np.uint64) ^ ((quarter << TO_SIGN) & SIGN)
    cosine = np.float64(s if odd else c).view(np.uint64) ^ (((quarter + ONE) << TO_SIGN) & SIGN)
    return np.uint64(sine).view(np.float64), np.uint64(cosine).view(np.float64)


@inlined
def sincos(x: float) -> tuple[float, float]:
    """Sine and cosine for -10 <= x <= 10."""
    turns = (x * PER_HALF_PI + ROUNDER) - ROUNDER
    r = (x - turns * HALF_PI_HIGH) - turns * HALF_PI_LOW
    s, c = octant(r)
    over = turns - 4.0 * ((turns * 0.25 + ROUNDER) - ROUNDER)  # -2, -1, 0, 1 or 2 quarters
    odd = over == 1.0 or over == -1.0
    sine, cosine = (c if odd else s), (s if odd else c)
    return (-sine if over == 2.0 or over < 0.0 else sine), (-cosine if over == 1.0 or abs(over) == 2.0 else cosine)


@inlined
def arctan2(y: float, x: float) -> float:
    """The angle of the point (x, y), from -pi to pi; 0 for the origin."""
    ax, ay = abs(x), abs(y)
    steep = ay > ax
    low, high = (ax if steep else ay), (ay if steep else ax)
    large = low > TAN_PI_8 * high
    below = (low + high) if large else high
    angle = small_arctan(((low - high) if large else low) / (below if below > 0.0 else 1.0))
    angle = QUARTER_PI + angle if large else angle
    angle = HALF_PI - angle if steep else angle
    angle = math.pi - angle if x < 0.0 else angle
    return -angle if y < 0.0 else angle


@inlined
def small_arctan(t: float) -> float:
    """Arc tangent for -tan(pi/8) <= t <= tan(pi/8)."""
    z = t * t
    w = z * z
    even = 4.97687799461593236017e-02 + w * 1.62858201153657823623e-02
    even = 9.09088713343650656196e-02 + w * (6.66107313738753120669e-02 + w * even)
    even = z * (3.33333333333329318027e-01 + w * (1.42857142725034663711e-01 + w * even))
    odd = -5.83357013379057348645e-02 - w * 3.65315727442169155270e-02
    odd = w * (
        -1.99999999998764832476e-01 + w * (-1.11111104054623557880e-01 + w * (-7.69187620504482999495e-02 + w * odd))
    )
    return t - t * (even + odd)


@inlined
def log1p(x: float) -> float:
    """Logarithm of 1 + x for 0 <= x < 2**1023, to three ulps: what 1 + x loses of x is lost in both factors [2]_."""
    whole = 1.0 + x
    kept = whole - 1.0
    value = log(whole) * (x / (kept if kept > 0.0 else 1.0))
    return value if kept > 0.0 else x
