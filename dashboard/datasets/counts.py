"""Stored count streams, and curves of their counts for charts."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from rest_framework import serializers

from dashboard.core.rest.parsing import Whole
from dashboard.storage import parquet
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.results import listed
from privacy_engine.data import CountStream, Floats
from privacy_engine.datatypes import datatypes
from privacy_engine.errors import ParameterError

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


@lru_cache(maxsize=4)
def read_stream(path: Path) -> CountStream:
    """Return a stored stream; files of data never change."""
    found: CountStream = datatypes[CountStream.kind].from_table(parquet.read_table(path))
    return found


def curve_of(stream: CountStream, which: int | None) -> tuple[str, Floats]:
    """Return the name and the counts of one stream, (T,), or of the total.

    Raises
    ------
    ParameterError
        There is no such stream.
    """
    if which is None:
        return "Total", np.asarray(stream.counts.sum(axis=1))
    if not 0 <= which < len(stream.names):
        rule = f"between 0 and {len(stream.names) - 1}"
        raise ParameterError(f"stream must be {rule}, got {which}", field="stream", rule=rule, value=which)
    return stream.names[which], stream.counts[:, which]


def shown(stream: CountStream, which: int | None, points: int) -> dict[str, Any]:
    """Return one stream, or the total, thinned out for a chart, as :class:`CountsSerializer` has it."""
    name, counts = curve_of(stream, which)
    at = decimated([counts], points)
    return {
        "stream": which,
        "name": name,
        "timestamps": len(stream),
        "index": at.tolist(),
        "labels": [stream.labels[i] for i in at],
        "counts": listed(counts[at]),
    }


def names_of(stream: CountStream) -> list[dict[str, Any]]:
    """Return the streams with their totals, the largest first; at most :data:`LISTED`."""
    totals = stream.counts.sum(axis=0)
    order = np.argsort(-totals, kind="stable")[:LISTED]
    return [{"index": int(i), "name": stream.names[i], "total": float(totals[i])} for i in order]
