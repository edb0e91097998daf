"""Local files under CAIRN_HOME, written whole or not at all.

Folders are named by ids (never by a user's text), readable by the server's own user alone (0700/0600). What is stored
for good has a :class:`dashboard.storage.stored_path.StoredPath`, since it may be on another host.
"""

import contextlib
import os
import shutil
import tempfile
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from django.conf import settings

from dashboard.storage.read_cache import content_of


def home(*parts: str) -> Path:
    """A folder under CAIRN_HOME, made if need be."""
    path = Path(settings.CAIRN_HOME, *parts)
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def remove(path: Path) -> None:
    """Delete a file or a folder with all it holds; nothing there is fine."""
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)


@contextlib.contextmanager
def written(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under ``path`` complete and on the disk, or not at all."""
    partial = path.with_name(f".{path.name}.{uuid.uuid4().hex}.part")
    try:
        with open(partial, "x+b", opener=lambda name, flags: os.open(name, flags, 0o600)) as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        partial.replace(path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise


def digest_of(path: Path) -> str:
    """The SHA-256 of a file."""
    with path.open("rb") as file:
        return content_of(file).sha256


def unnamed(write: Callable[[BinaryIO], object]) -> BinaryIO:
    """An open file without a name on the disk, at the beginning of what ``write`` put into it; its reader closes it."""
    out = tempfile.TemporaryFile(dir=home("tmp"))  # noqa: SIM115
    try:
        write(out)
    except BaseException:
        out.close()
        raise
    out.seek(0)
    return out
