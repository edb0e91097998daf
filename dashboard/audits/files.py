"""Downloads of an audit: its result as JSON and as CSV."""

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from typing import Any, BinaryIO

from dashboard.audits.models import Audit
from dashboard.core.errors import require_format
from dashboard.core.filenames import file_name, title_parts
from dashboard.storage import local_files

COLUMNS = ("name", "claimed", "lower_bound", "best_event", "verdict")


def export(row: Audit, fmt: str) -> tuple[BinaryIO, str, str]:
    """Return the result as an open file, its media type and a file name.

    Raises
    ------
    ParameterError
        There is no such format.
    """
    require_format(fmt, FORMATS)
    media_type, write = FORMATS[fmt]
    name = file_name("audit", *title_parts(row.name), row.pk.hex[:8], extension=fmt)
    return local_files.unnamed(partial(write, row)), media_type, name


def _write_json(row: Audit, out: BinaryIO) -> None:
    about: dict[str, Any] = dict(row.result or {}) | {"parameters": row.spec["mechanism"], "cairn": row.engine_version}
    out.write((json.dumps(about, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode())


def _write_csv(row: Audit, out: BinaryIO) -> None:
    """Write a row for each pair of neighbouring inputs."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    table = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    table.writeheader()
    table.writerows((row.result or {}).get("pairs", []))
    text.detach()


FORMATS: dict[str, tuple[str, Callable[[Audit, BinaryIO], None]]] = {
    "json": ("application/json", _write_json),
    "csv": ("text/csv; charset=utf-8", _write_csv),
}
