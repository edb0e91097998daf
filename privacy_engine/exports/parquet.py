"""Series as Parquet: plain columns, and GeoParquet 1.1 with points in well-known binary; in row groups."""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np

from privacy_engine.core.arrays import Floats
from privacy_engine.core.instants import millis
from privacy_engine.core.progress import blocks
from privacy_engine.data import Trajectory
from privacy_engine.data.mapped_series import leaving
from privacy_engine.data.trajectories import Trajectories, in_blocks
from privacy_engine.exports.base import MAPS, TABLES, ExportFormat, Label, Unclosed, as_json
from privacy_engine.exports.columns import CHUNK, bounds, rounded, several_people
from privacy_engine.formats.arrow import pa, pq

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


FORMATS = (
    ExportFormat(
        "parquet",
        "Parquet",
        MEDIA_TYPE,
        "parquet",
        _write_parquet,
        TABLES,
        "Typed columns, compressed: pandas, Polars, DuckDB, R.",
        bundled=True,
    ),
    ExportFormat(
        "geoparquet",
        "GeoParquet",
        MEDIA_TYPE,
        "geoparquet",
        _write_geoparquet,
        MAPS,
        "Points with times, compressed: geopandas, QGIS, DuckDB.",
    ),
)
