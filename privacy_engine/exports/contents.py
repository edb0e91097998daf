"""What an exported file holds: its numbers as they are written, digit by digit, and its label."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from privacy_engine.core.arrays import Ints
from privacy_engine.errors import FormatError

NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,40})?([eE][+-]?[0-9]{1,2})?", re.ASCII)


class Unreadable(FormatError):
    """The file was not exported by Cairn, or is damaged."""

    def __init__(self, message: str) -> None:
        super().__init__(message, code="unreadable", rule="a file that Cairn exported")


class PartOfRelease(Unreadable):
    """The file holds a part of a release, which another file beside it holds whole."""


@dataclass(frozen=True, eq=False)
class Contents:
    """The numbers of a file and its label; ``off_grid`` are numbers that are no multiples.

    ``text`` is the label's line where the file has it beside the label. ``numbers`` is what the numbers are called,
    ``on_grid`` how a sentence about their grid begins.
    """

    label: Any
    off_grid: Sequence[str] = ()
    text: str | None = None

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


def whole_numbers(texts: Sequence[str]) -> tuple[Ints, list[str]]:
    """Counts as written, (n,), and those that are no whole numbers, which are rounded."""
    off_grid: list[str] = []
    numbers = []
    for text in texts:
        if not NUMBER.fullmatch(text):
            raise Unreadable(f"{text!r:.60} is not a count.")
        exact = Decimal(text)
        if exact != exact.to_integral_value():
            off_grid.append(text)
        numbers.append(int(exact.to_integral_value()))
    try:
        return np.array(numbers, dtype=np.int64), off_grid
    except OverflowError:
        raise Unreadable("A count is larger than Cairn writes.") from None
