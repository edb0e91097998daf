"""What a reading gives: the series, and a report of what was kept, dropped, noticed and guessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from privacy_engine.core.plurals import quantity
from privacy_engine.data import Trajectory
from privacy_engine.errors import ParameterError, shown
from privacy_engine.formats.first_rows import ROWS
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import OPTIONS

SHOWN_ROWS = 20
SHOWN_SERIES = 1000

WHY = {
    "short_row": "The row has too few cells.",
    "nul": "The row holds a NUL character.",
    "missing": "A value is empty: the position, of check-ins also the user or the place, of count streams a count.",
    "not_a_number": "The position or a count is not a number.",
    "not_finite": "The position or a count is not a finite number.",
    "out_of_range": "The position is not on the globe.",
    "no_position": "The position is 0, 0, which stands for none unless the option zeros is position.",
    "unknown_venue": "The check-in has no position, and its place is not in the list of venues.",
    "bad_time": "The time cannot be read.",
    "no_time": "The time is empty, though other rows have one.",
    "bad_mark": "The landmark cell is neither yes nor no.",
    "no_fix": "The receiver reported no fix.",
    "bad_checksum": "The line's checksum is wrong: it was damaged on its way.",
    "not_a_position": "The entry is an event or a setting, not a position.",
    "bad_polyline": "The polyline is not a JSON list of positions.",
    "unavailable": "The ship reported no position.",
    "bad_json": "The line is not JSON.",
    "negative": "A count is negative.",
    "no_person": "The row names no person, though other rows do: it could be anyone's.",
    "null_geometry": "The feature has no geometry.",
    "unsupported_geometry": "The geometry is not a point or a line.",
    "bad_geometry": "The geometry is damaged.",
    "unsafe_member": "The archive member's name points outside the archive.",
    "junk_member": "The archive member is a system file.",
    "nested_member": "The archive member is itself an archive; nested archives are not opened.",
    "unreadable_member": "The archive member is not a location file.",
}


@dataclass
class Drops:
    """How much was dropped for a reason, the first rows it happened on, and what stands in the first of them."""

    count: int = 0
    rows: list[int] = field(default_factory=list)
    cells: str = ""


@dataclass
class Report:
    """What happened while a file was read; JSON-ready through :meth:`as_dict`.

    ``unit`` names what the row numbers count: lines of a table, points of a GPX, features of a GeoJSON. ``people``
    holds how many there are, what identifies them and why (:func:`privacy_engine.formats.people.settle`). ``decided``
    holds reading options with a value for everything that was detected: read with them, a file that lacks some of its
    rows gives the others as they were. ``again`` is True where what was detected is to be applied from the start.
    ``guesses`` are what the rows decided and an owner may want to know; ``given`` names the options that were given.
    ``columns`` states of each column of a table what it was read as, ``first`` of its first rows what was read (for the
    owner alone: see :mod:`privacy_engine.formats.described`).
    ``unused`` holds the options that a member of an archive cannot use. ``encoding`` and ``layout`` are a text's and a
    table's. ``hint`` is added to the error of a table without positions. These five, and ``most_first``, how many first
    rows are kept, are not part of the stored report.
    """

    format: str = ""
    format_title: str = ""
    file: str = ""
    unit: str = "line"
    rows_read: int = 0
    series: list[tuple[str, int]] = field(default_factory=list)
    drops: dict[str, Drops] = field(default_factory=dict)
    notes: list[dict[str, Any]] = field(default_factory=list)
    guesses: list[dict[str, Any]] = field(default_factory=list)
    members: list[dict[str, Any]] = field(default_factory=list)
    people: dict[str, Any] = field(default_factory=dict)
    decided: dict[str, Any] = field(default_factory=dict)
    given: frozenset[str] = field(default=frozenset(), repr=False)
    again: bool = field(default=False, repr=False)
    unused: dict[str, ParameterError] = field(default_factory=dict, repr=False)
    encoding: str = "UTF-8"
    layout: Layout | None = field(default=None, repr=False)
    columns: list[dict[str, Any]] = field(default_factory=list, repr=False)
    first: list[dict[str, Any]] = field(default_factory=list, repr=False)
    most_first: int = field(default=ROWS, repr=False)
    hint: str = ""
    _alike: dict[tuple[int, str], dict[str, Any]] = field(default_factory=dict, repr=False)

    @property
    def kept(self) -> int:
        """How many points the series hold."""
        return sum(points for _, points in self.series)

    @property
    def dropped(self) -> dict[str, int]:
        """Reason -> how many rows were dropped for it."""
        return {reason: drops.count for reason, drops in self.drops.items()}

    @property
    def dropped_text(self) -> str:
        """What was dropped and why, for a command's output; "" for nothing."""
        parts = []
        for reason, drops in self.drops.items():
            first = [f"{row:,}" for row in drops.rows[:5]]
            rows = f" ({', '.join(first)}{', …' if drops.count > len(first) else ''})" if first else ""
            parts.append(f"{quantity(drops.count, self.unit)}{rows}: {WHY.get(reason, reason)}")
        return f"Left out: {' '.join(parts)}" if parts else ""

    @property
    def columns_text(self) -> list[dict[str, str]]:
        """Each column of a table and what it was read as, for a command's output and notebooks."""
        return [{"column": column["name"], "read_as": column["sentence"] or "Not used."} for column in self.columns]

    @property
    def first_text(self) -> list[dict[str, str]]:
        """The first rows, their cells and what was read of them, for the owner alone, as :attr:`columns_text`."""
        return [
            {
                self.unit: str(row["row"]),
                "cells": " | ".join(row.get("raw", ())),
                "read_as": ", ".join(f"{role} {value}" for role, value in row["read"].items()) or "left out",
            }
            for row in self.first
        ]

    @property
    def warnings(self) -> list[dict[str, Any]]:
        """The notes that the owner should see before going on."""
        return [note for note in self.notes if note["level"] == "warning"]

    @property
    def outcome(self) -> str:
        """``accept``, or ``accept_warn`` where rows were dropped or something needs attention."""
        return "accept_warn" if self.drops or self.warnings else "accept"

    def drop(self, reason: str, count: int, rows: Iterable[int] = (), *, cells: str = "") -> None:
        """Count ``count`` rows as dropped for ``reason``; ``rows`` are the (first of the) row numbers.

        ``cells`` quotes the first of them: it goes into the error of a file of which nothing is left, for its owner.
        """
        if count:
            drops = self.drops.setdefault(reason, Drops())
            drops.count += count
            drops.cells = drops.cells or cells
            drops.rows += [int(row) for row in rows][: SHOWN_ROWS - len(drops.rows)]

    def note(
        self,
        code: str,
        message: str,
        *,
        level: str = "warning",
        count: int | None = None,
        rows: Iterable[int] = (),
        option: str = "",
    ) -> None:
        """Record something the owner should know; ``level`` is ``warning`` or ``info``, ``option`` mends it."""
        entry: dict[str, Any] = {"code": code, "level": level, "message": message}
        if option:
            entry["option"] = option
        if count is not None:
            entry["count"] = count
        if first := [int(row) for row in rows][:SHOWN_ROWS]:
            entry["rows"] = first
        self.notes.append(entry)

    def lost(self, code: str, count: int, of: int, what: str) -> None:
        """Record that ``count`` of the ``of`` positions were left out and ``what`` they are; from a tenth on a warning.

        >>> report = Report()
        >>> report.lost("left_out", 2, 10, "waypoints")
        >>> report.warnings[0]["message"]
        '2 of 10 positions were left out: waypoints.'
        """
        if count:
            message = f"{count:,} of {of:,} positions were left out: {what}."
            self.note(code, message, level="warning" if 10 * count > of else "info", count=count)

    def guess(self, what: str, value: Any, message: str, option: str) -> None:
        """Record something that was detected rather than stated, and the ``option`` that overrides it."""
        self.guesses.append({"what": what, "value": shown(value), "message": message, "option": option})

    def decide(self, option: str, value: Any) -> None:
        """Record the value of a reading option that was detected, or is the rule where nothing is stated."""
        self.decided[option] = value

    def absorb(self, other: Report) -> None:
        """Add what happened in a member of an archive."""
        self.rows_read += other.rows_read
        self.columns, self.first = self.columns or other.columns, self.first or other.first
        for reason, drops in other.drops.items():
            self.drop(reason, drops.count, drops.rows)
        for mine, theirs in ((self.notes, other.notes), (self.guesses, other.guesses)):
            for entry in theirs:
                self._add(mine, entry, other.file)

    def _add(self, entries: list[dict[str, Any]], entry: dict[str, Any], member: str) -> None:
        """Add a note or a guess of a member; a note that others made too, and that is not about rows, is counted."""
        key = None if "rows" in entry or "count" in entry else (id(entries), entry["message"])
        if key is not None and key in self._alike:
            alike = self._alike[key]
            alike["members"] = alike.get("members", 1) + 1
            alike.pop("member", None)
            return
        entries.append({**entry, "member": member})
        if key is not None:
            self._alike[key] = entries[-1]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data; of very many series or members only the first thousand are listed."""
        return {
            "format": self.format,
            "format_title": self.format_title,
            "file": self.file,
            "outcome": self.outcome,
            "row_unit": self.unit,
            "rows_read": self.rows_read,
            "kept": self.kept,
            "series_count": len(self.series),
            "series": [{"name": shown(name), "points": points} for name, points in self.series[:SHOWN_SERIES]],
            "people": dict(self.people),
            "decided": dict(self.decided),
            "decisions": [self._sentence(option, value) for option, value in self.decided.items()],
            "dropped": {
                reason: {"count": drops.count, "rows": list(drops.rows), "message": WHY.get(reason, reason)}
                for reason, drops in self.drops.items()
            },
            "notes": [dict(note) for note in self.notes],
            "guesses": [dict(guess) for guess in self.guesses],
            "columns": [dict(column) for column in self.columns],
            "first": [dict(row) for row in self.first],
            "members": [dict(member) for member in self._first_members()],
        }

    def _sentence(self, option: str, value: Any) -> dict[str, Any]:
        """A decided option with its value and a sentence about it: that of the guess, where there is any."""
        declared = OPTIONS.get(option)
        guessed = next((guess["message"] for guess in self.guesses if guess["option"] == option), "")
        if declared is None:
            return {"option": option, "value": "", "message": "Single files of the archive have options of their own."}
        usual = f"{declared.label}: {dict(declared.choices).get(value, shown(value))}."
        return {"option": option, "value": shown(value), "message": guessed or usual}

    def _first_members(self) -> list[dict[str, Any]]:
        """The first thousand members, those that were not read before the others."""
        if len(self.members) <= SHOWN_SERIES:
            return self.members
        return sorted(self.members, key=lambda member: "reason" not in member)[:SHOWN_SERIES]


@dataclass(frozen=True, eq=False)
class Reading:
    """A file as series, and the report of how it was read. ``len()`` is the number of points.

    A file of another ``kind`` has no series: ``other`` is what it holds.
    """

    series: Sequence[Trajectory]
    report: Report
    other: Any = None
    kind: str = Trajectory.kind

    @property
    def data(self) -> Any:
        """What the file holds, of whatever kind."""
        return self.series if self.other is None else self.other

    def __len__(self) -> int:
        return sum(map(len, self.series)) if self.other is None else len(self.other)
