"""Positions: every format reads them in its own way."""

from typing import Any, ClassVar

from privacy_engine.data import Trajectory
from privacy_engine.formats.geoparquet import geometry_column
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.report import Report
from privacy_engine.formats.table_kind import Columns, TableKind


class PositionTables(TableKind):
    """Tables of positions, also under unusual names, which their owner must name."""

    kind: ClassVar[str] = Trajectory.kind
    rank: ClassVar[int] = 0
    title: ClassVar[str] = "positions"
    by_format: ClassVar[bool] = True

    def looks_like(self, columns: Columns) -> bool:
        return has_positions(columns.names)

    def claims(self, table: Any) -> bool:
        return bool(geometry_column(table.schema, table.schema.metadata))

    def recognises(self, columns: Columns, options: ReadOptions, report: Report, *, cautious: bool) -> bool:
        return True


ADAPTER = PositionTables()
