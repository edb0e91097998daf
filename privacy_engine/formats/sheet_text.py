"""The rows of a sheet of a workbook as texts, and as the bytes of a text table that are made while they are read."""

import csv
import datetime
import io
import itertools
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import Any

from privacy_engine.core.progress import reported
from privacy_engine.errors import FormatError

MAX_ROWS = 1_048_576
_PIECE = 500
_CLOCK = re.compile(r"[hs]", re.IGNORECASE)
_NOT_SHOWN = re.compile(r'"[^"]*"|\[[^\]hms]*\]|\\.')


def texts_of(sheet: Any) -> Iterator[list[str]]:
    """The cells of each row as texts, from the first row of the sheet on.

    Raises
    ------
    FormatError
        There are more rows than a sheet can have.
    """
    sheet.reset_dimensions()  # which the file states, in vain or worse
    for number, row in enumerate(reported(sheet.iter_rows(), _PIECE), start=1):
        if number > MAX_ROWS:
            rule = f"at most {MAX_ROWS} rows"
            raise FormatError(f"The sheet has more than {MAX_ROWS} rows.", code="too_large", rule=rule)
        yield [_text(cell) for cell in row]


def _text(cell: Any) -> str:
    value = cell.value
    if value is None or cell.data_type == "e":
        return ""
    if isinstance(value, str):
        return " ".join(value.splitlines()) if "\n" in value or "\r" in value else value
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, datetime.datetime):
        return value.isoformat(" ") if _CLOCK.search(_NOT_SHOWN.sub("", cell.number_format)) else _day(value)
    return str(value)


def _day(value: datetime.datetime) -> str:
    """A date whose format shows no time of day: that is left out where it is midnight."""
    return str(value.date()) if value.time() == datetime.time() else value.isoformat(" ")


class SheetText(io.RawIOBase):
    """A sheet as a file: a text table in UTF-8 with commas; ``seek(0)`` begins again."""

    def __init__(self, sheet: Any, guard: Callable[[], AbstractContextManager[None]]) -> None:
        self._sheet, self._guard = sheet, guard
        self.seek(0)

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Begin again."""
        self._rows, self._left = texts_of(self._sheet), b""
        return 0

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the bytes that come next; how many there were."""
        if not self._left:
            with self._guard():
                piece = list(itertools.islice(self._rows, _PIECE))
            text = io.StringIO()
            csv.writer(text, lineterminator="\n").writerows(piece)
            self._left = text.getvalue().encode("utf-8", "replace")
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size
