"""Every format of the registry by a reader that is not ours: the same points and times of real recordings.

Where the project has no real file of a format, real recordings (two walks of Geolife) are written by the library that
is known for it. pandas, geopandas (GDAL), gpxpy, MovingPandas, fitdecode and the standard library read the same bytes.
"""

import gzip
import io
import json
from pathlib import Path

import numpy as np
import pytest
import shapely

from privacy_engine.formats import read
from privacy_engine.formats.detect import formats
from tests.cases import each
from tests.engine import independent_readers as readers
from tests.engine.format_samples import zipped
from tests.later import geopandas, movingpandas
from tests.later import pandas as pd

pytestmark = pytest.mark.filterwarnings("ignore")  # of the other libraries
WALKS = ("000_20081024020959", "000_20081027115449")


def same(content, name, fmt, expected):
    """Cairn reads ``content`` as ``fmt``, with exactly the positions and times of ``expected``."""
    reading = read(io.BytesIO(content), name=name)
    assert reading.report.format == fmt
    found = np.concatenate([
        np.column_stack([np.full(len(one), np.nan) if one.time_s is None else one.time_s, one.lon, one.lat])
        for one in reading.series
    ])  # fmt: skip
    others = np.array([(np.nan if time is None else time, lon, lat) for time, lon, lat in expected], dtype=np.float64)
    assert len(others) > 1
    assert found.shape == others.shape
    for one in (found, others):
        one[:] = one[np.lexsort((one[:, 2].round(6), one[:, 1].round(6), one[:, 0].round(3)))]
    np.testing.assert_allclose(found[:, 0], others[:, 0], atol=1e-3)
    np.testing.assert_allclose(found[:, 1:], others[:, 1:], atol=6e-7)


def of_frame(frame):
    degrees = frame.to_crs("EPSG:4326")
    return readers.rows_of(degrees["time"], degrees.geometry.x, degrees.geometry.y)


@pytest.fixture(scope="module")
def data(shared):
    return shared / "data" / "trajectories"


@pytest.fixture(scope="module")
def table(data):
    """Two recordings of Geolife as pandas reads them: walk, time, lat, lon."""
    parts = []
    for name in WALKS:
        part = pd.read_csv(data / f"plt/{name}.plt", skiprows=6, header=None)
        times = (part[5] + "T" + part[6] + "Z").tolist()
        parts.append(pd.DataFrame({"walk": name, "time": times, "lat": part[0], "lon": part[1]}))
    return pd.concat(parts, ignore_index=True)


@pytest.fixture(scope="module")
def frame(table):
    points = geopandas.points_from_xy(table["lon"], table["lat"], crs="EPSG:4326")
    return geopandas.GeoDataFrame(table[["walk", "time"]], geometry=points)


REAL = [
    ("fit", "fit/fit-sample.fit", readers.by_fitdecode),
    ("gpx", "gpx/garmin-edge-800-output.gpx", readers.by_gpxpy),
    ("gpx", "gpx/korita-zbevnica.gpx", readers.by_gpxpy),
    ("gpx", "gpx/run.gpx", readers.by_gpxpy),
    ("kml", "kml/dw_gx_track.kml", readers.by_gx_track),
    ("kml", "kml/gxmultitrack.kml", readers.by_gx_track),
    ("tcx", "tcx/gtrnctr-readcp.tcx", readers.by_trackpoints),
    ("igc", "igc/27GLQKF3.igc", readers.by_b_records),
    ("owntracks", "owntracks/2024-03.rec", readers.by_owntracks),
    ("takeout", "takeout/records.json", readers.by_json_records),
    ("porto", "csv_porto/porto_two_real_rows.csv", readers.by_pandas_porto),
    ("ais", "csv_ais/ais.csv", readers.by_pandas_ais),
    ("movebank", "csv_movebank/O_ASSEN-gps-2018.csv.gz", readers.by_pandas_movebank),
    ("tdrive", "tdrive/1.txt", readers.by_pandas_tdrive),
    ("plt", "plt/000_20081024020959.plt", readers.by_pandas_plt),
    ("zip", "zip_gtfs/bullrunner-gtfs.zip", readers.by_pandas_gtfs),
    ("geopackage", "gpkg/demodata_geolife.gpkg", readers.by_geopandas_geolife),
    ("csv", "csv_other/geolife_trajectory.csv", readers.by_pandas_columns),
    ("geojson", "geojson/201901.en-trajectory.json", readers.by_json_of_a_line),
]


@pytest.mark.slow
@each(("fmt", "file", "reader"), REAL, ids=[one[1] for one in REAL])
def test_a_real_file(data, fmt, file, reader):
    content = (data / file).read_bytes()
    same(content, Path(file).name, fmt, reader(content))


@each("share", [0.2, 0.5, 0.77, 0.95])
def test_a_real_fit_that_is_cut_off_keeps_what_fitdecode_reads(data, share):
    content = (data / "fit/fit-sample.fit").read_bytes()
    part = content[: int(len(content) * share)]
    same(part, "cut.fit", "fit", readers.by_fitdecode(part))


@each("before", [b"", b"log of a bicycle ride\nreceiver: GlobalSat\n\n"])
def test_a_real_nmea_log_with_and_without_prose_before_it(data, before):
    content = (data / "nmea/backfilldate.nmea").read_bytes()
    reading = read(io.BytesIO(before + content), name="log.txt")
    assert reading.report.format == "nmea"
    expected = [place for _, *place in readers.by_sentences(content)]
    [one] = reading.series
    np.testing.assert_allclose(np.column_stack([one.lon, one.lat]), expected, atol=1e-6)


def test_gz_members_of_an_archive_as_strava_exports_them(data):
    files = {"gpx/run.gpx": readers.by_gpxpy, "fit/fit-sample.fit": readers.by_fitdecode}
    files["tcx/gtrnctr-readcp.tcx"] = readers.by_trackpoints
    members = {f"activities/{i}{Path(name).suffix}.gz": gzip.compress((data / name).read_bytes())
               for i, name in enumerate(files)}  # fmt: skip
    packed = zipped(**{"activities.csv": 'Activity ID,Activity Date,Activity Name\n1,"Oct 2, 2020",Run\n'}, **members)
    same(packed, "export_1.zip", "zip", [row for name, by in files.items() for row in by((data / name).read_bytes())])


def test_tables_by_pandas(table, tmp_path):
    table.to_feather(tmp_path / "w.feather")
    zoneless = table.assign(time=pd.to_datetime(table["time"]).dt.tz_localize(None))
    zoneless.to_excel(tmp_path / "w.xlsx", index=False)
    for lines in (False, True):
        name = "w.jsonl" if lines else "w.json"
        table.to_json(tmp_path / name, orient="records", lines=lines, double_precision=12)
    by = {"feather": pd.read_feather, "xlsx": pd.read_excel, "json": pd.read_json}
    for path in tmp_path.iterdir():
        fmt = path.suffix[1:].removesuffix("l")
        back = by[fmt](path, lines=True) if path.suffix == ".jsonl" else by[fmt](path)
        same(path.read_bytes(), path.name, fmt, readers.rows_of(back["time"], back["lon"], back["lat"]))


@each("system", ["EPSG:4326", "EPSG:32650", "EPSG:3857"])
def test_geoparquet_and_geofeather_by_geopandas(frame, system):
    for fmt in ("parquet", "feather"):
        out = io.BytesIO()
        getattr(frame.to_crs(system), f"to_{fmt}")(out)
        back = getattr(geopandas, f"read_{fmt}")(io.BytesIO(out.getvalue()))
        same(out.getvalue(), f"walks.{fmt}", fmt, of_frame(back))


@pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:32650"])
def test_vector_files_by_geopandas(frame, tmp_path, system):
    drivers = {"w.fgb": ("flatgeobuf", "FlatGeobuf"), "w.gpkg": ("geopackage", "GPKG"), "w.shp": ("shapefile", None)}
    if system == "EPSG:4326":
        drivers |= {"w.geojson": ("geojson", "GeoJSON"), "w.geojsonl": ("geojsonseq", "GeoJSONSeq")}
    for name, (fmt, driver) in drivers.items():
        path = tmp_path / fmt / name
        path.parent.mkdir()
        frame.to_crs(system).to_file(path, driver=driver)
        parts = {part.name: part.read_bytes() for part in path.parent.iterdir()}
        same(zipped(**parts) if len(parts) > 1 else parts[name], name, fmt, of_frame(geopandas.read_file(path)))


@each("column", ["WKT", "EWKT", "WKB", "big-endian WKB", "EWKB", "PostGIS WKB"])
def test_columns_of_geometries_by_shapely(frame, column):
    points = frame.geometry.to_numpy()
    wkt = shapely.to_wkt(points, rounding_precision=9)
    ewkb = shapely.to_wkb(shapely.set_srid(points, 4326), hex=True, include_srid=True)
    texts = {
        "WKT": wkt,
        "EWKT": [f"SRID=4326;{text}" for text in wkt],
        "WKB": shapely.to_wkb(points, hex=True),
        "big-endian WKB": shapely.to_wkb(points, hex=True, byte_order=0),
        "EWKB": ewkb,
        "PostGIS WKB": [rf"\x{text}" for text in ewkb],
    }[column]
    out = frame[["walk", "time"]].assign(geom=texts).to_csv(index=False)
    cells = pd.read_csv(io.StringIO(out))["geom"].str.replace("SRID=4326;", "").str.removeprefix(r"\x")
    back = geopandas.GeoSeries((shapely.from_wkt if "WKT" in column else shapely.from_wkb)(cells.tolist()))
    same(out.encode(), "walks.csv", "wkt", readers.rows_of(frame["time"], back.x, back.y))


def collection(frame):
    timed = frame.assign(t=pd.to_datetime(frame["time"]).dt.tz_localize(None))[["walk", "t", "geometry"]]
    return movingpandas.TrajectoryCollection(timed, "walk", t="t")


@pytest.mark.slow
def test_moving_features_by_movingpandas(frame, tmp_path):
    found = collection(frame)
    path = tmp_path / "walks.mfjson"
    path.write_text(json.dumps(found.to_mf_json()))
    back = movingpandas.read_mf_json(str(path), traj_id_property="walk")
    frames = [one.df for one in back]
    rows = [row for df in frames for row in readers.rows_of(df.index.to_series(), df.geometry.x, df.geometry.y)]
    same(path.read_bytes(), "walks.mfjson", "mfjson", rows)


@pytest.mark.parametrize(
    ("fmt", "name", "driver"),
    [("geopackage", "l.gpkg", "GPKG"), ("flatgeobuf", "l.fgb", "FlatGeobuf"), ("geojson", "l.geojson", "GeoJSON")],
)
def test_lines_of_movingpandas(frame, tmp_path, fmt, name, driver):
    lines = collection(frame).to_line_gdf()
    more = {"SPATIAL_INDEX": "NO"} if driver == "FlatGeobuf" else {}
    lines.to_file(tmp_path / name, driver=driver, **more)
    kept = {
        (row.walk, pd.Timestamp(time).timestamp(), *place)
        for row in geopandas.read_file(tmp_path / name).itertuples()
        for time, place in zip((row.prev_t, row.t), row.geometry.coords, strict=True)
    }  # both ends of each segment
    same((tmp_path / name).read_bytes(), name, fmt, [place for _, *place in kept])


def test_no_format_is_left_out():
    """Each is in the table of real files, or in a test above under its name."""
    text = Path(__file__).read_text()
    named = {fmt for fmt, *_ in REAL} | {one.name for one in formats() if f'"{one.name}"' in text} | {"gtfs"}
    assert {one.name for one in formats() if not one.hidden} <= named
