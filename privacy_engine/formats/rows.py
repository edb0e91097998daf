"""Positions read singly, in formats that are no tables: collected here, settled as columns at the end."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from privacy_engine.core.arrays import concatenated
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.numbers import GOOD, MISSING, NOT_A_NUMBER, NOT_FINITE, number
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.points import MOST_QUOTED, Points, quoted
from privacy_engine.formats.times import Times, times, zoned_instants

LONGEST_TIME = 60
MOST_ROWS = 6_000_000
_BATCH = 1 << 16  # times held as Python objects


class _TimesByRow:
    """Times of rows; batches of instants in ISO 8601 with a zone, and of seconds, are numbers already."""

    def __init__(self) -> None:
        self._last: list[Any] = []
        self._batches: list[Times | Any] = []  # settled, or an Arrow array of texts

    def append(self, time: str | float | None) -> None:
        self._last.append(time)
        if len(self._last) == _BATCH:
            self._close()

    def _close(self) -> None:
        written, self._last = self._last, []
        if any(isinstance(time, str) for time in reported(written, ROWS)):
            texts = pa.array([None if time is None else str(time) for time in written], pa.string())
            self._batches.append(zoned_instants(texts) or texts)
        elif written:
            seconds = np.array([math.nan if time is None else time for time in written], dtype=np.float64)
            self._batches.append(Times(seconds, np.zeros(len(seconds), dtype=np.bool_), np.isnan(seconds)))

    def taken(self, options: ReadOptions) -> Times:
        """All of them, after which there are none."""
        self._close()
        batches, self._batches = self._batches, []
        open_texts = [batch for batch in batches if not isinstance(batch, Times)]
        rest = times(pa.chunked_array(open_texts, pa.string()), options) if open_texts else Times.empty(0)
        parts, at = [], 0
        for batch in batches:
            size = len(batch.seconds if isinstance(batch, Times) else batch)
            parts.append(batch if isinstance(batch, Times) else rest.part(slice(at, at + size)))
            at += 0 if isinstance(batch, Times) else size
        columns: dict[str, Any] = {
            name: concatenated([getattr(part, name) for part in parts], dtype)
            for name, dtype in (("seconds", np.float64), ("naive", np.bool_), ("missing", np.bool_))
        }
        return replace(rest, **columns)


@dataclass
class Rows:
    """Positions in the order of the file: degrees or why there are none, a time, a row number, a series.

    A time is text as it stands in the file, seconds since 1970 UTC, or None; a file has either texts or seconds.
    """

    lon: array[float] = field(default_factory=lambda: array("d"))
    lat: array[float] = field(default_factory=lambda: array("d"))
    reason: array[int] = field(default_factory=lambda: array("B"))
    time: _TimesByRow = field(default_factory=_TimesByRow)
    row: array[int] = field(default_factory=lambda: array("q"))
    code: array[int] = field(default_factory=lambda: array("i"))
    names: dict[str, int] = field(default_factory=dict)
    cells: dict[int, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.lon)

    def add(self, lon: Any, lat: Any, time: str | float | None, row: int, series: str = "", scale: float = 1.0) -> None:
        """One position; ``lon`` and ``lat`` are numbers or texts, divided by ``scale``."""
        if len(self.lon) == MOST_ROWS:
            rule = f"at most {MOST_ROWS} positions"
            message = f"The file has more than {MOST_ROWS:,} positions. Split it and upload the parts."
            raise FormatError(message, code="too_large", rule=rule)
        x, why_x = coordinate(lon, "lon")
        y, why_y = coordinate(lat, "lat")
        if len(self.cells) < MOST_QUOTED or ((why_x or why_y) and len(self.cells) < 2 * MOST_QUOTED):
            self.cells[len(self.lon)] = quoted(lat, lon, time)
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
            self.code[start:] = array("i", [code]) * (len(self.code) - start)

    def points(self, options: ReadOptions) -> Points:
        """All positions as columns; once."""
        row = np.frombuffer(self.row, np.int64)
        points = Points(
            np.frombuffer(self.lon),
            np.frombuffer(self.lat),
            None if options.time == "#0" else self.time.taken(options),
            np.frombuffer(self.reason, np.uint8),
            rows=lambda index: row[index],
            cells=self.cells,
        )
        if options.id != "#0" and list(self.names) != [""]:
            points.names = list(self.names)
            points.codes = np.array(self.code, dtype=np.int64) if len(self.names) > 1 else None
        self.lon, self.lat, self.reason = array("d"), array("d"), array("B")
        self.row, self.code = array("q"), array("i")
        return points


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
