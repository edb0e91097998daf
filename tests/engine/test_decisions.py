"""What reading decided: how labels list it, and that the documentation names every decision."""

import ast
import io
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import privacy_engine as pe
from privacy_engine.counted import Counted
from privacy_engine.formats import options, read
from privacy_engine.formats.decisions import JOINS, Decisions
from privacy_engine.grid import Grid
from privacy_engine.promise import Context
from tests.cases import each
from tests.engine.damaged_files import SEEDS

ROOT = Path(__file__).parents[2]
NO_DECISIONS = {"first_n", "automatic"}


def documented():
    """The options that decision 12 lists."""
    text = (ROOT / "docs/decisions/0012-cleaning-and-pieces.md").read_text()
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
    text = (ROOT / "docs/decisions/0012-cleaning-and-pieces.md").read_text()
    assert all(f"`{code}`" in text for code in JOINS)


@each(
    ("option", "value", "listed"),
    [
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
    ],
)
def test_a_label_names_no_text_of_the_file(option, value, listed):
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
    report = read(io.BytesIO(SEEDS[name]), name=f"a.{name}").report
    decided = {one["option"] for one in report.as_dict()["decisions"]} - NO_DECISIONS - {"members"}
    listed = {one.split()[0] for one in Decisions.of(report).listed}
    assert len(decided) > 3
    assert decided <= listed


def test_those_that_were_given_are_no_decisions():
    body = b"a;b;time\n10.5;50.5;2024-06-01T10:00:00Z\n11.5;51.5;2024-06-01T11:00:00Z\n"
    given = {"lon": "#1", "lat": "#2", "delimiter": ";", "format": "csv"}
    report = read(io.BytesIO(body), name="a.csv", **given).report
    report.decided |= {"lon": "#1", "time": "#3"}
    assert given.keys().isdisjoint(Decisions.of(report).options)
    assert Decisions.of(report).options["time"] == "#3"


def test_counts_of_events_state_how_these_were_read():
    plain = Counted(Grid(0.0, 0.0, 1.0, 1.0, 1, 1), "person")
    counted = replace(plain, decided=("lon #2", 'delimiter ";"'))
    listed = 'the options that the events were read with, decided from the data (lon #2, delimiter ";")'
    assert counted.not_covered == (listed,)
    assert Counted.from_dict(counted.as_dict()) == counted
    assert "decided" not in plain.as_dict()  # as that of counts from before
    assert Counted.from_dict(plain.as_dict()) == plain


@each(
    ("kind", "body", "mechanism"),
    [
        (
            "trajectory",
            b"lon;lat;time\n10.5;50.5;2024-06-01T10:00:00Z\n11.5;51.5;2024-06-01T11:00:00Z\n",
            {"mechanism": "event-level", "radius_m": 200.0},
        ),
        ("stream", b"time;a;b\n2024-06-01;1;2\n2024-06-02;3;4\n", {"mechanism": "stream-uniform", "window": 2}),
        (
            "checkins",
            b"user;time;place;lat;lon\nu;2024-06-01T10:00:00Z;p;50.5;10.5\nv;2024-06-01T11:00Z;q;50.6;10.6\n",
            {
                "mechanism": "checkin-popularity",
                "contributions": 2,
                "west": 10,
                "south": 50,
                "east": 11,
                "north": 51,
                "side": 2,
            },
        ),
    ],
)
def test_releases_in_a_notebook_list_them(kind, body, mechanism):
    data = pe.read(io.BytesIO(body), kind=kind)
    data.decisions = Decisions({"delimiter": ";", "lon": "Alice"}, (), ("times_follow",))
    assert data.release(epsilon=1.0, **mechanism).label["not_covered"][-2:] == [
        JOINS["times_follow"],
        'the values of the reading options, which were decided from the data (delimiter ";", lon of the file)',
    ]
