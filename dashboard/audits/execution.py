"""What a worker does for an audit, without Celery."""

from typing import Any

from dashboard.audits.models import Audit
from dashboard.jobs import leases
from privacy_engine import __version__
from privacy_engine.audit import audit


def run(pk: Any) -> bool:
    """Run an audit that waits, and store its result; False if it did not wait."""
    return leases.run(Audit, pk, audited) is not None


def audited(row: Audit, lease: leases.Lease) -> dict[str, Any]:
    """Return what the row stores as it succeeds."""
    result = audit(row.parsed_spec, watch=lease.reporting("Drawing"))
    return {"result": result.as_dict(), "engine_version": __version__}
