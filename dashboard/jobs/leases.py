"""Leases: how a worker claims a job, keeps it and ends it.

A worker *claims* a queued row by a conditional UPDATE and keeps it under a lease by the database's clock, with a
fencing token. A heartbeat extends the lease and learns of a cancellation. The worker *finishes* the row in an UPDATE
that names its token, so a worker that lost its lease (killed, frozen, replaced) publishes nothing. The reaper
(dashboard/jobs/reaper.py) requeues expired rows, fails them after three attempts, and sends lost messages again. A
process that hangs is killed by the monitor of its pool (dashboard/jobs/monitor.py), to which the lease shows in a slot
what is held and that it goes on.

A database that is away or locked ends no job: the attempt waits for it and the row is requeued, or the lease expires
(docs/decisions/0001-job-rows.md).
"""

from __future__ import annotations

import logging
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import DatabaseError, close_old_connections, connection
from django.db.models import F
from django.db.models.functions import Now

from dashboard.core.database_errors import forget_connection, is_transient, patiently
from dashboard.core.failures import failure
from dashboard.core.memory import release_free_memory
from dashboard.jobs import slots
from dashboard.jobs.models import Job, JobRow, State
from dashboard.jobs.queue import enqueue_all
from privacy_engine.core.progress import listening

logger = logging.getLogger(__name__)


class LeaseLost(Exception):
    """Another worker has the row now; whatever was made must not be published."""


class Cancelled(Exception):
    """The owner requested a stop."""


class Preempted(Exception):
    """A job of another owner is next: what is done is stored, and the job waits in the queue again."""


_held: list[Lease] = []  # by this process: that of a job, then that of its part


def _lease_end() -> Any:
    return Now() + timedelta(seconds=settings.CAIRN_LEASE_S)


def claim(model: type[Job], pk: Any) -> uuid.UUID | None:
    """Take a queued row: its fencing token, or None if it is not (or no longer) waiting."""
    token = uuid.uuid4()
    rows = model._default_manager.filter(pk=pk)

    def take() -> bool:
        taken = rows.filter(state=State.QUEUED).update(
            state=State.RUNNING,
            attempt=F("attempt") + 1,
            token=token,
            lease_until=_lease_end(),
            started_at=Now(),
            progressed_at=Now(),
            stage="Starting",
            progress=0.0,
            error=None,
        )
        return bool(taken) or rows.filter(token=token).exists()  # an earlier call did, and its answer was lost

    return token if patiently(take) else None


class Lease:
    """A claimed row, kept alive by a heartbeat while the work runs; within it may be that of a part of the work."""

    def __init__(self, model: type[Job], pk: Any, token: uuid.UUID) -> None:
        self.model, self.pk, self.token, self.attempt = model, pk, token, 0
        self._stop = threading.Event()
        self._lost = self._cancelled = self._advanced = False
        self._reported = 0.0
        self._thread = threading.Thread(target=self._beat, daemon=True, name=f"lease-{pk}")
        self._listening = listening(self._advance, self._announce)

    def rows(self) -> Any:
        """The row, if it is still ours."""
        return self.model._default_manager.filter(pk=self.pk, token=self.token, state=State.RUNNING)

    def __enter__(self) -> Lease:
        self._thread.start()
        self._listening.__enter__()
        _held.append(self)
        self._show()
        return self

    def __exit__(self, *_: object) -> None:
        _held.remove(self)
        slots.own.let_go()
        for outer in _held[-1:]:
            outer._show()
        self._listening.__exit__(None, None, None)
        self._stop.set()
        self._thread.join()

    def _show(self) -> None:
        slots.own.hold(self.model._meta.label, self.pk, self.token)
        slots.own.attempt = self.attempt

    def _advance(self) -> None:
        """Note that the work goes on: called very often, so the database learns of it at the next heartbeat."""
        slots.own.advance()
        self._advanced = True

    def _announce(self, stage: str) -> None:
        """Show a stage between two that the work reports, at any depth of it: nothing is raised."""
        known = slots.own.stage == stage.encode()
        slots.own.advance(stage)
        if not known and not connection.in_atomic_block:
            with suppress(DatabaseError):
                self._extend(stage=stage, progressed_at=Now())

    def _beat(self) -> None:
        while not self._stop.wait(settings.CAIRN_LEASE_S / 4):
            advanced, self._advanced = self._advanced, False
            try:
                self._extend(**({"progressed_at": Now()} if advanced else {}))
            except Exception as error:  # the database is away: try again, the lease may outlive it
                logger.warning("heartbeat missed: %s", type(error).__name__)
            finally:
                connection.close()

    def _extend(self, **fields: Any) -> None:
        if not self.rows().update(lease_until=_lease_end(), **fields):
            self._lost = True
        elif self.rows().filter(cancel_requested=True).exists():
            self._cancelled = slots.own.cancelled = True

    def check(self) -> None:
        """Raise :class:`LeaseLost` or :class:`Cancelled` if either is known, of this or of its job."""
        for lease in _held or [self]:
            if lease._lost:
                raise LeaseLost
            if lease._cancelled:
                raise Cancelled

    def confirm(self) -> None:
        """Look at once whether the row is ours still. In a transaction it stays so until the end of that.

        Raises
        ------
        LeaseLost, Cancelled
            It is not.
        """
        self._extend()
        self.check()

    def report(self, stage: str, progress: float) -> None:
        """Report the progress, at most four times a second, and stop the work if it should stop."""
        self.check()
        slots.own.advance(stage)
        if time.monotonic() - self._reported < 0.25:
            return
        self._reported = time.monotonic()
        try:
            self._extend(stage=stage, progress=min(max(progress, 0.0), 1.0), progressed_at=Now())
        except DatabaseError as error:
            if connection.in_atomic_block or not is_transient(error):
                raise
            logger.warning("progress not stored: %s", type(error).__name__)  # the work does not need it
            forget_connection()
        release_free_memory()  # or freed pages of the heap stay until the job ends: 100 MB of a long job
        self.check()

    def reporting(self, stage: str, start: float = 0.0, end: float = 1.0) -> Callable[[float], None]:
        """:meth:`report` for shares of a stage, which goes from one share of the work to another."""
        return lambda share: self.report(stage, start + (end - start) * share)

    def finish(self, state: str, **fields: Any) -> None:
        """End the job in ``state``, in a single UPDATE with the token as condition.

        Raises
        ------
        LeaseLost
            The row is no longer ours; nothing was written.
        """
        ended = self.rows().update(state=state, finished_at=Now(), token=None, lease_until=None, **fields)
        if not ended:
            raise LeaseLost

    def requeue(self, attempt: Any) -> bool:
        """Let the row wait again, with so many attempts; False if it is to be cancelled, or no longer ours."""
        fresh = {"state": State.QUEUED, "token": None, "lease_until": None, "stage": "", "enqueued_at": None}
        return bool(self.rows().filter(cancel_requested=False).update(**fresh, attempt=attempt))


def run(model: type[JobRow], pk: Any, work: Callable[[JobRow, Lease], dict[str, Any]]) -> JobRow | None:
    """Claim the row and do ``work(row, lease)``; what it returns is stored as the row succeeds.

    Returns the row that ``work`` received. Nothing happens (None) if the row is not waiting: a message may arrive
    twice.
    """
    if not connection.in_atomic_block:  # as it is in a test; inside a block, closing would throw the transaction away
        close_old_connections()
    token = claim(model, pk)
    if token is None:
        return None
    lease, row = Lease(model, pk, token), None
    try:
        with lease:
            row = model._default_manager.get(pk=pk)
            slots.own.attempt = lease.attempt = row.attempt
            fields = work(row, lease)
            lease.check()
            patiently(lambda: lease.finish(model.SUCCEEDED, stage="", progress=1.0, error=None, **fields))
    except (LeaseLost, model.DoesNotExist):
        logger.warning("%s %s was taken away; nothing published", model.__name__, pk)
    except Preempted:
        _requeue(lease, attempt=0)  # it went on: what stopped earlier attempts is over
        enqueue_all(model._default_manager.filter(pk=pk, state=State.QUEUED))
    except Cancelled:
        _finish_quietly(lease, State.CANCELLED)
    except Exception as error:
        if is_transient(error):
            logger.warning("%s %s is requeued: %s", model.__name__, pk, type(error).__name__)
            forget_connection()
            # the sweep sends the message: after a while, in which the database may recover
            _requeue(lease, attempt=F("attempt") - 1)
        else:
            _finish_quietly(lease, State.FAILED, error=failure(error, f"{model.__name__} {pk}"))
    return row


def _requeue(lease: Lease, attempt: Any) -> None:
    """Let the row wait again with so many attempts; if it is to be cancelled, end it."""
    if not patiently(lambda: lease.requeue(attempt)):
        _finish_quietly(lease, State.CANCELLED)


def _finish_quietly(lease: Lease, state: str, **fields: Any) -> None:
    try:
        patiently(lambda: lease.finish(state, stage="", **fields))
    except LeaseLost:
        logger.warning("%s %s was taken away while it ended", lease.model.__name__, lease.pk)
