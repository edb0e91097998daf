"""Parquet with plain columns of positions, as in our own export: series, time, lon, lat; GeoParquet with geometries."""

import io
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from privacy_engine.core.progress import advance
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats import blockwise
from privacy_engine.formats.arrow import pa, pq, translated
from privacy_engine.formats.columnar import COLUMNAR, Plan, cells, plain_points, plan, series_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.head_sample import Head
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import PLAIN_TABLE, Source, size_of

MAX_ROWS = 20_000_000
"""Of a file whose columns are held."""
BLOCK = 1 << 17
"""Rows that are read at once of a longer file."""
_BYTES_PER_ROW = 32
_HEAD_ROWS = 200
_SAMPLE_ROWS = 60


def read(source: Source, options: ReadOptions, report: Report) -> Sequence[Trajectory]:
    """The series of a Parquet file; a long plain one is read block by block, in little memory."""
    report.unit = "row"
    stream = source.whole_file()
    with translated(_bad):
        if stream is not None and (series := _by_blocks(stream, source, options, report)) is not None:
            return series
        data = source.read()
        file = _held(data, source)
        chosen = _chosen(file, options, report)
        advance()
        table = file.read(columns=chosen.columns)
    return series_of(table, chosen, report)


def _by_blocks(stream: BinaryIO, source: Source, options: ReadOptions, report: Report) -> Sequence[Trajectory] | None:
    """None where the file is short, or must be read as a whole (the source is at its start)."""
    size, counted = size_of(stream), source.meter.total
    file = _opened(stream, size, source)
    series = _plain(file, size, source, options, report) if file.metadata.num_rows > BLOCK else None
    if series is None:
        source.meter.total = counted
        source.rewind()
    return series


def _plain(file: Any, size: int, source: Source, options: ReadOptions, report: Report) -> Sequence[Trajectory] | None:
    used, own = replace(options, first_n=None), Report(unit=report.unit, given=report.given, hint=report.hint)
    try:
        chosen = _chosen(file, used, own)
    finally:
        report.layout = own.layout
    if "geometry" in chosen.roles or "landmark" in chosen.roles:
        return None

    def blocks() -> Iterator[blockwise.Block]:
        first = 1
        for batch in file.iter_batches(BLOCK, columns=chosen.columns, use_threads=False):
            rows = np.arange(first, first + len(batch))
            here = deepcopy(own)
            yield plain_points(pa.Table.from_batches([batch]), chosen, rows, here), here
            first += len(batch)
            source.meter.count(size * len(batch) // file.metadata.num_rows)

    return blockwise.series_of(blocks(), chosen.options, options, report, source.meter.limits.points)


def _chosen(file: Any, options: ReadOptions, report: Report) -> Plan:
    sample = cells(_first(file, _SAMPLE_ROWS), _SAMPLE_ROWS)
    return plan(file.schema_arrow, file.metadata.metadata, sample, options, report)


def _first(file: Any, rows: int) -> Any:
    """A table of the first rows."""
    batch = next(file.iter_batches(batch_size=rows, use_threads=False), None)
    return pa.Table.from_batches([batch] if batch else [], file.schema_arrow)


def _opened(stream: Any, size: int, source: Source) -> Any:
    """The file, after a check of the rows that it declares."""
    file = pq.ParquetFile(stream, buffer_size=1 << 16, pre_buffer=False)  # or it holds all it reads
    if file.metadata.num_rows * _BYTES_PER_ROW > max(size, 1 << 16) * source.meter.limits.ratio:
        raise FormatError("The file expands too much to be opened.", code="compression_ratio")
    return file


def _held(data: bytes, source: Source) -> Any:
    """The file whose ``data`` are held, after a check that its columns can be held too."""
    file = _opened(pa.BufferReader(data), len(data), source)
    declared = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    if file.metadata.num_rows > MAX_ROWS or declared > 4 * source.meter.limits.whole:
        rule = f"at most {MAX_ROWS:,} rows and {4 * source.meter.limits.whole / 1e6:g} MB of columns"
        message = f"Of this layout, Parquet files of {rule} are read. {PLAIN_TABLE}"
        raise FormatError(message, code="too_large", rule=rule)
    return file


def table_of(source: Source, rows: int | None) -> Any:
    """All columns, of ``rows`` at the start or of all; the source can be read again."""
    stream = None if rows is None else source.whole_file()
    with translated(_bad):
        if rows is None or stream is None:
            file = _held(source.held(), source)
            advance()
            return file.read() if rows is None else _first(file, rows)
        table = _first(_opened(stream, size_of(stream), source), rows)
        source.rewind()
        return table


def head(source: Source, data: bytes, whole: bool) -> Head | None:
    """The first rows as a file of their own; of a file in an archive none, since its columns are named at its end."""
    file = source.whole_file()
    if file is None:
        return None
    with translated(_bad):
        opened = _opened(file, size_of(file), source)
        table = _first(opened, _HEAD_ROWS)
        out = io.BytesIO()
        pq.write_table(table, out)
        return Head(out.getvalue(), opened.metadata.num_rows <= _HEAD_ROWS, cells(table, _HEAD_ROWS))


def _bad() -> FormatError:
    return FormatError("The Parquet file is damaged or of a kind that is not supported.", code="bad_parquet")


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
        **COLUMNAR,
        source="https://geoparquet.org/releases/v1.1.0/",
        head=head,
        table=table_of,
    )
)
