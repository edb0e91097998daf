"""The task_for of the attacks room."""

from celery import shared_task

from dashboard.attacks import execution
from dashboard.attacks.models import Attack
from dashboard.jobs import queue


@queue.task_for(Attack)
@shared_task(name="attacks.run")
def run_attack(attack_id: str) -> None:
    """Work off one attack."""
    execution.run(attack_id)
