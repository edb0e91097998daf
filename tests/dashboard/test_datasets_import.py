"""Uploads become datasets: read at once or by a worker, cleaned, distinguished by people, refused with the reason."""

import io
import json
import zipfile
from functools import partial
from itertools import product
from pathlib import Path
from unittest.mock import Mock

import pytest
from django.core.files.base import File
from django.core.files.uploadedfile import TemporaryUploadedFile
from django.db import transaction

from dashboard.datasets import execution, services
from dashboard.datasets.models import Dataset
from dashboard.jobs.tasks import TASKS
from dashboard.releases import downloads
from dashboard.releases.models import Release
from dashboard.storage import local_files
from privacy_engine.cleaning import cleaning_steps
from tests.dashboard import kinds
from tests.dashboard.api_helpers import refused, series_of
from tests.dashboard.conftest import CSV, upload

URL = "/api/v1/datasets/"
AMBIGUOUS = b"time,lat,lon\n2024-06-15T10:30:00Z,52.52,13.405\n2024-06-15 10:31:00,52.53,13.406\n"


def temporary(body):
    """An upload as the handlers leave it: in a file of its own."""
    local_files.home("tmp")
    file = TemporaryUploadedFile("run.csv", "text/csv", len(body), "utf-8")
    file.write(body)
    file.seek(0)
    return file


class TestUpload:
    def test_small_file_is_ready_at_once(self, owner_api, files):
        answer = owner_api.post(URL, {"file": upload(), "name": "My run"}, format="multipart")
        reported = answer.json()
        assert answer.status_code == 201
        assert answer["Location"] == reported["urls"]["self"] == f"{URL}{reported['id']}/"
        expected = {"state": "ready", "name": "My run", "file_name": "run.csv", "kind": "trajectory", "points": 3}
        expected |= {"size_bytes": len(CSV), "progress": 1.0, "error": None, "has_time": True, "budget": None}
        expected |= {"start": "2024-06-15T10:30:00.000Z", "end": "2024-06-15T10:32:00.000Z"}
        expected |= {"bounds": [13.4, 52.5, 13.4, 52.52], "length_m": pytest.approx(2224, abs=1)}
        expected |= {"spent": {"per_km": 0.0, "releases": 0, "events": 0}}
        assert {name: reported[name] for name in expected} == expected
        assert (reported["report"]["kept"], [one["points"] for one in series_of(owner_api, reported)]) == (3, [3])
        assert len(reported["content_digest"]) == 64
        row = Dataset.objects.get()
        assert files() == [f"datasets/{row.pk}", f"datasets/{row.pk}/original", f"datasets/{row.pk}/{row.points_file}"]
        assert [Path(path).stat().st_mode & 0o777 for path in row.folder.iterdir()] == [0o600, 0o600]
        assert Path(row.folder).stat().st_mode & 0o777 == 0o700  # for the owner of the process only
        assert row.original_path.read_bytes() == CSV

    def test_upload_is_moved_and_not_copied(self, owner):
        file = temporary(CSV)
        number = Path(file.temporary_file_path()).stat().st_ino
        row = services.import_dataset(owner=owner, upload=file)
        file.close()
        assert Path(row.original_path).stat().st_ino == number
        assert not Path(file.temporary_file_path()).exists()

    def test_reading_options_are_plain_fields(self, owner_api):
        fields = {"time": "#0", "first_n": "2", "delimiter": ""}
        reported = owner_api.post(URL, {"file": upload(), **fields}, format="multipart").json()
        assert (reported["has_time"], reported["points"], reported["start"]) == (False, 2, None)
        assert reported["options"] == {"time": "#0", "first_n": 2}

    def test_what_is_wrong_is_named_and_leaves_nothing(self, owner_api, files):
        for fields, field in [
            *(({"kind": "graph"}, "kind"), ({"first_n": "-1"}, "first_n"), ({"first_n": "١"}, "first_n")),
            *(({"time_zone": "Mars/Olympus"}, "time_zone"), ({"time_zone": "../../etc/passwd"}, "time_zone")),
            *(({"swap": "perhaps"}, "swap"), ({"format": "exe"}, "format"), ({"lon": "x" * 501}, "lon")),
            *(({"lon": "a\0b"}, "lon"), ({"name": "a\0b"}, "name")),
        ]:
            answer = owner_api.post(URL, {"file": upload(), **fields}, format="multipart")
            assert answer.status_code == 400, (fields, field)
            assert field in {error["field"] for error in answer.json()["errors"]}, (fields, field)
        assert refused(owner_api.post(URL, {"name": "x"}, format="multipart")) == (400, "file")
        answer = owner_api.post(URL, {"file": upload(b"a,b\n1,2\n")}, format="multipart")
        [error] = answer.json()["errors"]
        assert answer.status_code == 400
        assert {"row", "column", "code", "message", "rule", "field", "value"} <= set(error)
        assert not Dataset.objects.exists()
        assert files() == []

    def test_failure_after_the_files_are_written_leaves_nothing(self, owner, files, monkeypatch):
        monkeypatch.setattr(Dataset, "save", Mock(side_effect=OSError("disk full")))
        with pytest.raises(OSError, match="disk full"):
            services.import_dataset(owner=owner, upload=upload())
        assert files() == []

    def test_texts_of_the_file_stay_data_without_control_characters(self, owner_api):
        for text in ["=cmd()|' /C calc'!A0", "+1", "-1", "@SUM(1)", "<script>alert(1)</script>", "';--"]:
            body = b'user_id,time,lat,lon\n"%s",2024-06-15T10:30:00Z,52.5,13.4\n' % text.encode()
            reported = owner_api.post(URL, {"file": upload(body), "name": text}, format="multipart").json()
            assert (reported["name"], series_of(owner_api, reported)[0]["name"]) == (text, text), text
        control = {"file": upload(), "name": "a\u202eb\u0007\nc" + "x" * 300}
        name = owner_api.post(URL, control, format="multipart").json()["name"]
        assert (name[:5], len(name)) == ("ab cx", 200)


class TestLargeUpload:
    pytestmark = pytest.mark.usefixtures("everything_is_large")

    def test_waits_for_a_worker_that_makes_the_same_dataset(self, owner, owner_api, monkeypatch):
        reported = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        assert (reported["state"], reported["points"], reported["series_count"]) == ("queued", 0, 0)
        TASKS[Dataset](reported["id"])
        TASKS[Dataset](reported["id"])  # a message may be delivered twice
        reported = owner_api.get(reported["urls"]["self"]).json()
        assert (reported["state"], reported["points"], reported["progress"]) == ("ready", 3, 1.0)
        later = Dataset.objects.get()
        assert later.attempt == 1
        assert sorted(path.name for path in later.folder.iterdir()) == ["original", later.points_file]
        monkeypatch.undo()
        at_once = services.import_dataset(owner=owner, upload=upload())
        for column in ("summary", "content_digest", "report", "size_bytes", "file_name"):
            assert getattr(later, column) == getattr(at_once, column), column

    def test_one_with_a_choice_to_make_fails_and_is_read_again(self, owner_api):
        reported = owner_api.post(URL, {"file": upload(AMBIGUOUS)}, format="multipart").json()
        TASKS[Dataset](reported["id"])
        failed = owner_api.get(reported["urls"]["self"]).json()
        assert (failed["state"], failed["error"]["parameter"]) == ("failed", "time_zone")
        answer = owner_api.post(f"{reported['urls']['self']}read/", {"time_zone": "UTC"})
        assert answer.json()["state"] == "queued"
        TASKS[Dataset](reported["id"])
        assert owner_api.get(reported["urls"]["self"]).json()["points"] == 2

    @pytest.mark.django_db(transaction=True)
    def test_rollback_leaves_no_row_and_enqueues_nothing(self, owner, monkeypatch):
        enqueued = []
        monkeypatch.setattr("dashboard.jobs.queue.enqueue", enqueued.append)
        with transaction.atomic():
            services.import_dataset(owner=owner, upload=upload())
            transaction.set_rollback(True)
        assert not Dataset.objects.exists()
        assert enqueued == []

    def test_deleted_while_it_is_read_leaves_nothing(self, owner, files, monkeypatch):
        row = services.import_dataset(owner=owner, upload=upload())
        real = execution.read

        def read_and_lose(*args, **kwargs):
            reading = real(*args, **kwargs)
            row.folder.remove_folder()
            Dataset.objects.filter(pk=row.pk).delete()
            return reading

        monkeypatch.setattr(execution, "read", read_and_lose)
        TASKS[Dataset](str(row.pk))
        assert [name for name in files() if "points" in name or "original" in name] == []


def test_stream_that_is_no_file_on_disk_is_copied_and_has_a_name(owner):
    row = services.import_dataset(owner=owner, upload=File(io.BytesIO(CSV), name="../../etc/passwd"), name="\u202e")
    assert row.original_path.read_bytes() == CSV
    assert Path(row.original_path).stat().st_mode & 0o777 == 0o600
    assert row.name.endswith("passwd")


JUMPS = {"name": "drop-jumps", "highest_km_h": 200.0}
LEAP = CSV + b"2024-06-15T10:33:00Z,12.5,13.4\n2024-06-15T10:34:00Z,52.54,13.4\n"
FIRST = {"name": "first-events", "events": 2}


def sent(api, body=LEAP, **fields):
    return api.post(URL, {"file": upload(body), **fields}, format="multipart")


class TestCleaning:
    def test_chosen_with_the_upload_and_reported_in_the_report(self, owner_api):
        plain = sent(owner_api).json()
        assert (plain["points"], plain["cleaning"], plain["report"]["cleaning"]) == (5, [], [])
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

    @pytest.mark.usefixtures("everything_is_large")
    def test_a_step_that_cannot_be_done_fails_the_job_with_its_reason(self, owner_api):
        sent(owner_api, b"lat,lon\n1,2\n", cleaning=json.dumps([JUMPS]))
        row = Dataset.objects.get()
        TASKS[Dataset](str(row.pk))
        row.refresh_from_db()
        assert (row.state, row.error["field"]) == ("failed", "cleaning.drop-jumps")

    def test_odd_steps_are_refused_by_name_and_nothing_stays(self, owner_api, files):
        for cleaning, field in [
            ("{", "cleaning"),
            ("[" * 5000, "cleaning"),
            ("{}", "cleaning"),
            (json.dumps([{"name": "magic"}]), "cleaning.0.name"),
            (json.dumps([JUMPS | {"highest_km_h": 0}]), "cleaning.0.highest_km_h"),
            (json.dumps([JUMPS] * 9), "cleaning"),
        ]:
            assert refused(sent(owner_api, cleaning=cleaning)) == (400, field), (cleaning, field)
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


def test_a_label_states_which_steps_no_guarantee_covers(done, owner_api):
    plain = owner_api.get(f"/api/v1/releases/{done.pk}/").json()
    assert "reads positions" not in plain["label"]
    Dataset.objects.filter(pk=done.dataset_id).update(cleaning=[JUMPS, FIRST])
    cleaned = owner_api.get(f"/api/v1/releases/{done.pk}/").json()
    clause = "which events were left out before by cleaning that reads positions (drop-jumps)"
    assert clause in cleaned["label"].split(".")[0]
    label = downloads.label(Release.objects.get())
    assert label["not_covered"] == [*plain["guarantee"]["not_covered"], clause]
    assert label["cleaning"] == [JUMPS, FIRST]


GPX = (
    '<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="52.5" lon="13.4">'
    "<time>2024-06-{0}T10:00:00Z</time></trkpt></trkseg></trk></gpx>"
)


def folders(*names):
    """A ZIP of two days for each folder."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, day in product(names, (15, 16)):
            archive.writestr(f"{name}/day{day}.gpx", GPX.format(day))
    return out.getvalue()


@pytest.fixture
def dataset(owner_api):
    return partial(kinds.made, owner_api)


def test_the_page_counts_people_and_the_api_has_whose_their_series_are(dataset, owner_api, owner_page):
    reported = dataset(folders("person-1", "person-2"), "all.zip")
    assert reported["people"] == 2
    assert [one["person"] for one in series_of(owner_api, reported)] == ["person-1", "person-1", "person-2", "person-2"]
    message = "The names of the folders are those of people."
    found = {"count": 2, "by": "folder", "column": "", "said": False, "message": message}
    assert reported["report"]["people"] == found
    answer = owner_page.get(reported["urls"]["page"])
    page = answer.content.decode()
    for text in ("4 series of 2 people", "All 4 series", message):
        assert text in page


def test_a_guess_can_be_overridden(dataset, owner_api, owner_page):
    reported = dataset(folders("anna", "bob"), "all.zip")
    assert (reported["people"], [one["option"] for one in reported["report"]["guesses"]]) == (1, ["person"])
    page = owner_page.get(reported["urls"]["page"]).content.decode()
    assert "4 series of 1 person" in page
    assert reported["urls"]["import"] in page
    assert 'id="reread-person"' in owner_page.get(reported["urls"]["import"]).content.decode()
    again = owner_api.post(f"{reported['urls']['self']}read/", {"person": "folder"}, format="json").json()
    assert (again["people"], again["options"]) == (2, {"person": "folder"})
    assert {one["person"] for one in series_of(owner_api, again)} == {"anna", "bob"}
    assert again["report"]["guesses"] == []


def test_the_preview_takes_the_option_and_refuses_what_cannot_be(dataset, owner_api):
    table = b"trip_id,who,time,lat,lon\n1,a,2024-06-15T10:00:00Z,1,1\n2,b,2024-06-15T11:00:00Z,1,1\n"
    reported = dataset(table, "t.csv")
    assert reported["people"] == 1
    seen = owner_api.get(reported["urls"]["preview"], {"person": "column:who"}).json()
    assert [column["role"] for column in seen["columns"]] == ["id", "person", "time", "lat", "lon"]
    for stated in ("folder", "unknown"):
        answer = owner_api.get(reported["urls"]["preview"], {"person": stated})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "person"
    seen = owner_api.get(reported["urls"]["preview"], {"person": "column:nothing"})
    assert seen.status_code == 400 or seen.json()["problem"]["field"] == "person"
