"""The Celery task of the audits app."""

from dashboard.audits import execution
from dashboard.audits.models import Audit
from dashboard.jobs.queue import job_task

run_audit = job_task(Audit, execution.run)
