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
        people = {name: i for i, name in enumerate(dict.fromkeys(release.series.person for release in data), 1)}
        several, many = len(people) > 1, len(data) > 1
        return [
            release._replace(
                series=replace(
                    release.series,
                    name=f"series {i}" if many else "",
                    person=f"person {people[release.series.person]}" if several else "",
                )
            )
            for i, release in enumerate(data, 1)
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
    tracks = lines(path)
    return joined_tracks.encode(tracks, sizes_of(tracks), points=joined_tracks.USUAL, reduce="sample")


def _published(series: Sequence[PublishedSeries]) -> dict[str, Any]:
    times = [release.series.time_s for release in series]
    known = [time_s for time_s in times if time_s is not None and len(time_s)]
    timed = known and all(time_s is not None for time_s in times)
    facts: dict[str, Any] = {
        "positions": sum(len(release.series) for release in series),
        "series": len(series),
        "people": len({release.series.person for release in series}),
        "repeats": sum(_repeats(release.series) for release in series),
        "start": None,
        "end": None,
        "strip": [],
    }
    if timed:
        every = np.concatenate(known)
        facts |= {"start": float(every.min()), "end": float(every.max()), "strip": _strip(every)}
    return facts


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
    step = next((3600.0 * hours for hours in STEPS_H if (end - start) / (3600.0 * hours) <= MARKS), end - start)
    form = "%H:%M" if step < 86400 else "{0.day} %b" if end - start < 300 * 86400 else "%b %Y"
    times = np.arange(math.ceil(start / step) * step, end, step)
    inside = times[(times >= start) & (times < end)]  # start / step is rounded, to 0 where start is subnormal
    moments = [(time_s, datetime.fromtimestamp(float(time_s), UTC)) for time_s in inside]
    return [{"at": 100 * (time_s - start) / (end - start), "text": f"{at:{form}}".format(at)} for time_s, at in moments]


ADAPTER = PublicTrajectories()
