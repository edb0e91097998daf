"""Reading files: real ones with their known counts, options, containers, and no input that breaks the reader."""

import io
import time

import numpy as np
import pytest

from privacy_engine.errors import ChoiceNeeded, FormatError, ParameterError
from privacy_engine.formats import ReadOptions, options, read
from privacy_engine.formats.numbers import GOOD, NOT_A_NUMBER, number
from tests.cases import each, refusal
from tests.engine.format_samples import CSV, read_bytes, seconds, zipped


@pytest.fixture(scope="session")
def data(shared):
    return shared / "data" / "trajectories"


class TestRealFiles:
    def test_geolife_is_gmt_by_its_documentation(self, data):
        reading = read(data / "plt/000_20081023025304.plt")
        assert seconds(reading.series[0])[0] == 1224730384.0
        assert reading.report.guesses == []

    def test_ozi_times_are_days_and_whole_seconds(self, data):
        first = seconds(read(data / "plt/ozi_20070813_short.plt").series[0])
        assert first[:2] == [1186991539.0, 1186991549.0]  # 07:52:19 and, to 9 ms, 07:52:29

    def test_partly_timed_gpx_loses_its_untimed_points(self, data):
        assert read(data / "gpx/korita-zbevnica.gpx").report.dropped == {"no_time": 358}

    def test_offsets_in_gpx(self, data):
        assert seconds(read(data / "gpx/arc_example.gpx").series[0])[0] == 1734486249.0  # 08:44:09+07:00

    def test_ais_positions_that_are_not_available(self, data):
        assert read(data / "csv_ais/ais.csv").report.dropped == {"unavailable": 750}

    def test_six_digit_dates_are_requested(self, data):
        requested = refusal(ChoiceNeeded, read, data / "csv_other/24173415.CSV")
        assert (requested.parameter, requested.default) == ("date_order", "ymd")

    def test_the_first_thousand_of_a_geolife_user(self, data):
        files = [data / f"plt/000_{stem}.plt" for stem in ("20081024020959", "20081023025304")]
        packed = zipped(**{f"000__Trajectory__{file.name[4:]}": file.read_bytes() for file in files})
        reading = read(io.BytesIO(packed), name="000.zip", first_n="1000")
        assert reading.report.series == [("000", 1000)]
        assert seconds(reading.series[0])[0] == 1224730384.0


class TestOptions:
    def test_every_option_is_described(self):
        assert set(options()) | {"members"} == set(vars(ReadOptions()))
        assert all(option.label and option.help for option in options().values())
        assert {value for value, _ in options()["format"].choices} == {
            "ais", "csv", "feather", "fit", "flatgeobuf", "geojson", "geojsonseq", "geopackage", "gpx", "gtfs", "igc",
            "json", "kml", "mfjson", "movebank", "nmea", "owntracks", "parquet", "plt", "porto", "shapefile", "takeout",
            "tcx", "tdrive", "wkt", "xlsx",
        }  # fmt: skip

    def test_empty_text_means_nothing_was_stated(self):
        assert len(read_bytes(CSV, **dict.fromkeys(options(), ""))) == 5

    @each(
        ("values", "field"),
        [
            ({"zone": "UTC"}, "zone"),
            ({"time_zone": "Mars/Olympus"}, "time_zone"),
            ({"time_zone": "../../etc/passwd"}, "time_zone"),
            ({"date_order": "ydm"}, "date_order"),
            ({"first_n": "0"}, "first_n"),
            ({"first_n": "1.5"}, "first_n"),
            ({"first_n": True}, "first_n"),
            ({"format": "docx"}, "format"),
            ({"format": "xml"}, "format"),
            ({"swap": "maybe"}, "swap"),
            ({"lon": 3}, "lon"),
        ],
    )
    def test_wrong_ones_are_refused_by_name(self, values, field):
        assert refusal(ParameterError, read_bytes, CSV, **values).field == field

    def test_columns_by_name_and_place(self):
        table = b"a;b;c;d\n13,4;52,5;2024-06-15T10:30:00Z;x\n"
        one = read_bytes(table, lon="a", lat="#2", time="c", id="d").series[0]
        assert (one.lon[0], one.lat[0], one.name) == (13.4, 52.5, "x")

    def test_an_unknown_column_is_named(self):
        with pytest.raises(FormatError, match="There is no column 'breite'"):
            read_bytes(CSV, lat="breite")

    def test_number_zero_is_no_column(self):
        reading = read_bytes(CSV, id="#0", time="#0")
        assert (reading.series[0].name, reading.series[0].time_s) == ("", None)

    def test_first_n_counts_each_series_in_time(self):
        table = b"id,t,lat,lon\n" + b"".join(b"u%d,%d,1,%d\n" % (i % 2, 1718444200 - i, i) for i in range(10))
        reading = read_bytes(table, first_n=2)
        assert [one.lon.tolist() for one in reading.series] == [[8, 6], [9, 7]]

    def test_without_header_the_columns_are_requested(self):
        table = b"2024-06-15T10:30:00Z,13.4,52.5\n2024-06-15T10:31:00Z,13.5,52.6\n"
        assert refusal(ChoiceNeeded, read_bytes, table).parameter == "lon"
        with pytest.raises(ChoiceNeeded) as requested:
            read_bytes(table, lon="#2")
        assert requested.value.parameter == "lat"
        one = read_bytes(table, lon="#2", lat="#3").series[0]
        assert seconds(one) == [1718447400.0, 1718447460.0]

    @each("zone", ["EPSG:32633", "32633", "urn:ogc:def:crs:EPSG::32633"])
    def test_utm(self, zone):
        table = b"id,x,y\na,500000,0\na,391779.26,5820057.11\n"
        assert ("EPSG:32633", "metres, UTM zone 33 north") in refusal(ChoiceNeeded, read_bytes, table).choices
        one = read_bytes(table, crs=zone).series[0]
        assert (one.lon[0], one.lat[0]) == pytest.approx((15, 0), abs=1e-9)
        assert (one.lon[1], one.lat[1]) == pytest.approx((13.4050, 52.5200), abs=2e-3)

    def test_utm_of_a_known_place(self):
        """The CN Tower is at 43.642567 N, 79.387139 W, which is 630084 m E, 4833438 m N in zone 17 (to the metre)."""
        north = read_bytes(b"x,y\n630084,4833438\n", crs="EPSG:32617").series[0]
        south = read_bytes(b"x,y\n630084,5166562\n", crs="EPSG:32717").series[0]
        assert (north.lon[0], north.lat[0]) == pytest.approx((-79.387139, 43.642567), abs=1e-5)
        assert (south.lon[0], south.lat[0]) == pytest.approx((-79.387139, -43.642567), abs=1e-5)

    def test_an_ambiguous_unit_of_times_is_requested(self):
        table = b"t,lat,lon\n39744.5,1,1\n39744.75,1,2\n"
        requested = refusal(ChoiceNeeded, read_bytes, table)
        assert (requested.parameter, requested.default) == ("time_unit", "days")
        assert seconds(read_bytes(table, time_unit="days").series[0]) == [1224763200.0, 1224784800.0]


class TestTables:
    @each("delimiter", [",", ";", "\t", "|"])
    @each("end", ["\n", "\r\n", "\r"])
    def test_dialects(self, delimiter, end):
        table = CSV.decode().replace(",", delimiter).replace("\n", end).encode()
        reading = read_bytes(table)
        assert (len(reading), reading.report.outcome) == (5, "accept")

    @each("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "latin-1"])
    def test_encodings(self, encoding):
        table = "user;time;lat;lon\nJosé;2024-06-15T10:30:00Z;1;2\n"
        assert read_bytes(table.encode(encoding)).series[0].name == "José"

    def test_rows_keep_their_line_numbers_past_blank_lines_and_quoted_breaks(self):
        table = b'user,time,lat,lon\n\n"a\nb",2024-06-15T10:30:00Z,1,2\n\nu,2024-06-15T10:30:00Z,x,2\n'
        assert read_bytes(table).report.as_dict()["dropped"]["not_a_number"]["rows"] == [6]
        plain = b"user,time,lat,lon\n\nu,2024-06-15T10:30:00Z,1,2\n\nu,2024-06-15T10:30:00Z,x,2\nu\n"
        dropped = read_bytes(plain).report.as_dict()["dropped"]
        assert dropped["not_a_number"]["rows"] == [5]
        assert dropped["short_row"]["rows"] == [6]

    @each("text", ["١", "1_0", "0x10", "１", "1e", "--1", "1 2"])
    def test_numbers_are_ascii(self, text):
        assert refusal(FormatError, read_bytes, f"lat,lon\n{text},2\n".encode()).rule == "not_a_number"

    def test_the_quick_and_the_careful_reader_agree(self):
        rng = np.random.default_rng(7)
        cells = ["1.5", "-2", "", "x", "nan", "1e400", " 3 ", "91", "+4", "5N", "NULL", "1e1"]
        rows = [f"u{i % 3},{1718444200 + i},{rng.choice(cells)},{rng.choice(cells)}" for i in range(400)]
        quick = "id,t,lat,lon\n" + "\n".join(rows) + "\n"
        careful = quick + "long,1718449999,1,1,,,,too,long\n"
        one, two = read_bytes(quick.encode()), read_bytes(careful.encode())
        assert one.report.drops == two.report.drops
        assert two.series.pop().name == "long"
        for a, b in zip(one.series, two.series, strict=True):
            assert a.lon.tolist() == b.lon.tolist()
            assert a.lat.tolist() == b.lat.tolist()
            assert seconds(a) == seconds(b)

    @each(
        ("text", "instant"),
        [
            ("2024-06-15T10:30:00Z", 1718447400),
            ("2024-06-15 10:30:00.250+02:00", 1718440200.25),
            ("2024-06-15T10:30Z", 1718447400),
            ("2024/06/15 10:30:00", 1718447400),
            ("2024-6-15 9:05", 1718442300),
            ("15.06.2024 10:30", 1718447400),
            ("06/15/2024 10:30:00 PM", 1718490600),
            ("20240615T103000Z", 1718447400),
            ("20240615103000", 1718447400),
            ("1718447400", 1718447400),
            ("1718447400.5", 1718447400.5),
            ("1718447400000", 1718447400),
            ("Sat, 15 Jun 2024 10:30:00 GMT", 1718447400),
            ("15-Jun-2024 10:30:00", 1718447400),
            ("Jun 15, 2024 10:30 AM", 1718447400),
            ("06/15/2024 12:30:00 AM", 1718411400),
            ("06/15/2024 12:30:00 PM", 1718454600),
            ("2024-06-15 10:30:00-02:30", 1718456400),
            ("2024-6-15 10:30:00+05:45", 1718426700),
            ("2024-6-15 10:30:00-02:30", 1718456400),
            ("15.06.69 10:30", 3138517800),
            ("15.06.70 10:30", 14293800),
        ],
    )
    def test_times(self, text, instant):
        assert seconds(read_bytes(f'lat;lon;time\n1;2;"{text}"\n'.encode()).series[0]) == [instant]

    def test_a_zone_of_seventy_five_minutes_is_none(self):
        table = b"time,lat,lon\n2024-6-15 10:30:00+05:45,1,2\n2024-6-15 10:30:00+05:75,1,2\n"
        assert read_bytes(table).report.dropped == {"bad_time": 1}

    @each(
        ("text", "axis", "degrees"),
        [
            ("33.8688s", "lat", -33.8688),
            ("70.5w", "lon", -70.5),
            ("33°59'S", "lat", -33 - 59 / 60),
            ("33°60'S", "lat", None),
        ],
    )
    def test_hemispheres_in_either_case_and_minutes_below_sixty(self, text, axis, degrees):
        found, reason = number(text, axis)
        assert reason == (NOT_A_NUMBER if degrees is None else GOOD)
        assert degrees is None or found == pytest.approx(degrees)

    def test_a_bad_time_is_dropped_and_a_column_of_them_refused(self):
        table = b"time,lat,lon\n2024-06-15T10:30:00Z,1,2\n2024-02-30T10:30:00Z,1,2\n,1,2\n"
        assert read_bytes(table).report.dropped == {"bad_time": 1, "no_time": 1}
        assert refusal(FormatError, read_bytes, b"time,lat,lon\nyesterday,1,2\n").code == "bad_times"

    @each(
        ("cell", "option", "value"),
        [
            ("13/06/2024 10:00", "date_order", "dmy"),
            ("06/13/2024 10:00", "date_order", "mdy"),
            ("1718452800", "time_unit", "s"),
            ("1718452800000", "time_unit", "ms"),
        ],
    )
    def test_a_detected_order_of_dates_or_unit_is_reported(self, cell, option, value):
        table = f"time,lat,lon\n{cell},1,2\n".encode()
        assert value in [guess["value"] for guess in read_bytes(table).report.guesses if guess["option"] == option]
        assert option not in [guess["option"] for guess in read_bytes(table, **{option: value}).report.guesses]

    def test_a_column_may_play_two_parts_but_not_both_coordinates(self):
        table = b"lat,lon\n1,2\n1,3\n"
        assert [one.name for one in read_bytes(table, id="lon").series] == ["2", "3"]
        assert refusal(FormatError, read_bytes, table, lon="lat").code == "same_column"

    def test_rows_wider_than_their_header(self):
        table = b"lat,lon\n1,2,2024-06-15T10:30:00Z\n"
        assert [note["code"] for note in read_bytes(table).report.warnings] == ["long_row", "untimed"]

    def test_absurd_metres_are_out_of_range(self):
        for crs in ("EPSG:32633", "EPSG:3857"):
            refused = refusal(FormatError, read_bytes, b"x,y\n1e300,1e300\n", crs=crs)
            assert refused.rule in ("out_of_range", "not_finite")

    def test_too_many_series(self):
        table = b"user,lat,lon\n" + b"".join(b"%d,1,2\n" % i for i in range(100_001))
        assert refusal(FormatError, read_bytes, table).code == "too_many_series"
        assert len(read_bytes(table, id="#0")) == 100_001

    @each(
        "head",
        [
            b"{",
            b"[",
            b"<!--",
            b"<!DOCTYPE [",
            b"#\n",
            b"A123",
            b"lat,lon\n" + b'"',
            b"1,",
            b"<?x",
            b"wkt\nSRID=1",
            b"wkt\nPOINT",
        ],
    )
    @each("filling", [b" ", b"<!--", b'"', b"1", b"<!DOCTYPE ", b"[", b"#\n", b"A1"])
    def test_no_beginning_takes_long_to_look_at(self, head, filling):
        start = time.thread_time()  # what other threads of the tests do meanwhile is not its fault
        with pytest.raises(FormatError):
            read_bytes(head + filling * (60_000 // len(filling)) + b"x")
        assert time.thread_time() - start < 0.5

    def test_a_column_that_counts_rows_is_no_series(self):
        assert len(read_bytes(b"id,lat,lon\n1,1,1\n2,1,1\n3,1,1\n").series) == 1
        assert len(read_bytes(b"id,lat,lon\n1,1,1\n1,1,1\n3,1,1\n").series) == 2

    def test_a_quote_that_is_never_closed(self):
        table = b'lat,lon,name\n1,2,"never\n' + b"x" * 60_000 + b"\n" + b"y" * 60_000 + b"\n" + b"z" * 60_000
        assert refusal(FormatError, read_bytes, table).code == "bad_quoting"
