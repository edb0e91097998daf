"""Immutable Parquet files: tables, plain columns, and masks as bytes."""

from __future__ import annotations

import io
import zlib
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate, chain
from typing import Any, BinaryIO

import numpy as np

from dashboard.storage import parquet_footer
from dashboard.storage.stored_path import Source, decoding, located, written
from privacy_engine.core.arrays import Mask
from privacy_engine.core.progress import advance, blocks, reported
from privacy_engine.data.mapped_series import column, empty, leaving
from privacy_engine.formats.arrow import pa, pq

ROW_GROUP = 1 << 17
"""Rows that are compressed together, and read together where any of them is needed."""


def write_table(path: Source, table: pa.Table, *, differences: Collection[str] = ()) -> None:
    """Store a table; of the columns ``differences`` that it has, whole numbers, those from row to row."""
    write_tables(path, [table], differences=differences)


def write_tables(path: Source, tables: Iterable[pa.Table], *, differences: Collection[str] = ()) -> None:
    """Store the rows of tables of the same schema, of which there must be some, as :func:`write_table` does."""
    coming = iter(tables)
    first = next(coming)
    encoded = [name for name in first.column_names if name in differences]
    with (
        written(path) as out,
        pq.ParquetWriter(
            out,
            first.schema,
            compression="zstd",
            use_dictionary=[name for name in first.column_names if name not in encoded],
            column_encoding=dict.fromkeys(encoded, "DELTA_BINARY_PACKED"),
            write_statistics=False,
            write_page_checksum=True,
        ) as writer,
    ):
        for table in chain([first], coming):
            for some in blocks(table.num_rows, ROW_GROUP) if table.num_rows else [slice(0, 0)]:
                writer.write_table(table.slice(some.start, some.stop - some.start))
    _release()


def join(path: Source, parts: Iterable[Source], *, metadata: Mapping[str, str] | None = None) -> None:
    """Store the rows of files of :func:`write_tables` with the same columns, in turn, as they are encoded.

    The schema is that of the first part, with other ``metadata`` where these are given.
    """
    coming = iter(parts)
    first = next(coming)
    schema = read_schema(first)
    head = io.BytesIO()
    pq.write_table(schema.with_metadata(metadata or schema.metadata).empty_table(), head)
    with written(path) as out:
        parquet_footer.join(out, head, (file for part in chain([first], coming) for file in _contents(part)))


def _contents(part: Source) -> Iterator[BinaryIO]:
    with located(part) as local, local.open("rb") as file:
        yield file


@contextmanager
def _opened(path: Source) -> Iterator[Any]:
    """The open file, whose pages are compared with their checksums as they are read, if they were written with some.

    Raises
    ------
    DamagedFile
        It is a stored file, and what is read of it is not what was written.
    """
    with (
        decoding(path),
        located(path) as local,
        pq.ParquetFile(local, page_checksum_verification=True, pre_buffer=False) as file,  # or it holds all it reads
    ):
        yield file


def read_table(path: Source, columns: Sequence[str] | None = None) -> pa.Table:
    """The table of :func:`write_table`, or some of its columns.

    Without the libraries for many files at once (10 MB) and without threads of its own (7 MB on two cores), which save
    a wait of 10 ms with a million rows.
    """
    with _opened(path) as file:
        return file.read(columns=None if columns is None else list(columns), use_threads=False)


def _release() -> None:
    """Return the memory of what was read or written to the system: 100 MB, which a job would have to its end."""
    pa.default_memory_pool().release_unused()


def read_schema(path: Source) -> pa.Schema:
    """The schema of the table of :func:`write_table`, with its metadata; no column is read."""
    with _opened(path) as file:
        return file.schema_arrow


def write_columns(path: Source, parts: Iterable[dict[str, Any]], *, differences: Collection[str] = ()) -> None:
    """Store plain columns (budgets; the owner's errors) that come in parts, in turn; no file without any."""
    tables = (pa.table({name: pa.array(values) for name, values in columns.items()}) for columns in parts)
    for first in tables:
        write_tables(path, chain([first], tables), differences=differences)


def read_batches(
    path: Source, rows: int, columns: Sequence[str] | None = None
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """The schema of the table of :func:`write_table`, and the rows of some or all columns, so many at most at once."""
    return read_schema(path), _batches(path, rows, columns)


def _batches(path: Source, rows: int, columns: Sequence[str] | None) -> Iterator[pa.RecordBatch]:
    with _opened(path) as file:
        yield from reported(file.iter_batches(rows, columns=columns, use_threads=False))
    _release()


class Rows:
    """Rows of the table of :func:`write_table` by their numbers; the group that was read last is kept."""

    def __init__(self, path: Source, columns: Sequence[str] | None = None) -> None:
        self._path, self._columns = path, None if columns is None else list(columns)
        self._start = self._end = 0
        self._held: dict[str, Any] = {}
        self._ends: list[int] = []

    def columns(self, first: int, last: int) -> dict[str, Any]:
        """The columns of the rows from ``first`` to before ``last``, those of many rows in files."""
        if self._start <= first < self._end >= last:
            return self._of_held(first, last)
        columns: dict[str, Any] = {}
        for piece in self._pieces(first, last):
            for name, values in piece.items():
                columns.setdefault(name, column(values.dtype, last - first)).add(values)
        return {name: part.taken() for name, part in columns.items()}

    def _pieces(self, first: int, last: int) -> Iterator[dict[str, Any]]:
        """The same, group by group; a piece at the least."""
        if self._start <= first < self._end:
            yield self._of_held(first, last)
            first = self._end
        with _opened(self._path) as file:
            if not self._ends:
                groups = map(file.metadata.row_group, range(file.num_row_groups))
                self._ends = list(accumulate(group.num_rows for group in groups))
            if first == last:
                yield _arrays(file.read_row_groups([], columns=self._columns))
            while first < min(last, self._ends[-1]):
                advance()
                group = bisect_right(self._ends, first)
                self._start, self._end = self._ends[group - 1] if group else 0, self._ends[group]
                self._held = _arrays(file.read_row_group(group, columns=self._columns, use_threads=False))
                yield self._of_held(first, last)
                first = self._end

    def _of_held(self, first: int, last: int) -> dict[str, Any]:
        return {name: values[first - self._start : last - self._start] for name, values in self._held.items()}


def _arrays(table: pa.Table) -> dict[str, Any]:
    return {name: table.column(name).to_numpy() for name in table.column_names}


def rows_of(path: Source) -> int:
    """How many rows a file of :func:`write_table` has."""
    with _opened(path) as file:
        return int(file.metadata.num_rows)


def pack_mask(mask: Mask) -> bytes:
    """A mask as bytes for a row: runs, so that landmark sets of long stays are small."""
    return zlib.compress(np.packbits(mask).tobytes(), 6)


def unpack_mask(data: bytes, n: int) -> Mask:
    """The mask of :func:`pack_mask`."""
    bits, mask = np.frombuffer(zlib.decompress(bytes(data)), dtype=np.uint8), empty(n, np.bool_)
    for some in leaving([mask], blocks(n)):  # of whole bytes
        mask[some] = np.unpackbits(bits[some.start // 8 :], count=some.stop - some.start)
    mask.setflags(write=False)
    return mask
