"""What it takes to make an upload a dataset. The same work in a request, in a worker and in a command."""

from __future__ import annotations

import math
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from dashboard.core.text import storable
from dashboard.datasets import facts, lineage
from dashboard.datasets.models import Dataset
from dashboard.jobs import leases
from dashboard.storage import local_files, parquet
from privacy_engine import formats
from privacy_engine.cleaning import clean, parse_cleaning
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError

UNPACKED = 4


def run(pk: Any) -> None:
    """Read the upload of a dataset that waits."""
    leases.run(Dataset, pk, import_points)


def import_points(row: Dataset, lease: leases.Lease) -> dict[str, Any]:
    """Read the original of a claimed row and store its points: the columns to settle it with."""
    lease.report("Reading the file", 0.1)
    series, report, evidence = read(row.original_path, name=row.file_name, options=row.options, cleaning=row.cleaning)
    lease.report("Storing the points", 0.8)
    fields = store(row.folder, series, token=lease.token)
    if not lease.rows().exists():  # deleted or replaced while we read: leave nothing
        local_files.remove(row.folder / fields["points_file"])
        raise leases.LeaseLost
    file = lineage.register(owner_id=row.owner_id, evidence=evidence, content_digest=fields["content_digest"])
    return fields | cleaned_columns(report) | {"source_file": file}


def cleaned_columns(report: dict[str, Any]) -> dict[str, Any]:
    """The columns that follow from the report of reading and cleaning."""
    return {"report": report, "stability": math.prod(step["stability"] for step in report["cleaning"])}


def import_now(
    path: Path, *, folder: Path, name: str, options: Mapping[str, Any], cleaning: Sequence[Any] = ()
) -> dict[str, Any]:
    """The same at once, without a row: read ``path``, store the points in ``folder``, return the columns.

    ``evidence`` is among them, which :func:`dashboard.datasets.lineage.register` makes the column ``source_file``.
    """
    series, report, evidence = read(path, name=name, options=options, cleaning=cleaning)
    return store(folder, series, token=uuid.uuid4()) | cleaned_columns(report) | {"evidence": evidence}


def read(
    path: Path, *, name: str, options: Mapping[str, Any], cleaning: Sequence[Any] = ()
) -> tuple[list[Trajectory], dict[str, Any], lineage.Evidence]:
    """The file as series, cleaned; the report of both; and what identifies the upload, before any cleaning.

    Raises
    ------
    FormatError
        It cannot be read, or holds no point.
    DataError
        A step of the cleaning cannot be done on these data.
    """
    with path.open("rb") as file:
        reading = formats.read(file, name=name, limits=_limits(), **options)
    if not len(reading):
        raise FormatError("The file holds no position that could be read.", code="no_points", rule="at least 1 point")
    series, done = clean(reading.series, parse_cleaning(cleaning))
    report = storable(reading.report.as_dict()) | {"cleaning": [step.as_dict() for step in done]}
    return series, report, lineage.evidence_of(path, reading.series)


def preview(path: Path, *, name: str, options: Mapping[str, Any]) -> formats.Preview:
    """The first rows of the file and how they would be read; only its beginning is looked at.

    Raises
    ------
    FormatError
        No table can be made out in it.
    """
    with path.open("rb") as file:
        return formats.preview(file, name=name, limits=_limits(), **options)


def _limits() -> formats.Limits:
    """What is taken packed may be four times as large unpacked."""
    return formats.Limits(total=UNPACKED * settings.CAIRN_UPLOAD_BYTES)


def store(folder: Path, series: Sequence[Trajectory], *, token: uuid.UUID) -> dict[str, Any]:
    """Write the points into ``folder`` under a name of this attempt's own; the columns that describe them."""
    name = f"points-{token}.parquet"
    parquet.write_points(folder / name, series)
    return {
        "points": sum(len(one) for one in series),
        "points_file": name,
        "summary": facts.summarise(series),
        "content_digest": facts.content_digest(series, key=settings.SECRET_KEY),
    }
