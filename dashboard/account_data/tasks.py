"""The Celery task of account data."""

from dashboard.account_data import execution
from dashboard.account_data.models import AccountExport
from dashboard.jobs.queue import job_task

run_export = job_task(AccountExport, execution.run)
