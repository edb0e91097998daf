"""The first rows of a file as they were read, for its owner: see :mod:`privacy_engine.formats.described`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from privacy_engine.core.arrays import Floats, Mask

if TYPE_CHECKING:
    from privacy_engine.formats.series import Points

ROWS = 5
_LAST_S = 1e11  # of what datetime64 writes with four digits of the year, and then some


def first_rows(points: Points, lon: Floats, lat: Floats, seconds: Floats | None, keep: Mask) -> list[dict[str, Any]]:
    """The first rows: the number of each, and its values as texts, none of a row that is left out."""
    found: list[dict[str, Any]] = []
    for i in range(min(ROWS, len(lon))):
        read = {"lon": f"{lon[i]:.6f}", "lat": f"{lat[i]:.6f}"}
        if seconds is not None and np.isfinite(seconds[i]) and abs(seconds[i]) < _LAST_S:
            read["time"] = f"{np.datetime64(round(seconds[i] * 1000), 'ms')}Z".replace(".000Z", "Z")
        name = points.names[0 if points.codes is None else points.codes[i]]
        read |= {"id": name[:80]} if name else {}
        found.append({"row": int(points.rows(np.array([i]))[0]), "read": read if keep[i] else {}})
    return found
