"""The bytes of a request of a resumable upload: counted, checked, kept as far as the connection held."""

from __future__ import annotations

import hashlib
import hmac
from typing import BinaryIO

from django.http.request import UnreadablePostError

from dashboard.core.errors import Conflict, TooLarge
from dashboard.datasets.models import Upload
from privacy_engine.errors import ParameterError

CHUNK = 1 << 20
HASHES = ("sha256", "sha1")
Checksum = tuple[str, bytes]
"""Algorithm and digest of a piece."""


class Damaged(ParameterError):
    """What arrived is not what was sent."""

    code = "checksum"
    status = 400


def copied(stream: BinaryIO, out: BinaryIO, *, most: int, checksum: Checksum | None) -> int:
    """Write what arrives to ``out``; how many bytes.

    Raises
    ------
    TooLarge
        There are more than ``most``.
    Damaged
        The checksum differs.
    """
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


def require_offset(upload: Upload, offset: int) -> None:
    """Refuse a piece that does not begin where the upload stands."""
    if offset != upload.received:
        message = f"The upload stands at {upload.received}, not at {offset}."
        raise Conflict(message, field="Upload-Offset", rule=f"{upload.received}", value=offset)


def require_whole(upload: Upload) -> None:
    """Refuse an upload of which bytes are missing."""
    if upload.received != upload.length:
        message = f"{upload.length - upload.received:,} bytes of the upload are missing."
        raise Conflict(message, field="upload", rule=f"{upload.length} bytes", value=upload.received)


def busy() -> Conflict:
    """What a second request receives while one is at the upload."""
    return Conflict("Another request writes to this upload.", field="upload", rule="one at a time")
