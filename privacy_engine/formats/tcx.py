"""TCX, Garmin's training files: track points with a time and mostly a position."""

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.formats.detect import Format, register
from privacy_engine.formats.options import TIMED, ReadOptions
from privacy_engine.formats.report import Report
from privacy_engine.formats.rows import Rows
from privacy_engine.formats.series import build
from privacy_engine.formats.source import Source
from privacy_engine.formats.xmltools import (
    Parser,
    Text,
    clean,
    limit_depth,
    local,
    looks_like_xml,
    note_cut_off,
    root_name,
    run,
)

_ROOT = "trainingcenterdatabase"
_TEXTS = {"Time": 100, "LatitudeDegrees": 100, "LongitudeDegrees": 100}


def read(source: Source, options: ReadOptions, report: Report) -> list[Trajectory]:
    """The timeline of a TCX file; of one that is cut off as far as it goes."""
    handlers = _Handlers()
    if not run(handlers.parser, clean(source.read(), report), enough=lambda: bool(handlers.rows)):
        note_cut_off(len(handlers.rows), report)
    if not handlers.rows:
        raise FormatError("The TCX holds no track points.", code="no_points")
    return build(handlers.rows.points(options), options, report)


class _Handlers:
    def __init__(self) -> None:
        self.parser = Parser(self.start, self.end)
        self.text = Text(self.parser)
        self.rows = Rows()
        self.point_texts: dict[str, str] | None = None
        self.depth = 0

    def start(self, tag: str, _: dict[str, str]) -> None:
        """Begin a track point, or the text of one of its fields."""
        name = local(tag)
        self.depth += 1
        limit_depth(self.depth)
        if self.depth == 1 and name.lower() != _ROOT:
            raise FormatError(f"This XML is no TCX: its root is {name[:40]!r}.", code="not_tcx")
        if name == "Trackpoint":
            self.point_texts = {}
        elif self.point_texts is not None and name in _TEXTS:
            self.text.collect(name, _TEXTS[name])

    def end(self, tag: str) -> None:
        """Keep the text of a track point's field, the first of each name; add the row of a track point that ends."""
        name = local(tag)
        self.depth -= 1
        if (text := self.text.close(name)) is not None and self.point_texts is not None:
            self.point_texts.setdefault(name, text)
        elif name == "Trackpoint" and self.point_texts is not None:
            lon, lat, time = (self.point_texts.get(key) for key in ("LongitudeDegrees", "LatitudeDegrees", "Time"))
            self.rows.add(lon, lat, time or None, self.parser.line)
            self.point_texts = None


def sniff(head: bytes) -> bool:
    """Whether the root element is that of a TCX."""
    return looks_like_xml(head) and root_name(head) == _ROOT


TCX = register(
    Format(
        "tcx",
        "TCX (Garmin)",
        ("tcx",),
        sniff,
        read,
        rank=23,
        keeps="times",
        options=TIMED,
        person="everything is one person's: a file is one account's",
        source="https://www8.garmin.com/xmlschemas/TrainingCenterDatabasev2.xsd",
    )
)
