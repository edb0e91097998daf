"""Slots: what each process of a pool shows of itself to the worker process above it, in memory that both share.

A process that holds the interpreter's lock, or is stopped, reaches neither database nor broker; nor does any that waits
for them. So the signs of life are numbers in shared memory, written by a thread of the process itself. The worker
process looks at them (dashboard/jobs/monitor.py) and kills what does not go on; what the process held is in the slot
then, for the process that replaces it.
"""

import ctypes
import mmap
import os
import threading
import time
from contextlib import suppress
from typing import Any, NamedTuple

from billiard.process import current_process

SLOTS = 256
"""A pool with more processes has the first so many monitored."""


class Left(NamedTuple):
    """The job of a process that was killed."""

    model: str
    pk: str
    token: str
    attempt: int
    stage: str
    seconds: float  # since its last progress


class Slot(ctypes.Structure):
    """What a process shows; the last two are written by the monitor."""

    _fields_ = (
        ("pid", ctypes.c_int64),
        ("signs", ctypes.c_uint64),
        ("progress", ctypes.c_uint64),
        ("busy", ctypes.c_bool),
        ("cancelled", ctypes.c_bool),
        ("attempt", ctypes.c_int32),
        ("model", ctypes.c_char * 80),
        ("pk", ctypes.c_char * 40),
        ("token", ctypes.c_char * 40),
        ("stage", ctypes.c_char * 244),
        ("killed", ctypes.c_bool),
        ("seconds", ctypes.c_double),
    )

    def hold(self, model: str, pk: Any, token: Any) -> None:
        """Show that a job begins."""
        self.busy = self.cancelled = False
        self.model, self.pk, self.token = model.encode(), str(pk).encode(), str(token).encode()
        self.attempt = 0
        self.advance("Starting")
        self.busy = True

    def let_go(self) -> None:
        """Show that it ended."""
        self.busy = self.cancelled = False

    def advance(self, stage: str | None = None) -> None:
        """Show that it goes on."""
        if stage is not None:
            self.stage = stage.encode()[:240]
        self.progress += 1

    def left(self) -> Left | None:
        """The job of a process that was killed; None if it had none, or was not killed."""
        if not (self.killed and self.busy):
            return None
        model, pk, token, stage = (
            text.decode(errors="ignore") for text in (self.model, self.pk, self.token, self.stage)
        )
        return Left(model, pk, token, self.attempt, stage, self.seconds)


own = Slot()
"""The slot of this process. Outside a pool no monitor reads it."""
every: list[Slot] = []
"""The slots of the pool, in the worker process and in those of its pool."""


def share() -> None:
    """Make the slots, before the processes of the pool are forked."""
    size = ctypes.sizeof(Slot)
    memory = mmap.mmap(-1, SLOTS * size)
    every[:] = [Slot.from_buffer(memory, i * size) for i in range(SLOTS)]


def enter(every_s: float) -> Left | None:
    """Take the slot of this process of a pool, and show signs of life in it from now on.

    Returns what the process left behind that it replaces, if that was killed.
    """
    global own
    index = getattr(current_process(), "index", None)
    if index is None or index >= len(every):
        return None
    own, left = every[index], every[index].left()
    ctypes.memset(ctypes.addressof(own), 0, ctypes.sizeof(own))
    threading.Thread(target=_show_life, args=(own, every_s), daemon=True, name="signs of life").start()
    own.pid = os.getpid()
    return left


def _show_life(slot: Slot, every_s: float) -> None:
    while True:
        with suppress(MemoryError):  # the job may have taken all that it may have
            slot.signs += 1
        time.sleep(every_s)
