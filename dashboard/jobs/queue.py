"""The queue: one Celery task per job model, messages to workers by its name, cancellation and retries."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Any

from celery import current_app, shared_task
from django.db import DatabaseError, transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from dashboard.jobs.models import Job, JobRow, NotOpen, NotRetryable, State

logger = logging.getLogger(__name__)


def job_task(model: type[Job], work: Callable[[str], None]) -> Any:
    """Return the Celery task named ``model.TASK``: it calls ``work`` with a row's id."""

    def run(pk: str) -> None:
        work(pk)

    return shared_task(run, name=model.TASK)


def enqueue(job: Job) -> bool:
    """Send a message that ``job`` waits. An unreachable broker is no error (False): the reaper sends it again."""
    model = type(job)
    try:
        current_app.send_task(model.TASK, args=[str(job.pk)], ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.warning("message not sent: %s %s (%s)", model.__name__, job.pk, type(error).__name__)
        return False
    try:
        model._default_manager.filter(pk=job.pk).update(enqueued_at=Now())
    except DatabaseError as error:  # the row is committed, and whoever submitted it must not do so again
        logger.warning("message sent, its time not stored: %s %s (%s)", model.__name__, job.pk, type(error).__name__)
    return True


def enqueue_all(waiting: Iterable[Job]) -> int:
    """:func:`enqueue` one after the other until one cannot be sent; how many were."""
    count = 0
    for job in waiting:
        if not enqueue(job):  # the next would wait as long for the same broker, and all that waits for us with it
            break
        count += 1
    return count


def enqueue_on_commit(*waiting: Job) -> None:
    """:func:`enqueue_all` once the rows are committed."""
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


@transaction.atomic
def retried(job: JobRow) -> JobRow:
    """:func:`retry` ``job``, and return it as it is then."""
    retry(job)
    job.refresh_from_db()
    return job


def retry(job: Job) -> None:
    """Queue ``job``, which failed or was cancelled, once more: the same row, and so the same charge.

    A failed attempt stored nothing, and the row is claimed as any other: however often it is queued, at most one
    attempt ever succeeds. ``started_at`` stays, so that :attr:`Job.claimed` does.

    Raises
    ------
    NotRetryable
        It waits, runs or succeeded, or another request was quicker.
    """
    over = type(job)._default_manager.filter(pk=job.pk, state__in=[State.FAILED, State.CANCELLED])
    fresh = {"stage": "", "progress": 0.0, "attempt": 0, "error": None, "enqueued_at": None, "finished_at": None}
    if not over.update(state=State.QUEUED, cancel_requested=False, dismissed=False, **fresh):
        raise NotRetryable
    enqueue_on_commit(job)
