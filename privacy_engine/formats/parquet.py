"""Parquet with plain columns of positions, as in our own export: series, time, lon, lat; GeoParquet with geometries."""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from privacy_engine.data import KINDS, Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.attributes import coded, points_of
from privacy_engine.formats.columns import assign, assign_beside, has_positions, whose
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.geoparquet import geometries, geometry_column
from privacy_engine.formats.head_sample import Head
from privacy_engine.formats.landmark_column import marks_of
from privacy_engine.formats.layout import Layout
from privacy_engine.formats.numbers import GOOD, numbers, typed
from privacy_engine.formats.options import COLUMNS, TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import Points, build
from privacy_engine.formats.source import Source, size_of
from privacy_engine.formats.times import times

MAX_ROWS = 20_000_000
_BYTES_PER_ROW = 32
_HEAD_ROWS = 200
_ROLES = ("lon", "lat", "time", "id", "person", "landmark")


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a Parquet file."""
    report.unit = "row"
    data = source.read()
    try:
        table, roles, options = _table(data, source, options, report)
    except (pa.ArrowException, OSError, ValueError) as error:
        if isinstance(error, FormatError):
            raise
        raise _bad() from error
    if "geometry" in roles:
        found = geometries(table.column(roles["geometry"]))
        points = points_of(found, roles, lambda name: _simple(table, name), options, report)
        return build(points, options, report)
    lon, lon_reasons = _coordinate(table, roles["lon"])
    lat, lat_reasons = _coordinate(table, roles["lat"])
    when = times(_simple(table, roles["time"]), options) if "time" in roles else None
    points = Points(lon, lat, when, np.where(lat_reasons == GOOD, lon_reasons, lat_reasons))
    if "id" in roles:
        points.codes, points.names = coded(_simple(table, roles["id"]))
    if "person" in roles:
        points.person_codes, points.person_names = coded(_simple(table, roles["person"]))
    points.whose = whose(list(roles.values()), {role: i for i, role in enumerate(roles)}, options)
    if "landmark" in roles:
        points.marks = marks_of(table.column(roles["landmark"]).combine_chunks(), roles["landmark"], options)
    return build(points, options, report)


def _table(
    data: bytes, source: Source, options: ReadOptions, report: Report
) -> tuple[Any, dict[str, str], ReadOptions]:
    """The needed columns by role, and the options with the file's coordinate system."""
    file = _opened(pa.BufferReader(data), len(data), source)
    names = file.schema_arrow.names
    report.layout = Layout(names)
    named = options.lon is not None or options.lat is not None
    geometry = None if named or has_positions(names) else geometry_column(file.schema_arrow, file.metadata.metadata)
    if geometry is not None:
        places = assign_beside(names, [], options, report)
        options = geometry.in_system(options)
    else:
        places, _ = assign(names, [], options, report)
    roles = {role: names[place] for role, place in places.items() if role in _ROLES}
    if geometry is not None:
        roles["geometry"] = geometry.name
        report.layout.roles["geometry"] = names.index(geometry.name)
    return file.read(columns=list(dict.fromkeys(roles.values()))), roles, options


def _opened(stream: Any, size: int, source: Source) -> Any:
    """The file, after a check of the sizes that it declares."""
    file = pq.ParquetFile(stream, buffer_size=1 << 16)
    declared = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    limits = source.meter.limits
    if file.metadata.num_rows > MAX_ROWS or declared > limits.total * 4:
        raise FormatError(f"The file has more than {MAX_ROWS} rows.", code="too_large", rule=f"at most {MAX_ROWS} rows")
    if file.metadata.num_rows * _BYTES_PER_ROW > max(size, 1 << 16) * limits.ratio:
        raise FormatError("The file expands too much to be opened.", code="compression_ratio")
    return file


def whole_table(source: Source) -> Any:
    """All columns; the source can be read again."""
    try:
        data = source.held()
        return _opened(pa.BufferReader(data), len(data), source).read()
    except (pa.ArrowException, OSError, ValueError) as error:
        raise error if isinstance(error, FormatError) else _bad() from error


def head(source: Source, data: bytes, whole: bool) -> Head | None:
    """The first rows as a file of their own; of a file in an archive none, since its columns are named at its end."""
    file = source.whole_file()
    if file is None:
        return None
    try:
        opened = _opened(file, size_of(file), source)
        batch = next(opened.iter_batches(batch_size=_HEAD_ROWS, use_threads=False), None)
        table = pa.Table.from_batches([batch] if batch else [], opened.schema_arrow)
        out = io.BytesIO()
        pq.write_table(table, out)
        columns = [_as_texts(table.column(i)) for i in range(table.num_columns)]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise error if isinstance(error, FormatError) else _bad() from error
    rows = [list(row) for row in zip(*columns, strict=True)]
    return Head(out.getvalue(), opened.metadata.num_rows <= _HEAD_ROWS, rows)


def _as_texts(column: Any) -> list[str]:
    kind = column.type
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return ["(data)"] * len(column)
    try:
        return list(column.cast(pa.string()).fill_null("").to_pylist())
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return [f"({kind})"] * len(column)


def _bad() -> FormatError:
    return FormatError("The Parquet file is damaged or of a kind that is not supported.", code="bad_parquet")


def _simple(table: Any, name: str) -> Any:
    column = table.column(name).combine_chunks()
    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.dictionary_decode()
        kind = column.type
    if pa.types.is_large_string(kind) or pa.types.is_date(kind):
        return column.cast(pa.string())
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


def _coordinate(table: Any, name: str) -> tuple[Any, Any]:
    column = _simple(table, name)
    return numbers(column) if pa.types.is_string(column.type) else typed(column)


def sniff(head: bytes) -> bool:
    """Whether the file begins as Parquet files do."""
    return head.startswith(b"PAR1")


PARQUET = register(
    Format(
        "parquet",
        "Parquet or GeoParquet",
        ("parquet", "pq", "geoparquet"),
        sniff,
        read,
        rank=10,
        keeps="times, series, landmarks, coordinate system",
        options=("lon", "lat", "id", "landmark", *TIMED),
        columns=COLUMNS,
        person="a column, as of a CSV table",
        kinds=tuple(KINDS),
        source="https://geoparquet.org/releases/v1.1.0/",
        head=head,
    )
)
