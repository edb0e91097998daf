"""Small files of every format, and how tests read them."""

import io
import json
import sqlite3
import struct
import zipfile
from contextlib import closing

from privacy_engine.formats import read


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
LOCATIONS = b'{"count": 1, "data": [{"_type": "location", "lat": 52.5, "lon": 13.4, "tst": 1718452800}]}'
GEOMETRIES = (
    b"id;t;geom\n1;2024-06-15T12:00:00Z;POINT (13.4 52.5)\n2;2024-06-15T12:00:00Z;POINT EMPTY\n"
    + b"1;2024-06-15T12:00:00Z;LINESTRING (13.4 52.5, 13.5 52.6)\n"
)
MOVING = json.dumps(
    {
        "type": "FeatureCollection",
        "features": [
            {
                "type": "Feature",
                "properties": {"user": "a"},
                "temporalGeometry": {
                    "type": "MovingPoint",
                    "datetimes": ["2024-06-15T12:00:00Z", "2024-06-15T12:01:00Z"],
                    "coordinates": [[13.4, 52.5], [13.5, 52.6]],
                },
            }
        ],
    }
).encode()
SEQUENCE = b"\x1e" + GEOJSON + b"\n\x1e" + GEOJSON + b"\n"


def read_bytes(data, name="x", **values):
    return read(io.BytesIO(data), name=name, **values)


def seconds(one):
    assert one.time_s is not None
    return list(one.time_s.tolist())


def zipped(**members):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/"), data)
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
