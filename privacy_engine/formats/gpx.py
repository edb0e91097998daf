"""GPX 1.0 and 1.1: track points, else route points, else waypoints; all tracks of a file are one timeline."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat  # nosec B407

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.column import canonical
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.gpx_runs import Run, runs
from privacy_engine.formats.numbers import GOOD, numbers
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import COLUMN, Whose
from privacy_engine.formats.points import Points, distinct
from privacy_engine.formats.report import Report
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.times import times
from privacy_engine.formats.xmltools import (
    BeyondLimit,
    Parser,
    clean,
    limit_depth,
    looks_like_xml,
    note_cut_off,
    root_name,
    run,
)

OUR_CREATOR = "Cairn"
OUR_PERSON = "person"
KINDS = ("trkpt", "rtept", "wpt")
_TITLES = {"trkpt": "track points", "rtept": "route points", "wpt": "waypoints"}
MAX_TEXT = 100
_PIECE = 50_000


class _Column:
    """The points of a kind as text; full pieces are packed by Arrow, so that they stay small."""

    def __init__(self) -> None:
        self.lat: list[str | None] = []
        self.lon: list[str | None] = []
        self.time: list[str | None] = []
        self.track: list[int] = []
        self._packed: list[tuple[Any, ...]] = []
        self._packed_points = 0

    def __len__(self) -> int:
        return self._packed_points + len(self.lat)

    def pack(self, least: int) -> None:
        """Pack what has come since the last time, if it is at least so many points."""
        if len(self.lat) >= least:
            texts = (pa.array(column, pa.string()) for column in (self.lat, self.lon, self.time))
            self._packed.append((*texts, pa.array(self.track, pa.int64())))
            self._packed_points += len(self.lat)
            for column in (self.lat, self.lon, self.time, self.track):
                column.clear()

    def columns(self) -> tuple[Any, ...]:
        """Latitude, longitude, time and track of all points as Arrow arrays."""
        self.pack(1)
        return tuple(pa.concat_arrays(pieces) for pieces in zip(*self._packed, strict=True))


@dataclass
class _Document:
    points: dict[str, _Column] = field(default_factory=lambda: {kind: _Column() for kind in KINDS})
    counts: Counter[str] = field(default_factory=Counter)
    names: list[str] = field(default_factory=list)
    persons: list[str] = field(default_factory=list)
    ours: bool = False

    def begin(self) -> None:
        """A track, a route or a waypoint begins."""
        self.names.append("")
        self.persons.append("")


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of a GPX file; one series for each track of a file that Cairn exported, or for each person.

    A file that is cut off is read as far as its points are whole.
    """
    report.unit = "point"
    document = _parse(clean(source.read(), report), options.person_column, report)
    kind = options.parts or next((kind for kind in KINDS if document.points[kind]), None)
    if kind not in KINDS or not document.points[kind]:
        raise FormatError("The GPX holds no points.", code="no_points")
    report.decide("parts", kind)
    sizes = {part: len(points) for part, points in document.points.items()}
    others = " and ".join(f"{size:,} {_TITLES[part]}" for part, size in sizes.items() if size and part != kind)
    report.lost("left_out", sum(sizes.values()) - sizes[kind], sum(sizes.values()), f"{others}, beside {_TITLES[kind]}")
    counts = document.counts
    if kind != "trkpt":
        message = f"The file has no track points; its {_TITLES[kind]} were read."
        report.note("fallback", message)
    elif counts["trk"] > 1 or counts["trkseg"] > 1:
        message = f"{counts['trk']} tracks in {counts['trkseg']} segments were joined into one timeline."
        if not document.ours and options.person_column is None:
            report.note("joined", message, level="info", count=counts["trkseg"])
    return build(_points(document, kind, options), options, report)


def _parse(data: bytes, person: str | None, report: Report) -> _Document:
    named = OUR_PERSON if person is None else canonical(person)
    handlers = _Handlers(named)
    try:
        at = 0
        for part in runs(data):
            at = handlers.read_run(data, at, part)
        handlers.parser.feed(data[at:], handlers.pack)
        handlers.parser.close()
    except (expat.ExpatError, BeyondLimit):
        handlers = _Handlers(named)  # the parser did not receive all of the document: its error has the wrong line
        if not run(handlers.parser, data, handlers.pack, handlers.drop_open_point):
            note_cut_off(sum(map(len, handlers.document.points.values())), report)
    return handlers.document


class _Handlers:
    """What happens at each tag. ``depth`` counts from the root, ``inside`` from the open point.

    ``person`` is the element of a track, a route or a waypoint that names the person.
    """

    def __init__(self, person: str) -> None:
        self.document = document = _Document()
        self.person = person
        self.depth = 0
        self.inside = 0
        self.time_tag = ""
        self.text: list[str] = []
        self.target = ""
        self.column = document.points["trkpt"]
        self.parser = Parser(self.start, self.end)

    def read_run(self, data: bytes, at: int, part: Run) -> int:
        """Read the document from ``at`` to the end of a run of plain points; return that end.

        Points after the first are added directly if the first was read as a point that left no element open.
        """
        column = self.document.points["trkpt"]
        self.parser.feed(data[at : part.start], self.pack)
        before = len(column)
        self.parser.feed(data[part.start : part.first_end])
        if len(column) == before + 1 and not self.inside and not self.target:
            for texts, more in zip((column.lat, column.lon, column.time), part.columns(), strict=True):
                texts.extend(more)
            column.track.extend([column.track[-1]] * len(part.points))
        else:
            self.parser.feed(data[part.first_end : part.end], self.pack)
        self.pack()
        return part.end

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A start tag: a point, its time, or any of the few elements around points that count."""
        if self.inside:
            if self.inside == 1 and tag == self.time_tag and self.column.time[-1] is None:
                self._collect("time")
            elif self.column is self.document.points["wpt"]:
                self._of_person(tag.rpartition("}")[2])
            self.inside += 1
            limit_depth(self.depth + self.inside)
            return
        self.depth += 1
        limit_depth(self.depth)
        name = tag.rpartition("}")[2]
        column = self.document.points.get(name)
        if column is not None:
            self.inside = 1
            self.column = column
            if name == "wpt":
                self.document.begin()
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
        elif name in ("trk", "rte"):
            document.counts[name] += 1
            document.begin()
        elif name == "trkseg":
            document.counts["trkseg"] += 1
        elif name == "name" and self.depth == 3 and document.ours and document.names:
            self._collect("name")
        elif self.depth > 2 and document.names:
            self._of_person(name)

    def _of_person(self, name: str) -> None:
        if canonical(name) == self.person and not self.target and not self.document.persons[-1]:
            self._collect("person")

    def _collect(self, target: str) -> None:
        self.target = target
        self.text = []
        self.parser.collect_text(self.text.append)

    def end(self, tag: str) -> None:
        """An end tag."""
        if self.target:
            text = "".join(self.text)
            if self.target == "time":
                self.column.time[-1] = text[:MAX_TEXT]
            elif self.target == "name":
                self.document.names[-1] = text
                if self.person == "name":
                    self.document.persons[-1] = text
            else:
                self.document.persons[-1] = text
            self.target = ""
            self.parser.collect_text(None)
        if self.inside:
            self.inside -= 1
            if self.inside:
                return
        self.depth -= 1

    def drop_open_point(self) -> bool:
        """Forget the point that was not closed when the document ended; whether any is left."""
        if self.inside:
            for part in (self.column.lat, self.column.lon, self.column.time, self.column.track):
                part.pop()
        return any(map(len, self.document.points.values()))

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
    points.unread(lat_text, lon_text, time_text)
    of = track.to_numpy()
    if document.ours and kind == "trkpt" and document.names:
        points.names, codes = distinct(document.names)
        points.codes = codes[of]
    if options.person_column is not None or (document.ours and any(document.persons)):
        points.whose = Whose(COLUMN, options.person_column or OUR_PERSON)
        points.person_names, codes = distinct([text.strip() for text in document.persons] or [""])
        points.person_codes = codes[of]
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
        options=("parts", *TIMED),
        columns=("person",),
        person="an element of each track, route or waypoint where one is named, such as name; else everything is one "
        "person's",
        source="https://www.topografix.com/GPX/1/1/",
    )
)
