"""Points in time as text."""

from typing import Any

import numpy as np

from privacy_engine.core.arrays import Floats

FIRST_S, END_S = -62135596800, 253402300800


def instant(time_s: float) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None outside the years 1 to 9999, which calendars cannot represent.

    >>> instant(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    if not FIRST_S <= time_s < END_S:
        return None
    return instants(np.array([time_s]))[0]


def millis(time_s: Floats) -> Any:
    """Seconds (n,) as whole milliseconds."""
    return np.round(time_s * 1e3).astype(np.int64)


def instants(time_s: Floats) -> list[str]:
    """Times in ISO 8601 with Z, all with milliseconds: pandas reads a column of a single form only."""
    return [f"{text}Z" for text in np.datetime_as_string(millis(time_s).astype("M8[ms]"), unit="ms").tolist()]
