"""Zip archives: members are read as streams, one after another, never written anywhere and never nested.

Whose they are: what a column of the members states; else their folders, where these are laid out as Geolife's or are
called person-1, user_2 and so on; else all members are one person's.

An archive of one table of check-ins is read as check-ins. With a list of their venues beside it (columns of the place,
its longitude and latitude, and perhaps its name) the places have names, and check-ins without a position have that of
their place. Members may be packed with gzip inside the archive.
"""

import gzip
import re
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from privacy_engine.core.disk import is_full
from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import MappedSeries, SeriesFile, leave, mapped
from privacy_engine.errors import ChoiceNeeded, EngineError, FormatError
from privacy_engine.formats import folders, gtfs, people
from privacy_engine.formats.detect import is_packed_spreadsheet
from privacy_engine.formats.folders import Member
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import cut
from privacy_engine.formats.source import Meter, Source, display_name, size_of, stem

Reader = Callable[[Source, ReadOptions, Report], Sequence[Trajectory]]
GZIP = b"\x1f\x8b"
PACKED = (b"PK\x03\x04", b"PK\x05\x06", GZIP, b"BZh", b"\xfd7zXZ", b"7z\xbc\xaf", b"Rar!", b"\x28\xb5\x2f\xfd")
_MAX_DIRECTORY = 1 << 23
LARGE_BYTES = 100_000_000  # of text: its series are not held in memory
_JUNK = re.compile(r"(^|/)(__MACOSX(/|$)|\._|\.DS_Store$|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)


def read_zip(stream: BinaryIO, options: ReadOptions, report: Report, meter: Meter, reader: Reader) -> list[Trajectory]:
    """The series of all members that can be read, equal names joined; the others are listed in the report.

    Raises
    ------
    FormatError
        Damaged, too large or too many members, or nothing readable inside.
    """
    report.format, report.format_title, report.unit = "zip", "ZIP archive", "line"
    with opened(stream, meter) as archive:
        members = allowed(archive, report, meter)
        kept, large = _Members(), sum(info.file_size for info in members) > LARGE_BYTES
        failures: list[FormatError] = []
        plain = replace(options, first_n=None, person=folders.of_members(options), series_names=None)
        called = people.numbered([info.filename for info in members])
        known = options.members or {}
        left_out: list[str] = []
        for info, name in zip(reported(members), called, strict=True):
            if name in known and known[name] is None:
                left_out.append(name)
                continue
            try:
                kept.add(_read_member(archive, info, plain.of_member(name), report, meter, reader), keep=not large)
            except ChoiceNeeded:
                raise
            except FormatError as error:
                if error.code in ("too_large", "compression_ratio", "damaged_archive", "encrypted"):
                    raise
                left_out.append(name)
                reason = "nested_member" if error.code == "nested_archive" else "unreadable_member"
                report.drop(reason, 1)
                _list(report, info, reason, error.message)
                failures.append(in_member(error, info))
    if not kept.members:
        raise _nothing(failures)
    members_read = kept.taken()
    _refuse_unused(members_read)
    owned, value, why = folders.owned(members_read, options)
    own_persons = options.person is None and None in owned
    decided = _decided(
        members_read, [name for name in called if name not in {*left_out}], None if own_persons else value
    )
    parts = _same_names(members_read, owned, [info.filename for info in members], options)
    del kept, members_read
    series: Sequence[Trajectory] = [] if large else [_joined(of, report) for of in parts.values()]
    if large:
        series = mapped(_joined(of, report) for of in parts.values())
    del parts
    series = list(people.reported(cut(list(series), options), value, why, options, report))
    series = _marked_throughout(series, report)
    _all_or_none_timed(series)
    report.decide("members", decided.pop("members") | dict.fromkeys(left_out))
    if own_persons:
        report.decided.pop("person")
    report.decided |= decided
    return MappedSeries(series) if large else series


def _decided(members: list[Member], names: list[str], person: str | None) -> dict[str, Any]:
    """What was decided: options on which all members agree, and ``members`` with the others of each by its name.

    ``person`` is whose the members are, None where each member states its own.
    """
    alone = ("person", "series_names")
    own = [dict(member.decided) for member in members]
    for decided in own:
        if person is not None:
            decided.pop("person", None)
        if decided.get("series_names") == "id":  # which is the rule where nothing is stated
            del decided["series_names"]
    same = {name for name in own[0] if name not in alone and all(decided.get(name) == own[0][name] for decided in own)}
    rest = [{name: value for name, value in decided.items() if name not in same} for decided in own]
    return {name: own[0][name] for name in own[0] if name in same} | {
        "members": {name: decided for name, decided in zip(names, rest, strict=True) if decided}
    }


class _Members:
    """Members that were read; the series of those that are too many for memory lie in a file."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self._file: SeriesFile | None = None
        self._counts: list[int | None] = []

    def add(self, member: Member, *, keep: bool) -> None:
        self._counts.append(None if keep else len(member.series))
        if not keep:
            self._file = self._file or SeriesFile()
            for track in member.series:
                self._file.add(track)
            member = replace(member, series=[])
        self.members.append(member)

    def taken(self) -> list[Member]:
        """All of them, with their series."""
        series, at = list(self._file.series()) if self._file else [], 0
        for i, count in enumerate(self._counts):
            if count is not None:
                self.members[i] = replace(self.members[i], series=series[at : at + count])
                at += count
        return self.members


def _refuse_unused(members: list[Member]) -> None:
    """Refuse an option that no member can use."""
    for name, error in members[0].unused.items():
        if all(name in member.unused for member in members):
            raise error


def opened(stream: BinaryIO, meter: Meter) -> zipfile.ZipFile:
    """The archive, after its directory was checked to be small enough to be read at all."""
    size = size_of(stream)
    stream.seek(max(0, size - 65557))
    tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) - at < 22:
        raise _damaged("no central directory")
    entries, directory_size = struct.unpack("<HL", tail[at + 10 : at + 16])
    limit = meter.limits.members_of(size)
    if entries > limit or directory_size > _MAX_DIRECTORY:
        raise _too_many(limit)
    stream.seek(0)
    try:
        archive = zipfile.ZipFile(stream)
    except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError) as error:
        raise _damaged("its directory cannot be read") from error
    if len(archive.infolist()) > limit:
        raise _too_many(limit)
    return archive


def _damaged(why: str) -> FormatError:
    return FormatError(f"The archive is damaged ({why}). Make it again.", code="damaged_archive")


def _too_many(limit: int) -> FormatError:
    message = f"The archive has more than {limit} members. Split it and upload the parts."
    return FormatError(message, code="too_many_members", rule=f"at most {limit} members")


def allowed(archive: zipfile.ZipFile, report: Report, meter: Meter) -> list[zipfile.ZipInfo]:
    """The members to read, in the order of their names; unsafe and junk ones are listed and left alone."""
    members = []
    for info in archive.infolist():
        reason = _why_not(info)
        if reason:
            report.drop(reason, 1)
            _list(report, info, reason, "")
        elif not info.filename.endswith("/"):  # is_dir() refuses a name without letters
            members.append(info)
    names = {info.filename for info in members}
    if "[Content_Types].xml" in names:
        raise FormatError("This is an Office document. Save its table as CSV.", code="other_kind")
    limits = meter.limits
    total, packed = sum(info.file_size for info in members), sum(info.compress_size for info in members)
    if total > limits.total:
        meter.count(total)
    meter.expected = total
    if total > max(1_000_000, limits.ratio * packed):
        message = f"The archive expands to more than {limits.ratio} times its size; such archives are not opened."
        raise FormatError(message, code="compression_ratio", rule=f"at most {limits.ratio} to 1")
    return sorted(_of_one_document(members), key=lambda info: info.filename)


def _of_one_document(members: list[zipfile.ZipInfo]) -> list[zipfile.ZipInfo]:
    """The members to read: of a KMZ the KML and not its images, of a GTFS feed its shapes."""
    by_name = {display_name(info.filename).lower(): info for info in members}
    if "doc.kml" in by_name:
        return [info for info in members if info.filename.lower().endswith(".kml")]
    if len(gtfs.FEED & by_name.keys()) >= 2:
        if gtfs.SHAPES not in by_name:
            raise FormatError("This GTFS feed has no shapes.txt, so it holds no lines.", code="no_points")
        return [by_name[gtfs.SHAPES]]
    return members


def _why_not(info: zipfile.ZipInfo) -> str:
    """``unsafe_member`` for names that lead outside and for links, ``junk_member`` for system files."""
    name = (info.orig_filename or info.filename).replace("\\", "/")
    mode = info.external_attr >> 16
    special = stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR)
    if name.startswith("/") or re.match(r"[A-Za-z]:", name) or ".." in name.split("/") or "\0" in name or special:
        return "unsafe_member"
    return "junk_member" if _JUNK.search(name) else ""


@contextmanager
def member_source(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: Meter, *, unpack: bool = False
) -> Iterator[Source]:
    """The bytes of a member; with ``unpack`` those inside, where the member is a gzip of a file.

    Raises
    ------
    FormatError
        It is encrypted, or damaged.
    """
    if info.flag_bits & 1:
        raise FormatError("The archive is encrypted. Upload it without a password.", code="encrypted")
    try:
        with archive.open(info) as stream:
            source = Source(stream, info.filename, meter, packed=info.compress_size)  # type: ignore[arg-type]
            if unpack and source.head.startswith(GZIP):
                stream.seek(0)
                unpacked: Any = gzip.GzipFile(fileobj=stream, mode="rb")
                source = Source(unpacked, info.filename.removesuffix(".gz"), meter, packed=info.file_size)
            yield source
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, OSError, ValueError) as error:
        if isinstance(error, EngineError) or is_full(error):
            raise
        raise _damaged(f"member {display_name(info.filename)[:60]!r} cannot be read") from error


def nested(head: bytes) -> FormatError:
    """The error of an archive in an archive, which begins with ``head``; a workbook counts as an archive."""
    if is_packed_spreadsheet(head):
        message = "This is a spreadsheet in an archive. Unpack it and upload the spreadsheet, or its table as CSV."
    else:
        message = "Nested archives are not opened. Unpack it and upload what is inside."
    return FormatError(message, code="nested_archive")


def in_member(error: FormatError, info: zipfile.ZipInfo) -> FormatError:
    """The error of a member, its message with the member's name."""
    error.message = f"{display_name(info.filename)[:60]}: {error.message}"
    error.args = (error.message,)
    return error


def _list(report: Report, info: zipfile.ZipInfo, reason: str, message: str) -> None:
    report.members.append({"name": display_name(info.filename), "reason": reason, "message": message})


def _read_member(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, options: ReadOptions, report: Report, meter: Meter, reader: Reader
) -> Member:
    own = Report(file=display_name(info.filename))
    with member_source(archive, info, meter, unpack=True) as source:
        path, own.file = source.name, display_name(source.name)
        if source.head.startswith(PACKED):
            raise nested(source.head)
        series = reader(source, options, own)
    if own.again and not options.applied:
        again = Report(file=own.file)
        with member_source(archive, info, Meter(meter.limits), unpack=True) as source:
            series = reader(source, replace(options, **own.decided, automatic="no"), again)
        again.guesses, again.people, again.decided, own = own.guesses, own.people, own.decided, again
    own.guesses = [guess for guess in own.guesses if guess["option"] != "person"]  # of all members there is one
    report.absorb(own)
    report.unit = own.unit
    report.members.append({"name": own.file, "format": own.format, "points": sum(len(track) for track in series)})
    return Member(path, series, own.people, own.unused, own.decided)


def _same_names(
    members: list[Member], owned: list[str | None], paths: list[str], options: ReadOptions
) -> dict[tuple[str, str], list[Trajectory]]:
    """The series of all members by name and person: those of the same name and person are joined.

    Nameless ones are named after their member, numbered by the ``paths`` of all members, or after their Geolife user,
    whatever the series of others are called.
    ``owned`` are the persons of the members, None where the series have their own.
    """
    parts: dict[tuple[str, str], list[Trajectory]] = {}
    called = dict(zip(paths, people.numbered([stem(path.removesuffix(".gz")) for path in paths]), strict=True))
    for member, owner in zip(reported(members), owned, strict=True):
        path = member.path
        for track in member.series:
            name = track.name
            if path.lower().endswith(".plt") and options.person != "file":
                name = folders.geolife_user(path)
            elif not name:
                name = called.get(path) or called.get(f"{path}.gz") or stem(path)
            person = name if options.person == "series" else track.person if owner is None else owner
            parts.setdefault((name, person), []).append(track.called(name, person))
    return parts


def _joined(parts: list[Trajectory], report: Report) -> Trajectory:
    """The parts of a series and person joined, sorted by time; untimed parts in their order."""
    name, person = parts[0].name, parts[0].person
    if len(parts) == 1:
        return parts[0]
    report.note("members_joined", f"{len(parts)} members were joined into one series.", level="info", count=len(parts))
    lon, lat = (np.concatenate([getattr(part, axis) for part in parts]) for axis in ("lon", "lat"))
    marks = [part.marked for part in _marked_throughout(parts, report) if part.marked is not None]
    marked = np.concatenate(marks) if marks else None
    timed = [part.time_s for part in parts if part.time_s is not None]
    if len(timed) < len(parts):
        if timed:
            raise FormatError("Some members have times and others have none. Upload them apart.", code="mixed_times")
        return Trajectory(lon, lat, None, name, marked, person)
    seconds = np.concatenate(timed)
    order = np.argsort(seconds, kind="stable")
    for part in parts:
        leave(part)
    marked = None if marked is None else marked[order]
    return Trajectory(lon[order], lat[order], seconds[order], name, marked, person)


def _marked_throughout(series: list[Trajectory], report: Report) -> list[Trajectory]:
    """If some members mark landmarks, the events of the others are none."""
    without = [track for track in series if track.marked is None]
    if not without or len(without) == len(series):
        return series
    events = sum(len(track) for track in without)
    report.note(
        "unmarked_members", "Some members have no landmark column; none of their events is marked.", count=events
    )
    return [
        replace(track, marked=np.zeros(len(track), np.bool_)) if track.marked is None else track for track in series
    ]


def _all_or_none_timed(series: list[Trajectory]) -> None:
    if len({track.time_s is None for track in series}) > 1:
        raise FormatError("Some members have times and others have none. Upload them apart.", code="mixed_times")


def _nothing(failures: list[FormatError]) -> FormatError:
    if not failures:
        return FormatError("The archive holds no files to read.", code="empty_archive")
    nested = [error for error in failures if error.code == "nested_archive"]
    return nested[0] if nested else failures[0]
