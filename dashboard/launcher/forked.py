"""Processes forked from the supervisor: what it imported they share, in memory and in time."""

import gc
import multiprocessing
import os
import signal
import sys
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, cast

from django.conf import settings
from django.db import connections

from dashboard.core.home import LaunchError

CONTEXT: Any = multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")  # libraries of macOS break
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Forked:
    """``work(*arguments)`` in a process with its own session and log; the methods are those of a Popen.

    ``closed`` are the descriptors that it must not keep.
    """

    def __init__(
        self, name: str, work: Callable[..., object], *arguments: Any, log: Path, closed: Sequence[int] = ()
    ) -> None:
        connections.close_all()  # no two processes use the same connection
        gc.collect()
        gc.freeze()  # the collector would touch, and so copy, what is shared
        closed = closed if CONTEXT.get_start_method() == "fork" else ()
        self._process = CONTEXT.Process(target=_run, args=(name, work, arguments, log, closed))
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, STOPPING)  # or the child's copy of our handler takes them
        try:
            self._process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        self.pid: int = self._process.pid

    def poll(self) -> int | None:
        """The exit code; None while it runs."""
        return cast(int | None, self._process.exitcode)

    def terminate(self) -> None:
        """Send SIGTERM."""
        self._process.terminate()

    def wait(self) -> int:
        """Wait for its end; the exit code."""
        self._process.join()
        return cast(int, self._process.exitcode)


def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """What ``function`` returns or raises, in a process of its own, whose memory is free afterwards.

    Raises
    ------
    LaunchError
        The process was killed.
    """
    connections.close_all()
    receiver, sender = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=_answer, args=(sender, function, arguments))
    process.start()
    sender.close()
    try:
        outcome, raised = receiver.recv()
    except EOFError:
        process.join()
        raise LaunchError(f"Preparing the database ended with code {process.exitcode}.") from None
    process.join()
    if raised:
        raise outcome
    return outcome


def _answer(sender: Connection, function: Callable[..., Any], arguments: Sequence[Any]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the supervisor waits for the end of what was begun
    try:
        sender.send((function(*arguments), False))
    except Exception as error:  # raised again by the parent
        sender.send((error, True))


def _run(name: str, work: Callable[..., object], arguments: Sequence[Any], log: Path, closed: Sequence[int]) -> None:
    os.setsid()  # Ctrl-C reaches the supervisor alone, which then stops all in order
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPPING)
    with log.open("ab") as stream:
        for descriptor in (1, 2):
            os.dup2(stream.fileno(), descriptor)
    for descriptor in closed:
        os.close(descriptor)
    with suppress(OSError):  # what ps shows, on Linux
        Path("/proc/self/comm").write_text(f"cairn-{name}")
    os.chdir(settings.BASE_DIR)
    tempfile.tempdir = None  # that of the environment
    work(*arguments)
