"""Whose the series of a file are: what the owner states, else what the file states, else everything is one person's.

A wrong guess in one direction costs accuracy (people counted as one share one budget), in the other it breaks the
promise (one person counted as several spends several budgets). So only what names a person makes several people.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from privacy_engine.core import progress
from privacy_engine.core.plurals import quantity
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import Trajectories, labels_of, lengths_of
from privacy_engine.errors import FormatError
from privacy_engine.formats.option_choices import NAMED_COLUMN
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import display_name, stem

ONE, SERIES, EITHER, COLUMN = "one", "series", "either", "column"
TITLES = {"one": "everything", "series": "series", "file": "file", "folder": "folder", "column": "column"}


@dataclass(frozen=True)
class Whose:
    """What a reader determined about whose its series are.

    ``kind`` is ``one`` (nothing names a person), ``series`` (the series' names are those of people), ``either`` (they
    may name people or one person's pieces) or ``column`` (the series carry their persons already). ``column`` is the
    column, property or element that identifies them.
    """

    kind: str = ONE
    column: str = ""

    @property
    def value(self) -> str:
        """The equivalent reading option."""
        return NAMED_COLUMN + self.column if self.column else SERIES


UNNAMED = Whose()


def settle(series: Sequence[Trajectory], whose: Whose, options: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """The series of a file with their persons; ``report`` records them, and a guess that matters as a guess."""
    stated, (names, persons) = options.person, labels_of(series)
    if stated is None:
        return _guessed(series, whose, options, report)
    if options.person_column is not None:
        persons = persons if whose.kind == COLUMN else names
    elif stated == SERIES:
        persons = _apart(names, report)
    else:
        persons = [stem(report.file) if stated == "file" else ""] * len(names)
    return reported(_called(series, names, persons), stated, "", options, report)


def _guessed(series: Sequence[Trajectory], whose: Whose, options: ReadOptions, report: Report) -> Sequence[Trajectory]:
    names, persons = labels_of(series)
    if whose.kind != COLUMN:
        persons = names
    without = sum(size for size, person in zip(lengths_of(series), persons, strict=True) if not person)
    column = whose.column[:40]
    source = f"{column!r} names" if column else "The name of each series names"
    value = whose.value
    if whose.kind == ONE:
        what = (
            f"{column!r} makes series and does not identify the person" if column else "Nothing identifies the person"
        )
        value, why = ONE, f"{what}: all series count as one person's."
    elif without and len(names) == 1:
        value, why = ONE, f"{source} no person: everything counts as one person's."
    elif without:
        why = f"{source} a person, but not for {without:,} of the positions: everything counts as one person's."
        report.note("unnamed_person", f"{why} Set person to {value} to leave those out.", count=without)
        value = ONE
    elif whose.kind == EITHER and not overlap(series):
        value = ONE
        why = f"{source} series that never overlap in time, so they may be one person's."
    elif whose.kind == EITHER:
        why = f"{source} series that overlap in time, so each name is a person."
    else:
        why = f"{source} a person."
    if value == ONE and whose.kind == COLUMN:
        report.again = True  # the persons cut the series, and are not to
    owners = [""] * len(names) if value == ONE else persons
    return reported(_called(series, names, owners), value, why, options, report)


def reported(
    series: Sequence[Trajectory], value: str, why: str, options: ReadOptions, report: Report
) -> Sequence[Trajectory]:
    """The series, after recording in ``report`` who they belong to; ``why`` is empty where the owner stated it."""
    count = len(set(labels_of(series)[1]))
    by, _, column = value.partition(":")
    report.decide("person", _stated(value, report))
    report.people = {"count": count, "by": by, "column": column, "said": not why, "message": why}
    if why and len(series) > 1:
        report.guess("person", value, f"{quantity(count, 'person')}: {why}", "person")
    return _distinct(series, options, report)


def _stated(value: str, report: Report) -> str:
    """The option ``person`` for a value, of a table with the place of its column: two may have the same name."""
    layout = report.layout
    if layout is not None and layout.fixed and value.startswith(NAMED_COLUMN):
        return SERIES
    place = None if layout is None else layout.roles.get("person", layout.roles.get("id"))
    return f"{NAMED_COLUMN}#{place + 1}" if value.startswith(NAMED_COLUMN) and place is not None else value


def overlap(series: Sequence[Trajectory]) -> bool:
    """Whether two of the series are recorded at the same time, which the pieces of a person are not."""
    spans = [(track.time_s[0], track.time_s[-1]) for track in series if track.time_s is not None and len(track)]
    if len(spans) < len(series):
        return False
    starts, ends = np.array(sorted(spans)).reshape(-1, 2).T
    return bool((starts[1:] < np.maximum.accumulate(ends)[:-1]).any())


def no_person(column: str) -> FormatError:
    """The error for a column that the owner named and that is empty throughout."""
    message = f"{column[:40]!r} names no person: it is missing or empty throughout."
    return FormatError(message, code="no_person", field="person", rule="a column that names persons", value=column)


def key_of(name: str) -> str:
    """A folder's or file's name for comparing: as file systems that ignore case and ways of writing accents do."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", display_name(name)).casefold())


def _called(series: Sequence[Trajectory], names: Sequence[str], persons: Sequence[str]) -> Sequence[Trajectory]:
    """The series under these names, and of these people."""
    if isinstance(series, Trajectories):
        return series.called(names, persons)
    labels = zip(names, persons, strict=True)
    return [
        track if (track.name, track.person) == label else track.called(*label)
        for track, label in zip(series, labels, strict=True)
    ]


def _apart(names: Sequence[str], report: Report) -> list[str]:
    """Persons for series of these names, each of its own, also where two bear the same name."""
    unique = numbered(names)
    if count := sum(name != other for name, other in zip(names, unique, strict=True)):
        message = "Several series have one name: their persons have numbers, by their order in the file."
        report.note("numbered_series", message, level="info", count=count)
    return unique


def numbered(names: Sequence[str]) -> list[str]:
    """The names, with a number after those that came before.

    >>> numbered(["a", "a (2)", "a", "b"])
    ['a', 'a (2)', 'a (3)', 'b']
    """
    taken: set[str] = set()
    known = set(names)
    unique = []
    for name in progress.reported(names, progress.ROWS):
        own, n = name, 2
        while own in taken or (own != name and own in known):
            own, n = f"{name} ({n})".strip(), n + 1
        taken.add(own)
        unique.append(own)
    return unique


def _distinct(series: Sequence[Trajectory], options: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """The series with their persons before their names, where the options state so, or some persons share a name."""
    called, (names, persons) = options.series_names or ("id" if options.applied else None), labels_of(series)
    if called is None:
        owners: dict[str, str] = {}
        pairs = zip(names, persons, strict=True) if len({*names}) < len(names) else ()
        shared = [name for name, person in pairs if owners.setdefault(name, person) != person]
        called = "person" if shared else "id"
        if shared:
            message = f"Several persons have a series called {shared[0][:40]!r}: the person stands before each name."
            report.guess("names of series", called, message, "series_names")
    report.decide("series_names", called)
    if called == "id":
        return series
    return _called(series, [f"{person} {name}".strip() for name, person in zip(names, persons, strict=True)], persons)
