"""Series out to files: every format of trajectories, each with its privacy label, none linkable to another.

No file carries a time of writing, a host or a counter, so that two exports of a release are the same bytes.
Coordinates have 7 decimals (1 cm), times are UTC. Where the series are of several people, each names its person (a
column or property ``person``, an extension of a GPX track). Everything written here is read back by
:func:`privacy_engine.formats.read`.
"""

from collections.abc import Mapping, Sequence
from itertools import repeat
from typing import BinaryIO
from xml.sax.saxutils import escape, quoteattr  # nosec B406

from privacy_engine.data import Trajectory
from privacy_engine.data.numbered import each
from privacy_engine.data.published import plain_name
from privacy_engine.data.trajectories import Trajectories
from privacy_engine.errors import ParameterError, shown
from privacy_engine.exports import geojson, geopackage, moving_features, parquet
from privacy_engine.exports.base import (
    JSON_COLUMN,
    LABEL_NAMESPACE,
    MAPS,
    TABLES,
    ExportFormat,
    Exports,
    Label,
    as_json,
    cell_text,
    sentence,
)
from privacy_engine.exports.columns import DECIMALS, chunks, several_people
from privacy_engine.exports.trajectory_notebook import CELLS
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.formats.gpx import OUR_CREATOR, OUR_PERSON

__all__ = ["DECIMALS", "FORMATS", "LABEL_NAMESPACE", "POINT_HEADERS", "write"]
POINT_HEADERS = (b"series,time,lon,lat,", b"series,person,time,lon,lat,")
"""The columns of a CSV before its label: of one person's series, and of several people's."""
_PERSON = f'<c:{OUR_PERSON} xmlns:c="urn:cairn:1">{{}}</c:{OUR_PERSON}>'


def write(series: Sequence[Trajectory], fmt: str, out: BinaryIO, *, label: Label) -> None:
    """Write ``series`` to the binary stream ``out``.

    Parameters
    ----------
    series : sequence of Trajectory
        The published series, gone through more than once; a series without times has none in the file either.
    fmt : str
        A name of :data:`FORMATS`.
    out : binary stream
        Written from where it stands, never read or closed.
    label : mapping
        The privacy label, JSON-ready; ``label["text"]`` is its sentence.

    Raises
    ------
    ParameterError
        ``fmt`` is not the name of a format.
    """
    if fmt not in FORMATS:
        rule = f"must be one of {', '.join(FORMATS)}"
        raise ParameterError(f"format {rule}, got {shown(fmt)!r}", field="format", rule=rule, value=fmt)
    FORMATS[fmt].write(_plainly_named(series), out, label)


def _plainly_named(series: Sequence[Trajectory]) -> Sequence[Trajectory]:
    if isinstance(series, Trajectories):
        names, persons = ([plain_name(text) for text in texts] for texts in (series.names, series.persons))
        return series.called(names, persons)
    return each(series, lambda track: track.called(plain_name(track.name), plain_name(track.person)))


def _write_csv(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    several = several_people(series)
    out.write(POINT_HEADERS[several] + f"{OUR_COLUMN},{JSON_COLUMN}\r\n".encode())
    first = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for track in series:
        name = f"{cell_text(track.name)},{cell_text(track.person)}" if several else cell_text(track.name)
        for lon, lat, times in chunks(track):
            rows = [
                f"{name},{t},{x:.7f},{y:.7f},," for t, x, y in zip(times or repeat("", len(lon)), lon, lat, strict=True)
            ]
            if first:
                rows[0], first = rows[0][:-1] + first, ""
            out.write(("\r\n".join(rows) + "\r\n").encode("utf-8"))


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


FORMATS: Mapping[str, ExportFormat] = {
    fmt.name: fmt
    for fmt in (
        ExportFormat(
            "csv",
            "CSV table",
            "text/csv; charset=utf-8",
            "csv",
            _write_csv,
            TABLES,
            "A row for each event: spreadsheets, R, pandas.",
            bundled=True,
        ),
        *parquet.FORMATS,
        *geojson.FORMATS,
        *geopackage.FORMATS,
        ExportFormat(
            "gpx",
            "GPX track",
            "application/gpx+xml",
            "gpx",
            _write_gpx,
            MAPS,
            "Tracks: GPS devices, apps and editors of tracks.",
            bundled=True,
        ),
        *moving_features.FORMATS,
    )
}

ADAPTER = Exports(Trajectory.kind, FORMATS, CELLS)
