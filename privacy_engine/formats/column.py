"""``Column``: what is known of a column of a table by its name and its first cells, whatever it is taken for."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from privacy_engine.formats.numbers import GOOD, number
from privacy_engine.formats.time_patterns import PATTERNS
from privacy_engine.formats.vocabulary import ZONES

INSTANT, DATE, CLOCK, NUMBER, TEXT, EMPTY = "instant", "date", "clock", "number", "text", "empty"
"""What the cells of a column are: dates with a time of day, dates, times of day, numbers, something else, nothing."""

_PATTERNS = tuple(re.compile(pattern) for pattern in PATTERNS)
_CLOCK = re.compile(
    r"(?:[01]?[0-9]|2[0-4]):[0-5]?[0-9](?::[0-6]?[0-9](?:[.,][0-9]{1,9})?)?(?: ?[AaPp]\.?[Mm]\.?)?"
    r"(?: ?(?:Z|z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2}))?"
)
_EPOCH = re.compile(r"[0-9]{9,19}(?:\.[0-9]{1,9})?")
MIDNIGHT = r"[T ]00:00(?::00(?:\.0+)?)?$"
_MIDNIGHT = re.compile(MIDNIGHT)
FIXED_ZONES = {
    f"{zone}{kind}T": f"{hours:+03d}:00"
    for zone, west in zip("ECMP", (-5, -6, -7, -8), strict=True)
    for kind, hours in (("S", west), ("D", west + 1))
}
"""The abbreviations that RFC 822 defines; others stand for several zones."""
WITH_ZONE = re.compile(
    r"(?P<t>.*[0-9AaPpMm.]) ?[(\[]?"
    rf"(?P<z>[A-Z][A-Za-z]+(?:/[A-Za-z_+-]+)+|{'|'.join((*FIXED_ZONES, *ZONES))})[)\]]?"
)
"""A time and the name of its zone."""
_SINCE_2001 = (1e9, 1e12, 1e15, 1e18)  # in s, ms, us and ns
_TO_2100 = 4.1024448
_TERM = re.compile(r"[A-Z]+(?![^\W\d_A-Z])|[A-Z]?[^\W\d_A-Z]+|[0-9]+|[^\W_]+")
_LOOKED_AT = 20
_MOST = 0.8  # of the cells: a few damaged ones do not hide what the others are


def canonical(name: str) -> str:
    """A column's name for comparing: lower case, parts joined by ``_``, without a leading comment sign.

    >>> canonical("# Latitude (deg)")
    'latitude_deg'
    """
    return re.sub(r"[^\w]+", "_", name.replace("\ufeff", "").casefold()).strip("_")


class Column:
    """A column at ``place`` (from 0) with its ``name`` and the ``cells`` of its first rows, without empty ones."""

    def __init__(self, place: int, name: str, cells: Sequence[str]) -> None:
        self.place, self.name, self._cells = place, name, cells

    @cached_property
    def cells(self) -> list[str]:
        """The cells without blanks around them."""
        return [stripped for cell in self._cells if (stripped := cell.strip())]

    @cached_property
    def plain(self) -> str:
        """The name for comparing."""
        return canonical(self.name)

    @cached_property
    def terms(self) -> frozenset[str]:
        """The terms of the name, in lower case: of ``startLat`` and of ``start_lat`` start and lat."""
        return frozenset(term.casefold() for term in _TERM.findall(self.name))

    @cached_property
    def kind(self) -> str:
        """What most of the cells are, from :data:`INSTANT` to :data:`EMPTY`."""
        if not self.cells:
            return EMPTY
        if self.mostly(_is_dated):
            return INSTANT
        if self.mostly(is_date):
            return DATE
        if self.mostly(lambda cell: _CLOCK.fullmatch(cell) is not None):
            return CLOCK
        return NUMBER if self.mostly(lambda cell: number(cell)[1] == GOOD) else TEXT

    @cached_property
    def midnights(self) -> bool:
        """Whether all cells are dates at midnight, as where the times of day stand in another column."""
        return len(self.cells) > 1 and all(_MIDNIGHT.search(cell) for cell in self.cells)

    def mostly(self, judge: Callable[[str], bool]) -> bool:
        """Whether most of the cells are so; of no cell nothing is."""
        some = self.cells[:_LOOKED_AT]
        return bool(some) and sum(map(judge, some)) >= _MOST * len(some)

    def whole(self, low: int, high: int) -> bool:
        """Whether all cells are whole numbers from ``low`` to ``high``."""
        return bool(self.cells) and all(
            re.fullmatch(r"[0-9]{1,4}(?:\.0+)?", cell) and low <= float(cell) <= high for cell in self.cells
        )

    @property
    def steps(self) -> list[int]:
        """From each cell to the next, where all are whole numbers; empty where they are not, or there is but 1."""
        if not all(cell.isascii() and cell.isdigit() and len(cell) < 19 for cell in self.cells):
            return []
        return [int(b) - int(a) for a, b in itertools.pairwise(self.cells)]

    @cached_property
    def dated(self) -> bool:
        """Whether all cells are dates with a time of day, in any form that is read."""
        return bool(self.cells) and all(map(_is_dated, self.cells))

    @cached_property
    def timed(self) -> bool:
        """Whether all cells are dates, or all are numbers of the size of instants from 2001 to 2099."""
        return bool(self.cells) and are_times(self.cells)


def columns_of(names: Sequence[str], sample: Sequence[Sequence[str]]) -> list[Column]:
    """The columns of a table by its first rows."""
    return [Column(i, name, [row[i] for row in sample if i < len(row)]) for i, name in enumerate(names)]


def are_times(cells: Iterable[str]) -> bool:
    """Whether all cells are dates, or all are numbers of the size of instants from 2001 to 2099."""
    known = list(cells)
    return all(map(is_date, known)) or all(map(_is_instant, known))


def _is_dated(cell: str) -> bool:
    if (zoned := WITH_ZONE.fullmatch(cell)) is not None:
        cell = zoned["t"]
    for pattern in _PATTERNS:
        match = pattern.match(cell)
        if match is not None:
            return bool(match["h"])
    return False


def is_date(cell: str) -> bool:
    """Whether a cell is a date, with or without a time of day, in any form that is read."""
    return any(pattern.match(cell) for pattern in _PATTERNS)


def _is_instant(cell: str) -> bool:
    if not _EPOCH.fullmatch(cell):
        return False
    value = float(cell)
    return any(low <= value < low * _TO_2100 for low in _SINCE_2001)
