"""``Decisions``: what reading a file decided from its data; later readings use it, and labels list it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from privacy_engine.formats.detect import formats
from privacy_engine.formats.option_choices import NAMED_COLUMN
from privacy_engine.formats.options import OPTIONS, is_zone
from privacy_engine.formats.report import Report
from privacy_engine.formats.table_kind import table_kinds

JOINS: Mapping[str, str] = {
    "times_follow": "the times of records without a whole time of their own, which follow from the records before",
    "dst_fold": "which instant a local time is in the hour that comes twice, which follows from the order of rows",
    "numbered_series": "the numbers of series without a name, or of one name, which follow from the order in the file",
    "numbered_rows": "the numbers of timestamps without a label, which follow from the order in the file",
    "place_names": "the names of places, each that of the first row of its place",
    "venue_positions": "the positions of check-ins that have none of their own, which are those of a list of venues",
    "cut_off": "which records come after the place where the file is damaged, and were not read",
    "joined_places": "which starts of lines were left out because another line of their series ends there",
}
"""Codes of the notes on a file whose rows depend on other rows, each as what no promise covers."""

LEFT_OUT = "left out"
HIDDEN = "of the file"
"""What a label has in place of a value that can name a person: the name of a column, of a sheet, of a member."""
_OF_FILE = ("format", "encoding", "sheet", "delimiter")
_SAFE = re.compile(rf"(?:{NAMED_COLUMN})?#[0-9]{{1,12}}|EPSG:[0-9]{{1,6}}", re.ASCII)


@dataclass(frozen=True)
class Decisions:
    """Reading options that were not given but decided by all rows, and what still joins rows.

    Parameters
    ----------
    options : mapping
        Reading options; with them and those that were given :func:`privacy_engine.formats.read` decides nothing again.
    guesses : sequence of mapping
        The same in sentences, as :meth:`~privacy_engine.formats.report.Report.guess` records them.
    joins : sequence of str
        Codes of :data:`JOINS`.
    """

    options: Mapping[str, Any] = field(default_factory=dict)
    guesses: Sequence[Mapping[str, Any]] = ()
    joins: Sequence[str] = ()

    @classmethod
    def of(cls, report: Report, earlier: Decisions | None = None) -> Decisions:
        """Those of a reading; of a reading with all that an ``earlier`` decided, those."""
        joins = tuple(dict.fromkeys(note["code"] for note in report.notes if note["code"] in JOINS))
        if earlier is not None and "automatic" in earlier.options:
            return replace(earlier, joins=joins)
        given = report.given - set(earlier.options if earlier else ())
        options = _without(report.decided, given)
        if members := options.get("members"):
            options["members"] = {name: own and _without(own, given) for name, own in members.items()}
        return cls(options, tuple(report.guesses), joins)

    def of_file(self) -> Decisions:
        """Those that hold whatever kind of data the file is read as; what its columns are is decided for each kind."""
        return Decisions({name: self.options[name] for name in _OF_FILE if name in self.options})

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The options to read with: those ``given``, and what was decided beside them."""
        return {**self.options, **given}

    @property
    def listed(self) -> tuple[str, ...]:
        """What was decided as a label lists it: "lon #2"; of several files in an archive each value once.

        A label is published. Columns are named by their places, and other texts of the file are left out: a name can
        be a person's, and the first line of a file without a header is data.
        """
        decided: dict[str, list[str]] = {}
        for name, value, _ in self.each():
            text = _published(name, value)
            if text not in decided.setdefault(name, []):
                decided[name].append(text)
        return tuple(f"{name} {' or '.join(texts)}" for name, texts in decided.items())

    @property
    def joined(self) -> tuple[str, ...]:
        """What no promise covers of rows that depend on other rows, noun phrases."""
        return tuple(JOINS[code] for code in self.joins if code in JOINS)

    def each(self) -> Iterator[tuple[str, Any, str]]:
        """Each option with its value, and the member of the archive that it is for, "" for all."""
        yield from (("kind", guess["value"], "") for guess in self.guesses if guess["option"] == "kind")
        for name, value in sorted(self.options.items()):  # PostgreSQL keeps no order of the names in JSON
            if name == "members":
                for member, own in value.items():
                    options = {"members": LEFT_OUT} if own is None else own
                    yield from ((option, setting, member) for option, setting in options.items())
            elif name != "automatic":
                yield name, value, ""

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON-ready data."""
        return {"options": dict(self.options), "guesses": [*map(dict, self.guesses)], "joins": [*self.joins]}


def _without(options: Mapping[str, Any], given: Collection[str]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in given}


def _published(name: str, value: Any) -> str:
    """A value as a label may show it."""
    text = str(value)
    known = [*(choice for choice, _ in OPTIONS[name].choices)] if name in OPTIONS else [*table_kinds, LEFT_OUT]
    known += [fmt.name for fmt in formats()] if name == "format" else []
    line = name == "header" and text.isdecimal()
    if text in known or line or _SAFE.fullmatch(text) or (name == "time_zone" and is_zone(text)):
        return text if text[:1].isalnum() or text[:1] == "#" else f'"{text}"'
    return HIDDEN
