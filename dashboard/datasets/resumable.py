"""Uploads that survive a lost connection: begun, continued at the byte they reached, made a dataset when whole."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import hmac
import os
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from io import BufferedRandom
from types import MappingProxyType
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models.functions import Now
from django.http.request import UnreadablePostError
from django.utils import timezone

from dashboard.accounts.models import User
from dashboard.core.errors import Conflict, TooLarge
from dashboard.core.text import one_line
from dashboard.datasets import quota, services
from dashboard.datasets.models import Dataset, Upload
from dashboard.storage import local_files
from dashboard.storage.uploads import require_space
from privacy_engine.errors import ParameterError

MOST_OPEN = 100
CHUNK = 1 << 20
HASHES = ("sha256", "sha1")


class Damaged(ParameterError):
    """What arrived is not what was sent."""

    code = "checksum"
    status = 400


def begin(*, owner: User, length: int, file_name: str = "") -> Upload:
    """A new upload of a file of ``length`` bytes.

    Raises
    ------
    TooLarge
        It is larger than this server takes, than the free space of its disk, or than what is left of the owner's quota.
    Conflict
        The owner has very many unfinished uploads.
    """
    require_space(length, settings.CAIRN_UPLOAD_BYTES)
    if Upload.objects.filter(owner=owner, dataset=None).count() >= MOST_OPEN:
        rule = f"at most {MOST_OPEN} unfinished uploads"
        raise Conflict(f"There are {MOST_OPEN} unfinished uploads. Finish or delete some.", field="upload", rule=rule)
    upload = Upload(owner=owner, length=length, file_name=one_line(file_name, 255))
    with open(upload.path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)):
        pass
    try:
        with transaction.atomic():
            quota.require(owner, length, upload.file_name)
            upload.save(force_insert=True)
    except BaseException:
        local_files.remove(upload.path)
        raise
    return upload


def append(*, upload: Upload, offset: int, stream: BinaryIO, checksum: tuple[str, bytes] | None = None) -> Upload:
    """Write what ``stream`` gives at ``offset``; what arrived before a connection broke is kept.

    ``checksum`` is (algorithm, digest) of the piece: one that differs is thrown away.

    Raises
    ------
    Conflict
        ``offset`` is not where the upload stands, it is a dataset already, or another request writes to it.
    TooLarge
        There is more than was announced; nothing of the piece is kept.
    Damaged
        The checksum differs; nothing of the piece is kept.
    """
    if upload.dataset_id:
        raise Conflict("The upload is a dataset already.", field="upload", rule="unfinished")
    with _held(upload) as out:
        upload.refresh_from_db()
        if offset != upload.received:
            message = f"The upload stands at {upload.received}, not at {offset}."
            raise Conflict(message, field="Upload-Offset", rule=f"{upload.received}", value=offset)
        out.seek(offset)
        out.truncate()
        received = 0
        try:
            received = _copied(stream, out, most=upload.length - offset, checksum=checksum)
        finally:
            out.truncate(offset + received)
            out.flush()
            os.fsync(out.fileno())
            Upload.objects.filter(pk=upload.pk).update(received=offset + received, touched_at=Now())
    upload.received, upload.touched_at = offset + received, timezone.now()
    return upload


def _copied(stream: BinaryIO, out: BinaryIO, *, most: int, checksum: tuple[str, bytes] | None) -> int:
    digest = hashlib.new(checksum[0], usedforsecurity=False) if checksum else None
    received = 0
    while piece := _read(stream):
        received += len(piece)
        if received > most:
            raise TooLarge("There is more than was announced.", field="Upload-Length", rule=f"{most} bytes more")
        out.write(piece)
        if digest:
            digest.update(piece)
    if digest and checksum and not hmac.compare_digest(digest.digest(), checksum[1]):
        raise Damaged(
            "The piece arrived damaged. Send it again.", field="Upload-Checksum", rule="checksum of the piece"
        )
    return received


def _read(stream: BinaryIO) -> bytes:
    """The next of the request's bytes; where the connection broke there are no more."""
    try:
        return stream.read(CHUNK)
    except UnreadablePostError:
        return b""


@contextlib.contextmanager
def _held(upload: Upload) -> Iterator[BufferedRandom]:
    """Its file, for this request alone."""
    with upload.path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise Conflict("Another request writes to this upload.", field="upload", rule="one at a time") from None
        yield file


def finish(
    *,
    upload: Upload,
    sha256: str = "",
    name: str = "",
    options: Mapping[str, Any] = MappingProxyType({}),
    **more: Any,
) -> Dataset:
    """The dataset of a whole upload; called twice, the same one. Refused, the upload stays for another try.

    Raises
    ------
    Conflict
        Bytes are missing.
    Damaged
        The file does not have this SHA-256.
    EngineError
        As :func:`dashboard.datasets.services.import_dataset`.
    """
    if upload.dataset_id:
        return Dataset.objects.get(pk=upload.dataset_id)
    with _held(upload) as file:
        upload.refresh_from_db()
        if upload.received != upload.length:
            message = f"{upload.length - upload.received:,} bytes of the upload are missing."
            raise Conflict(message, field="upload", rule=f"{upload.length} bytes", value=upload.received)
        if sha256 and not hmac.compare_digest(hashlib.file_digest(file, "sha256").hexdigest(), sha256.lower()):
            message = "The file arrived damaged: its SHA-256 differs. Upload it again."
            raise Damaged(message, field="sha256", rule="SHA-256 of the file, 64 hexadecimal digits")
        whole = _Whole(file, upload)
        dataset = services.import_dataset(
            owner=upload.owner, upload=whole, name=name, options=options, reserved=upload.length, **more
        )
        Upload.objects.filter(pk=upload.pk).update(dataset=dataset, touched_at=Now())
    local_files.remove(upload.path)  # the dataset has a name for the same bytes
    return dataset


class _Whole(File):
    """A whole upload as the import takes it: with a path, so that it is linked and not copied."""

    def __init__(self, file: BinaryIO, upload: Upload) -> None:
        super().__init__(file, name=upload.file_name)
        self._upload = upload

    def temporary_file_path(self) -> str:
        return str(self._upload.path)


def abandon(*, upload: Upload) -> None:
    """Forget it, with every byte."""
    upload.delete()
    local_files.remove(upload.path)


def expires(upload: Upload) -> datetime:
    """When it is forgotten unless it goes on."""
    return upload.touched_at + timedelta(hours=settings.CAIRN_UPLOAD_HOURS)


def forget_expired() -> int:
    """Remove the uploads that were abandoned, and files that belong to none; how many."""
    old = Upload.objects.filter(touched_at__lt=timezone.now() - timedelta(hours=settings.CAIRN_UPLOAD_HOURS))
    paths = [upload.path for upload in old]
    old.delete()
    for path in paths:
        local_files.remove(path)
    return len(paths)
