"""Count streams of a dataset: their names, and curves of their counts for charts."""

from typing import Any

import numpy as np
from rest_framework import serializers

from dashboard.core.errors import must_be
from dashboard.core.rest.parsing import Whole
from dashboard.datasets.models import Dataset
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.results import listed
from privacy_engine.core.arrays import Floats
from privacy_engine.data import CountStream
from privacy_engine.data.stream_release import StreamRelease

LISTED = 2000
"""The most streams that are listed by name."""


class CountsQuery(serializers.Serializer[Any]):
    """Which stream, and how many of its timestamps at most."""

    stream = Whole(required=False, help_text="Its number, from 0; left out: the total of all streams.")
    points = Whole(default=2000, help_text="At most so many timestamps, the extremes of the counts kept.")


class CountsSerializer(serializers.Serializer[Any]):
    """Counts over the timestamps that are shown."""

    stream = serializers.IntegerField(allow_null=True)
    name = serializers.CharField()
    timestamps = serializers.IntegerField()
    index = serializers.ListField(child=serializers.IntegerField(), help_text="Numbers of the timestamps, from 0.")
    labels = serializers.ListField(child=serializers.CharField(), help_text="The timestamps as the file writes them.")
    counts = serializers.ListField(child=serializers.FloatField(allow_null=True))


def curve_of(stream: CountStream | StreamRelease, which: int | None) -> tuple[str, Floats]:
    """Return the name and the counts of a stream, (T,), or of the total.

    Raises
    ------
    ParameterError
        There is no such stream.
    """
    if which is None:
        return "Total", np.asarray(stream.counts.sum(axis=1), dtype=np.float64)
    if not 0 <= which < len(stream.names):
        raise must_be("stream", f"between 0 and {len(stream.names) - 1}", which)
    return stream.names[which], np.asarray(stream.counts[:, which], dtype=np.float64)


def shown(
    stream: CountStream, which: int | None, points: int, *, released: StreamRelease | None = None
) -> dict[str, Any]:
    """Return a stream, or the total, thinned out for a chart, as :class:`CountsSerializer` has it.

    With a release of the stream also what that published, as ``released``.
    """
    name, counts = curve_of(stream, which)
    curves = {"counts": counts}
    if released is not None:
        curves["released"] = curve_of(released, which)[1]
    at = decimated(list(curves.values()), points)
    return {
        "stream": which,
        "name": name,
        "timestamps": len(stream),
        "index": at.tolist(),
        "labels": [stream.labels[i] for i in at],
        **{curve: listed(values[at]) for curve, values in curves.items()},
    }


def shown_names(dataset: Dataset) -> list[str]:
    """Return the names of the streams; those without any get their number, from 1."""
    known = (dataset.summary or {})["dimensions"]
    return [dimension["name"] or f"dimension {i:,}" for i, dimension in enumerate(known, 1)]


def listed_streams(dataset: Dataset) -> list[dict[str, Any]]:
    """Return the streams with their totals, the largest first; at most :data:`LISTED`."""
    known = (dataset.summary or {})["dimensions"]
    order = sorted(range(len(known)), key=lambda i: -known[i]["total"])[:LISTED]  # stable: equal totals stay in order
    names = shown_names(dataset)
    return [{"index": i, "name": names[i], "total": known[i]["total"]} for i in order]
