"""Published series as files have them: their points digit by digit."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from itertools import groupby
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.data import Trajectory
from privacy_engine.data.points_digest import CELLS_PER_DEGREE, NO_TIME, SeriesOnGrid, plain_name, points_digest
from privacy_engine.exports.contents import NUMBER, Contents, Unreadable
from privacy_engine.noise import GRID_DEG

_ON_GRID = re.compile(r"(-?)([0-9]{1,3})\.([0-9]{7})", re.ASCII)
_INSTANT = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?Z", re.ASCII)
Row = tuple[str, str, str, str, str]
"""Series, person, time, longitude, latitude."""


@dataclass(frozen=True, eq=False)
class PointContents(Contents):
    """The points of a file of trajectories."""

    series: Sequence[SeriesOnGrid] = ()

    kind: ClassVar[str] = Trajectory.kind
    numbers: ClassVar[str] = "points"
    on_grid: ClassVar[str] = "every position is a"

    @property
    def grid_text(self) -> str:
        return f"multiples of {GRID_DEG:g} degrees"

    @property
    def size(self) -> str:
        return f"{sum(len(track.lon) for track in self.series):,} points"

    def digest(self) -> str:
        return points_digest(self.series)

    def wrong_grid(self) -> str:
        grid = self.label.get("grid_degrees") if isinstance(self.label, dict) else None
        return "" if grid == GRID_DEG else f"the declared grid must be {GRID_DEG:g} degrees, got {grid!s:.40}"


class Columns:
    """The points of a file while it is read: whole numbers, and the numbers that lie off the grid."""

    def __init__(self) -> None:
        self.off_grid: list[str] = []

    def cells(self, texts: Sequence[str]) -> Ints:
        """Degrees as written, as multiples of 1e-7; those off the grid are rounded and listed."""
        return np.array([self._cell(text) for text in texts], dtype=np.int64)

    def _cell(self, text: str) -> int:
        if match := _ON_GRID.fullmatch(text):
            cell = int(match[2]) * CELLS_PER_DEGREE + int(match[3])
            return self._within(-cell if match[1] else cell, text)
        if not NUMBER.fullmatch(text):
            raise Unreadable(f"{text!r:.60} is not a number of degrees.")
        try:
            exact = Decimal(text) * CELLS_PER_DEGREE
            whole = int(exact.to_integral_value())
        except InvalidOperation:
            raise Unreadable(f"{text!r:.60} is not a number of degrees.") from None
        if exact != whole:
            self.off_grid.append(text)
        return self._within(whole, text)

    def _within(self, cell: int, text: str) -> int:
        if abs(cell) > 180 * CELLS_PER_DEGREE:
            raise Unreadable(f"{text:.60} degrees are outside -180 to 180.")
        return cell


def points(rows: Iterable[Row], label: Any, text: str | None = None) -> PointContents:
    """The points of a table, each a row, beside its label."""
    columns = Columns()
    series = series_of(rows, columns)
    return PointContents(label, columns.off_grid, text, series)


def series_of(rows: Iterable[Row], columns: Columns) -> list[SeriesOnGrid]:
    """Successive rows of the same series and person as a published series each."""
    series = []
    for (name, person), group in groupby(rows, key=itemgetter(0, 1)):
        _, _, times, lon, lat = zip(*group, strict=True)
        cells = columns.cells(lon), columns.cells(lat)
        series.append(SeriesOnGrid(plain_name(name), *cells, read_instants(times), plain_name(person)))
    return series


def read_instants(texts: Sequence[str | None]) -> Ints:
    """Instants as written, in milliseconds; an empty text is none."""
    wrong = next((text for text in texts if text and not _INSTANT.fullmatch(text)), None)
    if wrong is not None:
        raise Unreadable(f"{wrong!r:.60} is not an instant as Cairn writes them.")
    times = np.full(len(texts), NO_TIME)
    known = [i for i, text in enumerate(texts) if text]
    if known:
        try:
            values = np.array([str(texts[i])[:-1] for i in known], dtype="M8[ms]")
        except ValueError as error:
            raise Unreadable("A time is no instant of the calendar.") from error
        times[known] = values.astype(np.int64)
    return times
