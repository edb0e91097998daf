"""A worker's work on a release; no Celery in here."""

from __future__ import annotations

from typing import Any

from dashboard.core.database_errors import patiently
from dashboard.jobs import leases, parts
from dashboard.releases import files
from dashboard.releases.common.drawing import DRAWN, MEASURED, WRITTEN, Made, drawings
from dashboard.releases.models import Release, ReleasePart
from privacy_engine import __version__
from privacy_engine.datatypes import datatypes
from privacy_engine.registry import recorded


def run(pk: Any) -> bool:
    """Work off a release, and leave no file of an attempt that published nothing; False if it did not wait."""
    if draft := leases.run(Release, pk, draw_release):
        patiently(lambda: files.clear_after(draft))
    return draft is not None


def run_part(pk: Any) -> bool:
    """Work off a part of a release; False if it did not wait."""
    work = lambda part, lease: drawings[part.job.kind].work_part(part, lease)  # noqa: E731
    return parts.run_part(ReleasePart, pk, work, files.clear_part)


def draw_release(row: Release, lease: leases.Lease) -> dict[str, Any]:
    """Load, draw (or derive from another release), measure, store; returns what the row stores as it succeeds."""
    row.data_file = f"{lease.token.hex}.parquet"  # from which the names of the other files follow
    lease.report("Reading", 0.0)
    kind = drawings[row.kind]
    pieces = kind.pieces(row)
    made = kind.draw_parts(row, lease, pieces, run_part) if len(pieces) > 1 else _drawn_at_once(row, lease)
    return {
        "data_file": row.data_file,
        "engine_version": __version__,
        "data_sha256": made.sha256,
        "summary": {"mechanism": row.mechanism, "points": row.dataset.points, **made.summary} | _component(row),
        "owner_view": made.figures | made.beside if made.figures else None,
    }


def _component(row: Release) -> dict[str, Any]:
    """What pages need of a mechanism of another package, which may be removed."""
    cls = type(row.parsed_spec.mechanism)
    return {"component": recorded(cls)} if cls.origin else {}


def _drawn_at_once(row: Release, lease: leases.Lease) -> Made:
    kind, datatype = drawings[row.kind], datatypes[row.kind]
    inputs = kind.load(row)
    drawn = kind.draw(row, inputs, lease)
    lease.report("Measuring", DRAWN)
    figures = datatype.figures(inputs.data, drawn)
    lease.report("Writing", MEASURED)
    files.write(row, inputs.data, drawn)
    row.data_sha256 = datatype.digest(drawn)
    summary, beside = kind.summary(row, inputs, drawn), kind.beside_figures(row, inputs)
    del inputs, drawn  # large; what is made ahead is read from the files
    lease.report("Preparing its charts", WRITTEN)
    kind.prepare(row)
    return Made(row.data_sha256, summary, figures, beside)
