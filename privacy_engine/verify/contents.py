"""What an exported file holds: its points as they are written, digit by digit, and its label."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from privacy_engine.data import Ints
from privacy_engine.errors import FormatError
from privacy_engine.published import CELLS_PER_DEGREE, NO_TIME, Published

_ON_GRID = re.compile(r"(-?)([0-9]{1,3})\.([0-9]{7})", re.ASCII)
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", re.ASCII)
_INSTANT = re.compile(r"-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?Z", re.ASCII)


class Unreadable(FormatError):
    """The file is not one that Cairn exported, or is damaged."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="unreadable", rule="a file that Cairn exported")


@dataclass(frozen=True, eq=False)
class Contents:
    """The points of a file, its label's line and the label itself; ``off_grid`` are numbers that are no multiples."""

    series: Sequence[Published]
    text: str
    label: Any
    off_grid: Sequence[str] = ()


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
    found = np.full(len(texts), NO_TIME)
    known = [i for i, text in enumerate(texts) if text]
    if known:
        try:
            values = np.array([str(texts[i])[:-1] for i in known], dtype="M8[ms]")
        except ValueError as error:
            raise Unreadable("A time is no instant of the calendar.") from error
        found[known] = values.astype(np.int64)
    return found
