"""Which kind of data a table holds: a trajectory, counts or check-ins; and how the last two are read."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import BinaryIO

from privacy_engine.data import KINDS, CheckIns, CountStream, Trajectory
from privacy_engine.errors import FormatError, ParameterError, shown
from privacy_engine.formats import checkins, streams
from privacy_engine.formats.checkin_archive import find_tables, read_tables
from privacy_engine.formats.checkin_columns import looks_like as looks_like_checkins
from privacy_engine.formats.columns import has_positions
from privacy_engine.formats.detect import Format
from privacy_engine.formats.dialect import as_utf8
from privacy_engine.formats.generic_table import Table, arrow_table, outline, text_table
from privacy_engine.formats.geoparquet import geometry_column
from privacy_engine.formats.options import COLUMNS, TABLE, TIMED, ReadOptions, unusable
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Meter, Source
from privacy_engine.formats.stream_layout import is_certain
from privacy_engine.formats.stream_layout import looks_like as looks_like_counts

_USED = {
    CheckIns.kind: ("lon", "lat", "time", "id", "place", "lon_range", "zeros"),
    CountStream.kind: ("count", "time", "separator"),
}
OTHER_COLUMNS = "other_columns"
"""The code of the note on a table of counts whose columns are those of another kind."""
TITLES = {"trajectory": "positions", "stream": "counts", "checkins": "check-ins"}


def checked(kinds: Collection[str]) -> tuple[str, ...]:
    """The requested kinds, in their usual order; ParameterError where one is not known."""
    for kind in kinds:
        if kind not in KINDS:
            rule = f"must be among {', '.join(KINDS)}"
            raise ParameterError(f"kinds {rule}, got {shown(kind)!r}", field="kinds", rule=rule, value=kind)
    if not kinds:
        raise ParameterError("kinds must name at least one kind", field="kinds", rule="at least one")
    return tuple(kind for kind in KINDS if kind in kinds)


def read_other(
    format: Format, source: Source, kinds: tuple[str, ...], options: ReadOptions, report: Report
) -> CountStream | CheckIns | None:
    """Counts or check-ins, where the caller takes them and the file holds them; None for a trajectory.

    Raises
    ------
    FormatError
        The caller takes no trajectories, and the file can hold nothing else.
    """
    if kinds == (Trajectory.kind,):
        return None
    if set(format.kinds).isdisjoint(set(kinds) - {Trajectory.kind}):
        if Trajectory.kind not in kinds:
            wanted = " or ".join(TITLES[kind] for kind in kinds)
            raise FormatError(f"{format.title} holds positions, not {wanted}.", code="other_kind", rule=wanted)
        return None
    whole = None if format.table is None else format.table(source)
    if whole is not None and Trajectory.kind in kinds and geometry_column(whole.schema, whole.schema.metadata):
        return None
    table = None if whole is None else arrow_table(whole)
    own = Report()
    text = source if format.as_text is None else format.as_text(source, options, own)
    kind = kinds[0] if len(kinds) == 1 else _recognised(table, text, kinds, options, report)
    if kind == Trajectory.kind:
        return None
    report.guesses += own.guesses
    if len(kinds) > 1:
        report.guess("kind", kind, f"The table was read as {TITLES[kind]}.", "kind")
    refuse_unused(kind, format.options, options)
    report.decided |= own.decided
    if format.as_text is not None:
        options = replace(options, delimiter=",")
    table = table or text_table(text.read_lines(), options, report)
    found: CountStream | CheckIns
    if kind == CheckIns.kind:
        found = checkins.checkins_of(table, options, report)
    else:
        if len(kinds) == 1:
            _note_other_columns(table, report)
        found = streams.stream_of(table, options, report)
    _keep_used(kind, format.options, report)
    report.decide("format", format.name)
    return found


def _note_other_columns(table: Table, report: Report) -> None:
    """Note in the report that a table which is read as counts names the columns of another kind."""
    found = "positions" if has_positions(table.names) else ""
    if looks_like_checkins(table.names, table.sample, table.headed):
        found = TITLES[CheckIns.kind]
    if found:
        report.note(OTHER_COLUMNS, f"The columns are those of {found}; they were read as counts.")


def refuse_unused(kind: str, known: Collection[str], options: ReadOptions) -> None:
    """Refuse options that are not used for counts or check-ins; ``known`` are those of the file's format.

    Raises
    ------
    ParameterError
        Such an option was given.
    """
    for error in _unusable(kind, known, options):
        raise error


def _unusable(kind: str, known: Collection[str], options: ReadOptions) -> list[ParameterError]:
    used = _USED[kind]
    more = (
        "encoding",
        "header",
        "columns",
        "delimiter",
        "sheet",
        *TIMED[1:],
        *(("decimal",) if kind == CheckIns.kind else ()),
    )
    return unusable(TITLES[kind], (*used, *(name for name in more if name in known)), COLUMNS, options)


def _keep_used(kind: str, known: Collection[str], report: Report) -> None:
    """Leave out of what was decided the options that are not used for the kind."""
    unused = {error.field for error in _unusable(kind, known, ReadOptions.of(report.decided))}
    report.decided = {name: value for name, value in report.decided.items() if name not in unused}


def read_archive(
    stream: BinaryIO, kinds: tuple[str, ...], options: ReadOptions, report: Report, meter: Meter
) -> CheckIns | None:
    """The check-ins of a ZIP archive, where the caller takes them and it holds a table of them; None for trajectories.

    Raises
    ------
    FormatError
        The caller takes no trajectories and there are no check-ins, or they cannot be read.
    """
    stated = Trajectory.kind not in kinds
    tables = find_tables(stream, options, meter) if CheckIns.kind in kinds else None
    several = tables is not None and len(tables.checkins) > 1 and not tables.published
    if tables is None or (not stated and (several or not tables.checkins)):
        if stated:
            message = "An archive is read for trajectories, or for one table of check-ins. Unpack it."
            raise FormatError(message, code="archive", rule="one table")
        return None
    if len(kinds) > 1:
        report.guess("kind", CheckIns.kind, "The archive was read as check-ins.", "kind")
    refuse_unused(CheckIns.kind, TABLE, options)
    found = read_tables(stream, tables, options, report, meter)
    lists = report.decided.pop("members")
    _keep_used(CheckIns.kind, TABLE, report)
    report.decided = {"members": dict.fromkeys(tables.checkins or tables.others, report.decided) | lists}
    return found


def _recognised(
    table: Table | None, source: Source, kinds: tuple[str, ...], options: ReadOptions, report: Report
) -> str:
    if options.count is not None and CountStream.kind in kinds:
        return CountStream.kind
    if table is None:
        found = outline(as_utf8(source.head, Report()), options)
        names, sample, headed = found.names, found.sample[:-1] or found.sample, found.headed
    else:
        names, sample, headed = table.names, table.sample, True
    if CheckIns.kind in kinds and looks_like_checkins(names, sample, headed):
        return CheckIns.kind
    # a table whose positions are under unusual names must not pass for counts: its owner must name them
    certain = not options.lon and is_certain(names, sample, headed)
    counted = CountStream.kind in kinds and looks_like_counts(names, sample)
    if counted and (certain or Trajectory.kind not in kinds):
        return CountStream.kind
    if counted:
        report.hint = "If the table holds counts, choose the kind Count streams (kind=stream)."
    return kinds[0]
