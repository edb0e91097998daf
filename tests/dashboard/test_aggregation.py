"""Count streams made of the events of a dataset: pages, API, worker, sensitivity, one budget."""

import csv
import json

import pyarrow.parquet as pq
import pytest

from dashboard.datasets import execution
from dashboard.datasets.management.commands.aggregate import Command
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases import downloads
from dashboard.releases.management.commands import release as release_command
from dashboard.releases.models import Release
from privacy_engine.verify import verify
from tests.dashboard import kinds
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.command_runner import runner

HEADER = "user_id,time,lat,lon"
ROWS = (
    *("a,2024-06-03T08:10:00Z,48.805,2.205", "a,2024-06-03T08:20:00Z,48.815,2.205"),
    *("a,2024-06-03T08:30:00Z,48.825,2.205", "a,2024-06-03T10:10:00Z,48.805,2.205"),
    *("b,2024-06-03T08:15:00Z,48.805,2.205", "b,2024-06-03T09:15:00Z,48.995,2.205"),
)
"""Two people in three rows of a grid; an event of the last is outside."""
SPEC = {"cell_m": 1112, "step": "1h", "unit": "person", "most": 2, "box": [2.2, 48.8, 2.21, 48.83]}
SPEC |= {"start": "2024-06-03T08:00", "end": "2024-06-03T11:00"}
COUNTS = [[2, 1, 0], [0, 0, 0], [1, 0, 0], [0, 0, 0]]
pytestmark = pytest.mark.django_db


@pytest.fixture
def source(owner_api):
    return kinds.made(owner_api, kinds.checkins(ROWS, HEADER), kind="trajectory")


def counted(owner_api, source, **changes):
    return kinds.derived(owner_api, source, "aggregate", SPEC | changes)


def uniform(**changes):
    return {"name": "stream-uniform", "epsilon": 1.0, "window": 2} | changes


class TestDataset:
    def test_has_the_counts_their_cells_and_its_source(self, owner_api, source):
        found = counted(owner_api, source)
        assert (found["kind"], found["counted_from"], found["name"]) == ("stream", source["id"], "Counts of data.csv")
        assert found["aggregation"]["unit"] == "person"
        box = dict(zip(("west", "south", "east", "north"), SPEC["box"], strict=True))
        assert found["counted"]["grid"] == box | {"columns": 1, "rows": 3}
        rows = [owner_api.get(f"{found['urls']['self']}counts/", {"stream": k}).json() for k in range(3)]
        assert [list(row) for row in zip(*(one["counts"] for one in rows), strict=True)] == COUNTS
        assert [one["name"] for one in rows] == ["r0c0", "r1c0", "r2c0"]
        assert rows[0]["labels"][0] == "2024-06-03T08:00:00Z"
        cells = owner_api.get(f"{found['urls']['self']}geometry/").json()["cells"]
        assert cells[1] == pytest.approx([2.2, 48.81, 2.21, 48.82])

    def test_the_size_is_known_before(self, owner_api, source):
        found = owner_api.post(f"{source['urls']['self']}aggregate/preview/", SPEC, format="json").json()
        statement = found.pop("statement")
        assert statement.startswith("Sensitivity 2: a person counts in at most 2 cells of a timestamp.")
        sizes = {"rows": 3, "columns": 1, "cells": 3, "steps": 4, "events": 6, "people": 2, "zero": 0.75}
        assert found == sizes | {"outside": 1, "cut": 1, "sensitivity": 2, "not_covered": []}
        assert Dataset.objects.count() == 1

    def test_stays_when_its_source_is_deleted_but_has_no_file_to_read_again(self, owner_api, source):
        found = counted(owner_api, source)
        assert owner_api.delete(source["urls"]["self"]).status_code == 204
        assert owner_api.get(found["urls"]["self"]).json()["counted_from"] is None
        assert owner_api.get(f"{found['urls']['self']}counts/").status_code == 200
        answer = owner_api.post(f"{found['urls']['self']}read/", {}, format="json")
        assert (answer.status_code, "it has no file" in first_error(answer)["message"]) == (409, True)

    def test_fails_where_its_source_is_gone_before_it_was_made(self, owner_api, owner_page, source):
        made = owner_api.post(f"{source['urls']['self']}aggregate/", SPEC, format="json").json()
        shown = owner_page.get(made["urls"]["page"]).content.decode()
        assert "Counting the events" in shown
        assert "Import" not in shown.split("<main")[1]
        owner_api.delete(source["urls"]["self"])
        execution.run(made["id"])
        found = owner_api.get(made["urls"]["self"]).json()
        assert (found["state"], found["error"]["code"]) == ("failed", "source-gone")

    def test_fail_naming_the_field(self, owner_api, source):
        for changes, field in [
            *(({"cell_m": 1}, "cell_m"), ({"step": "1s", "start": "2024-01-01"}, "step"), ({"unit": "event"}, "most")),
            *(({"unit": None}, "unit"), ({"name": "x" * 201}, "name")),
        ]:
            for path in ("aggregate/", "aggregate/preview/"):
                answer = owner_api.post(f"{source['urls']['self']}{path}", SPEC | changes, format="json")
                assert answer.status_code == 400, (changes, field)
                assert field in str(answer.json()), (changes, field)
            assert Dataset.objects.count() == 1, (changes, field)

    def test_fail_for_what_has_no_events(self, owner_api, source):
        found = counted(owner_api, source)
        untimed = kinds.made(owner_api, b"lat,lon\n48.8,2.2\n48.9,2.3\n")
        for one, reason in ((found, "it holds counts already"), (untimed, "events with times")):
            answer = owner_api.post(f"{one['urls']['self']}aggregate/", SPEC, format="json")
            assert (answer.status_code, reason in first_error(answer)["message"]) == (400, True)
        assert owner_api.get(f"{source['urls']['self']}geometry/").status_code == 400


def test_the_form_and_the_dataset_are_shown(owner_api, owner_page, source):
    assert f"/datasets/{source['id']}/count/" in owner_page.get(source["urls"]["page"]).content.decode()
    form = owner_page.get(f"/datasets/{source['id']}/count/").content.decode()
    assert "is not covered by any promise" in form
    made = counted(owner_api, source, most=1, end=None)
    shown = owner_page.get(made["urls"]["page"]).content.decode()
    assert "Made of the events of" in shown
    assert "Sensitivity 1: a person counts in at most 1 cell of a timestamp." in shown
    assert "charged twice its" in shown
    assert "Not covered: the first and the last timestamp" in shown
    owner_api.delete(source["urls"]["self"])
    assert "a dataset that was deleted" in owner_page.get(made["urls"]["page"]).content.decode()
    untimed = kinds.made(owner_api, b"lat,lon\n48.8,2.2\n48.9,2.3\n")
    assert owner_page.get(f"/datasets/{untimed['id']}/count/").status_code == 302
    assert "/count/" not in owner_page.get(untimed["urls"]["page"]).content.decode()


class TestReleases:
    def test_have_the_sensitivity_of_the_counts_and_name_the_unit(self, owner_api, source):
        made = counted(owner_api, source, end=None)
        found = kinds.released(owner_api, made, uniform())
        assert found["mechanism"]["sensitivity"] == 2
        statement = found["guarantee"]["statement"]
        assert "which covers all events of one person at these timestamps" in statement
        assert "not covered: the first and the last timestamp, which were taken from the data" in statement
        label = downloads.label(Release.objects.get(pk=found["id"]))
        assert label["counted"]["unit"] == "person"
        assert statement.rstrip(".") in label["text"]
        header = next(csv.reader(owner_api.get(found["urls"]["data"]).getvalue().decode().splitlines()))
        assert header[:4] == ["time", "r0c0", "r1c0", "r2c0"]

    def test_fail_below_the_sensitivity_of_the_counts_and_are_quoted_by_it(self, owner_api, source):
        made = counted(owner_api, source)

        def quoted(*mechanisms):
            return owner_api.post("/api/v1/releases/quote/", {"dataset": made["id"], "mechanisms": mechanisms})

        for answer in (kinds.requested(owner_api, made, uniform(sensitivity=1)), quoted(uniform(sensitivity=1))):
            assert refused(answer) == (400, "mechanism.sensitivity")
            assert first_error(answer)["rule"] == "at least 2, the sensitivity of these counts"
        assert not BudgetEntry.objects.exists()
        assert kinds.requested(owner_api, made, uniform(sensitivity=3)).status_code == 201
        found = quoted(uniform(), uniform(name="stream-shrink")).json()
        plain, shrink = found["mechanisms"]
        assert "all events of one person" in plain["statement"]
        assert plain["better_elsewhere"] == ""
        assert "Stream sample where counts hardly change" in shrink["better_elsewhere"]
        assert found["budgets"][0]["price"] == 2.0, "one for each mechanism"

    def test_hierarchies_follow_the_grid_or_the_names(self, owner_api, source):
        paths = kinds.made(owner_api, kinds.wide(kinds.counts(4), ("n/a", "n/b", "s/a")))
        flat = kinds.made(owner_api, kinds.wide(kinds.counts(5)))
        for dataset, tree in ((counted(owner_api, source), "quad"), (paths, "path"), (flat, "binary")):
            found = kinds.requested(owner_api, dataset, uniform(name="stream-hieradapub"))
            assert found.status_code == 201, found.json()
            assert found.json()["mechanism"]["hierarchy"] == tree

    def test_two_streams_of_one_source_share_a_budget(self, owner_api, source):
        """The limit of the one is that of the other."""
        one, other = counted(owner_api, source), counted(owner_api, source, unit="event", most=1, step="2h")
        owner_api.patch(one["urls"]["self"], {"budget": {"epsilon": 1.5}})
        kinds.released(owner_api, one, uniform())
        answer = kinds.requested(owner_api, other, uniform())
        assert (answer.status_code, first_error(answer)["code"]) == (409, "budget")
        assert owner_api.get(other["urls"]["self"]).json()["spent"] == {"per_km": 1.0, "releases": 1, "events": 6}
        assert owner_api.get(source["urls"]["self"]).json()["spent"]["releases"] == 0

    def test_pages_show_what_was_spent_in_the_other_unit(self, owner_api, owner_page):
        source = kinds.made(owner_api, kinds.checkins(kinds.checkin_rows()))
        made = counted(owner_api, source, most=2, start=None, end=None)
        assert "Nothing spent of one event of a stream" in owner_page.get(made["urls"]["page"]).content.decode()
        kinds.released(owner_api, made, uniform())
        kinds.released(owner_api, source, kinds.POPULARITY)
        for one, other in ((source, "one event of a stream"), (made, "one user")):
            page = " ".join(owner_page.get(one["urls"]["page"]).content.decode().split())
            assert f" = 1 of {other} spent, by 1 release. Levels of different units are not added." in page

    @pytest.mark.parametrize(
        ("changes", "spent"), [({"most": 1}, 2.0), ({"most": 2}, 1.0), ({"unit": "event", "most": 1}, 1.0)]
    )
    def test_are_charged_for_what_one_event_can_change(self, owner_api, source, changes, spent):
        """One more event of a person who counts in one cell can move it to another: two counts, by 1 each."""
        made = counted(owner_api, source, **changes)
        kinds.released(owner_api, made, uniform())
        assert owner_api.get(made["urls"]["self"]).json()["spent"]["per_km"] == spent

    def test_are_charged_for_each_event_that_one_uploaded_record_decides(self, owner_api, source):
        made = counted(owner_api, source)
        kinds.released(owner_api, made, uniform())
        once = owner_api.get(made["urls"]["self"]).json()["spent"]["per_km"]
        Dataset.objects.filter(pk=made["id"]).update(stability=3)  # as after a step of cleaning that makes events
        kinds.released(owner_api, made, uniform())
        assert owner_api.get(made["urls"]["self"]).json()["spent"]["per_km"] == 4 * once


COUNT = ("--cell-m", "1112", "--step", "1h", "--count", "person", "--most", "2", "--box", "2.2,48.8,2.21,48.83")
TIMES = ("--start", "2024-06-03T08:00", "--end", "2024-06-03T11:00")


@pytest.fixture
def run(capsys):
    return runner(Command, "aggregate", capsys)


@pytest.fixture
def release(capsys):
    return runner(release_command.Command, "release", capsys)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "events.csv"
    path.write_bytes(kinds.checkins(ROWS, HEADER))
    return path


@pytest.mark.parametrize("kind", ["trajectory", "checkins"])
def test_counts_the_events_of_a_file(run, file, tmp_path, kind):
    out = tmp_path / "counts.csv"
    stated, wrong, code = run(file, "--kind", kind, *COUNT, *TIMES, "--out", out)
    assert (wrong, code) == ("", 0)
    assert stated.startswith("4 steps of 3 cells (3 × 1), 75.0% of the counts are 0, 1 events outside, 1 visits cut.")
    assert "Sensitivity 2: a person counts in at most 2 cells of a timestamp." in stated
    assert "taken from the data" not in stated
    header, *rows = csv.reader(out.read_text().splitlines())
    assert header == ["time", "r0c0", "r1c0", "r2c0"]
    assert [[int(cell) for cell in row[1:]] for row in rows] == COUNTS


def test_a_release_of_a_parquet_file_has_the_sensitivity_and_names_the_unit(run, release, file, tmp_path):
    counts, out = tmp_path / "counts.parquet", tmp_path / "out.parquet"
    assert "Not covered: the first and the last timestamp" in run(file, *COUNT, "--out", counts)[0]
    given = ["--mechanism", "stream-uniform", "--set", "epsilon=1", "--set", "window=2"]
    stated, wrong, code = release(counts, *given, "--out", out)
    assert (wrong, code) == ("", 0)
    assert "which covers all events of one person at these timestamps" in stated
    assert verify(out.read_bytes(), out.name).holds
    label = json.loads(pq.read_schema(out).metadata[b"cairn"])
    assert (label["sensitivity"], label["counted"]["unit"]) == (2, "person")
    _, wrong, code = release(counts, *given, "--set", "sensitivity=1", "--out", tmp_path / "other.csv")
    assert code != 0
    assert "sensitivity must be at least 2, the sensitivity of these counts, got 1" in wrong


def test_fail_with_one_clear_line_and_no_file(run, file, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for more, reported in [
        (["--out", "o.json"], "--out must be a file name that ends in .csv, .parquet"),
        (["--cell-m", "1", "--out", "o.csv"], "cell_m must be large enough for at most 20,000 cells, got 1 m"),
        (["--step", "often", "--out", "o.csv"], "step must be a length such as"),
        (["--count", "user", "--out", "o.csv"], "unit must be one of 'person', 'series', 'event'"),
        (["--box", "1,2,3", "--out", "o.csv"], "box"),
        (["--box", "a,48.8,2.21,48.83", "--out", "o.csv"], "box.0 must be a number, got 'a'"),
    ]:
        stated, wrong, code = run(file, *COUNT, *more)
        assert (stated, code != 0, wrong.count("\n")) == ("", True, 1), more
        assert reported in wrong, more
        assert list(tmp_path.iterdir()) == [file], more
