"""All series of a file as one track in pieces, one piece for each series, of a limited number of points.

The format is that of dashboard/maps/track_encoding.py: always with events, counted from 0 over the whole dataset, and
with the ends of the pieces, one for each series.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from dashboard.core.rest.binary import binary_response
from dashboard.core.rest.parsing import Whole, valid
from dashboard.maps.series_cache import MOST, Line, importances, sizes_of
from dashboard.maps.track_encoding import VERSION, joined
from privacy_engine.core.arrays import Ints
from privacy_engine.errors import ParameterError

LEAST, USUAL, MOST_POINTS = 1000, 200_000, 400_000
REDUCE = ("line", "sample")


class TracksQuery(serializers.Serializer[Any]):
    """How many points at most, and which of them."""

    points = Whole(default=USUAL, help_text=f"At most so many points, {LEAST} to {MOST_POINTS}; ends always remain.")
    reduce = serializers.CharField(
        default="line", help_text="line: the points that the lines need most; sample: every k-th event of each series."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        points, reduce = attrs["points"], attrs["reduce"]
        if not LEAST <= points <= MOST_POINTS:
            rule = f"between {LEAST} and {MOST_POINTS}"
            raise ParameterError(f"points must be {rule}, got {points}", field="points", rule=rule, value=points)
        if reduce not in REDUCE:
            rule = " or ".join(REDUCE)
            raise ParameterError(f"reduce must be {rule}, got {reduce:.60}", field="reduce", rule=rule, value=reduce)
        return attrs


def answer(request: Request, read: Callable[[], Sequence[Line]], lengths: Sequence[int], *, tag: str) -> HttpResponse:
    """All series of ``request``, whose dataset has ``lengths`` events each. ``tag`` names the file's content."""
    params = valid(TracksQuery, request.query_params)
    name = f"{tag}-all-{params['points']}-{params['reduce']}-{VERSION}"
    return binary_response(request, lambda: encode(read(), lengths, **params), tag=name)


def encode(lines: Sequence[Line], lengths: Sequence[int], *, points: int, reduce: str) -> bytes:
    """The points of ``lines`` that are kept, each line a piece; its events begin after those of the lines before."""
    kept = _kept(lines, points, reduce)
    before = np.cumsum([0, *lengths])[: len(lines)]
    lon, lat, events = [], [], []
    for one, index, first in zip(lines, kept, before, strict=True):  # once: those of a large file are read here
        lon.append(one.lon[index])
        lat.append(one.lat[index])
        events.append(first + (index if one.event is None else one.event[index]))
    ends = np.cumsum([len(index) for index in kept])
    return joined(1, np.concatenate(lon), np.concatenate(lat), None, np.concatenate(events), ends)


def _kept(lines: Sequence[Line], points: int, reduce: str) -> list[Ints]:
    """Indices of the points of each line that remain."""
    sizes = sizes_of(lines)
    total = sum(sizes)
    if total <= points:
        return [np.arange(size) for size in sizes]
    if reduce == "sample" or total > MOST:  # whose importance would take seconds
        return [np.arange(0, size, -(-total // points)) for size in sizes]
    important = np.concatenate(importances(lines))
    least = np.partition(important, total - points)[total - points]
    return [np.flatnonzero((one.importance > least) | np.isinf(one.importance)) for one in lines]
