"""Tables of counts: which column holds the counts, times that repeat or are missing, counts that no mechanism takes."""

import numpy as np
import pytest

from privacy_engine.data import KINDS, CountStream
from privacy_engine.errors import ChoiceNeeded, FormatError, ParameterError
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes
from tests.engine.test_formats_streams_checkins import DAY_S, parquet, stream

IDS = b"date,store,item,count\n2026-01-01,1,7,8\n2026-01-01,2,8,4\n2026-01-02,1,7,6\n2026-01-02,2,8,0\n"
SALES = b"date,store,sales\n2026-01-01,1,27\n2026-01-01,2,46\n2026-01-02,1,1\n2026-01-02,2,33\n"
TWICE = b"date,a,b\n2026-01-01,1,2\n2026-01-02,5,6\n2026-01-01,3,4\n2026-01-03,7,8\n"
TEXTS = b"timestamp,region,visits\n2026-01-01T00:00:00Z,A,4\n2026-01-01T00:00:00Z,B,3\n2026-01-02T00:00:00Z,A,6\n"


def notes(reading):
    return {note["code"]: note for note in reading.report.notes}


@each("kinds", [["stream"], KINDS], ids=["stated", "detected"])
class TestLongTables:
    def test_ids_may_be_numbers(self, kinds):
        for data, names, counts in ((IDS, ("1/7", "2/8"), [[8, 4], [6, 0]]), (SALES, ("1", "2"), [[27, 46], [1, 33]])):
            one = read_bytes(data, kinds=kinds).other
            assert isinstance(one, CountStream)
            assert (one.names, one.counts.tolist(), len(one.labels)) == (names, counts, 2)

    def test_the_count_has_any_name_beside_texts(self, kinds):
        for data in (
            TEXTS,
            parquet(
                place=["A", "B", "A"],
                hour=np.array(["2026-01-01T00", "2026-01-01T00", "2026-01-02T00"], "M8[ms]"),
                trips=[4, 3, 6],
            ),
        ):
            reading = read_bytes(data, kinds=kinds)
            assert isinstance(reading.other, CountStream)
            assert (reading.other.names, reading.other.counts.tolist()) == (("A", "B"), [[4, 3], [6, 0]])
            assert "count column" in [guess["what"] for guess in reading.report.guesses]

    def test_the_owner_chooses_where_several_columns_can_be_the_count(self, kinds):
        data = TEXTS.replace(b"visits", b"visits,sales").replace(b"\n2026", b",9\n2026").replace(b",9", b"", 1) + b""
        data = data[:-1] + b",9\n"
        refused = refusal(ChoiceNeeded, read_bytes, data, kinds=["stream"])
        assert refused.parameter == "count"
        assert [value for value, _ in refused.choices] == ["#3", "#4", "#0"]
        one = read_bytes(data, kinds=kinds, count="visits").other
        assert isinstance(one, CountStream)
        assert one.names == ("A/9", "B/9")


def test_columns_of_counts_beside_one_called_cases_stay_a_wide_table():
    one = stream(b"date,cases,deaths\n2026-01-01,3,1\n2026-01-02,4,0\n")
    assert (one.names, one.counts.tolist()) == (("cases", "deaths"), [[3, 1], [4, 0]])


def test_the_owner_names_the_column_of_counts_or_none():
    data = b"date,a,b\n2026-01-01,1,2\n2026-01-02,2,4\n"
    assert stream(data, count="b").names == ("1", "2")
    assert stream(SALES.replace(b"2026-01-01,2", b"2026-01-03,2"), count="#0").names == ("store", "sales")
    for wanted in ("c", "date", "#9"):
        assert refusal(FormatError, stream, data, count=wanted).field == "count"


def test_counts_of_trajectories_are_not_named():
    with pytest.raises(ParameterError, match="count"):
        read_bytes(b"time,lon,lat\n2026-01-01T00:00:00Z,1,2\n", count="lon")


class TestRepeatedTimes:
    @each("data", [TWICE, TWICE.replace(b"2026-01-01,3", b"2026-01-01T01:00:00+01:00,3").replace(b"01,1", b"01T00Z,1")])
    def test_fail_with_their_lines(self, data):
        data = data if data is TWICE else _with_clock(data)
        with pytest.raises(ChoiceNeeded, match="in lines 2 and 4") as refused:
            stream(data)
        assert (refused.value.parameter, refused.value.default) == ("count", "#0")

    def test_are_added_where_the_owner_states_that_all_columns_hold_counts(self):
        reading = read_bytes(TWICE, kinds=["stream"], count="#0")
        assert isinstance(reading.other, CountStream)
        assert reading.other.counts.tolist() == [[4, 6], [5, 6], [7, 8]]
        assert reading.other.labels == ("2026-01-01", "2026-01-02", "2026-01-03")
        assert notes(reading)["added_rows"]["rows"] == [4]

    def test_fail_where_labels_are_no_instants(self):
        with pytest.raises(ChoiceNeeded, match="the first 'w1' in lines 2 and 4"):
            stream(b"week,a,b\nw1,1,2\nw2,1,2\nw1,1,2\n")

    def test_fail_where_ids_repeat_within_a_time(self):
        with pytest.raises(ChoiceNeeded, match="lines 2 and 3"):
            stream(SALES.replace(b"2026-01-01,2", b"2026-01-01,1"))

    def test_one_instant_in_two_offsets_is_one_timestamp_of_a_long_table(self):
        data = b"time,name,count\n2026-01-01T00:00:00Z,a,1\n2026-01-01T01:00:00+01:00,a,5\n2026-01-02T00:00:00Z,b,2\n"
        reading = read_bytes(data, kinds=["stream"])
        assert isinstance(reading.other, CountStream)
        assert reading.other.counts.tolist() == [[6, 0], [0, 2]]
        assert notes(reading)["same_instant"]["count"] == 1

    def test_hours_that_come_twice_name_the_option_that_distinguishes_them(self):
        data = b"time,a,b\n2026-10-25 01:00,1,2\n2026-10-25 02:00,1,2\n2026-10-25 02:00,1,2\n2026-10-25 03:00,1,2\n"
        with pytest.raises(ChoiceNeeded, match="time zone"):
            stream(data)
        assert len(stream(data, time_zone="Europe/Berlin")) == 4


def _with_clock(data):
    return (
        data.replace(b"01T00Z,", b"01T00:00:00Z,")
        .replace(b"-02,", b"-02T00:00:00Z,")
        .replace(b"-03,", b"-03T00:00:00Z,")
    )


class TestRefusals:
    @each(
        ("data", "text"),
        [
            (b"date,a,b\n2026-01-01,true,2\n2026-01-02,true,2\n", "in line 2, column 'a', 'true' is not a number"),
            (b'date,a,b\n2026-01-01,"1,001",3\n2026-01-02,"1,002",3\n', "in line 2, column 'a', '1,001' is not"),
            (b"date,a,b\n2026-01-01,1,\n2026-01-02,,3\n", "in line 2, column 'b', a count is missing"),
        ],
    )
    def test_name_line_column_and_value(self, data, text):
        with pytest.raises(FormatError, match=text) as refused:
            stream(data)
        assert refused.value.row == 2

    def test_of_a_table_without_positions_name_the_kind_that_reads_it(self):
        for data in (
            "Datum;Nord;Süd\n01.01.2026;1.5;3\n02.01.2026;2;3\n",
            "date,a,b\n2026-01-01,-2,3\n2026-01-02,1,3\n",
        ):
            with pytest.raises(FormatError, match="choose the kind Count streams") as refused:
                read_bytes(data.encode(), kinds=KINDS)
            assert refused.value.code == "no_position_columns"
        assert "Count streams" not in refusal(FormatError, read_bytes, b"a,b\nx,y\n", kinds=KINDS).message


def test_the_times_are_in_any_column_of_dates():
    one = stream(parquet(a=[0, 1], b=[2, 3], __index_level_0__=np.array(["2026-01-01", "2026-01-02"], "M8[ns]")))
    assert (one.names, one.counts.tolist()) == (("a", "b"), [[0, 2], [1, 3]])
    assert one.time_s is not None
    assert np.diff(one.time_s).tolist() == [DAY_S]


class TestNotes:
    def test_counts_that_mechanisms_refuse(self):
        reading = read_bytes(b"date,a,b\n2026-01-01,1,4.5\n2026-01-02,1e300,2.5\n", kinds=["stream"])
        found = notes(reading)
        assert found["fractions"]["message"].startswith(
            "2 counts are not whole numbers, the first in line 2, column 'b': 4.5."
        )
        assert found["large_counts"]["message"].startswith("1 count is above 2**52, the first in line 3, column 'a'")
        assert reading.report.outcome == "accept_warn"
        long = read_bytes(TEXTS.replace(b",3\n", b",3.5\n"), kinds=["stream"])
        assert "line 3, column 'visits': 3.5" in notes(long)["fractions"]["message"]

    def test_times_missing_at_a_regular_step(self):
        data = b"date,name,count\n2026-01-01,a,3\n2026-01-02,b,3\n2026-01-09,a,3\n2026-01-10,b,1\n"
        found = notes(read_bytes(data, kinds=["stream"]))["missing_times"]
        assert (found["count"], found["level"]) == (6, "warning")
        assert "a step of 1 d have no row, the first at 2026-01-03" in found["message"]

    def test_months_and_whole_days_miss_nothing(self):
        for data in (b"date,a\n2026-01-01,1\n2026-02-01,1\n2026-03-01,1\n2026-04-01,1\n", IDS):
            assert "missing_times" not in notes(read_bytes(data, kinds=["stream"]))

    def test_times_of_the_day_are_not_called_days(self):
        hours = read_bytes(b"time,a,b\n2026-01-01 00:00,1,2\n2026-01-01 01:00,1,2\n", kinds=["stream"])
        assert "time_zone" not in notes(hours)
        assert [guess["option"] for guess in hours.report.guesses] == ["time_zone"]
        assert "days of UTC" in notes(read_bytes(IDS, kinds=["stream"]))["time_zone"]["message"]
