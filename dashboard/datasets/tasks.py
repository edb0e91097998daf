"""The datasets room's task_for."""

from celery import shared_task

from dashboard.datasets import execution
from dashboard.datasets.models import Dataset
from dashboard.jobs import leases, queue


@queue.task_for(Dataset)
@shared_task(name="datasets.import")
def import_dataset(pk: str) -> None:
    """Read the upload of dataset ``pk``, if it still waits for it."""
    leases.run(Dataset, pk, execution.import_points)
