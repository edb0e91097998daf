"""The doorbell of the attacks room."""

from celery import shared_task

from dashboard import jobs
from dashboard.attacks import execution
from dashboard.attacks.models import Attack


@jobs.doorbell(Attack)
@shared_task(name="attacks.run")
def run_attack(attack_id: str) -> None:
    """Work off one attack."""
    execution.run(attack_id)
