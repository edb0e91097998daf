"""The queues: a Celery task per job model, messages to workers by its name, limits, cancellation and retries."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from celery import current_app, shared_task
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import DatabaseError, transaction
from django.db.models.functions import Now
from kombu.exceptions import OperationalError

from dashboard.core.errors import Conflict
from dashboard.jobs import fairness
from dashboard.jobs.models import Job, JobRow, NotOpen, NotRetryable, State, models_of, owner_of

logger = logging.getLogger(__name__)


_work: dict[type[Job], Callable[[Any], bool]] = {}


def job_task(model: type[Job], work: Callable[[Any], bool]) -> Any:
    """Return the Celery task named ``model.TASK``: it calls ``work`` with the id of a row that waits.

    It is the row of the message, or a row of the same queue whose owner is next (dashboard/jobs/fairness.py).
    ``work`` returns False if the row did not wait any more.
    """
    _work[model] = work

    def run(pk: str) -> None:
        models = [other for other in fairness.same_queue(model) if other in _work]
        for chosen, row in fairness.choices(model, pk, models):
            if _work[chosen](row):
                break

    return shared_task(run, name=model.TASK)


def enqueue(job: Job) -> bool:
    """Send a message that ``job`` waits. An unreachable broker is no error (False): the reaper sends it again."""
    model = type(job)
    try:
        current_app.send_task(model.TASK, args=[str(job.pk)], queue=model.QUEUE, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.warning("message not sent: %s %s (%s)", model.__name__, job.pk, type(error).__name__)
        return False
    try:
        model._default_manager.filter(pk=job.pk).update(enqueued_at=Now())
    except DatabaseError as error:  # the row is committed, and whoever submitted it must not do so again
        logger.warning("message sent, its time not stored: %s %s (%s)", model.__name__, job.pk, type(error).__name__)
    return True


def enqueue_all(waiting: Iterable[Job]) -> int:
    """:func:`enqueue` in turn until a message cannot be sent; how many were."""
    count = 0
    for job in waiting:
        if not enqueue(job):  # the next would wait as long for the same broker, and all that waits for us with it
            break
        count += 1
    return count


def enqueue_on_commit(*waiting: Job) -> None:
    """:func:`enqueue_all` once the rows are committed."""
    transaction.on_commit(lambda: enqueue_all(waiting))


class TooManyJobs(Conflict):
    """The owner has as many waiting jobs as an owner may have."""

    def __init__(self, waiting: int, most: int) -> None:
        message = f"{waiting} of your jobs wait already, and at most {most} may: wait until some end, or cancel some."
        super().__init__(message, field="jobs", rule=f"at most {most} that wait", value=waiting)


def submit_on_commit(job: Job, owner: Any) -> None:
    """:func:`enqueue_on_commit` for a new or retried job, whose row is written in this transaction.

    Raises
    ------
    TooManyJobs
        As :func:`require_capacity` does.
    """
    require_capacity(owner)
    enqueue_on_commit(job)


def require_capacity(owner: Any) -> None:
    """Refuse what was written in this transaction if ``owner`` has too much that waits; a job with its parts is one.

    Raises
    ------
    TooManyJobs
        More than CAIRN_OWNER_WAITING entries wait.
    """
    most = settings.CAIRN_OWNER_WAITING
    if most:
        # no key: inserted rows that name the owner hold a shared lock on the key, in this and other transactions
        get_user_model()._default_manager.select_for_update(no_key=True).get(pk=owner.pk)
        waiting = len(set[Any]().union(*(_entries(model, owner) for model in models_of())))
        if waiting > most:
            raise TooManyJobs(waiting - 1, most)


def _entries(model: type[Job], owner: Any) -> set[Any]:
    rows = model._default_manager.filter(**{model.OWNER: owner, "state": State.QUEUED}).order_by()
    return set(rows.values_list(model.QUEUED_AS, flat=True).distinct())


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
def delete(job: Job) -> None:
    """Delete a job with its result. A worker that is at it stores nothing."""
    type(job)._default_manager.select_for_update().get(pk=job.pk).delete()


@transaction.atomic
def retried(job: JobRow) -> JobRow:
    """:func:`retry` ``job``, and return it as it is then."""
    retry(job)
    job.refresh_from_db()
    return job


def retry(job: Job) -> None:
    """Queue ``job``, which failed or was cancelled, once more: the same row, and so the same charge.

    A failed attempt stored nothing, and the row is claimed as any other: however often it is queued, at most a single
    attempt ever succeeds. ``started_at`` stays, so that :attr:`Job.claimed` does.

    Raises
    ------
    NotRetryable
        It waits, runs or succeeded, or another request was quicker.
    """
    over = type(job)._default_manager.filter(pk=job.pk, state__in=[State.FAILED, State.CANCELLED])
    fresh = {"stage": "", "progress": 0.0, "attempt": 0, "error": None, "enqueued_at": None, "finished_at": None}
    if not over.update(state=State.QUEUED, cancel_requested=False, dismissed=False, progressed_at=Now(), **fresh):
        raise NotRetryable
    submit_on_commit(job, owner_of(job))
