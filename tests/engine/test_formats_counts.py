"""Tables of counts: recognised, in every layout; which column holds the counts, times that repeat or are missing."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.data import CountStream
from privacy_engine.errors import ChoiceNeeded, DataError, FormatError, ParameterError
from privacy_engine.formats import KINDS
from tests.cases import each, refusal
from tests.engine.failing_files import parquet
from tests.engine.format_samples import CSV, GPX, read_bytes, refused, shows, zipped
from tests.engine.test_formats_checkins import CHECKINS, SNAP

WIDE = b"date,north,south\n2024-01-01,3,0\n2024-01-02,5,7\n"
LONG = b"date,region,count\n2024-01-01,north,3\n2024-01-02,north,5\n2024-01-02,south,7\n"
PATHS = b"date,region,city,shop,count\n2024-01-01,n,a,1st,3\n2024-01-02,n,a,1st,5\n2024-01-02,n,b,1st,7\n"
IDS = b"date,store,item,count\n2026-01-01,1,7,8\n2026-01-01,2,8,4\n2026-01-02,1,7,6\n2026-01-02,2,8,0\n"
SALES = b"date,store,sales\n2026-01-01,1,27\n2026-01-01,2,46\n2026-01-02,1,1\n2026-01-02,2,33\n"
TWICE = b"date,a,b\n2026-01-01,1,2\n2026-01-02,5,6\n2026-01-01,3,4\n2026-01-03,7,8\n"
TEXTS = b"timestamp,region,visits\n2026-01-01T00:00:00Z,A,4\n2026-01-01T00:00:00Z,B,3\n2026-01-02T00:00:00Z,A,6\n"
DAY_S = 86400.0
NEW_YEAR_S = 1704067200.0
DAYS = np.array(["2024-01-01", "2024-01-02"], "M8[D]")
FILES = {
    "wide": WIDE,
    "long": LONG,
    "wide parquet": parquet(date=[str(day) for day in DAYS], north=[3, 5], south=[0, 7]),
    "wide parquet of dates": parquet(date=DAYS, north=[3, 5], south=[0, 7]),
    "wide parquet of instants": parquet(date=DAYS.astype("M8[ms]"), north=[3.0, 5.0], south=[0.0, 7.0]),
    "long parquet": parquet(date=[str(DAYS[i]) for i in (0, 1, 1)], region=["north", "north", "south"], n=[3, 5, 7]),
    "long parquet of dates": parquet(date=DAYS[[0, 1, 1]], region=["north", "north", "south"], count=[3, 5, 7]),
}
FILES |= {f"{name}, tabs": FILES[name].replace(b",", b"\t") for name in ("wide", "long")}
FILES |= {f"{name}, gzip": gzip.compress(data) for name, data in FILES.items()}


def counted(data, kinds=("stream",), *, names=None, counts=None, labels=None, **options):
    """The reading of a table of counts, of which these facts hold."""
    found = read_bytes(data, kinds=kinds, **options)
    one = found.other
    assert isinstance(one, CountStream)
    for what, seen, expected in (
        ("names", one.names, names), ("counts", one.counts.tolist(), counts), ("labels", one.labels, labels),
    ):  # fmt: skip
        assert expected is None or seen == expected, what
    return found


def notes(reading):
    return {note["code"]: note for note in reading.report.notes}


class TestRecognition:
    def test_by_the_columns(self):
        kinds = {"stream": (WIDE, LONG), "checkins": (CHECKINS, SNAP), "trajectory": (CSV, GPX)}
        for kind, files in kinds.items():
            for data in files:
                shows(data, given={"kinds": KINDS}, kind=kind)
        assert [guess["what"] for guess in read_bytes(WIDE, kinds=KINDS).report.guesses] == ["kind"]
        assert counted(WIDE).report.guesses == []

    def test_refusals(self):
        for data in (GPX, zipped(a=WIDE)):  # they hold positions only
            assert refusal(FormatError, read_bytes, data, kinds=["stream"]).code in ("other_kind", "archive")
        for kinds in (["streams"], [], [1]):
            assert refusal(ParameterError, read_bytes, WIDE, kinds=kinds).field == "kinds"
        refused(WIDE, "no_position_columns")  # without a choice a file is a trajectory
        for data in (b"date,a\n", b"date,a\nx,y\n", b"", b"a;b\n"):
            refusal(FormatError, read_bytes, data, kinds=["stream"])
        refused(b"time,lon,lat\n2026-01-01T00:00:00Z,1,2\n", "parameter", "count", count="lon")
        for data in ("Datum;Nord;Süd\n01.01.2026;1.5;3\n02.01.2026;2;3\n",
                     "date,a,b\n2026-01-01,-2,3\n2026-01-02,1,3\n"):  # fmt: skip
            refused(data.encode(), "no_position_columns", "choose the kind Count streams", kinds=KINDS)
        assert "Count streams" not in refusal(FormatError, read_bytes, b"a,b\nx,y\n", kinds=KINDS).message


@each("kinds", [["stream"], KINDS], ids=["stated", "detected"])
class TestLayouts:
    @each("how", FILES)
    def test_a_stream_is_the_same_in_every_layout_and_format(self, how, kinds):
        one = counted(FILES[how], kinds, names=("north", "south"), counts=[[3, 0], [5, 7]]).other
        assert [label[:10] for label in one.labels] == ["2024-01-01", "2024-01-02"]
        assert one.time_s.tolist() == [NEW_YEAR_S, NEW_YEAR_S + DAY_S]
        assert one.time_name == "date"

    def test_names_are_paths_ids_or_texts_and_the_count_has_any_name(self, kinds):
        for data in (PATHS, PATHS.replace(b",", b"\t")):
            counted(data, kinds, names=("n/a/1st", "n/b/1st"), counts=[[3, 0], [5, 7]])
        counted(IDS, kinds, names=("1/7", "2/8"), counts=[[8, 4], [6, 0]])
        counted(SALES, kinds, names=("1", "2"), counts=[[27, 46], [1, 33]])
        hours = np.array(["2026-01-01T00", "2026-01-01T00", "2026-01-02T00"], "M8[ms]")
        for data in (TEXTS, parquet(place=["A", "B", "A"], hour=hours, trips=[4, 3, 6])):
            found = counted(data, kinds, names=("A", "B"), counts=[[4, 3], [6, 0]])
            assert "count column" in [guess["what"] for guess in found.report.guesses]

    def test_the_owner_chooses_where_several_columns_can_be_the_count(self, kinds):
        data = TEXTS.replace(b"visits\n", b"visits,sales\n").replace(b"\n2026", b",9\n2026").replace(b",9", b"", 1)
        data = data[:-1] + b",9\n"
        choice = refusal(ChoiceNeeded, read_bytes, data, kinds=["stream"])
        assert choice.parameter == "count"
        assert [value for value, _ in choice.choices] == ["#3", "#4", "#0"]
        counted(data, kinds, names=("A/9", "B/9"), count="visits")


class TestStreams:
    def test_names_and_the_column_of_counts(self):
        counted(PATHS.replace(b",b,", b",b/c,"), names=("n:a:1st", "n:b/c:1st"))  # the separator is in no part
        every = PATHS.replace(b",b,", b",b/c:d|e,")
        refused(every, "separator", "region, city, shop must have names without one of", kinds=["stream"])
        wide = b"date,total,north,south\n2024-01-01,3,1,2\n2024-01-02,4,2,2\n"
        found = counted(wide, names=("north", "south"), counts=[[1, 2], [2, 2]])
        assert [guess["option"] for guess in found.report.guesses] == ["leave_out"]
        counted(wide, leave_out="none", names=("total", "north", "south"), counts=[[3, 1, 2], [4, 2, 2]])
        wide = b"date,cases,deaths\n2026-01-01,3,1\n2026-01-02,4,0\n"
        counted(wide, names=("cases", "deaths"), counts=[[3, 1], [4, 0]])
        data = b"date,a,b\n2026-01-01,1,2\n2026-01-02,2,4\n"
        counted(data, count="b", names=("1", "2"))
        counted(SALES.replace(b"2026-01-01,2", b"2026-01-03,2"), count="#0", names=("store", "sales"))
        for wanted in ("c", "date", "#9"):
            assert refusal(FormatError, read_bytes, data, kinds=["stream"], count=wanted).field == "count"

    @given(st.integers(1, 6), st.integers(1, 5), st.data())
    def test_any_table_is_read_back(self, rows, columns, data):
        cells = data.draw(st.lists(st.integers(0, 10**9), min_size=rows * columns, max_size=rows * columns))
        counts = np.array(cells).reshape(rows, columns)
        days = np.datetime_as_string(np.datetime64("2024-01-01") + np.arange(rows)).tolist()
        names = [f"s{j}" for j in range(columns)]
        lines = [[day, *map(str, row)] for day, row in zip(days, counts, strict=True)]
        text = "\n".join(map(",".join, [["date", *names], *lines])).encode()
        for table in (text, parquet(date=days, **dict(zip(names, counts.T, strict=True)))):
            counted(table, names=tuple(names), labels=tuple(days), counts=counts.tolist())

    def test_rows_that_are_no_counts_and_times(self):
        rows = WIDE + b"2024-01-03,,1\n2024-01-04,-1,2\n2024-01-05,x,2\n2024-01-06,1\n"
        why = {"short_row": [7], "missing": [4], "negative": [5], "not_a_number": [6]}
        shows(rows, given={"kinds": ["stream"]}, rows=why, points=2)
        weeks = counted(b"epiweek,a\n201452,1\n201501,2\n", labels=("201452", "201501")).other
        assert weeks.time_s is None
        found = counted(WIDE + b"2023-12-31,1,1\n")  # days out of order are sorted and counted
        assert (found.other.labels[0], [note["count"] for note in found.report.warnings]) == ("2023-12-31", [1])
        numbered = b"0,1,2\n5,6,7\n8,9,10\n"
        counted(numbered, names=("0", "1", "2"), labels=("1", "2"), counts=[[5, 6, 7], [8, 9, 10]])
        counted(numbered[6:], counts=[[5, 6, 7], [8, 9, 10]])
        dates = np.array(["2026-01-01", "2026-01-02"], "M8[ns]")
        index = counted(parquet(a=[0, 1], b=[2, 3], __index_level_0__=dates), names=("a", "b"), counts=[[0, 2], [1, 3]])
        assert np.diff(index.other.time_s).tolist() == [DAY_S]

    @each(
        ("data", "text"),
        [
            (b"date,a,b\n2026-01-01,true,2\n2026-01-02,true,2\n", "in line 2, column 'a', 'true' is not a number"),
            (b'date,a,b\n2026-01-01,"1,01",3\n2026-01-02,"1,02",3\n', "in line 2, column 'a', '1,01' is not"),
            (b"date,a,b\n2026-01-01,1,\n2026-01-02,,3\n", "in line 2, column 'b', a count is missing"),
        ],
    )
    def test_refusals_name_line_column_and_value(self, data, text):
        with pytest.raises(FormatError, match=text) as error:
            read_bytes(data, kinds=["stream"])
        assert error.value.row == 2

    @each(
        ("counts", "labels", "time_s"),
        [
            ([[1, 2]], ["x"], None), ([[-1]], ["x"], None), ([[np.nan]], ["x"], None), ([["?"]], ["x"], None),
            ([[1], [2]], ["x", "y"], [2.0, 1.0]), ([[1]], ["x"], [1.0, 2.0]),
        ],
    )  # fmt: skip
    def test_a_stream_is_checked(self, counts, labels, time_s):
        with pytest.raises(DataError):
            CountStream(counts, ["a"], labels, time_s)


class TestRepeatedTimes:
    CLOCK = (
        TWICE.replace(b"-01,1", b"-01T00:00:00Z,1").replace(b"-01,3", b"-01T01:00:00+01:00,3")
        .replace(b"-02,", b"-02T00:00:00Z,").replace(b"-03,", b"-03T00:00:00Z,")
    )  # fmt: skip

    @each(
        ("data", "text", "default"),
        [
            (TWICE, "in lines 2 and 4", "#0"),
            (CLOCK, "in lines 2 and 4", "#0"),
            (b"week,a,b\nw1,1,2\nw2,1,2\nw1,1,2\n", "the first 'w1' in lines 2 and 4", "#0"),
            (SALES.replace(b"2026-01-01,2", b"2026-01-01,1"), "lines 2 and 3", "#3"),
        ],
    )
    def test_fail_with_their_lines(self, data, text, default):
        choice = refused(data, "choice-needed", text, kinds=["stream"])
        assert (choice.parameter, choice.default) == ("count", default)

    def test_are_added_where_the_owner_states_that_all_columns_hold_counts(self):
        labels = ("2026-01-01", "2026-01-02", "2026-01-03")
        found = counted(TWICE, count="#0", counts=[[4, 6], [5, 6], [7, 8]], labels=labels)
        assert notes(found)["added_rows"]["rows"] == [4]
        found = counted(LONG + b"2024-01-01,north,4\n", counts=[[7, 0], [5, 7]])
        assert [notes(found)[code]["count"] for code in ("added", "zeros")] == [1, 1]

    def test_instants_in_two_offsets_and_hours_that_come_twice(self):
        data = b"time,name,count\n2026-01-01T00:00:00Z,a,1\n2026-01-01T01:00:00+01:00,a,5\n2026-01-02T00:00:00Z,b,2\n"
        assert notes(counted(data, counts=[[6, 0], [0, 2]]))["same_instant"]["count"] == 1
        data = b"time,a,b\n2026-10-25 01:00,1,2\n2026-10-25 02:00,1,2\n2026-10-25 02:00,1,2\n2026-10-25 03:00,1,2\n"
        refused(data, "choice-needed", "time zone", kinds=["stream"])
        assert len(counted(data, time_zone="Europe/Berlin")) == 4


class TestNotes:
    def test_counts_that_mechanisms_refuse_and_times(self):
        reading = counted(b"date,a,b\n2026-01-01,1,4.5\n2026-01-02,1e300,2.5\n")
        found = {code: note["message"] for code, note in notes(reading).items()}
        assert found["fractions"].startswith("2 counts are not whole numbers, the first in line 2, column 'b': 4.5.")
        assert found["large_counts"].startswith("1 count is above 2**52, the first in line 3, column 'a'")
        assert reading.report.outcome == "accept_warn"
        long = counted(TEXTS.replace(b",3\n", b",3.5\n"))
        assert "line 3, column 'visits': 3.5" in notes(long)["fractions"]["message"]
        hours = counted(b"time,a,b\n2026-01-01 00:00,1,2\n2026-01-01 01:00,1,2\n")
        assert "time_zone" not in notes(hours)
        assert [guess["option"] for guess in hours.report.guesses] == ["time_zone"]
        assert "days of UTC" in notes(counted(IDS))["time_zone"]["message"]

    def test_times_missing_at_a_regular_step(self):
        data = b"date,name,count\n2026-01-01,a,3\n2026-01-02,b,3\n2026-01-09,a,3\n2026-01-10,b,1\n"
        found = notes(counted(data))["missing_times"]
        assert (found["count"], found["level"]) == (6, "warning")
        assert "a step of 1 d have no row, the first at 2026-01-03" in found["message"]
        for data in (b"date,a\n2026-01-01,1\n2026-02-01,1\n2026-03-01,1\n2026-04-01,1\n", IDS):
            assert "missing_times" not in notes(counted(data))
