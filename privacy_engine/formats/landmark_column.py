"""A column that states for each row whether it is a landmark: true or false, 1 or 0, yes or no; an empty cell is no."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from privacy_engine.core.arrays import Mask
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.numbers import EMPTY_TEXTS
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report

YES, NO = frozenset({"true", "1", "yes"}), frozenset({"false", "0", "no"})


@dataclass
class Marks:
    """The cells of a landmark column: which mean yes, which are filled, which mean neither yes nor no; all (n,).

    ``name`` is the column's, ``named`` whether the owner named it; a column that was only guessed may be another thing.
    ``applied`` is True where an earlier reading decided that it marks the landmarks.
    """

    yes: Mask
    filled: Mask
    bad: Mask
    name: str
    named: bool
    applied: bool = False

    def with_each(self, work: Callable[[Mask], Mask]) -> Marks:
        """The same with what ``work`` makes of the masks."""
        return replace(self, yes=work(self.yes), filled=work(self.filled), bad=work(self.bad))


def marks_of(column: Any, name: str, options: ReadOptions) -> Marks:
    """An Arrow column of text, numbers or truth values as marks."""
    try:
        texts = column if pa.types.is_dictionary(column.type) else column.cast(pa.string()).dictionary_encode()
        values = [_value(text) for text in texts.dictionary.to_pylist()]
        codes = texts.indices.fill_null(len(values)).to_numpy(zero_copy_only=False)
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):  # lists, structures, bytes: no cell can be read
        values, codes = ["?"], np.zeros(len(column), dtype=np.int64)
    values.append("")
    yes, filled = np.array([value in YES for value in values]), np.array([value != "" for value in values])
    bad = np.array([value not in YES | NO | {""} for value in values])
    return Marks(
        yes[codes], filled[codes], bad[codes], name.strip()[:40], options.landmark is not None, options.applied
    )


def _value(text: str | None) -> str:
    value = (text or "").strip().casefold()
    return "" if value in EMPTY_TEXTS else value


def settle(
    marks: Marks | None, keep: Mask, rows: Callable[[NDArray[np.intp]], NDArray[Any]], report: Report
) -> Mask | None:
    """Which rows are marked, or None without such a column; those in ``bad`` are the caller's to drop.

    Raises
    ------
    FormatError
        The owner named the column, and no filled cell of it can be read.
    """
    if marks is None:
        return None
    bad, filled = int((marks.bad & keep).sum()), int((marks.filled & keep).sum())
    if not marks.named and bad * 2 > filled:
        message = f"Column {marks.name!r} is neither yes nor no in most rows and marks nothing."
        report.note("not_marks", message, level="info", count=bad)
        report.decide("landmark", "#0")
        return None
    report.decided.setdefault("landmark", marks.name)  # of a table its place is known
    if bad and bad == filled and not marks.applied:
        first = int(rows(np.flatnonzero(marks.bad & keep)[:1])[0])
        raise FormatError(
            f"No cell of the landmark column {marks.name!r} can be read (first on {report.unit} {first}). Write true "
            "or false, 1 or 0, yes or no, or set the landmark option to #0 to read the file without.",
            code="bad_marks",
            field="landmark",
            rule="true or false, 1 or 0, yes or no, or empty",
            value=marks.name,
            row=first,
        )
    if not marks.named:
        message = f"Column {marks.name!r} marks the landmarks."
        report.guess("landmark column", marks.name, message, "landmark")
    return marks.yes
