"""The first rows of a table and what each column is taken for, before all of it is read.

The beginning of the file is made a small file of the same format and read as any file is; what the reader wrote down
on the way is the preview. Nothing is guessed a second time.
"""

import io
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, BinaryIO

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats import first_rows, head_sample
from privacy_engine.formats.archive import read_zip
from privacy_engine.formats.columns import TITLES
from privacy_engine.formats.described import MOST
from privacy_engine.formats.detect import Format, detect
from privacy_engine.formats.dialect import as_utf8, mark_name, rows_from
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import dates_across
from privacy_engine.formats.report import WHY, Report
from privacy_engine.formats.source import Meter, Source
from privacy_engine.formats.table_kind import Role, table_kinds

ROWS = first_rows.ROWS
LEFT_OUT = 3
"""Rows, at most, that are shown because they were left out: the first for each of as many reasons."""
COLUMNS = 100
CELL_CHARS = 60
ReadAs = Callable[[Format, Source, ReadOptions, Report], Sequence[Trajectory]]


@dataclass(frozen=True)
class Column:
    """A column: its place as the reading options name it, its name, and the role it was given; empty for none.

    ``sentence`` and ``resembles`` are those of the report (:mod:`privacy_engine.formats.described`).
    """

    place: str
    name: str
    role: str
    sentence: str = ""
    resembles: str = ""


@dataclass(frozen=True)
class Row:
    """A row: its number as the report counts, 0 where it is not known, its cells as text, and what was read of it.

    ``read`` has texts by role; ``left_out`` is the sentence why nothing was read, "" for nothing known; ``doubt`` is
    the warning of the report that the row is an example of.
    """

    number: int
    cells: list[str] = field(repr=False)
    read: dict[str, str] = field(default_factory=dict, repr=False)
    left_out: str = ""
    doubt: str = ""


@dataclass(frozen=True)
class Preview:
    """The first rows of a table, raw and as read, some that were left out, and how it would be read.

    ``columns`` is empty where the format has none. ``problem`` is what a reading of these rows ends with, if it fails;
    ``whole``: there are no more rows than were read. ``editable``: the owner may override it.
    ``kind`` is of the data that it would be read as, ``roles`` are those of its columns; ``options`` are the reading
    options of the format, ``named`` those that may name a column; ``report`` is of the rows that were read.
    """

    format: str
    title: str
    member: str = ""
    columns: list[Column] = field(default_factory=list)
    more_columns: int = 0
    rows: list[Row] = field(default_factory=list, repr=False)
    whole: bool = True
    editable: bool = False
    header: bool = False
    delimiter: str = ""
    decimal: str = "."
    encoding: str = ""
    report: dict[str, Any] = field(default_factory=dict, repr=False)
    problem: FormatError | None = None
    kind: str = Trajectory.kind
    options: Sequence[str] = field(default=(), repr=False)
    named: Sequence[str] = field(default=(), repr=False)

    @property
    def roles(self) -> Sequence[Role]:
        """What a column may be read as; the last two are only columns beside others."""
        beside = [Role(name, TITLES[name].capitalize()) for name in ("clock", "person") if self._has(name)]
        return [*table_kinds[self.kind].roles, *beside]

    @property
    def mapping(self) -> dict[str, str]:
        """The reading options that state what was detected: read with them, the file gives the same."""
        roles = table_kinds[self.kind].roles
        known = [role.name for role in roles]
        places = {column.role: column.place for column in self.columns if column.role in known}
        absent = {role.name: "#0" for role in roles if role.name not in places and not role.needed}
        mapping = places | absent if self.columns else {}
        return {role: place for role, place in mapping.items() if self._takes(role, place)}

    def _takes(self, role: str, place: str) -> bool:
        return role in self.options and (place == "#0" or role in self.named)

    def _has(self, option: str) -> bool:
        return option in self.options or option in self.named


def preview_of(source: Source, options: ReadOptions, report: Report, meter: Meter, read_as: ReadAs) -> Preview:
    """The preview of a file, of which little more than :data:`head_sample.BYTES` is read.

    Raises
    ------
    FormatError
        The file is of no known format, or no table can be made out in it.
    """
    data, whole = source.beginning(head_sample.BYTES)
    report.most_first = len(data)
    format = detect(_small(source, data, meter), options)
    head = None if format.head is None else format.head(source, data, whole)
    if head is None:
        return Preview(format.name, format.title, report=report.as_dict())
    problem = _attempt(format, _small(source, head.data, meter), options, report, read_as)
    if problem is not None and problem.code == "bad_quoting" and not head.whole:
        problem = None  # the cell may be closed further on
    if report.layout is None:
        return Preview(format.name, format.title, report=report.as_dict())
    if head.rows is None:
        small = _small(source, head.data, meter)
        text = head.data if format.as_text is None else format.as_text(small, options, Report()).read()
        lines = rows_from(as_utf8(text, Report()), report.layout.offset, report.layout.delimiter)
    else:
        lines = ((0, cells) for cells in head.rows)
    rows, report.first = _shown_rows(lines, report), report.first[:ROWS]
    return _preview(format, head, rows, report.layout, report, problem)


def _shown_rows(lines: Iterable[tuple[int, list[str]]], report: Report) -> list[Row]:
    """The first rows as they were read, and after them examples.

    These are the first row that was left out for each reason, and the first of a warning between its neighbours.
    """
    read = {row["row"]: row for row in reversed(report.first)}  # a row may be two events
    first = list(read.values())[: -ROWS - 1 : -1]
    why = {row: WHY.get(reason, reason) for reason, drops in report.drops.items() for row in drops.rows}
    doubts = dict([(note["rows"][0], note["message"]) for note in report.warnings if "rows" in note][:1])
    out = sorted(drops.rows[0] for drops in report.drops.values() if drops.rows)[:LEFT_OUT]
    wanted, rows = {*out, *(row + by for row in doubts for by in (-1, 0, 1))}, list[Row]()
    for number, cells in lines:
        known = read.get(number)
        if len(rows) < ROWS and (first or not report.first):
            known = next((row for row in first if row.get("raw") == cells[:MOST]), known)
            if known in first:
                first.remove(known)
            number = known["row"] if known else number
        elif number not in wanted:
            continue
        values = known["read"] if known else {}
        rows.append(Row(number, cells, values, why.get(number, ""), doubts.get(number, "")))
        if len(rows) >= ROWS and number >= max(wanted, default=0):
            break
    return rows


def _attempt(
    format: Format, source: Source, options: ReadOptions, report: Report, read_as: ReadAs
) -> FormatError | None:
    """Read the small file; the error, where it still leaves columns to be seen."""
    try:
        read_as(format, source, options, report)
    except FormatError as error:
        if report.layout is None:
            raise
        _take_roles(report)
        return error
    _take_roles(report)
    return None


def _take_roles(report: Report) -> None:
    """Give the columns of other kinds than positions the roles that were decided."""
    layout = report.layout
    if layout is None or table_kinds[layout.kind].by_format or dates_across(layout.names):
        return
    places = {role.name: str(report.decided.get(role.name, "")) for role in table_kinds[layout.kind].roles}
    layout.roles = {role: int(at[1:]) - 1 for role, at in places.items() if at[:1] == "#" and at != "#0"}


def _preview(
    format: Format,
    head: head_sample.Head,
    rows: list[Row],
    layout: Layout,
    report: Report,
    problem: FormatError | None,
) -> Preview:
    cut, kind, about = format.as_text is None, table_kinds[layout.kind], dict(enumerate(report.columns))
    width = max([len(layout.names), *(len(row.cells) for row in rows)])
    seen = [*range(min(width, COLUMNS)), *sorted(place for place in {*layout.roles.values()} if place >= COLUMNS)]
    roles = {place: role for role, place in reversed(layout.roles.items())}
    return Preview(
        format.name,
        format.title,
        columns=[
            Column(
                f"#{i + 1}",
                _name(layout, i),
                roles.get(i) or ("" if kind.by_format else about.get(i, {}).get("role", "")),
                *(about.get(i, {}).get(key, "") for key in ("sentence", "resembles")),
            )
            for i in seen
        ],
        more_columns=width - len(seen),
        rows=[replace(row, cells=[_shown(row.cells[i]) if i < len(row.cells) else "" for i in seen]) for row in rows],
        whole=head.whole,
        editable=not layout.fixed,
        header=layout.headed,
        delimiter=mark_name(layout.delimiter) if cut else "",
        decimal=layout.decimal,
        encoding=report.encoding if layout.delimiter and cut else "",
        report=report.as_dict(),
        problem=problem,
        kind=kind.kind,
        options=format.options if kind.by_format else kind.used,
        named=format.columns if kind.by_format else [role.name for role in kind.roles],
    )


def _small(source: Source, data: bytes, meter: Meter) -> Source:
    return Source(io.BytesIO(data), source.name, Meter(meter.limits))


def _name(layout: Layout, place: int) -> str:
    return _shown(layout.names[place]) if place < len(layout.names) else ""


def _shown(text: str) -> str:
    """A cell as a short line, without what cannot be seen."""
    seen = "".join(char if char.isprintable() else " " for char in text[: 4 * CELL_CHARS]).split()
    line = " ".join(seen)
    return line if len(line) <= CELL_CHARS else f"{line[: CELL_CHARS - 1]}…"


class _Seen(Exception):
    """A member of the archive has columns: no other is looked at."""

    def __init__(self, preview: Preview) -> None:
        self.preview = preview


def preview_zip(stream: BinaryIO, options: ReadOptions, meter: Meter, read_as: ReadAs) -> Preview:
    """The preview of the first member that has columns, else of the first that is a location file."""
    others: list[Preview] = []

    def look(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
        preview = replace(preview_of(source, options, report, meter, read_as), member=report.file)
        if preview.columns:
            raise _Seen(preview)
        others.append(preview)
        return []

    try:
        read_zip(stream, options, Report(), meter, look)
    except _Seen as seen:
        return seen.preview
    except FormatError:
        if not others:
            raise
    return others[0]
