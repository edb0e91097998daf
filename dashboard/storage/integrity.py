"""Digests of stored files: kept when a file is written, compared before it is used.

A process compares a file once, and again when size or time of the file changed, or when another process read a damaged
file. A file of which no digest is known yet is compared with what rows of its own app state (:func:`content_check`).
"""

import errno
import logging
import struct
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Q
from django.utils import timezone

from dashboard.core.storage_errors import DamagedFile
from dashboard.storage.read_cache import Content, content_of
from privacy_engine.formats.arrow import pa

ContentCheck = Callable[[str, Path], bool | None]
"""Whether a file is what a row of its app states; None where none states anything of it."""
UNREADABLE = (
    ArithmeticError,
    EOFError,
    LookupError,
    ValueError,
    struct.error,
    BadZipFile,
    zlib.error,
)
MOST_KNOWN = 20_000
_checks: dict[str, ContentCheck] = {}
_sound: dict[str, tuple[int, ...]] = {}
_marked: list[int] = [0]
logger = logging.getLogger(__name__)


def content_check(folder: str, check: ContentCheck) -> None:
    """Let ``check`` compare files below ``folder`` of which no digest is known."""
    _checks[folder] = check


@contextmanager
def decoding(name: str) -> Iterator[None]:
    """What libraries raise when they read a stored file as DamagedFile: it was whole when it was stored."""
    try:
        yield
    except (FileNotFoundError, MemoryError):
        raise
    except (*UNREADABLE, pa.ArrowException) as error:
        raise DamagedFile(name) from error
    except OSError as error:  # Arrow's own has no number
        if error.errno in (None, errno.EIO):
            raise DamagedFile(name) from error
        raise


def is_derived(name: str) -> bool:
    """Whether a stored file is made again when it is missing: kept exports, blocks of results."""
    folder, file = name.partition("/")[0], name.rpartition("/")[2]
    return folder == "blocks" or (folder in ("publications", "releases") and file.startswith(("export-", "export.")))


def require_sound(name: str, path: Path) -> None:
    """Refuse the stored file ``name``, which lies at ``path``, if it is damaged.

    Raises
    ------
    DamagedFile
        Its size or digest is not that which it was stored with.
    """
    _forget_if_marked()
    stat = path.stat()
    stamp = (stat.st_size, stat.st_mtime_ns, stat.st_ino)
    if _sound.get(name) != stamp:
        require_content(name, path)
        if len(_sound) >= MOST_KNOWN:
            _sound.clear()
        _sound[name] = stamp


def require_content(name: str, path: Path) -> None:
    """:func:`require_sound`, whatever is known of the file already."""
    row = _known(name)
    while not _is_sound(row, name, path):
        again = _known(name)
        if getattr(again, "digest", "") == getattr(row, "digest", ""):
            _note(name, row, sound=False)
            raise DamagedFile(name)
        row = again  # it was replaced meanwhile
    _note(name, row, sound=True)


def require_same(name: str, content: Content) -> None:
    """Refuse what was read of the file ``name`` past any copy; errors of :func:`require_sound`."""
    row = _known(name)
    if row is not None and row.has_digest and not row.is_of(content):
        _note(name, row, sound=False)
        raise DamagedFile(name)


def _is_sound(row: Any, name: str, path: Path) -> bool:
    if row is None or not row.has_digest:
        return as_stated(name, path) is not False
    return path.stat().st_size == row.size and row.is_of(content_at(name, path))


def content_at(name: str, path: Path) -> Content:
    """Size and digest of a stored file; DamagedFile where the disk cannot read it."""
    with decoding(name), path.open("rb") as file:
        return content_of(file)


def as_stated(name: str, path: Path) -> bool | None:
    """Whether a file is what a row of its app states; None where none states anything of it."""
    check = _checks.get(name.partition("/")[0])
    try:
        with decoding(name):
            return check(name, path) if check else None
    except DamagedFile:
        return False


def _note(name: str, row: Any, *, sound: bool) -> None:
    """Keep for ``doctor`` the damage, unless the error ends the transaction that would keep it."""
    if not sound:
        logger.error("a stored file is damaged: %s", name)
    if row is not None and (row.damaged_at is None) != sound and not connection.in_atomic_block:
        with suppress(DatabaseError):  # the next who reads it, or the weekly check, finds it again
            _rows().filter(pk=row.pk, digest=row.digest).update(damaged_at=None if sound else timezone.now())


# Writing -----------------------------------------------------------------------------------------


def record(contents: Mapping[str, Content]) -> None:
    """Keep the digests of files that have just been stored, in place of those of earlier files of these names."""
    now, model = timezone.now(), _rows().model
    rows = [
        model(
            name=name,
            folder=name.rpartition("/")[0],
            size=content.size,
            digest=model.digest_of(content),
            stored_at=now,
            checked_at=now,
        )
        for name, content in sorted(contents.items())
    ]
    updated = [field.name for field in model._meta.fields if field.name not in ("id", "name")]
    model._default_manager.bulk_create(
        rows, batch_size=500, update_conflicts=True, unique_fields=["name"], update_fields=updated
    )


def forget(names: Iterable[str], *, folders: Iterable[str] = ()) -> None:
    """Delete what is known of files that are gone, and of all files in ``folders``.

    The files are gone all the same while the database is away: then the weekly check deletes their rows.
    """
    try:
        _rows().filter(Q(name__in=list(names)) | Q(folder__in=list(folders))).delete()
    except DatabaseError as error:
        if connection.in_atomic_block:
            raise
        logger.warning("rows of deleted files are left to the check: %s", type(error).__name__)


def _known(name: str) -> Any:
    return _rows().filter(name=name).first()


def _rows() -> Any:
    return apps.get_model("storage", "StoredFile")._default_manager.all()


# Between processes -------------------------------------------------------------------------------


def _marker() -> Path:
    return Path(settings.CAIRN_HOME, "run", "damaged-files")


def mark_damage() -> None:
    """Let every process of this host compare its files again: a file was damaged without any sign of it."""
    marker = _marker()
    marker.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    marker.touch(mode=0o600)


def _forget_if_marked() -> None:
    try:
        changed = _marker().stat().st_mtime_ns
    except FileNotFoundError:
        return
    if changed != _marked[0]:
        _sound.clear()
        _marked[0] = changed
