"""Reading with what a first reading decided: archives, persons, and every decision with a sentence."""

import io
import json

import pyarrow as pa
import pyarrow.parquet as pq

from tests.cases import each
from tests.engine.format_samples import read_bytes, zipped
from tests.engine.record_laws import rows_of

USERS = b"user,time,lat,lon\nu1,2024-06-15T10:00:00Z,1,2\nu2,2024-06-15T10:00:01Z,1,200\n"
GERMAN = b"uid;time;lat;lon\nv1;2024-06-15T10:00:00Z;1,5;2,5\nv2;2024-06-15T10:00:01Z;1,5;3,5\n"
RUN = b"time,lat,lon\n2024-06-15T10:00:00Z,1,2\n2024-06-15T10:00:01Z,1,359.5\n"
TRIPS = "trip,user,time,lat,lon\n1,u1,2024-06-15T10:00:00Z,1,2\n1,{},2024-06-15T10:00:01Z,1,3\n"
TRIPS += "1,u2,2024-06-15T10:00:02Z,1,4\n"


def decided(reading):
    """What the reading decided, after a way through JSON."""
    return json.loads(json.dumps(reading.report.as_dict()["decided"]))


def again(data, first, name):
    return read_bytes(data, name, kinds=(first.kind,), **decided(first))


class TestArchives:
    @each(
        "members",
        [
            {"a.csv": USERS, "b.csv": GERMAN},
            {"a.csv": USERS, "c.csv": RUN, "junk.txt": b"\x89PNG\r\n\x1a\n"},
            {"x/c.csv": RUN, "y/c.csv": RUN},
            {"d.csv": TRIPS.format("").encode(), "a.csv": USERS},
        ],
    )
    def test_an_archive_reads_the_same_again(self, members):
        data = zipped(**members)
        first = read_bytes(data, "z.zip")
        second = again(data, first, "z.zip")
        assert rows_of(second) == rows_of(first)
        assert (second.report.guesses, decided(second)) == ([], decided(first))

    def test_members_keep_their_options_and_those_that_were_left_out_stay_out(self):
        found = decided(read_bytes(zipped(**{"a.csv": USERS, "b.csv": GERMAN}), "z.zip"))
        assert found["lon"] == "#4"
        assert {name: own["decimal"] for name, own in found["members"].items()} == {"a.csv": ".", "b.csv": ","}
        assert "person" not in found  # each member states its own
        first = read_bytes(zipped(**{"a.csv": RUN, "b.csv": b"nothing"}), "z.zip")
        assert decided(first)["members"] == {"b.csv": None}
        assert rows_of(again(zipped(**{"a.csv": RUN, "b.csv": RUN}), first, "z.zip")) == rows_of(first)
        first = read_bytes(zipped(**{"x/c.csv": RUN, "y/c.csv": RUN}), "z.zip")
        rest = again(zipped(**{"x/c.csv": RUN.split(b"\n")[0] + b"\n", "y/c.csv": RUN}), first, "z.zip")
        assert rows_of(rest) == [row for row in rows_of(first) if row[0] == "c (2)"]

    def test_check_ins_beside_a_list_of_venues(self):
        visits = "user_id,place_id,time\nu1,p1,2024-06-15 10:00:00\nu2,p2,2024-06-15 11:00:00\n"
        data = zipped(**{"c.csv": visits.encode(), "v.csv": b"place_id,lat,lon\np1,1,2\np2,3,200\n"})
        first = read_bytes(data, "z.zip", kinds=("trajectory", "checkins"))
        assert decided(first)["members"]["v.csv"] == {}
        second = again(data, first, "z.zip")
        assert rows_of(second) == rows_of(first)
        assert [row[3] for row in rows_of(first)] == [2, -160]  # of venues too, one above 180 counts to the east


class TestPersons:
    def test_a_row_without_one_makes_all_one_person_and_names_do_not_change_with_other_persons(self):
        first = read_bytes(TRIPS.format("").encode(), "d.csv", id="trip")
        assert [(one.name, one.person) for one in first.series] == [("1", "")]
        assert rows_of(again(TRIPS.format("").encode(), first, "d.csv")) == rows_of(first)
        data = TRIPS.format("u1").encode()
        first = read_bytes(data, "d.csv", id="trip")
        rest = again(b"\n".join(data.split(b"\n")[:3]) + b"\n", first, "d.csv")
        assert {one.name for one in rest.series} == {"u1 1"}


class TestOneRecordInParquet:
    def test_three_of_a_hundred_to_the_west_of_greenwich(self):
        def written(lon):
            out = io.BytesIO()
            pq.write_table(pa.table({"lon": lon, "lat": [51.5 + i / 1000 for i in range(len(lon))]}), out)
            return out.getvalue()

        lon = [0.001] * 97 + [359.999] * 3
        before = read_bytes(written(lon), "x.parquet")
        after = read_bytes(written([*lon[:-1], 0.0001]), "x.parquet")
        assert before.series[0].lon.tolist()[:99] == after.series[0].lon.tolist()[:99]
        assert (len(before), len(after)) == (100, 100)


def test_every_decision_has_a_sentence():
    report = read_bytes(GERMAN, "x.csv").report.as_dict()
    assert [one["option"] for one in report["decisions"]] == list(report["decided"])
    sentences = {one["option"]: one["message"] for one in report["decisions"]}
    assert sentences["decimal"] == "Numbers have a decimal comma."
    assert sentences["swap"] == "Both orders of longitude and latitude are possible."
    assert sentences["crs"] == "Coordinate system: degrees (WGS 84)."


class TestColumns:
    def test_a_date_and_a_time_of_day_in_two_columns(self):
        data = b"date,time,lat,lon\n2024-06-15,10:00:00,1,2\n2024-06-15,10:00:01,1,3\n"
        first = read_bytes(data, "x.csv")
        assert (decided(first)["time"], decided(first)["clock"]) == ("#1", "#2")
        assert rows_of(again(data, first, "x.csv")) == rows_of(first)

    @each("kind", ["trajectory", "checkins"])
    def test_the_first_row_alone_may_have_all_columns(self, kind):
        given = {"lon": "#3", "lat": "#2", "time": "#1", "id": "#4"}
        rows = [b"2024-06-15T10:00:00Z,1.5001,2.5001,u1,p1,", b"2024-06-15T10:00:01Z,1.5001,3.5001,u2,p2"]
        first = read_bytes(b"\n".join(rows), "x.csv", kinds=(kind,), **given)
        rest = read_bytes(b"\n".join(rows[::-1]), "x.csv", kinds=(kind,), **decided(first))
        assert sorted(rows_of(rest)) == sorted(rows_of(first))
