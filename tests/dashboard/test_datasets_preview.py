"""The preview of a kept upload through its REST entry point."""

import gzip
import logging

import pytest

from dashboard.datasets import services, tasks
from dashboard.datasets.models import Dataset
from dashboard.jobs.models import State
from dashboard.landmarks.services import mark_landmarks
from tests.dashboard.api_helpers import first_error
from tests.dashboard.conftest import CSV, upload
from tests.engine.format_samples import GPX

URL = "/api/v1/datasets/"
UNHELPFUL = b"a;b;c\n2024-06-15T10:30:00Z;48,51;2,41\n2024-06-15T10:31:00Z;48,52;2,42\n"


@pytest.fixture
def reported(owner_api):
    """A small dataset of the owner's."""
    return owner_api.post(URL, {"file": upload()}, format="multipart").json()


@pytest.fixture
def failed(owner, everything_is_large):
    """A dataset whose columns could not be detected."""
    row = services.import_dataset(owner=owner, upload=upload(UNHELPFUL, "odd.csv"))
    tasks.import_dataset(str(row.pk))
    row.refresh_from_db()
    assert row.state == State.FAILED
    return row


def at(row):
    return f"{URL}{row.pk}/preview/"


def roles(answer):
    return [column["role"] for column in answer.json()["columns"]]


class TestOwner:
    def test_sees_rows_and_roles(self, owner_api, reported):
        answer = owner_api.get(reported["urls"]["preview"])
        assert (answer.status_code, roles(answer)) == (200, ["time", "lat", "lon"])
        seen = answer.json()
        assert seen["rows"][0] == ["2024-06-15T10:30:00Z", "52.50", "13.4"]
        assert seen["mapping"] == {"time": "#1", "lat": "#2", "lon": "#3", "id": "#0", "landmark": "#0"}
        assert (seen["problem"], seen["says"], seen["editable"]) == (None, "", True)

    def test_sees_what_another_mapping_would_do(self, owner_api, reported):
        answer = owner_api.get(reported["urls"]["preview"], {"lat": "#3", "lon": "#2", "time": "#0", "format": "csv"})
        assert (answer.status_code, roles(answer)) == (200, ["", "lon", "lat"])
        assert owner_api.get(reported["urls"]["self"]).json() == reported

    def test_of_a_failed_import_sees_the_columns_and_the_problem(self, owner_api, failed):
        seen = owner_api.get(at(failed)).json()
        assert [column["name"] for column in seen["columns"]] == ["a", "b", "c"]
        assert seen["problem"]["code"] == "no_position_columns"
        assert seen["problem"]["action"]
        mapping = {"time": "#1", "lat": "#2", "lon": "#3"}
        seen = owner_api.get(at(failed), mapping).json()
        assert (seen["problem"], seen["delimiter"], seen["decimal"]) == (None, ";", ",")
        assert seen["mapping"] == mapping | {"id": "#0", "landmark": "#0"}

    def test_is_allowed_once_landmarks_refer_to_the_points(self, owner_api, ready_dataset):
        mark_landmarks(owner=ready_dataset.owner, dataset=ready_dataset, method={"name": "manual", "events": [0]})
        with ready_dataset.original_path.written() as out:
            out.write(CSV)
        assert roles(owner_api.get(at(ready_dataset))) == ["time", "lat", "lon"]

    def test_is_reported_where_there_are_no_columns(self, owner_api):
        reported = owner_api.post(URL, {"file": upload(GPX, "run.gpx")}, format="multipart").json()
        seen = owner_api.get(reported["urls"]["preview"]).json()
        assert (seen["columns"], seen["rows"], seen["mapping"]) == ([], [], {})
        assert seen["says"].startswith("GPX has no columns")

    def test_the_upload_may_be_packed(self, owner_api):
        packed = upload(gzip.compress(UNHELPFUL.replace(b"a;b;c", b"when;lat;lon")), "run.csv.gz")
        reported = owner_api.post(URL, {"file": packed}, format="multipart").json()
        assert roles(owner_api.get(reported["urls"]["preview"])) == ["time", "lat", "lon"]


class TestRefused:
    def test_a_value_by_the_name_of_its_option(self, owner_api, reported):
        for name, value in [
            ("delimiter", "x"),
            ("format", "exe"),
            ("first_n", "٣"),
            ("time_zone", "Mars"),
            ("lat", "a\0"),
            ("lat", 501 * "a"),
        ]:
            answer = owner_api.get(reported["urls"]["preview"], {name: value})
            assert (answer.status_code, first_error(answer)["field"]) == (400, name), (name, value)

    def test_a_file_that_is_no_table_at_all(self, owner_api, reported):
        with Dataset.objects.get().original_path.written() as out:
            out.write(b"\x89PNG\r\n\x1a\n")
        answer = owner_api.get(reported["urls"]["preview"], {"lon_range": "180"})  # so that the format is decided again
        assert (answer.status_code, first_error(answer)["code"]) == (400, "other_kind")

    def test_once_the_upload_is_gone(self, owner_api, reported):
        Dataset.objects.get().original_path.unlink()
        answer = owner_api.get(reported["urls"]["preview"])
        assert (answer.status_code, first_error(answer)["field"]) == (409, "file")


class TestPrivate:
    def test_no_cell_is_logged(self, owner_api, failed, caplog):
        with caplog.at_level(logging.DEBUG):
            owner_api.get(at(failed))
            owner_api.get(at(failed), {"lat": "#1", "lon": "#2"})
        assert "48,51" not in caplog.text
        assert "2024-06-15" not in caplog.text


class TestKept:
    def test_a_small_file_that_cannot_be_read_is_kept_where_that_is_requested(self, owner_api):
        refused = owner_api.post(URL, {"file": upload(UNHELPFUL, "odd.csv")}, format="multipart")
        assert refused.status_code == 400
        assert not Dataset.objects.exists()
        kept = owner_api.post(URL, {"file": upload(UNHELPFUL, "odd.csv"), "keep": "true"}, format="multipart")
        assert (kept.status_code, kept.json()["state"]) == (201, "failed")
        assert kept.json()["error"]["code"] == first_error(refused)["code"]
        assert kept.json()["error"]["message"] == first_error(refused)["message"]
        jobs = owner_api.get("/api/v1/jobs/").json()
        assert (jobs["results"], jobs["ended"]) == ([], [])
        assert roles(owner_api.get(kept.json()["urls"]["preview"])) == ["", "", ""]
        named = {"time": "#1", "lat": "#2", "lon": "#3"}
        read = owner_api.post(f"{kept.json()['urls']['self']}read/", named, format="json")
        assert (read.json()["state"], read.json()["points"], read.json()["error"]) == ("ready", 2, None)

    def test_an_option_that_is_wrong_keeps_nothing(self, owner_api):
        answer = owner_api.post(URL, {"file": upload(UNHELPFUL), "keep": "true", "decimal": "dot?"}, format="multipart")
        assert answer.status_code == 400
        assert not Dataset.objects.exists()
