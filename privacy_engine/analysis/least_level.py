"""The least ε at which a figure of a forecast is accepted, where the figure is simulated and nearly falls with ε."""

from collections.abc import Callable

LEAST, MOST = 1e-3, 1e4
"""The least and the greatest ε that are tried: the domain of the parameter."""
DIGITS = tuple(round(1 + step / 10, 1) for step in range(90))
"""Of an answer: two."""
LEVELS = (*(float(f"{digit:g}e{power}") for power in range(-3, 4) for digit in DIGITS), MOST)


def least_level(
    is_accepted: Callable[[float], bool], confirmed: Callable[[float], bool] | None = None, *, start: float = 1.0
) -> float | None:
    """Return the least ε of two digits for which ``is_accepted``; None where it is not even for :data:`MOST`.

    What is accepted at one ε is taken to be accepted at greater ones. ``confirmed`` is a check of greater precision:
    the answer is raised, digit by digit, until it holds.

    >>> least_level(lambda epsilon: 20 / epsilon <= 13), least_level(lambda epsilon: False)
    (1.6, None)
    """
    last = len(LEVELS) - 1
    low, high = -1, min(range(last + 1), key=lambda i: abs(LEVELS[i] - start))
    step = 54  # of LEVELS: a factor of about 4
    while not is_accepted(LEVELS[high]):
        if high == last:
            return None
        low, high = high, min(high + step, last)
    while high - low > 1:
        middle = max(high - step, 0) if low < 0 and high > step else (low + high) // 2
        low, high = (low, middle) if is_accepted(LEVELS[middle]) else (middle, high)
    while confirmed and not confirmed(LEVELS[high]):
        if high == last:
            return None
        high += 1
    return LEVELS[high]
