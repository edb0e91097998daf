"""Published counts as files: a CSV table with a column for each dimension, and the same as Parquet.

A table of estimates has a decimal point or an exponent in every cell; Parquet has columns of doubles.
"""

from collections.abc import Mapping
from typing import BinaryIO

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import CountStream
from privacy_engine.data.published import plain_name
from privacy_engine.data.stream_release import StreamRelease, export_header
from privacy_engine.exports.base import (
    JSON_COLUMN,
    TABLES,
    ExportFormat,
    Exports,
    Label,
    Unclosed,
    as_json,
    cell_text,
    sentence,
)
from privacy_engine.exports.stream_notebook import CELLS
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.dialect import OUR_COLUMN


def _write_csv(release: StreamRelease, out: BinaryIO, label: Label) -> None:
    header = [*export_header(release.time_name, release.names), OUR_COLUMN, JSON_COLUMN]
    out.write((",".join(cell_text(name) for name in header) + "\r\n").encode())
    first = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for text, row in zip(release.labels, reported(release.counts.tolist()), strict=True):
        cells = [cell_text(plain_name(text)), *map(repr, row), first or ","]
        out.write((",".join(cells) + "\r\n").encode())
        first = ""


def _write_parquet(release: StreamRelease, out: BinaryIO, label: Label) -> None:
    columns = [pa.array([plain_name(text) for text in reported(release.labels, ROWS)], pa.string())]
    columns += [pa.array(release.counts[:, k]) for k in reported(range(len(release.names)))]
    names = export_header(release.time_name, release.names)
    table = pa.table(columns, names=names).replace_schema_metadata({"cairn": as_json(dict(label)), "kind": "stream"})
    pq.write_table(table, Unclosed(out), compression="zstd")


FORMATS: Mapping[str, ExportFormat] = {
    fmt.name: fmt
    for fmt in (
        ExportFormat(
            "csv",
            "CSV table",
            "text/csv; charset=utf-8",
            "csv",
            _write_csv,
            TABLES,
            "A row for each timestamp: spreadsheets, R, pandas.",
            bundled=True,
        ),
        ExportFormat(
            "parquet",
            "Parquet",
            "application/vnd.apache.parquet",
            "parquet",
            _write_parquet,
            TABLES,
            "Typed columns, compressed: pandas, Polars, DuckDB, R.",
            bundled=True,
        ),
    )
}

ADAPTER = Exports(CountStream.kind, FORMATS, CELLS)
