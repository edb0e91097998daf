"""Random choices: the exponential mechanism, one-sided coins, sampling without replacement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.core.arrays import Floats, Ints, Mask
from privacy_engine.core.progress import reported
from privacy_engine.errors import ParameterError
from privacy_engine.noise.ball_arithmetic import Ball
from privacy_engine.noise.sources import RandomSource, as_source
from privacy_engine.noise.tables import Table
from privacy_engine.noise.validation import number

FLOAT_ERROR = 2.0**-36
"""More than floats lose of a weight: 1e-12 of it, if the library's exponential is right to 2**-40."""
DRAWN_LEVELS, DRAWN_UTILITIES = (1e-9, 1e9), 1e100
"""Levels, and the size of utilities and of their sensitivity, for which that holds."""
LOWEST_COIN_LEVEL, HIGHEST_COIN_LEVEL = 1e-6, 20.0
"""Of 485 million other events 1 is marked at the highest level: beyond it every mark is practically a landmark."""


def exponential_weights(utilities: ArrayLike, epsilon: float, sensitivity: float) -> Floats:
    r"""How likely the exponential mechanism chooses what, :math:`p_i \propto e^{\epsilon u_i/2\Delta}`, (m,).

    Epsilon-differentially private if no neighbour's utilities differ by more than ``sensitivity`` *and neighbours
    choose among the same options* [1]_. Rounded to floats: :func:`exponential_mechanism` draws from the exact ones.

    Parameters
    ----------
    utilities : (m,) array_like
        Finite; not empty. In the unit of ``sensitivity``.
    epsilon, sensitivity : float
        Finite and greater than 0.

    Raises
    ------
    ParameterError
        Any of them lies outside its domain.

    References
    ----------
    .. [1] McSherry, Talwar. "Mechanism Design via Differential Privacy". FOCS 2007.

    Examples
    --------
    >>> exponential_weights([0, -1, -2], epsilon=2, sensitivity=1).round(4).tolist()
    [0.6652, 0.2447, 0.09]
    """
    values, epsilon, sensitivity = _checked(utilities, epsilon, sensitivity)
    weights = _weights(values, epsilon, sensitivity)
    return np.asarray(weights / weights.sum())


def _checked(utilities: ArrayLike, epsilon: float, sensitivity: float) -> tuple[Floats, float, float]:
    epsilon, sensitivity = number(epsilon, "epsilon"), number(sensitivity, "sensitivity")
    values = np.asarray(utilities, dtype=np.float64)
    if values.ndim != 1 or not values.size or not np.isfinite(values).all():
        rule = "a one-dimensional array of at least one finite number"
        raise ParameterError.must_be("utilities", rule, str(values)[:60], got=False)
    return values, epsilon, sensitivity


def _weights(utilities: Floats, epsilon: float, sensitivity: float) -> Floats:
    """Weights whose largest is 1; what is hopelessly worse weighs 0."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(np.exp((utilities - utilities.max()) / (2 * sensitivity) * epsilon))


def exponential_mechanism(
    utilities: ArrayLike, epsilon: float, sensitivity: float, *, rng: RandomSource | np.random.Generator
) -> int:
    """The index of an option, drawn exactly with the probabilities that :func:`exponential_weights` rounds.

    Floats stand for the real numbers they are. O(m). Its arguments and errors are the same, in a smaller domain:
    ``epsilon`` from 1e-9 to 1e9, ``sensitivity`` from 1e-100 to 1e100, utilities within ±1e100.
    """
    array, epsilon, sensitivity = _checked(utilities, epsilon, sensitivity)
    number(epsilon, "epsilon", lowest=DRAWN_LEVELS[0], highest=DRAWN_LEVELS[1])
    number(sensitivity, "sensitivity", lowest=1 / DRAWN_UTILITIES, highest=DRAWN_UTILITIES)
    if np.abs(array).max() > DRAWN_UTILITIES:
        raise ParameterError.must_be("utilities", f"within ±{DRAWN_UTILITIES:g}", float(array[np.abs(array).argmax()]))
    return int(option_table(array, epsilon, sensitivity).draw(1, as_source(rng))[0])


def exponential_mechanisms(
    utilities: Floats, there: Mask, epsilon: float, sensitivity: float, *, rng: RandomSource | np.random.Generator
) -> Ints:
    """One option of each row of ``utilities`` (n, m), drawn as :func:`exponential_mechanism` does, (n,) columns.

    Only the options that are ``there`` (n, m) count, at least 1 of each row. O(n m): a row is drawn from its
    cumulative weights in floats, and from its exact table where these are too near to the uniform number drawn.
    """
    number(epsilon, "epsilon", lowest=DRAWN_LEVELS[0], highest=DRAWN_LEVELS[1])
    number(sensitivity, "sensitivity", lowest=1 / DRAWN_UTILITIES, highest=DRAWN_UTILITIES)
    values = np.where(there, utilities, -np.inf)
    best = values.max(axis=1, initial=-np.inf)
    if not np.isfinite(best).all() or (np.abs(np.where(there, utilities, 0.0)) > DRAWN_UTILITIES).any():
        raise ParameterError.must_be("utilities", f"within ±{DRAWN_UTILITIES:g}, one or more of each row", "others")
    with np.errstate(under="ignore"):
        upto = np.cumsum(np.exp((values - best[:, None]) / (2 * sensitivity) * epsilon), axis=1)
    source, off = as_source(rng), FLOAT_ERROR + (upto.shape[1] + 4) * 2.0**-52
    words = source.words(len(values))
    far = words[:, None] * 2.0**-64 - upto / upto[:, -1:]
    last = values.shape[1] - 1 - there[:, ::-1].argmax(axis=1)
    chosen = np.minimum((far > 0).sum(axis=1), last)
    near = (np.abs(far) <= off) & (np.arange(values.shape[1]) < last[:, None])
    for i in reported(np.flatnonzero(near.any(axis=1))):
        options = np.flatnonzero(there[i])
        chosen[i] = options[option_table(utilities[i][options], epsilon, sensitivity).settled(int(words[i]), source)]
    return np.asarray(chosen, dtype=np.int64)


def option_table(utilities: Floats, epsilon: float, sensitivity: float, *, bits: int = 64) -> Table:
    """The table of the exponential mechanism's options, (m,): thresholds from floats, ties by balls of every weight."""
    upto = np.cumsum(_weights(utilities, epsilon, sensitivity))
    shares, most, off = upto[:-1] / upto[-1], (1 << bits) - 1, FLOAT_ERROR + len(upto) * 2.0**-52
    low, high = (
        np.array([min(max(int(end), 0), most) for end in np.ldexp(shares + side, bits).tolist()], dtype=np.uint64)
        for side in (-off, off)
    )

    def exact(precision: int) -> Sequence[Ball]:
        best, scale = Fraction(float(utilities.max())), Fraction(epsilon) / (2 * Fraction(sensitivity))
        exponents = [(Fraction(utility) - best) * scale for utility in utilities.tolist()]
        within = precision + 8 + len(exponents).bit_length()
        sums, total = [], Ball(0, 0, within)
        for exponent in exponents:
            total += _small_exponential(exponent, within)
            sums.append(total)
        return [_narrowed(part / total, precision) for part in sums[:-1]]

    return Table(low, high, exact, bits)


def _small_exponential(exponent: Fraction, bits: int) -> Ball:
    """e^exponent for an exponent of at most 0; far below the precision it is known to be nearly 0."""
    if exponent < -bits:
        return Ball(0, 1, bits)
    return Ball.exact(exponent, bits).exp()


def _narrowed(ball: Ball, bits: int) -> Ball:
    down = ball.bits - bits
    return Ball(ball.mid >> down, (ball.rad >> down) + 2, bits)


def cover_probability(epsilon: float) -> float:
    r"""How often a regular event must pass for a landmark so that a mark reveals little: :math:`e^{-\epsilon}`.

    A landmark is always marked; a mark then moves the odds by at most :math:`e^\epsilon`. No smaller probability
    does, so no one-sided mechanism that keeps all landmarks marks fewer events [1]_. Rounded to a float, 0 above 745.

    References
    ----------
    .. [1] Kotsogiannis, Doudalis, Haney, Machanavajjhala, Mehrotra. "One-sided Differential Privacy". ICDE 2020.
    """
    return math.exp(-number(epsilon, "epsilon"))


def coin_level(epsilon: float) -> float:
    """``epsilon`` as a level of one-sided coins.

    Raises
    ------
    ParameterError
        It is not from 1e-6 to 20. Above, its coin would be right, and true so seldom that calling what it gives
        protection would mislead.
    """
    return number(epsilon, "epsilon", lowest=LOWEST_COIN_LEVEL, highest=HIGHEST_COIN_LEVEL)


def covered(n: int, epsilon: float, *, rng: RandomSource | np.random.Generator) -> Mask:
    """``n`` independent coins, (n,), each true with probability *exactly* e^-epsilon; errors: :func:`coin_level`."""
    return np.asarray(coin_table(coin_level(epsilon)).draw(n, as_source(rng)) == 0)


@lru_cache(maxsize=64)
def coin_table(epsilon: float, *, bits: int = 64) -> Table:
    """The table whose index is 0 with probability e^-epsilon, epsilon > 0 of any size, and else 1."""
    return Table.of(lambda precision: [_small_exponential(-Fraction(epsilon), precision)], bits)


def gumbel_top(log_weights: ArrayLike, count: int, *, rng: RandomSource | np.random.Generator) -> Ints:
    """``count`` indices drawn in turn without replacement, each in proportion to its weight, sorted.

    The largest of ``log_weights`` + Gumbel noise are such a sample [1]_, in O(n). ``count`` is at most how many
    weights are above 0 (``log_weights`` above -inf). In floats: for synthetic data, not for what must be private.

    References
    ----------
    .. [1] Efraimidis, Spirakis. "Weighted random sampling with a reservoir". Inf. Process. Lett. 97(5), 2006.
    """
    rng = as_source(rng)
    logs = np.asarray(log_weights, dtype=np.float64)
    if not count:
        return np.empty(0, dtype=np.int64)
    ends = np.array([0, len(logs)])
    return np.flatnonzero(gumbel_drawn(logs, np.array([count]), ends, uniform=rng.uniform(len(logs)))).astype(np.int64)


def gumbel_drawn(log_weights: Floats, counts: Ints, starts: Ints, *, uniform: Floats) -> Mask:
    """Which items (n,) are drawn as by :func:`gumbel_top`: of each of m parts ``counts`` (m,).

    Parts begin at ``starts`` (m + 1,); ``uniform`` (n,) are the random numbers.
    """
    keys = log_weights - np.log(-np.log(uniform))
    ordered, least = keys.copy(), np.full(len(counts), np.inf)
    for start, end in pairwise(starts.tolist()):
        ordered[start:end].sort()
    least[counts > 0] = ordered[(starts[1:] - counts)[counts > 0]]
    return np.asarray(keys >= np.repeat(least, np.diff(starts)))


def drawn_in_groups(group: Ints, counts: Ints, *, rng: RandomSource | np.random.Generator) -> Mask:
    """Which items are drawn if each group g gives ``counts[g]`` of its own, all alike, without replacement, (m,).

    ``group`` (m,) is the group of each item; none is given more than it has.
    """
    rng = as_source(rng)
    shuffled = np.lexsort((rng.uniform(len(group)), group))  # by group, in random order inside
    sizes = np.bincount(group, minlength=len(counts))
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    drawn = np.zeros(len(group), dtype=np.bool_)
    drawn[shuffled] = place < np.repeat(counts, sizes)
    return drawn
