"""GPX 1.1 of series: a track each; the label is in the metadata."""

from collections.abc import Sequence
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr  # nosec B406

from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError
from privacy_engine.exports.base import LABEL_NAMESPACE, MAPS, ExportFormat, Label, as_json, sentence
from privacy_engine.exports.columns import chunks, several_people
from privacy_engine.exports.contents import Contents, Unreadable
from privacy_engine.exports.points import Row, points
from privacy_engine.exports.reading import from_json
from privacy_engine.formats.gpx import OUR_CREATOR, OUR_PERSON
from privacy_engine.formats.xmltools import Parser, limit_depth, local, run

_PERSON = f'<c:{OUR_PERSON} xmlns:c="urn:cairn:1">{{}}</c:{OUR_PERSON}>'


def _xml(text: str) -> str:
    return escape(text, {"\r": "&#13;"})


def _write_gpx(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    out.write(
        (
            '<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<gpx version="1.1" creator={quoteattr(OUR_CREATOR)} xmlns="http://www.topografix.com/GPX/1/1">\n'
            f"<metadata><desc>{_xml(sentence(label))}</desc>"
            f'<extensions><label xmlns="{LABEL_NAMESPACE}">{_xml(as_json(dict(label)))}</label></extensions>'
            "</metadata>\n"
        ).encode()
    )
    several = several_people(series)
    for track in series:
        person = f"<extensions>{_PERSON.format(_xml(track.person))}</extensions>" if several else ""
        out.write(f"<trk><name>{_xml(track.name)}</name>{person}<trkseg>\n".encode())
        for lon, lat, times in chunks(track):
            if times is None:
                rows = [f'<trkpt lat="{y:.7f}" lon="{x:.7f}"/>\n' for x, y in zip(lon, lat, strict=True)]
            else:
                rows = [
                    f'<trkpt lat="{y:.7f}" lon="{x:.7f}"><time>{t}</time></trkpt>\n'
                    for x, y, t in zip(lon, lat, times, strict=True)
                ]
            out.write("".join(rows).encode("ascii"))
        out.write(b"</trkseg></trk>\n")
    out.write(b"</gpx>\n")


def _read(data: bytes) -> Contents:
    """A GPX document with a label in its metadata and a track for each series."""
    document = _Gpx()
    try:
        run(document.parser, data)
    except FormatError as error:
        raise Unreadable(error.message) from None
    return points(document.rows, from_json(document.label), document.text)


class _Gpx:
    """Points, times, names and label as the parser meets them."""

    def __init__(self) -> None:
        self.parser = Parser(self._start, self._end)
        self.parser.collect_text(self._add)
        self._depth = 0
        self.rows: list[Row] = []
        self.text = self.label = self._name = self._person = self._time = ""
        self._at = ("", "")
        self._parts: list[str] = []

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self._parts = []
        self._depth += 1
        limit_depth(self._depth)
        if local(tag) == "trk":
            self._name = self._person = ""
        elif local(tag) == "trkpt":
            self._at, self._time = (attributes.get("lon", ""), attributes.get("lat", "")), ""

    def _add(self, text: str) -> None:
        self._parts.append(text)

    def _end(self, tag: str) -> None:
        self._depth -= 1
        value, name = "".join(self._parts), local(tag)
        if tag == f"{LABEL_NAMESPACE}}}label":
            self.label = value
        elif name == "desc":
            self.text = value
        elif name == "name":
            self._name = value
        elif name == "person":
            self._person = value
        elif name == "time":
            self._time = value
        elif name == "trkpt":
            self.rows.append((self._name, self._person, self._time, *self._at))
        self._parts = []


FORMATS = (
    ExportFormat(
        Trajectory.kind,
        "gpx",
        "GPX track",
        "application/gpx+xml",
        "gpx",
        _write_gpx,
        _read,
        lambda data: b"<gpx" in data[:1000],
        MAPS,
        "Tracks: GPS devices, apps and editors of tracks.",
        bundled=True,
        rank=4,
    ),
)
