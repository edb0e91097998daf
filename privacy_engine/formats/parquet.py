"""Parquet with plain columns of positions, as in our own export: series, time, lon, lat; GeoParquet with geometries."""

from __future__ import annotations

import io
from typing import Any

from privacy_engine.core.progress import advance
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa, pq, translated
from privacy_engine.formats.columnar import COLUMNAR, cells, plan, series_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.head_sample import Head
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Source, size_of

MAX_ROWS = 20_000_000
_BYTES_PER_ROW = 32
_HEAD_ROWS = 200
_SAMPLE_ROWS = 60


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a Parquet file."""
    report.unit = "row"
    data = source.read()
    with translated(_bad):
        file = _opened(pa.BufferReader(data), len(data), source)
        chosen = plan(file.schema_arrow, file.metadata.metadata, _sample(file), options, report)
        advance()
        table = file.read(columns=chosen.columns)
    return series_of(table, chosen, report)


def _sample(file: Any) -> list[list[str]]:
    """The first rows as text."""
    batch = next(file.iter_batches(batch_size=_SAMPLE_ROWS, use_threads=False), None)
    return [] if batch is None else cells(batch, _SAMPLE_ROWS)


def _opened(stream: Any, size: int, source: Source) -> Any:
    """The file, after a check of the sizes that it declares."""
    file = pq.ParquetFile(stream, buffer_size=1 << 16)
    declared = sum(file.metadata.row_group(i).total_byte_size for i in range(file.metadata.num_row_groups))
    limits = source.meter.limits
    if file.metadata.num_rows > MAX_ROWS or declared > limits.whole * 4:
        raise FormatError(f"The file has more than {MAX_ROWS} rows.", code="too_large", rule=f"at most {MAX_ROWS} rows")
    if file.metadata.num_rows * _BYTES_PER_ROW > max(size, 1 << 16) * limits.ratio:
        raise FormatError("The file expands too much to be opened.", code="compression_ratio")
    return file


def whole_table(source: Source) -> Any:
    """All columns; the source can be read again."""
    with translated(_bad):
        data = source.held()
        advance()
        return _opened(pa.BufferReader(data), len(data), source).read()


def head(source: Source, data: bytes, whole: bool) -> Head | None:
    """The first rows as a file of their own; of a file in an archive none, since its columns are named at its end."""
    file = source.whole_file()
    if file is None:
        return None
    with translated(_bad):
        opened = _opened(file, size_of(file), source)
        batch = next(opened.iter_batches(batch_size=_HEAD_ROWS, use_threads=False), None)
        table = pa.Table.from_batches([batch] if batch else [], opened.schema_arrow)
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
        table=whole_table,
    )
)
