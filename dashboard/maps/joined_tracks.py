"""All series of a file as a single track in pieces, a piece for each series, of a limited number of points.

The format is that of dashboard/maps/track_encoding.py: always with events, counted from 0 over the whole dataset, and
with the ends of the pieces, an end for each series.
"""

from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO

import numpy as np
from django.http.response import HttpResponseBase
from rest_framework import serializers
from rest_framework.request import Request

from dashboard.core.computing import computed_where
from dashboard.core.errors import must_be
from dashboard.core.rest.binary import binary_response, filed
from dashboard.core.rest.parsing import Whole
from dashboard.maps import track_encoding
from dashboard.maps.prepared import LARGE, Drawn, stored
from dashboard.maps.series_cache import Line, importances, lines, sizes_of
from dashboard.maps.track_encoding import VERSION, joined
from privacy_engine.core.arrays import Ints, ceil_div
from privacy_engine.core.progress import reported
from privacy_engine.data.mapped_series import picked

LEAST, USUAL, MOST_POINTS = 1000, 200_000, 400_000
MOST = 3_000_000  # positions whose importance is computed
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
            raise must_be("points", f"between {LEAST} and {MOST_POINTS}", points)
        if reduce not in REDUCE:
            raise must_be("reduce", " or ".join(REDUCE), reduce, got=f"{reduce:.60}")
        return attrs


def answer(request: Request, drawn: Drawn, points: int, reduce: str, *, tag: str) -> HttpResponseBase:
    """All series of a file. ``tag`` names the file's content."""
    name = f"{tag}-all-{points}-{reduce}-{VERSION}"
    if points == USUAL and sum(drawn.lengths) > LARGE:
        return binary_response(request, lambda: _ahead(drawn, reduce), tag=name)
    return binary_response(request, lambda: _encoded(drawn, points=points, reduce=reduce), tag=name)


def prepare(drawn: Drawn, reduce: str) -> Iterator[int]:
    """Make ahead what is sent of many events, then of each large series, whose number follows."""
    if len(drawn.lengths) > 1 and sum(drawn.lengths) > LARGE:
        _ahead(drawn, reduce).close()
    for series in reported(i for i, length in enumerate(drawn.lengths) if length > LARGE):
        track_encoding.ahead(drawn, series).close()
        yield series


@computed_where(lambda drawn, **_: sum(drawn.lengths) > LARGE)
def _encoded(drawn: Drawn, points: int, reduce: str) -> bytes | BinaryIO:
    return filed(encode(lines(drawn.path), drawn.lengths, points=points, reduce=reduce))


@computed_where(lambda drawn, reduce: not drawn.beside(f"tracks-{reduce}").is_sound())
def _ahead(drawn: Drawn, reduce: str) -> BinaryIO:
    """What is sent of many events with the usual number of points, as a file."""
    path, lengths, beside = drawn
    return stored(beside(f"tracks-{reduce}"), lambda: encode(lines(path), lengths, points=USUAL, reduce=reduce))


def encode(series: Sequence[Line], lengths: Sequence[int], *, points: int, reduce: str) -> bytes:
    """The points of ``series`` that are kept, each line a piece; its events begin after those of the lines before."""
    if reduce == "line" and points < sum(lengths) <= MOST:
        series = list(series)  # read once: their importance is kept with them
    kept = _kept(series, points, reduce)
    before = np.cumsum([0, *lengths])[: len(series)]
    lon, lat, events = [], [], []
    for line, index, first in zip(series, kept, before, strict=True):  # once: those of a large file are read here
        lon.append(picked(line.lon, index))
        lat.append(picked(line.lat, index))
        events.append(first + (index if line.event is None else picked(line.event, index)))
    ends = np.cumsum([len(index) for index in kept])
    return joined(1, np.concatenate(lon), np.concatenate(lat), None, np.concatenate(events), ends)


def thinned(line: Line, points: int) -> Line:
    """The ``points`` of a line that it needs most, at most so many."""
    (index,) = _kept([line], points, "line")
    return Line(line.lon[index], line.lat[index])


def _kept(series: Sequence[Line], points: int, reduce: str) -> list[Ints]:
    """Indices of the points of each line that remain."""
    sizes = sizes_of(series)
    total = sum(sizes)
    if total <= points:
        return [np.arange(size) for size in sizes]
    if reduce == "sample" or total > MOST:  # whose importance would take seconds
        return [np.arange(0, size, ceil_div(total, points)) for size in sizes]
    important = np.concatenate(importances(series))
    least = np.partition(important, total - points)[total - points]
    return [np.flatnonzero((line.importance > least) | np.isinf(line.importance)) for line in series]
