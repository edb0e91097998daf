"""The bytes of a resumable upload in pieces that hosts share: each request may arrive at another host.

A piece is stored first and counted by a conditional UPDATE: of two requests at an offset, the first is counted, and
the other's piece is deleted. What is stored and not counted (its process was killed) goes with the upload.
"""

import contextlib
import tempfile
import uuid
from collections.abc import Iterator
from datetime import timedelta
from typing import IO, BinaryIO, cast

from django.db.models import Q
from django.db.models.functions import Now

from dashboard.datasets.models import Upload
from dashboard.datasets.upload_stream import Piece, busy, copied, require_offset, require_whole
from dashboard.storage import local_files

FINISHING = timedelta(minutes=15)
"""How long a host has the upload for itself to make a dataset of it; a host that died leaves it to another then."""


def begin(upload: Upload) -> None:
    """Nothing: there are no pieces yet."""


def append(upload: Upload, offset: int, piece: Piece) -> int:
    """Store a piece; where the upload stands then."""
    upload.refresh_from_db()
    require_offset(upload, offset)
    name = f"{offset:015d}-{uuid.uuid4().hex}"
    place = upload.folder / name
    try:
        with place.written() as out:
            received = copied(piece, out, most=upload.length - offset)
            if not received:
                raise _Nothing
    except _Nothing:
        return offset
    rows = Upload.objects.filter(pk=upload.pk, received=offset, dataset=None)
    # an error here may be that of an answer that was lost: the piece stays, for the row or the sweep
    if not rows.update(received=offset + received, pieces=[*upload.pieces, name], touched_at=Now()):
        place.unlink()
        raise busy()
    return offset + received


class _Nothing(Exception):
    """No byte arrived: there is nothing to store."""


@contextlib.contextmanager
def whole(upload: Upload) -> Iterator[IO[bytes]]:
    """The pieces of an upload that is whole, put together in a temporary file, for this request alone."""
    rows = Upload.objects.filter(pk=upload.pk)
    free = rows.filter(Q(finishing_until=None) | Q(finishing_until__lt=Now()), dataset=None)
    if not free.update(finishing_until=Now() + FINISHING):
        raise busy()
    try:
        upload.refresh_from_db()
        require_whole(upload)
        with tempfile.NamedTemporaryFile(dir=local_files.home("tmp")) as file:
            for name in upload.pieces:
                (upload.folder / name).fetch(cast(BinaryIO, file))
            file.seek(0)
            yield file
    finally:
        rows.update(finishing_until=None)
