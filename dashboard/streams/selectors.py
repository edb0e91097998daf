"""Reads of the streams app."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet

from dashboard.streams.models import Clock, LiveStream, PublishedTimestamp, StreamState
from privacy_engine.data import Floats
from privacy_engine.stream_release import StreamRelease, counts_digest

MOST_AT_ONCE = 1000
"""Timestamps that one response lists."""


def visible_streams(user: Any) -> QuerySet[LiveStream]:
    """Those that the user may read, newest first, without the states of their mechanisms."""
    return LiveStream.objects.visible_to(user).select_related("project").defer("publisher")


def open_stream_of(user: Any, dimensions: Sequence[str]) -> LiveStream | None:
    """The user's newest stream of these dimensions that is not closed."""
    return visible_streams(user).exclude(state=StreamState.CLOSED).filter(dimensions=list(dimensions)).first()


def published_after(stream: LiveStream, position: int, limit: int = MOST_AT_ONCE) -> list[PublishedTimestamp]:
    """At most ``limit`` timestamps from ``position`` on, in their order."""
    return list(stream.timestamps.filter(position__gte=position)[:limit])


def published_before(stream: LiveStream, limit: int) -> list[PublishedTimestamp]:
    """The last ``limit`` timestamps, in their order."""
    return list(stream.timestamps.order_by("-position")[:limit])[::-1]


def release_so_far(stream: LiveStream) -> StreamRelease:
    """What was published up to now, as a release of a dataset has it."""
    rows = list(stream.timestamps.all())
    names, labels = stream.dimensions, [row.label for row in rows]
    counts = np.array([row.counts for row in rows]) if rows else np.empty((0, len(names)), dtype=np.int64)
    times: Floats | None = np.array([row.time for row in rows]) if stream.clock == Clock.INSTANT else None
    return StreamRelease(counts, names, labels, times, np.array([row.budget for row in rows]), private=True)


def digest_so_far(release: StreamRelease) -> str:
    """SHA-256 of what was published up to now."""
    return counts_digest(release.names, release.labels, release.counts)
