"""Published counts as files: a CSV table with a column for each dimension, and the same as Parquet.

A table of estimates has a decimal point or an exponent in every cell; Parquet has columns of doubles.
"""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import BinaryIO, ClassVar

import numpy as np

from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import CountStream
from privacy_engine.data.points_digest import plain_name
from privacy_engine.data.stream_release import (
    FINEST,
    PER_UNIT,
    StreamRelease,
    counts_digest,
    export_header,
    off_lattice,
)
from privacy_engine.exports.base import (
    TABLES,
    ExportFormat,
    Label,
    Unclosed,
    as_json,
    cell_text,
    write_rows,
)
from privacy_engine.exports.checkins import CELL_HEADERS
from privacy_engine.exports.contents import NUMBER, Contents, Unreadable, whole_numbers
from privacy_engine.exports.reading import END_OF_HEADER, bare, is_parquet_of, labelled_rows, parquet_label
from privacy_engine.exports.trajectory import POINT_HEADERS
from privacy_engine.formats.arrow import pa, pq

_FRACTION = re.compile(r"[.eE]")


def _write_csv(release: StreamRelease, out: BinaryIO, label: Label) -> None:
    header = map(cell_text, export_header(release.time_name, release.names))
    rows = zip(release.labels, reported(release.counts.tolist()), strict=True)
    cells = (",".join([cell_text(plain_name(text)), *map(repr, row)]) for text, row in rows)
    write_rows(out, header, cells, label)


def _write_parquet(release: StreamRelease, out: BinaryIO, label: Label) -> None:
    columns = [pa.array([plain_name(text) for text in reported(release.labels, ROWS)], pa.string())]
    columns += [pa.array(release.counts[:, k]) for k in reported(range(len(release.names)))]
    names = export_header(release.time_name, release.names)
    table = pa.table(columns, names=names).replace_schema_metadata({"cairn": as_json(dict(label)), "kind": "stream"})
    pq.write_table(table, Unclosed(out), compression="zstd")


@dataclass(frozen=True, eq=False)
class CountContents(Contents):
    """The counts (T, d) of a file of a stream, with their names, labels and header of labels."""

    time_name: str = "time"
    names: Sequence[str] = ()
    labels: Sequence[str] = ()
    counts: Ints | Floats = field(default_factory=lambda: np.empty((0, 0), dtype=np.int64))

    kind: ClassVar[str] = CountStream.kind

    @property
    def grid_text(self) -> str:
        return super().grid_text if self.counts.dtype == np.int64 else f"multiples of {1 / PER_UNIT:g}"

    @property
    def size(self) -> str:
        return f"{len(self.labels):,} timestamps of {len(self.names):,} names"

    def digest(self) -> str:
        return counts_digest(self.names, self.labels, self.counts, self.time_name)


def _written_counts(texts: Sequence[str]) -> tuple[Ints | Floats, list[str]]:
    """Counts of a stream as written, (n,), and those that are off their grid.

    They are estimates, multiples of 0.001, where every text has a decimal point or an exponent, else whole numbers.
    """
    if not texts or not all(_FRACTION.search(text) for text in texts):
        return whole_numbers(texts)
    off_grid = []
    for text in texts:
        if not NUMBER.fullmatch(text):
            raise Unreadable(f"{text!r:.60} is not a count.")
        exact = Decimal(text) * (PER_UNIT if abs(Decimal(text)) < FINEST else 1)
        if exact != exact.to_integral_value():
            off_grid.append(text)
    return np.array([float(text) for text in texts]), off_grid


def _read_csv(data: bytes) -> Contents:
    """A CSV table of counts: timestamps, a column for each name, and the label beside the first row."""
    header, rows, text, label = labelled_rows(data)
    counts, off_grid = _written_counts([cell for row in rows for cell in row[1:]])
    (time_name, *names), labels = map(bare, header), [bare(row[0]) for row in rows]
    return CountContents(label, off_grid, text, time_name, names, labels, counts.reshape(len(rows), len(names)))


def _read_parquet(data: bytes) -> Contents:
    """A Parquet table of counts whose schema's metadata holds the label."""
    try:
        table = pq.read_table(io.BytesIO(data))
        labels = table.column(0).to_pylist()
        estimates = any(pa.types.is_floating(column.type) for column in table.columns[1:])
        columns = [column.cast(pa.float64() if estimates else pa.int64()).to_numpy() for column in table.columns[1:]]
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
        raise Unreadable("The file is not a table of counts that Cairn exported.") from error
    counts = np.column_stack(columns) if columns else np.empty((len(labels), 0), dtype=np.int64)
    off_grid = [repr(number) for number in counts[off_lattice(counts)].tolist()] if estimates else []
    (time_name, *names), label = table.column_names, parquet_label(table.schema)
    return CountContents(label, off_grid, None, time_name, names, [*map(str, labels)], counts)


def _begins_csv(data: bytes) -> bool:
    """Whether ``data`` hold the columns of a label, and are neither a table of points nor of cells."""
    return END_OF_HEADER in data and not data.startswith((*POINT_HEADERS, *CELL_HEADERS))


FORMATS = (
    ExportFormat(
        CountStream.kind,
        "csv",
        "CSV table",
        "text/csv; charset=utf-8",
        "csv",
        _write_csv,
        _read_csv,
        _begins_csv,
        TABLES,
        "A row for each timestamp: spreadsheets, R, pandas.",
        bundled=True,
    ),
    ExportFormat(
        CountStream.kind,
        "parquet",
        "Parquet",
        "application/vnd.apache.parquet",
        "parquet",
        _write_parquet,
        _read_parquet,
        lambda data: is_parquet_of(CountStream.kind, data),
        TABLES,
        "Typed columns, compressed: pandas, Polars, DuckDB, R.",
        bundled=True,
    ),
)
