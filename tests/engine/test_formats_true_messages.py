"""What a report states of times and positions is true: units, time columns, far years, overflow, fourth coordinates."""

import io
import json

from privacy_engine.errors import ChoiceNeeded
from privacy_engine.formats import read
from tests.cases import each, refusal
from tests.engine.format_samples import collection, line_feature, read_bytes, seconds

FIX = 1718452800


def table(*times, name="time"):
    return f"lat,lon,{name}\n".encode() + b"".join(f"52.5,13.4,{one}\n".encode() for one in times)


def notes(data, **values):
    return {note["code"]: note["message"] for note in read_bytes(data, **values).report.notes}


class TestUnits:
    def test_mixed_seconds_and_milliseconds_are_a_warning_that_counts_both(self):
        data = table(FIX, (FIX + 60) * 1000, FIX + 120)
        reading = read_bytes(data)
        assert seconds(reading.series[0]) == [FIX, FIX + 60, FIX + 120]
        message = notes(data)["mixed_units"]
        assert "2 in seconds since 1970 and 1 in milliseconds since 1970" in message
        assert reading.report.outcome == "accept_warn"
        assert {guess["value"] for guess in reading.report.guesses if guess["option"] == "time_unit"} == {"mixed"}

    def test_one_unit_is_no_warning(self):
        assert "mixed_units" not in notes(table(FIX, FIX + 60))

    def test_a_unit_that_changes_deep_in_a_long_table_is_a_warning(self):
        data = table(*range(FIX, FIX + 200_000), (FIX + 200_000) * 1000)
        assert "200,000 in seconds since 1970 and 1 in milliseconds" in notes(data)["mixed_units"]

    def test_a_number_of_no_unit_names_the_option(self):
        data = table(12, FIX)
        assert "time_unit" in notes(data)["unknown_unit"]
        assert read_bytes(data).report.dropped == {"bad_time": 1}


class TestTimeColumns:
    @each("name", ["ais_pos_timestamp", "Zeitpunkt der Position", "c17"])
    @each("cell", ["13/06/2024 10:00:00", "2024-06-13 10:00", "13 Jun 2024 10:00", "Thu Jun 13 10:00:00 +0000 2024"])
    def test_a_column_is_found_by_its_values(self, name, cell):
        reading = read_bytes(table(cell, cell, name=name))
        assert seconds(reading.series[0]) == [1718272800.0] * 2
        assert [guess["value"] for guess in reading.report.guesses if guess["option"] == "time"] == [name]

    def test_the_issue_s_own_example(self):
        data = b"mmsi,ais_pos_timestamp,lat,lon\n211000000,13/06/2024 10:00:00,52.5,13.4\n"
        reading = read_bytes(data)
        assert (reading.report.format, seconds(reading.series[0])) == ("ais", [1718272800.0])

    def test_numbers_and_days_need_a_name_that_hints_at_time(self):
        assert seconds(read_bytes(table(FIX, name="pos_stamp")).series[0]) == [FIX]
        assert seconds(read_bytes(table("13/06/2024", name="tracking date")).series[0]) == [1718236800.0]
        for cell in (FIX, "13/06/2024"):
            assert "No column of times was found" in notes(table(cell, name="parcel"))["untimed"]

    @each(("name", "cell"), [("time_zone", "Europe/Berlin"), ("time_offset", "120"), ("time_taken", "00:12:30")])
    def test_a_name_that_begins_like_a_time_is_none_if_its_values_are_not(self, name, cell):
        data = f"lat,lon,{name},seen\n52.5,13.4,{cell},2024-06-13T10:00:00Z\n".encode()
        reading = read_bytes(data)
        assert seconds(reading.series[0]) == [1718272800.0]
        assert [guess["value"] for guess in reading.report.guesses if guess["option"] == "time"] == ["seen"]
        assert "No column of times was found" in notes(table(cell, name=name))["untimed"]

    def test_days_since_1899_under_a_name_that_promises_instants_require_their_unit(self):
        assert refusal(ChoiceNeeded, read_bytes, table("45458.5", name="timestamp of fix")).parameter == "time_unit"

    def test_an_empty_column_is_named(self):
        assert "'when' is empty" in notes(table("", "", name="when"))["untimed"]


class TestFarTimes:
    @each("cell", ["1969-12-31T23:59:59Z", "2100-01-01T00:00:00Z", "0001-01-01T00:00:00Z"])
    def test_years_outside_1970_to_2100_are_kept_with_a_warning(self, cell):
        data = table("2024-06-13T10:00:00Z", cell)
        assert len(read_bytes(data)) == 2
        assert f"1 time outside the years 1970 to 2100 (first {cell[:-1]} UTC on line 3)" in notes(data)["far_times"]

    @each("cell", ["1970-01-01T00:00:00Z", "2099-12-31T23:59:59Z"])
    def test_the_first_and_the_last_second_are_no_warning(self, cell):
        assert "far_times" not in notes(table(cell))


class TestOverflow:
    """Google's E7 numbers of western longitudes and southern latitudes, stored as unsigned 32 bits."""

    def test_takeout(self):
        place = {"latitudeE7": 2**32 - 338688000, "longitudeE7": 2**32 - 66227296, "timestamp": "2024-06-15T12:00:00Z"}
        data = json.dumps({"locations": [place]}).encode()
        one = read_bytes(data, "Records.json").series[0]
        assert (one.lon[0], one.lat[0]) == (-6.6227296, -33.8688)
        assert [note["count"] for note in read_bytes(data).report.notes if note["code"] == "e7_overflow"] == [2]

    def test_a_table_with_and_without_the_name(self):
        cells = f"525000000,{2**32 - 66227296}\n525000001,134050000\n"
        for header in ("latitudeE7,longitudeE7\n", "lat,lon\n"):
            data = (header + cells).encode()
            assert read_bytes(data).series[0].lon.tolist() == [-6.6227296, 13.405]
            assert "2³² was subtracted" in notes(data)["e7_overflow"]

    def test_degrees_are_not_touched(self):
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

    def test_movingpandas_segments_are_one_trajectory(self):
        clock = ["2024-06-15T12:00:00", "2024-06-15T12:01:00", "2024-06-15T12:02:00"]
        spots = [[13.4, 52.5], [13.5, 52.6], [13.6, 52.7]]
        parts = [line_feature(spots[i], spots[i + 1], traj_id=1, prev_t=clock[i], t=clock[i + 1]) for i in range(2)]
        reading = read(io.BytesIO(collection(*parts)), name="x.geojson")
        assert seconds(reading.series[0]) == [FIX, FIX + 60, FIX + 120]
        assert reading.series[0].lon.tolist() == [13.4, 13.5, 13.6]

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
        assert seconds(read_bytes(points.encode(), "x.csv").series[0]) == [FIX]

    def test_whole_lines_have_the_times_of_their_ends_only(self):
        data = collection(
            line_feature([1, 1], [2, 2], [3, 3], start_t="2024-06-15T12:00:00", end_t="2024-06-15T12:02:00")
        )
        reading = read_bytes(data)
        assert seconds(reading.series[0]) == [FIX, FIX + 120]
        assert reading.report.dropped == {"no_time": 1}
        assert "Only the ends" in notes(data)["line_ends"]
