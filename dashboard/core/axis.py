"""Round numbers along an axis that the server draws."""

import math


def round_below(value: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is at most ``value``, which is positive.

    >>> round_below(730.0), round_below(0.2), round_below(1999.0)
    (500.0, 0.2, 1000.0)
    """
    power = 10.0 ** math.floor(math.log10(value))
    return float(f"{max(step for step in (0.5, 1, 2, 5) if step * power <= value * (1 + 1e-9)) * power:.12g}")


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from ``low`` to ``high``, at most ``most`` of them; ``low`` alone where both are equal.

    >>> ticks(-3.0, 11.0), ticks(2.0, 2.0)
    ([0.0, 5.0, 10.0], [2.0])
    """
    if not high > low:
        return [low]
    step = 1 / round_below((most - 1) / (high - low))  # the smallest that is not too small
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{number * step:.12g}") for number in range(first, last + 1)]
