"""Jobs. The row is the truth; a message is a doorbell that carries its id and nothing else.

A worker *claims* a queued row by one conditional UPDATE and holds it under a lease by the database's clock, with a
fencing token. A heartbeat extends the lease and hears of a cancellation. It *settles* the row in one UPDATE that asks
for its token, so a worker that lost its lease (killed, frozen, replaced) publishes nothing. The sweep puts expired
rows back, gives up after three attempts, and rings again where nobody answered (dashboard/sweeping.py).
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import Any, ClassVar

from django.apps import apps
from django.conf import settings
from django.db import close_old_connections, connection, models, transaction
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils import timezone
from kombu.exceptions import OperationalError

from dashboard.failures import explained, failure

logger = logging.getLogger(__name__)


class State(models.TextChoices):
    """Where a job stands. A job's own word for success is its model's ``SUCCEEDED``."""

    QUEUED = "queued", "Waiting"
    RUNNING = "running", "Running"
    READY = "ready", "Ready"
    DONE = "done", "Done"
    FAILED = "failed", "Failed"
    CANCELLED = "cancelled", "Cancelled"


OPEN = [State.QUEUED, State.RUNNING]
"""The states of what waits or runs."""


class Watched(models.Model):
    """Columns of what an owner waits for: the drawer tells of it."""

    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED, db_index=True)
    stage = models.CharField(max_length=60, default="", blank=True)
    progress = models.FloatField(default=0.0)
    attempt = models.PositiveSmallIntegerField(default=0)
    error = models.JSONField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    dismissed = models.BooleanField(default=False)  # the owner has seen how it ended

    class Meta:
        abstract = True

    @property
    def open(self) -> bool:
        """True while the job waits or runs."""
        return self.state in OPEN

    @property
    def claimed(self) -> bool:
        """True once any worker ever had it, in this try or an earlier one: the data may have been read."""
        return self.started_at is not None

    @property
    def failure(self) -> dict[str, Any] | None:
        """Why it failed and what to do; None if it did not."""
        return explained(self.error) if self.state == State.FAILED else None

    @property
    def seconds_left(self) -> float | None:
        """A guess from the progress so far; None before there is any."""
        if self.state != State.RUNNING or self.started_at is None or self.progress < 0.02:
            return None
        spent = (now() - self.started_at).total_seconds()
        return max(spent * (1 - self.progress) / self.progress, 0.0)


class Job(Watched):
    """Columns of a row that a worker works off."""

    SUCCEEDED: ClassVar[str] = State.DONE

    token = models.UUIDField(null=True, blank=True)
    lease_until = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    rung_at = models.DateTimeField(null=True, blank=True)

    class Meta(Watched.Meta):
        abstract = True


def models_of() -> list[type[Job]]:
    """Every model whose rows are jobs."""
    return [model for model in apps.get_models() if issubclass(model, Job)]


def watched_constraints(name: str) -> list[models.BaseConstraint]:
    """What holds for every row that is waited for, whoever writes it."""
    return [
        models.CheckConstraint(name=f"{name}_progress_share", condition=Q(progress__gte=0, progress__lte=1)),
        models.CheckConstraint(
            name=f"{name}_finished_when_over",
            condition=Q(state__in=OPEN, finished_at__isnull=True) | ~Q(state__in=OPEN) & Q(finished_at__isnull=False),
        ),
    ]


def job_constraints(name: str) -> list[models.BaseConstraint]:
    """What holds for every job row, whoever writes it."""
    held = Q(token__isnull=False, lease_until__isnull=False)
    return [
        models.CheckConstraint(
            name=f"{name}_held_while_running",
            condition=Q(state=State.RUNNING) & held
            | ~Q(state=State.RUNNING) & Q(token__isnull=True, lease_until__isnull=True),
        ),
        *watched_constraints(name),
    ]


class LeaseLost(Exception):
    """Somebody else holds the row now; whatever was made must not be published."""


class Cancelled(Exception):
    """The owner asked to stop."""


class GiveWay(Exception):
    """What is done is kept, and somebody else's turn it is: the job waits again for its own."""


class NotOpen(Exception):
    """The job is over; there is nothing to cancel."""


class NotRetryable(Exception):
    """The job waits, runs or succeeded; there is nothing to try again."""


def others_wait(model: type[Job]) -> bool:
    """True while a job of another kind than ``model`` waits for a worker."""
    return any(one._default_manager.filter(state=State.QUEUED).exists() for one in models_of() if one is not model)


def now() -> Any:
    """The time by the clock the leases use."""
    return timezone.now()


# Doorbells ---------------------------------------------------------------------------------------

_bells: dict[type[Job], Any] = {}


def doorbell(model: type[Job]) -> Callable[[Any], Any]:
    """Decorator: this Celery task answers for ``model``; it takes the row's id."""

    def remember(task: Any) -> Any:
        _bells[model] = task
        return task

    return remember


def ring(job: Job) -> bool:
    """Tell the workers that ``job`` waits. A broker that is away is no error (False): the sweep rings again."""
    model = type(job)
    try:
        _bells[model].apply_async(args=[str(job.pk)])
    except (OperationalError, OSError) as error:
        logger.warning("bell not heard: %s %s (%s)", model.__name__, job.pk, type(error).__name__)
        return False
    model._default_manager.filter(pk=job.pk).update(rung_at=Now())
    return True


def ring_each(waiting: Iterable[Job]) -> int:
    """:func:`ring` for one after the other, as long as it is heard; how many were."""
    count = 0
    for job in waiting:
        if not ring(job):  # the next would wait as long for the same broker, and all that waits for us with it
            break
        count += 1
    return count


def ring_after_commit(*waiting: Job) -> None:
    """:func:`ring_each` once the rows are really there."""
    transaction.on_commit(lambda: ring_each(waiting))


# Claim, hold, settle -----------------------------------------------------------------------------


def _lease_end() -> Any:
    return Now() + timedelta(seconds=settings.CAIRN_LEASE_S)


def claim(model: type[Job], pk: Any) -> uuid.UUID | None:
    """Take a queued row: its fencing token, or None if it is not (or no longer) waiting."""
    token = uuid.uuid4()
    taken = model._default_manager.filter(pk=pk, state=State.QUEUED).update(
        state=State.RUNNING,
        attempt=F("attempt") + 1,
        token=token,
        lease_until=_lease_end(),
        started_at=Now(),
        stage="Starting",
        progress=0.0,
        error=None,
    )
    return token if taken else None


class Lease:
    """A claimed row, kept alive by a heartbeat while the work runs."""

    def __init__(self, model: type[Job], pk: Any, token: uuid.UUID) -> None:
        self.model, self.pk, self.token = model, pk, token
        self._stop = threading.Event()
        self._lost = self._cancelled = False
        self._reported = 0.0
        self._thread = threading.Thread(target=self._beat, daemon=True, name=f"lease-{pk}")

    def rows(self) -> Any:
        """The row, if it is still ours."""
        return self.model._default_manager.filter(pk=self.pk, token=self.token, state=State.RUNNING)

    def __enter__(self) -> Lease:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _beat(self) -> None:
        while not self._stop.wait(settings.CAIRN_LEASE_S / 4):
            try:
                self._extend()
            except Exception as error:  # the database is away: try again, the lease may outlive it
                logger.warning("heartbeat missed: %s", type(error).__name__)
            finally:
                connection.close()

    def _extend(self) -> None:
        if not self.rows().update(lease_until=_lease_end()):
            self._lost = True
        elif self.rows().filter(cancel_requested=True).exists():
            self._cancelled = True

    def check(self) -> None:
        """Raise :class:`LeaseLost` or :class:`Cancelled` if either has been heard of."""
        if self._lost:
            raise LeaseLost
        if self._cancelled:
            raise Cancelled

    def hold(self) -> None:
        """Look at once whether the row is ours still. In a transaction it stays so until the end of that.

        Raises
        ------
        LeaseLost, Cancelled
            It is not.
        """
        self._extend()
        self.check()

    def report(self, stage: str, progress: float) -> None:
        """Say how far the work is, at most four times a second, and stop it if it should stop."""
        self.check()
        if time.monotonic() - self._reported < 0.25:
            return
        self._reported = time.monotonic()
        if not self.rows().update(stage=stage, progress=min(max(progress, 0.0), 1.0), lease_until=_lease_end()):
            self._lost = True
        elif self.rows().filter(cancel_requested=True).exists():
            self._cancelled = True
        self.check()

    def settle(self, state: str, **fields: Any) -> None:
        """End the job in ``state``, in one UPDATE that asks for the token.

        Raises
        ------
        LeaseLost
            The row is no longer ours; nothing was written.
        """
        ended = self.rows().update(state=state, finished_at=Now(), token=None, lease_until=None, **fields)
        if not ended:
            raise LeaseLost

    def give_back(self) -> bool:
        """Let the row wait again, this attempt not counted; False if it is to be cancelled, or no longer ours."""
        fresh = {"state": State.QUEUED, "token": None, "lease_until": None, "stage": "", "rung_at": None}
        return bool(self.rows().filter(cancel_requested=False).update(**fresh, attempt=F("attempt") - 1))


def run(model: type[Job], pk: Any, work: Callable[[Any, Lease], dict[str, Any]]) -> None:
    """Claim the row and do ``work(row, lease)``; what it returns is stored as the row succeeds.

    Nothing happens if the row is not waiting: a doorbell may ring twice.
    """
    if not connection.in_atomic_block:  # as it is in a test; inside one, closing would throw the transaction away
        close_old_connections()
    token = claim(model, pk)
    if token is None:
        return
    lease = Lease(model, pk, token)
    try:
        with lease:
            fields = work(model._default_manager.get(pk=pk), lease)
            lease.check()
        lease.settle(model.SUCCEEDED, stage="", progress=1.0, error=None, **fields)
    except (LeaseLost, model.DoesNotExist):
        logger.warning("%s %s was taken away; nothing published", model.__name__, pk)
    except GiveWay:
        if lease.give_back():
            ring_each(model._default_manager.filter(pk=pk))
        else:
            _settle_quietly(lease, State.CANCELLED)
    except Cancelled:
        _settle_quietly(lease, State.CANCELLED)
    except Exception as error:
        _settle_quietly(lease, State.FAILED, error=failure(error, f"{model.__name__} {pk}"))


def _settle_quietly(lease: Lease, state: str, **fields: Any) -> None:
    try:
        lease.settle(state, stage="", **fields)
    except LeaseLost:
        logger.warning("%s %s was taken away while it ended", lease.model.__name__, lease.pk)


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


def put_back(job: Job) -> None:
    """Let ``job``, which failed or was cancelled, wait for a worker once more: the same row, and so the same charge.

    A failed attempt stored nothing, and the row is claimed as any other: however often it is put back, at most one
    attempt ever settles. ``started_at`` stays, so that :attr:`Job.claimed` does.

    Raises
    ------
    NotRetryable
        It waits, runs or succeeded, or somebody else was quicker.
    """
    over = type(job)._default_manager.filter(pk=job.pk, state__in=[State.FAILED, State.CANCELLED])
    fresh = {"stage": "", "progress": 0.0, "attempt": 0, "error": None, "rung_at": None, "finished_at": None}
    if not over.update(state=State.QUEUED, cancel_requested=False, dismissed=False, **fresh):
        raise NotRetryable
    ring_after_commit(job)
