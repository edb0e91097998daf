"""The datasets room through its REST doors."""

from __future__ import annotations

import doctest
import io
import json
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.core.files.uploadedfile import SimpleUploadedFile, TemporaryUploadedFile
from django.db import transaction
from rest_framework.test import APIClient

from dashboard import storage, text
from dashboard.accounts.models import User
from dashboard.datasets import facts, ledger, services
from dashboard.datasets.models import Budget, Dataset
from dashboard.datasets.tasks import import_dataset
from dashboard.jobs import State
from dashboard.landmarks.services import mark_landmarks
from privacy_engine.data import Trajectory
from privacy_engine.errors import FormatError, ParameterError

URL = "/api/v1/datasets/"
CSV = b"time,lat,lon\n" + b"".join(b"2024-06-15T10:3%d:00Z,52.5%d,13.4\n" % (i, i) for i in range(3))
ASKS = b"time,lat,lon\n2024-06-15T10:30:00Z,52.52,13.405\n2024-06-15 10:31:00,52.53,13.406\n"

Files = Callable[[], list[str]]
MakeDataset = Callable[..., Dataset]


def upload(body: bytes = CSV, name: str = "run.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, body)


def temporary(body: bytes) -> TemporaryUploadedFile:
    """An upload as the handlers leave it: in a file of its own."""
    storage.home("tmp")
    file = TemporaryUploadedFile("run.csv", "text/csv", len(body), "utf-8")
    file.write(body)
    file.seek(0)
    return file


@pytest.fixture
def everything_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every upload is left to a worker."""
    monkeypatch.setattr(services, "NOW_PLAIN_BYTES", -1)
    monkeypatch.setattr(services, "NOW_PACKED_BYTES", -1)


class TestUpload:
    def test_small_file_is_ready_at_once(self, owner_api: APIClient, files: Files) -> None:
        answer = owner_api.post(URL, {"file": upload(), "name": "My run"}, format="multipart")
        told = answer.json()
        assert answer.status_code == 201
        assert answer["Location"] == told["urls"]["self"] == f"{URL}{told['id']}/"
        assert told["state"] == "ready"
        assert told["name"] == "My run"
        assert told["file_name"] == "run.csv"
        assert told["kind"] == "trajectory"
        assert told["points"] == 3
        assert told["size_bytes"] == len(CSV)
        assert told["progress"] == 1.0
        assert told["error"] is None
        assert told["report"]["kept"] == 3
        assert told["has_time"] is True
        assert told["bounds"] == [13.4, 52.5, 13.4, 52.52]
        assert told["start"] == "2024-06-15T10:30:00.000Z"
        assert told["end"] == "2024-06-15T10:32:00.000Z"
        assert told["length_m"] == pytest.approx(2224, abs=1)
        assert [one["points"] for one in told["series"]] == [3]
        assert told["budget"] is None
        assert told["spent"] == {"per_km": 0.0, "releases": 0}
        assert len(told["content_digest"]) == 64
        row = Dataset.objects.get()
        assert files() == [f"datasets/{row.pk}", f"datasets/{row.pk}/original", f"datasets/{row.pk}/{row.points_file}"]

    def test_files_are_for_the_owner_of_the_process_only(self, owner_api: APIClient) -> None:
        owner_api.post(URL, {"file": upload()}, format="multipart")
        row = Dataset.objects.get()
        assert [path.stat().st_mode & 0o777 for path in row.folder.iterdir()] == [0o600, 0o600]
        assert row.folder.stat().st_mode & 0o777 == 0o700
        assert row.original_path.read_bytes() == CSV

    def test_upload_is_moved_and_not_copied(self, owner: User) -> None:
        file = temporary(CSV)
        number = Path(file.temporary_file_path()).stat().st_ino
        row = services.import_dataset(owner=owner, upload=file)
        file.close()
        assert row.original_path.stat().st_ino == number
        assert not Path(file.temporary_file_path()).exists()

    def test_reading_options_are_plain_fields(self, owner_api: APIClient) -> None:
        fields = {"time": "#0", "first_n": "2", "delimiter": ""}
        told = owner_api.post(URL, {"file": upload(), **fields}, format="multipart").json()
        assert (told["has_time"], told["points"], told["start"]) == (False, 2, None)
        assert told["options"] == {"time": "#0", "first_n": 2}

    def test_unknown_field_is_refused_and_not_ignored(self, owner_api: APIClient, files: Files) -> None:
        answer = owner_api.post(URL, {"file": upload(), "timezone": "UTC"}, format="multipart")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "timezone"
        assert files() == []

    @pytest.mark.parametrize(
        ("fields", "field"),
        [
            ({"kind": "stream"}, "kind"),
            ({"first_n": "-1"}, "first_n"),
            ({"first_n": "١"}, "first_n"),
            ({"time_zone": "Mars/Olympus"}, "time_zone"),
            ({"time_zone": "../../etc/passwd"}, "time_zone"),
            ({"swap": "perhaps"}, "swap"),
            ({"format": "exe"}, "format"),
            ({"lon": "x" * 501}, "lon"),
            ({"lon": "a\0b"}, "lon"),
            ({"name": "a\0b"}, "name"),
        ],
    )
    def test_option_outside_its_domain_is_named(
        self, owner_api: APIClient, files: Files, fields: dict[str, str], field: str
    ) -> None:
        answer = owner_api.post(URL, {"file": upload(), **fields}, format="multipart")
        assert answer.status_code == 400
        assert field in {error["field"] for error in answer.json()["errors"]}
        assert not Dataset.objects.exists()
        assert files() == []

    def test_without_a_file_the_field_is_named(self, owner_api: APIClient) -> None:
        answer = owner_api.post(URL, {"name": "x"}, format="multipart")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "file"

    def test_rejected_file_tells_row_and_column(self, owner_api: APIClient) -> None:
        answer = owner_api.post(URL, {"file": upload(b"a,b\n1,2\n")}, format="multipart")
        [error] = answer.json()["errors"]
        assert answer.status_code == 400
        assert {"row", "column", "code", "message", "rule", "field", "value"} <= set(error)

    def test_failure_after_the_files_are_written_leaves_nothing(
        self, owner: User, files: Files, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*_: Any, **__: Any) -> None:
            raise OSError("disk full")

        monkeypatch.setattr(Dataset, "save", fail)
        with pytest.raises(OSError, match="disk full"):
            services.import_dataset(owner=owner, upload=upload())
        assert files() == []

    def test_the_same_points_have_the_same_digest_in_any_format_and_for_anybody(
        self, owner: User, stranger: User
    ) -> None:
        first = services.import_dataset(owner=owner, upload=upload())
        again = services.import_dataset(owner=stranger, upload=upload(CSV.replace(b",", b";"), "other.txt"))
        moved = services.import_dataset(owner=owner, upload=upload(CSV.replace(b"13.4", b"13.5")))
        assert first.content_digest == again.content_digest != moved.content_digest

    @pytest.mark.parametrize(
        "word", ["=cmd()|' /C calc'!A0", "+1", "-1", "@SUM(1)", "<script>alert(1)</script>", "';--"]
    )
    def test_words_of_the_file_stay_data(self, owner_api: APIClient, word: str) -> None:
        body = b'user_id,time,lat,lon\n"%s",2024-06-15T10:30:00Z,52.5,13.4\n' % word.encode()
        told = owner_api.post(URL, {"file": upload(body), "name": word}, format="multipart").json()
        assert (told["name"], told["series"][0]["name"]) == (word, word)

    def test_direction_and_control_characters_go(self, owner_api: APIClient) -> None:
        told = owner_api.post(
            URL, {"file": upload(), "name": "a\u202eb\u0007\nc" + "x" * 300}, format="multipart"
        ).json()
        assert told["name"].startswith("ab cx")
        assert len(told["name"]) == 200


class TestLargeUpload:
    pytestmark = pytest.mark.usefixtures("everything_is_large")

    def test_waits_for_a_worker_that_reads_it(self, owner_api: APIClient) -> None:
        told = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        assert (told["state"], told["points"], told["series"], told["bounds"]) == ("queued", 0, [], None)
        import_dataset(told["id"])
        import_dataset(told["id"])  # a doorbell may ring twice
        told = owner_api.get(told["urls"]["self"]).json()
        assert (told["state"], told["points"], told["progress"]) == ("ready", 3, 1.0)
        row = Dataset.objects.get()
        assert row.attempt == 1
        assert sorted(path.name for path in row.folder.iterdir()) == ["original", row.points_file]

    def test_both_ways_give_the_same_dataset(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        later = services.import_dataset(owner=owner, upload=upload())
        import_dataset(str(later.pk))
        monkeypatch.undo()
        at_once = services.import_dataset(owner=owner, upload=upload())
        later.refresh_from_db()
        for column in ("state", "points", "summary", "content_digest", "report", "size_bytes", "file_name", "progress"):
            assert getattr(later, column) == getattr(at_once, column), column

    def test_one_that_asks_fails_and_is_settled_by_reading_again(self, owner_api: APIClient) -> None:
        told = owner_api.post(URL, {"file": upload(ASKS)}, format="multipart").json()
        import_dataset(told["id"])
        told = owner_api.get(told["urls"]["self"]).json()
        assert told["state"] == "failed"
        assert told["error"]["parameter"] == "time_zone"
        answer = owner_api.post(f"{told['urls']['self']}read/", {"time_zone": "UTC"})
        assert answer.json()["state"] == "queued"
        import_dataset(told["id"])
        assert owner_api.get(told["urls"]["self"]).json()["points"] == 2

    def test_broker_away_is_no_error(
        self, owner_api: APIClient, django_capture_on_commit_callbacks: Callable[..., Any]
    ) -> None:
        begun = time.perf_counter()
        with django_capture_on_commit_callbacks(execute=True) as rung:
            answer = owner_api.post(URL, {"file": upload()}, format="multipart")
        assert len(rung) == 1
        assert answer.status_code == 201
        assert time.perf_counter() - begun < 1
        row = Dataset.objects.get()
        assert (row.state, row.rung_at) == (State.QUEUED, None)

    @pytest.mark.django_db(transaction=True)
    def test_rollback_leaves_no_row_and_rings_nobody(self, owner: User, monkeypatch: pytest.MonkeyPatch) -> None:
        rung: list[Any] = []
        monkeypatch.setattr("dashboard.jobs.ring", rung.append)
        with transaction.atomic():
            services.import_dataset(owner=owner, upload=upload())
            transaction.set_rollback(True)
        assert not Dataset.objects.exists()
        assert rung == []

    def test_deleted_while_it_is_read_leaves_nothing(
        self, owner: User, files: Files, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from dashboard.datasets import execution

        row = services.import_dataset(owner=owner, upload=upload())
        real = execution.read

        def read_and_lose(*args: Any, **kwargs: Any) -> Any:
            reading = real(*args, **kwargs)
            storage.remove(row.folder)
            Dataset.objects.filter(pk=row.pk).delete()
            return reading

        monkeypatch.setattr(execution, "read", read_and_lose)
        import_dataset(str(row.pk))
        assert [name for name in files() if "points" in name or "original" in name] == []


class TestReadAgain:
    def test_changes_the_points(self, owner_api: APIClient) -> None:
        told = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        answer = owner_api.post(f"{told['urls']['self']}read/", {"first_n": 2})
        assert (answer.status_code, answer.json()["points"]) == (200, 2)
        row = Dataset.objects.get()
        assert sorted(path.name for path in row.folder.iterdir()) == ["original", row.points_file]

    def test_that_cannot_be_changes_nothing(self, owner_api: APIClient) -> None:
        told = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        answer = owner_api.post(f"{told['urls']['self']}read/", {"options": {"lon": "nowhere"}})
        assert answer.status_code == 400
        assert owner_api.get(told["urls"]["self"]).json() == told

    def test_is_refused_once_landmarks_stand_on_the_points(self, owner: User, owner_api: APIClient) -> None:
        told = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        mark_landmarks(owner=owner, dataset=Dataset.objects.get(), method={"name": "manual", "events": [0]})
        answer = owner_api.post(f"{told['urls']['self']}read/", {"first_n": 2})
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "conflict")
        assert owner_api.get(told["urls"]["self"]).json() == told

    def test_is_refused_while_it_waits(self, owner_api: APIClient, everything_is_large: None) -> None:
        told = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        assert owner_api.post(f"{told['urls']['self']}read/", {}).status_code == 409


class TestChange:
    def test_renames(self, owner_api: APIClient, ready_dataset: Dataset) -> None:
        answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", {"name": " New\u202e \n"})
        assert (answer.status_code, answer.json()["name"]) == (200, "New")

    @pytest.mark.parametrize("name", ["", "\u202e", " \n", 7 * [1], {"a": 1}, None])
    def test_refuses_a_name_that_is_none(self, owner_api: APIClient, ready_dataset: Dataset, name: Any) -> None:
        answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", {"name": name})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "name")

    def test_sets_and_lifts_a_budget(self, owner_api: APIClient, ready_dataset: Dataset) -> None:
        url = f"{URL}{ready_dataset.pk}/"
        told = owner_api.patch(url, {"budget": {"epsilon": 2, "radius_m": 200.5}}).json()
        assert told["budget"] == {"epsilon": 2.0, "radius_m": 200.5}
        assert owner_api.patch(url, {"budget": None}).json()["budget"] is None

    @pytest.mark.parametrize(
        "value", [0, -1, 1e-300, 1e308, float("nan"), float("inf"), True, "١", "abc", None, [], {}]
    )
    @pytest.mark.parametrize("field", ["epsilon", "radius_m"])
    def test_refuses_a_budget_outside_its_domain(
        self, owner_api: APIClient, ready_dataset: Dataset, field: str, value: Any
    ) -> None:
        budget = {"epsilon": 1.0, "radius_m": 200.0} | {field: value}
        body = json.dumps({"budget": budget})  # Python's own writes NaN and Infinity
        answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", body, content_type="application/json")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == f"budget.{field}"
        assert not Budget.objects.exclude(total=None).exists()

    def test_refuses_anything_else(self, owner_api: APIClient, ready_dataset: Dataset) -> None:
        answer = owner_api.patch(f"{URL}{ready_dataset.pk}/", {"name": "x", "owner": "y"})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "owner")
        ready_dataset.refresh_from_db()
        assert ready_dataset.name == "A day in Paris"

    def test_name_and_budget_change_together_or_not_at_all(self, owner_api: APIClient, ready_dataset: Dataset) -> None:
        body = {"name": "x", "budget": {"epsilon": -1, "radius_m": 1}}
        assert owner_api.patch(f"{URL}{ready_dataset.pk}/", body).status_code == 400
        ready_dataset.refresh_from_db()
        assert ready_dataset.name == "A day in Paris"


@pytest.mark.django_db(transaction=True)
def test_deleting_removes_every_row_and_file(
    owner_api: APIClient, owner: User, ready_dataset: Dataset, files: Files
) -> None:
    mark_landmarks(owner=owner, dataset=ready_dataset, method={"name": "manual", "events": [0]})
    assert owner_api.delete(f"{URL}{ready_dataset.pk}/").status_code == 204
    assert not Dataset.objects.exists()
    assert files() == []
    assert owner_api.get(f"{URL}{ready_dataset.pk}/").status_code == 404


class TestList:
    @pytest.fixture(autouse=True)
    def three(self, owner: User, stranger: User, make_dataset: MakeDataset, paris_day: Trajectory) -> None:
        for name in ("Alpha", "beta", "Gamma alpha"):
            make_dataset(owner, paris_day, name=name)
        make_dataset(stranger, paris_day, name="alpha of a stranger")

    def names(self, api: APIClient, query: str) -> list[str]:
        return [one["name"] for one in api.get(f"{URL}?{query}").json()["results"]]

    def test_newest_first_and_only_the_owners(self, owner_api: APIClient) -> None:
        assert self.names(owner_api, "") == ["Gamma alpha", "beta", "Alpha"]

    def test_filters_and_orders(self, owner_api: APIClient) -> None:
        assert self.names(owner_api, "name=ALPHA&ordering=name") == ["Alpha", "Gamma alpha"]
        assert self.names(owner_api, "state=failed") == []
        assert self.names(owner_api, "kind=trajectory&ordering=-name") == ["beta", "Gamma alpha", "Alpha"]

    @pytest.mark.parametrize("query", ["state=lost", "ordering=owner", "kind=x", "name=%00"])
    def test_refuses_a_filter_it_does_not_know(self, owner_api: APIClient, query: str) -> None:
        answer = owner_api.get(f"{URL}?{query}")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, query.split("=")[0])

    def test_pages(self, owner_api: APIClient) -> None:
        told = owner_api.get(f"{URL}?page_size=2&page=2").json()
        assert (told["count"], len(told["results"]), told["next"]) == (3, 1, None)
        assert owner_api.get(f"{URL}?page=9").status_code == 404

    def test_asks_the_database_the_same_number_of_times_for_any_length(
        self, owner_api: APIClient, django_assert_max_num_queries: Callable[..., Any]
    ) -> None:
        with django_assert_max_num_queries(2):
            owner_api.get(URL)


class TestTrack:
    def test_is_the_series_as_typed_arrays(self, owner_api: APIClient, owner: User, make_dataset: MakeDataset) -> None:
        second = Trajectory([1.5, -2.5, 3.5], [4, 5, -6], [7, 8.25, 9], name="b")
        row = make_dataset(owner, Trajectory([0], [0], [0]), second)
        answer = owner_api.get(f"{URL}{row.pk}/track/?series=1")
        assert answer["Content-Type"] == "application/octet-stream"
        assert "private" in answer["Cache-Control"]
        body = answer.content
        assert struct.unpack("<4I", body[:16]) == (0x4E524943, 1, 3, 1)
        assert np.frombuffer(body, "<i4", 3, 16).tolist() == [15_000_000, -25_000_000, 35_000_000]
        assert np.frombuffer(body, "<i4", 3, 28).tolist() == [40_000_000, 50_000_000, -60_000_000]
        assert np.frombuffer(body, "<f8", 3, 40).tolist() == [7.0, 8.25, 9.0]
        assert len(body) == 64

    def test_without_times_has_none(self, owner_api: APIClient, owner: User, make_dataset: MakeDataset) -> None:
        row = make_dataset(owner, Trajectory([0, 1], [0, 1]))
        body = owner_api.get(f"{URL}{row.pk}/track/").content
        assert struct.unpack("<4I", body[:16])[3] == 0
        assert len(body) == 32

    def test_is_not_sent_twice(self, owner_api: APIClient, ready_dataset: Dataset) -> None:
        url = f"{URL}{ready_dataset.pk}/track/"
        etag = owner_api.get(url)["ETag"]
        again = owner_api.get(url, headers={"If-None-Match": etag})
        assert (again.status_code, again.content) == (304, b"")
        assert owner_api.get(url, headers={"If-None-Match": '"other"'}).status_code == 200

    @pytest.mark.parametrize("series", ["1", "-1", "x", "1e9", "9" * 30])
    def test_names_a_series_that_is_not_there(self, owner_api: APIClient, ready_dataset: Dataset, series: str) -> None:
        answer = owner_api.get(f"{URL}{ready_dataset.pk}/track/?series={series}")
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "series")

    def test_is_refused_until_it_is_ready(self, owner_api: APIClient, everything_is_large: None) -> None:
        told = owner_api.post(URL, {"file": upload()}, format="multipart").json()
        assert owner_api.get(told["urls"]["track"]).status_code == 409


class TestFacts:
    @pytest.mark.parametrize(
        ("lon", "west", "east"),
        [
            ([179.5, -179.5], 179.5, -179.5),
            ([-179.5, 179.5, 178], 178, -179.5),
            ([-10, 10], -10, 10),
            ([180, -180], 180, -180),
            ([5], 5, 5),
            (list(range(-170, 171, 10)), -170, 170),
        ],
    )
    def test_box_is_the_smallest_on_the_globe(self, lon: list[float], west: float, east: float) -> None:
        assert facts.bounds(np.array(lon, float), np.zeros(len(lon))) == [west, 0, east, 0]

    def test_length_crosses_the_antimeridian_the_short_way(self) -> None:
        assert facts.length_m([Trajectory([179.5, -179.5], [0, 0])]) == pytest.approx(111_195, abs=1)

    def test_length_of_single_points_is_unknown(self) -> None:
        assert facts.length_m([Trajectory([1], [1]), Trajectory([2], [2])]) is None

    def test_length_does_not_join_series(self) -> None:
        assert facts.length_m([Trajectory([1, 1], [1, 1]), Trajectory([2], [2])]) == 0

    @pytest.mark.parametrize("time_s", [1e12, -1e12])
    def test_year_that_no_calendar_has_is_left_out(self, time_s: float) -> None:
        assert facts.instant(time_s) is None

    def test_events_are_counted_over_the_whole_dataset(self) -> None:
        told = facts.summarise([Trajectory([1, 2], [1, 2], name="a\u202e"), Trajectory([2], [2])])
        assert [(one["name"], one["first_event"]) for one in told["series"]] == [("a", 0), ("", 2)]
        assert (told["has_time"], told["start"]) == (False, None)

    def test_examples_in_the_code_are_true(self) -> None:
        assert [doctest.testmod(module).failed for module in (facts, text, ledger)] == [0, 0, 0]


def test_upload_without_a_name_of_its_own_gets_one(owner: User) -> None:
    row = services.import_dataset(owner=owner, upload=SimpleUploadedFile("x", CSV), name="\u202e")
    assert row.name == "x"


@pytest.mark.parametrize("error", [FormatError, ParameterError])
def test_service_lets_the_engines_errors_through(owner: User, error: type[Exception]) -> None:
    options = {"first_n": "0"} if error is ParameterError else {}
    with pytest.raises(error):
        services.import_dataset(owner=owner, upload=upload(b""), options=options)


def test_stream_that_is_no_file_on_disk_is_copied(owner: User) -> None:
    from django.core.files.base import File

    row = services.import_dataset(owner=owner, upload=File(io.BytesIO(CSV), name="../../etc/passwd"))
    assert row.original_path.read_bytes() == CSV
    assert row.original_path.stat().st_mode & 0o777 == 0o600
