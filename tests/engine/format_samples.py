"""Small files of every format, and how tests read them."""

import io
import json
import sqlite3
import struct
import zipfile
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from privacy_engine.errors import EngineError
from privacy_engine.formats import read
from tests.cases import refusal
from tests.engine.recorded import whole
from tests.later import openpyxl, pyogrio


def feature(kind, coordinates, **properties):
    """A feature of GeoJSON."""
    return {"type": "Feature", "properties": properties, "geometry": {"type": kind, "coordinates": coordinates}}


def line_feature(*coordinates, **properties):
    return feature("LineString", coordinates, **properties)


def collection(*features):
    """A file of GeoJSON."""
    return json.dumps({"type": "FeatureCollection", "features": features}).encode()


CSV = b"user,time,lat,lon\n" + b"".join(b"u1,2024-06-15T10:3%d:00Z,52.52%d,13.40%d\n" % (i, i, i) for i in range(5))
GPX = (
    b'<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>'
    b'<trkpt lat="52.5" lon="13.4"><ele>3</ele><time>2024-06-15T10:30:00Z</time></trkpt>'
    b'<trkpt lat="52.6" lon="13.5"><time>2024-06-15T10:31:00Z</time></trkpt></trkseg></trk></gpx>'
)
GEOJSON = json.dumps(
    line_feature([13.4, 52.5], [13.5, 52.6], coordTimes=["2024-06-15T10:30:00Z", "2024-06-15T10:31:00Z"])
).encode()
PLT = (
    b"Geolife trajectory\r\nWGS 84\r\nAltitude is in Feet\r\nReserved 3\r\n0,2,255,My Track,0,0,2,8421376\r\n0\r\n"
    b"39.984702,116.318417,0,492,39744.1201851852,2008-10-23,02:53:04\r\n"
)
TDRIVE = b"1,2008-02-02 15:36:08,116.51172,39.92123\r\n1,2008-02-02 15:46:08,116.51135,39.93883\r\n"

KML = (
    b'<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track>'
    b"<when>2024-06-15T12:00:00Z</when><when>2024-06-15T12:01:00Z</when>"
    b"<gx:coord>13.4 52.5 30</gx:coord><gx:coord>13.5 52.6 30</gx:coord></gx:Track></Placemark></kml>"
)
TCX = (
    b'<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities><Activity>'
    b"<Lap><Track><Trackpoint><Time>2024-06-15T12:00:00Z</Time><Position><LatitudeDegrees>52.5</LatitudeDegrees>"
    b"<LongitudeDegrees>13.4</LongitudeDegrees></Position></Trackpoint><Trackpoint><Time>2024-06-15T12:00:01Z</Time>"
    b"</Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>"
)
NMEA = (
    b"$GPRMC,120000,A,5231.2000,N,01324.3000,E,0.1,0.0,150624,,,A*76\r\n"
    b"$GPGGA,120000,5231.2000,N,01324.3000,E,1,08,1.0,30.0,M,0.0,M,,\r\n"
    b"$GPGGA,120001.5,5231.8000,N,01324.3000,W,1,08,1.0,30.0,M,0.0,M,,\r\n"
)
IGC = (
    b"ALXNQKFFLIGHT:3\r\nHFDTE160722\r\nB1931294350420N08026585WA0043800463\r\nB0000014350420S08026585EA0043800463\r\n"
)
OWNTRACKS = (
    b'2024-06-15T12:09:00Z\t*\t{"_type":"location","lat":52.52,"lon":13.405,"tst":1718452800,"topic":"owntracks/me/phone"}\n'
    b'2024-06-15T12:09:01Z\t*\t{"_type":"transition","lat":52.52,"lon":13.405,"tst":1718452801}\n'
)
TAKEOUT = (
    b'{"locations": [{"latitudeE7": 525200000, "longitudeE7": 134050000, "timestamp": "2024-06-15T12:00:00Z"}],'
    b'"timelineObjects": [{"placeVisit": {"location": {"latitudeE7": 1, "longitudeE7": 2},'
    b'"duration": {"startTimestamp": "2024-06-15T12:00:00Z", "endTimestampMs": "1718452900000"}}}]}'
)
PORTO = b'TRIP_ID,TAXI_ID,TIMESTAMP,MISSING_DATA,POLYLINE\n1,20,1718452800,False,"[[-8.6,41.1],[-8.7,41.2]]"\n'
SHAPES = b"shape_id,shape_pt_lat,shape_pt_lon,shape_pt_sequence\na,28.1,-82.1,2\na,28.0,-82.0,1\nb,28.3,-82.3,1\n"
RECORDS = b'[{"user": "a", "time": 1718452800, "lat": 52.5, "lon": 13.4}, {"user": "a", "at": {"lat": 1}}]'
LINES = b'{"user": "a", "time": "2024-06-15T12:00:00Z", "lat": 52.5, "lon": 13.4}\n{"lat": 52.5, "lon": 1e400}\n'
GEOMETRIES = (
    b"id;t;geom\n1;2024-06-15T12:00:00Z;POINT (13.4 52.5)\n2;2024-06-15T12:00:00Z;POINT EMPTY\n"
    + b"1;2024-06-15T12:00:00Z;LINESTRING (13.4 52.5, 13.5 52.6)\n"
)
MOVING_POINT = {
    "type": "MovingPoint",
    "datetimes": ["2024-06-15T12:00:00Z", "2024-06-15T12:01:00Z"],
    "coordinates": [[13.4, 52.5], [13.5, 52.6]],
}
MOVING = collection({"type": "Feature", "properties": {"user": "a"}, "temporalGeometry": MOVING_POINT})
MOVEBANK = (
    b"event-id,timestamp,location-long,location-lat,individual-local-identifier\n"
    b"1,2024-06-15 12:00:00.000,6.58,53.0,bird\n"
)
AIS = (
    b"# Timestamp,Type of mobile,MMSI,Latitude,Longitude\n"
    b"15/06/2024 12:00:00,Class A,211429600,54.69,8.57\n15/06/2024 12:00:10,Class A,211429600,91.0,0.0\n"
)
SEQUENCE = b"\x1e" + GEOJSON + b"\n\x1e" + GEOJSON + b"\n"


def read_bytes(data, name="x", **values):
    """Read a file; what is reported of it, or the error, is as recorded."""
    try:
        found = read(io.BytesIO(data), name=name, **values)
    except EngineError as error:
        whole(error)
        raise
    whole({"report": reported(found), "data": found.data})
    return found


LEFT = ("kept", "series", "decisions", "format_title", "columns", "first")


def reported(found):
    """The report of a reading without what follows from the rest of it."""
    report = found.report.as_dict()
    left = {key: value for key, value in report.items() if key not in LEFT}
    return left | {"dropped": {why: [one["count"], one["rows"]] for why, one in report["dropped"].items()}}


def seconds(one):
    assert one.time_s is not None
    return list(one.time_s.tolist())


def _column(name):
    def of(found):
        values = [getattr(one, name) for one in found.series]
        return None if any(one is None for one in values) else [value for one in values for value in one.tolist()]

    return of


def _reported(key, what, value):
    return lambda found: {one[what]: one.get(value) for one in getattr(found.report, key)}


FACTS = {
    "lon": _column("lon"),
    "lat": _column("lat"),
    "seconds": _column("time_s"),
    "marked": lambda found: [None if one.marked is None else one.marked.tolist() for one in found.series],
    "points": len,
    "kind": lambda found: found.kind,
    "names": lambda found: [one.name for one in found.series],
    "people": lambda found: [(one.name, one.person) for one in found.series],
    "series": lambda found: found.report.series,
    "format": lambda found: found.report.format,
    "outcome": lambda found: found.report.outcome,
    "dropped": lambda found: found.report.dropped,
    "rows": lambda found: {why: drops["rows"] for why, drops in found.report.as_dict()["dropped"].items()},
    "notes": _reported("notes", "code", "count"),
    "warnings": lambda found: [note["code"] for note in found.report.warnings],
    "guesses": _reported("guesses", "option", "value"),
}
"""What :func:`shows` looks at; columns are those of all series in a row."""


def shows(data, name="x", *, given=None, **expected):
    """Read a file with the options ``given``; each fact of the reading is as expected."""
    found = read_bytes(data, name, **(given or {}))
    for what, value in expected.items():
        seen = FACTS[what](found)
        assert seen == value, f"{what}: {seen!r}, not {value!r}"
    return found


def refused(data, code, text="", name="x", **options):
    """The error with which a file is refused, of this code and with this text."""
    error = refusal(EngineError, read_bytes, data, name, **options)
    assert (error.code, text in error.message) == (code, True), error.message
    return error


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
    return out.getvalue()


def vector_file(name, shapes, columns, names, **about):
    """A file of shapes (WKB) in degrees as GDAL writes it; of one in several parts their ZIP."""
    with TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        shapes = np.array([*shapes, b""], dtype=object)[:-1]
        pyogrio.raw.write(Path(folder, name), shapes, columns, names, crs="EPSG:4326", **about)
        parts = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
    return parts[name] if len(parts) == 1 else zipped(**parts)


def workbook(rows):
    book, out = openpyxl.Workbook(write_only=True), io.BytesIO()
    sheet = book.create_sheet()
    for row in rows:
        sheet.append(list(row))
    book.save(out)
    return out.getvalue()


def fit_file(order="<", *, compressed=False):
    """Three records, five seconds apart: two with a position, one without; ``compressed``: five bits of a time."""
    definition = struct.pack("BB", 0, order == ">") + struct.pack(order + "HB", 20, 3)
    whole = b"\x40" + definition + bytes([253, 4, 134, 0, 4, 133, 1, 4, 133])
    short = b"\x41" + definition.replace(b"\x03", b"\x02") + bytes([0, 4, 133, 1, 4, 133]) if compressed else b""
    time, lat, lon = 1718452800 - 631_065_600, round(52.52 / 180 * 2**31), round(13.405 / 180 * 2**31)
    body = whole + short + b"\x00" + struct.pack(order + "Iii", time, lat, lon)
    if compressed:
        body += bytes([0x80 | 1 << 5 | (time + 5) & 31]) + struct.pack(order + "ii", lat, -lon)
    else:
        body += b"\x00" + struct.pack(order + "Iii", time + 5, lat, -lon)
    body += b"\x00" + struct.pack(order + "Iii", time + 10, 0x7FFFFFFF, 0x7FFFFFFF)
    return struct.pack("<BBHI4sH", 14, 16, 0, len(body), b".FIT", 0) + body + b"\0\0"


def geopackage(script=""):
    """Three fixes of two animals, after ``script`` has changed the database."""
    with closing(sqlite3.connect(":memory:")) as database:
        database.executescript(
            "CREATE TABLE gpkg_spatial_ref_sys (srs_id INTEGER, organization TEXT, organization_coordsys_id INTEGER);"
            "INSERT INTO gpkg_spatial_ref_sys VALUES (4326, 'EPSG', 4326);"
            "CREATE TABLE gpkg_geometry_columns (table_name TEXT, column_name TEXT, geometry_type_name TEXT,"
            " srs_id INTEGER, z TINYINT, m TINYINT);"
            "INSERT INTO gpkg_geometry_columns VALUES ('fixes', 'geom', 'POINT', 4326, 0, 0);"
            "CREATE TABLE fixes (fid INTEGER PRIMARY KEY, geom POINT, t TEXT, animal_id TEXT);"
        )
        for i, animal in enumerate("aab"):
            blob = b"GP\0\1" + struct.pack("<iBIdd", 4326, 1, 1, 13.4 + i, 52.5)
            database.execute("INSERT INTO fixes VALUES (?, ?, ?, ?)", (i, blob, f"2024-06-15T12:0{i}:00Z", animal))
        database.executescript(script)
        return bytes(database.serialize())


FIT, GEOPACKAGE = fit_file(), geopackage()
