"""The file of an attack: what it guessed of every event as columns, all else as facts beside them.

An attempt writes under a name that carries its token, so two attempts never meet. None of it is in a release's folder:
what may be published lies there, and nothing else.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from dashboard.attacks.models import Attack
from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be, require_format
from dashboard.core.rest.binary import filed
from dashboard.jobs.models import State
from dashboard.maps.line_simplification import MapView
from dashboard.maps.series_cache import Line
from dashboard.maps.track_encoding import encode, encode_view
from dashboard.storage import local_files, parquet, part_files
from dashboard.storage.stored_path import decoding
from privacy_engine.attacks import Result
from privacy_engine.core.progress import blocks
from privacy_engine.data.points_digest import CELLS_PER_DEGREE
from privacy_engine.formats.arrow import pa

PART = 50_000  # values written at a time
WARNING = "This reads the original; do not publish it."
ILLUSTRATION = "One adversary, one sample: it illustrates the guarantee, and is not a bound on what another could find."


_where_large = computed_where(lambda row, *_: row.release.dataset.is_large)


@dataclass(frozen=True, eq=False)
class Kept:
    """A result as it was kept: plain ``facts``, and ``columns`` of equal length, (n,) or (n, k)."""

    facts: dict[str, Any]
    places: dict[str, dict[str, Any]]
    columns: dict[str, np.ndarray]
    path: bool


def write(row: Attack, result: Result) -> str:
    """Write the attempt's file (``row.data_file`` is its name) and return its SHA-256."""
    columns = {field.name: getattr(result, field.name) for field in fields(result)}
    columns = {name: value for name, value in columns.items() if isinstance(value, np.ndarray)}
    kept = {
        "facts": {name: value for name, value in result.as_dict().items() if name not in columns},
        "places": {what: place.as_dict() for what, place in result.places.items()},
        "path": result.path is not None,
    }
    table = pa.table({name: _column(value) for name, value in columns.items()})
    about = {b"kept": json.dumps(kept, allow_nan=False).encode()}
    parquet.write_table(row.data_path, table.replace_schema_metadata(about))
    with row.data_path.local() as local:
        return local_files.digest_of(local)


def is_as_recorded(name: str, path: Path) -> bool | None:
    """Whether a stored result has the digest that its row states; None if no row names it."""
    pk, file = name.split("/")[1:]
    sha256 = Attack.objects.filter(pk=pk, data_file=file).values_list("data_sha256", flat=True).first()
    return local_files.digest_of(path) == sha256 if sha256 else None


def _column(values: np.ndarray) -> Any:
    if values.ndim == 1:
        return pa.array(values)
    return pa.FixedSizeListArray.from_arrays(pa.array(values.ravel()), values.shape[1])


def read(row: Attack) -> Kept:
    """What :func:`write` kept of a finished attack."""
    with decoding(row.data_path):
        table = parquet.read_table(row.data_path)
        kept = json.loads(table.schema.metadata[b"kept"])
        return Kept(columns={name: _values(table.column(name)) for name in table.column_names}, **kept)


def _values(column: Any) -> np.ndarray:
    whole = column.combine_chunks()
    if not pa.types.is_fixed_size_list(whole.type):
        return np.asarray(whole.to_numpy(zero_copy_only=False))
    return np.asarray(whole.flatten().to_numpy()).reshape(-1, whole.type.list_size)


@_where_large
def shown(row: Attack) -> dict[str, Any]:
    """What a map shows of a finished attack: places that were looked for, and whether there is a path."""
    kept = read(row)
    return {"places": [{"title": title} | place for title, place in kept.places.items()], "path": kept.path}


@_where_large
def encoded(row: Attack, view: MapView | None) -> bytes | BinaryIO:
    """The guessed path of a finished attack, or what a map view shows of it; see dashboard/maps/track_encoding.py."""
    line = _line(row)
    return filed(encode(line) if view is None else encode_view(line, view))


def _line(row: Attack) -> Line:
    columns = read(row).columns
    lon, lat = (np.round(columns[name] * CELLS_PER_DEGREE).astype(np.int32) for name in ("lon", "lat"))
    return Line(lon, lat)


# Downloads ---------------------------------------------------------------------------------------


def export(row: Attack, fmt: str) -> tuple[BinaryIO, str, str]:
    """The result as an open file without a name on the disk, its media type, and what to call it.

    Raises
    ------
    ParameterError
        There is no such format, or the attack guesses no events and has no table of them.
    """
    require_format(fmt, FORMATS)
    name = row.release.file_name(fmt, f"attack-{row.attack['name']}-do-not-publish")
    return _exported(row, fmt), FORMATS[fmt][0], name


@_where_large
def _exported(row: Attack, fmt: str) -> BinaryIO:
    return local_files.unnamed(partial(FORMATS[fmt][1], row, read(row)))


def _write_json(row: Attack, kept: Kept, out: BinaryIO) -> None:
    """``{…about it, "result": …}``; the result is what the engine calls ``as_dict``, written bit by bit."""
    about = {"warning": WARNING, "note": ILLUSTRATION, "release": str(row.release_id), "attack": row.attack}
    about |= {"series": row.series, "assumes": list(row.parsed.assumes), "source": row.parsed.source()}
    out.write(json.dumps(about | {"cairn": row.engine_version}, indent=1).encode()[:-2] + b',\n "result": {')
    parts = [json.dumps(kept.facts, allow_nan=False).encode()[1:-1]]
    out.write(parts[0])
    for i, (name, values) in enumerate(kept.columns.items()):
        out.write(b", " if i or parts[0] else b"")
        out.write(json.dumps(name).encode() + b": [")
        for some in blocks(len(values), PART):
            out.write(b", " if some.start else b"")
            out.write(json.dumps(_plain(values[some].tolist()), allow_nan=False).encode()[1:-1])
        out.write(b"]")
    out.write(b"}\n}\n")


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _write_csv(row: Attack, kept: Kept, out: BinaryIO) -> None:
    """A row for each event: its number, what is guessed, how far that is off; numbers as they were computed."""
    if not kept.path:
        raise must_be("format", "json for an attack that does not guess events", "csv", got=False)
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["event", *kept.columns])
    table.writerows(_rows(kept))
    text.detach()


def _rows(kept: Kept) -> Iterator[list[Any]]:
    columns = list(kept.columns.values())
    for some in blocks(len(columns[0]), PART):
        parts = [values[some].tolist() for values in columns]
        for i, values in enumerate(zip(*parts, strict=True)):
            yield [some.start + i, *(int(value) if isinstance(value, bool) else value for value in values)]


FORMATS: dict[str, tuple[str, Callable[[Attack, Kept, BinaryIO], None]]] = {
    "json": ("application/json", _write_json),
    "csv": ("text/csv; charset=utf-8", _write_csv),
}


# Away with them ----------------------------------------------------------------------------------


def clear_after(draft: Attack) -> None:
    """Remove what an attempt left behind unless it is the row's result."""
    row = Attack.objects.filter(pk=draft.pk).first()
    if row is None:
        forget(draft)
        return
    part_files.clear(row)
    if row.state == State.DONE:
        for path in row.folder.iterdir():
            if path.name != row.data_file:
                path.unlink()
    else:
        draft.data_path.unlink()


def forget(row: Attack) -> None:
    """Remove every file of an attack."""
    row.folder.remove_folder()
