"""The bytes of a request of a resumable upload: counted, checked, kept as far as the connection held."""

import hashlib
import hmac
from dataclasses import dataclass
from typing import BinaryIO

from django.http.request import UnreadablePostError

from dashboard.core.errors import Conflict, TooLarge
from dashboard.datasets.models import Upload
from privacy_engine.errors import ParameterError

CHUNK = 1 << 16  # what is lost at most where the connection is reset
HASHES = ("sha256", "sha1")
Checksum = tuple[str, bytes]
"""Algorithm and digest of a piece."""


class Damaged(ParameterError):
    """What arrived is not what was sent."""

    code = "checksum"
    status = 400


@dataclass(frozen=True)
class Piece:
    """What a request sends of an upload: its body, how many bytes it announced (None: unknown), and their checksum."""

    stream: BinaryIO
    size: int | None = None
    checksum: Checksum | None = None


def copied(piece: Piece, out: BinaryIO, *, most: int) -> int:
    """Write what arrives of a piece to ``out``; how many bytes. The checksum is that of the whole piece.

    Raises
    ------
    TooLarge
        There are more than ``most``.
    Damaged
        The checksum differs.
    """
    checksum = piece.checksum
    digest = hashlib.new(checksum[0], usedforsecurity=False) if checksum else None
    received, whole = 0, True
    while True:
        try:
            part = piece.stream.read(CHUNK)
        except UnreadablePostError:
            whole, part = False, b""
        if not part:
            break
        received += len(part)
        if received > most:
            raise TooLarge("There is more than was announced.", field="Upload-Length", rule=f"{most} bytes more")
        out.write(part)
        if digest:
            digest.update(part)
    whole = whole and (piece.size is None or received == piece.size)
    if whole and digest and checksum and not hmac.compare_digest(digest.digest(), checksum[1]):
        raise Damaged(
            "The piece arrived damaged. Send it again.", field="Upload-Checksum", rule="checksum of the piece"
        )
    return received


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
    """What a second request receives while another is at the upload."""
    return Conflict("Another request writes to this upload.", field="upload", rule="one at a time")
