"""GeoPackage 1.3 of series: a layer of points with series, person and time, written by SQLite into a temporary file.

The label is in ``gpkg_metadata``. No time of writing is in the file: its last change is the first moment of 1970.
"""

import shutil
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from privacy_engine.core.instants import instants
from privacy_engine.data import Trajectory
from privacy_engine.exports.base import LABEL_NAMESPACE, MAPS, ExportFormat, Label, as_json
from privacy_engine.exports.columns import bounds, pieces, several_people
from privacy_engine.exports.contents import Contents, Unreadable
from privacy_engine.exports.parquet import wkb_points
from privacy_engine.exports.points import points
from privacy_engine.exports.reading import from_json
from privacy_engine.formats.wkb import positions

LAYER = "points"
_SQLITE = b"SQLite format 3\0"
_NEVER = "1970-01-01T00:00:00.000Z"
_HEAD = b"GP\0\x01" + (4326).to_bytes(4, "little")  # version 1, little endian, no envelope, EPSG:4326
_WGS84 = (
    'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],'
    'AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],'
    'UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'
)
_TABLES = """
PRAGMA application_id = 0x47504B47;
PRAGMA user_version = 10300;
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE gpkg_spatial_ref_sys (srs_name TEXT NOT NULL, srs_id INTEGER NOT NULL PRIMARY KEY,
    organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL, definition TEXT NOT NULL, description TEXT);
CREATE TABLE gpkg_contents (table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE,
    description TEXT DEFAULT '', last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
    min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE, srs_id INTEGER,
    CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
CREATE TABLE gpkg_geometry_columns (table_name TEXT NOT NULL, column_name TEXT NOT NULL,
    geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL, m TINYINT NOT NULL,
    CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
    CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
    CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
CREATE TABLE gpkg_extensions (table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL,
    definition TEXT NOT NULL, scope TEXT NOT NULL, CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));
CREATE TABLE gpkg_metadata (id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL,
    md_scope TEXT NOT NULL DEFAULT 'dataset', md_standard_uri TEXT NOT NULL, mime_type TEXT NOT NULL DEFAULT 'text/xml',
    metadata TEXT NOT NULL DEFAULT '');
CREATE TABLE gpkg_metadata_reference (reference_scope TEXT NOT NULL, table_name TEXT, column_name TEXT,
    row_id_value INTEGER, timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')),
    md_file_id INTEGER NOT NULL, md_parent_id INTEGER,
    CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),
    CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id));
"""
_SYSTEMS = (
    ("Undefined Cartesian SRS", -1, "NONE", -1, "undefined", "undefined Cartesian coordinate reference system"),
    ("Undefined geographic SRS", 0, "NONE", 0, "undefined", "undefined geographic coordinate reference system"),
    ("WGS 84 geodetic", 4326, "EPSG", 4326, _WGS84, "longitude and latitude in degrees"),
)
_DEFINITION = "http://www.geopackage.org/spec/#extension_metadata"


def _write(series: Sequence[Trajectory], out: BinaryIO, label: Label) -> None:
    with TemporaryDirectory(prefix="cairn-") as folder:
        path = Path(folder, "release.gpkg")
        with closing(sqlite3.connect(path)) as database:
            database.executescript(_TABLES)
            _describe(database, series, label)
            several = several_people(series)
            for track in series:
                _add(database, track, several)
            database.commit()
        with path.open("rb") as written:
            shutil.copyfileobj(written, out)


def _describe(database: sqlite3.Connection, series: Sequence[Trajectory], label: Label) -> None:
    """Write all but the points: the layer, its extent and coordinate system, and the label."""
    person = "person TEXT, " if several_people(series) else ""
    columns = f"fid INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, geom POINT, series TEXT, {person}time DATETIME"
    database.execute(f"CREATE TABLE {LAYER} ({columns})")
    database.executemany("INSERT INTO gpkg_spatial_ref_sys VALUES (?, ?, ?, ?, ?, ?)", _SYSTEMS)
    box: Sequence[float | None] = bounds(series) or (None,) * 4
    content = (LAYER, "features", LAYER, "Positions of a release", _NEVER, *box, 4326)
    database.execute("INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", content)
    database.execute("INSERT INTO gpkg_geometry_columns VALUES (?, 'geom', 'POINT', 4326, 0, 0)", (LAYER,))
    extended = [(name, None, "gpkg_metadata", _DEFINITION, "read-write") for name in _METADATA]
    database.executemany("INSERT INTO gpkg_extensions VALUES (?, ?, ?, ?, ?)", extended)
    described = (LABEL_NAMESPACE, "application/json", as_json(dict(label)))
    database.execute("INSERT INTO gpkg_metadata VALUES (1, 'dataset', ?, ?, ?)", described)
    reference = ("geopackage", None, None, None, _NEVER, 1, None)
    database.execute("INSERT INTO gpkg_metadata_reference VALUES (?, ?, ?, ?, ?, ?, ?)", reference)


_METADATA = ("gpkg_metadata", "gpkg_metadata_reference")


def _add(database: sqlite3.Connection, track: Trajectory, several: bool) -> None:
    """Write the points of a series in pieces."""
    columns, marks = ("series, person", "?, ?") if several else ("series", "?")
    statement = f"INSERT INTO {LAYER} (geom, {columns}, time) VALUES (?, {marks}, ?)"  # noqa: S608  # nosec B608
    database.executemany(statement, _rows(track, several))


def _rows(track: Trajectory, several: bool) -> Iterator[tuple[bytes | str | None, ...]]:
    named = (track.name, track.person) if several else (track.name,)
    for lon, lat, time_s in pieces(track):
        data = wkb_points(lon, lat, _HEAD)
        times = [None] * len(data) if time_s is None else instants(time_s)
        for row, time in zip(data, times, strict=True):
            yield row.tobytes(), *named, time


def _read(data: bytes) -> Contents:
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
    rows = [
        (str(name), str(whose), str(time or ""), repr(lon), repr(lat))
        for (name, whose, time, _), lon, lat in zip(records, places.lon.tolist(), places.lat.tolist(), strict=True)
    ]
    return points(rows, from_json(str(text)))


FORMATS = (
    ExportFormat(
        Trajectory.kind,
        "gpkg",
        "GeoPackage",
        "application/geopackage+sqlite3",
        "gpkg",
        _write,
        _read,
        lambda data: data.startswith(_SQLITE),
        MAPS,
        "A layer of points with times: QGIS, ArcGIS, geopandas.",
        rank=3,
    ),
)
