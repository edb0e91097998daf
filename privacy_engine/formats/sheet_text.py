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


def pieces_of(sheet: Any, guard: Callable[[], AbstractContextManager[None]]) -> Iterator[bytes]:
    """A sheet as a text table in UTF-8 with commas, in pieces; each is made under ``guard``."""
    rows = texts_of(sheet)
    while True:
        with guard():
            piece = list(itertools.islice(rows, _PIECE))
        if not piece:
            return
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(piece)
        yield text.getvalue().encode("utf-8", "replace")
