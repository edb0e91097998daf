"""The Celery task of the attacks app."""

from dashboard.attacks import execution
from dashboard.attacks.models import Attack
from dashboard.jobs.queue import job_task

run_attack = job_task(Attack, execution.run)
