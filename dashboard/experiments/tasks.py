"""The Celery task of the experiments app."""

from dashboard.experiments import execution
from dashboard.experiments.models import Part
from dashboard.jobs.queue import job_task

run_part = job_task(Part, execution.run)
