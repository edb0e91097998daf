"""Names of stored files, and what can be done with the file behind a name, wherever the files are stored."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, ClassVar, NamedTuple, Protocol, cast

from django.core.files.storage import storages

from dashboard.core.storage_errors import DamagedFile, StorageUnavailable
from dashboard.storage import integrity, local_files
from dashboard.storage.read_cache import content_of

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

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content in parts, past any copy; FileNotFoundError where there is none."""

    def discard_copy(self, name: str) -> bool:
        """Remove this host's copy of the file, whatever it holds; whether there are copies."""

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

    @contextmanager
    def local(self) -> Iterator[Path]:
        """A path of this host to read it from until the block ends.

        Raises
        ------
        FileNotFoundError
            There is no such file.
        DamagedFile
            It is not what was stored; see :mod:`dashboard.storage.integrity`.
        """
        for last in (False, True):
            with stored_files().local(self.key) as path:
                try:
                    integrity.require_sound(self.key, path)
                except DamagedFile:
                    if last or not stored_files().discard_copy(self.key):
                        raise
                    continue  # what is damaged may be the copy alone
                yield path
                return

    def require_sound(self) -> None:
        """Refuse a file that is gone or damaged; errors of :meth:`local`."""
        with self.local():
            pass

    def open(self) -> BinaryIO:
        """The file open for reading; errors of :meth:`local`."""
        with self.local() as path:
            return path.open("rb")

    def fetch(self, out: BinaryIO) -> None:
        """Write the content to ``out``, past any copy; errors of :meth:`local`."""
        start = out.tell()
        stored_files().fetch(self.key, out)
        integrity.require_same(self.key, content_of(out, start))

    def read_bytes(self) -> bytes:
        """The content of a small file; FileNotFoundError where there is none."""
        with self.open() as file:
            return file.read()

    @contextmanager
    def written(self) -> Iterator[BinaryIO]:
        """A file that appears under this name complete and stored, or not at all."""
        with stored_files().written(self.key) as out:
            yield out
            out.flush()
            content, inode = content_of(out), os.fstat(out.fileno()).st_ino
        integrity.record({self.key: content})
        if not stored_files().shared:
            self._record_replacement(inode)

    def _record_replacement(self, inode: int) -> None:
        """Of two writers at once the file of either stays: let its digest be that which is known, whoever was last."""
        with suppress(FileNotFoundError):
            while Path(self).stat().st_ino != inode:
                with stored_files().reader(self.key) as file:
                    content, inode = content_of(file), os.fstat(file.fileno()).st_ino
                integrity.record({self.key: content})

    def kept(self, make: Callable[[BinaryIO], None]) -> BinaryIO:
        """The open file; a file that is not there, or damaged, is made by ``make``.

        Another process, which makes the same, may do so meanwhile.
        """
        if file := self.sound():
            return file
        with suppress(FileExistsError), self.written() as out:
            make(out)
        return self.open()

    def sound(self) -> BinaryIO | None:
        """The open file of what can be made again, or None where there is none, or a damaged file, which goes."""
        try:
            return self.open()
        except FileNotFoundError:
            return None
        except DamagedFile:
            self.unlink()
            return None

    def is_sound(self) -> bool:
        """Whether :meth:`sound` has the file."""
        file = self.sound()
        if file:
            file.close()
        return bool(file)

    def take(self, source: Path) -> None:
        """Make the file ``source``, which is complete, that of this name."""
        with source.open("rb") as file:
            content = content_of(file)
        stored_files().take(source, self.key)
        integrity.record({self.key: content})

    def take_folder(self, source: Path) -> None:
        """:meth:`take` of every file of a folder."""
        contents = {}
        for path in source.iterdir():
            with path.open("rb") as file:
                contents[f"{self.key}/{path.name}"] = content_of(file)
        stored_files().take_folder(source, self.key)
        integrity.record(contents)

    def iterdir(self, beginning: str = "") -> list[StoredPath]:
        """The files in this folder whose names begin so."""
        return [StoredPath(file.name) for file in stored_files().listed(f"{self.key}/{beginning}")]

    def unlink(self) -> None:
        """Delete the file; what a storage that does not answer cannot delete now, the sweep deletes."""
        remove_all(files=[self])

    def remove_folder(self) -> None:
        """Delete all files below this name, as :meth:`unlink` does."""
        remove_all(folders=[self])

    def remove_empty(self) -> None:
        """Delete the folder if nothing is in it."""
        stored_files().remove_empty(self.key)


def remove_all(*, files: Iterable[StoredPath] = (), folders: Iterable[StoredPath] = ()) -> None:
    """:meth:`StoredPath.unlink` and :meth:`StoredPath.remove_folder` of each, with a statement to the database."""
    names, below = [path.key for path in files], [path.key for path in folders]
    for name in names:
        _leaving_it_to_the_sweep(stored_files().remove, name)
    for name in below:
        _leaving_it_to_the_sweep(stored_files().remove_folder, name)
    integrity.forget(names, folders=below)


def _leaving_it_to_the_sweep(remove: Callable[[str], None], key: str) -> None:
    try:
        remove(key)
    except StorageUnavailable as error:
        logger.warning("a file is left to the sweep: %s", type(error).__name__)


Source = Path | StoredPath


def located(source: Source) -> AbstractContextManager[Path]:
    """A path to read a file of this host, or a stored file, from until the block ends."""
    return source.local() if isinstance(source, StoredPath) else nullcontext(source)


def decoding(source: Source) -> AbstractContextManager[None]:
    """What reading a stored file raises as DamagedFile: it was whole when it was stored; an upload may not be."""
    return integrity.decoding(source.key) if isinstance(source, StoredPath) else nullcontext()


def written(place: Source) -> AbstractContextManager[BinaryIO]:
    """A file that appears complete or not at all, on this host or stored."""
    return place.written() if isinstance(place, StoredPath) else local_files.written(place)


class StoredRow:
    """A row with files in a folder of its own, which go with it (dashboard/storage/removals.py).

    ``FILE_COLUMN`` is the column that names the file of its data, where a row has at most one.
    """

    STORED_IN: ClassVar[str]
    FILE_COLUMN: ClassVar[str]
    pk: Any

    @property
    def folder(self) -> StoredPath:
        """Where its files are stored."""
        return StoredPath(f"{self.STORED_IN}/{self.pk}")

    @property
    def data_path(self) -> StoredPath:
        """The file of its data."""
        return self.folder / getattr(self, self.FILE_COLUMN)
