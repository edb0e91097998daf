"""The Celery task of the datasets app that is no job's."""

from celery import shared_task

from dashboard.datasets import earlier_readings


@shared_task(name=earlier_readings.TASK)
def add_hashes(source_file: int) -> None:
    """Compute the hashes of an upload from before events were counted."""
    earlier_readings.add_hashes(source_file)
