"""Points in time as text."""

import numpy as np

FIRST_S, END_S = -62135596800, 253402300800


def instant(time_s: float) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None outside the years 1 to 9999, which calendars cannot represent.

    >>> instant(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    if not FIRST_S <= time_s < END_S:
        return None
    return f"{np.datetime_as_string(np.datetime64(round(time_s * 1000), 'ms'), unit='ms')}Z"
