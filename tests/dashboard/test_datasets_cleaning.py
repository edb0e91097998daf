"""Cleaning in the API: chosen with an upload, changed by reading again, reported in the report, undone."""

import json

import pytest

from dashboard.datasets import tasks
from dashboard.datasets.models import Dataset
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.storage import removals
from privacy_engine.cleaning import cleaning_steps
from tests.dashboard.conftest import CSV, upload

URL = "/api/v1/datasets/"
JUMPS = {"name": "drop-jumps", "highest_km_h": 200.0}
LEAP = CSV + b"2024-06-15T10:33:00Z,12.5,13.4\n2024-06-15T10:34:00Z,52.54,13.4\n"
FIRST = {"name": "first-events", "events": 2}


def sent(api, body=LEAP, **fields):
    return api.post(URL, {"file": upload(body), **fields}, format="multipart")


class TestCleaning:
    def test_nothing_is_cleaned_unasked(self, owner_api):
        reported = sent(owner_api).json()
        assert (reported["points"], reported["cleaning"], reported["report"]["cleaning"]) == (5, [], [])

    def test_chosen_with_the_upload_and_reported_in_the_report(self, owner_api):
        reported = sent(owner_api, cleaning=json.dumps([JUMPS, FIRST])).json()
        assert (reported["points"], reported["cleaning"]) == (2, [JUMPS, FIRST])
        jumps, first = reported["report"]["cleaning"]
        assert (jumps["before"], jumps["after"], jumps["events"]) == (5, 4, [3])
        assert (first["before"], first["after"], first["events"]) == (4, 2, [2, 3])
        assert reported["report"]["kept"] == 5  # of the file; points that cleaning removed are distinguished

    def test_changed_kept_and_undone_by_reading_again(self, owner_api):
        address = sent(owner_api).json()["urls"]["self"]
        before = owner_api.get(address).json()["content_digest"]
        cleaned = owner_api.post(f"{address}read/", {"cleaning": [JUMPS]}).json()
        assert (cleaned["points"], cleaned["content_digest"] == before) == (4, False)
        kept = owner_api.post(f"{address}read/", {"first_n": 3}).json()
        assert (kept["points"], kept["cleaning"]) == (3, [JUMPS])
        undone = owner_api.post(f"{address}read/", {"options": {}, "cleaning": []}).json()
        assert (undone["points"], undone["cleaning"], undone["content_digest"]) == (5, [], before)
        row = Dataset.objects.get()
        removals.finish()  # as once the transaction is committed
        assert sorted(path.name for path in row.folder.iterdir()) == sorted(["original", row.points_file])

    @pytest.mark.usefixtures("everything_is_large")
    def test_a_worker_cleans_as_a_request_does(self, owner_api):
        sent(owner_api, cleaning=json.dumps([JUMPS]))
        row = Dataset.objects.get()
        tasks.import_dataset(str(row.pk))
        row.refresh_from_db()
        assert (row.state, row.points) == ("ready", 4)
        assert row.report["cleaning"][0]["after"] == 4

    @pytest.mark.usefixtures("everything_is_large")
    def test_a_step_that_cannot_be_done_fails_the_job_with_its_reason(self, owner_api):
        sent(owner_api, b"lat,lon\n1,2\n", cleaning=json.dumps([JUMPS]))
        row = Dataset.objects.get()
        tasks.import_dataset(str(row.pk))
        row.refresh_from_db()
        assert row.state == "failed"
        assert row.error["field"] == "cleaning.drop-jumps"

    def test_odd_steps_are_refused_by_name_and_nothing_stays(self, owner_api, files):
        for cleaning, field in [
            ("{", "cleaning"),
            ("[" * 5000, "cleaning"),
            ("{}", "cleaning"),
            (json.dumps([{"name": "magic"}]), "cleaning.0.name"),
            (json.dumps([JUMPS | {"highest_km_h": 0}]), "cleaning.0.highest_km_h"),
            (json.dumps([JUMPS] * 9), "cleaning"),
        ]:
            answer = sent(owner_api, cleaning=cleaning)
            assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, field), (cleaning, field)
            assert files() == [], (cleaning, field)

    def test_a_step_that_leaves_nothing_changes_nothing(self, owner_api):
        address = sent(owner_api).json()["urls"]["self"]
        answer = owner_api.post(f"{address}read/", {"cleaning": [{"name": "resample", "every_s": 86400.0}]})
        assert answer.status_code == 400
        reported = owner_api.get(address).json()
        assert (reported["state"], reported["points"], reported["cleaning"]) == ("ready", 5, [])

    def test_steps_are_listed_for_forms(self, owner_api):
        listed = owner_api.get("/api/v1/cleaning-steps/").json()["results"]
        assert [one["name"] for one in listed] == [cls.registered_name() for cls in cleaning_steps]
        assert {one["reads"] for one in listed} == {"positions", "times", "nothing"}


class TestLabel:
    def test_states_which_steps_no_guarantee_covers(self, done, owner_api):
        plain = owner_api.get(f"/api/v1/releases/{done.pk}/").json()
        assert "reads positions" not in plain["label"]
        Dataset.objects.filter(pk=done.dataset_id).update(cleaning=[JUMPS, FIRST])
        cleaned = owner_api.get(f"/api/v1/releases/{done.pk}/").json()
        clause = "which events were left out before by cleaning that reads positions (drop-jumps)"
        assert clause in cleaned["label"].split(".")[0]
        label = downloads.label(Release.objects.get())
        assert label["not_covered"] == [*plain["guarantee"]["not_covered"], clause]
        assert label["cleaning"] == [JUMPS, FIRST]
