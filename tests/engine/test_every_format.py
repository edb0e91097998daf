"""Every registered format has the positions and instants of an independent reader; one without a case fails.

Files are real ones where there are any; the readers are gpxpy, pandas, geopandas (GDAL), and of logs and nested JSON a
few lines of the standard library.
"""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gpxpy
import numpy as np
import pytest
import shapely

from privacy_engine.formats import formats, read
from tests.engine.damaged_files import SEEDS
from tests.later import geopandas
from tests.later import pandas as pd

TRACKS = "data/trajectories"


def rows(lon: object, lat: object, when: object = None) -> pd.DataFrame:
    """Positions with their instants (texts, or seconds since 1970; none: nan), sorted."""
    table = pd.DataFrame({"lon": np.asarray(lon, float), "lat": np.asarray(lat, float)})
    seconds = np.nan
    if when is not None:
        column = pd.Series(list(when))
        numeric = pd.api.types.is_numeric_dtype(column)
        times = pd.to_datetime(column, utc=True, unit="s" if numeric else None)
        seconds = times.dt.as_unit("us").astype("int64").to_numpy() / 1e6
    return table.assign(seconds=seconds).sort_values(["seconds", "lon", "lat"], ignore_index=True)


def of_frame(frame: pd.DataFrame, lon: str, lat: str, when: str | None = None) -> pd.DataFrame:
    return rows(frame[lon], frame[lat], None if when is None else frame[when])


def of_layer(frame: geopandas.GeoDataFrame, when: str | None = None) -> pd.DataFrame:
    points = frame.geometry.explode(ignore_index=True)
    return rows(points.x, points.y, None if when is None else frame[when])


def gpx(path: Path) -> pd.DataFrame:
    found = [point for point, *_ in gpxpy.parse(path.read_text()).get_points_data()]
    return rows([p.longitude for p in found], [p.latitude for p in found], [p.time for p in found])


def kml(path: Path) -> pd.DataFrame:
    spots = re.findall(r"<gx:coord>(\S+) (\S+)", path.read_text())
    return rows(*zip(*spots, strict=True), re.findall(r"<when>([^<]+)", path.read_text()))


def tcx(path: Path) -> pd.DataFrame:
    """Trackpoints with a position; the last element of each name is matched, whatever its namespace."""
    found = []
    for point in ElementTree.parse(path).iter():
        if point.tag.endswith("}Trackpoint"):
            texts = {one.tag.rpartition("}")[2]: one.text for one in point.iter()}
            if "LongitudeDegrees" in texts:
                found.append((texts["LongitudeDegrees"], texts["LatitudeDegrees"], texts["Time"]))
    lon, lat, when = zip(*found, strict=True)
    return rows(lon, lat, when)


def igc(path: Path) -> pd.DataFrame:
    text = path.read_text("latin-1")
    day, month, year = re.search(r"^HFDTE(?:DATE:)?(\d\d)(\d\d)(\d\d)", text, re.MULTILINE).groups()
    found = re.findall(r"^B(\d\d)(\d\d)(\d\d)(\d\d)(\d{5})([NS])(\d{3})(\d{5})([EW])", text, re.MULTILINE)
    lat = [(int(d) + int(m) / 60000) * (-1 if side == "S" else 1) for _, _, _, d, m, side, *_ in found]
    lon = [(int(d) + int(m) / 60000) * (-1 if side == "W" else 1) for *_, d, m, side in found]
    return rows(lon, lat, [f"20{year}-{month}-{day}T{h}:{m}:{s}Z" for h, m, s, *_ in found])


def owntracks(path: Path) -> pd.DataFrame:
    entries = [json.loads(line.split("\t")[2]) for line in path.read_text().splitlines() if "\t" in line]
    return of_frame(pd.DataFrame(one for one in entries if one["_type"] == "location"), "lon", "lat", "tst")


def takeout(path: Path) -> pd.DataFrame:
    entries = pd.DataFrame(json.loads(path.read_bytes())["locations"])
    when = pd.to_numeric(entries["timestampMs"]) / 1000 if "timestampMs" in entries else entries["timestamp"]
    return rows(entries["longitudeE7"] / 1e7, entries["latitudeE7"] / 1e7, when)


def movebank(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path).dropna(subset=["location-long", "location-lat"])
    return of_frame(frame, "location-long", "location-lat", "timestamp")


def ais(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path)
    frame = frame[frame["Latitude"].abs() <= 90]
    return rows(frame["Longitude"], frame["Latitude"], pd.to_datetime(frame["# Timestamp"], format="%d/%m/%Y %H:%M:%S"))


def plt(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, skiprows=6, header=None)
    return rows(frame[1], frame[0], frame[5] + " " + frame[6])


def porto(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path)
    lines = [json.loads(one) for one in frame["POLYLINE"]]
    spots = [
        (*spot, start + 15 * i)
        for start, line in zip(frame["TIMESTAMP"], lines, strict=True)
        for i, spot in enumerate(line)
    ]
    return rows(*zip(*spots, strict=True))


def tdrive(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, header=None)
    return rows(frame[2], frame[3], frame[1])


def wkt(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, sep=";")
    spots = [
        (*spot, when)
        for line, when in zip(shapely.from_wkt(frame["geom"]), frame["t"], strict=True)
        for spot in line.coords
    ]
    return rows(*zip(*spots, strict=True))


def sequence(path: Path) -> pd.DataFrame:
    lines = [json.loads(line.strip("\x1e")) for line in path.read_text().split("\n") if line]
    spots = [
        (*spot, when)
        for line in lines
        for spot, when in zip(line["geometry"]["coordinates"], line["properties"]["coordTimes"], strict=True)
    ]
    return rows(*zip(*spots, strict=True))


def geojson(path: Path) -> pd.DataFrame:
    line = json.loads(path.read_bytes())
    return rows(*zip(*line["geometry"]["coordinates"], strict=True), line["properties"]["datetimes"])


def moving(path: Path) -> pd.DataFrame:
    spots = json.loads(path.read_bytes())["features"][0]["temporalGeometry"]
    return rows(*zip(*spots["coordinates"], strict=True), spots["datetimes"])


def geopackage(path: Path) -> pd.DataFrame:
    return of_layer(geopandas.read_file(path), "t")


def nmea(path: Path) -> pd.DataFrame:
    """One fix for each time of day of RMC and GGA sentences; the date is that of the RMC before."""
    place = r"(\d\d)([\d.]+),([NS]),(\d{3})([\d.]+),([EW])"
    sentence = re.compile(rf"\$..(?:RMC|GGA),(\d\d)(\d\d)([\d.]+),(?:A,)?{place}(?:,[^,]*,[^,]*,(\d\d)(\d\d)(\d\d))?")
    fixes, date = {}, ""
    for line in path.read_text().splitlines():
        if found := sentence.match(line):
            h, mi, s, lat, lat_m, ns, lon, lon_m, ew, d, mo, y = found.groups()
            date = f"20{y}-{mo}-{d}" if "RMC" in line else date
            spot = (
                (int(lon) + float(lon_m) / 60) * (1 - 2 * (ew == "W")),
                (int(lat) + float(lat_m) / 60) * (1 - 2 * (ns == "S")),
            )
            fixes[f"{date}T{h}:{mi}:{float(s):06.3f}Z"] = spot
    return rows(*zip(*fixes.values(), strict=True), list(fixes))


def fit(path: Path) -> pd.DataFrame:
    """What the seed was made of: two fixes, five seconds apart."""
    circle = 180 / 2**31
    lat, lon = round(52.52 / circle) * circle, round(13.405 / circle) * circle
    return rows([lon, -lon], [lat, lat], [1718452800, 1718452805])


RECORDS = json.dumps([{"lon": 1.5 + i, "lat": 3.5 + i, "time": 1718452800 + 60 * i} for i in range(2)])
Case = tuple[str | bytes | None, Callable[[Path], Any]]
SEED = None
CASES: dict[str, Case] = {
    "ais": (f"{TRACKS}/csv_ais/ais.csv", ais),
    "csv": (f"{TRACKS}/csv_other/geolife_trajectory.csv", lambda path: geolife(path)),
    "feather": (SEED, lambda path: of_frame(pd.read_feather(path), "lon", "lat", "time")),
    "fit": (SEED, fit),
    "flatgeobuf": (SEED, lambda path: of_layer(geopandas.read_file(path), "time")),
    "geojson": (f"{TRACKS}/geojson/201901.en-trajectory.json", geojson),
    "geojsonseq": (SEED, sequence),
    "geopackage": (f"{TRACKS}/gpkg/demodata_geolife.gpkg", geopackage),
    "gpx": (f"{TRACKS}/gpx/run.gpx", gpx),
    "gtfs": (SEED, lambda path: of_frame(pd.read_csv(path), "shape_pt_lon", "shape_pt_lat")),
    "igc": (f"{TRACKS}/igc/27GLQKF3.igc", igc),
    "json": (RECORDS.encode(), lambda path: of_frame(pd.read_json(path), "lon", "lat", "time")),
    "kml": (f"{TRACKS}/kml/dw_gx_track.kml", kml),
    "mfjson": (SEED, moving),
    "movebank": (f"{TRACKS}/csv_movebank/O_ASSEN-gps-2018.csv.gz", movebank),
    "nmea": (SEED, nmea),
    "owntracks": (f"{TRACKS}/owntracks/2024-03.rec", owntracks),
    "parquet": (SEED, lambda path: of_frame(pd.read_parquet(path), "lon", "lat", "time")),
    "plt": (f"{TRACKS}/plt/000_20081023025304.plt", plt),
    "porto": (f"{TRACKS}/csv_porto/porto_two_real_rows.csv", porto),
    "shapefile": (SEED, lambda path: of_layer(geopandas.read_file(path), "time")),
    "takeout": (f"{TRACKS}/takeout/records.json", takeout),
    "tcx": (f"{TRACKS}/tcx/gtrnctr-readcp.tcx", tcx),
    "tdrive": (f"{TRACKS}/tdrive/1.txt", tdrive),
    "wkt": (SEEDS["wkt"].replace(b"POINT EMPTY", b"POINT (1 2)"), wkt),
    "xlsx": (SEED, lambda path: of_frame(pd.read_excel(path), "lon", "lat", "time")),
}  # fmt: skip
ENDINGS = {"shapefile": "zip"}


def geolife(path: Path) -> pd.DataFrame:
    frame = pd.read_csv(path, sep=None, engine="python")
    return of_frame(frame, "longitude", "latitude", "tracked_at")


@pytest.mark.parametrize("name", [one.name for one in formats() if not one.hidden])
def test_positions_and_instants_are_those_of_an_independent_reader(name: str, shared: Path, tmp_path: Path) -> None:
    assert name in CASES, "a format needs a file and an independent reader here"
    file, reader = CASES[name]
    path = shared / file if isinstance(file, str) else tmp_path / f"x.{ENDINGS.get(name, name)}"
    if not isinstance(file, str):
        path.write_bytes(SEEDS[name] if file is SEED else file)
    expected = reader(path)
    reading = read(path)
    assert reading.report.format == name
    lon, lat = (np.concatenate([getattr(one, axis) for one in reading.series]) for axis in ("lon", "lat"))
    times = [one.time_s for one in reading.series if one.time_s is not None]
    found = rows(lon, lat, np.concatenate(times) if times else None)
    assert len(found) == len(expected) > 1
    assert found.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-6, nan_ok=True)
