"""A level in plain quantities: how often the best guess between two places is right."""

import math

from privacy_engine.errors import ParameterError

LEAST, MOST = 0.51, 0.99
"""Shares that a level can be computed for: half is no information, and 1 no protection."""
DIGITS = 3


def best_guess(epsilon: float) -> float:
    """Return how likely the best guess between two equally likely inputs is right at most, if their odds differ by e^ε.

    It is e^ε / (1 + e^ε): the largest sum of a true positive rate and a true negative rate, halved, under pure ε [1]_.

    References
    ----------
    .. [1] Kairouz, Oh, Viswanath. "The Composition Theorem for Differential Privacy". IEEE Transactions on Information
       Theory 2017.

    >>> round(best_guess(1.0), 4), best_guess(10_000.0)
    (0.7311, 1.0)
    """
    return 1 / (1 + math.exp(-epsilon))


def level_of_guess(guess: float) -> float:
    """Return the ε at which the best guess is right with at most ``guess``: three digits, never rounded up.

    Raises
    ------
    ParameterError
        ``guess`` is not from 0.51 to 0.99.

    >>> level_of_guess(0.75), level_of_guess(0.9)
    (1.09, 2.19)
    """
    if not LEAST <= guess <= MOST:
        raise ParameterError.must_be("guess", f"from {LEAST:g} to {MOST:g}", guess, got=f"{guess:g}")
    epsilon = math.log(guess / (1 - guess))
    places = DIGITS - 1 - math.floor(math.log10(epsilon))
    return round(math.floor(epsilon * 10.0**places * (1 + 1e-12)) / 10.0**places, places)
