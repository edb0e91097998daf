"""Stored files in folders of this host: the default."""

import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.storage import FileSystemStorage

from dashboard.storage import local_files
from dashboard.storage.stored_path import Listed


class LocalFiles(FileSystemStorage):
    """Files below ``CAIRN_HOME``, read where they lie; a file that is stored is renamed to its place, not copied."""

    shared = False

    def __init__(self) -> None:
        super().__init__(file_permissions_mode=0o600, directory_permissions_mode=0o700)

    @property
    def base_location(self) -> Path:
        """``CAIRN_HOME``."""
        return Path(settings.CAIRN_HOME)

    @property
    def location(self) -> str:
        """``CAIRN_HOME`` as text."""
        return str(self.base_location)

    def url(self, name: str | None) -> str:
        """Never: no file has an address of its own."""
        raise ValueError("stored files have no address")

    @contextlib.contextmanager
    def local(self, name: str) -> Iterator[Path]:
        """The path of the file itself."""
        path = Path(self.path(name))
        path.stat()  # raises where there is none
        yield path

    def reader(self, name: str) -> BinaryIO:
        """The open file."""
        return Path(self.path(name)).open("rb")

    def fetch(self, name: str, out: BinaryIO) -> None:
        """Copy the file."""
        with self.reader(name) as file:
            shutil.copyfileobj(file, out, 1 << 20)

    def chunks(self, name: str) -> Iterator[bytes]:
        """The content in parts."""
        with self.reader(name) as file:
            while chunk := file.read(1 << 20):
                yield chunk

    def discard_copy(self, name: str) -> bool:
        """False: there are no copies."""
        return False

    @contextlib.contextmanager
    def written(self, name: str) -> Iterator[BinaryIO]:
        """A file that is complete and on the disk before it has its name."""
        with local_files.written(self._place(name)) as out:
            yield out

    def _save(self, name: str, content: Any) -> str:
        with self.written(name) as out:
            for chunk in content.chunks():
                out.write(chunk)
        return name

    def take(self, source: Path, name: str) -> None:
        """Rename the file."""
        source.replace(self._place(name))

    def take_folder(self, source: Path, name: str) -> None:
        """Rename the folder."""
        source.rename(self._place(name))

    def move(self, name: str, target: str) -> None:
        """Rename the file or folder."""
        Path(self.path(name)).rename(self._place(target))

    def remove(self, name: str) -> None:
        """Delete the file."""
        local_files.remove(Path(self.path(name)))

    remove_folder = remove

    def remove_empty(self, name: str) -> None:
        """Delete the folder; a folder that holds something stays."""
        with contextlib.suppress(OSError):
            Path(self.path(name)).rmdir()

    def listed(self, prefix: str) -> Iterator[Listed]:
        """The files of the folder that ``prefix`` names and of its folders, unfinished ones (".…part") too."""
        folder, _, beginning = prefix.rpartition("/")
        root = Path(self.path(folder)) if folder else self.base_location
        for path in sorted(root.iterdir()) if root.is_dir() else []:
            if path.name.removeprefix(".").startswith(beginning):
                name = f"{folder}/{path.name}" if folder else path.name
                if path.is_dir():
                    yield from self.listed(f"{name}/")
                else:
                    with contextlib.suppress(FileNotFoundError):
                        yield Listed(name, time.time() - path.stat().st_mtime)

    def maintain(self) -> None:
        """Nothing: there is no cache."""

    def abort_forgotten(self) -> int:
        """None: the cleanup removes unfinished files by their names."""
        return 0

    def answers(self) -> bool:
        """True where the folder is there."""
        return self.base_location.is_dir()

    def _place(self, name: str) -> Path:
        """The path of a new file, in a folder that is there."""
        path = Path(self.path(name))
        local_files.home(*path.parent.relative_to(self.base_location).parts)
        return path
