"""Counts and check-ins: recognised by their columns or chosen, and checked once at the entry points."""

import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.data import KINDS, CheckIns, CountStream
from privacy_engine.errors import DataError, FormatError, ParameterError
from privacy_engine.formats import Reading
from privacy_engine.formats.arrow import pa
from tests.cases import each, refusal
from tests.engine.failing_files import parquet
from tests.engine.format_samples import CSV, GPX, read_bytes, zipped

WIDE = b"date,north,south\n2024-01-01,3,0\n2024-01-02,5,7\n"
LONG = b"date,region,count\n2024-01-01,north,3\n2024-01-02,north,5\n2024-01-02,south,7\n"
CHECKINS = (
    b"user_id,time,venue_id\nb,2024-01-02T00:00:00Z,cafe\na,2024-01-01T00:00:00Z,park\nb,2024-01-01T00:00:00Z,park\n"
)
SNAP = b"0\t2010-10-12T00:21:28Z\t40.64\t-73.78\t23261\n0\t2010-10-11T20:21:20Z\t40.74\t-73.98\t16907\n"
DAY_S = 86400.0
NEW_YEAR_S = 1704067200.0


def stream(data, **options):
    other = read_bytes(data, kinds=["stream"], **options).other
    assert isinstance(other, CountStream)
    return other


def checkins(data, **options):
    other = read_bytes(data, kinds=["checkins"], **options).other
    assert isinstance(other, CheckIns)
    return other


class TestRecognition:
    @each(
        ("data", "kind"),
        [
            (WIDE, "stream"),
            (LONG, "stream"),
            (CHECKINS, "checkins"),
            (SNAP, "checkins"),
            (CSV, "trajectory"),
            (GPX, "trajectory"),
        ],
    )
    def test_by_the_columns(self, data, kind):
        assert read_bytes(data, kinds=KINDS).kind == kind

    def test_one_kind_alone_is_taken_as_stated(self):
        assert read_bytes(CHECKINS.replace(b"venue_id", b"lat,lon").replace(b"cafe", b"1,2").replace(b"park", b"3,4"),
                  kinds=["checkins"]).kind == "checkins"  # fmt: skip

    def test_a_guess_states_it(self):
        assert [guess["what"] for guess in read_bytes(WIDE, kinds=KINDS).report.guesses] == ["kind"]
        assert read_bytes(WIDE, kinds=["stream"]).report.guesses == []

    @each("data", [GPX, zipped(a=WIDE)])
    def test_what_holds_positions_only_is_refused_as_counts(self, data):
        assert refusal(FormatError, read_bytes, data, kinds=["stream"]).code in ("other_kind", "archive")

    @each("kinds", [["streams"], [], [1]])
    def test_kinds_are_checked(self, kinds):
        assert refusal(ParameterError, read_bytes, WIDE, kinds=kinds).field == "kinds"

    def test_without_a_choice_a_file_is_a_trajectory(self):
        assert refusal(FormatError, read_bytes, WIDE).code == "no_position_columns"


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


@each("kinds", [["stream"], KINDS], ids=["stated", "detected"])
@each("how", FILES)
def test_a_stream_is_the_same_in_every_layout_and_format(how, kinds):
    one = read_bytes(FILES[how], kinds=kinds).other
    assert isinstance(one, CountStream)
    assert one.counts.tolist() == [[3, 0], [5, 7]]
    assert one.names == ("north", "south")
    assert [label[:10] for label in one.labels] == ["2024-01-01", "2024-01-02"]
    assert one.time_s is not None
    assert one.time_s.tolist() == [NEW_YEAR_S, NEW_YEAR_S + DAY_S]
    assert one.time_name == "date"


PATHS = b"date,region,city,shop,count\n2024-01-01,n,a,1st,3\n2024-01-02,n,a,1st,5\n2024-01-02,n,b,1st,7\n"


class TestPaths:
    def test_columns_beside_time_and_count_name_the_streams_by_paths(self):
        for data in (PATHS, PATHS.replace(b",", b"\t")):
            one = stream(data)
            assert one.names == ("n/a/1st", "n/b/1st")
            assert one.counts.tolist() == [[3, 0], [5, 7]]
            assert read_bytes(data, kinds=KINDS).kind == "stream"

    def test_the_separator_is_in_no_part(self):
        assert stream(PATHS.replace(b",b,", b",b/c,")).names == ("n:a:1st", "n:b/c:1st")

    def test_fail_where_every_separator_is_in_a_part(self):
        with pytest.raises(FormatError, match="region, city, shop must have names without one of"):
            stream(PATHS.replace(b",b,", b",b/c:d|e,"))

    def test_a_wide_table_with_a_column_called_total_is_wide(self):
        one = stream(b"date,total,north,south\n2024-01-01,3,1,2\n2024-01-02,4,2,2\n")
        assert (one.names, one.counts.tolist()) == (("total", "north", "south"), [[3, 1, 2], [4, 2, 2]])


class TestStreams:
    @each("data", [WIDE, LONG])
    def test_wide_and_long_state_the_same(self, data):
        one = stream(data)
        assert one.counts.tolist() == [[3, 0], [5, 7]]
        assert (one.names, one.labels) == (("north", "south"), ("2024-01-01", "2024-01-02"))
        assert one.time_s is not None
        assert one.time_s.tolist() == [NEW_YEAR_S, NEW_YEAR_S + DAY_S]

    @given(st.integers(1, 6), st.integers(1, 5), st.data())
    def test_any_table_is_read_back(self, rows, columns, data):
        counts = np.array(data.draw(st.lists(st.integers(0, 10**9), min_size=rows * columns, max_size=rows * columns)))
        counts = counts.reshape(rows, columns)
        days = np.datetime_as_string(np.datetime64("2024-01-01") + np.arange(rows)).tolist()
        names = [f"s{j}" for j in range(columns)]
        lines = [",".join(["date", *names])] + [
            ",".join([day, *map(str, row)]) for day, row in zip(days, counts, strict=True)
        ]
        for one in (
            stream("\n".join(lines).encode()),
            stream(parquet(date=days, **{name: counts[:, j] for j, name in enumerate(names)})),
        ):
            assert np.array_equal(one.counts, counts)
            assert (list(one.names), list(one.labels)) == (names, days)

    def test_rows_that_are_no_counts_are_dropped_by_reason(self):
        reading = read_bytes(WIDE + b"2024-01-03,,1\n2024-01-04,-1,2\n2024-01-05,x,2\n2024-01-06,1\n", kinds=["stream"])
        dropped = {reason: drops["rows"] for reason, drops in reading.report.as_dict()["dropped"].items()}
        assert dropped == {"short_row": [7], "missing": [4], "negative": [5], "not_a_number": [6]}
        assert len(reading) == 2

    def test_weeks_are_labels_in_the_order_of_the_file(self):
        one = stream(b"epiweek,a\n201452,1\n201501,2\n")
        assert (one.labels, one.time_s) == (("201452", "201501"), None)

    def test_days_out_of_order_are_sorted_and_counted(self):
        reading = read_bytes(WIDE + b"2023-12-31,1,1\n", kinds=["stream"])
        assert isinstance(reading.other, CountStream)
        assert reading.other.labels[0] == "2023-12-31"
        assert [note["count"] for note in reading.report.warnings] == [1]

    def test_counts_without_a_time_column_are_numbered(self):
        one = stream(b"0,1,2\n5,6,7\n8,9,10\n")
        assert (one.names, one.labels) == (("0", "1", "2"), ("1", "2"))
        assert one.counts.tolist() == [[5, 6, 7], [8, 9, 10]]
        assert stream(b"5,6,7\n8,9,10\n").counts.shape == (2, 3)

    def test_twice_the_same_name_and_time_is_added_and_reported(self):
        reading = read_bytes(LONG + b"2024-01-01,north,4\n", kinds=["stream"])
        assert isinstance(reading.other, CountStream)
        assert reading.other.counts[0, 0] == 7
        assert {note["code"]: note["count"] for note in reading.report.notes if "count" in note} == {
            "added": 1,
            "zeros": 1,
        }

    @each("data", [b"date,a\n", b"date,a\nx,y\n", b"", b"a;b\n"])
    def test_nothing_to_count(self, data):
        with pytest.raises(FormatError):
            read_bytes(data, kinds=["stream"])


class TestCheckIns:
    def test_sorted_by_user_and_time(self):
        found = checkins(CHECKINS)
        assert [found.users[user] for user in found.user] == ["b", "b", "a"]
        assert found.place is not None
        assert [found.places[place] for place in found.place] == ["park", "cafe", "park"]
        assert found.time_s.tolist() == [NEW_YEAR_S, NEW_YEAR_S + DAY_S, NEW_YEAR_S]
        assert found.lon is None

    def test_the_order_of_the_snap_data_sets_needs_no_header(self):
        found = checkins(SNAP)
        assert found.lon is not None
        assert found.lon.tolist() == [-73.98, -73.78]
        assert found.places == ("23261", "16907") or list(found.places) == ["23261", "16907"]

    def test_the_owner_names_columns(self):
        renamed = CHECKINS.replace(b"user_id,time", b"who,whenever")
        found = checkins(renamed, id="who", time="#2")
        assert len(found) == 3
        assert refusal(FormatError, checkins, renamed).code == "no_checkin_columns"

    def test_rows_that_cannot_be_used_are_dropped_by_reason(self):
        rows = b",2024-01-01T00:00:00Z,park\na,,park\na,soon,park\na,2024-01-01T00:00:00Z,\n"
        reading: Reading = read_bytes(CHECKINS + rows, kinds=["checkins"])
        assert reading.report.dropped == {"missing": 2, "no_time": 1, "bad_time": 1}

    def test_parquet(self):
        data = parquet(user_id=[1, 1], checkin_time=["2024-01-01T00:00:00Z"] * 2, place=["x", "y"])
        assert read_bytes(data, kinds=KINDS).kind == "checkins"
        assert len(checkins(data)) == 2

    @each("kind", KINDS)
    def test_dates_where_numbers_should_be_are_none(self, kind):
        days = pa.array([1, 2], pa.timestamp("ms", "UTC"))
        data = parquet(user_id=[1, 1], time=[1e9, 2e9], place=["x", "y"], lon=days, lat=[1.0, 2.0])
        with pytest.raises(FormatError, match="not a number" if kind != "stream" else "holds counts only"):
            read_bytes(data, kinds=[kind])


class TestEntryPoints:
    @each(
        ("counts", "names", "labels", "time_s"),
        [
            ([[1, 2]], ["a"], ["x"], None),
            ([[-1]], ["a"], ["x"], None),
            ([[np.nan]], ["a"], ["x"], None),
            ([["?"]], ["a"], ["x"], None),
            ([[1], [2]], ["a"], ["x", "y"], [2.0, 1.0]),
            ([[1]], ["a"], ["x"], [1.0, 2.0]),
        ],
    )
    def test_a_stream_is_checked(self, counts, names, labels, time_s):
        with pytest.raises(DataError):
            CountStream(counts, names, labels, time_s)

    @each(
        "wrong",
        [
            {"place": None},
            {"user": [0, 2]},
            {"place": [0, -1]},
            {"time_s": [2.0, 1.0]},
            {"time_s": [1.0]},
            {"lon": [200.0, 0.0], "lat": [0.0, 0.0]},
            {"user": [1, 0], "users": ["a", "b"]},
        ],
    )
    def test_check_ins_are_checked(self, wrong):
        right = {"user": [0, 0], "users": ["a"], "time_s": [1.0, 2.0], "place": [0, 0], "places": ["p"]}
        assert len(CheckIns(**right)) == 2
        with pytest.raises(DataError):
            CheckIns(**right | wrong)
