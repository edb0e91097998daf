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

    What is accepted at an ε is taken to be accepted at greater ones. ``confirmed`` is a check of greater precision:
    where it fails, the answer is the least level above for which it holds, searched by steps that double.

    >>> least_level(lambda epsilon: 20 / epsilon <= 13), least_level(lambda epsilon: False)
    (1.6, None)
    """
    first = min(range(len(LEVELS)), key=lambda i: abs(LEVELS[i] - start))
    index = _least(is_accepted, -1, first, 54)  # steps of a factor of about 4
    if index is not None and confirmed:
        index = _least(confirmed, index - 1, index, 1)
    return None if index is None else LEVELS[index]


def _least(is_accepted: Callable[[float], bool], low: int, high: int, step: int) -> int | None:
    """Return the place of the least of :data:`LEVELS` above ``low`` that is accepted, tried from ``high`` on."""
    last = len(LEVELS) - 1
    while not is_accepted(LEVELS[high]):
        if high == last:
            return None
        low, high, step = high, min(high + step, last), 2 * step
    while high - low > 1:
        middle = max(high - step, 0) if low < 0 and high > step else (low + high) // 2
        low, high = (low, middle) if is_accepted(LEVELS[middle]) else (middle, high)
    return high
