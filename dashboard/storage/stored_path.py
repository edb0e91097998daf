"""Names of stored files, and what can be done with the file behind a name, wherever the files are stored."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, cast

from django.core.files.storage import storages

from dashboard.core.storage_errors import StorageUnavailable
from dashboard.storage import local_files

MAINTAIN_EVERY_S = 60.0
"""How often :meth:`StoredFiles.maintain` is called on each host, about."""
logger = logging.getLogger(__name__)


class Listed(NamedTuple):
    """A stored file as a list of them has it."""

    name: str
    age_s: float


class StoredFiles(Protocol):
    """What a storage of Django's has to do beyond ``exists``, ``size``, ``open``, ``save`` and ``delete``.

    A file appears under its name complete or not at all, and never changes afterwards. Names are relative, with "/".
    A storage that does not answer raises :class:`dashboard.core.storage_errors.StorageUnavailable`.
    """

    shared: bool
    """True if other hosts see the same files."""

    def exists(self, name: str) -> bool: ...

    def listdir(self, name: str) -> tuple[list[str], list[str]]: ...

    def path(self, name: str) -> str:
        """The path of the file itself; NotImplementedError where files are on another host."""

    def local(self, name: str) -> AbstractContextManager[Path]:
        """A path of this host to read the file from, until the block ends."""

    def reader(self, name: str) -> BinaryIO:
        """The file open for reading; it can be read to its end even if it is deleted meanwhile."""

    def fetch(self, name: str, out: BinaryIO) -> None:
        """Write the content of the file to ``out``."""

    def written(self, name: str) -> AbstractContextManager[BinaryIO]:
        """A file that is stored under ``name`` when the block ends without an error."""

    def take(self, source: Path, name: str) -> None:
        """Store the file ``source``, which is written and lies in ``CAIRN_HOME``, and remove it there."""

    def take_folder(self, source: Path, name: str) -> None:
        """:meth:`take` of every file in a folder, and of the folder."""

    def move(self, name: str, target: str) -> None:
        """Give a file (or folder of local files) another name; FileNotFoundError where there is none."""

    def remove(self, name: str) -> None:
        """Delete a file; nothing there is fine."""

    def remove_folder(self, name: str) -> None:
        """Delete all whose names begin with ``name/``."""

    def remove_empty(self, name: str) -> None:
        """Delete a folder with nothing in it, where there are folders."""

    def listed(self, prefix: str) -> Iterator[Listed]:
        """All files whose names begin with ``prefix``. Nothing that is read depends on it."""

    def maintain(self) -> None:
        """What has to be done from time to time on each host."""

    def abort_forgotten(self) -> int:
        """End what killed processes began to write; how many files."""

    def answers(self) -> bool:
        """Whether the storage answers within seconds."""


def stored_files() -> StoredFiles:
    """The storage that the settings name."""
    return cast(StoredFiles, storages["default"])


@dataclass(frozen=True, order=True)
class StoredPath(os.PathLike[str]):
    """The name of a stored file, or of a folder of them; as a path of the system only where the files are local."""

    key: str

    def __str__(self) -> str:
        return self.key

    def __fspath__(self) -> str:
        return stored_files().path(self.key)

    def __truediv__(self, name: str) -> StoredPath:
        return StoredPath(f"{self.key}/{name}")

    @property
    def name(self) -> str:
        """The last part."""
        return self.key.rpartition("/")[2]

    @property
    def parent(self) -> StoredPath:
        """The folder that it is in."""
        return StoredPath(self.key.rpartition("/")[0])

    def exists(self) -> bool:
        """Whether there is such a file (or folder of local files)."""
        return stored_files().exists(self.key)

    def local(self) -> AbstractContextManager[Path]:
        """A path of this host to read it from until the block ends; FileNotFoundError where there is none."""
        return stored_files().local(self.key)

    def open(self) -> BinaryIO:
        """The file open for reading; FileNotFoundError where there is none."""
        return stored_files().reader(self.key)

    def read_bytes(self) -> bytes:
        """The content of a small file; FileNotFoundError where there is none."""
        with self.open() as file:
            return file.read()

    def written(self) -> AbstractContextManager[BinaryIO]:
        """A file that appears under this name complete and stored, or not at all."""
        return stored_files().written(self.key)

    def write_once(self, write: Callable[[BinaryIO], None]) -> None:
        """Let ``write`` write the file; another process, which writes the same, may do so meanwhile."""
        with suppress(FileExistsError), self.written() as out:
            write(out)

    def take(self, source: Path) -> None:
        """Make the file ``source``, which is complete, that of this name."""
        stored_files().take(source, self.key)

    def take_folder(self, source: Path) -> None:
        """:meth:`take` of every file of a folder."""
        stored_files().take_folder(source, self.key)

    def iterdir(self, beginning: str = "") -> list[StoredPath]:
        """The files in this folder whose names begin so."""
        return [StoredPath(one.name) for one in stored_files().listed(f"{self.key}/{beginning}")]

    def unlink(self) -> None:
        """Delete the file; what a storage that does not answer cannot delete now, the sweep deletes."""
        self._leaving_it_to_the_sweep(stored_files().remove)

    def remove_folder(self) -> None:
        """Delete all files below this name, as :meth:`unlink` does."""
        self._leaving_it_to_the_sweep(stored_files().remove_folder)

    def remove_empty(self) -> None:
        """Delete the folder if nothing is in it."""
        stored_files().remove_empty(self.key)

    def _leaving_it_to_the_sweep(self, remove: Callable[[str], None]) -> None:
        try:
            remove(self.key)
        except StorageUnavailable as error:
            logger.warning("a file is left to the sweep: %s", type(error).__name__)


Source = Path | StoredPath


def located(source: Source) -> AbstractContextManager[Path]:
    """A path to read a file of this host, or a stored one, from until the block ends."""
    return source.local() if isinstance(source, StoredPath) else nullcontext(source)


def written(place: Source) -> AbstractContextManager[BinaryIO]:
    """A file that appears complete or not at all, on this host or stored."""
    return place.written() if isinstance(place, StoredPath) else local_files.written(place)
