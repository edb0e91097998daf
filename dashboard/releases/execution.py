"""A worker's work on a release; no Celery in here."""

from __future__ import annotations

from typing import Any

from dashboard.core.database_errors import patiently
from dashboard.jobs import leases
from dashboard.releases import files
from dashboard.releases.common.drawing import DRAWN, MEASURED, WRITTEN, drawings
from dashboard.releases.models import Release
from privacy_engine import __version__
from privacy_engine.datatypes import datatypes


def run(pk: Any) -> bool:
    """Work off a release, and leave no file of an attempt that published nothing; False if it did not wait."""
    if draft := leases.run(Release, pk, draw_release):
        patiently(lambda: files.clear_after(draft))
    return draft is not None


def draw_release(row: Release, lease: leases.Lease) -> dict[str, Any]:
    """Load, draw (or derive from another release), measure, store; returns what the row stores as it succeeds."""
    row.data_file = files.name_for(lease.token)
    kind, datatype = drawings[row.kind], datatypes[row.kind]
    lease.report("Reading", 0.0)
    inputs = kind.load(row)
    drawn = kind.draw(row, inputs, lease)
    lease.report("Measuring", DRAWN)
    figures = datatype.figures(inputs.data, drawn)
    lease.report("Writing", MEASURED)
    files.write(row, inputs.data, drawn)
    row.data_sha256, size = datatype.digest(drawn), datatype.size(inputs.data)
    summary, beside = kind.summary(row, inputs, drawn), kind.beside_figures(row, inputs)
    del inputs, drawn  # large; what is made ahead is read from the files
    lease.report("Preparing its charts", WRITTEN)
    kind.prepare(row)
    return {
        "data_file": row.data_file,
        "engine_version": __version__,
        "data_sha256": row.data_sha256,
        "summary": {"mechanism": row.mechanism, "points": size, **summary},
        "owner_view": figures | beside if figures else None,
    }
