"""Bytes from outside: caps are enforced while they stream in, so that memory is bounded by the cap."""

import gzip
import io
import re
import unicodedata
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from privacy_engine.core.progress import advance
from privacy_engine.errors import FormatError

Watch = Callable[[float], None]
CHUNK = 64 * 1024
PLAIN_TABLE = "Split it, or save it as CSV or Parquet with longitude, latitude and times such as 2024-12-31T23:59:00Z."
_SMALL = 1_000_000  # below this a high compression ratio does no harm


@dataclass(frozen=True)
class Limits:
    """How much is read of a file: bytes in a line, bytes in all, bytes out per byte in, members of an archive.

    An archive may have more than ``members`` where it has a kilobyte for each, and no more than ``most_members``.
    ``whole`` are the bytes of a file, or of a member of an archive, in a format that is held in memory while it is
    read; ``points`` those of a table that is read in blocks.
    """

    line: int = 64 * 1024
    total: int = 2_500_000_000
    ratio: int = 100
    members: int = 2000
    most_members: int = 50_000
    whole: int = 200_000_000
    points: int = 200_000_000

    def members_of(self, size: int) -> int:
        """How many members an archive of ``size`` bytes may have."""
        return max(self.members, min(size // 1000, self.most_members))


class Meter:
    """Counts the bytes of an upload, over all its members, and stops at the limits.

    ``watch(share)`` is called with the share of the ``expected`` bytes that were read, and may raise to stop.
    """

    def __init__(self, limits: Limits, watch: Watch | None = None) -> None:
        self.limits = limits
        self.watch = watch
        self.expected = 0
        self.total = 0

    def count(self, size: int) -> None:
        """Count ``size`` more bytes."""
        advance()
        self.total += size
        if self.watch is not None and self.expected:
            self.watch(min(self.total / self.expected, 1.0))
        if self.total > self.limits.total:
            raise FormatError(
                f"The file holds more than {self.limits.total // 1_000_000} MB. Split it and upload the parts.",
                code="too_large",
                rule=f"at most {self.limits.total} bytes",
            )


class Source:
    """A file, or a member of an archive, that can be read once from its start.

    ``packed`` is the compressed size where the bytes come out of a compressor, else None.
    """

    def __init__(self, stream: BinaryIO, name: str, meter: Meter, packed: int | None = None) -> None:
        self._stream = stream
        self.name = name
        self.meter = meter
        self.packed = packed
        self._inflated = 0
        self._pending = self._read_some()
        self.head = self._pending

    def _read_some(self) -> bytes:
        try:
            parts, size = [], 0
            while size < CHUNK and (part := self._stream.read(CHUNK - size)):
                parts.append(part)
                size += len(part)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise FormatError("The compressed file is damaged or cut off.", code="damaged_archive") from error
        self._inflated += size
        self.meter.count(size)
        ratio = self.meter.limits.ratio
        if self.packed is not None and self._inflated > max(_SMALL, ratio * self.packed):
            raise FormatError(
                f"The file expands to more than {ratio} times its size; such files are not opened.",
                code="compression_ratio",
                rule=f"at most {ratio} to 1",
            )
        return b"".join(parts)

    def chunks(self) -> Iterator[bytes]:
        """The bytes from the start, in pieces of at most 64 kB."""
        piece, self._pending = self._pending, b""
        while piece:
            yield piece
            piece = self._read_some()

    def beginning(self, size: int) -> tuple[bytes, bool]:
        """The first ``size`` bytes, and whether they are all; little more than that is read."""
        parts, length = [], 0
        for piece in self.chunks():
            parts.append(piece)
            length += len(piece)
            if length > size:
                return b"".join(parts)[:size], False
        return b"".join(parts), True

    def whole_file(self) -> BinaryIO | None:
        """The file itself, to be read at any place; None where it comes out of a compressor."""
        return self._stream if self.packed is None else None

    def read(self) -> bytes:
        """All bytes; FormatError where they are more than may be held in memory."""
        return b"".join(self._few(self.chunks()))

    def _few(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        size, limit = 0, self.meter.limits.whole
        for piece in pieces:
            size += len(piece)
            if size > limit:
                whole = max(size, self._stream.seek(0, io.SEEK_END) if self.packed is None else size)
                raise FormatError(
                    f"Of this format and layout, files of up to {limit / 1e6:g} MB are read; {display_name(self.name)} "
                    f"has {'' if whole > size else 'more than '}{whole // 1_000_000} MB. {PLAIN_TABLE}",
                    code="too_large",
                    rule=f"at most {limit} bytes",
                    value=whole,
                )
            yield piece

    def held(self) -> bytes:
        """All bytes, which can be read once more."""
        self._pending = self.read()
        return self._pending

    def unread(self, data: bytes) -> None:
        """Let ``data``, which was all there was, be read again."""
        self._pending = data

    def rewind(self) -> None:
        """Begin again at the first byte, which the meter forgets to have seen."""
        self.meter.total -= self._inflated
        self._inflated = 0
        self._stream.seek(0)
        self._pending = self._read_some()

    def read_lines(self) -> bytes:
        """As :meth:`read`, of a text in lines; a line over the limit stops the reading there."""
        return b"".join(self._few(self._lines()))

    def blocks(self, size: int) -> Iterator[bytes]:
        """A text in lines, in pieces of about ``size`` bytes that end with a line; limited as :meth:`read_lines`."""
        parts, length = [], 0
        for piece in self._lines():
            parts.append(piece)
            length += len(piece)
            if length >= size and b"\n" in piece:
                data = b"".join(parts)
                end = data.rfind(b"\n") + 1
                yield data[:end]
                parts, length = [data[end:]], len(data) - end
        if length:
            yield b"".join(parts)

    def _lines(self) -> Iterator[bytes]:
        length, row = 0, 1
        limit = self.meter.limits.line
        for piece in self.chunks():
            first, last = piece.find(b"\n"), piece.rfind(b"\n")
            if first < 0:
                first, last = piece.find(b"\r"), piece.rfind(b"\r")
            longest = length + (len(piece) if first < 0 else first)
            if longest > limit and len(piece) <= CHUNK:
                raise FormatError(
                    f"Line {row} is longer than {limit // 1024} kB. Is this a table of positions?",
                    code="line_too_long",
                    row=row,
                    rule=f"at most {limit} bytes",
                )
            length = longest if first < 0 else len(piece) - last - 1
            row += piece.count(b"\n") or piece.count(b"\r")
            yield piece


class Pieces(io.RawIOBase):
    """Pieces of bytes as a file; ``seek(0)`` begins again with what ``begin`` gives."""

    def __init__(self, begin: Callable[[], Iterator[bytes]]) -> None:
        self._begin = begin
        self.seek(0)

    def readable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        """Begin again."""
        self._pieces, self._left = self._begin(), b""
        return 0

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` with the bytes that come next; how many there were."""
        while not self._left:
            piece = next(self._pieces, None)
            if piece is None:
                return 0
            self._left = piece
        size = min(len(buffer), len(self._left))
        buffer[:size] = self._left[:size]
        self._left = self._left[size:]
        return size


def size_of(stream: BinaryIO) -> int:
    """The size of a seekable stream, which is left at its start."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    return size


def seekable(stream: BinaryIO, meter: Meter) -> BinaryIO:
    """``stream``, or a copy of it in memory where it cannot seek."""
    if hasattr(stream, "seekable") and stream.seekable():
        return stream
    copy = io.BytesIO()
    counter = Meter(meter.limits)
    while piece := stream.read(CHUNK):
        counter.count(len(piece))
        copy.write(piece)
    copy.seek(0)
    return copy


_USUAL_RATIO = 5  # of text: a gzip file does not state the size of what is in it
_WRAPPED = re.compile(r"\.(gz|gzip)$", re.IGNORECASE)


def inflated(stream: BinaryIO, name: str, meter: Meter) -> Source:
    """The source inside a gzip file."""
    packed = size_of(stream)
    meter.expected = _USUAL_RATIO * packed
    unpacked = gzip.GzipFile(fileobj=stream, mode="rb")
    return Source(unpacked, _WRAPPED.sub("", name), meter, packed=packed)  # type: ignore[arg-type]


def display_name(name: str, limit: int = 255) -> str:
    """A file's name as text to show: its base name without control or direction characters, at most 255 bytes.

    >>> display_name("../photo\\u202egpj.csv")
    'photogpj.csv'
    """
    base = re.split(r"[/\\]", name)[-1]
    text = "".join(char for char in base if unicodedata.category(char) not in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp"))
    return text.encode("utf-8")[:limit].decode("utf-8", "ignore").strip()


def stem(name: str) -> str:
    """A file's name to show, without its extension."""
    return display_name(name).rsplit(".", 1)[0]


def extension(name: str) -> str:
    """The extension of a file name in lower case, without the dot."""
    base = display_name(name)
    return base.rsplit(".", 1)[1].lower() if "." in base[1:] else ""
