"""The Celery tasks of the datasets app."""

from celery import shared_task

from dashboard.datasets import earlier_readings, execution
from dashboard.datasets.models import Dataset
from dashboard.jobs.queue import job_task

import_dataset = job_task(Dataset, execution.run)


@shared_task(name=earlier_readings.TASK)
def add_hashes(source_file: int) -> None:
    """Compute the hashes of an upload from before events were counted."""
    earlier_readings.add_hashes(source_file)
