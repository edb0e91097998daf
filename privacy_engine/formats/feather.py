"""Feather (version 2) and Arrow IPC, files and streams, as pandas, polars and R write them, compressed or not.

A file is read as the stream that it begins with, so that what is unpacked is what was checked; its footer is not used.
"""

import io
from collections.abc import Sequence
from typing import Any

from privacy_engine.core.progress import reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa, translated
from privacy_engine.formats.columnar import COLUMNAR, cells, plan, series_of
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.head_sample import Head
from privacy_engine.formats.ipc_sizes import declared
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.parquet import MAX_ROWS
from privacy_engine.formats.people import numbered
from privacy_engine.formats.report import Report
from privacy_engine.formats.source import Limits, Source

_FILE, _VERSION_1, _STREAM = b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"
_PADDED = 8  # bytes of the mark of a file, before its stream
_HEAD_ROWS = 200
_SAMPLE_ROWS = 60
_LONGEST_SCHEMA = 1 << 24


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The series of a Feather file, an Arrow file or an Arrow stream."""
    report.unit = "row"
    with translated(_bad):
        stream = _stream(source.read(), source.meter.limits)
        schema, first = _first(stream)
        chosen = plan(schema, schema.metadata, cells(first, _SAMPLE_ROWS), options, report)
        return series_of(_table(stream, schema, chosen.columns), chosen, report)


def table_of(source: Source, rows: int | None) -> Any:
    """All columns and all rows, whatever ``rows`` is; the source can be read again."""
    with translated(_bad):
        stream = _stream(source.held(), source.meter.limits)
        schema, _ = _first(stream)
        return _table(stream, schema, schema.names)


def head(source: Source, data: bytes, whole: bool) -> Head | None:
    """The first rows as a file of their own; of a file in an archive none, as of Parquet."""
    file = source.whole_file()
    if file is None:
        return None
    with translated(_bad):
        file.seek(0)
        stream = _stream(file.read(source.meter.limits.total + 1), source.meter.limits)
        schema, first = _first(stream)
        table = first.slice(0, _HEAD_ROWS)
        out = io.BytesIO()
        with pa.ipc.new_file(out, schema) as writer:
            writer.write_table(table)
        rows = sum(batch.num_rows for batch in pa.ipc.open_stream(stream))
        return Head(out.getvalue(), rows <= _HEAD_ROWS, cells(table, _HEAD_ROWS))


def _stream(data: bytes, limits: Limits) -> Any:
    """The stream in a file, after a check of the sizes that its messages declare."""
    if data.startswith(_VERSION_1):
        message = (
            "This is Feather of version 1, which was replaced in 2020. Write it again as version 2: "
            "pandas.read_feather(file).to_feather(new_file)."
        )
        raise FormatError(message, code="old_feather", rule="Feather of version 2")
    is_file = data.startswith(_FILE)
    if is_file and not data.endswith(_FILE):  # cut off between two batches, the others would pass for all
        raise _bad()
    stream = pa.py_buffer(data).slice(_PADDED if is_file else 0)
    rows = unpacked = 0
    for message in pa.ipc.MessageReader.open_stream(stream):
        more, size = declared(message)
        if more < 0 or size < 0:
            raise _bad()
        rows, unpacked = rows + more, unpacked + size
        if rows > MAX_ROWS or unpacked > limits.total * 4:
            rule = f"at most {MAX_ROWS} rows"
            raise FormatError(f"The file has more than {MAX_ROWS} rows.", code="too_large", rule=rule)
    if unpacked > max(len(data), 1 << 16) * limits.ratio:
        raise FormatError("The file expands too much to be opened.", code="compression_ratio")
    return stream


def _first(stream: Any) -> tuple[Any, Any]:
    """The schema, its names made distinct, and the first record batch as a table, empty where there is none."""
    with pa.ipc.open_stream(stream) as reader:
        named = reader.schema
        schema = pa.schema(
            [field.with_name(name) for field, name in zip(named, numbered(named.names), strict=True)], named.metadata
        )
        batch = next(reader, None)
        if batch is None:
            return schema, schema.empty_table()
        batch.validate(full=True)
        return schema, pa.Table.from_batches([batch.rename_columns(schema.names)], schema)


def _table(stream: Any, schema: Any, columns: Sequence[str]) -> Any:
    """Some columns of all record batches in their order; no others are unpacked."""
    places = sorted(schema.names.index(name) for name in columns)
    options = pa.ipc.IpcReadOptions(use_threads=False, included_fields=places)
    own = pa.schema([schema.field(place) for place in places], schema.metadata)
    batches = []
    with pa.ipc.open_stream(stream, options=options) as reader:
        for batch in reported(reader):
            batch.validate(full=True)
            batches.append(batch.rename_columns(own.names))
    return pa.Table.from_batches(batches, own)


def _bad() -> FormatError:
    message = "The Feather or Arrow file is damaged or of a kind that is not supported. Is the file complete?"
    return FormatError(message, code="bad_feather")


def sniff(head: bytes) -> bool:
    """Whether the file begins as Feather and Arrow files do, or with the message that begins an Arrow stream."""
    if head.startswith((_FILE, _VERSION_1)):
        return True
    size = int.from_bytes(head[4:8], "little")
    return head.startswith(_STREAM) and 0 < size < _LONGEST_SCHEMA and size % 8 == 0


FEATHER = register(
    Format(
        "feather",
        "Feather or Arrow IPC",
        ("feather", "arrow", "arrows", "ipc"),
        sniff,
        read,
        **COLUMNAR,
        source="https://arrow.apache.org/docs/format/Columnar.html",
        head=head,
        table=table_of,
    )
)
