"""A data frame of three fixes, which tests write by other tools; apart from the small files, as it needs pandas."""

from functools import cache

from tests.engine.format_samples import shows
from tests.later import pandas as pd

FIX = 1718452800


@cache
def fixes():
    """Copied by whoever changes it."""
    times = pd.to_datetime([FIX, FIX + 60, FIX + 120], unit="s", utc=True)
    lon, lat = [13.4, 13.5, -70.25], [52.5, 52.6, -33.5]
    return pd.DataFrame({"user": ["a", "a", "b"], "time": times, "lon": lon, "lat": lat})


def matches_frame(data, name, fmt, **given):
    """The file reads as the frame: points, times and people."""
    lon, lat = (fixes()[axis].tolist() for axis in ("lon", "lat"))
    times, people = [FIX, FIX + 60, FIX + 120], [("a", "a"), ("b", "b")]
    return shows(data, name, given=given, format=fmt, people=people, lon=lon, lat=lat, seconds=times, dropped={})
