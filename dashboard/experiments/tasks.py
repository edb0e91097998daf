"""The task_for of the experiments room."""

from celery import shared_task

from dashboard.experiments import execution
from dashboard.experiments.models import Part
from dashboard.jobs import queue


@queue.task_for(Part)
@shared_task(name="experiments.run")
def run_part(part_id: str) -> None:
    """Work off one part of an experiment."""
    execution.run(part_id)
