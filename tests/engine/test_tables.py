"""Tables read as their owner reads them: all columns together, with the sentences that state what was done."""

import json

import numpy as np
import pytest

from privacy_engine.commands.main import main
from privacy_engine.errors import ChoiceNeeded, FormatError, ParameterError
from privacy_engine.formats import KINDS, read
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes

NOON = 1717405200.0  # 2024-06-03T09:00:00Z
LATER = NOON + 57.0


def table(*rows):
    return "\n".join(rows).encode()


def instants(data, **given):
    (series,) = read_bytes(data, **given).series
    return series.time_s.tolist()


@each(
    ("header", "first", "second"),
    [
        ("fecha,hora", "2024-06-03,09:00:00", "2024-06-03,09:00:57"),
        ("Datum,Uhrzeit", "2024.06.03,9:00", "2024.06.03,9:0:57"),
        ("Date(GMT),Time(GMT)", "2024/06/03,09:00:00", "2024/06/03,09:00:57"),
        ("utc_t,utc_d", "09:00:00,2024-06-03", "09:00:57,2024-06-03"),
        ("date,time", "2024-06-03 00:00:00,09:00:00", "2024-06-03 00:00:00,09:00:57"),
        ("DATE,TIME", "20240603,90000", "20240603,90057"),
        ("日期,时间", "2024-06-03,09:00:00", "2024-06-03,09:00:57"),
        ("date,hour,minute,second", "2024-06-03,9,0,0", "2024-06-03,9,0,57"),
        ("year,month,day,hour,minute,second", "2024,6,3,9,0,0", "2024,6,3,9,0,57"),
        ("anno,mese,giorno,ora,minuto,secondo", "2024,06,03,09,00,00", "2024,06,03,09,00,57"),
        ("time", "2024-06-03T09:00:00Z", "2024-6-3 9:0:57Z"),
        ("Time (UTC+8)", "2024-06-03 17:00:00", "2024-06-03 17:00:57"),
        ("time (Europe/Berlin)", "2024-06-03 11:00:00", "2024-06-03 11:00:57"),
        ("when", "2024-06-03 02:00:00 America/Los_Angeles", "2024-06-03 02:00:57 America/Los_Angeles"),
        ("when", "2024-06-03 05:00:00 EDT", "2024-06-03 09:00:57 GMT"),
        ("time_local,time_utc", "2024-06-03 11:00:00,2024-06-03 09:00:00", "2024-06-03 11:00:57,2024-06-03 09:00:57"),
        ("serverTime,fixTime", "2024-06-03 10:00,2024-06-03 09:00", "2024-06-03 11:00,2024-06-03 09:00:57"),
        ("lcl_date,lcl_time,utc_offset", "2024-06-03,11:00:00,+2", "2024-06-03,11:00:57,+2"),
    ],
)  # fmt: skip
def test_a_time_in_one_column_or_several(header, first, second):
    data = table(f"{header},lat,lon", f"{first},52.5,13.4", f"{second},52.6,13.4")
    reading = read_bytes(data)
    (series,) = reading.series
    assert series.time_s.tolist() == [NOON, LATER]
    again = read_bytes(data, **reading.report.decided)
    assert again.series[0].time_s.tolist() == [NOON, LATER], "what was decided is enough"


@each(
    ("header", "cell", "parameter", "default"),
    [
        ("timestamp_local", "2024-06-03 11:00:00", "time_zone", "Europe/Berlin"),
        ("Date,LocalTime", "2024-06-03,11:00:00", "time_zone", "Europe/Berlin"),
        ("when", "2024-06-03 11:00:00 CEST", "time_zone", "Europe/Berlin"),
        ("date,time", "2024-06-03,9", "clock", "#2"),
    ],
)
def test_what_is_not_certain_is_requested(header, cell, parameter, default):
    data = table(f"{header},lat,lon", f"{cell},52.5,13.4", f"{cell},52.6,13.4")
    choice = refusal(ChoiceNeeded, read_bytes, data)
    assert (choice.parameter, choice.default) == (parameter, default)
    assert instants(data, **{parameter: default}) == [NOON, NOON]
    if parameter == "clock":
        assert instants(data, clock="#0") == [NOON - 9 * 3600] * 2


@each(
    ("x", "y", "first", "place"),
    [
        ("1324.2512", "5230.5034", "DDMM", (13.404187, 52.508390)),
        ("2600000", "1200000", "EPSG:2056", (7.438632, 46.951083)),
        ("600000", "200000", "EPSG:21781", (7.438632, 46.951083)),
        ("121000", "487000", "EPSG:28992", (4.905, 52.370)),
        ("652000", "6862000", "EPSG:2154", (2.347, 48.857)),
        ("392000", "5820000", "EPSG:32601", None),
        ("1492000", "6894000", "EPSG:3857", (13.402764, 52.522)),
    ],
)
def test_coordinates_in_metres_are_refused_with_the_systems_that_fit(x, y, first, place):
    data = table("time,x,y", f"2024-06-03T09:00:00Z,{x},{y}")
    choice = refusal(ChoiceNeeded, read_bytes, data)
    assert (choice.parameter, choice.default) == ("crs", first)
    if place is not None:
        (series,) = read_bytes(data, crs=first).series
        assert (series.lon[0], series.lat[0]) == pytest.approx(place, abs=0.05)


def test_the_british_grid_is_among_them():
    choice = refusal(ChoiceNeeded, read_bytes, table("time,easting,northing", "2024-06-03T09:00:00Z,529090,181680"))
    assert "EPSG:27700" in [code for code, _ in choice.choices]


def test_a_trip_never_pairs_its_end_with_its_start():
    header = "ride_id,started_at,ended_at,end_lat,end_lng,start_lat,start_lng"
    data = table(header, "a,2024-06-03 09:00:00,2024-06-03 09:00:57,2,20,1,10")
    (series,) = read_bytes(data).series
    assert series.time_s.tolist() == [NOON, LATER]
    assert (series.lat.tolist(), series.lon.tolist()) == ([1.0, 2.0], [10.0, 20.0])
    (start,) = read_bytes(data, end="none").series
    assert (start.lat.tolist(), start.lon.tolist(), start.time_s.tolist()) == ([1.0], [10.0], [NOON])
    assert refusal(ParameterError, read_bytes, data, end="lat #3").field == "end"
    without_end = data + b"\nb,2024-06-03 09:00:00,,2,20,1,10"
    found = read_bytes(without_end)
    assert ([len(one) for one in found.series], found.report.dropped) == ([2, 1], {"no_time": 1})


def test_rows_one_cell_longer_than_the_header_have_names():
    r = table("ID date longitude latitude", '"7" "a" 2024-06-03 13.4 52.5', '"9" "b" 2024-06-03 13.5 52.6')
    found = read_bytes(r)
    assert [(one.name, one.lat[0]) for one in found.series] == [("a", 52.5), ("b", 52.6)]
    assert found.report.decided["columns"] == "5"
    unnamed = table("lat,lon,time", "52.5,13.4,2024-06-03T09:00:00Z,x", "52.6,13.4,2024-06-03T09:00:57Z,x")
    assert instants(unnamed) == [NOON, LATER], "the last cell has no name"


def test_people_in_other_languages():
    data = table(
        "usuario,fecha,hora,latitud,longitud", "anna,2024-06-03,09:00:00,52.5,13.4", "ben,2024-06-03,09:00,52,13"
    )
    assert {one.person for one in read_bytes(data).series} == {"anna", "ben"}


def test_single_quotes_of_mysql():
    data = table("# id, deviceId, fixTime, latitude, longitude, attributes",
                 "'1', '7', '2024-06-03 09:00:00', '52.5', '13.4', '{\"a\", 2}'",
                 "'2', '7', '2024-06-03 09:00:57', '52.6', '13.4', '{}'")  # fmt: skip
    assert instants(data) == [NOON, LATER]


def test_the_sentences_state_what_was_used_and_what_resembles_it():
    data = table("time_local,time_utc,driver,lat,lon,speed",
                 "2024-06-03 11:00:00,2024-06-03 09:00:00,x,52.5,13.4,3")  # fmt: skip
    report = read_bytes(data, id="#0").report
    assert {one["name"]: one["role"] for one in report.columns if one["used"]} == {
        "time_utc": "time", "lat": "lat", "lon": "lon"
    }  # fmt: skip
    unused = {one["name"]: one["sentence"] for one in report.columns if not one["used"]}
    assert unused["time_local"] == "Resembles a time; not used."
    assert unused["speed"] == ""
    assert report.first == [
        {
            "row": 2,
            "read": {"lon": "13.400000", "lat": "52.500000", "time": "2024-06-03T09:00:00Z"},
            "raw": ["2024-06-03 11:00:00", "2024-06-03 09:00:00", "x", "52.5", "13.4", "3"],
        }
    ]


def test_the_command_prints_the_columns(tmp_path, capsys):
    path = tmp_path / "walk.csv"
    path.write_bytes(table("fecha,hora,lat,lon", "2024-06-03,09:00:00,52.5,13.4"))
    assert main(["read", str(path)]) == 0
    out = capsys.readouterr().out
    assert "hora: The time of day, one time together with the column of the time." in out
    assert (
        "line 2: 2024-06-03 | 09:00:00 | 52.5 | 13.4 -> lon 13.400000, lat 52.500000, time 2024-06-03T09:00:00Z" in out
    )
    assert main(["read", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kind"] == "trajectory"
    assert main(["read", str(path), "--read", "clock=#9"]) == 1
    assert "clock must be of columns from #1 to #4" in capsys.readouterr().err


class TestCounts:
    def counts(self, data, **given):
        stream = read_bytes(data, kinds=["stream"], **given).other
        return stream.names, stream.counts.tolist()

    def test_marks_between_thousands(self):
        data = table("day;a;b", "2024-01-01;1,234;5", "2024-01-02;12;6")
        assert self.counts(data)[1] == [[1234.0, 5.0], [12.0, 6.0]]
        assert self.counts(data.replace(b",", b"\xc2\xa0"))[1][0] == [1234.0, 5.0]
        points = data.replace(b",", b".")
        choice = refusal(ChoiceNeeded, self.counts, points)
        assert choice.parameter == "thousands"
        assert self.counts(points, thousands=".")[1][0] == [1234.0, 5.0]
        assert self.counts(points, thousands="none")[1][0] == [1.234, 5.0]

    def test_withheld_counts_are_requested(self):
        data = table("day,a,b", "2024-01-01,<5,7", "2024-01-02,6,8")
        assert refusal(ChoiceNeeded, self.counts, data).parameter == "withheld"
        assert self.counts(data, withheld="0")[1] == [[0.0, 7.0], [6.0, 8.0]]
        assert self.counts(data, withheld="leave_out")[1] == [[6.0, 8.0]]

    def test_totals_are_left_out_by_their_names(self):
        data = table("day,a,Total,b", "2024-01-01,1,3,2", "2024-01-02,1,3,2", "Total,2,6,4")
        reading = read_bytes(data, kinds=["stream"])
        assert (reading.other.names, reading.other.counts.tolist()) == (("a", "b"), [[1.0, 2.0], [1.0, 2.0]])
        assert np.diff(reading.other.time_s).tolist() == [86400.0], "a total is no label of a time"
        assert reading.report.decided["leave_out"] == "row:Total, column:Total"
        again = read_bytes(data, kinds=["stream"], **reading.report.decided)
        assert again.other.counts.tolist() == reading.other.counts.tolist()
        assert refusal(ParameterError, self.counts, data, leave_out="column:c").field == "leave_out"
        assert self.counts(data.replace(b"Total,2", b"0,2"), leave_out="row:0, column:day, column:Total")[0] == (
            "a",
            "b",
        )
        assert refusal(ParameterError, self.counts, data, leave_out="Total").field == "leave_out"

    def test_numbers_of_rows_are_no_counts(self):
        assert self.counts(table("id,day,a", "1,2024-01-01,5", "2,2024-01-02,6"))[0] == ("a",)

    def test_dates_across(self):
        data = table("Province/State,Country/Region,Lat,Long,1/22/20,1/23/20,1/24/20,1/25/20",
                     ",Thailand,15,101,2,3,5,7", "Hokkaido,Japan,36,138,2,1,2,2")  # fmt: skip
        reading = read_bytes(data, kinds=KINDS)
        assert reading.kind == "stream"
        assert reading.other.names == ("Thailand", "Hokkaido / Japan")
        assert reading.other.counts.tolist() == [[2.0, 2.0], [3.0, 1.0], [5.0, 2.0], [7.0, 2.0]]
        assert np.diff(reading.other.time_s).tolist() == [86400.0] * 3
        twice = data.replace(b"Hokkaido,Japan", b",Thailand")
        assert refusal(FormatError, read_bytes, twice, kinds=["stream"]).code == "repeated_names"

    def test_weeks_quarters_and_repeated_names(self):
        weeks = read_bytes(table("week,a", "2024-W01,1", "2024-W02,2"), kinds=["stream"]).other
        assert np.diff(weeks.time_s).tolist() == [7 * 86400.0]
        quarters = read_bytes(table("quarter,a", "2024Q1,1", "2024Q2,2"), kinds=["stream"]).other
        assert np.diff(quarters.time_s).tolist() == [91 * 86400.0]
        names = read_bytes(table("day,a,a,", "2024-01-01,1,2,3", "2024-01-02,4,5,6"), kinds=["stream"])
        assert names.other.names == ("a", "a (2)", "column 4")
        assert {"blank_names", "repeated_names"} <= {note["code"] for note in names.report.notes}


def test_check_ins_take_a_date_and_a_time_of_day():
    rows = [f"u{i % 3},p{i},2024-06-03,09:00:{i:02d},2024-06-03,10:00:00" for i in range(9)]
    data = table("user,place,start_date,start_time,end_date,end_time", *rows)
    found = read_bytes(data, kinds=KINDS)
    assert found.kind == "checkins"
    assert sorted(found.other.time_s.tolist()) == [NOON + i for i in range(9)], "the start"


class TestSense:
    def codes(self, data, **given):
        return {note["code"] for note in read_bytes(data, **given).report.notes if note["level"] == "warning"}

    @each(
        ("code", "rows"),
        [
            ("all_midnight", [f"a,2024-06-0{i},52.{i},13.4" for i in range(1, 8)]),
            ("row_numbers", [f"a,2024-06-03T09:00:0{i}Z,52.5,{i}" for i in range(1, 9)]),
            ("same_coordinates", [f"a,2024-06-03T09:00:0{i}Z,5.{i},5.{i}" for i in range(1, 9)]),
            ("two_places", [f"a,2024-06-03T09:00:0{i // 2}Z,{50 + i % 2},13.{i}" for i in range(12)]),
            ("single_points", [f"u{i},2024-06-03T09:00:00Z,52.{i},13.4" for i in range(30)]),
            ("future_times", ["a,2098-06-03T09:00:00Z,52.5,13.4", "a,2024-06-03T09:00:00Z,52.5,13.4"]),
            ("zone_jump", [f"a,2024-06-03T{9 + 2 * (i > 9):02d}:{i:02d}:00Z,52.5,13.4000{i}" for i in range(20)]),
            ("mostly_dropped", ["a,2024-06-03T09:00:00Z,52.5,13.4", *(["a,2024-06-03T09:00:00Z,x,13.4"] * 8)]),
        ],
    )
    def test_what_cannot_be_meant_is_a_warning(self, code, rows):
        data = table("user,time,lat,lon", *rows)
        reading = read_bytes(data)
        assert code in {note["code"] for note in reading.report.warnings}
        assert reading.report.outcome == "accept_warn"
        assert self.codes(data, **reading.report.decided).isdisjoint({code}), "once is enough"

    def test_a_usual_file_has_none(self):
        rows = [f"a,2024-06-03T09:{i:02d}:00Z,52.{500 + i},13.{400 + i}" for i in range(30)]
        assert self.codes(table("user,time,lat,lon", *rows)) == set()

    @each(
        ("option", "rows"),
        [
            ("swap", [f"a,2024-06-03T09:00:{i:02d}Z,13.4{i},52.5" for i in range(10, 20)]),
            ("lon", [f"a,2024-06-03T09:00:{i:02d}Z,38.7{i},7.5" for i in range(10, 20)]),
            ("lat", [f"a,2024-06-03T09:00:{i:02d}Z,23.5{i},-46.6" for i in range(10, 20)]),
            ("swap", [f"a,2024-06-03T09:00:{i:02d}Z,{'52.5,13.4' if i == 10 else '13.4,52.5'}" for i in range(10, 20)]),
        ],
    )
    def test_all_positions_but_one_in_the_sea_are_noted(self, option, rows):
        report = read_bytes(table("user,time,lat,lon", *rows)).report
        notes = {note["option"]: note for note in report.notes if note["code"] == "at_sea"}
        assert notes[option]["level"] == "info", "ships are at sea"
        assert f"of {len(rows)} positions lie in the sea, such as " in notes[option]["message"]

    @each(
        ("id", "lon", "lat"), [("user", -130.0, 10.0), ("user", 14.51, 35.9), ("mmsi", 3.2, 56.5), ("mmsi", 18.0, 34.0)]
    )
    def test_ships_and_islands_have_none_either(self, id, lon, lat):
        rows = [f"a,2024-06-03T09:{i:02d}:00Z,{lat + i / 1e3},{lon + i / 1e3}" for i in range(30)]
        notes = read_bytes(table(f"{id},time,lat,lon", *rows)).report.notes
        assert not [note for note in notes if note["code"] == "at_sea"]


def test_reading_a_file_of_another_reader_s_cases(tmp_path):
    with pytest.raises(FormatError, match="No latitude column"):
        read(tmp_path.joinpath("x.csv").write_bytes(b"a,b\n1,2\n") and tmp_path / "x.csv")
