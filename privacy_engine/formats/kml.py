"""KML: tracks of times and positions, placemarks with a time or a span, lines without. Links are never followed."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from privacy_engine.core.plurals import quantity
from privacy_engine.core.progress import ROWS, reported
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.column import canonical
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.people import COLUMN, Whose
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import Parser, Text, clean, limit_depth, local, looks_like_xml, root_name, run

MAX_COORDINATES = 32_000_000  # characters of one line: a million positions
_TEXTS = {"when": 100, "begin": 100, "end": 100, "coord": 200, "coordinates": MAX_COORDINATES}
_DATA = ("Data", "SimpleData")
_LONGEST_NAME = 200
_AREAS = ("Polygon", "Model", "LatLonBox", "LatLonQuad")
_COUNTED = (*_AREAS, "Placemark", "Point", "Track")


@dataclass
class _Content:
    """What a document holds: positions of tracks, of placemarks with a time, of placemarks without."""

    tracks: Rows = field(default_factory=Rows)
    timed: Rows = field(default_factory=Rows)
    untimed: Rows = field(default_factory=Rows)

    def part(self, name: str | None) -> tuple[str, Rows]:
        """The positions of the kind that is stated, else of the first kind that there is; and the kind."""
        known = {"tracks": self.tracks, "timed": self.timed, "untimed": self.untimed}
        name = name or next((part for part, rows in known.items() if rows), "untimed")
        return name, known.get(name, Rows())

    track_count: int = 0
    spread: int = 0  # positions of lines with a span whose times are between its ends
    areas: list[int] = field(default_factory=list)


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of a KML file: its tracks, else its placemarks with times, else its lines and points."""
    content = _parse(clean(source.read(), report), options.person_column)
    report.drop("unsupported_geometry", len(content.areas), content.areas[:20])
    part, rows = content.part(options.parts)
    if not rows:
        raise FormatError("No track in this KML. Links in it are not followed.", code="no_track")
    report.decide("parts", part)
    if left := len(content.tracks) + len(content.timed) + len(content.untimed) - len(rows):
        what = {"tracks": "outside of its tracks", "timed": "without a time", "untimed": "with a time"}[part]
        report.lost("left_out", left, left + len(rows), f"positions {what}")
    if content.spread and part == "timed":
        message = f"{quantity(content.spread, 'position')} of lines with a time span: spread evenly from begin to end."
        report.note("interpolated", message, count=content.spread)
    if content.track_count > 1 and part == "tracks" and options.person_column is None:
        message = f"{content.track_count} tracks were joined into one timeline."
        report.note("joined", message, level="info", count=content.track_count)
    points = rows.points(options)
    if options.person_column is not None:
        points.person_names, points.person_codes = points.names, points.codes
        points.whose = Whose(COLUMN, options.person_column)
    return build(points, options, report)


def _parse(data: bytes, person: str | None) -> _Content:
    content = _Content()
    run(_Handlers(content, None if person is None else canonical(person)).parser, data)
    return content


class _Handlers:
    """What happens at each tag, by local name: writers disagree about prefixes."""

    def __init__(self, content: _Content, person: str | None) -> None:
        self.parser = Parser(self.start, self.end)
        self.content = content
        self.person_key = person
        self.person = ""
        self.named = ""  # the element that is being collected as the person
        self.data = False
        self.starts = 0
        self.text = Text(self.parser)
        self.depth = 0
        self.inside: dict[str, int] = {}
        self.whens: list[str] = []
        self.coords: list[tuple[str, int]] = []
        self.span: dict[str, str] = {}
        self.lines: list[tuple[str, str, int]] = []

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        """A start tag."""
        name = local(tag)
        self.depth += 1
        limit_depth(self.depth)
        if self.depth == 1 and name.lower() != "kml":
            raise FormatError(f"This XML is no KML: its root is {name[:40]!r}.", code="not_kml")
        if name in _COUNTED:
            self.inside[name] = self.inside.get(name, 0) + 1
        if name in _TEXTS:
            self.text.collect(name, _TEXTS[name])
        elif name == "Placemark":
            self.span, self.lines, self.person = {}, [], ""
            self.starts = len(self.content.tracks)
        elif name == "Track":
            self.whens, self.coords = [], []
        elif name in _AREAS:
            self.content.areas.append(self.parser.line)
        if self.person_key is not None and self.inside.get("Placemark") and not self.person:
            self._person(name, attributes)

    def _person(self, name: str, attributes: dict[str, str]) -> None:
        """Collect the element that names the person: in the placemark, or data by their attribute ``name``."""
        if name in _DATA:
            self.data = canonical(attributes.get("name", "")) == self.person_key
            if self.data and name == "SimpleData":
                self.named = name
        elif (name == "value" and self.data) or (canonical(name) == self.person_key and name not in _TEXTS):
            self.named = name
        if self.named == name:
            self.text.collect(name, _LONGEST_NAME)

    def end(self, tag: str) -> None:
        """An end tag."""
        name = local(tag)
        self.depth -= 1
        if name in _COUNTED:
            self.inside[name] -= 1
        if (text := self.text.close(name)) is not None:
            if name == self.named:
                self.person, self.named = text.strip(), ""
            else:
                self._take(name, text)
        elif name == "Track":
            self._track()
        elif name == "Placemark":
            self._placemark()

    def _take(self, name: str, text: str) -> None:
        if name == "coord":
            self.coords.append((text, self.parser.line))
        elif name == "when" and self.inside.get("Track"):
            self.whens.append(text)
        elif name in ("when", "begin", "end"):
            self.span["begin" if name == "when" else name] = text
        elif not any(self.inside.get(area) for area in _AREAS):
            kind = "point" if self.inside.get("Point") else "line"
            self.lines.append((kind, text, self.parser.line))

    def _track(self) -> None:
        """The i-th time belongs to the i-th position."""
        self.content.track_count += 1
        whens: list[str | None] = [*self.whens, *[None] * len(self.coords)]
        for when, (text, line) in zip(whens, reported(self.coords, ROWS), strict=False):
            lon, lat = [*text.split(), None, None][:2]
            self.content.tracks.add(lon, lat, when or None, line)
        self.whens, self.coords = [], []

    def _placemark(self) -> None:
        """A point lasts from the beginning of its span to the end; a line is passed evenly in it."""
        self.content.tracks.belong(self.starts, self.person)
        begin, end = self.span.get("begin"), self.span.get("end")
        rows = self.content.timed if begin or end else self.content.untimed
        for kind, text, line in self.lines:
            cells = _tuples(text)
            if kind == "point":
                self._point(rows, cells[0] if cells else [], line)
                continue
            middle = _between(begin, end, len(cells) - 2)
            self.content.spread += sum(time is not None for time in middle)
            for cell, time in zip(reported(cells, ROWS), [begin, *middle, end], strict=False):
                rows.add(*_pair(cell), time or None, line, self.person)
        self.span, self.lines = {}, []

    def _point(self, rows: Rows, cell: list[str], line: int) -> None:
        times = [time for time in (self.span.get("begin"), self.span.get("end")) if time]
        for time in dict.fromkeys(times) or [None]:
            rows.add(*_pair(cell), time, line, self.person)


def _tuples(text: str) -> list[list[str]]:
    """The positions of a coordinates element; blanks beside commas are forgiven."""
    tight = text.replace(" ,", ",").replace(", ", ",")
    return [cell.split(",") for cell in tight.split()]


def _between(begin: str | None, end: str | None, many: int) -> Sequence[str | None]:
    """Times of so many positions between those of a line's ends, evenly spread; None for each without both times."""
    try:
        first, last = (datetime.fromisoformat((text or "").strip()) for text in (begin, end))
        step = (last - first) / (many + 1)
    except (ValueError, TypeError, ZeroDivisionError):
        return [None] * many
    return [(first + step * i).isoformat() for i in range(1, many + 1)]


def _pair(cell: list[str]) -> tuple[str | None, str | None]:
    return (cell[0], cell[1]) if len(cell) > 1 else (None, None)


def sniff(head: bytes) -> bool:
    """Whether the root element is kml."""
    return looks_like_xml(head) and root_name(head) == "kml"


KML = register(
    Format(
        "kml",
        "KML or KMZ",
        ("kml", "kmz"),
        sniff,
        read,
        rank=21,
        keeps="times",
        options=("parts", *TIMED),
        columns=("person",),
        person="an element or extended data of each placemark where one is named, such as name; else everything is one "
        "person's",
        source="https://docs.ogc.org/is/12-007r2/12-007r2.html",
    )
)
