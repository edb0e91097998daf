"""GPX 1.0 and 1.1: track points, else route points, else waypoints; all tracks of a file are one timeline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.numbers import GOOD, numbers
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import Points, build
from privacy_engine.formats.source import Source
from privacy_engine.formats.times import times
from privacy_engine.formats.xmltools import clean, looks_like_xml, root_name, walk

OUR_CREATOR = "Cairn"
KINDS = ("trkpt", "rtept", "wpt")
_TITLES = {"trkpt": "track points", "rtept": "route points", "wpt": "waypoints"}
_KEPT = frozenset(KINDS)


@dataclass
class _Column:
    lat: list[str | None] = field(default_factory=list)
    lon: list[str | None] = field(default_factory=list)
    time: list[str | None] = field(default_factory=list)
    track: list[int] = field(default_factory=list)


@dataclass
class _Document:
    columns: dict[str, _Column] = field(default_factory=lambda: {kind: _Column() for kind in KINDS})
    counts: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)
    ours: bool = False


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of a GPX file; one series for each track of a file that Cairn exported."""
    report.unit = "point"
    document = _parse(clean(source.read(), report))
    kind = next((kind for kind in KINDS if document.columns[kind].lat), None)
    if kind is None:
        raise FormatError("The GPX holds no points.", code="no_points")
    counts = document.counts
    if kind != "trkpt":
        message = f"The file has no track points; its {_TITLES[kind]} were read."
        report.note("fallback", message, count=len(document.columns[kind].lat))
    elif counts["trk"] > 1 or counts["trkseg"] > 1:
        message = f"{counts['trk']} tracks in {counts['trkseg']} segments were joined into one timeline."
        if not document.ours:
            report.note("joined", message, level="info", count=counts["trkseg"])
    return build(_points(document, kind, options), options, report)


def _parse(data: bytes) -> _Document:
    document = _Document()
    columns, counts, names = document.columns, document.counts, document.names
    tags: dict[str, str] = {}
    for event, name, element, depth in walk(data, _KEPT):
        if event == "end":
            if name in _KEPT:
                column = columns[name]
                tag = tags.get(element.tag)
                if tag is None:
                    tag = tags[element.tag] = element.tag[: -len(name)] + "time"
                column.lat.append(element.get("lat"))
                column.lon.append(element.get("lon"))
                column.time.append(element.findtext(tag))
                column.track.append(len(names) - 1)
                element.clear()
            elif name == "name" and depth == 3 and document.ours and names:
                names[-1] = element.text or ""
        elif name == "trk":
            counts["trk"] += 1
            names.append("")
        elif name == "trkseg":
            counts["trkseg"] += 1
        elif depth == 1:
            if name.lower() != "gpx":
                raise FormatError(f"This XML is no GPX: its root is {name[:40]!r}.", code="not_gpx")
            document.ours = element.get("creator") == OUR_CREATOR
    return document


def _points(document: _Document, kind: str, options: ReadOptions) -> Points:
    column = document.columns[kind]
    lat, lat_reasons = numbers(pa.array(column.lat, pa.string()))
    lon, lon_reasons = numbers(pa.array(column.lon, pa.string()))
    reasons = np.where(lat_reasons == GOOD, lon_reasons, lat_reasons)
    when = None if options.time == "#0" else times(pa.array(column.time, pa.string()), options)
    points = Points(lon, lat, when, reasons)
    if document.ours and kind == "trkpt" and len(document.names) > 0:
        distinct = list(dict.fromkeys(document.names))
        place = {name: i for i, name in enumerate(distinct)}
        of_track = np.array([place[name] for name in document.names], dtype=np.int64)
        points.names, points.codes = distinct, of_track[np.array(column.track, dtype=np.int64)]
    return points


def sniff(head: bytes) -> bool:
    """Whether the root element is gpx."""
    return looks_like_xml(head) and root_name(head) == "gpx"


GPX = register(Format("gpx", "GPX", ("gpx",), sniff, read, rank=20))
