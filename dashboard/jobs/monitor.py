"""The monitor of a pool: it kills the processes that do not go on, and their jobs are requeued or ended at once.

Two clocks. *Alive*: a process without a sign of life for a lease. *Progress*: that
whose job reports nothing for CAIRN_STALL_S. Beside them, a process whose job does not stop within a lease of its
cancellation.

It is a thread of the worker process, which forks: so it touches neither database nor log. The process that takes the
place of a killed process, or the worker process once its pool has ended, does what is left (:func:`recover`).
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import suppress
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError

from dashboard.core.database_errors import forget_connection, patiently
from dashboard.jobs import reaper
from dashboard.jobs.models import Job, State
from dashboard.jobs.queue import enqueue_all
from dashboard.jobs.slots import Left, Slot

logger = logging.getLogger(__name__)

ANSWER_SHARE = 0.5
"""Of a lease, in which a job must react to a cancellation: its heartbeat learns of it in the first quarter, and the
process must be replaced in the last."""
RECOVER_S = 60.0
"""A database that is away for longer leaves the row to the sweep."""


def every_s() -> float:
    """Seconds between two signs of life of a process, and between two checks of the monitor."""
    return float(min(1.0, settings.CAIRN_LEASE_S / 10))


class Clocks:
    """How long each process has shown no sign of life, no progress, and no reaction to a cancellation.

    They stand still where the monitor does: no process is killed for the time in which the machine was suspended, or
    the worker stopped with its whole group.
    """

    def __init__(self, slots: Sequence[Slot]) -> None:
        self._slots = slots
        self._time, self._looked = 0.0, float("inf")
        self._since: dict[tuple[int, str], tuple[Any, float]] = {}

    def overdue(self, now: float) -> Iterator[tuple[Slot, float]]:
        """Slots of the processes to kill, with the seconds since the last progress of each."""
        self._time += min(max(now - self._looked, 0.0), 2 * every_s())
        self._looked = now
        for i, slot in enumerate(self._slots):
            if not slot.pid or slot.killed:
                continue
            silent = self._unchanged_s(i, "alive", (slot.pid, slot.signs))
            still = self._unchanged_s(i, "progress", (slot.pid, slot.token, slot.progress))
            unanswered = self._unchanged_s(i, "cancelled", (slot.pid, slot.token, slot.cancelled))
            stalled = slot.busy and still >= settings.CAIRN_STALL_S
            ignores = slot.busy and slot.cancelled and unanswered >= settings.CAIRN_LEASE_S * ANSWER_SHARE
            if silent >= settings.CAIRN_LEASE_S or stalled or ignores:
                yield slot, still

    def _unchanged_s(self, index: int, name: str, value: Any) -> float:
        last, since = self._since.get((index, name), (None, 0.0))
        if last != value:
            self._since[index, name] = value, (since := self._time)
        return self._time - since


def watch(slots: Sequence[Slot], processes: Callable[[], Container[int]]) -> None:
    """Kill what is overdue among ``processes``, until this process ends, in a thread of its own."""
    threading.Thread(target=_watch, args=(Clocks(slots), processes), daemon=True, name="pool monitor").start()


def _watch(clocks: Clocks, processes: Callable[[], Container[int]]) -> None:
    while True:
        time.sleep(every_s())
        for slot, still in clocks.overdue(time.monotonic()):
            pid = slot.pid
            with suppress(ProcessLookupError, RuntimeError):  # Celery's description of its pool may change meanwhile
                if pid in processes():  # another's process may have the number of a process that ended
                    slot.seconds, slot.killed = still, True
                    os.kill(pid, signal.SIGKILL)


def recover(left: Left) -> None:
    """Requeue or end the row that a killed process held, unless the sweep was quicker."""
    logger.error(
        "%s %s was stopped in its stage %r: no progress for %.0f s", left.model, left.pk, left.stage, left.seconds
    )
    try:
        patiently(lambda: _recover(apps.get_model(left.model), left), limit_s=RECOVER_S)
    except DatabaseError as error:
        logger.warning("left to the sweep: %s", type(error).__name__)
    finally:
        forget_connection()


def _recover(model: type[Job], left: Left) -> None:
    rows = model._default_manager.filter(pk=left.pk)
    message = f'The job made no progress for {left.seconds:.0f} s in the stage "{left.stage}" and was stopped.'
    error = {"code": "no-progress", "message": message}
    reaper.recover(rows.filter(token=left.token, state=State.RUNNING), error)
    crashed = rows.filter(state=State.FAILED, attempt=left.attempt, error__code=reaper.CRASHED)
    crashed.update(error=error)  # by the sweep, which cannot know why the lease expired
    enqueue_all(rows.filter(state=State.QUEUED, enqueued_at=None))
