"""``Points``: the rows of a file as columns, before they are settled."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.errors import shown
from privacy_engine.formats import people
from privacy_engine.formats.landmark_column import Marks
from privacy_engine.formats.numbers import Reasons
from privacy_engine.formats.times import Times

MOST_QUOTED = 20


@dataclass
class Points:
    """Rows of a file as columns. ``rows`` turns 0-based indices into row numbers of the file.

    ``codes`` states which of ``names`` each row belongs to; None is a single series. ``labelled`` and ``e7`` are about
    the coordinates: see :func:`privacy_engine.formats.crs.placed`. ``documented``, ``hint`` and ``stated`` are about
    the time zone: see :func:`privacy_engine.formats.timezones.settle`. ``marks`` are a landmark column's cells.
    ``whose`` states whose the series are; where its kind is ``column``, ``person_codes`` states which of
    ``person_names`` each row belongs to. ``cells`` quotes the first rows that cannot be read: :func:`quoted`.
    """

    lon: Floats
    lat: Floats
    times: Times | None = None
    reasons: Reasons | None = None
    codes: Ints | None = None
    names: list[str] = field(default_factory=lambda: [""])
    rows: Callable[[NDArray[np.intp]], NDArray[Any]] = lambda index: index + 1
    labelled: bool = False
    e7: bool = False
    documented: str = ""
    hint: str = ""
    stated: str = ""
    marks: Marks | None = None
    whose: people.Whose = people.UNNAMED
    person_codes: Ints | None = None
    person_names: list[str] = field(default_factory=list)
    cells: Mapping[int, str] = field(default_factory=dict)

    def with_ends(
        self, times: Times, lon: Floats | None = None, lat: Floats | None = None, reasons: Any = None
    ) -> None:
        """Make each row two: itself, and its end at ``times``, at its own position where no other is given."""

        def paired(own: Any, end: Any = None) -> Any:
            return None if own is None else np.stack([own, own if end is None else end], axis=1).ravel()

        assert self.times is not None
        pairs = {
            name: paired(getattr(self.times, name), getattr(times, name)) for name in ("seconds", "naive", "missing")
        }
        self.times = replace(self.times, **pairs)
        self.lon, self.lat, self.reasons = (
            paired(own, end) for own, end in ((self.lon, lon), (self.lat, lat), (self.reasons, reasons))
        )
        self.codes, self.person_codes = paired(self.codes), paired(self.person_codes)
        if self.marks is not None:
            self.marks = self.marks.with_each(paired)
        rows = self.rows
        self.rows = lambda index: rows(index // 2)

    def forget(self) -> None:
        """Let go of the columns; ``rows`` and ``whose`` stay."""
        self.lon, self.lat = np.empty(0), np.empty(0)
        self.times = self.reasons = self.codes = self.marks = self.person_codes = None

    def unread(self, *columns: Any) -> None:
        """Quote ``columns``, as they stand in the file, in messages about rows without a position or a time."""
        bad = np.zeros(len(self.lon), dtype=np.bool_) if self.reasons is None else self.reasons > 0
        if self.times is not None:
            bad = bad | self.times.bad
        self.cells = {i: quoted(*(column[i] for column in columns)) for i in np.flatnonzero(bad)[:MOST_QUOTED].tolist()}


T = TypeVar("T", bound=np.generic)


def picked(column: NDArray[T] | None, index: NDArray[np.intp] | slice | None) -> NDArray[T] | None:
    """The values of a column at an index; all of them where there is none."""
    return column if column is None or index is None else column[index]


def distinct(texts: Sequence[str]) -> tuple[list[str], Ints]:
    """The different texts in their order, and for each text its place among them."""
    place = {text: i for i, text in enumerate(dict.fromkeys(texts))}
    return list(place), np.array([place[text] for text in texts], dtype=np.int64)


def quoted(*cells: Any) -> str:
    """Cells of a row as a message to the owner of the file quotes them.

    >>> quoted("47,1", None, 8)
    "'47,1', '8'"
    """
    texts = (cell.as_py() if hasattr(cell, "as_py") else cell for cell in cells)
    return ", ".join(repr(shown(str(text))[:40]) for text in texts if text is not None)
