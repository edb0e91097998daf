"""What becomes of files without a row: a few are removed, and many are moved to the trash.

Attempts that were killed leave a few. Where there are many, the database is more likely an older copy; where it is
known to be such, even a few are kept.
"""

import logging
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings

from dashboard.core.storage_errors import StorageUnavailable
from dashboard.storage import integrity, local_files, removals, trash
from dashboard.storage.local_storage import LocalFiles
from dashboard.storage.stored_path import stored_files
from privacy_engine.core import progress

logger = logging.getLogger(__name__)

MOST = 20
"""Files without a row that a round removes, unless their removal was requested."""

AT_ONCE = 500
"""Names in a statement to the database."""


def remove(*, local: Iterable[Path], stored: Iterable[str], most: int = MOST) -> dict[str, int]:
    """Remove what was requested, and the rest too unless it is more than ``most`` files.

    Returns how many ``files`` (or folders) of CAIRN_HOME and stored ``objects`` are gone from where they were.
    """
    paths = {path.relative_to(settings.CAIRN_HOME).as_posix(): path for path in local}
    paths = {name: path for name, path in paths.items() if name.rpartition("/")[0] not in paths}
    names = list(stored)
    requested = removals.requested([*paths, *names])
    other_paths = {name: path for name, path in paths.items() if name not in requested}
    other_names = [name for name in names if name not in requested]
    files = sum(map(_files, other_paths.values())) + len(other_names)
    gone_paths, gone_names = set(paths), set(names)
    if files > most:
        gone_paths, gone_names = gone_paths & requested, gone_names & requested
        folder = trash.put(local=other_paths, stored=other_names)
        logger.warning(
            "%d files that no row names were moved to %s, where they stay for %d days: see manage.py doctor",
            files,
            folder,
            trash.KEPT.days,
        )
    for name in gone_paths:
        progress.advance()
        local_files.remove(paths[name])
        if name.count("/") > 1:  # below the folder of a row, which stays while anything is in it
            LocalFiles().remove_empty(name.rpartition("/")[0])
    for name in gone_names:
        progress.advance()
        try:
            stored_files().remove(name)
        except StorageUnavailable as error:
            logger.warning("an object stays for the next sweep: %s", type(error).__name__)
            names.remove(name)
    gone = [*gone_paths, *gone_names]
    for start in range(0, len(gone), AT_ONCE):
        some = gone[start : start + AT_ONCE]
        integrity.forget(some, folders=some)
    return {"files": len(paths), "objects": len(names)}


def _files(path: Path) -> int:
    return sum(not inner.is_dir() for inner in path.rglob("*")) if path.is_dir() else 1
