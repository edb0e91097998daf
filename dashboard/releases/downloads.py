"""Exports of a stored release: its privacy label, and files that carry it."""

import hashlib
import json
from io import BytesIO
from typing import Any, BinaryIO

from dashboard.core.computing import computed_where
from dashboard.datasets.models import BudgetEntry
from dashboard.releases.common.drawing import drawings
from dashboard.releases.common.release_data import read_release
from dashboard.releases.models import Release
from dashboard.storage import local_files, parquet
from dashboard.storage.stored_path import StoredPath
from privacy_engine.accounting.promise import Context
from privacy_engine.cleaning import parse_cleaning
from privacy_engine.datatypes import datatypes
from privacy_engine.exports import notebook as notebooks
from privacy_engine.exports.base import format_named
from privacy_engine.releases.label import Source, privacy_label

LARGE_ROWS = 100_000
"""Published rows from which on an export is kept: rendering takes longer than storing."""
KEPT = "export-"
"""The beginning of the names of kept exports."""


def label(row: Release, *, sha256: str = "") -> dict[str, Any]:
    """The privacy label: the same for the API, the pages and the downloads; ``guarantee`` is None for a seeded release.

    ``sha256`` is the digest of a public copy, whose label does not name the entry of the owner's ledger.
    """
    return privacy_label(
        row.parsed_spec,
        context_of(row),
        private=not row.seeded,
        release_id=str(row.pk),
        sha256=sha256 or _points_digest(row),
        ledger_entry="" if sha256 else _ledger_entry(row),
        derived_from=Source(**row.source) if row.source else None,
        cairn=row.engine_version,
        cleaning=parse_cleaning(row.dataset.cleaning),
    )


@computed_where(lambda row: row.by_series and row.dataset.is_large)
def _points_digest(row: Release) -> str:
    """The digest of the published points; rows of before there was any hold that of their own file."""
    return datatypes[row.kind].digest(read_release(row)) if row.by_series else row.data_sha256


def _ledger_entry(row: Release) -> str:
    """The number of the charge, of the release itself or of that which it is made from."""
    if row.seeded:
        return ""
    if not row.source and hasattr(row, "charge"):  # a list reads the charges of all its rows at once
        return "" if row.charge is None else str(row.charge)
    charged = row.source["release"] if row.source else row.pk
    entry = BudgetEntry.objects.filter(release_id=charged, amount__gt=0).values_list("pk", flat=True).first()
    return "" if entry is None else str(entry)


def context_of(row: Release) -> Context:
    """What the promise of a release depends on."""
    return drawings[row.kind].context(row)


def export(row: Release, fmt: str) -> tuple[BinaryIO, str, str]:
    """The release as an open file, its media type, and what to call it.

    A large export is rendered once and kept beside the release, until the sweep removes it an hour later.

    Raises
    ------
    ParameterError
        There is no such format.
    """
    form = format_named(row.kind, fmt)
    labelled, path = label(row), None
    if parquet.rows_of(row.data_path) >= LARGE_ROWS or row.dataset.is_large:
        # the label states what may change of a release: its name, its charge, the names of landmarks
        stated = hashlib.sha256(json.dumps(labelled, sort_keys=True).encode()).hexdigest()[:16]
        path = row.folder / f"{KEPT}{fmt}-{stated}-{row.data_file}"
    return _rendered(path, row, fmt, labelled), form.media_type, row.file_name(form.extension)


@computed_where(lambda path, *_: path is not None and not path.is_sound())
def _rendered(path: StoredPath | None, row: Release, fmt: str, labelled: dict[str, Any]) -> BinaryIO:
    def render(out: BinaryIO) -> None:
        datatypes[row.kind].write(read_release(row), fmt, out, label=labelled)

    return local_files.unnamed(render) if path is None else path.kept(render)


def require_exportable(row: Release, fmt: str) -> None:
    """DataError where the release has nothing that the format could represent."""
    if require := format_named(row.kind, fmt).require:
        require(read_release(row))


def notebook(row: Release) -> tuple[BinaryIO, str, str]:
    """A Jupyter notebook that opens and plots the CSV export beside it: an open file, its media type, its name.

    Raises
    ------
    DataError
        The release has no CSV export.
    """
    exported = datatypes[row.kind].exports[notebooks.FORMAT]
    require_exportable(row, notebooks.FORMAT)
    opened = row.file_name(exported.extension)
    text = notebooks.notebook(row.kind, title=row.title, file_name=opened, label=label(row))
    return BytesIO(text.encode()), notebooks.MEDIA_TYPE, row.file_name("ipynb")
