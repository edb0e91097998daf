"""What reading decided: how labels list it, that the documentation names all of it, and that it is read so again."""

import ast
import io
import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import privacy_engine as pe
from privacy_engine.accounting.promise import Context
from privacy_engine.data.counted import Counted
from privacy_engine.data.grid import Grid
from privacy_engine.formats import options, read
from privacy_engine.formats.decisions import JOINS, Decisions
from tests.cases import each
from tests.engine.damaged_files import SEEDS
from tests.engine.format_samples import read_bytes, zipped
from tests.engine.record_laws import rows_of

ROOT = Path(__file__).parents[2]
NO_DECISIONS = {"first_n", "automatic"}
POPULARITY = {"west": 10.0, "south": 50.0, "east": 11.0, "north": 51.0, "side": 2}
POPULARITY |= {"mechanism": "checkin-popularity", "contributions": 2}


def documented():
    """The options that decision 12 lists."""
    text = (ROOT / "docs/notes/cleaning.md").read_text()
    listed = text.split("compares the list with the registry):\n\n")[1].split("\n\n`automatic`")[0]
    return set(re.findall(r"`(\w+)`", listed))


@cache
def sources():
    return [ast.parse(path.read_text()) for path in sorted((ROOT / "privacy_engine/formats").glob("*.py"))]


def texts_of_calls(method):
    """The texts among the arguments of each call of a method of a report."""
    for node in (node for tree in sources() for node in ast.walk(tree) if isinstance(node, ast.Call)):
        if isinstance(node.func, ast.Attribute) and node.func.attr == method:
            yield [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def test_every_decision_and_every_guess_is_of_a_documented_option():
    assert documented() == set(options()) - NO_DECISIONS | {"kind", "members"}
    named = {texts[-1] for texts in texts_of_calls("guess") if texts}
    assert len(named) > 10
    assert named <= documented()


def test_every_note_that_labels_list_is_recorded_somewhere_and_documented():
    found = (node.value for tree in sources() for node in ast.walk(tree) if isinstance(node, ast.Constant))
    assert set(JOINS) <= {value for value in found if isinstance(value, str)}
    text = (ROOT / "docs/notes/cleaning.md").read_text()
    assert all(f"`{code}`" in text for code in JOINS)


def test_a_label_names_no_text_of_the_file():
    for option, value, listed in (
        ("lon", "#2", "lon #2"),
        ("lon", "Alice", "lon of the file"),
        ("lat", "491701234567", "lat of the file"),
        ("person", "column:#3", "person column:#3"),
        ("person", "column:Alice", "person of the file"),
        ("person", "series", "person series"),
        ("delimiter", ";", 'delimiter ";"'),
        ("header", "0", "header 0"),
        ("header", "Alice", "header of the file"),
        ("sheet", "Alice", "sheet of the file"),
        ("separator", "Alice", "separator of the file"),
        ("crs", "EPSG:32633", "crs EPSG:32633"),
        ("time_zone", "Europe/Paris", "time_zone Europe/Paris"),
        ("time_zone", "Alice", "time_zone of the file"),
        ("format", "csv", "format csv"),
        ("members", {"Alice.csv": {"lon": "#1"}, "Bob.csv": {"lon": "#2"}}, "lon #1 or #2"),
        ("members", {"Alice.csv": None}, "members left out"),
    ):
        assert Decisions({option: value, "automatic": "no"}).listed == (listed,)


def test_the_sentence_counts_them_and_the_list_has_each():
    context = Context(not_covered=("the weather",)).with_reading(["lon #2", "lat #1"], ["the tides"])
    assert context.qualified("It holds") == (
        "It holds; not covered: the weather; the tides; the values of 2 reading options, decided from the data."
    )
    assert context.uncovered == (
        "the weather",
        "the tides",
        "the values of the reading options, which were decided from the data (lon #2, lat #1)",
    )
    assert Context().uncovered == ()


@each("name", sorted(SEEDS))
def test_labels_list_every_decision_of_a_reading(name):
    report = read_bytes(SEEDS[name], f"a.{name}").report
    decided = {one["option"] for one in report.as_dict()["decisions"]} - NO_DECISIONS - {"members"}
    listed = {one.split()[0] for one in Decisions.of(report).listed}
    assert len(decided) > 3
    assert decided <= listed


def test_those_that_were_given_are_no_decisions():
    body = b"a;b;time\n10.5;50.5;2024-06-01T10:00:00Z\n11.5;51.5;2024-06-01T11:00:00Z\n"
    given = {"lon": "#1", "lat": "#2", "delimiter": ";", "format": "csv"}
    report = read(io.BytesIO(body), name="a.csv", **given).report
    report.decided |= {"lon": "#1", "time": "#3", "members": {"a.csv": {"lat": "#1", "id": "#2"}, "b.csv": None}}
    assert given.keys().isdisjoint(Decisions.of(report).options)
    assert Decisions.of(report).options["time"] == "#3"
    assert Decisions.of(report).options["members"] == {"a.csv": {"id": "#2"}, "b.csv": None}


def test_counts_of_events_state_how_these_were_read():
    plain = Counted(Grid(0.0, 0.0, 1.0, 1.0, 1, 1), "person")
    counted = replace(plain, decided=("lon #2", 'delimiter ";"'))
    listed = 'the options that the events were read with, decided from the data (lon #2, delimiter ";")'
    assert counted.not_covered == (listed,)
    assert Counted.from_dict(counted.as_dict()) == counted
    assert "decided" not in plain.as_dict()  # as that of counts from before
    assert Counted.from_dict(plain.as_dict()) == plain


def test_releases_in_a_notebook_list_them():
    for kind, body, mechanism in (
        ("trajectory", b"lon;lat;time\n1.5;2.5;2024-06-01T10:00Z\n", {"mechanism": "event-level", "radius_m": 200.0}),
        ("stream", b"time;a;b\n2024-06-01;1;2\n2024-06-02;3;4\n", {"mechanism": "stream-uniform", "window": 2}),
        ("checkins", b"user;time;place;lat;lon\nu;2024-06-01T10:00Z;p;50.5;10.5\n", POPULARITY),
    ):
        data = pe.read(io.BytesIO(body), kind=kind)
        data.decisions = Decisions({"delimiter": ";", "lon": "Alice"}, (), ("times_follow",))
        assert data.release(epsilon=1.0, **mechanism).label["not_covered"][-2:] == [
            JOINS["times_follow"],
            'the values of the reading options, which were decided from the data (delimiter ";", lon of the file)',
        ]


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


def test_a_row_without_one_makes_all_one_person_and_names_do_not_change_with_other_persons():
    first = read_bytes(TRIPS.format("").encode(), "d.csv", id="trip")
    assert [(one.name, one.person) for one in first.series] == [("1", "")]
    assert rows_of(again(TRIPS.format("").encode(), first, "d.csv")) == rows_of(first)
    data = TRIPS.format("u1").encode()
    first = read_bytes(data, "d.csv", id="trip")
    rest = again(b"\n".join(data.split(b"\n")[:3]) + b"\n", first, "d.csv")
    assert {one.name for one in rest.series} == {"u1 1"}


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
