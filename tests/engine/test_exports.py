"""What is exported is read back, carries its label, and can hurt neither a spreadsheet nor a parser.

Every export of trajectories is read by a reader that is not ours too: each point, time and name, and the label.
"""

import csv
import io
import json
import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import gpxpy
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine import exports
from privacy_engine.data import Trajectory
from privacy_engine.data.trajectories import together
from privacy_engine.errors import FormatError, ParameterError
from privacy_engine.exports import geojson
from privacy_engine.formats import read
from privacy_engine.formats.arrow import pq
from tests.cases import each, refusal
from tests.engine.recorded import whole
from tests.later import geopandas, movingpandas, pyogrio
from tests.later import pandas as pd

LABEL = {"text": "Planar Laplace,\n ε = 1 at 200 m", "epsilon": 1.0, "level": "event"}
AWKWARD = ["", "u1", "<img src=x onerror=alert(1)>", "</script>", "=1+1", "'=1+1", "-2+3", "@SUM(A1)", "\t=1", "\r=1"]
AWKWARD += [
    *('type "hi", you', "two\nlines", "\x00nul\x01", "é漢字🙂", "]]>", "&amp;", "'", "a;b|c", "{{7*7}}", "  padded "),
]
FORMATS = sorted(exports.FORMATS)


def exported(series, fmt, label=None):
    out = io.BytesIO()
    exports.write(series, fmt, out, label=LABEL if label is None else label)
    return out.getvalue()


def again(series, fmt):
    return read(io.BytesIO(exported(series, fmt)), name=f"release.{fmt}", zeros="position")


def track(name="u1", n=3, *, timed=True):
    steps = np.arange(n)
    return Trajectory(116.31 + steps * 1e-4, 39.98 + steps * 1e-4, 1.2e9 + steps * 60.0 if timed else None, name)


def clean(name):
    """The name as every format can carry it."""
    return re.sub("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", name)


@st.composite
def series_lists(draw):
    names = draw(st.lists(st.sampled_from(AWKWARD) | st.text(max_size=12), min_size=1, max_size=4, unique=True))
    timed = draw(st.booleans())
    made = []
    for name in names:
        n = draw(st.integers(1, 6))
        lon = draw(st.lists(st.floats(-180, 180), min_size=n, max_size=n))
        lat = draw(st.lists(st.floats(-90, 90), min_size=n, max_size=n))
        millis = draw(st.lists(st.integers(-2_000_000_000_000, 4_000_000_000_000), min_size=n, max_size=n))
        made.append(Trajectory(lon, lat, np.sort(np.array(millis)) / 1e3 if timed else None, name))
    return made


@pytest.mark.parametrize("fmt", FORMATS)
@given(series=series_lists())
def test_what_is_written_is_read_back(fmt, series):
    names = [clean(one.name) for one in series]
    if len(set(names)) < len(names):  # names that become one name in the file are one series in the file
        return
    assert exported(together(series), fmt) == exported(series, fmt)
    back = again(series, fmt)
    assert [one.name for one in back.series] == names
    for one, two in zip(series, back.series, strict=True):
        assert np.abs(one.lon - two.lon).max() <= 1e-7
        assert np.abs(one.lat - two.lat).max() <= 1e-7
        if one.time_s is None:
            assert two.time_s is None
        else:
            assert two.time_s is not None
            assert np.abs(one.time_s - two.time_s).max() <= 5e-4


@pytest.mark.slow
@pytest.mark.parametrize("fmt", FORMATS)
@given(series=series_lists(), whose=st.lists(st.integers(0, 2), min_size=4, max_size=4), data=st.data())
def test_people_are_read_back(fmt, series, whose, data):
    people = data.draw(st.lists(st.sampled_from([*AWKWARD, "anna"]).filter(str.strip), min_size=3, max_size=3))
    owned = [replace(one, person=people[i]) for one, i in zip(series, whose, strict=False)]
    persons = [clean(one.person).strip() for one in owned]
    if len({clean(one.name) for one in series}) < len(series) or not all(persons):
        return
    back = again(owned, fmt)
    several = len({one.person for one in owned}) > 1
    assert [one.person.strip() for one in back.series] == (persons if several else [""] * len(owned))


@each("fmt", FORMATS)
def test_only_several_people_are_named(fmt):
    one = replace(track("a"), person="anna")
    assert b"anna" not in exported([one, replace(track("b"), person="anna")], fmt)
    back = again([one, replace(track("b"), person="bob"), replace(track("c"), person="anna")], fmt)
    assert [(each.name, each.person) for each in back.series] == [("a", "anna"), ("b", "bob"), ("c", "anna")]
    assert back.report.people["count"] == 2


@each("fmt", FORMATS)
def test_two_exports_are_the_same_bytes_and_those_of_nothing_are_read_as_empty(fmt):
    assert exported([track()], fmt) == exported([track()], fmt)
    for series in ([], [Trajectory([], [], [], "u1")], [Trajectory([], [], None, "u1")]):
        with pytest.raises(FormatError):
            again(series, fmt)
    assert refusal(ParameterError, exports.write, [track()], "xlsx", io.BytesIO(), label=LABEL).field == "format"


class TestCsv:
    def rows(self, series, label=None):
        return list(csv.reader(io.StringIO(exported(series, "csv", label).decode(), newline="")))

    def test_columns_and_cells(self):
        header, first, second, _ = self.rows([track()])
        assert header == ["series", "time", "lon", "lat", "privacy_label", "privacy_label_json"]
        assert first[:4] == ["u1", "2008-01-10T21:20:00.000Z", "116.3100000", "39.9800000"]
        assert (first[4], json.loads(first[5])) == ("Planar Laplace, ε = 1 at 200 m", LABEL)
        assert second[-2:] == ["", ""]
        rows = self.rows([Trajectory([1, 2], [1, 2], [0.0, 0.25], "")])
        assert [row[1] for row in rows[1:]] == ["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.250Z"]
        for name in ("=1+1", "+1-2", "-2+3", "@SUM(A1:A9)", "\t=1+1", "\r=1"):  # a formula is never bare
            rows = self.rows([track(name)], {"text": name.strip()})
            assert (rows[1][0], rows[1][4][0]) == ("'" + name, "'")

    def test_negative_numbers_stay_numbers(self):
        row = self.rows([Trajectory([-70.6, -1e-9], [-33.86, 0.0], [0.0, 1.0], "u")])
        assert row[1][2:4] == ["-70.6000000", "-33.8600000"]
        assert row[2][2:4] == ["0.0000000", "0.0000000"]


def test_geojson_has_lines_points_and_nothing():
    series = [track(), track("one", 1), Trajectory([], [], [], "none"), track("</script>")]
    document = json.loads(exported(series, "geojson"))
    line, point, nothing, script = document["features"]
    assert (document["type"], document["privacy"]) == ("FeatureCollection", LABEL)
    assert line["geometry"]["type"] == "LineString"
    assert line["properties"]["coordTimes"][0] == "2008-01-10T21:20:00.000Z"
    assert point["geometry"] == {"type": "Point", "coordinates": [116.31, 39.98]}
    assert nothing["geometry"] is None
    assert script["properties"]["series"] == "</script>"
    (untimed,) = json.loads(exported([track(timed=False)], "geojson"))["features"]
    assert "coordTimes" not in untimed["properties"]


@each("fmt, timed", [("geojson", True), ("geojson", False), ("mfjson", False)])
def test_a_line_is_cut_where_it_crosses_180_degrees(fmt, timed, monkeypatch):
    monkeypatch.setattr("privacy_engine.exports.geojson.CHUNK", 2)
    monkeypatch.setattr("privacy_engine.exports.columns.CHUNK", 2)
    ship = Trajectory([178.0, 179.0, -178.0, -179.0, 177.0], np.arange(5.0) * 3, np.arange(5) * 30.0, "ship")
    series = [ship if timed else replace(ship, time_s=None), track(timed=timed)]
    (line, other) = json.loads(exported(series, fmt))["features"]
    assert line["geometry"] == {
        "type": "MultiLineString",
        "coordinates": [
            [[178.0, 0.0], [179.0, 3.0], [180, 4.0]],
            [[-180, 4.0], [-178.0, 6.0], [-179.0, 9.0], [-180, 9.75]],
            [[180, 9.75], [177.0, 12.0]],
        ],
    }
    if timed:
        seconds = [["00", "30", "40"], ["40", "00", "30", "37"], ["37", "00"]]
        seen = [[text[17:19] for text in part] for part in line["properties"]["coordTimes"]]
        assert seen == seconds
    assert other["geometry"]["type"] == "LineString"
    back = again(series, fmt)
    assert [one.lon.tolist() for one in back.series] == [np.round(one.lon, 7).tolist() for one in series]
    assert [one.time_s is not None for one in back.series] == [timed, timed]
    assert not back.report.dropped


FULL_LABEL = {"text": "ε = 1 within 200 m", "epsilon": 1.0, "radius_m": 200.0, "guarantee": {"assumptions": ["é漢字"]}}
SERIES = [
    Trajectory([1.0, 2.0, 3.1234567], [4.0, 5.0, 6.25], [1.2e9, 1.2e9 + 60, 1.2e9 + 61.25], "a,1\nb", None, "=anna"),
    Trajectory([-180.0, 180.0, 0.0], [90.0, -90.0, 0.0], [-2e9, -0.001, 0.0], "漢字 🙂", None, 'é "b"'),
    Trajectory([5.0, 5.0], [6.0, 6.0], [1.3e9, 1.3e9 + 1], "again", None, "=anna"),
]


@each(("points", "groups"), [([2, 1, 1, 5, 3], [4, 4, 4]), ([1, 3, 1, 3], [4, 4]), ([3], [3]), ([1, 2, 2], [5])])
def test_series_share_groups_of_rows(points, groups, monkeypatch):
    monkeypatch.setattr("privacy_engine.exports.parquet.CHUNK", 2)
    monkeypatch.setattr("privacy_engine.exports.parquet._ROW_GROUP", 4)
    about = pq.ParquetFile(io.BytesIO(exported([track(str(i), n) for i, n in enumerate(points)], "parquet"))).metadata
    assert [about.row_group(i).num_rows for i in range(about.num_row_groups)] == groups


def written_to(series, fmt, folder):
    path = folder / f"release.{exports.FORMATS[fmt].extension}"
    with path.open("wb") as out:
        exports.write(series, fmt, out, label=FULL_LABEL)
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
    return pd.to_datetime(times, utc=True, format="ISO8601").astype("datetime64[ms, UTC]").astype("int64").tolist()


def of_frame(frame):
    """The rows of a GeoDataFrame of points."""
    people = frame["person"] if "person" in frame else [""] * len(frame)
    times = _millis(frame["time"]) if len(frame) and frame["time"].notna().all() else [None] * len(frame)
    return list(zip(frame["series"], people, times, frame.geometry.x, frame.geometry.y, strict=True))


def by_pandas(path):
    frame = pd.read_csv(path, keep_default_na=False)
    bare = [frame[name].str.replace(r"^'", "", regex=True) for name in ("series", "person")]
    rows = list(zip(*bare, _millis(pd.to_datetime(frame["time"])), frame["lon"], frame["lat"], strict=True))
    return rows, json.loads(frame["privacy_label_json"][0])


def by_pyarrow(path):
    table = pq.read_table(path)
    columns = {name: table.column(name).to_pylist() for name in table.column_names}
    times = [None if time is None else round(time.timestamp() * 1e3) for time in columns["time"]]
    rows = list(zip(columns["series"], columns["person"], times, columns["lon"], columns["lat"], strict=True))
    return rows, json.loads(table.schema.metadata[b"cairn"])


def by_geopandas_parquet(path):
    frame = geopandas.read_parquet(path)
    assert frame.crs == "OGC:CRS84"
    about = pq.read_schema(path).metadata
    geo = json.loads(about[b"geo"])
    assert geo["version"] == "1.1.0"
    np.testing.assert_allclose(geo["columns"]["geometry"]["bbox"], frame.total_bounds, atol=1e-9)
    return of_frame(frame), json.loads(about[b"cairn"])


def by_geopandas_geopackage(path):
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
    frame = geopandas.read_file(path)
    assert str(frame["time"].dtype) == "datetime64[ms, UTC]"
    found = movingpandas.TrajectoryCollection(frame, traj_id_col="series", t="time", min_length=-1)
    people = dict(zip(frame["series"], frame["person"], strict=True))
    rows = [row for one in found for row in _of_trajectory(one, people)]
    assert sorted(rows) == sorted(of_frame(frame))
    return of_frame(frame), json.loads(path.read_text())["privacy"]


def by_movingpandas_moving_features(path):
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
        own, places, times = (
            feature["properties"],
            feature["geometry"]["coordinates"],
            feature["properties"]["coordTimes"],
        )
        if own.get("cut_at_180"):
            places, times = ([*first[:-1], *rest[1:]] for first, rest in (places, times))
        times = _millis(np.array([time.removesuffix("Z") for time in times], dtype="M8[ms]"))
        rows += [(own["series"], own["person"], t, x, y) for t, (x, y) in zip(times, places, strict=True)]
    return rows, document["privacy"]


def by_kepler(path):
    """Trips as kepler.gl reads them: [longitude, latitude, altitude, seconds since 1970]."""
    document = json.loads(path.read_text())
    rows = []
    for feature in document["features"]:
        assert feature["geometry"]["type"] == "LineString"
        own = feature["properties"]
        for x, y, altitude, at in feature["geometry"]["coordinates"]:
            assert altitude == 0
            rows.append((own["series"], own["person"], round(at * 1e3), x, y))
    return rows, document["privacy"]


def by_gpxpy(path):
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
@pytest.mark.parametrize("fmt", sorted(READERS))
def test_another_reader_finds_every_point_time_and_name_and_the_label(fmt, tmp_path):
    rows, label = READERS[fmt](written_to(SERIES, fmt, tmp_path))
    same(rows, SERIES)
    assert label == FULL_LABEL
    if fmt not in ("parquet", "geoparquet", "gpkg"):  # as a library writes them
        whole((tmp_path / f"release.{exports.FORMATS[fmt].extension}").read_bytes().decode())


def test_the_cuts_of_a_long_line_are_gone_through_once():
    class Cuts(dict):
        def items(self):
            gone.append(len(self))
            return super().items()

    gone = []
    pieces = [["a", "b"], ["c"], ["d", "e"]]
    assert list(geojson._joined_by_commas(pieces, Cuts({0: "<", 2: "|", 4: "|"}))) == ["<a,b", "|c", "d,|e"]
    assert gone == [3]
