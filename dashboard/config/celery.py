"""The Celery application: messages carry ids; the work is described in the rows (dashboard/jobs/queue.py)."""

import os

from celery import Celery
from celery.signals import worker_init, worker_process_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "dashboard.config.settings")

app = Celery("cairn")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@worker_init.connect
def _load_the_engine(**_: object) -> None:
    """Once, before children are forked: each of them would load the kernels again, and its first part wait for it."""
    from dashboard.launcher import warm

    warm.experiments()


@worker_process_init.connect
def _limit_memory(**_: object) -> None:
    """A job that grows without bound dies alone, as a failure with a name, and not with the machine."""
    import resource

    limit = int(os.environ.get("CAIRN_JOB_MEMORY_MB", "8000")) * 1_000_000
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
