"""Server-sent events: what a live stream publishes, sent as it is published."""

import threading
import time
from collections.abc import Iterator
from typing import Any, NamedTuple
from weakref import WeakValueDictionary

from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer

from dashboard.core.database_errors import forget_connection
from dashboard.streams.models import LiveStream, PublishedTimestamp, StreamState
from dashboard.streams.selectors import published_after
from dashboard.streams.serializers import TimestampSerializer

CONTENT_TYPE = "text/event-stream"
CONNECTION_S = 30.0
"""How long a connection lasts; a browser then opens another, which continues where it ended."""
LOOK_S = 0.5
BEAT_S = 2.0
"""That a client has gone is noticed when something is sent to it."""
MOST_CONNECTIONS = 200
"""Of a web process, whose server has a thread for each. Who gets none requests the timestamps from time to time."""
KEPT = 100
"""Of a stream's last timestamps in memory; who lacks earlier ones reads them for itself."""

_places = threading.BoundedSemaphore(MOST_CONNECTIONS)


def connect(stream: LiveStream, after: int, *, seconds: float = CONNECTION_S) -> StreamingHttpResponse | None:
    """A response that sends the timestamps from position ``after`` on; None if there are too many connections.

    Once the reader may not read the stream any more it is ended as every response that lasts
    (dashboard/accounts/lasting.py).
    """
    if not _places.acquire(blocking=False):
        return None
    body = _Body(_messages(_followed(stream), after, seconds))
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(body, content_type=CONTENT_TYPE, headers=headers)


class _Body:
    """The messages. The place of the connection is given back once, at its end or when the client has gone."""

    def __init__(self, messages: Iterator[bytes]) -> None:
        self._messages = messages
        self._open = True

    def __iter__(self) -> Iterator[bytes]:
        return self._messages

    def close(self) -> None:
        """Give the place back."""
        if self._open:
            self._open = False
            _places.release()

    def __del__(self) -> None:
        """Give it back too where the response was replaced by another before it was sent."""
        self.close()


class _Seen(NamedTuple):
    """What a stream had published when it was looked for: the last messages from position ``first`` on, its state."""

    first: int
    messages: tuple[bytes, ...] = ()
    state: bytes = b""  # as a message; empty: there is no such stream any more
    closed: bool = False


class _Followed:
    """A stream that connections of this process follow: a single connection reads the database at a time, for all.

    Their threads keep no connection to the database, which has fewer of them than the server has threads.
    """

    def __init__(self, stream: LiveStream) -> None:
        self._stream = stream
        self._turn = threading.Lock()
        self._looked = float("-inf")
        self._seen = _Seen(stream.published)

    def look(self) -> _Seen:
        """What was published, as it was at most :data:`LOOK_S` ago."""
        with self._turn:
            if time.monotonic() - self._looked >= LOOK_S:
                first, messages, *_ = self._seen
                row = LiveStream.objects.filter(pk=self._stream.pk).values("state", "window_spent").first()
                messages += self._read(first + len(messages)) if row else ()
                dropped = max(0, len(messages) - KEPT)
                self._seen = _Seen(first + dropped, messages[dropped:], *_described(row))
                self._looked = time.monotonic()
                forget_connection()
            return self._seen

    def earlier(self, position: int) -> tuple[bytes, ...]:
        """The next messages from a position on that are kept no longer."""
        with self._turn:
            messages = self._read(position)
            forget_connection()
            return messages

    def _read(self, position: int) -> tuple[bytes, ...]:
        return tuple(map(_message, published_after(self._stream, position)))


_all_followed: WeakValueDictionary[Any, _Followed] = WeakValueDictionary()
_lock = threading.Lock()


def _followed(stream: LiveStream) -> _Followed:
    with _lock:
        return _all_followed.setdefault(stream.pk, _Followed(stream))


def _described(row: Any) -> tuple[bytes, bool]:
    """A stream's state and what it has spent as a message, and whether it is closed; of none that there is, nothing."""
    if row is None:
        return b"", False
    return b"event: state\ndata: %b\n\n" % JSONRenderer().render(row), row["state"] == StreamState.CLOSED


def _message(row: PublishedTimestamp) -> bytes:
    return b"id: %d\ndata: %b\n\n" % (row.position + 1, JSONRenderer().render(TimestampSerializer(row).data))


def _messages(followed: _Followed, position: int, seconds: float) -> Iterator[bytes]:
    """Each timestamp as a message whose id is the next position, and ``state`` where that or what is spent changed.

    It ends with ``closed``, or with ``gone`` where there is no such stream any more. A comment is sent where there is
    nothing else for long.
    """
    end = quiet_since = time.monotonic()
    end += seconds
    sent = b""
    yield b"retry: 1000\n\n"
    while True:
        seen = followed.look()
        if not seen.state:
            yield b"event: gone\ndata: {}\n\n"
            return
        behind = position < seen.first
        rows = followed.earlier(position) if behind else seen.messages[position - seen.first :]
        yield from rows
        position += len(rows)
        if seen.state != sent:
            sent = seen.state
            yield sent
        now = time.monotonic()
        if rows:
            quiet_since = now
        elif now - quiet_since > BEAT_S:
            quiet_since = now
            yield b": nothing new\n\n"
        if seen.closed and not rows:
            yield b"event: closed\ndata: {}\n\n"
            return
        if now >= end:
            return
        time.sleep(LOOK_S)
