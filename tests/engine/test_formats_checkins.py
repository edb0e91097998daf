"""Check-ins: published sets as they are distributed, their venues, headers and times; and what is refused."""

import datetime as dt
import gzip

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.data import CheckIns
from privacy_engine.data.event_sketch import checkin_sketch, overlap
from privacy_engine.errors import DataError, EngineError, FormatError
from privacy_engine.formats import KINDS, Limits, read
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.times import times
from tests.cases import each, refusal
from tests.engine import format_samples as samples
from tests.engine.failing_files import parquet
from tests.engine.format_samples import read_bytes, shows, zipped

GOWALLA = (
    b"0\t2010-10-19T23:55:27Z\t30.2359091167\t-97.7951395833\t22847\n"
    b"0\t2010-10-18T22:17:43Z\t30.2691029532\t-97.7493953705\t420315\n"
    b"1\t2010-10-17T23:42:03Z\t30.2557309927\t-97.7633857727\t316637\n"
)
BRIGHTKITE = (
    b"0\t2010-10-17T01:48:53Z\t39.747652\t-104.99251\t88c46bf20db295831bd2d1718ad7e6f5\n"
    b"0\t2010-10-16T06:02:04Z\t39.891383\t-105.070814\t7a0f88982aa015062b95e3b4843f9ca2\n"
    b"1\t2010-10-16T03:48:54Z\t39.891077\t-105.068532\tdd7cd3d264c2d063832db506fba8bf79\n"
    b"1\t2010-10-15T03:48:54Z\t0.0\t0.0\t00000000000000000000000000000000\n"
)
TSMC = (
    "470\t49bbd6c0f964a520f4531fe3\t4bf58dd8d48988d127951735\tArts & Crafts Store\t40.71981037548853\t"
    "-74.00258103213994\t-240\tTue Apr 03 18:00:09 +0000 2012\n"
    "979\t4a43c0aef964a520c6a61fe3\t4bf58dd8d48988d1df941735\tBridge\t40.606799581406435\t-74.04416981025437\t-240\t"
    "Tue Apr 03 18:00:25 +0000 2012\n"
    "69\t4c5cc7b485a1e21e00d35711\t4bf58dd8d48988d16d941735\tCafé\t40.71616168484322\t-73.88307005845945\t-240\t"
    "Tue Apr 03 18:02:24 +0000 2012\n"
).encode("latin-1")
GLOBAL = (
    b"50756\t4f5e3a72e4b053fd6a4313f6\tTue Apr 03 18:00:06 +0000 2012\t240\n"
    b"190571\t4b4b87b5f964a5204a9f26e3\tTue Apr 03 18:00:07 +0000 2012\t180\n"
    b"190571\t4e1000000000000000000000\tTue Apr 03 18:00:08 +0000 2012\t180\n"
)
POIS = (
    b"4f5e3a72e4b053fd6a4313f6\t55.696196\t37.557842\tResidential Building\tRU\n"
    b"4b4b87b5f964a5204a9f26e3\t41.029717\t28.974420\tCaf\xe9\tTR\n"
)
FILES = {"gowalla": GOWALLA, "brightkite": BRIGHTKITE, "tsmc": TSMC, "global": GLOBAL}
NAMED = b"place_id,lat,lon,name\n7,48.9,2.3,The Bar\n8,48.8,2.4,The Bar\n9,,2.5,Nowhere\n"
PLAIN = b"user_id,time,place_id\na,2024-01-01T00:00:00Z,7\na,2024-01-02T00:00:00Z,8\nb,2024-01-02T00:00:00Z,9\n"
CHECKINS = (
    b"user_id,time,venue_id\nb,2024-01-02T00:00:00Z,cafe\na,2024-01-01T00:00:00Z,park\nb,2024-01-01T00:00:00Z,park\n"
)
SNAP = b"0\t2010-10-12T00:21:28Z\t40.64\t-73.78\t23261\n0\t2010-10-11T20:21:20Z\t40.74\t-73.98\t16907\n"
DAY_S = 86400.0
NEW_YEAR_S = 1704067200.0
KIND = {"kinds": ["checkins"]}


def packed(*members):
    return zipped(**{f"m{i}": member for i, member in enumerate(members)})


def checkins(data, **options):
    other = read_bytes(data, **KIND, **options).other
    assert isinstance(other, CheckIns)
    return other


def refused(data, code, text="", **options):
    return samples.refused(data, code, text, **KIND, **options)


class TestPublishedSets:
    @each("wrap", [bytes, gzip.compress, packed, lambda data: packed(gzip.compress(data))],
                             ids=["plain", "gzip", "zip", "gzip in zip"])  # fmt: skip
    @each("name", FILES)
    def test_are_recognised_without_a_header_in_every_packing(self, name, wrap):
        assert callable(wrap)
        found = read_bytes(wrap(FILES[name]), kinds=KINDS)
        assert (found.kind, len(found)) == ("checkins", 3)
        assert found.report.guesses[0]["what"] == "kind"

    def test_gowalla_and_brightkite(self):
        found = checkins(GOWALLA)
        assert (list(found.users), sorted(found.places)) == (["0", "1"], ["22847", "316637", "420315"])
        assert found.lon.tolist() == [-97.7493953705, -97.7951395833, -97.7633857727]
        assert found.time_s[0] == dt.datetime(2010, 10, 18, 22, 17, 43, tzinfo=dt.UTC).timestamp()
        found = checkins(SNAP)
        assert (found.lon.tolist(), list(found.places)) == ([-73.98, -73.78], ["23261", "16907"])
        shows(BRIGHTKITE, given=KIND, dropped={"no_position": 1}, rows={"no_position": [4]})  # of zeros
        assert len(checkins(b"user,time,lat,lon\na,2024-01-01T00:00:00Z,0.0,0.0\n")) == 1
        for damaged in (b"12\t\t\t\t\n", b"12\t2010-10-16T03:48:54Z\n"):
            shows(BRIGHTKITE * 3 + damaged, given={"kinds": KINDS}, kind="checkins", points=9)

    def test_foursquare(self):
        found = shows(TSMC, given=KIND, notes={"encoding": None, "offset_ignored": None})
        one = found.other
        assert (one.users[one.user[0]], one.lat[0]) == ("470", 40.71981037548853)
        assert one.time_s[0] == dt.datetime(2012, 4, 3, 18, 0, 9, tzinfo=dt.UTC).timestamp()
        assert checkins(GLOBAL).lon is None
        archive = packed(GLOBAL, POIS, b"A text about the data.\nIt has two lines.\n")
        one = shows(archive, given=KIND, dropped={"unreadable_member": 1, "unknown_venue": 1}).other
        assert (one.lon.tolist(), one.place_names) == ([37.557842, 28.974420], [])


class TestTimes:
    @given(st.datetimes(dt.datetime(1971, 1, 1), dt.datetime(2060, 1, 1)), st.integers(-14 * 60, 14 * 60))
    def test_a_year_after_the_clock_is_read_as_its_instant(self, at, offset):
        at = at.replace(microsecond=0, tzinfo=dt.timezone(dt.timedelta(minutes=offset)))
        with_zone = f"{at:%a %b %d %H:%M:%S %z %Y}"
        found = times(pa.array([with_zone, f"{at:%a %B %d %H:%M:%S %Y}"]), ReadOptions())
        assert found.seconds.tolist() == [at.timestamp(), at.timestamp() + offset * 60]
        assert found.naive.tolist() == [False, True]
        whole = times(pa.array([with_zone, None, with_zone]), ReadOptions())  # all alike: read as a whole
        assert whole.seconds[[0, 2]].tolist() == [at.timestamp()] * 2
        assert (whole.missing.tolist(), whole.naive.tolist()) == ([False, True, False], [False] * 3)

    @each("text", ["Tue Foo 03 18:00:09 +0000 2012", "Tue Apr 31 18:00:09 +0000 2012"])
    def test_what_is_no_date_is_none(self, text):
        assert times(pa.array([text]), ReadOptions()).bad.tolist() == [True]

    def test_clock_readings_of_a_stated_zone_and_of_offsets_of_rows(self):
        data = b"user,time,place\na,2012-04-03 14:00:00,x\n"
        assert (checkins(data).time_s - checkins(data, time_zone="America/New_York").time_s).tolist() == [-4 * 3600]
        data = b"user,local_time,place,tz_offset\na,2012-04-03 14:00:00,x,-240\nb,2012-04-03 20:00:00,x,soon\n"
        found = shows(data, given=KIND, dropped={"bad_time": 1}, notes={"offset_used": None})
        assert found.other.time_s.tolist() == [dt.datetime(2012, 4, 3, 18, tzinfo=dt.UTC).timestamp()]


class TestColumns:
    @each(
        "header",
        [
            "userId,utcTimestamp,venueId,latitude,longitude",
            "USER_ID,CHECK_IN_TIME,LOCATION_ID,LAT,LNG",
            "User,Timestamp,POI,Latitude,Longitude",
            "uid,datetime,business_id,lat,lon",
        ],
    )
    def test_in_any_case_and_by_their_usual_names(self, header):
        found = read_bytes(f"{header}\n7,2012-04-03T18:00:00Z,x,40.7,-74.0\n".encode(), kinds=KINDS).other
        assert (list(found.users), list(found.places), found.lon) == (["7"], ["x"], [-74.0])

    def test_rows_columns_decimal_commas_and_parquet(self):
        found = checkins(CHECKINS)  # sorted by user and time
        assert [found.users[user] for user in found.user] == ["b", "b", "a"]
        assert [found.places[place] for place in found.place] == ["park", "cafe", "park"]
        assert (found.time_s.tolist(), found.lon) == ([NEW_YEAR_S, NEW_YEAR_S + DAY_S, NEW_YEAR_S], None)
        rows = b",2024-01-01T00:00:00Z,park\na,,park\na,soon,park\na,2024-01-01T00:00:00Z,\n"
        shows(CHECKINS + rows, given=KIND, dropped={"missing": 2, "no_time": 1, "bad_time": 1})
        positions = CHECKINS.replace(b"venue_id", b"lat,lon").replace(b"cafe", b"1,2").replace(b"park", b"3,4")
        assert len(checkins(positions)) == 3
        data = b"user;time;place;lat;lon\na;2024-01-01T00:00:00Z;x;48,85;2,35\n"
        for options in ({}, {"decimal": ","}):
            found = checkins(data, **options)
            assert (found.lat, found.lon) == ([48.85], [2.35])
        refused(data, "no_points", "not a number", decimal=".")
        data = parquet(user_id=[1, 1], checkin_time=["2024-01-01T00:00:00Z"] * 2, place=["x", "y"])
        shows(data, given={"kinds": KINDS}, kind="checkins", points=2)
        renamed = CHECKINS.replace(b"user_id,time", b"who,whenever")
        assert len(checkins(renamed, id="who", time="#2")) == 3
        refused(renamed, "no_checkin_columns")
        data = b"user,time,lat,lat,lon\na,2024-01-01T00:00:00Z,1,2,3\n"
        choice = refused(data, "choice-needed")
        assert (choice.parameter, [value for value, _ in choice.choices]) == ("lat", ["#3", "#4"])
        assert checkins(data, lat="#4").lat == [2.0]

    @each("kind", KINDS)
    def test_dates_where_numbers_should_be_are_none(self, kind):
        days = pa.array([1, 2], pa.timestamp("ms", "UTC"))
        data = parquet(user_id=[1, 1], time=[1e9, 2e9], place=["x", "y"], lon=days, lat=[1.0, 2.0])
        with pytest.raises(FormatError, match="not a number" if kind != "stream" else "holds counts only"):
            read_bytes(data, kinds=[kind])


def visits(*times, head="user,place,day"):
    return "\n".join([head, *(f"u{i % 2},p{i % 3},{time}" for i, time in enumerate(times)), ""]).encode()


class TestCoarseTimes:
    """Users and places with days, weeks, months or years are check-ins: recognised, each at its first day."""

    @each("head", ["day", "date", "visit_date", "week", "month", "year", "check_in_date"])
    @each("cell, day", [("2024-02-29", "2024-02-29"), ("2024-W09", "2024-02-26"), ("2024-02", "2024-02-01"),
                        ("2024", "2024-01-01"), ("20240229", "2024-02-29"), ("29.02.2024", "2024-02-29")])  # fmt: skip
    def test_are_recognised_and_read_as_first_days(self, head, cell, day):
        found = read_bytes(visits(cell, cell, cell, head=f"user,place,{head}"), kinds=KINDS)
        assert found.kind == "checkins"
        first = dt.datetime.fromisoformat(f"{day}T00:00Z").timestamp()
        assert found.other.time_s.tolist() == [first] * 3
        coarse = [note["code"] for note in found.report.notes]
        assert ("coarse_times" in coarse) == (len(cell) < 8 or "W" in cell)

    @given(st.lists(st.sampled_from(["2024-05-01", "2024-W18", "2024-05", "2024", "2023-12"]), min_size=1, max_size=9))
    def test_a_row_depends_on_itself_alone(self, cells):
        found = {}
        for i, time_s in enumerate(checkins(visits(*sorted(cells))).time_s.tolist()):
            found.setdefault(i, time_s)
        alone = sorted(checkins(visits(cell)).time_s[0] for cell in cells)
        assert sorted(found.values()) == alone

    def test_check_ins_of_one_day_stay_in_the_order_of_the_rows(self):
        rows = "\n".join(["user,place,day", *(f"u,p{9 - i},2024-05-01" for i in range(9)), ""]).encode()
        found = checkins(rows)
        assert [found.places[code] for code in found.place] == [f"p{9 - i}" for i in range(9)]

    def test_positions_of_users_by_the_day_are_places_and_by_the_minute_a_trace(self):
        row = "u{i},48.8{i},2.3{i},2024-05-0{d}{clock}".format
        for clock, kind in (("", "checkins"), ("T10:00:00Z", "trajectory")):
            rows = [row(i=i % 3, d=i % 9 + 1, clock=clock) for i in range(20)]
            table = "\n".join(["user,lat,lon,time", *rows, ""]).encode()
            assert read_bytes(table, kinds=KINDS).kind == kind
        apart = "\n".join(["user,lat,lon,date,clock", *(f"u,48.8,2.3,2024-05-01,10:0{i}" for i in range(9)), ""])
        assert read_bytes(apart.encode(), kinds=KINDS).kind == "trajectory", "there is a time of day"

    @each("cell", ["2024-W60", "2024-13", "12", "May"])
    def test_what_is_no_period_is_none(self, cell):
        assert samples.refused(visits(cell, cell), "no_position_columns", kinds=KINDS)

    def test_parts_of_a_date_in_columns_of_their_own_are_one_time(self):
        table = b"user,place,year,month,day\n" + b"".join(b"u,p%d,2024,5,%d\n" % (i, i + 1) for i in range(9))
        assert np.diff(read_bytes(table, kinds=KINDS).other.time_s).tolist() == [86400.0] * 8

    def test_without_any_time_the_error_states_what_check_ins_need(self):
        table = b"user,place\n" + b"".join(b"u%d,p%d\n" % (i % 2, i) for i in range(9))
        assert "add a column of times" in str(samples.refused(table, "no_position_columns", kinds=KINDS))


class TestVenues:
    @given(
        st.dictionaries(st.integers(0, 20), st.tuples(st.floats(-80, 80), st.floats(-170, 170)), min_size=1),
        st.lists(st.tuples(st.integers(0, 3), st.integers(0, 20)), min_size=1, max_size=30),
    )
    def test_each_check_in_is_where_its_place_is(self, known, visits):
        """By definition: a table of places looked up for each row; rows of unknown places are dropped."""
        rows = [f"u{user},{1e9 + i:.0f},{place}" for i, (user, place) in enumerate(visits)]
        places = [f"{place},{lat!r},{lon!r},n{place}" for place, (lat, lon) in known.items()]
        table = "user,time,place_id\n" + "\n".join(rows)
        archive = packed(table.encode(), ("place_id,lat,lon,name\n" + "\n".join(places)).encode())
        used = [(user, i, *known[place]) for i, (user, place) in enumerate(visits) if place in known]
        first = list(dict.fromkeys(user for user, *_ in used))
        expected = sorted(used, key=lambda row: (first.index(row[0]), row[1]))
        if not expected:
            with pytest.raises(FormatError, match="not in the list of venues"):
                checkins(archive)
            return
        found = checkins(archive)
        assert found.lon is not None
        assert found.lat is not None
        assert list(zip(found.lat.tolist(), found.lon.tolist(), strict=True)) == [one[2:] for one in expected]
        assert found.place is not None
        assert [found.place_names[place] for place in found.place] == [f"n{found.places[one]}" for one in found.place]

    def test_places_of_one_name_are_different_and_own_positions_hold(self):
        notes = {"venues_left_out": 1, "venue_positions": 2, "place_names": 2}
        found = shows(packed(PLAIN, NAMED), given=KIND, notes=notes)
        assert (list(found.other.places), list(found.other.place_names)) == (["7", "8"], ["The Bar", "The Bar"])
        assert [member["points"] for member in found.report.members] == [3 - 1, 2]
        data = b"user,time,venue_id,venue_name\na,2024-01-01T00:00:00Z,1,Bar\nb,2024-01-01T00:00:00Z,2,Bar\n"
        own = checkins(data)
        assert (list(own.places), list(own.place_names)) == (["1", "2"], ["Bar", "Bar"])
        assert checkins(packed(PLAIN)).place_names == []
        own = PLAIN.replace(b"place_id", b"place_id,lat,lon").replace(b",7", b",7,10.5,20.5").replace(b",8", b",8,,")
        found = checkins(packed(own.replace(b"Z,9", b"Z,9,1.5,1.5"), NAMED))
        assert (found.lat.tolist(), found.lon.tolist()) == ([10.5, 48.8, 1.5], [20.5, 2.4, 1.5])


def test_equal_content_has_equal_sketches_with_and_without_venues():
    """So the budget of check-ins is that of the same check-ins joined with venues."""
    known = PLAIN.replace(b",9\n", b",8\n")
    one, other = (checkin_sketch(checkins(data), b"k" * 16, timed=True) for data in (known, packed(known, NAMED)))
    assert overlap(one, other).share == 1.0
    assert np.array_equal(one.hashes, other.hashes)


class TestRefused:
    @each(
        ("members", "code", "text"),
        [
            ((GOWALLA, TSMC), "several_tables", "2 tables of check-ins"),
            ((PLAIN, NAMED, POIS), "several_tables", "2 lists of venues"),
            ((NAMED,), "other_kind", "no table of check-ins"),
            ((b"a,b\n1,2\n",), "no_checkin_columns", "a column of the user; the columns are: a, b"),
            ((b"\x00" * 200,), "other_kind", "no table of check-ins"),
            ((PLAIN, NAMED.replace(b"48.9", b"99").replace(b"48.8", b"x")), "no_venues", "No venue of the list"),
            ((PLAIN,) * 21, "archive", "one table of check-ins"),
        ],
    )
    def test_archives(self, members, code, text):
        refused(packed(*members), code, text)

    def test_other_archives(self):
        rows = b"user,time,location,lat,lon\na,2024-01-01T00:00:00Z,x,1.5,2.5\n"
        shows(packed(rows, rows), given={"kinds": KINDS}, kind="trajectory")
        assert refused(packed(PLAIN), "parameter", crs="EPSG:3857").field == "crs"
        bomb = packed(gzip.compress(PLAIN + b" " * 40_000 + b"\n" + b"\n" * 3_000_000))
        large = packed(gzip.compress(GOWALLA * 2000))
        for data, limits in ((bomb, Limits()), (large, Limits(total=100_000))):
            code = refusal(FormatError, read_bytes, data, limits=limits, **KIND).code
            assert code in ("compression_ratio", "line_too_long", "too_large")

    @each("options", [{}, {"id": "id"}], ids=["as it is", "with a user"])
    def test_hostile_files_are_check_ins_or_a_clear_error(self, shared, options):
        refusals, sizes = [], []
        for file in sorted((shared / "hostile").glob("[0-9]*")):
            try:
                sizes.append(len(read(file, kinds=["checkins"], **options)))
            except EngineError as error:
                refusals.append((error.code, error.message))
        assert len(refusals) > 15
        assert all(code and message.endswith((".", "?")) for code, message in refusals)
        assert (len(sizes) > 0) == ("id" in options)
        assert 0 not in sizes

    @each(
        "wrong",
        [
            {"place": None}, {"user": [0, 2]}, {"place": [0, -1]}, {"time_s": [2.0, 1.0]}, {"time_s": [1.0]},
            {"lon": [200.0, 0.0], "lat": [0.0, 0.0]}, {"user": [1, 0], "users": ["a", "b"]},
            {"place_names": ["x", "y"]},
        ],
    )  # fmt: skip
    def test_check_ins_are_checked(self, wrong):
        right = {"user": [0, 0], "users": ["a"], "time_s": [1.0, 2.0], "place": [0, 0], "places": ["p"]}
        assert len(CheckIns(**right)) == 2
        with pytest.raises(DataError):
            CheckIns(**right | wrong)
