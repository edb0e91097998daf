"""Readers of location files by libraries that are not ours, and by a few lines of the standard library."""

import io
import json
import re
import zipfile
from collections.abc import Iterable
from functools import partial
from typing import Any
from xml.etree import ElementTree

import gpxpy

from tests.later import fitdecode, geopandas
from tests.later import pandas as pd

Rows = Iterable[tuple[Any, float, float]]
"""Seconds since 1970 (None without), longitude, latitude."""


def rows_of(times, lon, lat):
    seconds = pd.to_datetime(times, utc=True).astype("datetime64[ms, UTC]").astype("int64") / 1e3
    return list(zip(seconds, lon, lat, strict=True))


def _xml(content):
    return ElementTree.fromstring(content)


def _texts(root, name):
    return [one.text or "" for one in root.iter() if one.tag.rpartition("}")[2] == name]


def by_fitdecode(content):
    found = []
    with fitdecode.FitReader(io.BytesIO(content), check_crc=fitdecode.CrcCheck.DISABLED) as reader:
        try:
            for frame in reader:
                if isinstance(frame, fitdecode.FitDataMessage) and frame.name == "record":
                    lon, lat = (frame.get_value(f"position_{axis}", fallback=None) for axis in ("long", "lat"))
                    if lon is not None and lat is not None:
                        time = frame.get_value("timestamp").timestamp()
                        found.append((time, lon * 180 / 2**31, lat * 180 / 2**31))
        except fitdecode.FitError:  # cut off
            pass
    return found


def by_gpxpy(content):
    """Track points; where some have times, of those alone."""
    points = list(gpxpy.parse(content.decode()).walk(only_points=True))
    timed = [one for one in points if one.time]
    return [(one.time and one.time.timestamp(), one.longitude, one.latitude) for one in timed or points]


def by_gx_track(content):
    tracks = [one for one in _xml(content).iter() if one.tag.endswith("}Track")]
    times = [time for track in tracks for time in _texts(track, "when")]
    places = [text.split() for track in tracks for text in _texts(track, "coord")]
    return rows_of(times, *([float(place[i]) for place in places] for i in (0, 1)))


def by_trackpoints(content):
    found = []
    for one in _xml(content).iter():
        if one.tag.endswith("}Trackpoint") and _texts(one, "LongitudeDegrees"):
            values = [_texts(one, name)[0] for name in ("Time", "LongitudeDegrees", "LatitudeDegrees")]
            found.append((values[0], float(values[1]), float(values[2])))
    return rows_of(*zip(*found, strict=True))


def by_sentences(content):
    """GGA sentences, whose date is that of the RMC sentences after them: their times of day alone are compared."""
    found = {}
    for time, lat, north, lon, east in re.findall(rb"GGA,(\d+\.?\d*),([\d.]+),([NS]),([\d.]+),([EW])", content):
        sides = ((lon, east), (lat, north))
        found[time] = [(float(x) // 100 + float(x) % 100 / 60) * (1 if side in b"NE" else -1) for x, side in sides]
    return [(time, *place) for time, place in found.items()]


def by_owntracks(content):
    found = [json.loads(line.split("\t")[-1]) for line in content.decode().splitlines()]
    return [(one["tst"], one["lon"], one["lat"]) for one in found if one["_type"] == "location"]


def by_b_records(content):
    text = content.decode("latin-1")
    day = re.search(r"HFDTE(?:DATE:)?(\d\d)(\d\d)(\d\d)", text)
    rows = re.findall(r"^B(\d\d)(\d\d)(\d\d)(\d\d)(\d{5})([NS])(\d{3})(\d{5})([EW])", text, re.MULTILINE)
    times = [f"20{day[3]}-{day[2]}-{day[1]}T{h}:{m}:{s}Z" for h, m, s, *_ in rows]
    lat = [(int(r[3]) + int(r[4]) / 60_000) * (1 if r[5] == "N" else -1) for r in rows]
    lon = [(int(r[6]) + int(r[7]) / 60_000) * (1 if r[8] == "E" else -1) for r in rows]
    return rows_of(times, lon, lat)


def by_pandas_porto(content):
    trips = pd.read_csv(io.BytesIO(content))
    places = [(t, json.loads(line)) for t, line in zip(trips["TIMESTAMP"], trips["POLYLINE"], strict=True)]
    return [(start + 15 * i, *place) for start, line in places for i, place in enumerate(line)]


def by_pandas_ais(content):
    ships = pd.read_csv(io.BytesIO(content))
    ships = ships[ships["Latitude"] < 91]
    times = pd.to_datetime(ships["# Timestamp"], format="%d/%m/%Y %H:%M:%S")
    return rows_of(times, ships["Longitude"], ships["Latitude"])


def _by_pandas(content, columns, **how):
    fixes = pd.read_csv(io.BytesIO(content), **how)
    return rows_of(*(fixes[one] for one in columns))


_ANIMAL = ("timestamp", "location-long", "location-lat")
by_pandas_movebank = partial(_by_pandas, columns=_ANIMAL, compression="gzip")
by_pandas_tdrive = partial(_by_pandas, columns=(1, 2, 3), header=None)
by_pandas_columns = partial(_by_pandas, columns=("tracked_at", "longitude", "latitude"), sep=";")


def by_pandas_plt(content):
    fixes = pd.read_csv(io.BytesIO(content), skiprows=6, header=None)
    return rows_of(fixes[5] + "T" + fixes[6], fixes[1], fixes[0])


def by_pandas_gtfs(content):
    with zipfile.ZipFile(io.BytesIO(content)) as archive, archive.open("shapes.txt") as member:
        shapes = pd.read_csv(member)
    return [(None, *place) for place in zip(shapes["shape_pt_lon"], shapes["shape_pt_lat"], strict=True)]


def by_geopandas_geolife(content):
    found = geopandas.read_file(io.BytesIO(content))
    return rows_of(found["t"], found.geometry.x, found.geometry.y)


def by_json_records(content):
    found = json.loads(content)["locations"]
    times = [pd.Timestamp(one["timestamp"]) if "timestamp" in one else int(one["timestampMs"]) for one in found]
    seconds = [time / 1e3 if isinstance(time, int) else time.timestamp() for time in times]
    return [(t, one["longitudeE7"] / 1e7, one["latitudeE7"] / 1e7) for t, one in zip(seconds, found, strict=True)]


def by_json_of_a_line(content):
    line = json.loads(content)
    return rows_of(line["properties"]["datetimes"], *zip(*line["geometry"]["coordinates"], strict=True))
