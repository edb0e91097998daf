"""Files that no row names and whose removal was not requested: kept for a week under ``trash/TIME/``.

There is a trash in CAIRN_HOME, and a trash in the storage that hosts share.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from django.conf import settings

from dashboard.storage import local_files
from dashboard.storage.local_storage import LocalFiles
from dashboard.storage.stored_path import StoredFiles, stored_files
from privacy_engine.core import progress

TRASH = "trash"
KEPT = timedelta(days=7)
FORMAT = "%Y-%m-%dT%H%M%SZ"


def put(*, local: Iterable[str] = (), stored: Iterable[str] = ()) -> str:
    """Move files and folders of CAIRN_HOME, and stored files, to the trash; the folder that they are in now."""
    folder = f"{TRASH}/{datetime.now(UTC).strftime(FORMAT)}"
    for files, names in ((LocalFiles(), local), (stored_files(), stored)):
        for name in names:
            progress.advance()
            with suppress(FileNotFoundError):  # another sweep was faster, or its writer removed it
                files.move(name, f"{folder}/{name}")
    return folder


def contents() -> dict[str, int]:
    """How many files each folder of the trash has, in the order in which they are removed for good."""
    counts = Counter("/".join(name.split("/")[:2]) for files in _storages() for name in _names(files))
    return dict(sorted(counts.items()))


def restore(folder: str) -> int:
    """Move what is in a folder of the trash back to where it was; how many files. What is there again stays in it."""
    restored = 0
    for files in _storages():
        for name in list(_names(files, folder)):
            back = name.removeprefix(f"{folder}/")
            if not files.exists(back):
                files.move(name, back)
                restored += 1
    _remove_empty(folder)
    return restored


def purge(*, shared: bool = True) -> int:
    """Remove what was moved here a week ago, for good; how many files. Without ``shared`` those of CAIRN_HOME alone."""
    old, removed = (datetime.now(UTC) - KEPT).strftime(FORMAT), 0
    for files in _storages() if shared else [LocalFiles()]:
        for name in [key for key in _names(files) if key.split("/")[1] < old]:
            progress.advance()
            files.remove(name)
            removed += 1
    for path in Path(settings.CAIRN_HOME, TRASH).glob("*"):
        if path.name < old:
            local_files.remove(path)
    return removed


def places_of(key: str) -> list[str]:
    """Where stored files with this name, or below it, may lie in the trash."""
    try:
        rounds = stored_files().listdir(TRASH)[0]
    except FileNotFoundError:
        return []
    return [f"{TRASH}/{folder}/{key}" for folder in rounds]


def _storages() -> list[StoredFiles]:
    return [LocalFiles(), stored_files()] if stored_files().shared else [stored_files()]


def _names(files: StoredFiles, folder: str = TRASH) -> Iterator[str]:
    return (file.name for file in files.listed(f"{folder}/"))


def _remove_empty(folder: str) -> None:
    top = Path(settings.CAIRN_HOME, folder)
    for path in sorted((path for path in top.rglob("*") if path.is_dir()), reverse=True):
        LocalFiles().remove_empty(str(path.relative_to(settings.CAIRN_HOME)))
    LocalFiles().remove_empty(folder)
