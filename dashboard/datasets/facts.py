"""What a dataset's page shows of its points: span, extent, length. Arrays in, JSON-ready facts out."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from dashboard.core.text import one_line
from privacy_engine import geo
from privacy_engine.data import Floats, Trajectory
from privacy_engine.people import people

FIRST_S, END_S = -62135596800, 253402300800


def summarise(series: Sequence[Trajectory]) -> dict[str, Any]:
    """Facts of the whole dataset and of each series; events are counted over the whole dataset."""
    has_time = all(one.time_s is not None for one in series)
    first = np.concatenate([[0], np.cumsum([len(one) for one in series])])
    persons = people(series)
    whose = {i: number for number, person in enumerate(persons) for i in person.members}
    each = [
        {
            "index": i,
            "name": one_line(one.name),
            "person": one_line(one.person),
            "person_index": whose[i],
            "points": len(one),
            "first_event": int(first[i]),
            **_span([one], has_time),
        }
        for i, one in enumerate(series)
    ]
    lon, lat = _joined([one.lon for one in series]), _joined([one.lat for one in series])
    return {
        "series": each,
        "people": len(persons),
        "interleaved": any(person.order is not None for person in persons),
        "has_time": has_time,
        "marked": _marked(series),
        "bounds": bounds(lon, lat),
        "length_m": length_m(series),
        **_span(series, has_time),
    }


def by_person(series: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[Mapping[str, Any]]]]:
    """The series of a summary under the name of their person, people in the order of their first series."""
    groups: dict[str, list[Mapping[str, Any]]] = {}
    for one in series:
        groups.setdefault(one.get("person", ""), []).append(one)
    return list(groups.items())


def _joined(parts: Sequence[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.empty(0)


def _marked(series: Sequence[Trajectory]) -> int | None:
    """How many events the file marks as landmarks; None where it has no landmark column."""
    columns = [one.marked for one in series if one.marked is not None]
    return sum(int(column.sum()) for column in columns) if columns else None


def _span(series: Sequence[Trajectory], has_time: bool) -> dict[str, str | None]:
    times = [one.time_s for one in series if one.time_s is not None and len(one)]
    if not has_time or not times:
        return {"start": None, "end": None}
    return {"start": instant(min(t[0] for t in times)), "end": instant(max(t[-1] for t in times))}


def instant(time_s: float) -> str | None:
    """Seconds since 1970 as ISO 8601 in UTC; None outside the years 1 to 9999, which calendars cannot represent.

    >>> instant(0.25)
    '1970-01-01T00:00:00.250Z'
    """
    if not FIRST_S <= time_s < END_S:
        return None
    return f"{np.datetime_as_string(np.datetime64(round(time_s * 1000), 'ms'), unit='ms')}Z"


def bounds(lon: Floats, lat: Floats) -> list[float] | None:
    """[west, south, east, north] of the smallest box; west > east where it crosses the antimeridian.

    >>> bounds(np.array([179.5, -179.5]), np.array([0.0, 1.0]))
    [179.5, 0.0, -179.5, 1.0]
    """
    if not len(lon):
        return None
    places = np.unique(lon)
    gaps = np.diff(places)
    outside = places[0] + 360 - places[-1]
    west, east = places[0], places[-1]
    if len(gaps) and gaps.max() > outside:  # the widest gap lies inside: leave that one out instead
        widest = int(np.argmax(gaps))
        west, east = places[widest + 1], places[widest]
    return [float(west), float(lat.min()), float(east), float(lat.max())]


def length_m(series: Sequence[Trajectory]) -> float | None:
    """Metres along great circles, series by series; None where no series has two points."""
    if all(len(one) < 2 for one in series):
        return None
    return float(sum(geo.distance_m(o.lon[:-1], o.lat[:-1], o.lon[1:], o.lat[1:]).sum() for o in series))


def keyed(digest: str, *, key: str) -> str:
    """Return HMAC-SHA256 of a content digest under ``key``: whoever has the data cannot compute it."""
    return hmac.new(key.encode(), f"cairn content {digest}".encode(), hashlib.sha256).hexdigest()


def content_digest(series: Sequence[Trajectory], *, key: str) -> str:
    """What the points are, whoever uploads them in whichever format: the key of their budget.

    HMAC-SHA256 under ``key`` of the stored columns (1e-7 degrees, milliseconds). Names, marks and the split into series
    stay out: another label on the same points does not buy a new budget.
    """
    has_time = all(one.time_s is not None for one in series)
    n = sum(len(one) for one in series)
    mac = hmac.new(key.encode(), f"cairn content 1 {n} {has_time}".encode(), hashlib.sha256)
    for column in ("lon", "lat"):
        values = _joined([getattr(one, column) for one in series])
        mac.update(np.round(values * 1e7).astype("<i4").tobytes())
    if has_time:
        times = _joined([one.time_s for one in series if one.time_s is not None])
        mac.update(np.round(times * 1000).astype("<i8").tobytes())
    return mac.hexdigest()
