"""Data and releases of every kind in files: the data type decides what the table of a file holds."""

from functools import lru_cache
from threading import Lock
from typing import Any

from dashboard.storage import parquet
from dashboard.storage.large_files import BATCH, StoredSeries
from dashboard.storage.stored_path import Source, StoredPath, decoding, located, stored_files
from privacy_engine.data.mapped_series import FEW
from privacy_engine.datatypes import datatypes

SMALL_BYTES = 16_000_000
"""A file of a release that may be held in memory."""
LARGE_BYTES = 2_000_000
_reading = Lock()


def write_data(kind: str, path: Source, data: Any) -> None:
    """Store data of a kind at ``path``."""
    parquet.write_tables(path, datatypes[kind].to_tables(data), differences=datatypes[kind].slow_columns)


def read_data(kind: str, path: Source) -> Any:
    """Return the data of :func:`write_data`; those of a large file are read batch by batch."""
    with decoding(path):
        if parquet.rows_of(path) > FEW:
            return datatypes[kind].from_batches(*parquet.read_batches(path, BATCH))
        return datatypes[kind].from_table(parquet.read_table(path))


def cached_data(kind: str, path: StoredPath) -> Any:
    """Return :func:`read_data`, the last ones read from memory: files of data never change."""
    if not stored_files().shared:  # whose copy would be fetched again for what is in memory
        path.require_sound()
    return _cached_data(kind, path)


@lru_cache(maxsize=8)
def _cached_data(kind: str, path: StoredPath) -> Any:
    return read_data(kind, path)


cached_data.cache_clear = _cached_data.cache_clear  # type: ignore[attr-defined]


def write_release(kind: str, path: Source, release: Any) -> None:
    """Store what a release of a kind publishes at ``path``."""
    parquet.write_tables(path, datatypes[kind].release_to_tables(release), differences=datatypes[kind].slow_columns)


def read_release(kind: str, path: Source) -> Any:
    """Return what :func:`write_release` stored; series of a large file are read when they are needed."""
    datatype = datatypes[kind]
    if datatype.series_of_release and parquet.rows_of(path) > FEW:
        return StoredSeries(path, datatype.series_of_release)
    with decoding(path):
        return datatype.release_from_table(parquet.read_table(path))


def is_large(path: Source) -> bool:
    """Whether a file of any kind is of those that a web server leaves to its computing process."""
    with located(path) as local:
        return local.stat().st_size > LARGE_BYTES


def cached_release(kind: str, path: Source) -> Any:
    """Return :func:`read_release`; of small files the last two from memory, read once by requests at the same time."""
    with located(path) as local:
        size = local.stat().st_size
    if size > SMALL_BYTES:
        return read_release(kind, path)
    with _reading:
        return _cached_release(kind, path)


@lru_cache(maxsize=2)
def _cached_release(kind: str, path: Source) -> Any:
    return read_release(kind, path)
