"""Series as Parquet: plain columns, and GeoParquet 1.1 with points in well-known binary; in row groups."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, BinaryIO

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.instants import millis
from privacy_engine.core.progress import blocks
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leaving
from privacy_engine.data.points_digest import CELLS_PER_DEGREE, NO_TIME, SeriesOnGrid, plain_name
from privacy_engine.data.trajectories import Trajectories, in_blocks
from privacy_engine.exports.base import MAPS, TABLES, ExportFormat, Label, Unclosed, as_json
from privacy_engine.exports.columns import CHUNK, bounds, rounded, several_people
from privacy_engine.exports.contents import Contents, Unreadable
from privacy_engine.exports.points import PointContents
from privacy_engine.exports.reading import is_parquet_of, parquet_label
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.wkb import positions

MEDIA_TYPE = "application/vnd.apache.parquet"
GEOMETRY = "geometry"
_WKB_POINT = np.frombuffer(b"\x01\x01\0\0\0", dtype=np.uint8)  # little endian, a point of two dimensions
_ROW_GROUP = 2 * CHUNK


def _schema(series: Sequence[Trajectory], places: list[tuple[str, Any]], metadata: dict[str, str]) -> Any:
    names = ["series", "person"] if several_people(series) else ["series"]
    fields = [(name, pa.string()) for name in names]
    return pa.schema([*fields, ("time", pa.timestamp("ms", "UTC")), *places], metadata)


def _write_parquet(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    degrees = [("lon", pa.float64()), ("lat", pa.float64())]
    _write(series, out, _schema(series, degrees, {"cairn": as_json(dict(label))}))


def _write_geoparquet(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    """The coordinate system is that of the specification where a file names none: OGC:CRS84, degrees of WGS 84."""
    column: dict[str, Any] = {"encoding": "WKB", "geometry_types": ["Point"]}
    if (box := bounds(series)) is not None:
        column["bbox"] = box
    geo = {"version": "1.1.0", "primary_column": GEOMETRY, "columns": {GEOMETRY: column}}
    metadata = {"cairn": as_json(dict(label)), "geo": json.dumps(geo)}
    _write(series, out, _schema(series, [(GEOMETRY, pa.binary())], metadata))


def _write(series: Sequence[Trajectory], out: BinaryIO, schema: Any) -> None:
    with pq.ParquetWriter(Unclosed(out), schema, compression="zstd") as writer:
        waiting: list[Any] = []
        rows = 0  # of all that wait
        for table in _tables(series, schema):
            waiting.append(table)
            rows += len(table)
            if rows >= _ROW_GROUP:
                writer.write_table(pa.concat_tables(waiting))
                waiting, rows = [], 0
        if waiting:
            writer.write_table(pa.concat_tables(waiting))


def _tables(series: Sequence[Trajectory], schema: Any) -> Iterator[Any]:
    for some in in_blocks(series, CHUNK):
        for piece in leaving(some, blocks(len(some.lon), CHUNK)):
            yield _table(some, piece, schema)


def _table(some: Trajectories, piece: slice, schema: Any) -> Any:
    sizes = np.diff(np.clip(some.starts, piece.start, piece.stop))
    lon, lat = rounded(some.lon[piece]), rounded(some.lat[piece])
    times = pa.nulls(len(lon), pa.int64()) if some.time_s is None else pa.array(millis(some.time_s[piece]))
    made: dict[str, Callable[[], Any]] = {
        "series": lambda: _repeated(some.names, sizes),
        "person": lambda: _repeated(some.persons, sizes),
        "time": lambda: times.cast(schema.field("time").type),
        "lon": lambda: lon,
        "lat": lambda: lat,
        GEOMETRY: lambda: _points(lon, lat),
    }
    return pa.table([made[name]() for name in schema.names], schema=schema)


def _repeated(texts: Sequence[str], sizes: Any) -> Any:
    numbers = np.repeat(np.arange(len(sizes), dtype=np.int32), sizes)
    return pa.DictionaryArray.from_arrays(pa.array(numbers), pa.array(texts, pa.string())).cast(pa.string())


def wkb_points(lon: Floats, lat: Floats, head: bytes = b"") -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Points in well-known binary, each after ``head``: (n, len(head) + 21) bytes."""
    before = np.concatenate([np.frombuffer(head, dtype=np.uint8), _WKB_POINT])
    points = np.empty((len(lon), len(before) + 16), dtype=np.uint8)
    points[:, : len(before)] = before
    points[:, len(before) :] = np.column_stack([lon, lat]).astype("<f8").view(np.uint8)
    return points


def _points(lon: Floats, lat: Floats) -> Any:
    size = len(_WKB_POINT) + 16
    offsets = np.arange(len(lon) + 1, dtype=np.int32) * size
    return pa.Array.from_buffers(
        pa.binary(), len(lon), [None, pa.py_buffer(offsets), pa.py_buffer(wkb_points(lon, lat))]
    )


def _begins(data: bytes) -> bool:
    return is_parquet_of(Trajectory.kind, data)


def _read(data: bytes) -> Contents:
    """A Parquet table whose schema's metadata holds the label."""
    try:
        schema = pq.read_schema(io.BytesIO(data))
        names = [name for name in ("series", "person") if name in schema.names]
        places = [GEOMETRY] if GEOMETRY in schema.names else ["lon", "lat"]
        table = pq.read_table(io.BytesIO(data), columns=[*names, "time", *places])
        texts = [table.column(name).to_pylist() for name in names]
        if places == [GEOMETRY]:
            points = positions(table.column(GEOMETRY).to_pylist())
            lon, lat = points.lon, points.lat
        else:
            lon, lat = (np.asarray(table.column(axis).to_numpy(), dtype=np.float64) for axis in places)
        times = table.column("time").cast(pa.timestamp("ms", "UTC")).cast(pa.int64()).fill_null(NO_TIME).to_numpy()
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
        raise Unreadable("The file is not a table that Cairn exported.") from error
    off_grid, axes = [], []
    for axis in (lon, lat):
        if not (np.isfinite(axis) & (np.abs(axis) <= 180)).all():
            raise Unreadable("A position is no number of degrees.")
        cells = np.round(axis * CELLS_PER_DEGREE)
        off_grid += [repr(value) for value in axis[cells / CELLS_PER_DEGREE != axis].tolist()]
        axes.append(cells.astype(np.int64))
    series, start = [], 0
    for whose, group in groupby(zip(*texts, strict=True)):
        end = start + sum(1 for _ in group)
        name, person = (plain_name(str(text or "")) for text in (*whose, "")[:2])
        series.append(SeriesOnGrid(name, axes[0][start:end], axes[1][start:end], times[start:end], person))
        start = end
    return PointContents(parquet_label(schema), off_grid, series=series)


FORMATS = (
    ExportFormat(
        Trajectory.kind,
        "parquet",
        "Parquet",
        MEDIA_TYPE,
        "parquet",
        _write_parquet,
        _read,
        _begins,
        TABLES,
        "Typed columns, compressed: pandas, Polars, DuckDB, R.",
        bundled=True,
        rank=1,
    ),
    ExportFormat(
        Trajectory.kind,
        "geoparquet",
        "GeoParquet",
        MEDIA_TYPE,
        "geoparquet",
        _write_geoparquet,
        _read,
        _begins,
        MAPS,
        "Points with times, compressed: geopandas, QGIS, DuckDB.",
        rank=1,
    ),
)
