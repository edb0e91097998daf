"""Server-sent events: what a live stream publishes, sent as it is published."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, QuerySet
from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer

from dashboard.streams.models import LiveStream, StreamState
from dashboard.streams.selectors import published_after, visible_streams
from dashboard.streams.serializers import TimestampSerializer

CONTENT_TYPE = "text/event-stream"
CONNECTION_S = 30.0
"""How long one connection lasts; a browser then opens another one, which continues where it ended."""
LOOK_S = 0.5
BEAT_S = 2.0
"""That a client has gone is noticed when something is sent to it."""
MOST_CONNECTIONS = 3
"""Of one web process: each takes one of its threads. Who gets none requests the timestamps from time to time."""

_places = threading.BoundedSemaphore(MOST_CONNECTIONS)


def connect(
    stream: LiveStream, after: int, *, reader: Any, permit: QuerySet[Any] | None = None, seconds: float = CONNECTION_S
) -> StreamingHttpResponse | None:
    """A response that sends the timestamps from position ``after`` on; None if there are too many connections.

    It ends once ``reader`` may not read the stream any more, or ``permit`` has no row: of the session or the token
    (dashboard/accounts/lasting.py), or else of the user.
    """
    if not _places.acquire(blocking=False):
        return None
    if permit is None:
        permit = type(reader).objects.filter(pk=reader.pk, is_active=True)
    body = _Body(_messages(stream, after, reader, permit, seconds))
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


def _messages(stream: LiveStream, position: int, reader: Any, permit: QuerySet[Any], seconds: float) -> Iterator[bytes]:
    """Each timestamp as one message whose id is the next position, and ``state`` where that or what is spent changed.

    It ends with ``closed``, or with ``gone`` where the reader may read the stream no longer; without a message where
    ``permit`` has no row: who then connects again is refused. A comment is sent where there is nothing else for long.
    """
    end = quiet_since = time.monotonic()
    end += seconds
    sent = None
    yield b"retry: 1000\n\n"
    while True:
        looked_for = visible_streams(reader).filter(pk=stream.pk).annotate(permitted=Exists(permit))
        found = looked_for.values("state", "window_spent", "permitted").first()
        if found is None:
            yield b"event: gone\ndata: {}\n\n"
            return
        if not found.pop("permitted"):
            return
        rows = published_after(stream, position)
        for row in rows:
            position = row.position + 1
            data = JSONRenderer().render(TimestampSerializer(row).data)
            yield b"id: %d\ndata: %b\n\n" % (position, data)
        if found != sent:
            sent = found
            yield b"event: state\ndata: %b\n\n" % JSONRenderer().render(found)
        now = time.monotonic()
        if rows:
            quiet_since = now
        elif now - quiet_since > BEAT_S:
            quiet_since = now
            yield b": nothing new\n\n"
        if found["state"] == StreamState.CLOSED and not rows:
            yield b"event: closed\ndata: {}\n\n"
            return
        if now >= end:
            return
        time.sleep(LOOK_S)
