"""GPX 1.0 and 1.1: track points, else route points, else waypoints; all tracks of a file are one timeline."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat  # nosec B407

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.numbers import GOOD, numbers
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import Points, build
from privacy_engine.formats.source import Source
from privacy_engine.formats.times import times
from privacy_engine.formats.xmltools import clean, looks_like_xml, new_parser, root_name, run

OUR_CREATOR = "Cairn"
KINDS = ("trkpt", "rtept", "wpt")
_TITLES = {"trkpt": "track points", "rtept": "route points", "wpt": "waypoints"}
MAX_TEXT = 100
_PIECE = 50_000


class _Column:
    """The points of one kind as text; full pieces are packed by Arrow, so that they stay small."""

    def __init__(self) -> None:
        self.lat: list[str | None] = []
        self.lon: list[str | None] = []
        self.time: list[str | None] = []
        self.track: list[int] = []
        self._packed: list[tuple[Any, ...]] = []

    def pack(self, least: int) -> None:
        """Pack what has come since the last time, if it is at least so many points."""
        if len(self.lat) >= least:
            texts = (pa.array(column, pa.string()) for column in (self.lat, self.lon, self.time))
            self._packed.append((*texts, pa.array(self.track, pa.int64())))
            for column in (self.lat, self.lon, self.time, self.track):
                column.clear()

    def columns(self) -> tuple[Any, ...]:
        """Latitude, longitude, time and track of all points as Arrow arrays."""
        self.pack(1)
        return tuple(pa.concat_arrays(pieces) for pieces in zip(*self._packed, strict=True))

    def __bool__(self) -> bool:
        return bool(self.lat or self._packed)


@dataclass
class _Document:
    points: dict[str, _Column] = field(default_factory=lambda: {kind: _Column() for kind in KINDS})
    counts: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)
    ours: bool = False


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of a GPX file; one series for each track of a file that Cairn exported."""
    report.unit = "point"
    document = _parse(clean(source.read(), report))
    kind = next((kind for kind in KINDS if document.points[kind]), None)
    if kind is None:
        raise FormatError("The GPX holds no points.", code="no_points")
    counts = document.counts
    if kind != "trkpt":
        message = f"The file has no track points; its {_TITLES[kind]} were read."
        report.note("fallback", message)
    elif counts["trk"] > 1 or counts["trkseg"] > 1:
        message = f"{counts['trk']} tracks in {counts['trkseg']} segments were joined into one timeline."
        if not document.ours:
            report.note("joined", message, level="info", count=counts["trkseg"])
    return build(_points(document, kind, options), options, report)


def _parse(data: bytes) -> _Document:
    document = _Document()
    parser = new_parser()
    handlers = _Handlers(parser, document)
    parser.StartElementHandler = handlers.start
    parser.EndElementHandler = handlers.end
    run(parser, data, handlers.pack)
    return document


class _Handlers:
    """What happens at each tag. ``depth`` counts from the root, ``inside`` from the open point."""

    def __init__(self, parser: expat.XMLParserType, document: _Document) -> None:
        self.parser = parser
        self.document = document
        self.depth = 0
        self.inside = 0
        self.time_tag = ""
        self.text: list[str] = []
        self.target = ""
        self.column = document.points["trkpt"]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A start tag: a point, its time, or one of the few elements around points that count."""
        if self.inside:
            if self.inside == 1 and tag == self.time_tag and self.column.time[-1] is None:
                self._collect("time")
            self.inside += 1
            return
        self.depth += 1
        name = tag.rpartition("}")[2]
        column = self.document.points.get(name)
        if column is not None:
            self.inside = 1
            self.column = column
            self.time_tag = tag[: -len(name)] + "time"
            column.lat.append(attributes.get("lat"))
            column.lon.append(attributes.get("lon"))
            column.time.append(None)
            column.track.append(len(self.document.names) - 1)
        else:
            self._around(name, attributes)

    def _around(self, name: str, attributes: dict[str, str]) -> None:
        document = self.document
        if self.depth == 1:
            if name.lower() != "gpx":
                raise FormatError(f"This XML is no GPX: its root is {name[:40]!r}.", code="not_gpx")
            document.ours = attributes.get("creator") == OUR_CREATOR
        elif name == "trk":
            document.counts["trk"] += 1
            document.names.append("")
        elif name == "trkseg":
            document.counts["trkseg"] += 1
        elif name == "name" and self.depth == 3 and document.ours and document.names:
            self._collect("name")

    def _collect(self, target: str) -> None:
        self.target = target
        self.text = []
        self.parser.CharacterDataHandler = self.text.append

    def end(self, tag: str) -> None:
        """An end tag."""
        if self.target:
            text = "".join(self.text)
            if self.target == "time":
                self.column.time[-1] = text[:MAX_TEXT]
            else:
                self.document.names[-1] = text
            self.target = ""
            self.parser.CharacterDataHandler = None
        if self.inside:
            self.inside -= 1
            if self.inside:
                return
        self.depth -= 1

    def pack(self) -> None:
        """Between two pieces of the file."""
        if not self.inside:
            for column in self.document.points.values():
                column.pack(_PIECE)


def _points(document: _Document, kind: str, options: ReadOptions) -> Points:
    lat_text, lon_text, time_text, track = document.points[kind].columns()
    lat, lat_reasons = numbers(lat_text)
    lon, lon_reasons = numbers(lon_text)
    reasons = np.where(lat_reasons == GOOD, lon_reasons, lat_reasons)
    when = None if options.time == "#0" else times(time_text, options)
    points = Points(lon, lat, when, reasons)
    if document.ours and kind == "trkpt" and document.names:
        distinct = list(dict.fromkeys(document.names))
        place = {name: i for i, name in enumerate(distinct)}
        of_track = np.array([place[name] for name in document.names], dtype=np.int64)
        points.names, points.codes = distinct, of_track[track.to_numpy()]
    return points


def sniff(head: bytes) -> bool:
    """Whether the root element is gpx."""
    return looks_like_xml(head) and root_name(head) == "gpx"


GPX = register(
    Format(
        "gpx",
        "GPX",
        ("gpx",),
        sniff,
        read,
        rank=20,
        keeps="times, the tracks' names of our own exports",
        options=TIMED,
        source="https://www.topografix.com/GPX/1/1/",
    )
)
