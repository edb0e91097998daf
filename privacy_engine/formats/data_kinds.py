"""Which kind of data a table holds, and how those are read whose tables are read the same way in every format."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any, BinaryIO

from privacy_engine.errors import FormatError, ParameterError, shown
from privacy_engine.formats.described import describe
from privacy_engine.formats.detect import Format
from privacy_engine.formats.dialect import as_utf8
from privacy_engine.formats.generic_table import SAMPLE, Table, arrow_table, outline, text_table
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import COLUMNS, TABLE, TIMED, ReadOptions, unusable
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Meter, Source
from privacy_engine.formats.table_kind import Columns, TableKind, table_kinds

Kinds = tuple[TableKind, ...]


def checked(kinds: Collection[str]) -> Kinds:
    """The requested kinds, in their usual order; ParameterError where any is unknown."""
    for kind in kinds:
        if kind not in table_kinds:
            rule = f"must be among {', '.join(table_kinds)}"
            raise ParameterError(f"kinds {rule}, got {shown(kind)!r}", field="kinds", rule=rule, value=kind)
    if not kinds:
        raise ParameterError("kinds must name at least one kind", field="kinds", rule="at least one")
    return tuple(table_kind for kind, table_kind in table_kinds.items() if kind in kinds)


def read_tabular(
    format: Format, source: Source, kinds: Kinds, options: ReadOptions, report: Report
) -> tuple[str, Any] | None:
    """The kind and the data of a table of one of ``kinds``; None where the file's format reads it, as trajectories.

    Raises
    ------
    FormatError
        The caller takes no kind that formats read themselves, and the file can hold nothing else.
    """
    tabular = [kind.kind for kind in kinds if not kind.by_format]
    if not tabular:
        return None
    if not format.tabular:
        if len(tabular) == len(kinds):
            wanted, holds = (" or ".join(table_kinds[kind].title for kind in some) for some in (tabular, format.kinds))
            raise FormatError(f"{format.title} holds {holds}, not {wanted}.", code="other_kind", rule=wanted)
        return None
    sample = None if format.table is None else format.table(source, SAMPLE)
    if sample is not None and any(kind.by_format and kind.claims(sample) for kind in kinds):
        return None
    table = None if sample is None else arrow_table(sample)
    text_report = Report()
    text = source if format.as_text is None else format.as_text(source, options, text_report)
    kind = kinds[0] if len(kinds) == 1 else _recognised(table, text, kinds, options, report)
    if kind.by_format:
        return None
    report.guesses += text_report.guesses
    if len(kinds) > 1:
        report.guess("kind", kind.kind, f"The table was read as {kind.title}.", "kind")
    refuse_unused(kind, format.options, options)
    report.decided |= text_report.decided
    if format.as_text is not None:
        options = replace(options, delimiter=",")
    if format.table is None:
        table = text_table(text.read_lines(), options, report)
    else:
        table = arrow_table(format.table(source, None))
        report.layout = Layout(table.names, sample=table.sample)
    if report.layout is not None:
        report.layout.kind = kind.kind
    others = [table_kind for table_kind in table_kinds.values() if table_kind is not kind] if len(kinds) == 1 else []
    data = kind.read(table, options, report, others)
    _keep_used(kind, format.options, report)
    report.decide("format", format.name)
    describe(report)
    return kind.kind, data


def refuse_unused(kind: TableKind, known: Collection[str], options: ReadOptions) -> None:
    """Refuse options that are not used for a kind; ``known`` are those of the file's format.

    Raises
    ------
    ParameterError
        Such an option was given.
    """
    for error in _unusable(kind, known, options):
        raise error


def _unusable(kind: TableKind, known: Collection[str], options: ReadOptions) -> list[ParameterError]:
    return unusable(kind.title, usable(kind, known), COLUMNS, options)


def usable(kind: TableKind, known: Collection[str]) -> Collection[str]:
    """The options that a kind uses of those ``known`` to a format; where the format reads it, these."""
    more = ("encoding", "header", "columns", "delimiter", "sheet", *TIMED[1:], *kind.used_if_known)
    return known if kind.by_format else (*kind.used, *(name for name in more if name in known))


def _keep_used(kind: TableKind, known: Collection[str], report: Report) -> None:
    """Leave out of what was decided the options that are not used for the kind."""
    unused = {error.field for error in _unusable(kind, known, ReadOptions.of(report.decided))}
    report.decided = {name: value for name, value in report.decided.items() if name not in unused}


def read_archive(
    stream: BinaryIO, kinds: Kinds, options: ReadOptions, report: Report, meter: Meter
) -> tuple[str, Any] | None:
    """The kind and the data of a ZIP archive, where it holds any of ``kinds``; None for files of what formats read.

    Raises
    ------
    FormatError
        The caller takes nothing else, and there is none, or it cannot be read.
    """
    tabular = [kind for kind in kinds if not kind.by_format]
    stated = len(tabular) == len(kinds)
    for kind in reversed(tabular):
        archive = kind.archive(stream, options, meter, stated=stated)
        if archive is not None:
            break
    else:
        if stated:
            message = "An archive is read for trajectories, or for one table of check-ins. Unpack it."
            raise FormatError(message, code="archive", rule="one table")
        return None
    if len(kinds) > 1:
        report.guess("kind", kind.kind, f"The archive was read as {kind.title}.", "kind")
    refuse_unused(kind, TABLE, options)
    other = archive.read(report)
    lists = report.decided.pop("members")
    _keep_used(kind, TABLE, report)
    report.decided = {"members": dict.fromkeys(archive.members, report.decided) | lists}
    return kind.kind, other


def _recognised(table: Table | None, source: Source, kinds: Kinds, options: ReadOptions, report: Report) -> TableKind:
    for kind in kinds:
        if kind.is_stated(options):
            return kind
    if table is None:
        layout = outline(as_utf8(source.head, Report()), options)
        columns = Columns(layout.names, layout.sample[:-1] or layout.sample, layout.headed)
    else:
        columns = Columns(table.names, table.sample, True)
    cautious = any(kind.by_format for kind in kinds)
    for kind in reversed(kinds):
        if kind.recognises(columns, options, report, cautious=cautious):
            return kind
    return kinds[0]
