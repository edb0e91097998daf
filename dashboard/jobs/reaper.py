"""The sweep: what comes back, what is given up, and what is sent again; see dashboard/jobs/queue.py.

And queues in which nothing goes on: known from the rows alone, whatever holds up their workers.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from dashboard.core.beats import Beat
from dashboard.jobs import fairness, queue, workers
from dashboard.jobs import models as job_models
from dashboard.jobs.models import Job, State, models_of

RESEND_AFTER_S = 5
CRASHED = "crashed"


def sweep(model: type[Job]) -> dict[str, int]:
    """Requeue expired rows, fail those tried too often, send messages again that were not delivered."""
    return recover_expired(model) | {"enqueued": resend(model)}


def recover_expired(model: type[Job]) -> dict[str, int]:
    """Requeue the rows whose lease expired; fail those tried too often, and cancel those that are to be."""
    times = f"The job stopped its worker {settings.CAIRN_MAX_ATTEMPTS} times and was given up."
    expired = model._default_manager.filter(state=State.RUNNING, lease_until__lt=Now())
    return recover(expired, {"code": CRASHED, "message": times})


def recover(held: models.QuerySet[Job], error: dict[str, Any]) -> dict[str, int]:
    """Requeue running rows whose worker is lost; cancel those that are to be, and fail with ``error`` the last try."""
    over = {"token": None, "lease_until": None, "stage": ""}
    cancelled = held.filter(cancel_requested=True).update(state=State.CANCELLED, finished_at=Now(), **over)
    failed = held.filter(attempt__gte=settings.CAIRN_MAX_ATTEMPTS).update(
        state=State.FAILED, finished_at=Now(), error=error, **over
    )
    requeued = held.update(state=State.QUEUED, enqueued_at=None, **over)
    return {"cancelled": cancelled, "failed": failed, "requeued": requeued}


def resend(model: type[Job]) -> int:
    """Send messages again that were not delivered; how many."""
    return queue.enqueue_all(_not_delivered(model).order_by("created_at")[:200])


def _not_delivered(model: type[Job]) -> models.QuerySet[Job]:
    """Waiting rows with no message, or with a lost message: sent a while ago, and fewer messages wait than rows do."""
    waiting = eligible(model)
    never = waiting.filter(enqueued_at__isnull=True)
    lost = waiting.filter(enqueued_at__lt=Now() - timedelta(seconds=RESEND_AFTER_S))
    # a long queue is no loss, and sending all its messages again every few seconds would flood the workers
    return never | lost if lost.exists() and _messages() < _waiting() else never


def eligible(model: type[Job]) -> models.QuerySet[Job]:
    """Waiting rows that a worker may take: a message of an owner who has enough running would be in vain."""
    waiting = model._default_manager.filter(state=State.QUEUED)
    held_back = fairness.at_limit()
    return waiting.exclude(**{f"{model.OWNER}__in": held_back}) if held_back else waiting


def _waiting() -> int:
    return sum(eligible(model).count() for model in job_models.models_of())


def _messages() -> int:
    """How many messages are not delivered; none where the broker is away."""
    with current_app.connection_for_write() as broker:
        try:
            queues = [broker.default_channel.queue_declare(queue=own.name) for own in settings.CELERY_TASK_QUEUES]
            return sum(int(queue.message_count) for queue in queues)
        except (OperationalError, OSError, *broker.connection_errors):
            return 0


def quiet_s() -> float:
    """A queue in which jobs wait may be without progress for so long."""
    return float(min(60.0, settings.CAIRN_STALL_S / 2))


def stalled_queues(seen: Sequence[Beat]) -> list[str]:
    """Queues with jobs that waited for :func:`quiet_s`, in which none was begun and no running job made progress.

    ``seen`` are the beats of the workers: where all that take from a queue take from others too, jobs of those may be
    what its jobs wait for.
    """
    names = [queue.name for queue in settings.CELERY_TASK_QUEUES]
    return [name for name in names if _waits(name) and not _goes_on(_occupying(name, seen))]


def _waits(queue: str) -> bool:
    late = Now() - timedelta(seconds=quiet_s())
    # a job made earlier and queued again since is progress of its queue
    rows = (eligible(model).filter(created_at__lt=late) for model in models_of() if queue == model.QUEUE)
    return any(waiting.exists() for waiting in rows)


def _goes_on(queues: set[str]) -> bool:
    late = Now() - timedelta(seconds=quiet_s())
    models = [model for model in models_of() if model.QUEUE in queues]
    return any(model._default_manager.filter(progressed_at__gte=late).exists() for model in models)


def _occupying(queue: str, seen: Sequence[Beat]) -> set[str]:
    """``queue``, and what every worker that answers and takes from it takes from beside."""
    taken = [set(beat.text.split()) for beat in seen if beat.age_s <= workers.SILENT_S]
    return {queue}.union(set.intersection(*mine) if (mine := [queues for queues in taken if queue in queues]) else ())
