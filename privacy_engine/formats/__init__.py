"""Files of positions in, series out: ``read(file)`` detects the format by content and reports what was read.

>>> import io
>>> reading = read(io.BytesIO(b"time,lat,lon\\n2024-06-15T10:30:00Z,52.52,13.405\\n"), name="run.csv")
>>> len(reading), reading.report.format, reading.report.outcome
(1, 'csv', 'accept')

A format is a file in this package and a line below that imports it.
"""

import itertools
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import labels_of, lengths_of
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.formats import (
    ais,
    delimited,
    feather,
    fit,
    flatgeobuf,
    geojson,
    geojsonseq,
    geometry_table,
    geopackage,
    gpx,
    gtfs,
    igc,
    json_records,
    kml,
    mfjson,
    movebank,
    nmea,
    owntracks,
    parquet,
    plt,
    porto,
    sense,
    shapefile,
    takeout,
    tcx,
    tdrive,
    unsupported_xml,
    workbook,
)
from privacy_engine.formats.archive import nested, opened, read_zip
from privacy_engine.formats.data_kinds import Kinds, checked, read_archive, read_tabular, usable
from privacy_engine.formats.described import describe
from privacy_engine.formats.detect import (
    Format,
    detect,
    detect_archive,
    formats,
    is_packed_spreadsheet,
    misnamed,
    plugins,
)
from privacy_engine.formats.options import GROUPS, OPTIONS, PLACED, Option, ReadOptions
from privacy_engine.formats.preview import Preview, ReadAs, preview_of, preview_zip
from privacy_engine.formats.report import Reading, Report
from privacy_engine.formats.source import (
    Limits,
    Meter,
    Source,
    Watch,
    display_name,
    extension,
    inflated,
    seekable,
    size_of,
)
from privacy_engine.formats.table_kind import OTHER_COLUMNS, table_kinds

KINDS = tuple(table_kinds)
"""The kinds of data that a file can hold."""


def option_groups() -> Mapping[str, Sequence[Option]]:
    """The reading options that a form offers, by the titles of their groups; what few ever set is in the last."""
    known = options()
    grouped = {title: [known[name] for name in names] for title, names in GROUPS.items()}
    rest = [option for option in known.values() if option.name not in {"automatic", *itertools.chain(*GROUPS.values())}]
    return grouped | {"Rarely needed": rest}


def used_options() -> Mapping[str, Sequence[str]]:
    """The reading options that some format uses, by the kind of data that is read from it."""
    known = ("format", *PLACED, *itertools.chain(*(fmt.options for fmt in formats())))
    return {kind: sorted({"format", *usable(table_kind, known)}) for kind, table_kind in table_kinds.items()}


def options() -> Mapping[str, Option]:
    """Every reading option by name, with label, help and choices: forms and schemas derive from this."""
    known = tuple((fmt.name, fmt.title) for fmt in formats() if not fmt.hidden)
    return {**OPTIONS, "format": replace(OPTIONS["format"], choices=known)}


def read(
    path_or_file: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    kinds: Collection[str] = (Trajectory.kind,),
    watch: Watch | None = None,
    **values: Any,
) -> Reading:
    """Read a file of positions.

    Parameters
    ----------
    path_or_file : path or binary file
        What to read; a plain file, or a gzip or zip of files.
    name : str, optional
        The file's name as its owner gave it: data, used for its extension and shown cleaned.
    limits : Limits, optional
        Caps on size, kept while streaming.
    kinds : collection of str
        What the caller takes, of :data:`KINDS`: one kind is read as such, several are distinguished
        by the columns of the table.
    watch : callable, optional
        Called with the share of the file that was read, between 0 and 1; it may raise to stop.
    **values
        Reading options: see :func:`options`. Text is accepted for each. ``members`` may hold those of single members
        of an archive by their names. ``report.as_dict()["decided"]`` of a reading is such a set of options, with which
        nothing is decided again: what a row becomes then depends on that row and the options alone.

    Returns
    -------
    Reading
        The series, sorted by time within each, and a report.

    Raises
    ------
    FormatError
        The file cannot be read; ``code`` names the reason.
    ChoiceNeeded
        The owner must choose between readings; ``parameter`` is the option that decides it.
    ParameterError
        An option is unknown, out of its domain, or unusable with this format.
    """
    chosen, taken, meter = _checked(values), checked(kinds), Meter(limits or Limits(), watch)
    with _opened(path_or_file, name, meter) as (stream, label):
        return _decided(stream, label, chosen, meter, taken)


def preview(
    path_or_file: str | os.PathLike[str] | BinaryIO,
    *,
    name: str | None = None,
    limits: Limits | None = None,
    kinds: Collection[str] = (Trajectory.kind,),
    **values: Any,
) -> Preview:
    """The first rows of a table, and what :func:`read` would take each column for; of an archive its first table.

    Of the file only the beginning is read. Parameters and errors are those of :func:`read`; an error that leaves the
    columns to be seen is the preview's ``problem``.
    """
    chosen, taken, meter = _checked(values), checked(kinds), Meter(limits or Limits())
    with _opened(path_or_file, name, meter) as (stream, label):
        return _preview(stream, label, chosen, meter, taken)


@contextmanager
def _opened(
    path_or_file: str | os.PathLike[str] | BinaryIO, name: str | None, meter: Meter
) -> Iterator[tuple[BinaryIO, str]]:
    """What is read as a binary file, and its name."""
    if isinstance(path_or_file, (str, os.PathLike)):
        path = Path(path_or_file)
        with path.open("rb") as stream:
            yield stream, path.name if name is None else name
    else:
        yield seekable(path_or_file, meter), str(getattr(path_or_file, "name", "") or "") if name is None else name


def _preview(stream: BinaryIO, name: str, chosen: ReadOptions, meter: Meter, kinds: Kinds) -> Preview:
    def of_kinds(read_as: ReadAs) -> ReadAs:
        def read_one(format: Format, source: Source, chosen: ReadOptions, report: Report) -> Sequence[Trajectory]:
            other = read_tabular(format, source, kinds, chosen, report)
            series = read_as(format, source, chosen, report) if other is None else []
            report.series = (
                [(track.name, len(track)) for track in series] if other is None else [(other[0], len(other[1]))]
            )
            sense.check(series, chosen, report)
            return series

        return read_one

    read_as = of_kinds(_read_as)
    if _is_zip(stream):
        format = _format_of(stream, meter)
        if format is not None and format.head is not None:
            source = Source(stream, name, Meter(meter.limits))
            known = replace(chosen, format=format.name)
            return preview_of(source, known, Report(file=display_name(name)), meter, read_as)
        return preview_zip(stream, chosen, meter, of_kinds(_read_member))
    return preview_of(_source(stream, name, meter), chosen, Report(file=display_name(name)), meter, read_as)


def _checked(values: Mapping[str, Any]) -> ReadOptions:
    chosen = ReadOptions.of(values)
    known = [value for value, _ in options()["format"].choices]
    if chosen.format is not None and chosen.format not in known:
        rule = f"must be one of {', '.join(known)}"
        raise ParameterError(f"format {rule}", field="format", rule=rule, value=chosen.format)
    return chosen


def _decided(stream: BinaryIO, name: str, chosen: ReadOptions, meter: Meter, kinds: Kinds) -> Reading:
    """The file as :func:`_read` has it, and what was decided; read once more with that where the report states so."""
    first = _read(stream, name, chosen, meter, kinds)
    sense.check(first.series, chosen, first.report)
    first.report.decided = _stated(chosen, first.report)
    if not first.report.again or chosen.applied:
        return first
    stream.seek(0)
    known = ReadOptions.of(first.report.decided)
    second = _read(stream, name, known, Meter(meter.limits, meter.watch), checked((first.kind,)))
    second.report.guesses, second.report.people = first.report.guesses, first.report.people
    second.report.decided, second.report.given = first.report.decided, first.report.given
    return second


def _stated(chosen: ReadOptions, report: Report) -> dict[str, Any]:
    """The options with which nothing is decided again: those that were stated, and what was decided."""
    given = {name: value for name, value in vars(chosen).items() if value is not None}
    return given | report.decided | {"automatic": "no"}


def _read(stream: BinaryIO, name: str, chosen: ReadOptions, meter: Meter, kinds: Kinds) -> Reading:
    given = frozenset(option for option, value in vars(chosen).items() if value is not None)
    report = Report(file=display_name(name), given=given)
    if _is_zip(stream):
        format = _format_of(stream, meter)
        if format is not None:
            report.format, report.format_title = format.name, format.title
            source = Source(stream, name, Meter(meter.limits))
            other = read_tabular(format, source, kinds, chosen, report)
            if other is not None:
                return _of_kind(*other, report)
            series = _read_as(format, source, chosen, report)
            report.series = [(track.name, len(track)) for track in series]
            return Reading(series, report)
        other = read_archive(stream, kinds, chosen, report, meter)
        if other is not None:
            return _of_kind(*other, report)
        series = read_zip(stream, chosen, report, meter, _read_one)
        report.series = [(track.name, len(track)) for track in series]
        return Reading(series, report)
    return _read_source(_source(stream, name, meter), chosen, report, kinds)


def _format_of(stream: BinaryIO, meter: Meter) -> Format | None:
    """The format of which the archive is a single file, by the names in it."""
    try:
        with opened(stream, meter) as archive:
            fmt = detect_archive([info.filename for info in archive.infolist()])
    except FormatError as error:
        stream.seek(0)
        if error.code == "damaged_archive" and is_packed_spreadsheet(stream.read(1 << 16)):
            message = "This is a damaged spreadsheet. Open it, save it again as .xlsx or CSV, and upload that."
            raise FormatError(message, code="bad_workbook") from error
        raise
    stream.seek(0)
    return fmt


def _begins(stream: BinaryIO) -> bytes:
    stream.seek(0)
    magic = stream.read(4)
    stream.seek(0)
    return magic


def _is_zip(stream: BinaryIO) -> bool:
    return _begins(stream) in (b"PK\x03\x04", b"PK\x05\x06")


def _source(stream: BinaryIO, name: str, meter: Meter) -> Source:
    """The file, out of its gzip if it is compressed."""
    if not _begins(stream).startswith(b"\x1f\x8b"):
        meter.expected = size_of(stream)
        return Source(stream, name, meter)
    source = inflated(stream, name, meter)
    if source.head.startswith((b"PK\x03\x04", b"\x1f\x8b")):
        raise nested(source.head)
    return source


def _read_source(source: Source, chosen: ReadOptions, report: Report, kinds: Kinds) -> Reading:
    format = detect(source, chosen)
    report.format, report.format_title = format.name, format.title
    other = read_tabular(format, source, kinds, chosen, report)
    if other is not None:
        return _of_kind(*other, report)
    series = _read_as(format, source, chosen, report)
    report.series = list(zip(labels_of(series)[0], lengths_of(series), strict=True))
    return Reading(series, report)


def _of_kind(kind: str, other: Any, report: Report) -> Reading:
    report.series = [(kind, len(other))]
    return Reading([], report, other, kind)


def _read_one(source: Source, chosen: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """One member of an archive."""
    format = detect(source, chosen)
    report.format, report.format_title = format.name, format.title
    return _read_member(format, source, chosen, report)


def _read_member(format: Format, source: Source, chosen: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """As :func:`_read_as`, but options that this member cannot use may be for others; never so that of the person."""
    report.unused = {error.field: error for error in format.unusable(chosen)}
    if "person" in report.unused:
        raise report.unused["person"]
    return _read_as(format, source, replace(chosen, **dict.fromkeys(report.unused)), report)


def _read_as(format: Format, source: Source, chosen: ReadOptions, report: Report) -> Sequence[Trajectory]:
    other = misnamed(format, source.name)
    for error in format.unusable(chosen):
        raise error
    if chosen.person == "folder":
        rule = "an archive of folders"
        raise ParameterError("person can be folder only in an archive", field="person", rule=rule, value="folder")
    if other is not None and chosen.format is None:
        message = f"The file is called .{extension(source.name)} but holds {format.title}, and was read as that."
        report.note("extension", message)
    series = format.read(source, chosen, report)
    unused = [error.field for error in format.unusable(ReadOptions.of(report.decided))]
    report.decided = {name: value for name, value in report.decided.items() if name not in unused}
    report.decide("format", format.name)
    roles = {} if report.layout is None else report.layout.roles
    if "landmark" in roles and chosen.landmark is None and all(track.marked is None for track in series):
        del roles["landmark"]  # its cells are neither yes nor no
    describe(report)
    return series
