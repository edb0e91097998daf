"""Tables of the shapes that public packages ship, each with values of its own; each was misread before."""

import io

import numpy as np

from privacy_engine.errors import ChoiceNeeded, FormatError
from privacy_engine.formats import KINDS
from privacy_engine.formats.arrow import pa, pq
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes


def table(*rows):
    return "\n".join(rows).encode()


def counts(data, **given):
    stream = read_bytes(data, kinds=["stream"], **given).other
    return stream.names, list(stream.labels), stream.counts.tolist()


@each("header", ["time,lat,lon,type", "# best track\ndate,lat,lon,type"])
@each("hour", ["12", "18"])
def test_hours_written_as_ten_digits_are_no_seconds_of_2033(header, hour):
    data = table(header, f"20040319{hour},-27.5,-48.5,EX", f"20040320{hour},-26.5,-48.0,EX")
    reading = read_bytes(data)
    first = np.datetime64(f"2004-03-19T{hour}:00:00").astype(int)
    assert reading.series[0].time_s.tolist() == [first, first + 86400]
    assert reading.report.decided["time_unit"] == "date"
    again = read_bytes(data, **reading.report.decided)
    assert again.series[0].time_s.tolist() == [first, first + 86400]


def test_seconds_of_that_size_are_seconds_where_they_are_no_hours():
    (series,) = read_bytes(table("time,lat,lon", "2004139918,52.5,13.4", "2004139960,52.6,13.4")).series
    assert series.time_s.tolist() == [2004139918.0, 2004139960.0]


def test_parts_of_old_times_are_read():
    (series,) = read_bytes(table("eventID,year,month,day,hour,lon,lat", "7,1348,1,25,15,13.6,46.6")).series
    assert series.time_s.tolist() == [np.datetime64("1348-01-25T15:00:00").astype(int)]


@each("ids", [[f"eq{7 * i % 30:02d}x" for i in range(30)], [f"{7 * i % 30}" for i in range(30)]])
def test_an_id_of_each_row_is_read_with_a_warning(ids):
    data = table("time,lat,lon,id", *(f"2024-06-03T09:00:{i:02d}Z,52.5,13.4,{one}" for i, one in enumerate(ids)))
    reading = read_bytes(data)
    assert len(reading.series) == 30
    (warning,) = [note for note in reading.report.warnings if note["code"] == "single_points"]
    assert "set the option id to #0" in warning["message"]
    assert len(read_bytes(data, id="#0").series) == 1


def test_a_fleet_by_time_is_one_series_for_each_id():
    ids = [7 * i % 30 for i in range(30)] * 5
    rows = (f"2024-06-03T09:{i // 60:02d}:{i % 60:02d}Z,52.5,13.4,{one}" for i, one in enumerate(ids))
    reading = read_bytes(table("time,lat,lon,id", *rows))
    assert [len(one) for one in reading.series] == [5] * 30


def test_rows_numbered_downwards_are_no_series():
    data = table("id,time,lat,lon", "3,2024-06-03T09:00:02Z,52.5,13.4", "2,2024-06-03T09:00:01Z,52.5,13.4")
    assert len(read_bytes(data).series) == 1


def test_pixels_of_a_film_are_no_degrees():
    data = table("time,x,y", *(f"2024-06-03T09:00:{i:02d}Z,{195 - 9 * i},{120 + 20 * i}" for i in range(20)))
    assert refusal(ChoiceNeeded, read_bytes, data).parameter == "crs"


def test_the_columns_that_were_offered_can_be_named():
    rows = [f"Africa;Algeria;Place {i};DA{i};3{i}.8;7.8{i};4" for i in range(5)]
    assert refusal(ChoiceNeeded, read_bytes, table(*rows)).parameter == "lon"
    (series,) = read_bytes(table(*rows), lon="#6", lat="#5").series
    assert (series.lon[1], series.lat[1]) == (7.81, 31.8)


@each("index", ["", "ID"])
def test_an_index_of_the_rows_is_no_count(index):
    rows = [f"{i},2014-05-{10 + i:02d} 00:00:00,Cluster{'YN'[i % 2]},alive" for i in range(6)]
    data = table(f"{index},Date,Cluster,health", *rows)
    assert refusal(FormatError, read_bytes, data, kinds=KINDS).code == "no_position_columns"


def test_an_index_beside_a_long_table_names_no_stream():
    data = table(",day,city,count", "0,2024-01-01,a,5", "1,2024-01-01,b,6", "2,2024-01-02,a,7")
    assert counts(data) == (("a", "b"), ["2024-01-01", "2024-01-02"], [[5.0, 6.0], [7.0, 0.0]])


@each("months", [("1991 Jul", "1991 Aug"), ("July 1991", "August 1991"), ("Jul-1991", "Aug-1991")])
def test_months_by_name_are_times(months):
    stream = read_bytes(table("Month,Scripts", *(f"{month},{7 + i}" for i, month in enumerate(months))),
                        kinds=["stream"]).other  # fmt: skip
    assert [str(np.datetime64(int(one), "s"))[:10] for one in stream.time_s] == ["1991-07-01", "1991-08-01"]


def test_what_begins_as_a_month_is_none():
    assert read_bytes(table("step,a", "2024 Marketing,1", "2024 Decline,2"), kinds=["stream"]).other.time_s is None


def test_a_header_one_name_short_leaves_out_the_names_of_the_rows():
    data = table('"north","south"', '"1",5,6', '"2",7,8')
    assert counts(data) == (("north", "south"), ["1", "2"], [[5.0, 6.0], [7.0, 8.0]])
    reading = read_bytes(data, kinds=["stream"])
    assert counts(data, **reading.report.decided)[2] == [[5.0, 6.0], [7.0, 8.0]]


def test_a_header_cut_otherwise_than_its_rows_is_refused():
    data = table("week    observed state", "199001\t1\t  0", "199002\t0\t  0")
    assert refusal(FormatError, counts, data).code == "long_rows"


def test_a_name_that_is_a_number_is_no_count():
    assert counts(table(",0", "1821,269", "1822,321"))[2] == [[269.0], [321.0]]


def test_a_table_of_sales_is_refused_with_what_may_be_done():
    data = table("day,item,price,orders", "2024-01-01,bread,3,16", "2024-01-01,cake,9,7", "2024-01-02,bread,3,14")
    refused = refusal(FormatError, read_bytes, data, kinds=KINDS)
    assert str(refused).endswith("choose the kind Count streams (kind=stream).")
    assert refusal(ChoiceNeeded, counts, data).parameter == "count"
    assert counts(data.replace(b"price", b"cost"), count="orders")[0][0] == "bread/3"


def test_letters_of_hemispheres_in_parquet():
    columns = {"time": ["2024-06-03T09:00:00Z"], "lat": ["33.5 S"], "lon": ["70.5W"]}
    pq.write_table(pa.table(columns), out := io.BytesIO())
    (series,) = read_bytes(out.getvalue()).series
    assert (series.lon[0], series.lat[0]) == (-70.5, -33.5)


def test_people_in_other_languages_check_in():
    rows = [f"{'anna' if i % 2 else 'ben'},Café {i},2024-06-03T09:00:0{i}Z" for i in range(4)]
    reading = read_bytes(table("usuario,venue,time", *rows), kinds=KINDS)
    assert (reading.kind, reading.other.users) == ("checkins", ["ben", "anna"])


def test_customers_are_no_persons_of_trajectories():
    rows = [f"c{i},2024-06-03T09:00:0{i}Z,52.5,13.4" for i in range(4)]
    assert {one.person for one in read_bytes(table("customer,time,lat,lon", *rows)).series} == {""}


@each("rows", [("2024-01-01,5,6,1", "2024-01-02,7,8,1"), ("2024-01-01,5,6,1",)])
def test_a_cell_more_at_the_end_shifts_no_names(rows):
    reading = read_bytes(table("day,a,b", *rows), kinds=["stream"])
    assert reading.other.names == ("a", "b")
    assert reading.other.counts[0].tolist() == [5, 6]
    assert "long_row" in {note["code"] for note in reading.report.notes}


def test_a_cell_more_after_a_check_in_shifts_no_names():
    data = table("user,place,time", "1,a,2024-01-01T10:00:00Z,x", "1,b,2024-01-01T11:00:00Z,x")
    assert len(read_bytes(data, kinds=["checkins"]).other) == 2


def test_names_of_rows_are_noted():
    reading = read_bytes(table("day,a", "1,2024-01-01,5", "2,2024-01-02,7"), kinds=["stream"])
    assert reading.other.counts.ravel().tolist() == [5, 7]
    assert "row_names" in {note["code"] for note in reading.report.notes}


def test_arrivals_are_counts_and_no_times():
    assert counts(table("hotel,checkin,date", "x,4,2024-01-01", "x,6,2024-01-02"))[2] == [[4], [6]]


@each("data", [
    table("day,a,b", "2024-01-01,5", "2024-01-02,7,8", "2024-01-03,9,8"),
    table("day,a,b", "2024-01-01,5", "", "2024-01-02,7,8", '"2024-01-03",9,8'),
])  # fmt: skip
def test_first_rows_stand_beside_the_cells_they_were_read_of(data):
    report = read_bytes(data, kinds=["stream"]).report
    assert [row["raw"] for row in report.first] == [["2024-01-02", "7", "8"], ["2024-01-03", "9", "8"]]


GARMIN = ("2024-06-03T09:00:00Z,626349397,-159867371", "2024-06-03T09:00:05Z,626349517,-159867252")


@each("names", ["position_lat,position_long", "lat (semicircles),lon (semicircles)"])
def test_semicircles_of_garmin_are_read(names):
    reading = read_bytes(table(f"timestamp,{names}", *GARMIN))
    (series,) = reading.series
    assert series.lat.round(5).tolist() == [52.5, 52.50001]
    assert series.lon.round(5).tolist() == [-13.39993, -13.39992]
    assert reading.report.decided["crs"] == "SEMICIRCLES"
    assert [column["sentence"] for column in reading.report.columns[1:]] == [
        "The latitude, in semicircles.",
        "The longitude, in semicircles.",
    ]
    again = read_bytes(table("timestamp,lat,lon", *GARMIN), crs="SEMICIRCLES").series[0]
    assert again.lat.tolist() == series.lat.tolist()


def test_whole_numbers_of_other_names_are_no_semicircles():
    assert read_bytes(table("timestamp,lat,lon", *GARMIN)).report.decided["crs"] == "E7"


def test_of_two_columns_of_people_that_with_the_fewest_names_is_read():
    rows = [f"{i},{'ab'[i > 2]},2024-06-03T09:00:0{i}Z,52.5,13.4" for i in range(5)]
    reading = read_bytes(table("user_id,username,time,lat,lon", *rows))
    assert {track.person for track in reading.series} == {"a", "b"}
    assert any("People are named in 'user_id' too" in guess["message"] for guess in reading.report.guesses)
    visits = [f"{i},{'ab'[i > 2]},2024-06-03T09:00:0{i}Z,x" for i in range(5)]
    reading = read_bytes(table("user_id,username,time,venue_id", *visits), kinds=["checkins"])
    assert reading.other.users == ["a", "b"]
    assert any("People are named in 'user_id' too" in guess["message"] for guess in reading.report.guesses)


def test_two_columns_of_as_many_people_are_chosen_by_their_names():
    rows = [f"{i % 2},{'ab'[i % 2]},2024-06-03T09:00:0{i}Z,52.5,13.4" for i in range(4)]
    assert {track.person for track in read_bytes(table("username,user_id,time,lat,lon", *rows)).series} == {"a", "b"}


def test_a_total_beside_dates_names_no_stream():
    data = table("region,total,2024-01-01,2024-01-02,2024-01-03", "x,6,1,2,3", "y,9,2,3,4")
    report = read_bytes(data, kinds=["stream"]).report
    assert [column["role"] for column in report.columns] == ["names", "", "counts", "counts", "counts"]


@each(("data", "field", "text"), [
    (table("time,home_lat,home_lon", "2024-06-03T09:00:00Z,52.5,13.4"), "file", "'home_lat' may be the latitude"),
    (table("time,x,y", "2024-06-03T09:00:00Z,1e9,52.5"), "crs", "No usual system fits"),
])  # fmt: skip
def test_one_choice_is_no_question(data, field, text):
    error = refusal(FormatError, read_bytes, data)
    assert not isinstance(error, ChoiceNeeded)
    assert (error.field, text in error.message) == (field, True), error.message


def test_names_of_rows_stand_before_coordinates_of_any_name():
    data = table("a,b", "1,13.4,52.5", "2,13.5,52.6")
    (series,) = read_bytes(data, lon="a", lat="b").series
    assert (series.lon.tolist(), series.lat.tolist()) == ([13.4, 13.5], [52.5, 52.6])


def test_a_month_may_be_shortened_with_a_point():
    stream = read_bytes(table("month,a", "Aug. 2024,1", "Sept. 2024,2"), kinds=["stream"]).other
    assert np.diff(stream.time_s).tolist() == [31 * 86400.0]
