"""Every stored file compared with its digest: by ``manage.py doctor --files`` at once, by the sweep slowly, weekly.

Files that were stored before there were digests get theirs here. The result is kept on the rows: ``checked_at`` and
``damaged_at``, so that a check that was interrupted goes on where it was.
"""

import hashlib
import logging
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import islice
from typing import Literal, NamedTuple

from django.db import DatabaseError
from django.db.models import F, Q
from django.utils import timezone

from dashboard.core.storage_errors import DamagedFile, StorageUnavailable
from dashboard.datasets import upload_file
from dashboard.maintenance import objects
from dashboard.storage import integrity
from dashboard.storage.models import StoredFile
from dashboard.storage.read_cache import Content
from dashboard.storage.stored_path import StoredPath, stored_files

EVERY = timedelta(days=7)
PASS_S = 86_400.0
"""Between the ends of two passes over what is due, and over the list of all files."""
RETRY_S = 60.0
SLICE_S = 0.1
SHARE = 0.02
"""Of the time of a core, at most, that the sweep checks files in."""
BATCH = 500
logger = logging.getLogger(__name__)


class Step(NamedTuple):
    """So many bytes of a file were read; with a ``state`` the file is done."""

    name: str
    size: int = 0
    state: Literal["", "sound", "damaged", "missing", "removed", "not read"] = ""


def check(before: datetime) -> Iterator[Step]:
    """Compare every stored file that was last compared before a time; read in small steps, so that a caller may wait.

    Raises
    ------
    StorageUnavailable
        The list of files cannot be had now.
    """
    yield from _listed()
    skipped: list[int] = []
    due = StoredFile.objects.filter(Q(checked_at=None) | Q(checked_at__lt=before))
    while rows := list(due.exclude(pk__in=skipped).order_by(F("checked_at").asc(nulls_first=True), "pk")[:BATCH]):
        for row in rows:
            try:
                yield from _compared(row)
            except StorageUnavailable:
                skipped.append(row.pk)
                yield Step(row.name, state="not read")


def _listed() -> Iterator[Step]:
    """Give a row to every file that a row of its app names and that has none; check unfinished local uploads."""
    for folder in objects.FOLDERS:
        stored = (file.name for file in stored_files().listed(f"{folder}/"))
        while names := list(islice(stored, BATCH)):
            if folder == "uploads" and not stored_files().shared:
                yield from (_of_upload(name) for name in names)
                continue
            wanted = objects.named(names).intersection(names)
            missing = wanted.difference(StoredFile.objects.filter(name__in=wanted).values_list("name", flat=True))
            rows = [StoredFile(name=name, folder=name.rpartition("/")[0]) for name in sorted(missing)]
            StoredFile.objects.bulk_create(rows, ignore_conflicts=True)
            yield Step(folder)


def _of_upload(name: str) -> Step:
    with suppress(ValueError):
        if upload_file.damaged(uuid.UUID(name.rpartition("/")[2])):
            logger.error("a stored file is damaged: %s", name)
            return Step(name, state="damaged")
    return Step(name)


def _compared(row: StoredFile) -> Iterator[Step]:
    digest, size = hashlib.sha256(), 0
    try:
        with integrity.decoding(row.name):
            for chunk in stored_files().chunks(row.name):
                digest.update(chunk)
                size += len(chunk)
                yield Step(row.name, len(chunk))
        sound = _is_sound(row, Content(size, digest.hexdigest()))
    except FileNotFoundError:
        yield Step(row.name, state=_gone(row))
        return
    except DamagedFile:
        sound = False
    yield Step(row.name, state=_noted(row, sound, Content(size, digest.hexdigest())))


def _is_sound(row: StoredFile, content: Content) -> bool:
    if row.has_digest:
        return row.is_of(content) or (integrity.is_derived(row.name) and _as_stated(row.name) is True)
    return _as_stated(row.name) is not False


def _as_stated(name: str) -> bool | None:
    with stored_files().local(name) as path:
        return integrity.as_stated(name, path)


def _gone(row: StoredFile) -> Literal["missing", "removed"]:
    if integrity.is_derived(row.name) or row.name not in objects.named([row.name]):
        row.delete()
        return "removed"
    StoredFile.objects.filter(pk=row.pk).update(checked_at=timezone.now())
    logger.error("a stored file is missing: %s", row.name)
    return "missing"


def _noted(row: StoredFile, sound: bool, content: Content) -> Literal["sound", "damaged", "removed"]:
    same = StoredFile.objects.filter(pk=row.pk, digest=row.digest)  # not replaced meanwhile
    now = timezone.now()
    if sound:
        same.update(size=content.size, digest=row.digest_of(content), checked_at=now, damaged_at=None)
        return "sound"
    if not same.update(checked_at=now, damaged_at=row.damaged_at or now):
        return "removed"
    logger.error("a stored file is damaged: %s", row.name)
    if integrity.is_derived(row.name):
        StoredPath(row.name).unlink()
        return "removed"
    if row.damaged_at is None:
        integrity.mark_damage()
    return "damaged"


class PacedCheck:
    """:func:`check` of what is due, in the share of the time that the sweep has for it."""

    def __init__(self) -> None:
        self._steps: Iterator[Step] | None = None
        self._next = 0.0

    def go_on(self) -> int:
        """Check for a moment if it is time to; how many files were done."""
        started = time.monotonic()
        if started < self._next:
            return 0
        if self._steps is None:
            self._steps = check(timezone.now() - EVERY)
        done = 0
        try:
            while time.monotonic() - started < SLICE_S:
                step = next(self._steps, None)
                if step is None:
                    self._steps, self._next = None, started + PASS_S
                    return done
                done += bool(step.state)
        except (DatabaseError, OSError, StorageUnavailable) as error:
            logger.warning("the check of stored files waits: %s", type(error).__name__)
            self._steps, self._next = None, started + RETRY_S
            return done
        self._next = started + (time.monotonic() - started) / SHARE
        return done
