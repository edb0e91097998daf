"""Random choices: the exponential mechanism, one-sided coins, sampling without replacement."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from privacy_engine.data import Floats, Ints, Mask
from privacy_engine.errors import ParameterError
from privacy_engine.noise.sources import RandomSource, as_source


def _positive(value: float, field: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{field} must be a number", field=field, rule="numeric", value=value) from error
    if not 0 < number < math.inf:
        rule = "finite and greater than 0"
        raise ParameterError(f"{field} must be {rule}, got {value}", field=field, rule=rule, value=value)
    return number


def exponential_weights(utilities: ArrayLike, epsilon: float, sensitivity: float) -> Floats:
    r"""How likely the exponential mechanism chooses what, :math:`p_i \propto e^{\epsilon u_i/2\Delta}`, (m,).

    Epsilon-differentially private if no neighbour's utilities differ by more than ``sensitivity`` *and neighbours
    choose among the same options* [1]_.

    Parameters
    ----------
    utilities : (m,) array_like
        Finite; at least one. In the unit of ``sensitivity``.
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
    epsilon, sensitivity = _positive(epsilon, "epsilon"), _positive(sensitivity, "sensitivity")
    found = np.asarray(utilities, dtype=np.float64)
    if found.ndim != 1 or not found.size or not np.isfinite(found).all():
        rule = "a one-dimensional array of at least one finite number"
        raise ParameterError(f"utilities must be {rule}", field="utilities", rule=rule, value=str(found)[:60])
    with np.errstate(over="ignore"):  # an option hopelessly worse than the best one weighs 0
        weights = np.exp((found - found.max()) / (2 * sensitivity) * epsilon)
    return np.asarray(weights / weights.sum())


def exponential_mechanism(
    utilities: ArrayLike, epsilon: float, sensitivity: float, *, rng: RandomSource | np.random.Generator
) -> int:
    """The index of one option, drawn by :func:`exponential_weights`; its arguments and errors are the same."""
    rng = as_source(rng)
    upto = np.cumsum(exponential_weights(utilities, epsilon, sensitivity))
    return int(np.searchsorted(upto, rng.uniform(1)[0] * upto[-1], side="right").clip(max=len(upto) - 1))


def cover_probability(epsilon: float) -> float:
    r"""How often a regular event must pass for a landmark so that a mark tells little: :math:`e^{-\epsilon}`.

    A landmark is always marked; a mark then moves the odds by at most :math:`e^\epsilon`. No smaller probability
    does, so no one-sided mechanism that keeps all landmarks marks fewer events [1]_.

    References
    ----------
    .. [1] Kotsogiannis, Doudalis, Haney, Machanavajjhala, Mehrotra. "One-sided Differential Privacy". ICDE 2020.
    """
    return math.exp(-_positive(epsilon, "epsilon"))


def covered(n: int, epsilon: float, *, rng: RandomSource | np.random.Generator) -> Mask:
    """``n`` independent coins, true with :func:`cover_probability`, (n,)."""
    rng = as_source(rng)
    return np.asarray(rng.uniform(n) < cover_probability(epsilon))


def gumbel_top(log_weights: ArrayLike, count: int, *, rng: RandomSource | np.random.Generator) -> Ints:
    """``count`` indices drawn one after another without replacement, each in proportion to its weight, sorted.

    The largest of ``log_weights`` + Gumbel noise are such a sample [1]_, in O(n). ``count`` is at most how many
    weights are above 0 (``log_weights`` above -inf).

    References
    ----------
    .. [1] Efraimidis, Spirakis. "Weighted random sampling with a reservoir". Inf. Process. Lett. 97(5), 2006.
    """
    rng = as_source(rng)
    logs = np.asarray(log_weights, dtype=np.float64)
    if not count:
        return np.empty(0, dtype=np.int64)
    keys = logs - np.log(-np.log(rng.uniform(len(logs))))
    return np.sort(np.argpartition(keys, len(keys) - count)[len(keys) - count :]).astype(np.int64)


def drawn_in_groups(group: Ints, counts: Ints, *, rng: RandomSource | np.random.Generator) -> Mask:
    """Which items are drawn if each group g gives ``counts[g]`` of its own, all alike, without replacement, (m,).

    ``group`` (m,) is the group of each item; none is asked for more than it has.
    """
    rng = as_source(rng)
    shuffled = np.lexsort((rng.uniform(len(group)), group))  # by group, in random order inside
    sizes = np.bincount(group, minlength=len(counts))
    place = np.arange(len(group)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    drawn = np.zeros(len(group), dtype=np.bool_)
    drawn[shuffled] = place < np.repeat(counts, sizes)
    return drawn
