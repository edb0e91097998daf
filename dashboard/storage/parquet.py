"""One immutable Parquet file for each dataset and release.

Positions are int32 multiples of 1e-7 degrees, times int64 milliseconds.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dashboard.storage.local_files import written
from privacy_engine.data import Floats, Ints, Mask, Release, Trajectory
from privacy_engine.people import Person, people_of

E7 = 1e7
_DELTA = {"lon": "DELTA_BINARY_PACKED", "lat": "DELTA_BINARY_PACKED", "time_ms": "DELTA_BINARY_PACKED"}


def write_table(path: Path, table: pa.Table) -> None:
    """Store a table."""
    whole = [field.name for field in table.schema if pa.types.is_integer(field.type)]
    encoded = {name: how for name, how in _DELTA.items() if name in whole}
    plain = [name for name in table.column_names if name not in encoded]
    with written(path) as out:
        pq.write_table(
            table,
            out,
            compression="zstd",
            use_dictionary=plain,
            column_encoding=encoded,
            write_statistics=False,
        )


def read_table(path: Path) -> pa.Table:
    """The table of :func:`write_table`."""
    return pq.read_table(path)


def _positions(series: Sequence[Trajectory]) -> dict[str, pa.Array]:
    lengths = [len(one) for one in series]
    columns = {
        "series": pa.array(np.repeat(np.arange(len(series), dtype=np.int32), lengths)),
        "lon": pa.array(_scaled([one.lon for one in series])),
        "lat": pa.array(_scaled([one.lat for one in series])),
    }
    if all(one.time_s is not None for one in series):
        times = [one.time_s for one in series if one.time_s is not None]
        columns["time_ms"] = pa.array(np.round(_joined(times) * 1000).astype(np.int64))
    return columns


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)


def _scaled(parts: Sequence[Floats]) -> np.ndarray:
    return np.round(_joined(parts) * E7).astype(np.int32)


def _names(series: Sequence[Trajectory]) -> dict[bytes, bytes]:
    names = {"series": [one.name for one in series], "people": [one.person for one in series]}
    return {key.encode(): json.dumps(value).encode() for key, value in names.items()}


def write_points(path: Path, series: Sequence[Trajectory]) -> None:
    """Store the series of a dataset."""
    columns = _positions(series)
    if any(one.marked is not None for one in series):
        marks = [np.zeros(len(one), dtype=np.bool_) if one.marked is None else one.marked for one in series]
        columns["marked"] = pa.array(np.concatenate(marks))
    write_table(path, pa.table(columns).replace_schema_metadata(_names(series)))


def write_release(path: Path, releases: Sequence[Release]) -> None:
    """Store a release: published positions with the event each stands for."""
    columns = _positions([one.series for one in releases])
    columns["event"] = pa.array(np.concatenate([one.event for one in releases]) if releases else np.empty(0, np.int64))
    write_table(path, pa.table(columns).replace_schema_metadata(_names([one.series for one in releases])))


def read_points(path: Path) -> list[Trajectory]:
    """The series of :func:`write_points` or the published ones of :func:`write_release`."""
    return [trajectory for trajectory, _ in _read(path)]


def read_release(path: Path) -> list[tuple[Trajectory, Ints]]:
    """Published series, each with the events its positions stand for."""
    return [(trajectory, event) for trajectory, event in _read(path) if event is not None]


def _read(path: Path) -> Iterator[tuple[Trajectory, Ints | None]]:
    table = pq.read_table(path)
    for person, (name, column) in zip(_people(table.schema), _stored(table), strict=True):
        time_s = column["time_ms"] / 1000 if "time_ms" in column else None
        series = Trajectory(column["lon"] / E7, column["lat"] / E7, time_s, name, column.get("marked"), person)
        yield series, column.get("event")


def _people(schema: pa.Schema) -> list[str]:
    """Whose each series is; in a file from before people were known all are of one person, which assumes the least."""
    found = json.loads(schema.metadata.get(b"people", b"null"))
    return found or [""] * len(json.loads(schema.metadata[b"series"]))


def read_people(path: Path) -> list[Person]:
    """The people of a file of points; times are read only where a person has several series."""
    schema = pq.read_schema(path)
    names = _people(schema)
    several = len(set(names)) < len(names) and "time_ms" in schema.names
    table = pq.read_table(path, columns=["series", *["time_ms"] * several])
    ends = np.searchsorted(table.column("series").to_numpy(), np.arange(len(names) + 1))
    times = [column.get("time_ms") for _, column in _stored(table)]
    return people_of(names, np.diff(ends).tolist(), times)


def read_stored(path: Path) -> list[tuple[str, dict[str, np.ndarray]]]:
    """The series' names and columns as they lie in the file: whole numbers."""
    return _stored(pq.read_table(path))


def _stored(table: pa.Table) -> list[tuple[str, dict[str, np.ndarray]]]:
    names = json.loads(table.schema.metadata[b"series"])
    column = {name: table.column(name).to_numpy() for name in table.column_names}
    ends = np.searchsorted(column.pop("series"), np.arange(len(names) + 1))
    return [
        (name, {key: values[i:j] for key, values in column.items()})
        for name, i, j in zip(names, ends[:-1], ends[1:], strict=True)
    ]


def write_columns(path: Path, columns: dict[str, Floats]) -> None:
    """Store plain columns of equal length (budgets; the owner's errors)."""
    write_table(path, pa.table({name: pa.array(values) for name, values in columns.items()}))


def read_columns(path: Path) -> dict[str, Floats]:
    """The columns of :func:`write_columns`."""
    table = pq.read_table(path)
    return {name: table.column(name).to_numpy() for name in table.column_names}


def pack_mask(mask: Mask) -> bytes:
    """A mask as bytes for a row: runs, so that landmark sets of long stays are small."""
    return zlib.compress(np.packbits(mask).tobytes(), 6)


def unpack_mask(data: bytes, n: int) -> Mask:
    """The mask of :func:`pack_mask`."""
    bits = np.frombuffer(zlib.decompress(bytes(data)), dtype=np.uint8)
    return np.unpackbits(bits, count=n).astype(np.bool_)
