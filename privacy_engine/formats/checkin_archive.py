"""Check-ins in a ZIP archive: a table of them and, beside it, perhaps a list of their venues."""

import zipfile
from collections.abc import Iterator, Sequence
from typing import BinaryIO, NamedTuple

from privacy_engine.data import CheckIns
from privacy_engine.data.venues import Venues
from privacy_engine.errors import FormatError
from privacy_engine.formats.archive import allowed, in_member, member_source, opened
from privacy_engine.formats.checkin_columns import CHECKINS, layout_of, looks_like, roles_of, venue_roles_of
from privacy_engine.formats.checkins import checkins_of
from privacy_engine.formats.dialect import as_utf8, looks_like_text
from privacy_engine.formats.generic_table import Outline, Table, outline, text_table
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Meter, display_name
from privacy_engine.formats.venues import venues_of

MOST_MEMBERS = 20
"""An archive of more files holds trajectories."""


class Tables(NamedTuple):
    """The members of an archive that hold check-ins, venues, and tables that are neither; ``published`` as below.

    ``published`` is True where the check-ins have the columns of a published data set, which no other file has.
    """

    checkins: Sequence[str]
    venues: Sequence[str]
    others: Sequence[str]
    published: bool


def find_tables(stream: BinaryIO, options: ReadOptions, meter: Meter) -> Tables | None:
    """The tables of an archive by the beginnings of its members; None where there are too many members.

    Raises
    ------
    FormatError
        The archive is damaged, encrypted or too large.
    """
    if options.applied and (known := options.members) is not None:  # of an earlier reading; venues have no options
        return Tables([name for name in known if known[name]], [name for name in known if known[name] == {}], [], True)
    checkins, venues, others, published = [], [], [], False
    own = Meter(meter.limits)
    with opened(stream, own) as archive:
        members = allowed(archive, Report(), own)
        if len(members) > MOST_MEMBERS:
            return None
        for info, table in _outlines(archive, members, options, own):
            shape = table.names, table.sample[:-1] or table.sample, table.headed
            if looks_like(*shape) or {"user", "time"} <= _given(options) & roles_of(*shape, options).keys():
                checkins.append(info.filename)
                published |= not table.headed and layout_of(shape[1], CHECKINS) is not None
            elif venue_roles_of(*shape):
                venues.append(info.filename)
            else:
                others.append(info.filename)
    return Tables(checkins, venues, others, published)


def _given(options: ReadOptions) -> set[str]:
    """The roles of columns that the owner named."""
    return {role for role, column in (("user", options.id), ("time", options.time)) if column}


def _outlines(
    archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo], options: ReadOptions, meter: Meter
) -> Iterator[tuple[zipfile.ZipInfo, Outline]]:
    for info in members:
        try:
            with member_source(archive, info, meter, unpack=True) as source:
                if looks_like_text(source.head):
                    yield info, outline(as_utf8(source.head, Report()), options)
        except FormatError as error:
            if error.code in ("encrypted", "compression_ratio", "too_large"):
                raise


def read_tables(stream: BinaryIO, tables: Tables, options: ReadOptions, report: Report, meter: Meter) -> CheckIns:
    """The check-ins of an archive whose ``tables`` are known, joined with its list of venues.

    Raises
    ------
    FormatError
        There is not exactly 1 table of check-ins, more than 1 list of venues, or nothing usable in a file.
    """
    report.format, report.format_title = "zip", "ZIP archive"
    name, venues = _chosen(tables), None
    _refuse_several(tables.venues, "lists of venues")
    with opened(stream, meter) as archive:
        members = {info.filename: info for info in allowed(archive, report, meter)}
        for unused in sorted(members.keys() - {name, *tables.venues}):
            report.drop("unreadable_member", 1)
            message = "It is neither the table of check-ins nor a list of venues."
            report.members.append({"name": display_name(unused), "reason": "unreadable_member", "message": message})
        for venue in tables.venues:
            venues = _read_venues(archive, members[venue], options.lon_range, report, meter)
        own = options.of_member(name)
        checkins = checkins_of(_table(archive, members[name], meter, own, report), own, report, venues)
        report.decide("members", {venue: {} for venue in tables.venues})
    report.members.append({"name": display_name(name), "format": "csv", "points": len(checkins)})
    return checkins


def _chosen(tables: Tables) -> str:
    """The only table of check-ins; where there is none, the archive's only table, whose columns the error names."""
    _refuse_several(tables.checkins, "tables of check-ins")
    for name in (*tables.checkins, *(tables.others if len(tables.others) == 1 else ())):
        return name
    raise FormatError("The archive holds no table of check-ins.", code="other_kind", rule="one table of check-ins")


def _refuse_several(names: Sequence[str], title: str) -> None:
    if len(names) > 1:
        shown = ", ".join(display_name(name)[:40] for name in names[:5])
        message = f"The archive holds {len(names)} {title} ({shown}). Put one of them into an archive of its own."
        raise FormatError(message, code="several_tables", rule=f"one of the {title}")


def _table(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, meter: Meter, options: ReadOptions, report: Report
) -> Table:
    with member_source(archive, info, meter, unpack=True) as source:
        try:
            return text_table(source.read_lines(), options, report)
        except FormatError as error:
            raise in_member(error, info) from None


def _read_venues(
    archive: zipfile.ZipFile, info: zipfile.ZipInfo, lon_range: str | None, report: Report, meter: Meter
) -> Venues:
    own, options = Report(file=display_name(info.filename)), ReadOptions(lon_range=lon_range)
    venues = venues_of(_table(archive, info, meter, options, own), options, own)
    report.notes += [{**note, "member": own.file} for note in own.notes]
    report.members.append({"name": own.file, "format": "csv", "points": len(venues)})
    return venues
