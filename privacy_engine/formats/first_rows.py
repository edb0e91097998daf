"""The first rows of a file as they were read, for its owner: see :mod:`privacy_engine.formats.described`."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Mask

ROWS = 6
"""How many are kept; a preview keeps all that it reads."""
_LAST_S = 1e11  # of what datetime64 writes with four digits of the year, and then some
TextOf = Callable[[int], str]


def first_rows(
    number: Callable[[Any], Any], texts: Mapping[str, TextOf], keep: Mask, most: int = ROWS
) -> list[dict[str, Any]]:
    """The first rows: the number of each, and its values as texts by role, none of a row that is left out.

    ``number`` gives the numbers of indices of rows; ``texts`` give the text of a row by its index, "" for none.
    """
    numbers = number(np.arange(min(most, len(keep))))
    read = ({role: text for role, of in texts.items() if (text := of(i))} for i in range(len(numbers)))
    return [
        {"row": int(row), "read": values if is_used else {}}
        for row, values, is_used in zip(numbers, read, keep, strict=False)
    ]


def degrees(values: Floats) -> TextOf:
    """Coordinates (n,) as text."""
    return lambda i: f"{values[i]:.6f}"


def instant(time_s: Floats | None) -> TextOf:
    """Seconds since 1970 UTC (n,) as text, those that are no instant as ""; without times always ""."""

    def text(i: int) -> str:
        if time_s is None or not abs(time_s[i]) < _LAST_S:
            return ""
        return f"{np.datetime64(round(time_s[i] * 1000), 'ms')}Z".replace(".000Z", "Z")

    return text
