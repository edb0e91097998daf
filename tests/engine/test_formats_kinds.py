"""Formats by kind: GeoJSON, GPX, and files inside files."""

import gzip
import io
import json

import pytest

from privacy_engine.errors import FormatError
from privacy_engine.formats import Limits, read
from tests.cases import each, refusal
from tests.engine.format_samples import CSV, GPX, PLT, feature, read_bytes, seconds, zipped


class TestGeoJson:
    def test_a_multi_line_takes_its_times_line_by_line(self):
        times = [["2024-06-15T10:30:00Z", "2024-06-15T10:31:00Z"], ["2024-06-15T10:32:00Z"]]
        line = feature("MultiLineString", [[[1, 1], [2, 2]], [[3, 3]]], coordTimes=times)
        one = read_bytes(json.dumps(line).encode()).series[0]
        assert seconds(one) == [1718447400.0, 1718447460.0, 1718447520.0]

    @each("name", ["time", "timestamp", "datetime", "created_at", "recordedAt", "tst"])
    def test_times_under_many_names(self, name):
        data = json.dumps(feature("Point", [1, 2], **{name: 1718447400})).encode()
        assert seconds(read_bytes(data).series[0]) == [1718447400.0]

    def test_an_old_crs_is_followed(self):
        geometry = {"type": "Point", "coordinates": [12947950, 4865090]}
        crs = {"type": "name", "properties": {"name": "urn:ogc:def:crs:EPSG::3857"}}
        assert read_bytes(json.dumps(geometry | {"crs": crs}).encode()).series[0].lon[0] == pytest.approx(
            116.31, abs=0.01
        )

    @each("position", ["[NaN, 1]", "[1e999, 1]", '["1", 1]', "[true, 1]", "[null, 1]", "[1]", "{}"])
    def test_positions_that_are_none(self, position):
        refused = refusal(FormatError, read_bytes, f'{{"type": "Point", "coordinates": {position}}}'.encode())
        assert refused.code == "no_points"


class TestGpx:
    @each("encoding", ["utf-16", "iso-8859-1", "utf-8"])
    def test_encodings(self, encoding):
        text = f'<?xml version="1.0" encoding="{encoding}"?>' + GPX.decode().replace(
            "<trkseg>", "<name>é</name><trkseg>"
        )
        assert len(read_bytes(text.encode(encoding))) == 2

    def test_a_doctype_in_any_encoding_is_refused(self):
        text = '<?xml version="1.0" encoding="{}"?><!DOCTYPE gpx>' + GPX.decode()
        for encoding in ("utf-8", "utf-16", "iso-8859-1", "cp1252"):
            refused = refusal(FormatError, read_bytes, text.format(encoding).encode(encoding), "x.gpx", format="gpx")
            assert refused.code == "xml_doctype"

    def test_only_its_own_time_counts(self):
        other = b"<extensions><time>1999-01-01T00:00:00Z</time><trkpt/></extensions><time>"
        reading = read_bytes(GPX.replace(b"<time>", other, 1))
        assert seconds(reading.series[0]) == [1718447400.0, 1718447460.0]

    def test_a_file_cut_off_before_its_first_point_names_the_place(self):
        with pytest.raises(FormatError, match="line 1") as refused:
            read_bytes(GPX[: GPX.index(b"<trkpt") + 9])
        assert (refused.value.code, refused.value.row) == ("bad_xml", 1)

    def test_deep_nesting_does_no_harm(self):
        with pytest.raises(FormatError):
            read_bytes(b"<gpx>" + b"<a>" * 200_000)


class TestContainers:
    def test_equal_names_in_two_members_are_one_series(self):
        reading = read_bytes(zipped(a=CSV, b=CSV.replace(b"10:3", b"11:3")), "x.zip")
        assert reading.report.series == [("u1", 10)]

    def test_nameless_series_take_the_member_s_name(self):
        packed = zipped(**{"x__run.gpx": GPX, "y__run.gpx": GPX, "notes.txt": b"hello"})
        reading = read_bytes(packed, "x.zip")
        assert reading.report.series == [("run", 2), ("run (2)", 2)]
        assert reading.report.dropped == {"unreadable_member": 1}

    def test_geolife_users_are_kept_apart(self):
        packed = zipped(**{"Data__000__Trajectory__a.plt": PLT, "Data__001__Trajectory__a.plt": PLT})
        assert read_bytes(packed, "x.zip").report.series == [("000", 1), ("001", 1)]
        assert read_bytes(zipped(**{"a.plt": PLT, "b.plt": PLT}), "x.zip").report.series == [("", 2)]

    def test_gzip_in_gzip_and_zip_in_gzip_in_zip_stay_closed(self):
        once = gzip.compress(CSV)
        assert len(read_bytes(once, "x.csv.gz")) == 5
        for nested in (gzip.compress(once), zipped(**{"x.zip.gz": gzip.compress(zipped(a=CSV))})):
            assert refusal(FormatError, read_bytes, nested).code == "nested_archive"

    def test_a_damaged_gzip(self):
        assert refusal(FormatError, read_bytes, gzip.compress(CSV)[:-12]).code == "damaged_archive"

    def test_a_header_with_a_wrong_size(self):
        """Number 19 of the hostile inputs: the directory states 1000 bytes, the member holds 5 MB."""
        big = bytearray(zipped(**{"a.csv": b"lat,lon\n" + b"1,2\n" * 1_250_000}))
        size = (5_000_008).to_bytes(4, "little")
        while (at := big.find(size)) >= 0:
            big[at : at + 4] = (1000).to_bytes(4, "little")
        assert refusal(FormatError, read_bytes, bytes(big)).code in ("damaged_archive", "compression_ratio")

    def test_caps_are_those_given(self):
        assert refusal(FormatError, read_bytes, CSV, limits=Limits(total=100)).code == "too_large"
        refused = refusal(FormatError, read_bytes, zipped(a=CSV, b=CSV), limits=Limits(total=len(CSV) + 10))
        assert refused.code == "too_large"

    def test_a_stream_that_cannot_seek(self):
        class Pipe(io.BytesIO):
            def seekable(self):
                return False

        assert len(read(Pipe(gzip.compress(CSV)), name="x.csv.gz")) == 5
