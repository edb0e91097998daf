"""Strict readers of exported counts and models, which know only what Cairn writes."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Mapping

import numpy as np

from privacy_engine.data.grid import Grid
from privacy_engine.data.stream_release import off_lattice
from privacy_engine.errors import DataError
from privacy_engine.exports.base import JSON_COLUMN
from privacy_engine.exports.checkins import COLUMNS, MASS
from privacy_engine.exports.trajectory import POINT_HEADERS
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.recommender import PopularityModel, Recommender
from privacy_engine.verify.contents import (
    Contents,
    CountContents,
    ModelContents,
    Unreadable,
    whole_numbers,
    written_counts,
)
from privacy_engine.verify.readers import READERS as POINT_READERS
from privacy_engine.verify.readers import bare, from_json, long_cells, utf8

_END_OF_HEADER = f",{OUR_COLUMN},{JSON_COLUMN}\r\n".encode()
ENDINGS = ("csv", "geojson", "geoparquet", "gpkg", "gpx", "json", "mfjson", "parquet")


def _rows(data: bytes) -> tuple[list[str], list[list[str]], str, object]:
    """The header and the rows of a CSV table without its label, the label's line and the label."""
    with long_cells():
        try:
            header, *rows = csv.reader(io.StringIO(utf8(data), newline=""))
        except (csv.Error, ValueError) as error:
            raise Unreadable(f"The table is damaged: {error}.") from None
    if header[-2:] != [OUR_COLUMN, JSON_COLUMN] or any(len(row) != len(header) for row in rows) or not rows:
        raise Unreadable(f"The table must have the columns {OUR_COLUMN} and {JSON_COLUMN}, and full rows.")
    if any(cell for row in rows[1:] for cell in row[-2:]):
        raise Unreadable("The table must have one label, beside its first row.")
    text, label = map(bare, rows[0][-2:])
    return header[:-2], [row[:-2] for row in rows], text, from_json(label)


def read_counts_csv(data: bytes) -> Contents:
    """A CSV table of counts: timestamps, a column for each name, and the label beside the first row."""
    header, rows, text, label = _rows(data)
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
    off_grid = [repr(one) for one in counts[off_lattice(counts)].tolist()] if estimates else []
    (time_name, *names), text = table.column_names, str(label.get("text", "")) if isinstance(label, dict) else ""
    return CountContents(text, label, off_grid, time_name, names, [str(one) for one in labels], counts)


def read_model_json(data: bytes) -> Contents:
    """A model as JSON beside its label."""
    document = from_json(utf8(data))
    try:
        label = document["privacy"]
        text, described, off_grid = str(label["text"]), document["model"], list[str]()
        if "model" not in described:  # popularity, whose counts can be off the grid one at a time
            counts, off_grid = whole_numbers([str(count) for count in described["counts"]])
            described = described | {"counts": counts}
        return ModelContents(text, label, off_grid, Recommender.from_dict(described))
    except DataError as error:
        raise Unreadable(f"The document is not a model: {error}.") from error
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise Unreadable("The document is not a model with a label.") from error


def is_mass_table(data: bytes) -> bool:
    """Whether it is the mass of each cell: a part of a model, whose JSON is beside it."""
    header = ",".join([*COLUMNS[:-1], MASS, OUR_COLUMN, JSON_COLUMN])
    return data.partition(b"\n")[0].rstrip(b"\r") == header.encode()


def read_model_csv(data: bytes) -> Contents:
    """A CSV table of cells: the cell, its box and its count, and the label beside the first row."""
    header, rows, text, label = _rows(data)
    if header == [*COLUMNS[:-1], MASS]:
        raise Unreadable("The table holds the mass of each cell, a part of the model: its JSON can be verified.")
    if header != list(COLUMNS):
        raise Unreadable(f"The table must have the columns {', '.join(COLUMNS)}.")
    counts, off_grid = whole_numbers([row[5] for row in rows])
    try:
        side = round(len(rows) ** 0.5)
        first, last = rows[0], rows[-1]
        grid = Grid.square(float(first[1]), float(first[2]), float(last[3]), float(last[4]), side)
        model = PopularityModel(grid, counts)
        boxes = np.array([row[1:5] for row in rows], dtype=np.float64)
    except (DataError, ValueError, OverflowError) as error:
        raise Unreadable("The cells of the table are no grid.") from error
    if [row[0] for row in rows] != [str(i) for i in range(len(rows))] or not np.array_equal(boxes, grid.boxes()):
        raise Unreadable("The cells of the table are not those of a grid, in order.")
    return ModelContents(text, label, off_grid, model)


READERS: Mapping[str, Callable[[bytes], Contents]] = {
    **POINT_READERS,
    "counts csv": read_counts_csv,
    "counts parquet": read_counts_parquet,
    "model json": read_model_json,
    "model csv": read_model_csv,
}


def format_of(data: bytes) -> str:
    """The exported format that ``data`` begins like, or ``zip``."""
    head = data[:16]
    if head[:4] == b"PAR1":
        return "counts parquet" if _of_counts(data) else "parquet"
    if head == b"SQLite format 3\0":
        return "gpkg"
    if head[:4] == b"PK\x03\x04":
        return "zip"
    if head.startswith(b'{"model":'):
        return "model json"
    if head.startswith(b"cell,west,"):
        return "model csv"
    if data.startswith(POINT_HEADERS) or _END_OF_HEADER not in data:
        return {b"<": "gpx", b"{": "geojson"}.get(head.lstrip()[:1], "csv")
    return "counts csv"


def _of_counts(data: bytes) -> bool:
    try:
        return (pq.read_schema(io.BytesIO(data)).metadata or {}).get(b"kind") == b"stream"
    except (pa.ArrowException, OSError, ValueError):
        return False
