"""Strict readers of exported counts, which know only what Cairn writes."""

import io

import numpy as np

from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import off_lattice
from privacy_engine.exports.trajectory import POINT_HEADERS
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.verify.contents import Contents, CountContents, Unreadable, written_counts
from privacy_engine.verify.files import PARQUET, SQLITE, ExportedFiles
from privacy_engine.verify.readers import END_OF_HEADER, bare, from_json, labelled_rows


def read_counts_csv(data: bytes) -> Contents:
    """A CSV table of counts: timestamps, a column for each name, and the label beside the first row."""
    header, rows, text, label = labelled_rows(data)
    counts, off_grid = written_counts([cell for row in rows for cell in row[1:]])
    (time_name, *names), labels = map(bare, header), [bare(row[0]) for row in rows]
    return CountContents(text, label, off_grid, time_name, names, labels, counts.reshape(len(rows), len(names)))


def read_counts_parquet(data: bytes) -> Contents:
    """A Parquet table of counts whose schema's metadata holds the label."""
    try:
        table = pq.read_table(io.BytesIO(data))
        labels = table.column(0).to_pylist()
        estimates = any(pa.types.is_floating(column.type) for column in table.columns[1:])
        columns = [column.cast(pa.float64() if estimates else pa.int64()).to_numpy() for column in table.columns[1:]]
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
        raise Unreadable("The file is not a table of counts that Cairn exported.") from error
    label = from_json((table.schema.metadata or {}).get(b"cairn", b"").decode("utf-8", "replace"))
    counts = np.column_stack(columns) if columns else np.empty((len(labels), 0), dtype=np.int64)
    off_grid = [repr(number) for number in counts[off_lattice(counts)].tolist()] if estimates else []
    (time_name, *names), text = table.column_names, str(label.get("text", "")) if isinstance(label, dict) else ""
    return CountContents(text, label, off_grid, time_name, names, [*map(str, labels)], counts)


def _format(data: bytes) -> str | None:
    """A Parquet file with that metadata, or a text with the columns of a label that is no table of points."""
    if data.startswith(PARQUET):
        return "counts parquet" if _of_counts(data) else None
    text = END_OF_HEADER in data and not data.startswith((SQLITE, *POINT_HEADERS))
    return "counts csv" if text else None


def _of_counts(data: bytes) -> bool:
    try:
        return (pq.read_schema(io.BytesIO(data)).metadata or {}).get(b"kind") == CountStream.kind.encode()
    except (pa.ArrowException, OSError, ValueError):
        return False


ADAPTER = ExportedFiles(
    CountStream.kind,
    rank=1,
    format_of=_format,
    readers={"counts csv": read_counts_csv, "counts parquet": read_counts_parquet},
    endings=("csv", "parquet"),
)
