"""Stays of trajectories as check-ins: pages, API, worker, command; whom releases protect, and one budget."""

import pytest

from dashboard.datasets import execution
from dashboard.datasets.management.commands.stays import Command
from dashboard.datasets.models import BudgetEntry, Dataset
from dashboard.releases import downloads
from dashboard.releases.management.commands.release import Command as Release
from dashboard.releases.models import Release as ReleaseRow
from tests.dashboard import kinds
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.command_runner import runner

HEADER = "user_id,time,lat,lon"
ROWS = (
    *("a,2024-06-03T08:00:00Z,48.8050,2.2050", "a,2024-06-03T08:20:00Z,48.8052,2.2050"),
    *("a,2024-06-03T09:00:00Z,48.8350,2.2050", "a,2024-06-03T10:00:00Z,48.8350,2.2052"),
    *("b,2024-06-03T08:00:00Z,48.8050,2.3050", "b,2024-06-03T08:09:00Z,48.8050,2.3050"),
    *("b,2024-06-03T12:00:00Z,48.8650,2.3050", "b,2024-06-03T13:00:00Z,48.8650,2.3050"),
)
"""Two people; three stays of ten minutes within 200 m."""
SPEC = {"distance_m": 200, "duration_s": 600}
pytestmark = pytest.mark.django_db


@pytest.fixture
def source(owner_api):
    return kinds.made(owner_api, kinds.checkins(ROWS, HEADER), kind="trajectory")


def detected(api, source, **changes):
    """The check-ins that are the stays of ``source``, ready."""
    return kinds.derived(api, source, "stays", SPEC | changes)


class TestDataset:
    def test_has_a_check_in_for_each_stay_and_its_source_or_is_refused(self, owner_api, source):
        found = detected(owner_api, source)
        assert (found["kind"], found["points"], found["counted_from"]) == ("checkins", 3, source["id"])
        assert (found["name"], found["stay_detection"]["distance_m"]) == ("Stays of data.csv", 200)
        assert (found["start"], found["end"]) == ("2024-06-03T08:00:00.000Z", "2024-06-03T12:00:00.000Z")
        row = Dataset.objects.get(pk=found["id"])
        assert (row.summary or {})["users"] == 2
        assert row.source_file_id == Dataset.objects.get(pk=source["id"]).source_file_id
        untimed = kinds.made(owner_api, b"lat,lon\n48.8,2.2\n48.9,2.3\n")
        found = detected(owner_api, source)
        for one, rule in ((found, "trajectory"), (untimed, "events with times")):
            answer = owner_api.post(f"{one['urls']['self']}stays/", SPEC, format="json")
            assert (answer.status_code, first_error(answer)["rule"]) == (400, rule)
        for field, wrong in (("distance_m", -1), ("duration_s", None), ("x", 1)):
            assert refused(owner_api.post(f"{source['urls']['self']}stays/", SPEC | {field: wrong})) == (400, field)
        assert owner_api.post(f"{found['urls']['self']}read/", {}, format="json").status_code == 409
        count = {"cell_m": 1000, "step": "1h", "unit": "person"}
        answer = owner_api.post(f"{found['urls']['self']}aggregate/", count, format="json")
        assert answer.status_code == 400
        assert "count the events that its stays were detected in" in first_error(answer)["message"]

    def test_fails_where_there_is_no_stay_or_no_source(self, owner_api, source):
        for changes, code in (({"duration_s": 1e6}, "at least 1 of 1e+06 s within 200 m"), ({}, "still there")):
            made = owner_api.post(f"{source['urls']['self']}stays/", SPEC | changes, format="json").json()
            if not changes:
                owner_api.delete(source["urls"]["self"])
            execution.run(made["id"])
            found = owner_api.get(made["urls"]["self"]).json()
            assert found["state"] == "failed"
            assert code in found["error"]["rule"]


class TestReleases:
    def test_protect_a_person_as_they_state(self, owner_api, source):
        found = kinds.released(owner_api, detected(owner_api, source), kinds.POPULARITY)
        statement = found["guarantee"]["statement"]
        assert "which covers all events of one person of the uploaded trajectories" in statement
        assert "stays of at least 600 s within 200 m" in statement
        label = downloads.label(ReleaseRow.objects.get(pk=found["id"]))
        assert statement.rstrip(".") in label["text"]
        body = {"dataset": found["dataset"], "mechanisms": [kinds.POPULARITY]}
        assert owner_api.post("/api/v1/releases/quote/", body).json()["mechanisms"][0]["statement"] == statement
        cleaning = '[{"name": "first-events", "events": 7}]'
        cleaned = kinds.made(owner_api, kinds.checkins(ROWS, HEADER), kind="trajectory", cleaning=cleaning)
        found = kinds.released(owner_api, detected(owner_api, cleaned), kinds.POPULARITY)
        assert "not covered: what cleaning (first-events) made of the upload" in found["guarantee"]["statement"]

    def test_of_records_are_refused(self, owner_api, owner_page, source):
        """Since one event of the upload can change any number of stays."""
        made = detected(owner_api, source)
        quoted = owner_api.post("/api/v1/releases/quote/", {"dataset": made["id"], "mechanisms": [kinds.RECORDS]})
        for answer in (kinds.requested(owner_api, made, kinds.RECORDS), quoted):
            assert refused(answer) == (400, "mechanism.privacy_unit")
        assert not BudgetEntry.objects.exists()
        form = owner_page.get(f"/datasets/{made['id']}/releases/new/").content.decode()
        assert "each user" in form
        assert '"each check-in"' not in form

    def test_share_the_budget_of_the_upload(self, owner_api, source):
        one, other = detected(owner_api, source), detected(owner_api, source, duration_s=60)
        owner_api.patch(one["urls"]["self"], {"budget": {"epsilon": 1.5, "unit": "user"}})
        kinds.released(owner_api, one, kinds.POPULARITY)
        answer = kinds.requested(owner_api, other, kinds.POPULARITY)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "budget")
        assert owner_api.get(other["urls"]["self"]).json()["spent"] == {"per_km": 1.0, "releases": 1, "events": 8}
        assert owner_api.get(source["urls"]["self"]).json()["spent"]["releases"] == 0


class TestCommand:
    def test_writes_check_ins_that_are_released(self, capsys, tmp_path):
        file, out = tmp_path / "tracks.csv", tmp_path / "stays.csv"
        file.write_bytes(kinds.checkins(ROWS, HEADER))
        run, release = runner(Command, "stays", capsys), runner(Release, "release", capsys)
        stated, wrong, code = run(file, "--distance-m", "200", "--duration-s", "600", "--out", out)
        assert (wrong, code) == ("", 0)
        assert stated.startswith("3 check-ins of 2 users. A promise about one user covers all events of one person")
        assert out.read_text().splitlines()[0] == "user_id,time,lat,lon"
        placed = tmp_path / "placed.csv"
        assert run(file, "--distance-m", "200", "--duration-s", "600", "--place-m", "5000", "--out", placed)[2] == 0
        rows = [line.split(",")[4:] for line in placed.read_text().splitlines()]
        assert rows == [["place_id", "place_name"], ["a 1", "Place 1"], ["a 1", "Place 1"], ["b 1", "Place 1"]]
        settings = [f"{name}={value}" for name, value in kinds.POPULARITY.items() if name != "name"]
        given = [item for setting in settings for item in ("--set", setting)]
        given += ["--mechanism", "checkin-popularity", "--out", tmp_path / "model.json"]
        stated, wrong, code = release(out, *given)
        assert (wrong, code) == ("", 0)
        assert stated.startswith("3 check-ins.")

    def test_fail_with_one_clear_line_and_no_file(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        file = tmp_path / "tracks.csv"
        file.write_bytes(kinds.checkins(ROWS, HEADER))
        for distance_m, duration_s, out, message in (
            ("far", "1", "o.csv", "distance_m must be a number, got 'far'"),
            ("1", "1", "o.json", "--out must be a file name that ends in"),
            ("1", "1e8", "o.csv", "stays must be at least 1 of 1e+08 s"),
        ):
            given = ("--distance-m", distance_m, "--duration-s", duration_s, "--out", out)
            stated, wrong, code = runner(Command, "stays", capsys)(file, *given)
            assert (stated, code != 0, wrong.count("\n")) == ("", True, 1)
            assert message in wrong
            assert list(tmp_path.iterdir()) == [file]
