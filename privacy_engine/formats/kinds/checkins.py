"""Check-ins in tables, and in an archive beside a list of their venues."""

from collections.abc import Iterable
from functools import partial
from typing import BinaryIO, ClassVar

from privacy_engine.data import CheckIns
from privacy_engine.formats import checkin_archive, checkin_columns, checkins
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Meter
from privacy_engine.formats.table_kind import Archive, Columns, Role, TableKind


class CheckInTables(TableKind):
    """Tables of check-ins."""

    kind: ClassVar[str] = CheckIns.kind
    rank: ClassVar[int] = 2
    title: ClassVar[str] = "check-ins"
    used = ("lon", "lat", "time", "clock", "id", "place", "lon_range", "zeros")
    used_if_known = ("decimal",)
    roles = (
        *(Role("id", "User", needed=True), Role("time", "Time", needed=True), Role("place", "Place")),
        *(Role("lat", "Latitude", needed=True), Role("lon", "Longitude", needed=True)),
    )
    described = checkins, checkin_columns.looks_like

    def looks_like(self, columns: Columns) -> bool:
        return checkin_columns.looks_like(*columns)

    def recognises(self, columns: Columns, options: ReadOptions, report: Report, *, cautious: bool) -> bool:
        """A table of users and places without times is none; the error about it states what check-ins need."""
        if checkin_columns.lacks_times(*columns):
            report.hint = "If these are check-ins, add a column of times: the day, month or year of each is enough."
        return self.looks_like(columns)

    def read(self, table: Table, options: ReadOptions, report: Report, others: Iterable[TableKind] = ()) -> CheckIns:
        return checkins.checkins_of(table, options, report)

    def archive(self, stream: BinaryIO, options: ReadOptions, meter: Meter, *, stated: bool) -> Archive | None:
        tables = checkin_archive.find_tables(stream, options, meter)
        if tables is None or not (stated or len(tables.checkins) == 1 or (tables.checkins and tables.published)):
            return None
        read = partial(checkin_archive.read_tables, stream, tables, options, meter=meter)
        return Archive(tables.checkins or tables.others, read)


ADAPTER = CheckInTables()
