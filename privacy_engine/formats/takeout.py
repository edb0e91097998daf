"""Google's location history: Records.json, Semantic Location History, and the Timeline.json that phones export.

All times are written in the files, as text or as seconds or milliseconds since 1970; positions are degrees times
ten million or ``geo:`` texts. A visit gives two positions, its arrival and its departure.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.crs import note_overflow
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.jsontools import JsonReader, begins_like_json, text_of
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import plain_head

RECORDS, SEMANTIC, PHONE, RAW = "Records", "Semantic Location History", "Timeline", "Timeline raw signals"
_GEO = re.compile(r"(?:geo:)?\s*([+-]?[0-9.]{1,20})\s*°?\s*,\s*([+-]?[0-9.]{1,20})\s*°?")
_KEYS = re.compile(
    rb'"(?:timelineObjects|semanticSegments|rawSignals|timelinePath|timelineMemory|timelineEdits|latitudeE7'
    rb'|placeVisit|topCandidate|deviceSettings|activitySegment)"|"(?:placeLocation|start|end|point)"\s*:\s*"geo:'
)
_KINDS = {"locations": "record", "timelineObjects": "semantic", "semanticSegments": "phone", "rawSignals": "raw"}
LONGEST_ENTRY = 1 << 24  # characters
_REFUSED = {"timelineEdits": "a list of edits", "deviceSettings": "a list of devices"}


class _Timeline:
    """Rows, and how many seconds some of their times are after the time written, by index."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.later_s: dict[int, float] = {}
        self.untimed = 0
        self.overflows = 0

    def add(self, place: Any, time: Any, number: int, series: str, later_s: float = 0.0) -> None:
        """A position, unless the file has none here or no time for it."""
        lon, lat, scale = _position(place)
        if lon is None and lat is None:
            return
        if not isinstance(time, (str, int)) or isinstance(time, bool) or time == "":
            self.untimed += 1
            return
        if scale > 1:
            lon, lat = self._signed(lon, 1.8e9), self._signed(lat, 9e8)
        self.rows.add(lon, lat, str(time)[:60], number, series, scale)
        if later_s:
            self.later_s[len(self.rows) - 1] = later_s

    def _signed(self, value: Any, most: float) -> Any:
        """A number of ten millionths of a degree with the sign that old files lost, where it was stored in 32 bits."""
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not most < value < 2**32:
            return value
        if value - 2**32 < -most:
            return value
        self.overflows += 1
        return value - 2**32


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timelines of a file of Google's location history."""
    report.unit = "entry"
    timeline, number = _Timeline(), 0
    try:
        for number, (kind, entry) in enumerate(reported(_entries(source, options, report), ROWS), start=1):
            if isinstance(entry, dict):
                _READERS[kind](entry, number, timeline)
    except RecursionError as error:
        raise FormatError("The JSON is nested too deeply.", code="too_deep") from error
    except ValueError as error:
        if isinstance(error, FormatError):
            raise
        message = f"The JSON is damaged after entry {number}. Is the file complete?"
        raise FormatError(message, code="bad_json", row=number + 1) from error
    if not len(timeline.rows):
        raise FormatError("This file of Google's location history holds no positions with times.", code="no_points")
    if timeline.untimed:
        message = "Positions for which Google gives no time (paths filled in later) were left out."
        report.note("left_out", message, level="info", count=timeline.untimed)
    note_overflow(timeline.overflows, "coordinate", "what there is on the globe", report)
    options = replace(options, crs=options.crs or "EPSG:4326")  # all are degrees by now, whatever their size
    points = timeline.rows.points(options)
    if points.times is not None and timeline.later_s:
        at = np.fromiter(timeline.later_s, np.intp)
        points.times.seconds[at] += np.fromiter(timeline.later_s.values(), np.float64)
    return build(points, options, report)


def _entries(source: Source, options: ReadOptions, report: Report) -> Iterator[tuple[str, Any]]:
    """The entries of a document, each with the kind that defines how it is read; the errors of JsonReader."""
    reader = JsonReader(text_of(source, options, report), longest=LONGEST_ENTRY)
    if reader.take("[{") == "[":
        yield from (("phone", entry) for entry in reader.elements())
    else:
        for key in reader.members():
            if key in _REFUSED:
                message = f"This is {_REFUSED[key]} from Google Takeout, which holds no track."
                raise FormatError(message, code="other_kind")
            if reader.next() != "[":
                reader.value()
                continue
            reader.take("[")
            yield from ((_KINDS[key], entry) for entry in reader.elements() if key in _KINDS)
    if reader.next():
        raise ValueError("more than one document")


def _record(entry: dict[str, Any], number: int, timeline: _Timeline) -> None:
    timeline.add(entry, entry.get("timestamp", entry.get("timestampMs")), number, RECORDS)


def _semantic(entry: dict[str, Any], number: int, timeline: _Timeline) -> None:
    visit, segment = _dict(entry.get("placeVisit")), _dict(entry.get("activitySegment"))
    for part, first, last in ((visit, "location", "location"), (segment, "startLocation", "endLocation")):
        begin, end = (_moment(_dict(part.get("duration")), f"{which}Timestamp") for which in ("start", "end"))
        timeline.add(part.get(first), begin, number, SEMANTIC)
        for point in _list(_dict(part.get("simplifiedRawPath")).get("points")):
            timeline.add(point, _moment(_dict(point), "timestamp"), number, SEMANTIC)
        timeline.untimed += len(_list(_dict(part.get("waypointPath")).get("waypoints")))
        if end is not None:
            timeline.add(part.get(last), end, number, SEMANTIC)


def _phone(entry: dict[str, Any], number: int, timeline: _Timeline) -> None:
    begin, end = entry.get("startTime"), entry.get("endTime")
    visit, activity = _dict(entry.get("visit")), _dict(entry.get("activity"))
    place = _dict(visit.get("topCandidate")).get("placeLocation")
    timeline.add(place, begin, number, PHONE)
    if end is not None:
        timeline.add(place, end, number, PHONE)
    timeline.add(activity.get("start"), begin, number, PHONE)
    for point in map(_dict, _list(entry.get("timelinePath"))):
        if "time" in point:
            timeline.add(point.get("point"), point["time"], number, PHONE)
        else:
            timeline.add(point.get("point"), begin, number, PHONE, _minutes(point) * 60.0)
    if end is not None:
        timeline.add(activity.get("end"), end, number, PHONE)


def _raw(entry: dict[str, Any], number: int, timeline: _Timeline) -> None:
    position = _dict(entry.get("position"))
    timeline.add(position.get("LatLng", position.get("latLng")), position.get("timestamp"), number, RAW)


_READERS = {"record": _record, "semantic": _semantic, "phone": _phone, "raw": _raw}


def _position(place: Any) -> tuple[Any, Any, float]:
    """Longitude, latitude and what to divide them by."""
    if isinstance(place, dict):
        for lat, lon in (("latitudeE7", "longitudeE7"), ("latE7", "lngE7")):
            if lat in place or lon in place:
                return place.get(lon), place.get(lat), 1e7
        place = place.get("latLng", place.get("LatLng", place.get("placeLocation")))
    match = _GEO.fullmatch(place.strip()) if isinstance(place, str) and len(place) < 100 else None
    return (match[2], match[1], 1.0) if match else (None, None, 1.0)


def _moment(holder: dict[str, Any], name: str) -> Any:
    return holder.get(name, holder.get(f"{name}Ms"))


def _minutes(point: dict[str, Any]) -> float:
    text = str(point.get("durationMinutesOffsetFromStartTime", 0))[:12]
    return float(text) if re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", text) else 0.0


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def sniff(head: bytes) -> bool:
    """Whether JSON begins with what only Google writes."""
    return begins_like_json(head) and _KEYS.search(plain_head(head)) is not None


TAKEOUT = register(
    Format(
        "takeout",
        "Google Takeout location history",
        ("json",),
        sniff,
        read,
        rank=19,
        keeps="times, series (one for each kind of record)",
        options=("encoding", "id", *TIMED),
        person="everything is one person's: a file is one account's",
        source="https://locationhistoryformat.com/",
    )
)
