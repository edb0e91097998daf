"""Uploads become datasets: at once when small, by a worker when large, refused when something is wrong."""

import io
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.db import transaction

from dashboard.datasets import services
from dashboard.datasets.models import Dataset
from dashboard.datasets.tasks import import_dataset
from dashboard.storage import local_files
from privacy_engine.errors import FormatError, ParameterError
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
        expected = {
            "state": "ready",
            "name": "My run",
            "file_name": "run.csv",
            "kind": "trajectory",
            "points": 3,
            "size_bytes": len(CSV),
            "progress": 1.0,
            "error": None,
            "has_time": True,
            "budget": None,
            "start": "2024-06-15T10:30:00.000Z",
            "end": "2024-06-15T10:32:00.000Z",
            "bounds": [13.4, 52.5, 13.4, 52.52],
            "length_m": pytest.approx(2224, abs=1),
            "spent": {"per_km": 0.0, "releases": 0, "events": 0},
        }
        assert {name: reported[name] for name in expected} == expected
        assert (reported["report"]["kept"], [one["points"] for one in reported["series"]]) == (3, [3])
        assert len(reported["content_digest"]) == 64
        row = Dataset.objects.get()
        assert files() == [f"datasets/{row.pk}", f"datasets/{row.pk}/original", f"datasets/{row.pk}/{row.points_file}"]

    def test_files_are_for_the_owner_of_the_process_only(self, owner_api):
        owner_api.post(URL, {"file": upload()}, format="multipart")
        row = Dataset.objects.get()
        assert [Path(path).stat().st_mode & 0o777 for path in row.folder.iterdir()] == [0o600, 0o600]
        assert Path(row.folder).stat().st_mode & 0o777 == 0o700
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

    def test_option_outside_its_domain_is_named(self, owner_api, files):
        for fields, field in [
            ({"kind": "graph"}, "kind"),
            ({"first_n": "-1"}, "first_n"),
            ({"first_n": "١"}, "first_n"),
            ({"time_zone": "Mars/Olympus"}, "time_zone"),
            ({"time_zone": "../../etc/passwd"}, "time_zone"),
            ({"swap": "perhaps"}, "swap"),
            ({"format": "exe"}, "format"),
            ({"lon": "x" * 501}, "lon"),
            ({"lon": "a\0b"}, "lon"),
            ({"name": "a\0b"}, "name"),
        ]:
            answer = owner_api.post(URL, {"file": upload(), **fields}, format="multipart")
            assert answer.status_code == 400, (fields, field)
            assert field in {error["field"] for error in answer.json()["errors"]}, (fields, field)
            assert not Dataset.objects.exists(), (fields, field)
            assert files() == [], (fields, field)

    def test_without_a_file_the_field_is_named(self, owner_api):
        answer = owner_api.post(URL, {"name": "x"}, format="multipart")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "file"

    def test_rejected_file_reports_row_and_column(self, owner_api):
        answer = owner_api.post(URL, {"file": upload(b"a,b\n1,2\n")}, format="multipart")
        [error] = answer.json()["errors"]
        assert answer.status_code == 400
        assert {"row", "column", "code", "message", "rule", "field", "value"} <= set(error)

    def test_failure_after_the_files_are_written_leaves_nothing(self, owner, files, monkeypatch):
        def fail(*_, **__):
            raise OSError("disk full")

        monkeypatch.setattr(Dataset, "save", fail)
        with pytest.raises(OSError, match="disk full"):
            services.import_dataset(owner=owner, upload=upload())
        assert files() == []

    def test_the_same_points_have_the_same_digest_in_any_format_and_for_anyone(self, owner, stranger):
        first = services.import_dataset(owner=owner, upload=upload())
        again = services.import_dataset(owner=stranger, upload=upload(CSV.replace(b",", b";"), "other.txt"))
        moved = services.import_dataset(owner=owner, upload=upload(CSV.replace(b"13.4", b"13.5")))
        assert first.content_digest == again.content_digest != moved.content_digest

    def test_texts_of_the_file_stay_data(self, owner_api):
        for text in ["=cmd()|' /C calc'!A0", "+1", "-1", "@SUM(1)", "<script>alert(1)</script>", "';--"]:
            body = b'user_id,time,lat,lon\n"%s",2024-06-15T10:30:00Z,52.5,13.4\n' % text.encode()
            reported = owner_api.post(URL, {"file": upload(body), "name": text}, format="multipart").json()
            assert (reported["name"], reported["series"][0]["name"]) == (text, text), text

    def test_direction_and_control_characters_go(self, owner_api):
        reported = owner_api.post(
            URL, {"file": upload(), "name": "a\u202eb\u0007\nc" + "x" * 300}, format="multipart"
        ).json()
        assert reported["name"].startswith("ab cx")
        assert len(reported["name"]) == 200


class TestLargeUpload:
    pytestmark = pytest.mark.usefixtures("everything_is_large")

    def test_waits_for_a_worker_that_reads_it(self, owner_api):
        reported = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        assert (reported["state"], reported["points"], reported["series"], reported["bounds"]) == (
            "queued",
            0,
            [],
            None,
        )
        import_dataset(reported["id"])
        import_dataset(reported["id"])  # a message may be delivered twice
        reported = owner_api.get(reported["urls"]["self"]).json()
        assert (reported["state"], reported["points"], reported["progress"]) == ("ready", 3, 1.0)
        row = Dataset.objects.get()
        assert row.attempt == 1
        assert sorted(path.name for path in row.folder.iterdir()) == ["original", row.points_file]

    def test_both_ways_give_the_same_dataset(self, owner, monkeypatch):
        later = services.import_dataset(owner=owner, upload=upload())
        import_dataset(str(later.pk))
        monkeypatch.undo()
        at_once = services.import_dataset(owner=owner, upload=upload())
        later.refresh_from_db()
        for column in ("state", "points", "summary", "content_digest", "report", "size_bytes", "file_name", "progress"):
            assert getattr(later, column) == getattr(at_once, column), column

    def test_one_with_a_choice_to_make_fails_and_is_read_again(self, owner_api):
        reported = owner_api.post(URL, {"file": upload(AMBIGUOUS)}, format="multipart").json()
        import_dataset(reported["id"])
        reported = owner_api.get(reported["urls"]["self"]).json()
        assert reported["state"] == "failed"
        assert reported["error"]["parameter"] == "time_zone"
        answer = owner_api.post(f"{reported['urls']['self']}read/", {"time_zone": "UTC"})
        assert answer.json()["state"] == "queued"
        import_dataset(reported["id"])
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
        from dashboard.datasets import execution

        row = services.import_dataset(owner=owner, upload=upload())
        real = execution.read

        def read_and_lose(*args, **kwargs):
            reading = real(*args, **kwargs)
            row.folder.remove_folder()
            Dataset.objects.filter(pk=row.pk).delete()
            return reading

        monkeypatch.setattr(execution, "read", read_and_lose)
        import_dataset(str(row.pk))
        assert [name for name in files() if "points" in name or "original" in name] == []


def test_upload_without_a_name_of_its_own_gets_one(owner):
    row = services.import_dataset(owner=owner, upload=SimpleUploadedFile("x", CSV), name="\u202e")
    assert row.name == "x"


@pytest.mark.parametrize("error", [FormatError, ParameterError])
def test_service_lets_the_engines_errors_through(owner, error):
    options = {"first_n": "0"} if error is ParameterError else {}
    with pytest.raises(error):
        services.import_dataset(owner=owner, upload=upload(b""), options=options)


def test_stream_that_is_no_file_on_disk_is_copied(owner):
    from django.core.files.base import File

    row = services.import_dataset(owner=owner, upload=File(io.BytesIO(CSV), name="../../etc/passwd"))
    assert row.original_path.read_bytes() == CSV
    assert Path(row.original_path).stat().st_mode & 0o777 == 0o600
