"""Whether the cells of a column are times, by looking at a few of them: for columns with other names than usual."""

import math
import re
from collections.abc import Iterable

from privacy_engine.formats.month_names import parse_month_name
from privacy_engine.formats.times import PATTERNS

_PATTERNS = tuple(re.compile(pattern) for pattern in PATTERNS)
_NUMBER = re.compile(r"[0-9]{9,19}(?:\.[0-9]{1,9})?")
_SINCE_2001 = (1e9, 1e12, 1e15, 1e18)  # in s, ms, us and ns
_TO_2100 = 4.1024448


def are_dated(cells: Iterable[str]) -> bool:
    """Whether all cells are dates with a time of day, in any form that is read."""
    return all(_is_dated(cell) for cell in cells)


def are_times(cells: Iterable[str]) -> bool:
    """Whether all cells are dates, or all are numbers of the size of instants from 2001 to 2099."""
    known = list(cells)
    return all(map(_is_date, known)) or all(map(_is_instant, known))


def _is_dated(cell: str) -> bool:
    for pattern in _PATTERNS:
        match = pattern.match(cell)
        if match is not None:
            return bool(match["h"])
    return ":" in cell and _names_month(cell)


def _is_date(cell: str) -> bool:
    return any(pattern.match(cell) for pattern in _PATTERNS) or _names_month(cell)


def _names_month(cell: str) -> bool:
    return math.isfinite(parse_month_name(cell)[0])


def _is_instant(cell: str) -> bool:
    if not _NUMBER.fullmatch(cell):
        return False
    number = float(cell)
    return any(low <= number < low * _TO_2100 for low in _SINCE_2001)
