"""Functions that are called in a process of their own, so that the process that answers requests stays small.

That process is :mod:`dashboard.launcher.computing`. It is started by the first call and ends when none comes for a
while; a process that grew, or that a call takes too long in, gets no further calls and ends after those that it has. It
ends with the process that started it: its end of a pipe is closed then. See docs/decisions/0127-computing-process.md.
"""

from __future__ import annotations

import os
import pickle  # nosec B403  # of our own process alone
import subprocess  # nosec B404
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from io import BytesIO
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle, send_handle
from typing import Any, BinaryIO, ParamSpec, TypeVar, cast

from django.conf import settings

P = ParamSpec("P")
T = TypeVar("T")
LONGEST_S = 300.0
"""A call; proxies give up after 120 s."""
GROWN_BYTES = 500_000_000
"""Of memory of its own; it begins with 140 MB."""
STARTS = 3
"""Of a process for a call: an idle process may end as the call comes."""


class ComputingEnded(Exception):
    """The process ended in a call, which may have done its work or not, or the call took too long."""


def computed(function: Callable[P, T]) -> Callable[P, T]:
    """Have a web server call ``function`` in the computing process; other processes call it as it is.

    Arguments, result and errors are pickled. A result that is an open file remains open.
    """
    return computed_where(lambda *_, **__: True)(function)


def computed_where(needed: Callable[..., bool]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """As :func:`computed` where ``needed`` returns True for the arguments."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            if not _Process.used or not needed(*args, **kwargs):
                return function(*args, **kwargs)
            return cast(T, _outcome(pickled((call, args, kwargs))))  # which pickle finds by name: there it is not used

        return call

    return decorate


def use_process() -> None:
    """Use a computing process in this process, which is a web server."""
    _Process.used = True


def prepare() -> None:
    """Start the computing process, if it does not run, for what a page is about to request."""
    if _Process.used:
        with suppress(_NotBegun), _Process.borrowed():
            pass


def pickled(value: Any) -> bytes:
    """``value``, whose errors may have any arguments."""
    out = BytesIO()
    _Pickler(out, pickle.HIGHEST_PROTOCOL).dump(value)
    return out.getvalue()


class _Pickler(pickle.Pickler):
    def reducer_override(self, value: Any) -> Any:
        if not isinstance(value, BaseException) or type(value).__reduce__ is not BaseException.__reduce__:
            return NotImplemented
        return _error, (type(value), value.args, vars(value), value.__cause__)


def _error(cls: type[BaseException], args: Any, state: dict[str, Any], cause: BaseException | None) -> BaseException:
    error = cls.__new__(cls, *args)
    error.__dict__.update(state)
    error.__cause__ = cause
    return error


def _outcome(message: bytes) -> Any:
    for _ in range(STARTS):
        with suppress(_NotBegun), _Process.borrowed() as process:
            is_result, value = process.answer(message)
            if not is_result:
                raise value
            return value
    raise ComputingEnded("The process that computes this does not start. Try again.")


class _NotBegun(Exception):
    """The process ended before a call began, or none can be started."""


class _Process:
    """A computing process and the calls that it has; ``used`` in web servers alone."""

    used = False
    _current: _Process | None = None
    _lock = threading.Lock()

    def __init__(self) -> None:
        self._control, its = Pipe()
        with its:
            command = [sys.executable, "-m", "dashboard.launcher.computing", str(its.fileno())]
            inherited = {"pass_fds": [its.fileno()], "stdin": subprocess.DEVNULL, "cwd": settings.BASE_DIR}
            self._popen = subprocess.Popen(command, **inherited)  # nosec B603
        threading.Thread(target=self._popen.wait, daemon=True, name="computing").start()  # none is left a zombie
        self._calls = 0

    @classmethod
    @contextmanager
    def borrowed(cls) -> Iterator[_Process]:
        """The process for a call."""
        with cls._lock:
            if cls._current is None or cls._current._popen.returncode is not None:
                try:
                    cls._current = cls()
                except OSError:  # the system has no memory or no number for it
                    raise _NotBegun from None
            process = cls._current
            process._calls += 1
        try:
            yield process
        finally:
            with cls._lock:
                process._calls -= 1
                if process is not cls._current and not process._calls:
                    process._control.close()  # it ends

    def answer(self, message: bytes) -> tuple[bool, Any]:
        """Whether the call that ``message`` describes had a result, and that or its error.

        Raises
        ------
        ComputingEnded
            The process ended in the call, or the call takes too long.
        _NotBegun
            It ended before.
        """
        mine, its = Pipe()
        begun, file = False, None
        with mine:
            try:
                with its:
                    send_handle(self._control, its.fileno(), None)
                mine.send_bytes(message)
                begun = not _received(mine)
                reply = _received(mine)
                is_result, value, own_bytes = pickle.loads(reply)  # noqa: S301  # nosec B301  # of our own process
                if value is Ellipsis:
                    file = os.fdopen(recv_handle(mine), "rb")
            except TimeoutError:
                self._retire()
                raise ComputingEnded(f"This takes longer than {LONGEST_S:.0f} s.") from None
            except (EOFError, OSError):
                self._retire()
                if begun:
                    raise ComputingEnded("The process that computes this has ended. Try again.") from None
                raise _NotBegun from None
        if own_bytes > GROWN_BYTES:
            self._retire()
        return is_result, value if file is None else file

    def _retire(self) -> None:
        with self._lock:
            if _Process._current is self:
                _Process._current = None


def _received(connection: Connection) -> bytes:
    if not connection.poll(LONGEST_S):
        raise TimeoutError
    return connection.recv_bytes()


def sent(connection: Connection, is_result: bool, value: Any, own_bytes: int) -> None:
    """Send what :meth:`_Process.answer` receives: a result or an error, and the memory that the process has."""
    is_file = is_result and hasattr(value, "fileno")
    connection.send_bytes(pickled((is_result, Ellipsis if is_file else value, own_bytes)))
    if is_file:
        file: BinaryIO = value
        send_handle(connection, file.fileno(), None)
        file.close()
