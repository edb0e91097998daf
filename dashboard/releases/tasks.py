"""The Celery task of the releases app."""

from dashboard.jobs.queue import job_task
from dashboard.releases import execution
from dashboard.releases.models import Release

run_release = job_task(Release, execution.run)
