"""Positions found one by one, in formats that are no tables: collected here, settled as columns at the end."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from privacy_engine.formats.arrow import pa
from privacy_engine.formats.numbers import GOOD, MISSING, NOT_A_NUMBER, NOT_FINITE, number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.series import Points
from privacy_engine.formats.times import Times, times

LONGEST_TIME = 60


@dataclass
class Rows:
    """Positions in the order of the file: degrees or why there are none, a time, a row number, a series.

    A time is text as it stands in the file, seconds since 1970 UTC, or None; one file has either texts or seconds.
    """

    lon: list[float] = field(default_factory=list)
    lat: list[float] = field(default_factory=list)
    reason: list[int] = field(default_factory=list)
    time: list[Any] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    code: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lon)

    def add(self, lon: Any, lat: Any, time: str | float | None, row: int, series: str = "", scale: float = 1.0) -> None:
        """One position; ``lon`` and ``lat`` are numbers or texts, divided by ``scale``."""
        x, why_x = coordinate(lon, "lon")
        y, why_y = coordinate(lat, "lat")
        self.lon.append(x / scale)
        self.lat.append(y / scale)
        self.reason.append(why_y if why_x == GOOD else why_x)
        self.time.append(time[:LONGEST_TIME] if isinstance(time, str) else time)
        self.row.append(row)
        self.code.append(self.names.setdefault(series, len(self.names)))

    def belong(self, start: int, series: str) -> None:
        """The positions from the ``start``-th on are of ``series``, which became known after them."""
        if series:
            code = self.names.setdefault(series, len(self.names))
            self.code[start:] = [code] * (len(self.code) - start)

    def points(self, options: ReadOptions) -> Points:
        """All positions as columns."""
        row = np.array(self.row, dtype=np.int64)
        points = Points(
            np.array(self.lon, dtype=np.float64),
            np.array(self.lat, dtype=np.float64),
            None if options.time == "#0" else self._times(options),
            np.array(self.reason, dtype=np.uint8),
            rows=lambda index: row[index],
        )
        if options.id != "#0" and list(self.names) != [""]:
            points.names = list(self.names)
            points.codes = np.array(self.code, dtype=np.int64) if len(self.names) > 1 else None
        return points

    def _times(self, options: ReadOptions) -> Times:
        if any(isinstance(time, str) for time in self.time):
            return times(pa.array([None if time is None else str(time) for time in self.time], pa.string()), options)
        seconds = np.array([math.nan if time is None else time for time in self.time], dtype=np.float64)
        return Times(seconds, np.zeros(len(seconds), dtype=np.bool_), np.isnan(seconds))


def coordinate(value: Any, axis: str) -> tuple[float, int]:
    """A number or a text as a coordinate and ``GOOD``, or nan and the reason why not."""
    if isinstance(value, str):
        return number(value, axis)
    if value is None:
        return math.nan, MISSING
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan, NOT_A_NUMBER
    try:
        degrees = float(value)
    except OverflowError:
        return math.nan, NOT_FINITE
    return (degrees, GOOD) if math.isfinite(degrees) else (math.nan, NOT_FINITE)
