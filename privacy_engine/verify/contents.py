"""What an exported file holds: its points as they are written, digit by digit, and its label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, ClassVar

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.published import CELLS_PER_DEGREE, NO_TIME, Published, points_digest
from privacy_engine.data.stream_release import FINEST, PER_UNIT, counts_digest
from privacy_engine.errors import FormatError
from privacy_engine.noise import GRID_DEG
from privacy_engine.recommender import Recommender, model_digest

_ON_GRID = re.compile(r"(-?)([0-9]{1,3})\.([0-9]{7})", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
_FRACTION = re.compile(r"[.eE]")
_INSTANT = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?Z", re.ASCII)


class Unreadable(FormatError):
    """The file was not exported by Cairn, or is damaged."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="unreadable", rule="a file that Cairn exported")


@dataclass(frozen=True, eq=False)
class Contents:
    """The numbers of a file, its label's line and the label itself; ``off_grid`` are numbers that are no multiples.

    ``numbers`` is what they are called, ``on_grid`` how a sentence about their grid begins.
    """

    text: str
    label: Any
    off_grid: Sequence[str] = ()

    kind: ClassVar[str]
    numbers: ClassVar[str] = "counts"
    on_grid: ClassVar[str] = "every count is one of"

    @property
    def grid_text(self) -> str:
        """Which numbers the file can hold, as text."""
        return "whole numbers"

    @property
    def size(self) -> str:
        """How much the file holds, as text."""
        raise NotImplementedError

    def digest(self) -> str:
        """SHA-256 of what is published."""
        raise NotImplementedError

    def wrong_grid(self) -> str:
        """What is wrong with the grid that the label declares; empty where nothing is."""
        return ""


@dataclass(frozen=True, eq=False)
class PointContents(Contents):
    """The points of a file of trajectories."""

    series: Sequence[Published] = ()

    kind: ClassVar[str] = "trajectory"
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


@dataclass(frozen=True, eq=False)
class CountContents(Contents):
    """The counts (T, d) of a file of a stream, with their names, labels and header of labels."""

    time_name: str = "time"
    names: Sequence[str] = ()
    labels: Sequence[str] = ()
    counts: Ints | Floats = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    kind: ClassVar[str] = "stream"

    @property
    def grid_text(self) -> str:
        return super().grid_text if self.counts.dtype == np.int64 else f"multiples of {1 / PER_UNIT:g}"

    @property
    def size(self) -> str:
        return f"{len(self.labels):,} timestamps of {len(self.names):,} names"

    def digest(self) -> str:
        return counts_digest(self.names, self.labels, self.counts, self.time_name)


@dataclass(frozen=True, eq=False)
class ModelContents(Contents):
    """The model of a file of check-ins."""

    model: Recommender | None = None

    kind: ClassVar[str] = "checkins"

    @property
    def size(self) -> str:
        return f"{0 if self.model is None else len(self.model):,} cells"

    def digest(self) -> str:
        return "" if self.model is None else model_digest(self.model)


def whole_numbers(texts: Sequence[str]) -> tuple[Ints, list[str]]:
    """Counts as written, (n,), and those that are no whole numbers, which are rounded."""
    off_grid: list[str] = []
    numbers = []
    for text in texts:
        if not _NUMBER.fullmatch(text):
            raise Unreadable(f"{text!r:.60} is not a count.")
        exact = Decimal(text)
        if exact != exact.to_integral_value():
            off_grid.append(text)
        numbers.append(int(exact.to_integral_value()))
    try:
        return np.array(numbers, dtype=np.int64), off_grid
    except OverflowError:
        raise Unreadable("A count is larger than Cairn writes.") from None


def written_counts(texts: Sequence[str]) -> tuple[Ints | Floats, list[str]]:
    """Counts of a stream as written, (n,), and those that are off their grid.

    They are estimates, multiples of 0.001, where every text has a decimal point or an exponent, else whole numbers.
    """
    if not texts or not all(_FRACTION.search(text) for text in texts):
        return whole_numbers(texts)
    off_grid = []
    for text in texts:
        if not _NUMBER.fullmatch(text):
            raise Unreadable(f"{text!r:.60} is not a count.")
        exact = Decimal(text) * (PER_UNIT if abs(Decimal(text)) < FINEST else 1)
        if exact != exact.to_integral_value():
            off_grid.append(text)
    return np.array([float(text) for text in texts]), off_grid


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
        if not _NUMBER.fullmatch(text):
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


def instants(texts: Sequence[str | None]) -> Ints:
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
