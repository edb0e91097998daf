"""The exported formats as :class:`Contents`: strict readers, which know only what Cairn writes."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Any

import numpy as np

from privacy_engine.data import Trajectory
from privacy_engine.data.published import CELLS_PER_DEGREE, NO_TIME, Published, plain_name
from privacy_engine.errors import DataError, FormatError
from privacy_engine.exports import JSON_COLUMN, LABEL_NAMESPACE
from privacy_engine.exports.columns import DECIMALS
from privacy_engine.exports.geojson import POINTS, cuts_of
from privacy_engine.exports.geopackage import LAYER
from privacy_engine.exports.parquet import GEOMETRY
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.dialect import OUR_COLUMN
from privacy_engine.formats.line_times import CUT, uncut
from privacy_engine.formats.wkb import positions
from privacy_engine.formats.xmltools import Parser, limit_depth, local, run
from privacy_engine.verify.contents import Columns, Contents, PointContents, Unreadable, instants

_GUARDED = re.compile(r"''*[=+\-@\t\r]")
LONGEST_CELL = 10_000_000
END_OF_HEADER = f",{OUR_COLUMN},{JSON_COLUMN}\r\n".encode()
Row = tuple[str, str, str, str, str]
"""Series, person, time, longitude, latitude."""


def read_csv(data: bytes) -> Contents:
    """A CSV table: series, time, lon, lat and the label beside the first row."""
    with long_cells():
        return _table(csv.DictReader(io.StringIO(utf8(data), newline="")))


@contextmanager
def long_cells() -> Iterator[None]:
    """Let cells be long while a table is read: the limit is the whole process's, and other readers rely on theirs."""
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _table(table: csv.DictReader[str]) -> Contents:
    wanted = {"series", "time", "lon", "lat", OUR_COLUMN, JSON_COLUMN}
    if not wanted <= set(table.fieldnames or ()):
        raise Unreadable(f"The table has no columns {', '.join(sorted(wanted - set(table.fieldnames or ())))}.")
    columns, rows, labels = Columns(), list[Row](), list[tuple[str, str]]()
    try:
        for row in table:
            cells = {name: row.get(name) or "" for name in (*wanted, "person")}
            whose = (bare(cells["series"]), bare(cells["person"]))
            rows.append((*whose, cells["time"], cells["lon"], cells["lat"]))
            if cells[OUR_COLUMN] or cells[JSON_COLUMN]:
                labels.append((bare(cells[OUR_COLUMN]), bare(cells[JSON_COLUMN])))
    except csv.Error as error:
        raise Unreadable(f"The table is damaged: {error}.") from None
    if len(labels) != 1:
        raise Unreadable(f"The table must have one label beside its first row, got {len(labels)}.")
    return PointContents(labels[0][0], from_json(labels[0][1]), columns.off_grid, _series(rows, columns))


def labelled_rows(data: bytes) -> tuple[list[str], list[list[str]], str, object]:
    """The header and the rows of a CSV table without its label, the label's line and the label."""
    with long_cells():
        try:
            header, *rows = csv.reader(io.StringIO(utf8(data), newline=""))
        except (csv.Error, ValueError) as error:
            raise Unreadable(f"The table is damaged: {error}.") from None
    if header[-2:] != [OUR_COLUMN, JSON_COLUMN] or any(len(row) != len(header) for row in rows) or not rows:
        raise Unreadable(f"The table must have the columns {OUR_COLUMN} and {JSON_COLUMN}, and full rows.")
    if any(cell for row in rows[1:] for cell in row[-2:]):
        raise Unreadable("The table must have one label, beside its first row.")
    text, label = map(bare, rows[0][-2:])
    return header[:-2], [row[:-2] for row in rows], text, from_json(label)


def bare(cell: str) -> str:
    """A cell without the quotation mark that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if _GUARDED.match(cell) else cell


def _series(rows: Iterable[Row], columns: Columns) -> list[Published]:
    series = []
    for (name, person), group in groupby(rows, key=itemgetter(0, 1)):
        _, _, times, lon, lat = zip(*group, strict=True)
        cells = columns.cells(lon), columns.cells(lat)
        series.append(Published(plain_name(name), *cells, instants(times), plain_name(person)))
    return series


class _Written(float):
    """A number with its digits as they are written."""

    text: str

    def __new__(cls, text: str) -> _Written:
        number = super().__new__(cls, text)
        number.text = text
        return number


def read_geojson(data: bytes) -> Contents:
    """A GeoJSON feature collection whose foreign member ``privacy`` is the label."""
    document = from_json(utf8(data), parse_float=_Written)
    try:
        columns = Columns()
        if document.get("name") == POINTS:
            series = _series(map(_point_row, document["features"]), columns)
        else:
            series = [_feature(feature, columns) for feature in document["features"]]
        label = document["privacy"]
        return PointContents(str(label["text"]), label, columns.off_grid, series)
    except (KeyError, TypeError, AttributeError, ValueError, DataError) as error:
        raise Unreadable("The document is not a feature collection with a label.") from error


def _point_row(feature: Mapping[str, Any]) -> Row:
    properties, (lon, lat) = feature["properties"], feature["geometry"]["coordinates"]
    whose = properties["series"], properties.get("person", "")
    return *whose, properties.get("time", ""), str(getattr(lon, "text", lon)), str(getattr(lat, "text", lat))


def _feature(feature: Mapping[str, Any], columns: Columns) -> Published:
    moving, properties = feature.get("temporalGeometry"), feature["properties"]
    geometry = feature["geometry"] if moving is None else moving
    places = [] if geometry is None else geometry["coordinates"]
    times = properties.get("coordTimes") if moving is None else moving["datetimes"]
    if properties.get(CUT):
        places, times = _uncut(places, times)
    elif geometry is not None and geometry["type"] == "Point":
        places = [places]
    lon, lat = ([str(getattr(place[axis], "text", place[axis])) for place in places] for axis in (0, 1))
    times = times or [None] * len(places)
    if len(times) != len(places):
        raise Unreadable("A feature has not as many times as positions.")
    cells, person = (columns.cells(lon), columns.cells(lat)), plain_name(properties.get("person", ""))
    return Published(plain_name(properties["series"]), *cells, instants(times), person)


def _uncut(places: list[Any], times: list[Any] | None) -> tuple[list[Any], list[Any] | None]:
    """The positions and times of a line that was cut at 180°; Unreadable where it is not cut as we cut lines."""
    lon, lat = np.array(line := uncut(places), dtype=np.float64).T
    when = None if times is None else uncut(times)
    track = Trajectory(lon, lat, None if when is None else instants(when) / 1e3)
    expected = [[(x, round(y, DECIMALS), text), (-x, round(y, DECIMALS), text)] for _, (x, y, text) in cuts_of(track)]
    rows = [
        list(zip(*part, strict=True))
        for part in zip(places, times or [[""] * len(part) for part in places], strict=True)
    ]
    seen = [[(*place, text) for place, text in (a[-1], b[0])] for a, b in itertools.pairwise(rows)]
    if seen != expected:
        raise Unreadable("A line is not cut where it crosses 180°.")
    return line, when


def read_gpx(data: bytes) -> Contents:
    """A GPX document with a label in its metadata and a track for each series."""
    document = _Gpx()
    try:
        run(document.parser, data)
    except FormatError as error:
        raise Unreadable(error.message) from None
    points = _series(document.rows, document.columns)
    return PointContents(document.text, from_json(document.label), document.off_grid, points)


class _Gpx:
    """Points, times, names and label as the parser meets them."""

    def __init__(self) -> None:
        self.parser = Parser(self._start, self._end)
        self.parser.collect_text(self._add)
        self._depth = 0
        self.columns, self.rows = Columns(), list[Row]()
        self.text = self.label = self._name = self._person = self._time = ""
        self._at = ("", "")
        self._parts: list[str] = []

    @property
    def off_grid(self) -> list[str]:
        return self.columns.off_grid

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


def read_parquet(data: bytes) -> Contents:
    """A Parquet table whose schema's metadata holds the label."""
    try:
        schema = pq.read_schema(io.BytesIO(data))
        names = [name for name in ("series", "person") if name in schema.names]
        places = [GEOMETRY] if GEOMETRY in schema.names else ["lon", "lat"]
        table = pq.read_table(io.BytesIO(data), columns=[*names, "time", *places])
        texts = [table.column(name).to_pylist() for name in names]
        if places == [GEOMETRY]:
            points = positions(table.column(GEOMETRY).to_pylist())
            lon, lat = points.lon, points.lat
        else:
            lon, lat = (np.asarray(table.column(axis).to_numpy(), dtype=np.float64) for axis in places)
        times = table.column("time").cast(pa.timestamp("ms", "UTC")).cast(pa.int64()).fill_null(NO_TIME).to_numpy()
    except (pa.ArrowException, OSError, KeyError, ValueError, TypeError) as error:
        raise Unreadable("The file is not a table that Cairn exported.") from error
    label = from_json((schema.metadata or {}).get(b"cairn", b"").decode("utf-8", "replace"))
    off_grid, axes = [], []
    for axis in (lon, lat):
        if not (np.isfinite(axis) & (np.abs(axis) <= 180)).all():
            raise Unreadable("A position is no number of degrees.")
        cells = np.round(axis * CELLS_PER_DEGREE)
        off_grid += [repr(value) for value in axis[cells / CELLS_PER_DEGREE != axis].tolist()]
        axes.append(cells.astype(np.int64))
    series, start = [], 0
    for whose, group in groupby(zip(*texts, strict=True)):
        end = start + sum(1 for _ in group)
        name, person = (plain_name(str(text or "")) for text in (*whose, "")[:2])
        series.append(Published(name, axes[0][start:end], axes[1][start:end], times[start:end], person))
        start = end
    return PointContents(str(label.get("text", "")) if isinstance(label, dict) else "", label, off_grid, series)


def read_geopackage(data: bytes) -> Contents:
    """A GeoPackage with a layer of points and the label in its metadata."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(data)
            names = [row[1] for row in database.execute(f"PRAGMA table_info({LAYER})")]
            person = "person" if "person" in names else "''"
            query = f"SELECT series, {person}, time, geom FROM {LAYER} ORDER BY fid"  # noqa: S608  # nosec B608
            records = database.execute(query).fetchall()
            (text,) = database.execute(
                "SELECT metadata FROM gpkg_metadata WHERE md_standard_uri = ?", (LABEL_NAMESPACE,)
            ).fetchone()
        places = positions([row[3] for row in records], geopackage=True)
    except (sqlite3.Error, TypeError, ValueError, OverflowError) as error:
        raise Unreadable("The file is not a GeoPackage that Cairn exported.") from error
    columns, label = Columns(), from_json(str(text))
    rows = [
        (str(name), str(whose), str(time or ""), repr(lon), repr(lat))
        for (name, whose, time, _), lon, lat in zip(records, places.lon.tolist(), places.lat.tolist(), strict=True)
    ]
    named = str(label.get("text", "")) if isinstance(label, dict) else ""
    return PointContents(named, label, columns.off_grid, _series(rows, columns))


READERS: Mapping[str, Callable[[bytes], Contents]] = {
    "csv": read_csv,
    "geojson": read_geojson,
    "geojson-points": read_geojson,
    "kepler": read_geojson,
    "mfjson": read_geojson,
    "gpkg": read_geopackage,
    "gpx": read_gpx,
    "parquet": read_parquet,
    "geoparquet": read_parquet,
}


def utf8(data: bytes) -> str:
    """The text of a file in UTF-8, or Unreadable."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Unreadable(f"The file is not UTF-8 text at byte {error.start}.") from None


def from_json(text: str, **how: Any) -> Any:
    """The value of JSON text, or Unreadable."""
    try:
        return json.loads(text, **how)
    except (ValueError, RecursionError):
        raise Unreadable("A label or document is missing, or not JSON.") from None
