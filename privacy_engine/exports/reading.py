"""What strict readers of exported files share: they know only what Cairn writes."""

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from privacy_engine.data import Trajectory
from privacy_engine.exports.base import JSON_COLUMN
from privacy_engine.exports.contents import Unreadable
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.dialect import OUR_COLUMN

_GUARDED = re.compile(r"''*[=+\-@\t\r]")
LONGEST_CELL = 10_000_000
END_OF_HEADER = f",{OUR_COLUMN},{JSON_COLUMN}\r\n".encode()


@contextmanager
def long_cells() -> Iterator[None]:
    """Let cells be long while a table is read: the limit is the whole process's, and other readers rely on theirs."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def labelled_rows(data: bytes) -> tuple[list[str], list[list[str]], str, object]:
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


def bare(cell: str) -> str:
    """A cell without the quotation mark that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if _GUARDED.match(cell) else cell


def utf8(data: bytes) -> str:
    """The text of a file in UTF-8, or Unreadable."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"The file is not UTF-8 text at byte {error.start}.") from None


def from_json(text: str, **how: Any) -> Any:
    """The value of JSON text, or Unreadable."""
    try:
        return json.loads(text, **how)
    except (ValueError, RecursionError):
        raise Unreadable("A label or document is missing, or not JSON.") from None


def is_parquet_of(kind: str, data: bytes) -> bool:
    """Whether a file is a labelled Parquet table of a kind of data, which files of trajectories do not name."""
    if not data.startswith(b"PAR1"):
        return False
    try:
        metadata = pq.read_schema(io.BytesIO(data)).metadata or {}
    except (pa.ArrowException, OSError, ValueError):
        return False
    return b"cairn" in metadata and metadata.get(b"kind", Trajectory.kind.encode()) == kind.encode()


def parquet_label(schema: Any) -> Any:
    """The label in the metadata of a Parquet file, or Unreadable."""
    metadata: Mapping[bytes, bytes] = schema.metadata or {}
    return from_json(metadata.get(b"cairn", b"").decode("utf-8", "replace"))
