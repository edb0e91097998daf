"""What reading decided: stored, shown with a preview, used for every later reading, and listed by labels."""

import io
import json
import logging
import re
import zipfile

import pytest
from django.test import Client

from dashboard.datasets import execution, services
from dashboard.datasets.models import Dataset
from dashboard.jobs import leases
from dashboard.jobs.models import State
from dashboard.jobs.reaper import sweep
from dashboard.jobs.tasks import TASKS
from dashboard.landmarks.services import mark_landmarks
from dashboard.releases import bundle
from dashboard.releases.models import Release
from privacy_engine import formats
from privacy_engine.formats.decisions import Decisions
from tests.dashboard import kinds
from tests.dashboard.api_helpers import first_error, refused
from tests.dashboard.conftest import CSV, upload
from tests.dashboard.kinds import POPULARITY, STREAM, made, released, sent
from tests.engine.format_samples import GPX

BODY = b"lon;lat;time\n" + b"".join(
    f"{10 + i / 100};{50 + i / 50};2024-06-01T10:{i:02}:00Z\n".encode() for i in range(6)
)
GUESS = {"what": "swap", "value": "yes", "message": "Longitude and latitude changed places.", "option": "swap"}
SWAPPED = {"options": {"swap": "yes", "automatic": "no"}, "guesses": [GUESS], "joins": []}
"""What no reading of this file decides: it shows in the positions of whatever uses it."""
FIRST_EVENTS = [{"name": "first-events", "events": 3}]
LISTED = ["lat of the file", "lon #1", "swap yes", "time_zone Europe/Paris"]
DECIDED = {
    "options": {"swap": "yes", "lon": "#1", "lat": "Alice", "time_zone": "Europe/Paris", "automatic": "no"},
    "guesses": [GUESS],
    "joins": ["times_follow"],
}
JOINED = "the times of records without a whole time of their own, which follow from the records before"
EVENT = {"name": "event-level", "epsilon": 1.0, "radius_m": 200.0}


def west(dataset):
    """The longitude of the first event, 10 as it is written and 50 if it is read swapped."""
    return float(dataset["bounds"][0])


def decide(dataset, decided):
    assert Dataset.objects.filter(pk=dataset["id"]).update(decided=decided) == 1
    return dataset


@pytest.fixture
def dataset(owner_api):
    found = made(owner_api, BODY)
    assert west(found) == 10.0
    return decide(found, SWAPPED)


def again(api, dataset, **body):
    answer = api.post(f"{dataset['urls']['self']}read/", body)
    assert answer.status_code == 200, answer.json()
    if answer.json()["state"] == "queued":
        execution.run(dataset["id"])
    found = api.get(dataset["urls"]["self"]).json()
    assert found["state"] == "ready", found["error"]
    return found


@pytest.fixture(params=["request", "worker"])
def worker(request):
    if request.param == "worker":
        request.getfixturevalue("everything_is_large")
    return request.param == "worker"


class TestStored:
    @pytest.mark.parametrize(
        "body",
        [BODY, kinds.wide(kinds.counts()), kinds.checkins(kinds.checkin_rows())],
        ids=["trajectory", "stream", "checkins"],
    )
    def test_is_what_the_engine_decided(self, owner_api, body, worker):
        address = sent(owner_api, body).json()["urls"]["self"]
        if worker:
            execution.run(Dataset.objects.get().pk)
        found = owner_api.get(address).json()
        read = formats.read(io.BytesIO(body), name="data.csv", kinds=formats.KINDS)
        assert found["decided"] == json.loads(json.dumps(Decisions.of(read.report).as_dict()))
        assert found["report"]["guesses"] == found["decided"]["guesses"] != []
        assert "decided" not in found["report"]
        assert found["decided"]["options"]["automatic"] == "no"

    @pytest.mark.parametrize("packed", [False, True], ids=["table", "archive"])
    def test_is_not_what_was_given(self, owner_api, packed):
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as out:
            out.writestr("Alice.csv", BODY)
            out.writestr("Bob.csv", BODY.replace(b";", b","))
        body, name = (archive.getvalue(), "data.zip") if packed else (BODY, "data.csv")
        found = made(owner_api, body, name, lat="lat", lon="#1")
        options = found["decided"]["options"]
        each = [options, *options.get("members", {}).values()]
        assert any("time" in one for one in each)
        assert all({"lat", "lon"}.isdisjoint(one) for one in each)
        assert again(owner_api, found, lat="lat", lon="#1")["decided"] == found["decided"]
        label = labels(owner_api, released(owner_api, found, EVENT))
        assert not re.search("Alice|Bob| lat ", label["not_covered"][-1])


class TestLaterReadings:
    def test_another_cleaning_decides_nothing_again(self, owner_api, dataset, worker):
        found = again(owner_api, dataset, cleaning=FIRST_EVENTS)
        assert (west(found), found["decided"]) == (50.0, SWAPPED)
        assert found["report"]["guesses"] == [GUESS]
        assert found["points"] < 6

    def test_a_reading_after_a_killed_one_decides_nothing_again(self, owner_api, dataset, everything_is_large):
        owner_api.post(f"{dataset['urls']['self']}read/", {"cleaning": FIRST_EVENTS})
        assert leases.claim(Dataset, dataset["id"]) is not None  # and the worker is gone
        Dataset.objects.update(lease_until="2020-01-01T00:00Z")
        sweep(Dataset)
        execution.run(dataset["id"])
        row = Dataset.objects.get()
        assert (row.state, row.attempt, row.decided) == (State.READY, 2, SWAPPED)
        assert row.summary["bounds"][0] == 50.0

    def test_the_kind_that_was_detected_is_kept(self, owner_api):
        found = made(owner_api, kinds.checkins(kinds.checkin_rows()))
        found = again(owner_api, decide(found, {"options": {}, "guesses": [], "joins": []}))
        assert found["kind"] == "checkins"
        assert not [guess for guess in found["report"]["guesses"] if guess["option"] == "kind"]

    @pytest.mark.parametrize("change", [{"options": {"lon_range": "180"}}, {"kind": "trajectory"}])
    def test_other_options_of_the_owner_decide_the_rest_again(self, owner_api, dataset, change, worker):
        found = again(owner_api, dataset, **change)
        assert west(found) == 10.0
        assert GUESS not in found["decided"]["guesses"]
        assert found["decided"]["options"].get("swap") != "yes"

    def test_another_kind_keeps_what_is_about_the_file(self, owner_api, dataset, worker):
        options = {"encoding": "Latin-1", "swap": "yes", "automatic": "no"}
        decide(dataset, {"options": options, "guesses": [GUESS], "joins": []})
        found = again(owner_api, dataset, kind="trajectory")
        decided = found["decided"]["options"]
        assert (decided["encoding"], decided["swap"], decided["automatic"]) == ("Latin-1", "no", "no")
        assert again(owner_api, found, kind="trajectory")["decided"] == found["decided"]

    def test_a_preview_is_of_such_a_reading_and_one_that_fails_changes_nothing(self, owner_api, dataset):
        shown = owner_api.get(f"{dataset['urls']['self']}preview/").json()
        other = owner_api.get(f"{dataset['urls']['self']}preview/", {"lon_range": "180"}).json()
        assert (shown["report"]["guesses"], GUESS in other["report"]["guesses"]) == ([GUESS], False)
        answer = owner_api.post(f"{dataset['urls']['self']}read/", {"lon": "#9"})
        assert first_error(answer)["field"] in ("lon", "file")
        assert Dataset.objects.get().decided == SWAPPED

    def test_data_of_an_earlier_version_keep_their_points_and_the_next_reading_decides(self, owner_api):
        found = made(owner_api, BODY)
        before, decided = Dataset.objects.get(), found["decided"]
        decide(found, {})
        kept = owner_api.get(found["urls"]["self"]).json()
        assert kept["decided"] == {"options": {}, "guesses": [], "joins": []}
        assert Dataset.objects.get().points_file == before.points_file
        assert again(owner_api, found)["decided"] == decided


def labels(api, release):
    page = api.post(release["urls"]["publications"], {}).json()["urls"]["page"]
    label = json.loads(Client().get(f"{page}label/").getvalue())
    row = Release.objects.get(pk=release["id"])
    texts = [bundle.readme([row]), Client().get(page).content.decode(), release["label"], json.dumps(label)]
    return label | {"texts": texts}


class TestLabel:
    def released(self, api, dataset, mechanism):
        """Release it, and find in its label what was decided, without a name of the file."""
        label = labels(api, released(api, dataset, mechanism))
        listed = f"the values of the reading options, which were decided from the data ({', '.join(LISTED)})"
        assert listed in label["not_covered"]
        assert JOINED in label["not_covered"]
        assert label["not_covered"] == label["guarantee"]["not_covered"]
        assert "the values of 4 reading options, decided from the data" in label["guarantee"]["statement"]
        for text in label["texts"]:
            assert "decided from the data" in text
            assert "Alice" not in text

    @pytest.mark.parametrize(
        ("body", "mechanism"),
        [(BODY, EVENT), (kinds.wide(kinds.counts()), STREAM), (kinds.checkins(kinds.checkin_rows()), POPULARITY)],
        ids=["trajectory", "stream", "checkins"],
    )
    def test_of_every_kind(self, owner_api, body, mechanism):
        self.released(owner_api, decide(made(owner_api, body), DECIDED), mechanism)

    @pytest.mark.parametrize(
        ("action", "spec", "mechanism"),
        [
            ("aggregate", {"unit": "event", "cell_m": 2000.0, "step": "hour"}, STREAM | {"sensitivity": 2}),
            ("stays", {"distance_m": 5000.0, "duration_s": 60.0}, POPULARITY),
        ],
    )
    def test_of_what_was_made_of_it(self, owner_api, owner_page, dataset, action, spec, mechanism):
        found = kinds.derived(owner_api, decide(dataset, DECIDED), action, spec)
        decide(dataset, SWAPPED)  # it was read in another way since
        assert found["decided"] == DECIDED
        self.released(owner_api, found, mechanism)
        assert "which were decided from the data" in owner_page.get(found["urls"]["page"]).content.decode()

    def test_lists_what_was_decided_and_not_what_was_given(self, owner_api):
        dataset = made(owner_api, BODY, lat="lat")
        label = labels(owner_api, released(owner_api, dataset, EVENT))
        assert "lon #1, " in label["not_covered"][-1]
        assert 'delimiter ";"' in label["not_covered"][-1]
        assert " lat " not in label["not_covered"][-1]
        label = labels(owner_api, released(owner_api, decide(dataset, {}), EVENT))  # nothing was kept
        assert not [one for one in label["not_covered"] if "decided" in one]
        assert "decided" not in label["guarantee"]["statement"]


def test_the_page_lists_them_with_their_names(owner_page, dataset):
    decide(dataset, DECIDED | {"options": DECIDED["options"] | {"members": {"a.csv": {"lon": "#2"}, "b.csv": None}}})
    page = owner_page.get(dataset["urls"]["page"]).content.decode()
    part = page.split("data-decided>")[1].split("</details>")[0]
    assert "Reading options that were decided: 6" in part
    for text in ("<dd>Alice</dd>", "<dd>Europe/Paris</dd>", "a.csv", "<dd>#2</dd>", "<dd>left out</dd>"):
        assert text in part
    assert "automatic" not in part.lower()
    assert "everything else is decided again" in owner_page.get(dataset["urls"]["import"]).content.decode()


URL = "/api/v1/datasets/"
UNHELPFUL = b"a;b;c\n2024-06-15T10:30:00Z;48,51;2,41\n2024-06-15T10:31:00Z;48,52;2,42\n"


@pytest.fixture
def small(owner_api):
    return owner_api.post(URL, {"file": upload()}, format="multipart").json()


@pytest.fixture
def failed(owner, everything_is_large):
    row = services.import_dataset(owner=owner, upload=upload(UNHELPFUL, "odd.csv"))
    TASKS[Dataset](str(row.pk))
    row.refresh_from_db()
    assert row.state == State.FAILED
    return row


def at(row):
    return f"{URL}{row.pk}/preview/"


def roles(answer):
    return [column["role"] for column in answer.json()["columns"]]


class TestOwner:
    def test_sees_rows_and_roles_and_what_another_mapping_would_do(self, owner_api, small):
        answer = owner_api.get(small["urls"]["preview"])
        assert (answer.status_code, roles(answer)) == (200, ["time", "lat", "lon"])
        seen = answer.json()
        read = {"time": "2024-06-15T10:30:00Z", "lat": "52.500000", "lon": "13.400000"}
        cells = ["2024-06-15T10:30:00Z", "52.50", "13.4"]
        assert seen["rows"][0] == {"number": 2, "cells": cells, "read": read, "left_out": "", "doubt": ""}
        assert [one["sentence"] for one in seen["columns"]] == [one["sentence"] for one in small["report"]["columns"]]
        assert (seen["whole"], seen["report"]["kept"]) == (True, small["points"])
        assert not {"columns", "first", "series"} & set(seen["report"])
        assert seen["mapping"] == {"time": "#1", "lat": "#2", "lon": "#3", "id": "#0", "landmark": "#0"}
        assert (seen["problem"], seen["says"], seen["editable"]) == (None, "", True)
        other = {"lat": "#3", "lon": "#2", "time": "#0", "format": "csv"}
        assert roles(owner_api.get(small["urls"]["preview"], other)) == ["", "lon", "lat"]
        assert owner_api.get(small["urls"]["self"]).json() == small

    def test_of_a_failed_import_sees_the_columns_and_the_problem_and_logs_none(self, owner_api, failed, caplog):
        with caplog.at_level(logging.DEBUG):
            seen = owner_api.get(at(failed)).json()
            assert [column["name"] for column in seen["columns"]] == ["a", "b", "c"]
            assert seen["problem"]["code"] == "no_position_columns"
            assert seen["problem"]["action"]
            mapping = {"time": "#1", "lat": "#2", "lon": "#3"}
            seen = owner_api.get(at(failed), mapping).json()
            assert (seen["problem"], seen["delimiter"], seen["decimal"]) == (None, ";", ",")
            assert seen["mapping"] == mapping | {"id": "#0", "landmark": "#0"}
            owner_api.get(at(failed), {"lat": "#1", "lon": "#2"})
        assert "48,51" not in caplog.text
        assert "2024-06-15" not in caplog.text

    def test_is_reported_where_there_are_no_columns(self, owner_api, ready_dataset):
        small = owner_api.post(URL, {"file": upload(GPX, "run.gpx")}, format="multipart").json()
        seen = owner_api.get(small["urls"]["preview"]).json()
        assert (seen["columns"], seen["rows"], seen["mapping"]) == ([], [], {})
        assert seen["says"].startswith("GPX has no columns")
        mark_landmarks(owner=ready_dataset.owner, dataset=ready_dataset, method={"name": "manual", "events": [0]})
        with ready_dataset.original_path.written() as out:
            out.write(CSV)
        assert roles(owner_api.get(at(ready_dataset))) == ["time", "lat", "lon"]


class TestRefused:
    def test_a_value_by_the_name_of_its_option(self, owner_api, small):
        for name, value in [
            *(("delimiter", "x"), ("format", "exe"), ("first_n", "٣"), ("time_zone", "Mars")),
            *(("lat", "a\0"), ("lat", 501 * "a")),
        ]:
            assert refused(owner_api.get(small["urls"]["preview"], {name: value})) == (400, name), (name, value)

    def test_a_file_that_is_no_table_or_gone(self, owner_api, small):
        with Dataset.objects.get().original_path.written() as out:
            out.write(b"\x89PNG\r\n\x1a\n")
        answer = owner_api.get(small["urls"]["preview"], {"lon_range": "180"})  # so that the format is decided again
        assert (answer.status_code, first_error(answer)["code"]) == (400, "other_kind")
        Dataset.objects.get().original_path.unlink()
        assert refused(owner_api.get(small["urls"]["preview"])) == (409, "file")


def test_a_small_file_that_cannot_be_read_is_kept_where_that_is_requested(owner_api):
    def post(**more):
        return owner_api.post(URL, {"file": upload(UNHELPFUL, "odd.csv"), **more}, format="multipart")

    refused = post()
    assert (refused.status_code, post(keep="true", decimal="dot?").status_code) == (400, 400)
    assert not Dataset.objects.exists()
    kept = post(keep="true")
    error = kept.json()["error"]
    assert (kept.status_code, kept.json()["state"]) == (201, "failed")
    assert [error[name] for name in ("code", "message")] == [first_error(refused)[name] for name in ("code", "message")]
    jobs = owner_api.get("/api/v1/jobs/").json()
    assert (jobs["results"], jobs["ended"]) == ([], [])
    assert roles(owner_api.get(kept.json()["urls"]["preview"])) == ["", "", ""]
    named = {"time": "#1", "lat": "#2", "lon": "#3"}
    read = owner_api.post(f"{kept.json()['urls']['self']}read/", named, format="json")
    assert (read.json()["state"], read.json()["points"], read.json()["error"]) == ("ready", 2, None)
