"""The queue: one Celery task per job model, messages to workers, cancellation and retries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from django.db import transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from dashboard.jobs.models import Job, NotOpen, NotRetryable, State

logger = logging.getLogger(__name__)

_tasks: dict[type[Job], Any] = {}


def task_for(model: type[Job]) -> Callable[[Any], Any]:
    """Decorator: this Celery task answers for ``model``; it takes the row's id."""

    def remember(task: Any) -> Any:
        _tasks[model] = task
        return task

    return remember


def enqueue(job: Job) -> bool:
    """Tell the workers that ``job`` waits. A broker that is away is no error (False): the sweep rings again."""
    model = type(job)
    try:
        _tasks[model].apply_async(args=[str(job.pk)])
    except (OperationalError, OSError) as error:
        logger.warning("bell not heard: %s %s (%s)", model.__name__, job.pk, type(error).__name__)
        return False
    model._default_manager.filter(pk=job.pk).update(enqueued_at=Now())
    return True


def enqueue_all(waiting: Iterable[Job]) -> int:
    """:func:`enqueue` for one after the other, as long as it is heard; how many were."""
    count = 0
    for job in waiting:
        if not enqueue(job):  # the next would wait as long for the same broker, and all that waits for us with it
            break
        count += 1
    return count


def enqueue_on_commit(*waiting: Job) -> None:
    """:func:`enqueue_all` once the rows are really there."""
    transaction.on_commit(lambda: enqueue_all(waiting))


def request_cancel(job: Job) -> None:
    """Stop ``job``: at once if it waits, within a lease if it runs.

    Raises
    ------
    NotOpen
        It is over already.
    """
    rows = type(job)._default_manager.filter(pk=job.pk)
    if rows.filter(state=State.QUEUED).update(state=State.CANCELLED, finished_at=Now(), cancel_requested=True):
        return
    if not rows.filter(state=State.RUNNING).update(cancel_requested=True):
        raise NotOpen


def retry(job: Job) -> None:
    """Let ``job``, which failed or was cancelled, wait for a worker once more: the same row, and so the same charge.

    A failed attempt stored nothing, and the row is claimed as any other: however often it is put back, at most one
    attempt ever settles. ``started_at`` stays, so that :attr:`Job.claimed` does.

    Raises
    ------
    NotRetryable
        It waits, runs or succeeded, or somebody else was quicker.
    """
    over = type(job)._default_manager.filter(pk=job.pk, state__in=[State.FAILED, State.CANCELLED])
    fresh = {"stage": "", "progress": 0.0, "attempt": 0, "error": None, "enqueued_at": None, "finished_at": None}
    if not over.update(state=State.QUEUED, cancel_requested=False, dismissed=False, **fresh):
        raise NotRetryable
    enqueue_on_commit(job)
