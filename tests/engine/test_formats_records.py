"""Records of JSON and geometries as text, written and read back by other tools; logs and archives as they come."""

import gzip
import io
import json
import tracemalloc

import numpy as np
import pytest
import shapely

from privacy_engine.errors import FormatError
from privacy_engine.formats import read
from tests.cases import each, refusal
from tests.engine.format_samples import FIT, GPX, NMEA, TCX, read_bytes, seconds, zipped
from tests.engine.frame_sample import FIX, fixes
from tests.later import pandas as pd


def matches_frame(data, name, format, **values):
    """The file reads as the frame: points, times and series."""
    reading = read_bytes(data, name, **values)
    assert reading.report.format == format
    assert [one.name for one in reading.series] == ["a", "b"]
    lon, lat = (np.concatenate([getattr(one, axis) for one in reading.series]) for axis in ("lon", "lat"))
    assert (lon.tolist(), lat.tolist()) == (fixes()["lon"].tolist(), fixes()["lat"].tolist())
    assert [one for series in reading.series for one in seconds(series)] == [FIX, FIX + 60, FIX + 120]


class TestJsonRecords:
    @each("lines", [True, False])
    @each("dates", ["iso", "epoch"])
    def test_records_that_pandas_writes(self, lines, dates):
        frame = (
            fixes() if dates == "iso" else fixes().assign(time=[FIX * 1000, FIX * 1000 + 60_000, FIX * 1000 + 120_000])
        )
        text = frame.to_json(orient="records", lines=lines, date_format="iso")
        again = pd.read_json(io.StringIO(text), orient="records", lines=lines)
        assert again["lon"].tolist() == fixes()["lon"].tolist()
        matches_frame(text.encode(), "x.jsonl" if lines else "x.json", "json")
        matches_frame(b"\xef\xbb\xbf" + text.encode(), "x.json", "json")
        matches_frame(text.encode("utf-16"), "x.json", "json")

    def test_records_inside_an_object_and_members_inside_records(self):
        inner = [
            {"coords": {"latitude": lat, "longitude": lon}, "user": user, "at": when.isoformat()}
            for user, when, lon, lat in fixes().itertuples(index=False)
        ]
        document = {"devices": [{"name": "phone"}], "result": {"points": inner}}
        matches_frame(json.dumps(document).encode(), "x.json", "json")

    def test_other_names_by_options_and_in_the_error(self):
        data = json.dumps([{"u": 13.4, "v": 52.5}, {"u": 13.5, "v": 52.6}]).encode()
        assert read_bytes(data, lon="u", lat="v").series[0].lon.tolist() == [13.4, 13.5]
        with pytest.raises(FormatError, match=r"The columns are: u, v\.") as refused:
            read_bytes(data)
        assert refused.value.code == "no_position_columns"

    def test_a_line_that_is_no_json_is_dropped_by_number(self):
        data = b'{"lat": 1, "lon": 2}\n{"lat": 1, "lon"\n[]\n{"lat": 1, "lon": 3}\n'
        report = read_bytes(data, "x.jsonl").report
        assert (report.dropped, report.drops["bad_json"].rows, report.rows_read) == ({"bad_json": 2}, [2, 3], 4)

    def test_damage_names_the_record(self):
        with pytest.raises(FormatError, match="after record 1") as refused:
            read_bytes(b'[{"lat": 1, "lon": 2}, {"lat": 1, "lon": 2.0.0}]', "x.json", format="json")
        assert refused.value.row == 2

    @each("number", ["9" * 400, "1e400", "-1e999"])
    def test_huge_numbers_are_no_positions(self, number):
        data = b'[{"lat": 1, "lon": 2}, {"lat": 1, "lon": %s}]' % number.encode()
        reading = read_bytes(data, "x.json")
        assert len(reading) == 1
        assert sum(reading.report.dropped.values()) == 1

    @each("inside", [b"[" * 20_000 + b"]" * 20_000, b"1" * 5000])
    def test_what_json_cannot_hold_is_refused_by_record(self, inside):
        data = b'[{"lat": 1, "lon": 2}, {"lat": 1, "lon": 2, "x": ' + inside + b"}]"
        with pytest.raises(FormatError, match="after record 1"):
            read_bytes(data, "x.json")

    def test_memory_is_that_of_the_columns_and_not_of_the_document(self):
        record = b'{"lat": 52.5, "lon": 13.4, "time": %d, "notes": "' + b"x" * 400 + b'"}'
        data = b"[" + b",".join(record % (FIX + i) for i in range(40_000)) + b"]"
        tracemalloc.start()
        assert len(read_bytes(data, "x.json")) == 40_000
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < len(data) / 2


class TestOwnTracks:
    ENTRY = {"_type": "location", "lat": 52.5, "lon": 13.4, "tst": FIX, "topic": "owntracks/me/phone", "tid": "ab"}

    @each("wrapper", ["object", "array", "lines"])
    def test_answers_of_the_api(self, wrapper):
        entries = [self.ENTRY, {"_type": "lwt", "tst": FIX}, self.ENTRY | {"tst": FIX + 5, "topic": "owntracks/you/p"}]
        text = json.dumps({"count": 3, "status": 200, "data": entries} if wrapper == "object" else entries)
        text = "\n".join(map(json.dumps, entries)) if wrapper == "lines" else text
        reading = read_bytes(text.encode(), "locations.json")
        assert reading.report.format == "owntracks"
        assert [(one.name, one.person, seconds(one)) for one in reading.series] == [
            ("me/phone", "me", [FIX]),
            ("you/p", "you", [FIX + 5]),
        ]
        assert reading.report.dropped == {"not_a_position": 1}


class TestGeometriesAsText:
    def columns(self):
        points = shapely.points(fixes()["lon"], fixes()["lat"])
        wkb = shapely.to_wkb(shapely.set_srid(points, 4326), hex=True, include_srid=True).tolist()
        return {
            "WKT": shapely.to_wkt(points, rounding_precision=-1).tolist(),
            "EWKT": [f"SRID=4326;{one}" for one in shapely.to_wkt(points, rounding_precision=-1)],
            "WKB": shapely.to_wkb(points, hex=True).tolist(),
            "big-endian": shapely.to_wkb(points, hex=True, byte_order=0).tolist(),
            "EWKB": wkb,
            "PostGIS": [rf"\x{one}" for one in wkb],
        }

    @each("kind", ["WKT", "EWKT", "WKB", "big-endian", "EWKB", "PostGIS"])
    @each("separator", [",", ";", "\t", "|"])
    def test_tables_that_pandas_writes(self, kind, separator):
        frame = fixes()[["user", "time"]].assign(position=self.columns()[kind])
        matches_frame(frame.to_csv(index=False, sep=separator).encode(), "x.csv", "wkt")

    def test_records_and_parquet_hold_them_too(self):
        frame = fixes()[["user", "time"]].assign(geom=self.columns()["WKT"])
        matches_frame(frame.to_json(orient="records", date_format="iso").encode(), "x.json", "json")
        out = io.BytesIO()
        frame.to_parquet(out)
        matches_frame(out.getvalue(), "x.parquet", "parquet")

    def test_lines_polygons_and_damage(self):
        cells = [
            "LINESTRING (1 2, 3 4)",
            "POLYGON ((0 0, 1 0, 1 1, 0 0))",
            "POINT EMPTY",
            "POINT (1)",
            "",
            "GEOMETRYCOLLECTION EMPTY",
            "POINT (1e999 2)",
        ]
        frame = pd.DataFrame({"n": range(7), "geom": cells})
        report = read_bytes(frame.to_csv(index=False).encode()).report
        assert report.kept == 2
        assert report.dropped == {"unsupported_geometry": 2, "missing": 2, "bad_geometry": 1, "null_geometry": 1}

    def test_collections_in_collections_never_reach_the_parser(self):
        deep = "GEOMETRYCOLLECTION(" * 20_000 + "POINT (1 2)" + ")" * 20_000
        text = f'id,geom\n1,POINT (1 2)\n2,"{deep}"\n'
        with pytest.raises(FormatError) as refused:  # a line of more than 64 kB
            read_bytes(text.encode())
        assert refused.value.code == "line_too_long"
        deep = "GEOMETRYCOLLECTION(" * 3000 + "POINT (1 2)" + ")" * 3000
        assert read_bytes(f'id,geom\n1,POINT (1 2)\n2,"{deep}"\n'.encode()).report.dropped == {
            "unsupported_geometry": 1
        }

    def test_a_srid_is_the_coordinate_system(self):
        text = "id,geom\n1,SRID=3857;POINT (1491636.97 6894701.26)\n"
        assert read_bytes(text.encode()).series[0].lon[0] == pytest.approx(13.3995, abs=1e-3)


class TestLogsAndArchives:
    def test_nmea_after_prose(self):
        reading = read_bytes(b"Logger 1.2\nstarted, at: 12,0\n\n" + NMEA, "log.txt")
        assert (reading.report.format, len(reading)) == ("nmea", 2)
        assert read_bytes(b"time,lat,lon\n1718452800,1,2\n" + NMEA.splitlines()[1], "x.csv").report.format == "csv"

    def test_members_in_gzip_as_strava_exports_them(self, shared):
        strava = (shared / "data/trajectories/gpx/strava.gpx").read_bytes()
        packed = zipped(**{"activities__1.gpx.gz": gzip.compress(strava), "activities__2.fit.gz": gzip.compress(FIT)})
        reading = read_bytes(packed, "export.zip")
        alone = read_bytes(strava, "1.gpx")
        assert reading.series[0].lon.tolist() == alone.series[0].lon.tolist()
        assert {one.name for one in reading.series} == {"1", "2"}
        assert [member["name"] for member in reading.report.members] == ["1.gpx", "2.fit"]

    def test_one_level_of_gzip_only(self):
        twice = zipped(a=gzip.compress(gzip.compress(GPX)))
        assert refusal(FormatError, read_bytes, twice, "x.zip").code == "nested_archive"

    def test_a_bomb_in_a_member_s_gzip_is_stopped(self):
        bomb = gzip.compress(b"lat,lon\n" + b"1,2\n" * 10_000_000)
        assert refusal(FormatError, read, io.BytesIO(zipped(a=bomb)), name="x.zip").code == "compression_ratio"


class TestCutOff:
    """What is readable of a file that ends too early is kept, with a warning; damage elsewhere is refused."""

    @each("at", [7, 20, 60, 100])
    def test_gpx(self, at):
        points = b"".join(
            b'<trkpt lat="52.5" lon="13.4"><time>2024-06-15T10:%02d:00Z</time></trkpt>\n' % i for i in range(30)
        )
        whole = b"<gpx><trk><trkseg>" + points + b"</trkseg></trk></gpx>"
        end = whole.index(b"<trkpt", len(whole) // 2) + at
        reading = read_bytes(whole[:end], "x.gpx")
        assert len(reading) == whole[:end].count(b"</trkpt>")
        assert [note["code"] for note in reading.report.warnings] == ["cut_off"]

    def test_a_real_gpx_at_any_place(self, shared):
        data = (shared / "data/trajectories/gpx/run.gpx").read_bytes()
        for end in range(20_000, len(data) - 50, 4999):
            reading = read_bytes(data[:end], "x.gpx")
            assert len(reading) == data[:end].count(b"</trkpt>")

    def test_tcx_and_fit(self):
        reading = read_bytes(TCX[: TCX.rindex(b"<Trackpoint>") + 20], "x.tcx")
        assert (len(reading), reading.report.warnings[0]["code"]) == (1, "cut_off")
        reading = read_bytes(FIT[:-10], "x.fit")
        assert (len(reading), reading.report.warnings[0]["code"]) == (2, "cut_off")

    def test_damage_in_the_middle_is_refused(self):
        assert refusal(FormatError, read_bytes, GPX.replace(b"</trkpt>", b"</trkseg>", 1), "x.gpx").code == "bad_xml"
