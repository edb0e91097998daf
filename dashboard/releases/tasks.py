"""The task_for of the releases room."""

from celery import shared_task

from dashboard.jobs import queue
from dashboard.releases import execution
from dashboard.releases.models import Release


@queue.task_for(Release)
@shared_task(name="releases.run")
def run_release(release_id: str) -> None:
    """Work off one release."""
    execution.run(release_id)
