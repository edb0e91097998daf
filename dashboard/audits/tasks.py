"""The Celery task of the audits app."""

from celery import shared_task

from dashboard.audits import execution
from dashboard.audits.models import Audit
from dashboard.jobs import queue


@queue.task_for(Audit)
@shared_task(name="audits.run")
def run_audit(audit_id: str) -> None:
    """Run one audit."""
    execution.run(audit_id)
