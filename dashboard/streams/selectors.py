"""Reads of the streams app."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from django.db.models import QuerySet
from django.http import HttpRequest

from dashboard.datasets.models import Dataset
from dashboard.streams.models import Clock, LiveStream, PublishedTimestamp, StreamState
from privacy_engine.core.arrays import Floats, Ints
from privacy_engine.data.stream_release import StreamRelease, counts_digest

MOST_AT_ONCE = 1000
"""Timestamps that a response lists."""
MOST_COUNTS = 500_000
"""Counts that a response lists: fewer timestamps where they have many dimensions."""


def visible_streams(user: Any) -> QuerySet[LiveStream]:
    """Those that the user may read, newest first, without the states of their mechanisms."""
    return LiveStream.objects.visible_to(user).select_related("project").defer("publisher")


def open_stream_of(user: Any, dimensions: Sequence[str]) -> LiveStream | None:
    """The user's newest stream of these dimensions that is not closed."""
    return visible_streams(user).exclude(state=StreamState.CLOSED).filter(dimensions=list(dimensions)).first()


def live_stream_of_page(request: HttpRequest, dataset: Dataset) -> dict[str, Any]:
    """The live stream that the comparison of a dataset's releases leads to, if there is any."""
    names = [dimension["name"] for dimension in (dataset.summary or {})["dimensions"]]
    return {"live": open_stream_of(request.user, names)}


def published_after(stream: LiveStream, position: int, limit: int = MOST_AT_ONCE) -> list[PublishedTimestamp]:
    """At most ``limit`` timestamps from ``position`` on, in their order, and at most :data:`MOST_COUNTS` counts."""
    return list(stream.timestamps.filter(position__gte=position)[: _rows_at_once(stream, limit)])


def published_before(stream: LiveStream, limit: int) -> list[PublishedTimestamp]:
    """The last ``limit`` timestamps, in their order, and at most :data:`MOST_COUNTS` counts."""
    return list(stream.timestamps.order_by("-position")[: _rows_at_once(stream, limit)])[::-1]


def budgets_before(stream: LiveStream, position: int) -> list[float]:
    """What each of the last w - 1 timestamps before ``position`` spent, in their order: windows reach back to them."""
    earlier = stream.timestamps.filter(position__lt=position).order_by("-position").values_list("budget", flat=True)
    return list(earlier[: stream.window - 1])[::-1]


def _rows_at_once(stream: LiveStream, limit: int) -> int:
    return min(limit, MOST_COUNTS // len(stream.dimensions))


def release_so_far(stream: LiveStream) -> StreamRelease:
    """What was published up to now, as a release of a dataset has it."""
    rows = list(stream.timestamps.defer("values"))
    shape = len(rows), len(stream.dimensions)
    counts: Ints | Floats = np.empty(shape, np.int64) if all(row.whole for row in rows) else np.empty(shape)
    for i, row in enumerate(stream.timestamps.filter(position__lt=len(rows)).iterator(chunk_size=100)):
        counts[i] = row.counts
    times: Floats | None = np.array([row.time for row in rows]) if stream.clock == Clock.INSTANT else None
    budgets = np.array([row.budget for row in rows])
    return StreamRelease(counts, stream.dimensions, [row.label for row in rows], times, budgets, private=True)


def digest_so_far(release: StreamRelease) -> str:
    """SHA-256 of what was published up to now."""
    return counts_digest(release.names, release.labels, release.counts)
