"""Tables that have names of their own: Porto's trips, GTFS shapes, Movebank, AIS; and zip archives of such."""

import pytest

from privacy_engine.errors import ChoiceNeeded, FormatError
from tests.cases import each, refusal
from tests.engine.format_samples import PORTO, SHAPES, read_bytes, seconds, zipped

MOVEBANK = (
    b"event-id,timestamp,location-long,location-lat,individual-local-identifier\n"
    b"1,2024-06-15 12:00:00.000,6.58,53.0,bird\n"
)
AIS = (
    b"# Timestamp,Type of mobile,MMSI,Latitude,Longitude\n"
    b"15/06/2024 12:00:00,Class A,211429600,54.69,8.57\n15/06/2024 12:00:10,Class A,211429600,91.0,0.0\n"
)
MARINE_CADASTRE = b"MMSI,BaseDateTime,LAT,LON,SOG\n211429600,2024-06-15T12:00:00,54.69,8.57,0.1\n"
NOON_S = 1718452800.0


class TestPorto:
    def test_positions_are_15_seconds_apart(self):
        reading = read_bytes(PORTO)
        assert reading.report.series == [("20", 2)]
        assert seconds(reading.series[0]) == [NOON_S, NOON_S + 15]

    def test_the_owner_may_have_trips_instead_of_taxis(self):
        assert read_bytes(PORTO, id="TRIP_ID").report.series == [("1", 2)]
        assert read_bytes(PORTO, id="#0").report.series == [("", 2)]

    def test_bad_trips_are_dropped_by_their_lines(self):
        rows = b'2,20,1718452900,True,"[[-8.6,41.1]]"\n3,20,1,False,oops\n4,20,1,False,[]\n5,20\n'
        report = read_bytes(PORTO + rows).report.as_dict()
        dropped = {reason: drops["rows"] for reason, drops in report["dropped"].items()}
        assert dropped == {"bad_polyline": [4], "missing": [5], "short_row": [6]}
        assert [note["count"] for note in report["notes"] if note["code"] == "missing_data"] == [1]

    @each("header", [b"TRIP_ID,POLYLINE\n1,[]\n", b"POLYLINE,TIMESTAMP\n"])
    def test_without_times_or_trips_there_is_nothing_to_read(self, header):
        assert refusal(FormatError, read_bytes, header).code in ("no_position_columns", "no_points")


class TestGtfs:
    def test_shapes_are_series_in_the_order_of_their_sequence(self):
        reading = read_bytes(SHAPES)
        assert reading.report.series == [("a", 2), ("b", 1)]
        assert reading.series[0].lat.tolist() == [28.0, 28.1]
        assert reading.series[0].time_s is None

    def test_of_a_feed_only_the_shapes_are_read(self):
        feed = {"stops.txt": b"stop_id,stop_lat,stop_lon\n1,2,3\n", "trips.txt": b"trip_id\n1\n", "shapes.txt": SHAPES}
        reading = read_bytes(zipped(**feed), "feed.zip")
        assert (reading.report.series, reading.report.dropped) == ([("a", 2), ("b", 1)], {})
        del feed["shapes.txt"]
        with pytest.raises(FormatError, match=r"no shapes\.txt"):
            read_bytes(zipped(**feed), "feed.zip")

    def test_rows_are_the_lines_of_the_file(self):
        report = read_bytes(SHAPES + b"b,nowhere,1,2\n").report.as_dict()
        assert report["dropped"]["not_a_number"]["rows"] == [5]


class TestMovebank:
    def test_animals_in_utc_without_a_guess(self):
        reading = read_bytes(MOVEBANK)
        assert (reading.report.format, reading.report.series) == ("movebank", [("bird", 1)])
        assert seconds(reading.series[0]) == [NOON_S]
        assert "time_zone" not in {guess["option"] for guess in reading.report.guesses}


class TestAis:
    @each("data", [AIS, MARINE_CADASTRE])
    def test_ships_by_their_number(self, data):
        reading = read_bytes(data)
        assert (reading.report.format, reading.report.series) == ("ais", [("211429600", 1)])
        assert seconds(reading.series[0]) == [NOON_S]

    def test_91_degrees_is_no_position(self):
        assert read_bytes(AIS).report.dropped == {"unavailable": 1}


class TestDialects:
    """Each of the ways people write one table, and what is requested rather than guessed."""

    ROWS = ((52.52, 13.405, NOON_S), (-33.8688, -70.6693, NOON_S + 60))

    @each("delimiter", [",", ";", "\t", "|"])
    @each("decimal", [".", ","])
    @each("quote", ["", '"'])
    @each("encoding", ["utf-8", "utf-8-sig", "utf-16"])
    def test_separators_marks_quotes_and_encodings(self, delimiter, decimal, quote, encoding):
        if delimiter == decimal and not quote:
            return  # such a file means nothing
        rows = [["time", "lat", "lon"], *([f"{at:.0f}", str(lat), str(lon)] for lat, lon, at in self.ROWS)]
        cells = [[cell.replace(".", decimal) for cell in row] for row in rows]
        text = "\n".join(delimiter.join(f"{quote}{cell}{quote}" for cell in row) for row in cells)
        one = read_bytes(text.encode(encoding)).series[0]
        assert list(zip(one.lat.tolist(), one.lon.tolist(), seconds(one), strict=True)) == list(self.ROWS)

    @each(
        "position",
        ["525200000,134050000", "52.52N,13.405E", "52.52 N,13.405 E", "N52.52,E13.405", "52°31'12\"N,13°24'18\"E"],
    )
    def test_one_place_in_many_spellings(self, position):
        head = "latitudeE7,longitudeE7" if position.isdigit() or position.startswith("5252") else "lat,lon"
        one = read_bytes(f"time,{head}\n1718452800,{position.replace(chr(34), '″')}\n".encode()).series[0]
        assert (one.lat[0], one.lon[0]) == pytest.approx((52.52, 13.405), abs=1e-9)

    @each(
        "when",
        [
            "1718452800",
            "1718452800000",
            "1718452800000000",
            "2024-06-15T12:00:00Z",
            "2024-06-15T14:00:00+02:00",
            "2024-06-15 07:00:00-0500",
            "15/06/2024 12:00:00",
            "06/15/2024 12:00:00 PM",
            "15.06.2024 12:00",
            "2024-06-15T12:00:00.000000",
        ],
    )
    def test_one_instant_in_many_spellings(self, when):
        assert seconds(read_bytes(f"time,lat,lon\n{when},52.52,13.405\n".encode()).series[0]) == [NOON_S]

    @each(
        ("rows", "parameter", "default"),
        [
            ("05/06/2024 12:00,1,2\n", "date_order", "dmy"),
            ("2024-06-15T12:00:00Z,1,2\n2024-06-15T12:01:00,1,2\n", "time_zone", "UTC"),
            ("45458.5,1,2\n", "time_unit", "days"),
            ("2024-06-15T12:00:00Z,116.3,39.9\n", "swap", "yes"),
            ("2024-06-15T12:00:00Z,4865090.5,12947950.2\n", "crs", "EPSG:3857"),
        ],
    )
    def test_what_may_be_meant_in_two_ways_is_requested(self, rows, parameter, default):
        table = f"time,lat,lon\n{rows}".encode()
        requested = refusal(ChoiceNeeded, read_bytes, table)
        assert (requested.parameter, requested.default) == (parameter, default)
        assert len(read_bytes(table, **{parameter: default})) == rows.count("\n")
