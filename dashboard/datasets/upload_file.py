"""The bytes of a resumable upload in a local file, which requests of this host append to."""

import contextlib
import fcntl
import os
import uuid
import zlib
from collections.abc import Iterator
from io import BufferedRandom
from typing import BinaryIO, cast

from django.db.models.functions import Now

from dashboard.core.errors import Conflict
from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets.models import Upload
from dashboard.datasets.upload_stream import CHUNK, Piece, busy, copied, require_offset, require_whole


def begin(upload: Upload) -> None:
    """Make the empty file."""
    with open(upload.path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)):
        pass
    upload.crc32 = 0


def append(upload: Upload, offset: int, piece: Piece) -> int:
    """Append to the file; where the upload stands then."""
    with _held(upload) as out:
        upload.refresh_from_db()
        require_offset(upload, offset)
        out.seek(offset)
        out.truncate()
        received = 0
        summed = _Summed(out, upload.crc32)
        try:
            received = copied(piece, cast(BinaryIO, summed), most=upload.length - offset)
        finally:
            out.truncate(offset + received)
            out.flush()
            os.fsync(out.fileno())
            reached = {"received": offset + received, "crc32": summed.crc32 if received else upload.crc32}
            Upload.objects.filter(pk=upload.pk).update(**reached, touched_at=Now())
    return offset + received


class _Summed:
    """A file, and the CRC-32 of all that it holds, continued as it is appended to; None where it is not known."""

    def __init__(self, out: BinaryIO, crc32: int | None) -> None:
        self._out, self.crc32 = out, crc32

    def write(self, part: bytes) -> int:
        self.crc32 = None if self.crc32 is None else zlib.crc32(part, self.crc32)
        return self._out.write(part)


@contextlib.contextmanager
def whole(upload: Upload) -> Iterator[BufferedRandom]:
    """The file of an upload that is whole, for this request alone."""
    with _held(upload) as file:
        upload.refresh_from_db()
        require_whole(upload)
        if not _is_sound(upload, file):
            raise DamagedFile(f"uploads/{upload.pk}")
        file.seek(0)
        yield file


def _is_sound(upload: Upload, file: BinaryIO) -> bool:
    if upload.crc32 is None:
        return True
    file.seek(0)
    crc, left = 0, upload.received  # what lies after that was not counted
    while left and (part := file.read(min(CHUNK, left))):
        crc, left = zlib.crc32(part, crc), left - len(part)
    return not left and crc == upload.crc32


def damaged(pk: uuid.UUID) -> bool:
    """Whether what was received of an upload is damaged; False for an upload that a request appends to now."""
    upload = Upload.objects.filter(pk=pk, dataset=None).first()
    try:
        if upload is None:
            return False
        with _held(upload) as file:
            upload.refresh_from_db()
            return not _is_sound(upload, file)
    except (Conflict, FileNotFoundError, Upload.DoesNotExist):
        return False


@contextlib.contextmanager
def _held(upload: Upload) -> Iterator[BufferedRandom]:
    with upload.path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise busy() from None
        yield file
