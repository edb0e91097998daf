"""A file of so many positions in every format, of one random walk."""

import io
import json
import struct
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import shapely

from tests.engine.format_samples import PLT, SHAPES, collection, feature, line_feature, workbook, zipped
from tests.later import geopandas
from tests.later import pandas as pd

START_S = 1_718_452_800
KEYS = ("user", "time", "lon", "lat")


def frame(n):
    rng = np.random.default_rng(n)
    lon, lat = (np.round(base + rng.normal(0, 1e-4, n).cumsum(), 6) for base in (13.4, 52.5))
    time = pd.to_datetime(START_S + np.arange(n), unit="s", utc=True)
    return pd.DataFrame({"user": np.where(np.arange(n) < n // 2, "a", "b"), "time": time, "lon": lon, "lat": lat})


def rows(n):
    of = frame(n)
    return zip(of.user, of.time.dt.strftime("%Y-%m-%dT%H:%M:%SZ"), of.lon.tolist(), of.lat.tolist(), strict=True)


def lines(head, row):
    """A text of a head and a line for each position, ``row(user, time, lon, lat)``."""
    return lambda n: "".join([head, *(f"{row(*one)}\n" for one in rows(n))]).encode()


def _geo(suffix, driver):
    def make(n):
        made = frame(n)
        table = made[["user"]].assign(time=made.time.dt.strftime("%Y-%m-%dT%H:%M:%SZ"))
        found = geopandas.GeoDataFrame(table, geometry=shapely.points(made.lon, made.lat), crs=4326)
        with TemporaryDirectory() as folder:
            found.to_file(Path(folder, f"x{suffix}"), driver=driver)
            parts = {path.name: path.read_bytes() for path in Path(folder).iterdir()}
            return zipped(**parts) if len(parts) > 1 else parts[f"x{suffix}"]

    return make


def _arrow(write):
    def make(n):
        out = io.BytesIO()
        write(pa.Table.from_pandas(frame(n), preserve_index=False), out)
        return out.getvalue()

    return make


def _xlsx(n):
    return workbook([KEYS, *rows(n)])


def _geojson(n):
    found = list(rows(n))
    parts = (list(zip(*part, strict=True)) for part in (found[: n // 2], found[n // 2 :]))
    return collection(
        *(line_feature(*zip(lon, lat, strict=True), name=user[0], coordTimes=time) for user, time, lon, lat in parts)
    )


def _mfjson(n):
    _, time, lon, lat = zip(*rows(n), strict=True)
    moving = {"type": "MovingPoint", "datetimes": time, "coordinates": [*zip(lon, lat, strict=True)]}
    return collection({"type": "Feature", "properties": {"user": "a"}, "temporalGeometry": moving})


def _takeout(n):
    keys = ("timestamp", "longitudeE7", "latitudeE7")
    found = ((time, round(lon * 1e7), round(lat * 1e7)) for _, time, lon, lat in rows(n))
    return json.dumps({"locations": [dict(zip(keys, one, strict=True)) for one in found]}).encode()


def _porto(n):
    trips = (f'{i},20,{START_S + i},False,"[[{lon},{lat}]]"\n' for i, (_, _, lon, lat) in enumerate(rows(n)))
    return "".join(["TRIP_ID,TAXI_ID,TIMESTAMP,MISSING_DATA,POLYLINE\n", *trips]).encode()


def _fit(n):
    body = b"\x40" + struct.pack("<BBHB", 0, 0, 20, 3) + bytes([253, 4, 134, 0, 4, 133, 1, 4, 133])
    at = START_S - 631_065_600
    for i, (_, _, lon, lat) in enumerate(rows(n)):
        body += b"\x00" + struct.pack("<Iii", at + i, round(lat / 180 * 2**31), round(lon / 180 * 2**31))
    return struct.pack("<BBHI4sH", 14, 16, 0, len(body), b".FIT", 0) + body + b"\0\0"


def _angle(degrees, width, digits):
    whole, minutes = divmod(degrees, 1)
    return f"{int(whole):0{width}d}{60 * minutes:0{digits + 3}.{digits}f}"


def _igc_row(user, time, lon, lat):
    angles = [_angle(lat, 2, 3).replace(".", "") + "N", _angle(lon, 3, 3).replace(".", "") + "E"]
    return f"B{time[11:19].replace(':', '')}{''.join(angles)}A0043800463\r"


def _nmea_row(user, time, lon, lat):
    clock = time[11:19].replace(":", "")
    return f"$GPRMC,{clock},A,{_angle(lat, 2, 4)},N,{_angle(lon, 3, 4)},E,0.1,0.0,150624,,,A\r"


def _owntracks_row(user, time, lon, lat):
    seconds = int(np.datetime64(time[:-1], "s").astype(int))
    entry = {"_type": "location", "lat": lat, "lon": lon, "tst": seconds, "topic": f"owntracks/{user}/phone"}
    return f"{time}\t*\t{json.dumps(entry)}"


def _around(head, row, tail):
    return lambda n: lines(head, row)(n) + tail.encode()


SAMPLES = {
    "ais": lines("MMSI,BaseDateTime,LAT,LON\n", lambda user, time, lon, lat: f"{ord(user)},{time[:-1]},{lat},{lon}"),
    "csv": lines("user,time,lon,lat\n", lambda *one: ",".join(map(str, one))),
    "feather": _arrow(pyarrow.feather.write_feather),
    "fit": _fit,
    "flatgeobuf": _geo(".fgb", "FlatGeobuf"),
    "geojson": _geojson,
    "geojsonseq": lines("", lambda user, time, *at: json.dumps(feature("Point", at, user=user, time=time))),
    "geopackage": _geo(".gpkg", "GPKG"),
    "gpx": _around(
        '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>',
        lambda _, time, lon, lat: f'<trkpt lat="{lat}" lon="{lon}"><time>{time}</time></trkpt>',
        "</trkseg></trk></gpx>",
    ),
    "gtfs": lines(SHAPES.decode().split("\n")[0] + "\n", lambda user, time, lon, lat: f"{user},{lat},{lon},{time[-6]}"),
    "igc": lines("ALXNQKFFLIGHT:3\r\nHFDTE150624\r\n", _igc_row),
    "json": lambda n: json.dumps([dict(zip(KEYS, one, strict=True)) for one in rows(n)]).encode(),
    "kml": _around(
        '<kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2"><Placemark><gx:Track>',
        lambda _, time, lon, lat: f"<when>{time}</when><gx:coord>{lon} {lat} 30</gx:coord>",
        "</gx:Track></Placemark></kml>",
    ),
    "mfjson": _mfjson,
    "movebank": lines(
        "event-id,visible,timestamp,location-long,location-lat,individual-local-identifier\n",
        lambda user, time, lon, lat: f"1,true,{time[:-1].replace('T', ' ')}.000,{lon},{lat},{user}",
    ),
    "nmea": lines("", _nmea_row),
    "owntracks": lines("", _owntracks_row),
    "parquet": _arrow(pa.parquet.write_table),
    "plt": lines(
        "".join(PLT.decode().splitlines(keepends=True)[:6]),
        lambda _, time, lon, lat: f"{lat},{lon},0,492,39744.12,{time[:10]},{time[11:19]}\r",
    ),
    "porto": _porto,
    "shapefile": _geo(".shp", "ESRI Shapefile"),
    "takeout": _takeout,
    "tcx": _around(
        '<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities>'
        "<Activity><Lap><Track>",
        lambda _, time, lon, lat: (
            f"<Trackpoint><Time>{time}</Time><Position><LatitudeDegrees>{lat}</LatitudeDegrees>"
            f"<LongitudeDegrees>{lon}</LongitudeDegrees></Position></Trackpoint>"
        ),
        "</Track></Lap></Activity></Activities></TrainingCenterDatabase>",
    ),
    "tdrive": lines("", lambda user, time, lon, lat: f"{ord(user)},{time[:10]} {time[11:19]},{lon},{lat}"),
    "wkt": lines("user;time;geom\n", lambda user, time, lon, lat: f"{user};{time};POINT ({lon} {lat})"),
    "xlsx": _xlsx,
}
