"""Geometries: WKB, text, GeoPackage, GeoParquet, shapefiles and FlatGeobuf, compared with shapely and geopandas."""

import io
import json
import sqlite3
from contextlib import closing, suppress

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats import crs
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.geopackage import _opened
from privacy_engine.formats.wkb import positions
from tests.cases import each, refusal
from tests.engine.damaged_files import refused as typed
from tests.engine.format_samples import CSV, GEOPACKAGE, geopackage, read_bytes, refused, shows, zipped
from tests.engine.frame_sample import FIX, fixes, matches_frame
from tests.later import geopandas
from tests.later import pandas as pd

POINT = shapely.Point(13.405, 52.52)
NOON = "2024-06-15T12:00:00Z"
COORDINATES = st.tuples(st.floats(-180, 180), st.floats(-90, 90))
LINES = st.lists(COORDINATES, min_size=2, max_size=5)


class TestWkb:
    @given(
        st.one_of(
            COORDINATES.map(shapely.Point),
            LINES.map(shapely.LineString),
            st.lists(COORDINATES, min_size=1, max_size=4).map(shapely.MultiPoint),
            st.lists(LINES, min_size=1, max_size=3).map(shapely.MultiLineString),
        ),
        st.sampled_from([0, 1]),
        st.sampled_from(["iso", "extended"]),
        st.booleans(),
        st.booleans(),
    )
    def test_reads_what_shapely_writes(self, one, order, flavor, high, srid):
        one = shapely.force_3d(one, 7.0) if high else one
        one = shapely.set_srid(one, 4326) if srid else one
        blob = shapely.to_wkb(one, byte_order=order, flavor=flavor, include_srid=srid and flavor == "extended")
        found = positions([blob])
        assert np.array_equal(np.column_stack([found.lon, found.lat]), shapely.get_coordinates(one))
        assert not found.reasons.any()

    def test_the_quick_way_and_the_slow_way_agree(self):
        blobs = [shapely.to_wkb(shapely.Point(x, x / 2)) for x in range(50)]
        quick, slow = positions(blobs), positions([*blobs, None])
        assert quick.lon.tolist() == slow.lon[:-1].tolist()
        assert quick.row.tolist() == slow.row[:-1].tolist()

    @each(
        ("blob", "reason"),
        [
            *((None, 5), (shapely.to_wkb(shapely.Point()), 1), (shapely.to_wkb(shapely.LineString()), 1)),
            *((shapely.to_wkb(shapely.box(0, 0, 1, 1)), 6), (b"", 7), (b"\x01\x01\0\0\0", 7)),
            *((b"\x02\x01\0\0\0" + bytes(16), 7), (b"\x01\x02\0\0\0\xff\xff\xff\xff" + bytes(32), 7)),
            (b"\x01\x05\0\0\0\xff\xff\xff\xff" + bytes(32), 7),
            (b"\x01\x04\0\0\0\x01\0\0\0" + shapely.to_wkb(shapely.LineString([(0, 0), (1, 1)])), 7),
            ((b"\x01\x07\0\0\0\x01\0\0\0" * 100_000) + shapely.to_wkb(POINT), 6),
        ],
    )
    def test_what_has_no_position_has_a_reason(self, blob, reason):
        found = positions([blob])
        assert found.reasons.tolist() == [reason]

    @given(st.binary(max_size=60))
    def test_any_bytes(self, blob):
        found = positions([blob])
        assert len(found.lon) == len(found.row) == len(found.reasons)
        assert np.isfinite(found.lon[found.reasons == 0]).all()


class TestText:
    def test_tables_records_and_parquet(self):
        points = shapely.to_wkt(shapely.points(fixes()["lon"], fixes()["lat"]), rounding_precision=-1)
        frame, out = fixes()[["user", "time"]].assign(geom=points), io.BytesIO()
        for separator in (",", ";", "\t", "|"):
            matches_frame(frame.to_csv(index=False, sep=separator).encode(), "x.csv", "wkt")
        matches_frame(frame.to_json(orient="records", date_format="iso").encode(), "x.json", "json")
        frame.to_parquet(out)
        matches_frame(out.getvalue(), "x.parquet", "parquet")

    def test_lines_polygons_damage_and_coordinate_systems(self):
        cells = ["LINESTRING (1 2, 3 4)", "POLYGON ((0 0, 1 0, 1 1, 0 0))", "POINT EMPTY", "POINT (1)", ""]
        frame = pd.DataFrame({"n": range(7), "geom": [*cells, "GEOMETRYCOLLECTION EMPTY", "POINT (1e999 2)"]})
        dropped = {"unsupported_geometry": 2, "missing": 2, "bad_geometry": 1, "null_geometry": 1}
        shows(frame.to_csv(index=False).encode(), points=2, dropped=dropped)
        found = read_bytes(b"id,geom\n1,SRID=3857;POINT (1491636.97 6894701.26)\n")
        assert found.series[0].lon[0] == pytest.approx(13.3995, abs=1e-3)

    def test_collections_in_collections_never_reach_the_parser(self):
        def table(depth):
            deep = "GEOMETRYCOLLECTION(" * depth + "POINT (1 2)" + ")" * depth
            return f'id,geom\n1,POINT (1 2)\n2,"{deep}"\n'.encode()

        refused(table(20_000), "line_too_long")  # more than 64 kB
        shows(table(3000), dropped={"unsupported_geometry": 1})


class TestGeoPackage:
    def test_positions_times_series_and_another_database(self):
        shows(GEOPACKAGE, series=[("a", 2), ("b", 1)], seconds=[FIX, FIX + 60, FIX + 120])
        mercator = geopackage("UPDATE gpkg_spatial_ref_sys SET organization_coordsys_id = 3857")
        assert read_bytes(mercator).series[0].lat[0] == pytest.approx(0.00047, abs=1e-4)
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute("CREATE TABLE t (x)")
            data = database.serialize()
        with pytest.raises(FormatError, match="no GeoPackage"):
            read_bytes(data)

    def test_a_database_that_waits_for_its_log_is_read_alone(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        file = tmp_path / "wal.gpkg"
        file.write_bytes(GEOPACKAGE[:18] + b"\2\2" + GEOPACKAGE[20:])
        with file.open("rb") as stream:
            assert len(read_bytes(stream.read())) == 3
        assert [path.name for path in tmp_path.iterdir()] == ["wal.gpkg"]

    def test_tables_without_times_are_left_out_where_others_have_them(self):
        script = (
            "CREATE TABLE stops (fid INTEGER PRIMARY KEY, geom POINT, name TEXT);"
            "INSERT INTO stops SELECT fid, geom, 'x' FROM fixes;"
            "INSERT INTO gpkg_geometry_columns VALUES ('stops', 'geom', 'POINT', 4326, 0, 0)"
        )
        found = shows(geopackage(script), points=3)
        assert "left_out" in {note["code"] for note in found.report.notes}

    @each(
        "script",
        [
            "ALTER TABLE fixes RENAME TO real; CREATE VIEW fixes AS SELECT * FROM real",
            "DROP TABLE fixes; CREATE VIEW fixes AS SELECT randomblob(1000000000) AS geom, 1 AS t",
            *("DELETE FROM gpkg_geometry_columns", "DROP TABLE gpkg_geometry_columns", "DELETE FROM fixes"),
            *("UPDATE gpkg_geometry_columns SET column_name = 'nothing'", "UPDATE fixes SET geom = 'text'"),
            "UPDATE fixes SET geom = zeroblob(40)",
        ],
    )
    def test_a_wrong_schema_is_refused(self, script):
        refused = refusal(FormatError, read_bytes, geopackage(script))
        assert refused.code in ("no_points", "other_kind", "bad_geopackage")

    def test_nothing_but_plain_tables_is_read(self):
        with _opened(GEOPACKAGE) as database:
            for statement in ("SELECT abs(1)", "PRAGMA journal_mode", "ATTACH ':memory:' AS a", "CREATE TABLE a (b)"):
                refusal(sqlite3.DatabaseError, database.execute, statement)
            assert len(database.execute("SELECT * FROM fixes").fetchall()) == 3

    def test_a_generated_column_runs_nothing(self):
        script = (
            "CREATE TABLE more (fid INTEGER PRIMARY KEY, geom POINT, t TEXT,"
            " bomb TEXT GENERATED ALWAYS AS (hex(zeroblob(20000000))) VIRTUAL);"  # beyond our limit where it is read
            "INSERT INTO more (geom, t) SELECT geom, t FROM fixes;"
            "UPDATE gpkg_geometry_columns SET table_name = 'more'"
        )
        assert len(read_bytes(geopackage(script))) == 3

    @each("at", [20, 60, 100, 500, 4096, 5000, 9000])
    def test_a_file_cut_off_or_overwritten(self, at):
        for data in (GEOPACKAGE[:at], GEOPACKAGE[:at] + b"\xff" * 200 + GEOPACKAGE[at + 200 :]):
            with suppress(FormatError):  # and nothing else
                assert len(read_bytes(data)) <= 3


class TestGeoParquet:
    def file(self, geometry, geo, **columns):
        out = io.BytesIO()
        geo = geo if isinstance(geo, str) else json.dumps({"primary_column": "where", "columns": {"where": geo}})
        pq.write_table(pa.table({"where": geometry, **columns}).replace_schema_metadata({"geo": geo}), out)
        return out.getvalue()

    def test_binary_structures_and_metadata_that_mean_nothing(self):
        blobs = [shapely.to_wkb(shapely.Point(x, 50)) for x in (1, 2, 3)] + [None]
        data = self.file(blobs, {"encoding": "WKB"}, time=[NOON] * 4, user=["a", "b", "a", "b"])
        shows(data, series=[("a", 2), ("b", 1)], dropped={"null_geometry": 1}, lon=[1, 3, 2], seconds=[FIX] * 3)
        data = self.file([{"x": 1.0, "y": 2.0}, {"x": None, "y": 2.0}, None], {"encoding": "point"})
        shows(data, lon=[1.0], lat=[2.0], dropped={"missing": 1, "null_geometry": 1})
        for geo in ("[]", "{", '{"columns": 1}', '{"primary_column": "none", "columns": {"x": null}}'):
            out = io.BytesIO()
            pq.write_table(pa.table({"geometry": [shapely.to_wkb(POINT)]}).replace_schema_metadata({"geo": geo}), out)
            shows(out.getvalue(), points=1)


def frame(system="EPSG:4326"):
    """Three fixes of two people in Berlin."""
    points = geopandas.points_from_xy([13.4, 13.5, 13.6], [52.5, 52.6, 52.7], crs="EPSG:4326")
    times = [f"2024-06-15T12:0{i}:00Z" for i in range(3)]
    return geopandas.GeoDataFrame({"user": ["a", "a", "b"], "time": times}, geometry=points).to_crs(system)


def shapefile(folder, system="EPSG:4326"):
    """The parts of a shapefile."""
    frame(system).to_file(folder / "fixes.shp")
    return {f"export/{path.name}": path.read_bytes() for path in sorted(folder.glob("fixes.*"))}


def flatgeobuf(folder, system="EPSG:4326"):
    frame(system).to_file(folder / "fixes.fgb", driver="FlatGeobuf", SPATIAL_INDEX="NO")
    return (folder / "fixes.fgb").read_bytes()


WRITERS = {"shapefile": lambda *given: zipped(**shapefile(*given)), "flatgeobuf": flatgeobuf}


class TestVectorFiles:
    @pytest.mark.parametrize("format", WRITERS)
    @pytest.mark.parametrize("system", ["EPSG:4326", "EPSG:32633", "EPSG:3857", "EPSG:2180", "EPSG:27700"])
    def test_points_times_and_people_are_those_of_geopandas(self, tmp_path, format, system):
        data, times = WRITERS[format](tmp_path, system), [FIX, FIX + 60, FIX + 120]
        found = shows(data, format=format, people=[("a", "a"), ("b", "b")], series=[("a", 2), ("b", 1)], seconds=times)
        lon, lat = (np.concatenate([getattr(one, axis) for one in found.series]) for axis in ("lon", "lat"))
        assert lon == pytest.approx(frame().geometry.x, abs=1e-7)
        assert lat == pytest.approx(frame().geometry.y, abs=1e-7)

    def test_a_part_of_a_shapefile_is_refused_with_advice(self, tmp_path):
        parts = shapefile(tmp_path)
        advice = ".shp, .shx, .dbf and .prj into one ZIP"
        refused(parts["export/fixes.shp"], "part_of_shapefile", advice, "fixes.shp")
        bomb = zipped(**parts | {"export/fixes.dbf": b"\0" * 50_000_000})
        refused(bomb, "compression_ratio", name="x.zip")
        del parts["export/fixes.dbf"]
        refused(zipped(**parts), "part_of_shapefile", "lacks its .dbf", "x.zip")
        shows(zipped(a=CSV), "x.zip", format="zip")

    @pytest.mark.parametrize("part", [".shp", ".shx", ".dbf", ".prj"])
    def test_damaged_parts_are_refused_or_read(self, tmp_path, part):
        rng, parts, name = np.random.default_rng(6), shapefile(tmp_path), f"export/fixes{part}"
        for _ in range(30):
            damaged = bytearray(parts[name])
            for at in rng.integers(0, len(damaged), 4):
                damaged[at] = rng.integers(0, 256)
            data = zipped(**parts | {name: bytes(damaged[: rng.integers(1, len(damaged) + 1)])})
            typed(lambda data=data: read_bytes(data, "x"))

    @each("name", ["EPSG:999999", "+proj=utm +zone=33", "+init=epsg:4326", "/etc/passwd", "PROJCS[]"])
    def test_systems_without_a_known_code_are_refused(self, name):
        error = refusal(FormatError, crs.to_degrees, np.array([1.0]), np.array([2.0]), name)
        assert (error.code, error.field, "is not known" in error.message) == ("unsupported_crs", "crs", True)
