"""Series out to files: CSV, GeoJSON, GPX and Parquet, each with its privacy label, none linkable to another.

No file carries a time of writing, a host or a counter, so that two exports of one release are the same bytes.
Coordinates have 7 decimals (1 cm), times are UTC. Where the series are of several people, each names its person (a
column or property ``person``, an extension of a GPX track). Everything written here is read back by
:func:`privacy_engine.formats.read`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from typing import Any, BinaryIO
from xml.sax.saxutils import escape, quoteattr  # nosec B406

import numpy as np

from privacy_engine.data import Floats, Trajectory
from privacy_engine.errors import ParameterError, shown
from privacy_engine.exports.base import JSON_COLUMN, ExportFormat, Label, Unclosed, as_json, cell_text, sentence
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.formats.gpx import OUR_CREATOR, OUR_PERSON
from privacy_engine.published import plain_name

DECIMALS = 7
_CHUNK = 50_000
LABEL_NAMESPACE = "urn:cairn:label:1"
POINT_HEADERS = (b"series,time,lon,lat,", b"series,person,time,lon,lat,")
"""The columns of a CSV before its label: of one person's series, and of several people's."""
_PERSON = f'<c:{OUR_PERSON} xmlns:c="urn:cairn:1">{{}}</c:{OUR_PERSON}>'


def write(series: Iterable[Trajectory], fmt: str, out: BinaryIO, *, label: Label) -> None:
    """Write ``series`` to the binary stream ``out``.

    Parameters
    ----------
    series : iterable of Trajectory
        The published series; a series without times has none in the file either.
    fmt : str
        A name of :data:`FORMATS`: csv, geojson, gpx or parquet.
    out : binary stream
        Written from where it stands, never read or closed.
    label : mapping
        The privacy label, JSON-ready; ``label["text"]`` is its one sentence.

    Raises
    ------
    ParameterError
        ``fmt`` is not the name of a format.
    """
    if fmt not in FORMATS:
        rule = f"must be one of {', '.join(FORMATS)}"
        raise ParameterError(f"format {rule}, got {shown(fmt)!r}", field="format", rule=rule, value=fmt)
    plain = [replace(one, name=plain_name(one.name), person=plain_name(one.person)) for one in series]
    FORMATS[fmt].write(plain, out, label)


def _several_people(series: Sequence[Trajectory]) -> bool:
    """Whether the file must name the person of each series; without that all are read back as one person's."""
    return len({one.person for one in series}) > 1


def _rounded(degrees: Floats) -> Floats:
    return np.asarray(np.round(degrees, DECIMALS) + 0.0)  # + 0.0: no negative zero


def _millis(time_s: Floats) -> Any:
    return np.round(time_s * 1e3).astype(np.int64)


def _instants(time_s: Floats) -> list[str]:
    """Times in ISO 8601 with Z; milliseconds only where the second is not whole."""
    millis = _millis(time_s)
    texts = np.datetime_as_string(millis.astype("M8[ms]"), unit="s").tolist()
    part = (millis % 1000).tolist()
    return [f"{text}.{ms:03d}Z" if ms else f"{text}Z" for text, ms in zip(texts, part, strict=True)]


def _chunks(one: Trajectory) -> Iterator[tuple[list[float], list[float], list[str] | None]]:
    """The positions and times of a series in pieces, so that a long series is never one string."""
    for start in range(0, len(one), _CHUNK):
        piece = slice(start, start + _CHUNK)
        times = None if one.time_s is None else _instants(one.time_s[piece])
        yield _rounded(one.lon[piece]).tolist(), _rounded(one.lat[piece]).tolist(), times


def _write_csv(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    several = _several_people(series)
    out.write(POINT_HEADERS[several] + f"{OUR_COLUMN},{JSON_COLUMN}\r\n".encode())
    first = f"{cell_text(sentence(label))},{cell_text(as_json(dict(label)))}"
    for one in series:
        name = f"{cell_text(one.name)},{cell_text(one.person)}" if several else cell_text(one.name)
        for lon, lat, times in _chunks(one):
            rows = [
                f"{name},{t},{x:.7f},{y:.7f},," for t, x, y in zip(times or repeat("", len(lon)), lon, lat, strict=True)
            ]
            if first:
                rows[0], first = rows[0][:-1] + first, ""
            out.write(("\r\n".join(rows) + "\r\n").encode("utf-8"))


def _write_geojson(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    out.write(f'{{"type":"FeatureCollection","privacy":{as_json(dict(label))},"features":['.encode())
    comma = b""
    several = _several_people(series)
    for one in series:
        out.write(comma + b'\n{"type":"Feature","geometry":')
        _write_geometry(one, out)
        out.write(f',"properties":{{"series":{as_json(one.name)}'.encode())
        if several:
            out.write(f',"person":{as_json(one.person)}'.encode())
        if one.time_s is not None:
            out.write(b',"coordTimes":[')
            _write_pieces((",".join(f'"{t}"' for t in times or ()) for _, _, times in _chunks(one)), out)
            out.write(b"]")
        out.write(b"}}")
        comma = b","
    out.write(b"\n]}\n")


def _write_geometry(one: Trajectory, out: BinaryIO) -> None:
    """A line; a point where there is one event, and no geometry where there is none (a line needs two)."""
    if len(one) == 0:
        out.write(b"null")
        return
    kind, left, right = ("Point", "", "") if len(one) == 1 else ("LineString", "[", "]")
    out.write(f'{{"type":"{kind}","coordinates":{left}'.encode())
    pieces = (",".join([f"[{x:.7f},{y:.7f}]" for x, y in zip(lon, lat, strict=True)]) for lon, lat, _ in _chunks(one))
    _write_pieces(pieces, out)
    out.write(f"{right}}}".encode())


def _write_pieces(pieces: Iterable[str], out: BinaryIO) -> None:
    for i, piece in enumerate(pieces):
        out.write(("," if i else "").encode() + piece.encode("ascii"))


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
    several = _several_people(series)
    for one in series:
        person = f"<extensions>{_PERSON.format(_xml(one.person))}</extensions>" if several else ""
        out.write(f"<trk><name>{_xml(one.name)}</name>{person}<trkseg>\n".encode())
        for lon, lat, times in _chunks(one):
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


_SCHEMA = pa.schema(
    [
        ("series", pa.string()),
        ("person", pa.string()),
        ("time", pa.timestamp("ms", "UTC")),
        ("lon", pa.float64()),
        ("lat", pa.float64()),
    ]
)


def _write_parquet(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    columns = _SCHEMA if _several_people(series) else _SCHEMA.remove(_SCHEMA.get_field_index("person"))
    schema = columns.with_metadata({"cairn": as_json(dict(label))})
    tables = [_table(one, schema) for one in series]
    table = pa.concat_tables(tables) if tables else schema.empty_table()
    pq.write_table(table, Unclosed(out), compression="zstd")


def _table(one: Trajectory, schema: Any) -> Any:
    times = pa.nulls(len(one), pa.int64()) if one.time_s is None else pa.array(_millis(one.time_s))
    columns = {
        "series": _repeated(one.name, len(one)),
        "person": _repeated(one.person, len(one)),
        "time": times.cast(schema.field("time").type),
        "lon": _rounded(one.lon),
        "lat": _rounded(one.lat),
    }
    return pa.table([columns[name] for name in schema.names], schema=schema)


def _repeated(text: str, n: int) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(n, dtype=np.int32)), pa.array([text])).cast(pa.string())


FORMATS: Mapping[str, ExportFormat] = {
    one.name: one
    for one in (
        ExportFormat("csv", "CSV table", "text/csv; charset=utf-8", "csv", _write_csv),
        ExportFormat("geojson", "GeoJSON", "application/geo+json", "geojson", _write_geojson),
        ExportFormat("gpx", "GPX track", "application/gpx+xml", "gpx", _write_gpx),
        ExportFormat("parquet", "Parquet", "application/vnd.apache.parquet", "parquet", _write_parquet),
    )
}
