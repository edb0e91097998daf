"""Counts in tables."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from privacy_engine.data import CountStream
from privacy_engine.formats import stream_layout, streams
from privacy_engine.formats.count_tables import naming_columns
from privacy_engine.formats.generic_table import Table
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.periods import dates_across
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.report import Report
from privacy_engine.formats.table_kind import OTHER_COLUMNS, Columns, Role, TableKind


class CountTables(TableKind):
    """Tables of counts."""

    kind: ClassVar[str] = CountStream.kind
    rank: ClassVar[int] = 1
    title: ClassVar[str] = "counts"
    used = ("count", "time", "separator", "thousands", "withheld", "leave_out")
    roles = (Role("time", "Time"), Role("count", "Count"))
    described = streams, stream_layout.looks_like

    def looks_like(self, columns: Columns) -> bool:
        return stream_layout.looks_like(columns.names, columns.sample)

    def used_columns(self, layout: Layout, decided: Mapping[str, Any]) -> dict[int, str]:
        names = layout.names
        if across := dates_across(names):
            naming = naming_columns(names, layout.sample, across)
            return dict.fromkeys(across, "counts") | dict.fromkeys(naming, "names")
        left = str(decided.get("leave_out", "")).split(", ")
        rest = "counts" if decided.get("count") == stream_layout.WIDE else "names"
        others = {i: rest for i, name in enumerate(names) if f"column:{name}" not in left}
        return others | super().used_columns(layout, decided)

    def is_stated(self, options: ReadOptions) -> bool:
        return options.count is not None

    def recognises(self, columns: Columns, options: ReadOptions, report: Report, *, cautious: bool) -> bool:
        """A table whose positions are under unusual names must not pass for counts: its owner must name them."""
        if self.looks_like(columns):
            if not cautious or (not options.lon and stream_layout.is_certain(*columns)):
                return True
        elif has_positions(columns.names) or not stream_layout.has_several_counts(columns.names, columns.sample):
            return False
        report.hint = "If the table holds counts, choose the kind Count streams (kind=stream)."
        return False

    def read(self, table: Table, options: ReadOptions, report: Report, others: Iterable[TableKind] = ()) -> CountStream:
        columns = Columns(table.names, table.sample, table.headed)
        if titles := [other.title for other in others if other.looks_like(columns)]:
            report.note(OTHER_COLUMNS, f"The columns are those of {titles[-1]}; they were read as counts.")
        return streams.stream_of(table, options, report)


ADAPTER = CountTables()
