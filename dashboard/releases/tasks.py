"""The doorbell of the releases room."""

from celery import shared_task

from dashboard import jobs
from dashboard.releases import execution
from dashboard.releases.models import Release


@jobs.doorbell(Release)
@shared_task(name="releases.run")
def run_release(release_id: str) -> None:
    """Work off one release."""
    execution.run(release_id)
