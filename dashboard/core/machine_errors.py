"""Errors of the machine: a database or storage that is away, a full disk, a damaged file. The same may work later."""

from dataclasses import dataclass

from dashboard.core.computing import ComputingEnded
from dashboard.core.database_errors import is_transient
from dashboard.core.storage_errors import DamagedFile, StorageUnavailable
from privacy_engine.core.disk import is_full

DAMAGED_RETRY_S = 3600
"""A person has to restore the file."""
SQLITE_FULL = 13
SQLSTATE_FULL = "53100"


@dataclass(frozen=True)
class MachineError:
    """How it is answered: status, code, a sentence for people, and after how many seconds to try again."""

    status: int
    code: str
    message: str
    retry_after_s: int


DATABASE_AWAY = MachineError(
    503, "database-away", "The database does not answer at the moment. Nothing was changed; try again.", 5
)
STORAGE_AWAY = MachineError(
    503, "storage-away", "The storage of files does not answer at the moment. Nothing was changed; try again.", 5
)
DISK_FULL = MachineError(
    507,
    "disk-full",
    "The disk of the server is full. Nothing was changed; try again once its administrator made space.",
    60,
)


def machine_error(error: BaseException | None) -> MachineError | None:
    """The error of the machine that ``error`` stands for, None if it is none."""
    if error is None:
        return None
    if is_full(error):
        return DISK_FULL
    if isinstance(error, StorageUnavailable):
        return STORAGE_AWAY
    if isinstance(error, DamagedFile):
        return MachineError(503, DamagedFile.code, str(error), DAMAGED_RETRY_S)
    if isinstance(error, ComputingEnded):
        return MachineError(503, "computing-ended", str(error), 1)
    if not is_transient(error):
        return None
    cause = error.__cause__
    of_sqlite = getattr(cause, "sqlite_errorcode", 0) & 0xFF == SQLITE_FULL
    return DISK_FULL if of_sqlite or getattr(cause, "sqlstate", None) == SQLSTATE_FULL else DATABASE_AWAY
