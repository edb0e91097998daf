"""Geometries in binary: WKB, GeoPackage, GeoParquet. A file that is an SQL program is data all the same."""

import io
import json
import sqlite3
import struct
from contextlib import closing, suppress

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.errors import FormatError
from privacy_engine.formats.arrow import pa, pq
from privacy_engine.formats.wkb import positions
from tests.cases import each, refusal
from tests.engine.format_samples import GEOPACKAGE, geopackage, read_bytes, seconds

POINT = shapely.Point(13.405, 52.52)
NOON = "2024-06-15T12:00:00Z"
NOON_S = 1718452800.0
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
            (None, 5),
            (shapely.to_wkb(shapely.Point()), 1),
            (shapely.to_wkb(shapely.LineString()), 1),
            (shapely.to_wkb(shapely.box(0, 0, 1, 1)), 6),
            (b"", 7),
            (b"\x01\x01\0\0\0", 7),
            (b"\x02\x01\0\0\0" + bytes(16), 7),
            (b"\x01\x02\0\0\0\xff\xff\xff\xff" + bytes(32), 7),
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


class TestGeoPackage:
    def test_positions_times_and_series(self):
        reading = read_bytes(GEOPACKAGE)
        assert reading.report.series == [("a", 2), ("b", 1)]
        assert seconds(reading.series[0]) == [NOON_S, NOON_S + 60]

    def test_a_database_that_waits_for_its_log_is_read_alone(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        file = tmp_path / "wal.gpkg"
        file.write_bytes(GEOPACKAGE[:18] + b"\2\2" + GEOPACKAGE[20:])
        with file.open("rb") as stream:
            assert len(read_bytes(stream.read())) == 3
        assert [path.name for path in tmp_path.iterdir()] == ["wal.gpkg"]

    def test_another_system_is_followed(self):
        mercator = geopackage("UPDATE gpkg_spatial_ref_sys SET organization_coordsys_id = 3857")
        assert read_bytes(mercator).series[0].lat[0] == pytest.approx(0.00047, abs=1e-4)

    def test_tables_without_times_are_left_out_where_others_have_them(self):
        script = (
            "CREATE TABLE stops (fid INTEGER PRIMARY KEY, geom POINT, name TEXT);"
            "INSERT INTO stops SELECT fid, geom, 'x' FROM fixes;"
            "INSERT INTO gpkg_geometry_columns VALUES ('stops', 'geom', 'POINT', 4326, 0, 0)"
        )
        reading = read_bytes(geopackage(script))
        assert len(reading) == 3
        assert "left_out" in {note["code"] for note in reading.report.notes}

    @each(
        "script",
        [
            "ALTER TABLE fixes RENAME TO real; CREATE VIEW fixes AS SELECT * FROM real",
            "DROP TABLE fixes; CREATE VIEW fixes AS SELECT randomblob(1000000000) AS geom, 1 AS t",
            "DELETE FROM gpkg_geometry_columns",
            "DROP TABLE gpkg_geometry_columns",
            "DELETE FROM fixes",
            "UPDATE gpkg_geometry_columns SET column_name = 'nothing'",
            "UPDATE fixes SET geom = 'text'",
            "UPDATE fixes SET geom = zeroblob(40)",
        ],
    )
    def test_a_wrong_schema_is_refused(self, script):
        refused = refusal(FormatError, read_bytes, geopackage(script))
        assert refused.code in ("no_points", "other_kind", "bad_geopackage")

    def test_a_generated_column_runs_nothing(self):
        script = (
            "CREATE TABLE more (fid INTEGER PRIMARY KEY, geom POINT, t TEXT,"
            " bomb TEXT GENERATED ALWAYS AS (hex(zeroblob(20000000))) VIRTUAL);"  # beyond our limit where it is read
            "INSERT INTO more (geom, t) SELECT geom, t FROM fixes;"
            "UPDATE gpkg_geometry_columns SET table_name = 'more'"
        )
        assert len(read_bytes(geopackage(script))) == 3

    def test_another_database_is_no_geopackage(self):
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute("CREATE TABLE t (x)")
            data = database.serialize()
        with pytest.raises(FormatError, match="no GeoPackage"):
            read_bytes(data)

    @each("at", [20, 60, 100, 500, 4096, 5000, 9000])
    def test_a_file_cut_off_or_overwritten(self, at):
        for data in (GEOPACKAGE[:at], GEOPACKAGE[:at] + b"\xff" * 200 + GEOPACKAGE[at + 200 :]):
            with suppress(FormatError):  # and nothing else
                assert len(read_bytes(data)) <= 3


class TestGeoParquet:
    def file(self, geometry, about, **columns):
        out = io.BytesIO()
        geo = {"primary_column": "where", "columns": {"where": about}}
        table = pa.table({"where": geometry, **columns})
        pq.write_table(table.replace_schema_metadata({"geo": json.dumps(geo)}), out)
        return out.getvalue()

    def test_well_known_binary_with_times_and_series(self):
        blobs = [shapely.to_wkb(shapely.Point(x, 50)) for x in (1, 2, 3)] + [None]
        data = self.file(blobs, {"encoding": "WKB"}, time=[NOON] * 4, user=["a", "b", "a", "b"])
        reading = read_bytes(data)
        assert reading.report.series == [("a", 2), ("b", 1)]
        assert reading.report.dropped == {"null_geometry": 1}
        assert seconds(reading.series[0]) == [NOON_S, NOON_S]

    def test_points_as_structures(self):
        data = self.file([{"x": 1.0, "y": 2.0}, {"x": None, "y": 2.0}, None], {"encoding": "point"})
        reading = read_bytes(data)
        assert (reading.series[0].lon.tolist(), reading.series[0].lat.tolist()) == ([1.0], [2.0])
        assert reading.report.dropped == {"missing": 1, "null_geometry": 1}

    def test_another_system_is_followed(self):
        system = {"id": {"authority": "EPSG", "code": 3857}}
        data = self.file([shapely.to_wkb(shapely.Point(12947950, 4865090))], {"encoding": "WKB", "crs": system})
        assert read_bytes(data).series[0].lon[0] == pytest.approx(116.31, abs=0.01)

    @each("geo", ["[]", "{", '{"columns": 1}', '{"primary_column": "none", "columns": {"x": null}}'])
    def test_metadata_that_mean_nothing(self, geo):
        out = io.BytesIO()
        table = pa.table({"geometry": [struct.pack("<BIdd", 1, 1, 1.0, 2.0)]}).replace_schema_metadata({"geo": geo})
        pq.write_table(table, out)
        assert len(read_bytes(out.getvalue())) == 1
