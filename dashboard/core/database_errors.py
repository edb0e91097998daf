"""Errors of a database or storage that is away or busy for a while, and work repeated until it answers again."""

import logging
import time
from collections.abc import Callable
from typing import TypeVar

from django.db import DatabaseError, InterfaceError, OperationalError, connection

from dashboard.core.storage_errors import StorageUnavailable
from privacy_engine.core import progress

logger = logging.getLogger(__name__)
T = TypeVar("T")

PATIENCE_S = 1800.0
"""As long as the longest job: a database that is away for longer costs an attempt."""
PAUSES_S = (0.1, 0.2, 0.5, 1.0, 2.0)
SQLITE_TRANSIENT = frozenset({5, 6, 8, 10, 13, 14, 15})
"""BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN, PROTOCOL: of the machine, not of the statement."""
SQLSTATE_TRANSIENT = ("08", "40", "53", "55", "57", "58")
"""Connection, rollback, resources, object in use, intervention of an operator, system: PostgreSQL's classes."""


def is_transient(error: BaseException) -> bool:
    """Return whether the database or storage, not the request, is the reason, so that the same may succeed later."""
    if isinstance(error, StorageUnavailable):
        return True
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    cause = error.__cause__
    sqlite, sqlstate = getattr(cause, "sqlite_errorcode", None), getattr(cause, "sqlstate", None)
    if sqlite is not None:
        return sqlite & 0xFF in SQLITE_TRANSIENT  # the low byte of an extended code
    return sqlstate is None or sqlstate.startswith(SQLSTATE_TRANSIENT)


def forget_connection() -> None:
    """Close the connection, so that the next statement opens another; inside a transaction its end does that."""
    if not connection.in_atomic_block:
        try:
            connection.close()
        except DatabaseError:  # it is broken already
            connection.connection = None


def patiently(work: Callable[[], T], *, limit_s: float = PATIENCE_S) -> T:
    """Return ``work()``, called again after each transient error of database or storage for up to ``limit_s``.

    ``work`` must end the same when an earlier call was carried out and only its answer was lost.
    """
    give_up, pauses = time.monotonic() + limit_s, iter(PAUSES_S)
    while True:
        try:
            return work()
        except (OperationalError, InterfaceError, StorageUnavailable) as error:
            if not is_transient(error) or connection.in_atomic_block or time.monotonic() > give_up:
                raise
            logger.warning("database or storage does not answer: %s", type(error).__name__)
        forget_connection()
        progress.advance()  # waiting for a database is no stall of the job
        time.sleep(next(pauses, PAUSES_S[-1]))
