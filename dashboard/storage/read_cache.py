"""Copies of stored files in a folder of this host, so that readers have a path; bounded by their size together.

Any number of threads and processes share the folder. Who reads a copy holds a shared lock on it (``flock``, which ends
with its process), and only a copy without a lock is removed: first the copy that was used longest ago.
"""

import contextlib
import fcntl
import hashlib
import logging
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from privacy_engine.core.progress import advance

logger = logging.getLogger(__name__)

UNUSED_S = 3600.0
"""A copy that was not used for so long is removed: the file it is of may have been deleted."""
UNFINISHED_S = 3600.0
DOWNLOADS = 64  # locks, by name: a file is downloaded once by the threads of a process that need it at once
PART = ".part"
CHUNK = 1 << 20
PAUSE_S = 30.0
"""Between two calls of ``make_space`` by a process that only maintains the folder."""


class Content(NamedTuple):
    """What a copy must be: its size in bytes, and its SHA-256 where that is known."""

    size: int
    sha256: str = ""


def content_of(file: BinaryIO, start: int = 0) -> Content:
    """Size and digest of what is in an open file from ``start`` on."""
    file.seek(start)
    digest = hashlib.sha256()
    while chunk := file.read(CHUNK):
        advance()
        digest.update(chunk)
    return Content(file.tell() - start, digest.hexdigest())


class ReadCache:
    """The folder of the copies; of ``most_bytes`` together, and what is being read beyond that."""

    def __init__(self, folder: Path, most_bytes: int) -> None:
        self._folder, self._most = folder, most_bytes
        self._downloads = [threading.Lock() for _ in range(DOWNLOADS)]
        self._maintained = 0.0

    @contextlib.contextmanager
    def held(self, name: str, download: Callable[[BinaryIO], Content]) -> Iterator[Path]:
        """A copy of the file ``name``, made by ``download`` if need be, which stays until the block ends."""
        entry = self._entry(name)
        while (file := self._opened(entry)) is None:
            with self._downloads[int(entry.name[:8], 16) % DOWNLOADS]:
                if (file := self._opened(entry)) is not None:
                    break
                with self.making() as (out, _):
                    content = download(out)
                    self.adopt(name, out, content)
        with file:
            yield entry

    def reader(self, name: str, download: Callable[[BinaryIO], Content]) -> BinaryIO:
        """The copy, open: it is there to its end even if it is removed meanwhile."""
        with self.held(name, download) as path:
            return path.open("rb")

    @contextlib.contextmanager
    def making(self) -> Iterator[tuple[BinaryIO, Path]]:
        """A new file of mode 0600 in the folder; it goes when the block ends, unless it was adopted."""
        self._made()
        path = self._folder / f"{uuid.uuid4().hex}{PART}"
        try:
            with open(path, "x+b", opener=lambda name, flags: os.open(name, flags, 0o600)) as out:
                yield out, path
        finally:
            path.unlink(missing_ok=True)

    def adopt(self, name: str, out: BinaryIO, content: Content) -> None:
        """Make the file ``out`` of :meth:`making` the copy of ``name``."""
        out.flush()
        os.fsync(out.fileno())
        self._made()
        self.make_space(content.size)
        entry = self._entry(name)
        facts = entry.with_suffix(f".{uuid.uuid4().hex}{PART}")
        facts.touch(mode=0o600)
        facts.write_text(str(content.size))
        facts.replace(entry.with_suffix(".size"))
        Path(out.name).replace(entry)

    def forget(self, name: str) -> None:
        """Remove the copy; who reads it reads on."""
        _remove(self._entry(name))

    def make_space(self, coming: int = 0) -> None:
        """Remove what is unused for long, and what was used longest ago until ``coming`` more bytes are in bounds."""
        now, files = time.time(), []
        for path in self._files():
            try:
                stat = path.stat()
            except FileNotFoundError:  # another process removed it
                continue
            if path.suffix:
                unneeded = path.suffix == PART or not path.with_suffix("").exists()
                if unneeded and now - stat.st_mtime > UNFINISHED_S:
                    path.unlink(missing_ok=True)
            else:
                files.append((stat.st_atime, stat.st_size, path))
        total = coming + sum(size for _, size, _ in files)
        for used, size, path in sorted(files):
            if (total > self._most or now - used > UNUSED_S) and _removed_if_unused(path):
                total -= size

    def maintain(self) -> None:
        """:meth:`make_space`, at most twice a minute in a process."""
        if time.monotonic() - self._maintained > PAUSE_S:
            self._maintained = time.monotonic()
            self.make_space()

    def _made(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def _files(self) -> list[Path]:
        return list(self._folder.iterdir()) if self._folder.is_dir() else []

    def _entry(self, name: str) -> Path:
        return self._folder / hashlib.sha256(name.encode()).hexdigest()

    def _opened(self, entry: Path) -> BinaryIO | None:
        """The copy with a shared lock on it, marked as used; None where there is no whole copy."""
        try:
            file = entry.open("rb")
        except FileNotFoundError:
            return None
        try:
            fcntl.flock(file, fcntl.LOCK_SH)
            stat = os.fstat(file.fileno())
            if stat.st_nlink and _is_whole(entry, stat.st_size):
                os.utime(file.fileno(), ns=(time.time_ns(), stat.st_mtime_ns))
                return file
        except BaseException:
            file.close()
            raise
        file.close()
        if stat.st_nlink:
            logger.warning("a damaged copy of a stored file is fetched again")
            _remove(entry)
        return None


def _is_whole(entry: Path, size: int) -> bool:
    try:
        return entry.with_suffix(".size").read_text() == str(size)
    except FileNotFoundError:
        return False


def _remove(entry: Path) -> None:
    entry.unlink(missing_ok=True)
    entry.with_suffix(".size").unlink(missing_ok=True)


def _removed_if_unused(path: Path) -> bool:
    """Remove a copy unless a process reads it."""
    try:
        with path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(path)
    except FileNotFoundError:
        return True
    except BlockingIOError:
        return False
    return True
