"""The bytes of a resumable upload in one local file, which requests of this host append to."""

from __future__ import annotations

import contextlib
import fcntl
import os
from collections.abc import Iterator
from io import BufferedRandom

from django.db.models.functions import Now

from dashboard.datasets.models import Upload
from dashboard.datasets.upload_stream import Piece, busy, copied, require_offset, require_whole


def begin(upload: Upload) -> None:
    """Make the empty file."""
    with open(upload.path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)):
        pass


def append(upload: Upload, offset: int, piece: Piece) -> int:
    """Append to the file; where the upload stands then."""
    with _held(upload) as out:
        upload.refresh_from_db()
        require_offset(upload, offset)
        out.seek(offset)
        out.truncate()
        received = 0
        try:
            received = copied(piece, out, most=upload.length - offset)
        finally:
            out.truncate(offset + received)
            out.flush()
            os.fsync(out.fileno())
            Upload.objects.filter(pk=upload.pk).update(received=offset + received, touched_at=Now())
    return offset + received


@contextlib.contextmanager
def whole(upload: Upload) -> Iterator[BufferedRandom]:
    """The file of an upload that is whole, for this request alone."""
    with _held(upload) as file:
        upload.refresh_from_db()
        require_whole(upload)
        yield file


@contextlib.contextmanager
def _held(upload: Upload) -> Iterator[BufferedRandom]:
    with upload.path.open("r+b") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise busy() from None
        yield file
