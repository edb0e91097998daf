"""Queues in which nothing goes on: known from the rows alone, whatever holds up their workers."""

from collections.abc import Sequence
from datetime import timedelta

from django.conf import settings
from django.db.models.functions import Now

from dashboard.core.beats import Beat
from dashboard.jobs import reaper, workers
from dashboard.jobs.models import models_of


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
    rows = (reaper.eligible(model).filter(created_at__lt=late) for model in models_of() if queue == model.QUEUE)
    return any(waiting.exists() for waiting in rows)


def _goes_on(queues: set[str]) -> bool:
    late = Now() - timedelta(seconds=quiet_s())
    models = [model for model in models_of() if model.QUEUE in queues]
    return any(model._default_manager.filter(progressed_at__gte=late).exists() for model in models)


def _occupying(queue: str, seen: Sequence[Beat]) -> set[str]:
    """``queue``, and what every worker that answers and takes from it takes from beside."""
    taken = [set(beat.text.split()) for beat in seen if beat.age_s <= workers.SILENT_S]
    return {queue}.union(set.intersection(*mine) if (mine := [queues for queues in taken if queue in queues]) else ())
