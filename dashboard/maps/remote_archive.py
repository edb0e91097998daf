"""Ranges of a file on another host, by HTTP: the only connection to the outside that Cairn makes.

Only the operator names the address (``CAIRN_MAP_ARCHIVE``), and an answer is taken only if it is exactly what was
requested: no redirect is followed, no cookie or address of a page is sent, and what arrives is counted.
"""

from __future__ import annotations

import re
import ssl
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from types import TracebackType
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from privacy_engine.errors import EngineError

TIMEOUT_S = 20.0  # without a byte
TRIES = 3  # of a range whose connection broke
PAUSE_S = 0.5
PART_BYTES = 1 << 16
_RANGE = re.compile(r"bytes (\d{1,15})-(\d{1,15})/(\d{1,15})")


class ArchiveUnreached(EngineError):
    """The host did not answer, or the connection broke each time."""

    code = "map-unreached"


class WrongAnswer(EngineError):
    """The host answered something else than the range that was requested."""

    code = "map-answer"


class ArchiveChanged(EngineError):
    """The file was replaced while it was read."""

    code = "map-changed"


class TooMuch(EngineError):
    """More would be fetched than is allowed."""

    code = "map-too-large"


def archive_address(url: str) -> str:
    """The address in ``CAIRN_MAP_ARCHIVE``, checked; empty for none.

    Raises
    ------
    ImproperlyConfigured
        It is no http or https address of a host, or names a user.
    """
    if not url:
        return ""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not re.fullmatch(r"[a-z0-9.-]+(:[0-9]{1,5})?", parts.netloc):
        rule = "https://host/path of a PMTiles file, the host in small letters, digits, dots and hyphens"
        raise ImproperlyConfigured(f"CAIRN_MAP_ARCHIVE must be {rule}, got {url}")
    if parts.fragment or not re.fullmatch(r"/[!-~]+", parts.path):
        raise ImproperlyConfigured(f"CAIRN_MAP_ARCHIVE must name a file on that host, got {url}")
    return url


class RemoteFile:
    """A file that is read by ranges, ``most`` bytes of it in all; ``watch()`` is called for every part and may raise.

    ``size`` is that of the whole file, from the first answer on.
    """

    def __init__(self, url: str, most: int, watch: Callable[[], None] = lambda: None) -> None:
        parts = urlsplit(url)
        self.host = parts.netloc
        self.received = 0
        self.size: int | None = None
        self.most = most
        self._target = parts.path + (f"?{parts.query}" if parts.query else "")
        self._watch = watch
        self._version: tuple[str, str] | None = None
        self._connection: HTTPConnection = (
            HTTPSConnection(self.host, timeout=TIMEOUT_S, context=ssl.create_default_context())
            if parts.scheme == "https"
            else HTTPConnection(self.host, timeout=TIMEOUT_S)
        )

    def __enter__(self) -> RemoteFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def read(self, offset: int, length: int) -> bytes:
        """``length`` bytes from ``offset`` on; less where the file ends, in the first answer alone.

        Raises
        ------
        ArchiveUnreached, WrongAnswer, ArchiveChanged, TooMuch
        """
        failed: Exception | None = None
        for again in range(TRIES):
            if again:
                time.sleep(PAUSE_S * again)
            try:
                return self._once(offset, length)
            except (OSError, HTTPException) as error:
                failed = error
                self._connection.close()
            except BaseException:
                self._connection.close()
                raise
        raise ArchiveUnreached(f"{self.host} did not send what was requested: {_why(failed)}.") from failed

    def _once(self, offset: int, length: int) -> bytes:
        self._watch()
        span = f"bytes={offset}-{offset + length - 1}"
        self._connection.request("GET", self._target, headers={"Range": span, "Accept-Encoding": "identity"})
        answer = self._connection.getresponse()
        length = self._checked(answer, offset, length)
        body = bytearray()
        while len(body) < length:
            part = answer.read(min(PART_BYTES, length - len(body)))
            if not part:
                raise IncompleteRead(bytes(body), length - len(body))
            self.received += len(part)
            if self.received > self.most:
                raise TooMuch(f"More than {self.most:,} bytes would have been fetched.")
            body += part
            self._watch()
        return bytes(body)

    def _checked(self, answer: HTTPResponse, offset: int, length: int) -> int:
        """How many bytes the answer has: those that were requested, of the file that the first was of."""
        if answer.status != 206:
            moved = " (a redirect, which is not followed)" if answer.status in range(300, 400) else ""
            raise self._wrong("the status 206", f"{answer.status}{moved}")
        match = _RANGE.fullmatch(answer.getheader("Content-Range", "").strip())
        if match is None:
            raise self._wrong("a Content-Range with the size of the file", "none")
        first, last, size = map(int, match.groups())
        expected = min(length, size - offset) if self.size is None else length
        if (first, last) != (offset, offset + expected - 1):
            raise self._wrong(f"the bytes {offset} to {offset + expected - 1}", f"{first} to {last}")
        if answer.getheader("Content-Length") != str(expected):
            raise self._wrong(f"a length of {expected} bytes", f"{answer.getheader('Content-Length') or 'none'}")
        if answer.getheader("Content-Encoding", "identity") != "identity":
            raise self._wrong("bytes as they are in the file", "compressed ones")
        version = answer.getheader("ETag", ""), answer.getheader("Last-Modified", "")
        if self._version not in (None, version) or self.size not in (None, size):
            raise ArchiveChanged(f"The file on {self.host} was replaced while it was read.")
        self._version, self.size = version, size
        return expected

    def _wrong(self, rule: str, value: str) -> WrongAnswer:
        return WrongAnswer(f"{self.host} must answer with {rule}, got {value:.60}.", rule=rule, value=value[:60])


def _why(error: Exception | None) -> str:
    if isinstance(error, IncompleteRead):
        return "the connection broke"
    return "no answer in time" if isinstance(error, TimeoutError) else f"{type(error).__name__}"
