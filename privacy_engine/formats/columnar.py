"""Tables whose columns come as Arrow arrays: positions in two columns, or geometries as bytes or as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from privacy_engine.core.progress import advance
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats import crs
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.attributes import beside, points_of, points_of_columns
from privacy_engine.formats.columns import assign, named_place, place_of
from privacy_engine.formats.geoparquet import Geometry, geometries, geometry_column, is_binary
from privacy_engine.formats.instants import END_ROLES, TIME_ROLES
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.numbers import position
from privacy_engine.formats.options import COLUMNS, TIMED, ReadOptions
from privacy_engine.formats.points import Points
from privacy_engine.formats.position_columns import has_positions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.well_known_text import geometry_cells, of_texts

COLUMNAR: dict[str, Any] = {
    "rank": 10,
    "keeps": "times, series, landmarks, coordinate system",
    "options": ("decimal", "lon", "lat", "geometry", "clock", "end", "id", "landmark", "ends", *TIMED),
    "columns": COLUMNS,
    "person": "a column, as of a CSV table",
    "tabular": True,
}
"""What the formats of such tables declare alike."""

_ROLES = ("lon", "lat", "id", "person", "landmark", *TIME_ROLES, *END_ROLES)


@dataclass(frozen=True)
class Plan:
    """Which column has which role, and the options with the coordinate system that the file states."""

    roles: dict[str, str]
    options: ReadOptions
    e7: bool = False

    @property
    def columns(self) -> list[str]:
        """The columns that are needed."""
        return list(dict.fromkeys(self.roles.values()))


def plan(
    schema: Any,
    metadata: Mapping[bytes, bytes] | None,
    sample: Sequence[Sequence[str]],
    options: ReadOptions,
    report: Report,
) -> Plan:
    """The roles of a table's columns, by the file's metadata, their names and a ``sample`` of their cells.

    Raises
    ------
    FormatError
        No column can hold the positions.
    """
    names = schema.names
    report.layout = Layout(names, sample=sample)
    if options.geometry is None and (options.lon is not None or options.lat is not None or has_positions(names)):
        places, e7 = assign(names, sample, options, report)
        return Plan({role: names[place] for role, place in places.items() if role in _ROLES}, options, e7)
    geometry = geometry_column(schema, metadata)
    text = None if geometry else geometry_cells(names, sample)
    if options.geometry is not None:
        place = place_of("geometry", names, options.geometry)
        geometry, text = (
            (None, place) if _is_text(schema.field(place).type) else (geometry or Geometry(names[place], ""), None)
        )
    if geometry is None and text is None:
        assign(names, sample, options, report)  # which names what is missing
    roles = beside(names, sample, options, report)
    if geometry is not None:
        options, roles["geometry"] = crs.in_system(geometry.system, options), geometry.name
    elif text is not None:
        roles["geometry"] = names[text]
    report.layout.roles["geometry"] = names.index(roles["geometry"])
    report.decide("geometry", named_place(report.layout.roles["geometry"]))
    return Plan(roles, options)


def series_of(table: Any, chosen: Plan, report: Report, rows: Any = None) -> list[Trajectory]:
    """The series of a table with the columns of a plan; ``rows`` are the row numbers, from 1 on where None."""
    roles, options = chosen.roles, chosen.options
    if "geometry" in roles:
        column = table.column(roles["geometry"])
        geometry = geometries(column) if not _is_text(column.type) else None
        if geometry is None:
            geometry, options = of_texts(column, options)
        points = points_of(geometry, roles, lambda name: simple(table, name), options, report)
        if rows is not None:
            own = points.rows
            points.rows = lambda index: rows[own(index) - 1]
        return build(points, options, report)
    return build(plain_points(table, chosen, rows, report), options, report)


def plain_points(table: Any, chosen: Plan, rows: Any, report: Report) -> Points:
    """The rows of a table with positions in two columns; see :func:`series_of`."""
    options = chosen.options
    columns = {
        role: table.column(name).combine_chunks() if role == "landmark" else simple(table, name)
        for role in _ROLES
        if (name := chosen.roles.get(role)) is not None
    }
    place = partial(position, columns, decimal=options.decimal or ".", e7=chosen.e7 and options.crs is None)
    numbered = (lambda index: index + 1) if rows is None else rows.__getitem__
    return points_of_columns(columns, chosen.roles, place, numbered, options, report, e7=chosen.e7)


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def simple(table: Any, name: str) -> Any:
    """A column of numbers, text or times as an array.

    Raises
    ------
    FormatError
        It holds something else.
    """
    advance()
    column = table.column(name).combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_date(kind):
        return column.cast(pa.string())
    if pa.types.is_null(kind) or pa.types.is_time(kind):  # a column without any value, as pandas writes it
        return column.cast(pa.string())
    if pa.types.is_decimal(kind):
        return column.cast(pa.float64())
    if (
        pa.types.is_timestamp(kind)
        or pa.types.is_string(kind)
        or pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
    ):
        return column
    raise FormatError(
        f"Column {name[:40]!r} holds {str(kind)[:40]}, not numbers or text.", code="unsupported_column", column=name
    )


def cells(table: Any, count: int) -> list[list[str]]:
    """The first rows of a table or a record batch as texts."""
    columns = (as_texts(table.column(place).slice(0, count)) for place in range(table.num_columns))
    return [list(row) for row in zip(*columns, strict=True)]


def as_texts(column: Any) -> list[str]:
    """The cells of a column as texts to look at."""
    kind = column.type
    if pa.types.is_nested(kind) or is_binary(kind):
        return ["(data)"] * len(column)
    try:
        return list(column.cast(pa.string()).fill_null("").to_pylist())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        return [f"({kind})"] * len(column)
