"""Published sets of check-ins as they are distributed, their venues, headers and times; and what is refused."""

import datetime as dt
import gzip
import io
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from privacy_engine.data import KINDS, CheckIns
from privacy_engine.errors import ChoiceNeeded, DataError, EngineError, FormatError, ParameterError
from privacy_engine.formats import Limits, read
from privacy_engine.formats.arrow import pa
from privacy_engine.formats.options import ReadOptions
from privacy_engine.formats.times import times
from tests.cases import each, refusal
from tests.engine.format_samples import read_bytes, zipped

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


def reading(data, **options):
    return read_bytes(data, kinds=["checkins"], **options)


def checkins(data, **options):
    other = reading(data, **options).other
    assert isinstance(other, CheckIns)
    return other


def packed(*members):
    return zipped(**{f"m{i}": member for i, member in enumerate(members)})


class TestPublishedSets:
    @each("wrap", [bytes, gzip.compress, packed, lambda data: packed(gzip.compress(data))],
                             ids=["plain", "gzip", "zip", "gzip in zip"])  # fmt: skip
    @each("name", FILES)
    def test_are_recognised_without_a_header_in_every_packing(self, name, wrap):
        assert callable(wrap)
        found = read_bytes(wrap(FILES[name]), kinds=KINDS)
        assert (found.kind, len(found)) == ("checkins", 3)
        assert found.report.guesses[0]["what"] == "kind"

    def test_gowalla_has_users_places_positions_and_utc(self):
        found = checkins(GOWALLA)
        assert (list(found.users), sorted(found.places)) == (["0", "1"], ["22847", "316637", "420315"])
        assert found.lon is not None
        assert found.lon.tolist() == [-97.7493953705, -97.7951395833, -97.7633857727]
        assert found.time_s[0] == dt.datetime(2010, 10, 18, 22, 17, 43, tzinfo=dt.UTC).timestamp()

    def test_rows_of_zeros_of_brightkite_have_no_position(self):
        found = reading(BRIGHTKITE)
        assert found.report.dropped == {"no_position": 1}
        assert found.report.drops["no_position"].rows == [4]

    def test_a_position_of_zeros_under_a_header_is_one(self):
        assert len(checkins(b"user,time,lat,lon\na,2024-01-01T00:00:00Z,0.0,0.0\n")) == 1

    def test_foursquare_of_tsmc_has_its_columns_and_reports_that_the_offset_is_ignored(self):
        found = reading(TSMC)
        assert isinstance(found.other, CheckIns)
        one = found.other
        assert one.lat is not None
        assert (one.users[one.user[0]], one.lat[0]) == ("470", 40.71981037548853)
        assert one.time_s[0] == dt.datetime(2012, 4, 3, 18, 0, 9, tzinfo=dt.UTC).timestamp()
        assert {note["code"] for note in found.report.notes} == {"encoding", "offset_ignored"}

    def test_foursquare_of_the_world_has_no_positions_alone(self):
        assert checkins(GLOBAL).lon is None

    def test_foursquare_of_the_world_has_the_positions_of_its_venues(self):
        found = reading(packed(GLOBAL, POIS, b"A text about the data.\nIt has two lines.\n"))
        assert isinstance(found.other, CheckIns)
        assert found.other.lon is not None
        assert found.other.lon.tolist() == [37.557842, 28.974420]
        assert found.report.dropped == {"unreadable_member": 1, "unknown_venue": 1}
        assert found.other.place_names == []

    @each("damaged", [b"12\t\t\t\t\n", b"12\t2010-10-16T03:48:54Z\n"])
    def test_a_few_damaged_rows_hide_no_layout(self, damaged):
        found = read_bytes(BRIGHTKITE * 3 + damaged, kinds=KINDS)
        assert (found.kind, len(found)) == ("checkins", 9)


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

    def test_clock_readings_of_a_zone_that_the_owner_names(self):
        data = b"user,time,place\na,2012-04-03 14:00:00,x\n"
        assert (checkins(data).time_s - checkins(data, time_zone="America/New_York").time_s).tolist() == [-4 * 3600]

    def test_local_times_are_read_by_the_offsets_of_their_rows(self):
        data = b"user,local_time,place,tz_offset\na,2012-04-03 14:00:00,x,-240\nb,2012-04-03 20:00:00,x,soon\n"
        found = reading(data)
        assert isinstance(found.other, CheckIns)
        assert found.other.time_s.tolist() == [dt.datetime(2012, 4, 3, 18, tzinfo=dt.UTC).timestamp()]
        assert found.report.dropped == {"bad_time": 1}
        assert [note["code"] for note in found.report.notes] == ["offset_used"]


class TestHeaders:
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
        assert isinstance(found, CheckIns)
        assert (list(found.users), list(found.places), found.lon) == (["7"], ["x"], [-74.0])

    @each("options", [{}, {"decimal": ","}])
    def test_decimal_commas(self, options):
        data = b"user;time;place;lat;lon\na;2024-01-01T00:00:00Z;x;48,85;2,35\n"
        found = checkins(data, **options)
        assert (found.lat, found.lon) == ([48.85], [2.35])
        with pytest.raises(FormatError, match="not a number"):
            checkins(data, decimal=".")

    def test_names_in_the_table_itself(self):
        data = b"user,time,venue_id,venue_name\na,2024-01-01T00:00:00Z,1,Bar\nb,2024-01-01T00:00:00Z,2,Bar\n"
        found = checkins(data)
        assert (list(found.places), list(found.place_names)) == (["1", "2"], ["Bar", "Bar"])


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

    def test_places_of_one_name_are_different_places(self):
        found = reading(packed(PLAIN, NAMED))
        assert isinstance(found.other, CheckIns)
        assert (list(found.other.places), list(found.other.place_names)) == (["7", "8"], ["The Bar", "The Bar"])
        notes = {note["code"]: note.get("count") for note in found.report.notes}
        assert notes == {"venues_left_out": 1, "venue_positions": 2, "place_names": 2}
        assert [member["points"] for member in found.report.members] == [3 - 1, 2]

    def test_positions_of_the_check_ins_themselves_hold(self):
        own = PLAIN.replace(b"place_id", b"place_id,lat,lon").replace(b",7", b",7,10.5,20.5").replace(b",8", b",8,,")
        found = checkins(packed(own.replace(b"Z,9", b"Z,9,1.5,1.5"), NAMED))
        assert (found.lat.tolist(), found.lon.tolist()) == ([10.5, 48.8, 1.5], [20.5, 2.4, 1.5])  # type: ignore[union-attr]

    def test_without_a_list_places_have_no_names(self):
        assert checkins(packed(PLAIN)).place_names == []

    def test_names_of_other_places_are_refused(self):
        with pytest.raises(DataError, match="place_names must be as many names as places"):
            CheckIns([0], ["a"], [0.0], [0], ["p"], place_names=["x", "y"])  # type: ignore[arg-type]


class TestRefused:
    @each(
        ("members", "code", "message"),
        [
            ((GOWALLA, TSMC), "several_tables", "2 tables of check-ins"),
            ((PLAIN, NAMED, POIS), "several_tables", "2 lists of venues"),
            ((NAMED,), "other_kind", "no table of check-ins"),
            ((b"a,b\n1,2\n",), "no_checkin_columns", "a column of the user; the columns are: a, b"),
            ((b"\x00" * 200,), "other_kind", "no table of check-ins"),
            ((PLAIN, NAMED.replace(b"48.9", b"99").replace(b"48.8", b"x")), "no_venues", "No venue of the list"),
        ],
    )
    def test_archives(self, members, code, message):
        with pytest.raises(FormatError, match=message) as refused:
            reading(packed(*members))
        assert refused.value.code == code

    def test_archives_of_many_files_are_not_check_ins(self):
        with pytest.raises(FormatError, match="one table of check-ins") as refused:
            reading(packed(*[PLAIN] * 21))
        assert refused.value.code == "archive"

    def test_two_tables_with_headers_may_be_trajectories(self):
        rows = b"user,time,location,lat,lon\na,2024-01-01T00:00:00Z,x,1.5,2.5\n"
        assert read_bytes(packed(rows, rows), kinds=KINDS).kind == "trajectory"

    def test_options_that_check_ins_do_not_use(self):
        assert refusal(ParameterError, reading, packed(PLAIN), crs="EPSG:3857").field == "crs"

    def test_a_bomb_in_a_gzip_in_an_archive(self):
        bomb = gzip.compress(PLAIN + b" " * 40_000 + b"\n" + b"\n" * 3_000_000)
        assert refusal(FormatError, reading, packed(bomb)).code in ("compression_ratio", "line_too_long")
        refused = refusal(FormatError, reading, packed(gzip.compress(GOWALLA * 2000)), limits=Limits(total=100_000))
        assert refused.code in ("too_large", "compression_ratio")

    def test_two_columns_of_one_name_are_a_choice(self):
        data = b"user,time,lat,lat,lon\na,2024-01-01T00:00:00Z,1,2,3\n"
        refused = refusal(ChoiceNeeded, checkins, data)
        assert (refused.parameter, [value for value, _ in refused.choices]) == ("lat", ["#3", "#4"])
        assert checkins(data, lat="#4").lat == [2.0]

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

    def test_an_encrypted_member(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr("a.csv", PLAIN)
        data = bytearray(out.getvalue())
        for at in (6, data.rindex(b"PK\x01\x02") + 8):
            data[at] |= 1
        assert refusal(FormatError, reading, bytes(data)).code == "encrypted"


def test_equal_content_has_equal_sketches_with_and_without_venues():
    """So the budget of check-ins is that of the same check-ins joined with venues."""
    from privacy_engine.event_sketch import checkin_sketch, overlap

    known = PLAIN.replace(b",9\n", b",8\n")
    one, other = (checkin_sketch(checkins(data), b"k" * 16, timed=True) for data in (known, packed(known, NAMED)))
    assert overlap(one, other).share == 1.0
    assert np.array_equal(one.hashes, other.hashes)
