"""Reading tables and files as they are: options, dialects, times, and no input that breaks the reader."""

import time

import numpy as np
import pytest

from privacy_engine.errors import ChoiceNeeded, FormatError, ParameterError
from privacy_engine.formats import ReadOptions, options, read
from privacy_engine.formats.numbers import GOOD, NOT_A_NUMBER, number
from tests.cases import each, refusal
from tests.engine import format_samples as samples
from tests.engine.format_samples import collection, line_feature, read_bytes, refused, seconds, shows, zipped
from tests.patience import patience

HALF_PAST_TEN_S = 1718447400.0
FIX = 1718452800


@pytest.fixture(scope="session")
def data(shared):
    return shared / "data" / "trajectories"


def table(*times, name="time"):
    return f"lat,lon,{name}\n".encode() + b"".join(f"52.5,13.4,{one}\n".encode() for one in times)


def notes(data, **values):
    return {note["code"]: note["message"] for note in read_bytes(data, **values).report.notes}


class TestRealFiles:
    """Beside what ``real_files.csv`` states of each."""

    def test_times(self, data):
        assert read(data / "plt/000_20081023025304.plt").report.guesses == []  # GMT by its documentation
        first = seconds(read(data / "plt/ozi_20070813_short.plt").series[0])
        assert first[1] == 1186991549.0  # 07:52:29, to 9 ms: days and whole seconds
        requested = refusal(ChoiceNeeded, read, data / "csv_other/24173415.CSV")
        assert (requested.parameter, requested.default) == ("date_order", "ymd")


class TestOptions:
    def test_every_option_is_described(self):
        assert set(options()) | {"members"} == set(vars(ReadOptions()))
        assert all(option.label and option.help for option in options().values())
        assert {value for value, _ in options()["format"].choices} == {
            "ais", "csv", "feather", "fit", "flatgeobuf", "geojson", "geojsonseq", "geopackage", "gpx", "gtfs", "igc",
            "json", "kml", "mfjson", "movebank", "nmea", "owntracks", "parquet", "plt", "porto", "shapefile", "takeout",
            "tcx", "tdrive", "wkt", "xlsx",
        }  # fmt: skip

    @each(
        ("values", "field"),
        [
            ({"zone": "UTC"}, "zone"), ({"time_zone": "Mars/Olympus"}, "time_zone"),
            ({"time_zone": "../../etc/passwd"}, "time_zone"), ({"date_order": "ydm"}, "date_order"),
            ({"first_n": "0"}, "first_n"), ({"first_n": "1.5"}, "first_n"), ({"first_n": True}, "first_n"),
            ({"format": "docx"}, "format"), ({"format": "xml"}, "format"), ({"swap": "maybe"}, "swap"),
            ({"lon": 3}, "lon"),
        ],
    )  # fmt: skip
    def test_wrong_ones_are_refused_by_name(self, values, field):
        assert refusal(ParameterError, read_bytes, samples.CSV, **values).field == field

    def test_columns_and_the_first_events(self):
        shows(samples.CSV, given=dict.fromkeys(options(), ""), points=5)  # an empty text states nothing
        named = {"lon": "a", "lat": "#2", "time": "c", "id": "d"}
        shows(b"a;b;c;d\n13,4;52,5;2024-06-15T10:30:00Z;x\n", given=named, lon=[13.4], lat=[52.5], names=["x"])
        refused(samples.CSV, "unknown_column", "There is no column 'breite'", lat="breite")
        shows(samples.CSV, given={"id": "#0", "time": "#0"}, names=[""], seconds=None)
        shows(b"lat,lon\n1,2\n1,3\n", given={"id": "lon"}, names=["2", "3"])
        table = b"id,t,lat,lon\n" + b"".join(b"u%d,%d,1,%d\n" % (i % 2, 1718444200 - i, i) for i in range(10))
        reading = read_bytes(table, first_n=2)
        assert [one.lon.tolist() for one in reading.series] == [[8, 6], [9, 7]]
        data = b"2024-06-15T10:30:00Z,13.4,52.5\n2024-06-15T10:31:00Z,13.5,52.6\n"
        assert refused(data, "choice-needed").parameter == "lon"
        assert refused(data, "choice-needed", lon="#2").parameter == "lat"
        shows(data, given={"lon": "#2", "lat": "#3"}, seconds=[HALF_PAST_TEN_S, HALF_PAST_TEN_S + 60])

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
    WAYS = (("utf-8-sig", "\r\n"), ("utf-16", "\r"), ("utf-32", "\n"), ("utf-8", "\n"))
    ROWS = ((52.52, 13.405, FIX), (-33.8688, -70.6693, FIX + 60))

    @each("delimiter", [",", ";", "\t", "|"])
    @each("decimal", [".", ","])
    @each("quote", ["", '"'])
    @each("encoding, end", [*WAYS, ("utf-8", "\r"), ("latin-1", "\r\n")])
    def test_dialects(self, delimiter, decimal, quote, encoding, end):
        if delimiter == decimal and not quote:
            return  # such a file means nothing
        rows = [["user", "time", "lat", "lon"], *(["José", f"{at:.0f}", f"{x}", f"{y}"] for x, y, at in self.ROWS)]
        cells = [[cell.replace(".", decimal) for cell in row] for row in rows]
        text = end.join(delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in cells)
        lat, lon, times = map(list, zip(*self.ROWS, strict=True))
        shows(text.encode(encoding), lat=lat, lon=lon, seconds=times, names=["José"], dropped={})

    @each(
        "position",
        ["525200000,134050000", "52.52N,13.405E", "52.52 N,13.405 E", "N52.52,E13.405", "52°31'12\"N,13°24'18\"E"],
    )
    def test_one_place_in_many_spellings(self, position):
        head = "latitudeE7,longitudeE7" if position.isdigit() or position.startswith("5252") else "lat,lon"
        one = read_bytes(f"time,{head}\n1718452800,{position.replace(chr(34), '″')}\n".encode()).series[0]
        assert (one.lat[0], one.lon[0]) == pytest.approx((52.52, 13.405), abs=1e-9)

    def test_rows_are_the_lines_of_the_file(self):
        data = b'user,time,lat,lon\n\n"a\nb",2024-06-15T10:30:00Z,1,2\n\nu,2024-06-15T10:30:00Z,x,2\n'
        shows(data, rows={"not_a_number": [6]})
        plain = b"user,time,lat,lon\n\nu,2024-06-15T10:30:00Z,1,2\n\nu,2024-06-15T10:30:00Z,x,2\nu\n"
        shows(plain, rows={"not_a_number": [5], "short_row": [6]})
        shows(b"lat,lon\n1,2,2024-06-15T10:30:00Z\n", warnings=["long_row", "untimed"])
        for crs in ("EPSG:32633", "EPSG:3857"):
            rule = refusal(FormatError, read_bytes, b"x,y\n1e300,1e300\n", crs=crs).rule
            assert rule in ("out_of_range", "not_finite")

    @each("text", ["١", "1_0", "0x10", "１", "1e", "--1", "1 2"])
    def test_numbers_are_ascii(self, text):
        assert refusal(FormatError, read_bytes, f"lat,lon\n{text},2\n".encode()).rule == "not_a_number"

    def test_the_quick_and_the_careful_reader_agree(self):
        rng = np.random.default_rng(7)
        cells = ["1.5", "-2", "", "x", "nan", "1e400", " 3 ", "91", "+4", "5N", "NULL", "1e1"]
        marks = ["1", "0", "", "yes", "no", "x"]
        columns = ([rng.choice(some) for some in (cells, cells, marks)] for _ in range(400))
        rows = [f"u{i % 3},{1718444200 + i},{','.join(one)}" for i, one in enumerate(columns)]
        quick = "id,t,lat,lon,landmark\n" + "\n".join(rows) + "\n"
        careful = quick + "long,1718449999,1,1,1,,,too,long\n"
        one, two = read_bytes(quick.encode()), read_bytes(careful.encode())
        assert one.report.drops == two.report.drops
        assert two.series.pop().name == "long"
        for a, b in zip(one.series, two.series, strict=True):
            for column in ("lon", "lat", "time_s", "marked"):
                assert np.array_equal(getattr(a, column), getattr(b, column))

    @each(
        ("text", "instant"),
        [
            ("2024-06-15T10:30:00Z", 1718447400), ("2024-06-15 10:30:00.250+02:00", 1718440200.25),
            ("2024-06-15T10:30Z", 1718447400), ("2024-06-15T10:30:00.000000", 1718447400),
            ("2024-06-15 05:30:00-0500", 1718447400), ("2024/06/15 10:30:00", 1718447400),
            ("2024-6-15 9:05", 1718442300), ("15.06.2024 10:30", 1718447400), ("15/06/2024 10:30:00", 1718447400),
            ("06/15/2024 10:30:00 PM", 1718490600), ("20240615T103000Z", 1718447400), ("20240615103000", 1718447400),
            ("1718447400", 1718447400), ("1718447400.5", 1718447400.5), ("1718447400000", 1718447400),
            ("1718447400000000", 1718447400), ("Sat, 15 Jun 2024 10:30:00 GMT", 1718447400),
            ("15-Jun-2024 10:30:00", 1718447400), ("Jun 15, 2024 10:30 AM", 1718447400),
            ("06/15/2024 12:30:00 AM", 1718411400), ("06/15/2024 12:30:00 PM", 1718454600),
            ("2024-06-15 10:30:00-02:30", 1718456400), ("2024-6-15 10:30:00+05:45", 1718426700),
            ("2024-6-15 10:30:00-02:30", 1718456400), ("15.06.69 10:30", 3138517800), ("15.06.70 10:30", 14293800),
        ],
    )  # fmt: skip
    def test_times(self, text, instant):
        shows(f'lat;lon;time\n1;2;"{text}"\n'.encode(), seconds=[instant])

    @each(
        ("text", "axis", "degrees"),
        [
            *(("33.8688s", "lat", -33.8688), ("70.5w", "lon", -70.5), ("33°59'S", "lat", -33 - 59 / 60)),
            ("33°60'S", "lat", None),
        ],
    )
    def test_hemispheres_in_either_case_and_minutes_below_sixty(self, text, axis, degrees):
        found, reason = number(text, axis)
        assert reason == (NOT_A_NUMBER if degrees is None else GOOD)
        assert degrees is None or found == pytest.approx(degrees)

    def test_a_bad_time_is_dropped_and_a_column_of_them_refused(self):
        cells = ("2024-06-15T10:30:00Z", "2024-02-30T10:30:00Z", "")
        shows(table(*cells), dropped={"bad_time": 1, "no_time": 1})
        shows(table("2024-6-15 10:30:00+05:45", "2024-6-15 10:30:00+05:75"), dropped={"bad_time": 1})
        refused(table("yesterday"), "bad_times")

    @each(
        ("cell", "option", "value"),
        [
            *(("13/06/2024 10:00", "date_order", "dmy"), ("06/13/2024 10:00", "date_order", "mdy")),
            *(("1718452800", "time_unit", "s"), ("1718452800000", "time_unit", "ms")),
        ],
    )
    def test_a_detected_order_of_dates_or_unit_is_reported(self, cell, option, value):
        table = f"time,lat,lon\n{cell},1,2\n".encode()
        assert value in [guess["value"] for guess in read_bytes(table).report.guesses if guess["option"] == option]
        assert option not in [guess["option"] for guess in read_bytes(table, **{option: value}).report.guesses]

    @each(
        ("rows", "parameter", "default"),
        [
            ("05/06/2024 12:00,1,2\n", "date_order", "dmy"),
            ("2024-06-15T12:00:00Z,1,2\n2024-06-15T12:01:00,1,2\n", "time_zone", "UTC"),
            ("2024-06-15T12:00:00Z,116.3,39.9\n", "swap", "yes"),
            ("2024-06-15T12:00:00Z,4865090.5,12947950.2\n", "crs", "EPSG:3857"),
        ],
    )
    def test_what_may_be_meant_in_two_ways_is_requested(self, rows, parameter, default):
        data = f"time,lat,lon\n{rows}".encode()
        requested = refused(data, "choice-needed")
        assert (requested.parameter, requested.default) == (parameter, default)
        shows(data, given={parameter: default}, points=rows.count("\n"))

    def test_series(self):
        many = b"user,lat,lon\n" + b"".join(b"%d,1,2\n" % i for i in range(100_001))
        refused(many, "too_many_series")
        shows(many, given={"id": "#0"}, points=100_001)
        shows(b"id,lat,lon\n1,1,1\n2,1,1\n3,1,1\n", names=[""])  # it counts rows
        shows(b"id,lat,lon\n1,1,1\n1,1,1\n3,1,1\n", names=["1", "3"])

    @pytest.mark.slow
    @each(
        "head",
        [
            b"{", b"[", b"<!--", b"<!DOCTYPE [", b"#\n", b"A123", b"lat,lon\n" + b'"', b"1,", b"<?x", b"wkt\nSRID=1",
            b"wkt\nPOINT",
        ],
    )  # fmt: skip
    @each("filling", [b" ", b"<!--", b'"', b"1", b"<!DOCTYPE ", b"[", b"#\n", b"A1"])
    def test_no_beginning_takes_long_to_look_at(self, head, filling):
        start = time.thread_time()  # what other threads of the tests do meanwhile is not its fault
        with pytest.raises(FormatError):
            read_bytes(head + filling * (60_000 // len(filling)) + b"x")
        assert time.thread_time() - start < patience(3)


class TestNamedTables:
    """Tables that have names of their own: Porto's trips, GTFS shapes, Movebank, samples.AIS."""

    def test_porto(self):
        shows(samples.PORTO, series=[("20", 2)], seconds=[FIX, FIX + 15])
        shows(samples.PORTO, given={"id": "TRIP_ID"}, series=[("1", 2)])
        shows(samples.PORTO, given={"id": "#0"}, series=[("", 2)])
        rows = b'2,20,1718452900,True,"[[-8.6,41.1]]"\n3,20,1,False,oops\n4,20,1,False,[]\n5,20\n'
        dropped = {"bad_polyline": [4], "missing": [5], "short_row": [6]}
        shows(samples.PORTO + rows, rows=dropped, notes={"missing_data": 1, "documented": None})
        for header in (b"TRIP_ID,POLYLINE\n1,[]\n", b"POLYLINE,TIMESTAMP\n"):
            assert refusal(FormatError, read_bytes, header).code in ("no_position_columns", "no_points")

    def test_gtfs(self):
        shows(samples.SHAPES, series=[("a", 2), ("b", 1)], lat=[28.0, 28.1, 28.3], seconds=None)
        shows(samples.SHAPES + b"b,nowhere,1,2\n", rows={"not_a_number": [5]})
        feed = {
            "stops.txt": b"stop_id,stop_lat,stop_lon\n1,2,3\n",
            "trips.txt": b"trip_id\n1\n",
            "shapes.txt": samples.SHAPES,
        }
        shows(zipped(**feed), "feed.zip", series=[("a", 2), ("b", 1)], dropped={})
        del feed["shapes.txt"]
        with pytest.raises(FormatError, match=r"no shapes\.txt"):
            read_bytes(zipped(**feed), "feed.zip")

    def test_movebank_and_ais(self):
        shows(samples.MOVEBANK, format="movebank", series=[("bird", 1)], seconds=[FIX])
        shows(samples.AIS, format="ais", series=[("211429600", 1)], seconds=[FIX], dropped={"unavailable": 1})
        marine = b"MMSI,BaseDateTime,LAT,LON,SOG\n211429600,2024-06-15T12:00:00,54.69,8.57,0.1\n"
        shows(marine, format="ais", series=[("211429600", 1)], seconds=[FIX])
        other = b"mmsi,ais_pos_timestamp,lat,lon\n211000000,13/06/2024 10:00:00,52.5,13.4\n"
        shows(other, format="ais", seconds=[1718272800.0])


class TestUnits:
    def test_numbers_of_two_units_and_of_none_are_warnings(self):
        data = table(1718452800, 1718452860_000, 1718452920)
        shows(data, seconds=[FIX, FIX + 60, FIX + 120], outcome="accept_warn")
        assert "2 in seconds since 1970 and 1 in milliseconds since 1970" in notes(data)["mixed_units"]
        assert "mixed_units" not in notes(table(1718452800, 1718452860))
        long = table(*range(1718452800, 1718652800), 1718652800_000)
        assert "200,000 in seconds since 1970 and 1 in milliseconds" in notes(long)["mixed_units"]
        shows(table(12, 1718452800), dropped={"bad_time": 1})
        assert "time_unit" in notes(table(12, 1718452800))["unknown_unit"]


class TestTimeColumns:
    @each("name", ["ais_pos_timestamp", "Zeitpunkt der Position", "c17"])
    @each("cell", ["13/06/2024 10:00:00", "2024-06-13 10:00", "13 Jun 2024 10:00", "Thu Jun 13 10:00:00 +0000 2024"])
    def test_a_column_is_found_by_its_values(self, name, cell):
        found = shows(table(cell, cell, name=name), seconds=[1718272800.0] * 2)
        assert [guess["value"] for guess in found.report.guesses if guess["option"] == "time"] == [name]

    def test_numbers_and_days_need_a_name_that_hints_at_time(self):
        shows(table(1718452800, name="pos_stamp"), seconds=[FIX])
        shows(table("13/06/2024", name="tracking date"), seconds=[1718236800.0])
        for cell in (1718452800, "13/06/2024"):
            assert "No column of times was found" in notes(table(cell, name="parcel"))["untimed"]
        assert refused(table("45458.5", name="timestamp of fix"), "choice-needed").parameter == "time_unit"
        assert "'when' is empty" in notes(table("", "", name="when"))["untimed"]

    @each(("name", "cell"), [("time_zone", "Europe/Berlin"), ("time_offset", "120"), ("time_taken", "00:12:30")])
    def test_a_name_that_begins_like_a_time_is_none_if_its_values_are_not(self, name, cell):
        data = f"lat,lon,{name},seen\n52.5,13.4,{cell},2024-06-13T10:00:00Z\n".encode()
        reading = read_bytes(data)
        assert seconds(reading.series[0]) == [1718272800.0]
        assert [guess["value"] for guess in reading.report.guesses if guess["option"] == "time"] == ["seen"]
        assert "No column of times was found" in notes(table(cell, name=name))["untimed"]

    @each("cell", ["1969-12-31T23:59:59Z", "2100-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])
    def test_years_outside_1970_to_2100_are_kept_with_a_warning(self, cell):
        data = table("2024-06-13T10:00:00Z", cell)
        assert len(read_bytes(data)) == 2
        assert f"1 time outside the years 1970 to 2100 (first {cell[:-1]} UTC on line 3)" in notes(data)["far_times"]

    @each("cell", ["1970-01-01T00:00:00Z", "2099-12-31T23:59:59Z"])
    def test_the_first_and_the_last_second_are_no_warning(self, cell):
        assert "far_times" not in notes(table(cell))


def test_e7_numbers_of_the_west_and_south_as_unsigned_32_bits():
    cells = f"525000000,{2**32 - 66227296}\n525000001,134050000\n"
    for header in ("latitudeE7,longitudeE7\n", "lat,lon\n"):
        data = (header + cells).encode()
        shows(data, lon=[-6.6227296, 13.405])
        assert "2³² was subtracted" in notes(data)["e7_overflow"]
    assert "e7_overflow" not in notes(b"lat,lon\n52.5,300.5\n52.5,301.5\n")


class TestLines:
    def test_the_fourth_coordinate_of_kepler_trips_is_the_time(self):
        for unit in (1, 1000):
            trip = line_feature([-74.2, 40.7, 0, FIX * unit], [-74.1, 40.8, 0, (FIX + 33) * unit], vendor="A")
            reading = read_bytes(collection(trip))
            assert seconds(reading.series[0]) == [FIX, FIX + 33]
            assert any("fourth coordinate" in guess["message"] for guess in reading.report.guesses)

    @each("last", [(120, 125), (FIX, FIX - 1)])
    def test_a_fourth_coordinate_that_is_no_time_is_reported_as_none(self, last):
        data = collection(line_feature([1, 1, 0, last[0]], [2, 2, 0, last[1]]))
        assert read_bytes(data).series[0].time_s is None
        assert f"such as {last[0]}" in notes(data)["fourth_coordinate"]

    def test_segments_and_whole_lines_have_the_times_of_their_ends(self):
        clock = ["2024-06-15T12:00:00", "2024-06-15T12:01:00", "2024-06-15T12:02:00"]
        spots = [[13.4, 52.5], [13.5, 52.6], [13.6, 52.7]]
        parts = [line_feature(spots[i], spots[i + 1], traj_id=1, prev_t=clock[i], t=clock[i + 1]) for i in range(2)]
        shows(collection(*parts), seconds=[FIX, FIX + 60, FIX + 120], lon=[13.4, 13.5, 13.6])
        line = line_feature([1, 1], [2, 2], [3, 3], start_t="2024-06-15T12:00:00", end_t="2024-06-15T12:02:00")
        shows(collection(line), seconds=[FIX, FIX + 120], dropped={"no_time": 1})
        assert "Only the ends" in notes(collection(line))["line_ends"]

    @each("column", ["geometry", "wkt"])
    def test_lines_of_a_table_have_the_times_of_their_ends(self, column):
        """Two segments of one walk, one of another between them, and a whole line."""
        spots = ["13.4 52.5", "13.5 52.6", "13.6 52.7"]
        rows = [(1, 0, 1), (2, 0, 1), (1, 1, 2)]
        cells = [f'{walk},"LINESTRING({spots[a]},{spots[b]})",2024-06-15T12:0{a}:00,2024-06-15T12:0{b}:00'
                 for walk, a, b in rows]  # fmt: skip
        reading = read_bytes("\n".join([f"id,{column},prev_t,t", *cells]).encode(), "x.csv")
        assert [(one.name, seconds(one)) for one in reading.series] == [
            ("1", [FIX, FIX + 60, FIX + 120]),
            ("2", [FIX, FIX + 60]),
        ]
        whole = f'id,{column},start_t,end_t\n1,"LINESTRING({",".join(spots)})",2024-06-15T12:00:00,2024-06-15T12:02:00'
        reading = read_bytes(f"{whole}\n{whole.splitlines()[1]}".encode(), "x.csv")
        assert reading.report.dropped == {"no_time": 2}
        assert "Only the ends" in str(reading.report.notes)
        points = f"id,{column},start_t,end_t\n1,POINT(1 2),2024-06-15T12:00:00,2024-06-15T12:02:00\n" * 1
        assert seconds(read_bytes(points.encode(), "x.csv").series[0]) == [FIX, FIX + 120], "a stay is two events"
        assert seconds(read_bytes(points.encode(), "x.csv", end="none").series[0]) == [FIX]
