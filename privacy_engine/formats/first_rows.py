"""The first rows of a file as they were read, for its owner: see :mod:`privacy_engine.formats.described`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats, Ints, Mask

ROWS = 6
"""How many are kept; a preview keeps all that it reads."""
_LAST_S = 1e11  # of what datetime64 writes with four digits of the year, and then some


def first_rows(
    number: Callable[[Any], Any],
    names: Sequence[str],
    codes: Ints | None,
    lon: Floats,
    lat: Floats,
    time_s: Floats | None,
    keep: Mask,
    most: int = ROWS,
) -> list[dict[str, Any]]:
    """The first rows: the number of each, and its values as texts, none of a row that is left out.

    ``number`` gives the numbers of indices of rows; ``codes`` (n,) are their places in ``names``, of one series None.
    """
    found: list[dict[str, Any]] = []
    numbers = number(np.arange(min(most, len(lon))))
    for i in range(len(numbers)):
        read = {"lon": f"{lon[i]:.6f}", "lat": f"{lat[i]:.6f}"}
        if time_s is not None and np.isfinite(time_s[i]) and abs(time_s[i]) < _LAST_S:
            read["time"] = f"{np.datetime64(round(time_s[i] * 1000), 'ms')}Z".replace(".000Z", "Z")
        name = names[0 if codes is None else codes[i]][:80]
        read |= {"id": name} if name else {}
        found.append({"row": int(numbers[i]), "read": read if keep[i] else {}})
    return found
