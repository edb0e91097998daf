"""Every export of trajectories by a reader that is not ours: each point, time and name, and the label."""

import json
import sqlite3
from contextlib import closing

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from privacy_engine.data import Trajectory
from privacy_engine.exports import FORMATS, write
from privacy_engine.formats.arrow import pq
from tests.examples import examples

LABEL = {"text": "ε = 1 within 200 m", "epsilon": 1.0, "radius_m": 200.0, "guarantee": {"assumptions": ["é漢字"]}}
SERIES = [
    Trajectory([1.0, 2.0, 3.1234567], [4.0, 5.0, 6.25], [1.2e9, 1.2e9 + 60, 1.2e9 + 61.25], "a,1\nb", None, "=anna"),
    Trajectory([-180.0, 180.0, 0.0], [90.0, -90.0, 0.0], [-2e9, -0.001, 0.0], "漢字 🙂", None, 'é "b"'),
    Trajectory([5.0, 5.0], [6.0, 6.0], [1.3e9, 1.3e9 + 1], "again", None, "=anna"),
]


def exported(series, fmt, folder):
    path = folder / f"release.{FORMATS[fmt].extension}"
    with path.open("wb") as out:
        write(series, fmt, out, label=LABEL)
    return path


def rows_of(series):
    several = len({one.person for one in series}) > 1
    found = []
    for one in series:
        millis = [None] * len(one) if one.time_s is None else np.round(one.time_s * 1e3).astype(int).tolist()
        places = zip(np.round(one.lon, 7).tolist(), np.round(one.lat, 7).tolist(), strict=True)
        found += [(one.name, one.person if several else "", t, *place) for t, place in zip(millis, places, strict=True)]
    return found


def _millis(times):
    import pandas as pd

    return pd.to_datetime(times, utc=True, format="ISO8601").astype("datetime64[ms, UTC]").astype("int64").tolist()


def of_frame(frame):
    """The rows of a GeoDataFrame of points."""
    people = frame["person"] if "person" in frame else [""] * len(frame)
    times = _millis(frame["time"]) if len(frame) and frame["time"].notna().all() else [None] * len(frame)
    return list(zip(frame["series"], people, times, frame.geometry.x, frame.geometry.y, strict=True))


def by_pandas(path):
    import pandas as pd

    frame = pd.read_csv(path, keep_default_na=False)
    bare = [frame[name].str.replace(r"^'", "", regex=True) for name in ("series", "person")]
    rows = list(zip(*bare, _millis(frame["time"].str.replace("Z", "")), frame["lon"], frame["lat"], strict=True))
    return rows, json.loads(frame["privacy_label_json"][0])


def by_pyarrow(path):
    table = pq.read_table(path)
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    times = [None if time is None else round(time.timestamp() * 1e3) for time in columns["time"]]
    rows = list(zip(columns["series"], columns["person"], times, columns["lon"], columns["lat"], strict=True))
    return rows, json.loads(table.schema.metadata[b"cairn"])


def by_geopandas_parquet(path):
    import geopandas

    frame = geopandas.read_parquet(path)
    assert frame.crs == "OGC:CRS84"
    about = pq.read_schema(path).metadata
    geo = json.loads(about[b"geo"])
    assert geo["version"] == "1.1.0"
    np.testing.assert_allclose(geo["columns"]["geometry"]["bbox"], frame.total_bounds, atol=1e-9)
    return of_frame(frame), json.loads(about[b"cairn"])


def by_geopandas_geopackage(path):
    import geopandas
    import pyogrio

    known = pyogrio.read_info(path)
    assert (known["driver"], known["geometry_type"], known["crs"]) == ("GPKG", "Point", "EPSG:4326")
    assert known["ogr_types"][-1] == "OFTDateTime"
    with closing(sqlite3.connect(path)) as database:
        assert database.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        (label,) = database.execute("SELECT metadata FROM gpkg_metadata").fetchone()
    frame = geopandas.read_file(path)
    np.testing.assert_allclose(known["total_bounds"], frame.total_bounds, atol=1e-9)
    return of_frame(frame), json.loads(label)


def by_movingpandas_points(path):
    """As its users do: geopandas, then a collection of trajectories, in the order of their names."""
    import geopandas
    import movingpandas

    frame = geopandas.read_file(path)
    assert str(frame["time"].dtype) == "datetime64[ms, UTC]"
    found = movingpandas.TrajectoryCollection(frame, traj_id_col="series", t="time", min_length=-1)
    people = dict(zip(frame["series"], frame["person"], strict=True))
    rows = [row for one in found for row in _of_trajectory(one, people)]
    assert sorted(rows) == sorted(of_frame(frame))
    return of_frame(frame), json.loads(path.read_text())["privacy"]


def by_movingpandas_moving_features(path):
    import movingpandas

    document = json.loads(path.read_text())
    people = {one["properties"]["series"]: one["properties"]["person"] for one in document["features"]}
    found = movingpandas.read_mf_json(str(path), traj_id_property="series")
    return [row for one in found for row in _of_trajectory(one, people)], document["privacy"]


def _of_trajectory(one, people):
    """The rows of a trajectory of MovingPandas, which keeps no other text of a moving feature than its id."""
    times = _millis(one.df.index.to_series())
    places = zip(one.df.geometry.x, one.df.geometry.y, strict=True)
    return [(one.id, people[one.id], time, *place) for time, place in zip(times, places, strict=True)]


def by_json_lines(path):
    """Lines as web maps read them: coordinates and a list of times."""
    document = json.loads(path.read_text())
    rows = []
    for feature in document["features"]:
        own, places = feature["properties"], feature["geometry"]["coordinates"]
        times = _millis(np.array([time.removesuffix("Z") for time in own["coordTimes"]], dtype="M8[ms]"))
        rows += [(own["series"], own["person"], t, x, y) for t, (x, y) in zip(times, places, strict=True)]
    return rows, document["privacy"]


def by_kepler(path):
    """Trips as kepler.gl reads them: [longitude, latitude, altitude, seconds since 1970]."""
    document = json.loads(path.read_text())
    rows = []
    for feature in document["features"]:
        assert feature["geometry"]["type"] == "LineString"
        own = feature["properties"]
        for x, y, altitude, time in feature["geometry"]["coordinates"]:
            assert altitude == 0
            rows.append((own["series"], own["person"], round(time * 1e3), x, y))
    return rows, document["privacy"]


def by_gpxpy(path):
    import gpxpy

    document = gpxpy.parse(path.read_text())
    rows = []
    for track in document.tracks:
        person = track.extensions[0].text
        for point in track.segments[0].points:
            rows.append((track.name, person, round(point.time.timestamp() * 1e3), point.longitude, point.latitude))
    return rows, json.loads(document.metadata_extensions[0].text)


READERS = {
    "csv": by_pandas,
    "parquet": by_pyarrow,
    "geoparquet": by_geopandas_parquet,
    "gpkg": by_geopandas_geopackage,
    "geojson": by_json_lines,
    "geojson-points": by_movingpandas_points,
    "kepler": by_kepler,
    "mfjson": by_movingpandas_moving_features,
    "gpx": by_gpxpy,
}
WARNINGS = ("ignore::UserWarning", "ignore::DeprecationWarning", "ignore::FutureWarning", "ignore::RuntimeWarning")


def same(rows, series):
    wanted = rows_of(series)
    assert [row[:3] for row in rows] == [row[:3] for row in wanted]
    np.testing.assert_allclose([row[3:] for row in rows], [row[3:] for row in wanted], atol=1e-9, rtol=0)


@pytest.mark.filterwarnings(*WARNINGS)
@pytest.mark.parametrize("fmt", FORMATS)
def test_another_reader_finds_every_point_time_and_name_and_the_label(fmt, tmp_path):
    rows, label = READERS[fmt](exported(SERIES, fmt, tmp_path))
    same(rows, SERIES)
    assert label == LABEL


@pytest.mark.filterwarnings(*WARNINGS)
@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@pytest.mark.parametrize("fmt", ["gpkg", "geoparquet"])
@given(data=st.data())
def test_geopandas_finds_whatever_is_written(fmt, data, tmp_path):
    names = st.text(st.characters(exclude_categories=["Cc", "Cs", "Cn"]), min_size=1, max_size=9)
    series = []
    for name in data.draw(st.lists(names, min_size=1, max_size=3, unique=True)):
        n = data.draw(st.integers(0, 4))
        lon, lat = (data.draw(st.lists(st.floats(-most, most), min_size=n, max_size=n)) for most in (180, 90))
        millis = np.sort(np.array(data.draw(st.lists(st.integers(-(10**12), 4 * 10**12), min_size=n, max_size=n))))
        series.append(Trajectory(lon, lat, millis / 1e3, name, None, data.draw(names)))
    path = exported(series, fmt, tmp_path)
    if not rows_of(series):
        return
    import geopandas

    same(of_frame(geopandas.read_parquet(path) if fmt == "geoparquet" else geopandas.read_file(path)), series)
