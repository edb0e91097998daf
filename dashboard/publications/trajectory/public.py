"""Published positions: a map of where they lie, and when they were published."""

import math
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from dashboard.core.computing import computed_where
from dashboard.maps import joined_tracks
from dashboard.maps.prepared import LARGE
from dashboard.maps.series_cache import lines, sizes_of
from dashboard.publications.common.public import Public
from dashboard.publications.models import Publication
from dashboard.releases.models import Release
from dashboard.releases.trajectory.explain import noise_m
from dashboard.storage import parquet
from dashboard.storage.stored_path import StoredPath
from privacy_engine.data import Trajectory
from privacy_engine.datatypes.trajectory_table import PublishedSeries

BINS = 240
"""Of the strip that shows when positions were published."""
SHADES = 4
MARKS = 6
"""The most marks of the strip."""
STEPS_H = (1, 2, 3, 6, 12, 24, 48, 168, 336, 720, 1440, 2160, 4320, 8760, 17520, 43800, 87600)


class PublicTrajectories(Public):
    """Without the names of people and series."""

    def without_names(self, data: Sequence[PublishedSeries]) -> list[PublishedSeries]:
        people = {name: i for i, name in enumerate(dict.fromkeys(one.series.person for one in data), 1)}
        several, many = len(people) > 1, len(data) > 1
        return [
            one._replace(
                series=replace(
                    one.series,
                    name=f"series {i}" if many else "",
                    person=f"person {people[one.series.person]}" if several else "",
                )
            )
            for i, one in enumerate(data, 1)
        ]

    def facts(self, row: Release, data: Sequence[PublishedSeries]) -> dict[str, Any]:
        return _published(data) | {"noise_m": noise_m(row)}

    def context(self, request: HttpRequest, publication: Publication) -> dict[str, Any]:
        track = reverse("publications:track", args=[publication.token])
        facts = publication.facts
        marks = time_marks(facts["start"], facts["end"]) if facts["strip"] else []
        return {"bins": BINS, "marks": marks, "drawn": {"track": track, "noise_m": facts["noise_m"]}}

    def track(self, publication: Publication) -> HttpResponse:
        return HttpResponse(_track(publication.data_path), content_type="application/octet-stream")


@computed_where(lambda path: parquet.rows_of(path) > LARGE)
def _track(path: StoredPath) -> bytes:
    found = lines(path)
    return joined_tracks.encode(found, sizes_of(found), points=joined_tracks.USUAL, reduce="sample")


def _published(series: Sequence[PublishedSeries]) -> dict[str, Any]:
    times = [one.series.time_s for one in series]
    known = [one for one in times if one is not None and len(one)]
    timed = known and all(one is not None for one in times)
    found: dict[str, Any] = {
        "positions": sum(len(one.series) for one in series),
        "series": len(series),
        "people": len({one.series.person for one in series}),
        "repeats": sum(_repeats(one.series) for one in series),
        "start": None,
        "end": None,
        "strip": [],
    }
    if timed:
        every = np.concatenate(known)
        found |= {"start": float(every.min()), "end": float(every.max()), "strip": _strip(every)}
    return found


def _repeats(series: Trajectory) -> int:
    """How many positions are those published just before."""
    return int(np.count_nonzero((np.diff(series.lon) == 0) & (np.diff(series.lat) == 0)))


def _strip(time_s: Any) -> list[list[int]]:
    """Bins in which positions were published, each with its shade from 1 to :data:`SHADES`."""
    counts, _ = np.histogram(time_s, bins=BINS)
    shade = np.ceil(SHADES * np.log1p(counts) / math.log1p(max(int(counts.max()), 1)))
    return [[int(i), int(shade[i])] for i in np.flatnonzero(counts)]


def time_marks(start: float, end: float) -> list[dict[str, Any]]:
    """Labelled times of day, days or months between two times (s since 1970, UTC), at per cent of the strip."""
    if not end > start:
        return []
    step = next((3600.0 * one for one in STEPS_H if (end - start) / (3600.0 * one) <= MARKS), end - start)
    form = "%H:%M" if step < 86400 else "{0.day} %b" if end - start < 300 * 86400 else "%b %Y"
    times = np.arange(math.ceil(start / step) * step, end, step)
    inside = times[(times >= start) & (times < end)]  # start / step is rounded, to 0 where start is subnormal
    moments = [(one, datetime.fromtimestamp(float(one), UTC)) for one in inside]
    return [{"at": 100 * (one - start) / (end - start), "text": f"{at:{form}}".format(at)} for one, at in moments]


ADAPTER = PublicTrajectories()
