"""Uploads, jobs, requests and the sweep over a storage that several hosts share: a real S3 server."""

import hashlib
import uuid
from datetime import timedelta

import pytest
from django.utils import timezone

from dashboard.datasets import resumable, upload_pieces
from dashboard.datasets.models import Dataset, Upload
from dashboard.datasets.services import delete_dataset
from dashboard.jobs import queue
from dashboard.maintenance import objects, orphans
from dashboard.publications import copies as copies_of_links
from dashboard.publications.models import Publication
from dashboard.publications.services import revoke_publication
from dashboard.releases import execution
from dashboard.storage import data_files, removals, series_cache
from dashboard.storage.stored_path import StoredPath
from tests.dashboard import kinds
from tests.dashboard.conftest import CSV, HOME
from tests.dashboard.rows import rows_of
from tests.dashboard.storages_of_tests import used
from tests.dashboard.test_resumable import address, made, send, stands
from tests.s3_server import BUCKET

pytestmark = pytest.mark.usefixtures("one")
CONTENT = b"of the storage"


def stored(path):
    with path.written() as out:
        out.write(CONTENT)
    return path


class TestUploads:
    def test_each_piece_may_arrive_at_another_host(self, owner_api, one, other):
        url = address(owner_api)
        for i, start in enumerate(range(0, len(CSV), 40)):
            with used((one, other)[i % 2]):
                assert send(owner_api, url, start, CSV[start : start + 40]).status_code == 204
        with used(other):
            with upload_pieces.whole(Upload.objects.get()):
                assert made(owner_api, url).status_code == 409, "one host makes the dataset"
            answer = made(owner_api, url, sha256=hashlib.sha256(CSV).hexdigest())
        assert (answer.status_code, answer.json()["state"]) == (201, "ready")
        row = Dataset.objects.get()
        assert row.original_path.read_bytes() == CSV
        removals.finish()  # as it does after a commit
        assert list(one.listed("uploads/")) == []
        assert made(owner_api, url).json()["id"] == str(row.pk)

    def test_of_two_pieces_at_one_offset_one_is_counted(self, owner_api, one, monkeypatch):
        url = address(owner_api)
        once = iter([True])
        original = upload_pieces.copied

        def meanwhile(*args, **kwargs):
            if next(once, False):
                assert send(owner_api, url, 0, CSV[:30]).status_code == 204
            return original(*args, **kwargs)

        monkeypatch.setattr(upload_pieces, "copied", meanwhile)
        assert send(owner_api, url, 0, CSV[:40]).status_code == 409
        assert stands(owner_api, url) == 30
        assert len(list(one.listed("uploads/"))) == 1
        assert send(owner_api, url, 30, CSV[30:]).status_code == 204
        assert made(owner_api, url, sha256=hashlib.sha256(CSV).hexdigest()).status_code == 201

    def test_damaged_or_too_long_pieces_store_nothing(self, owner_api, one):
        url = address(owner_api, 10)
        assert send(owner_api, url, 0, b"x" * 11).status_code == 413
        assert send(owner_api, url, 0, b"x", **{"Upload-Checksum": "sha256 " + "A" * 43 + "="}).status_code == 460
        assert send(owner_api, url, 0, b"").status_code == 204
        assert stands(owner_api, url) == 0
        assert list(one.listed("uploads/")) == []

    @pytest.mark.parametrize("ended", ["deleted", "expired", "made a dataset", "and its dataset is deleted"])
    def test_a_piece_that_a_killed_process_did_not_count_goes_with_it(self, owner_api, one, settings, ended):
        url = address(owner_api)
        send(owner_api, url, 0, CSV)
        row = Upload.objects.get()
        if ended == "and its dataset is deleted":  # the process was killed after the dataset was made
            dataset = made(owner_api, url).json()["id"]
        with (row.folder / f"{0:015d}-{uuid.uuid4().hex}").written() as out:
            out.write(CSV)
        if ended == "deleted":
            owner_api.delete(url, headers={"Tus-Resumable": "1.0.0"})
        elif ended == "expired":
            late = timezone.now() - timedelta(hours=settings.CAIRN_UPLOAD_HOURS, seconds=1)
            Upload.objects.update(touched_at=late)
            assert resumable.forget_expired() == 1
        elif ended == "made a dataset":
            made(owner_api, url)
        else:
            delete_dataset(dataset=Dataset.objects.get(pk=dataset))
        removals.finish()  # as once the transaction is committed
        assert list(one.listed("uploads/")) == []

    def test_while_the_storage_is_away_it_stands_where_it_stood(self, owner_api, s3_server, prefix):
        url = address(owner_api)
        send(owner_api, url, 0, CSV[:40])
        s3_server.fail(f"PUT /{BUCKET}/{prefix}/uploads 503 99")
        answer = send(owner_api, url, 40, CSV[40:])
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        assert answer.json()["errors"][0]["code"] == "storage-away"
        s3_server.fail()
        assert stands(owner_api, url) == 40
        assert send(owner_api, url, 40, CSV[40:]).status_code == 204
        assert made(owner_api, url, sha256=hashlib.sha256(CSV).hexdigest()).status_code == 201


class TestFaults:
    @pytest.fixture
    def release(self, submit, monkeypatch):
        monkeypatch.setattr(queue, "enqueue", lambda job: None)
        return submit()

    @pytest.mark.parametrize("method", ["GET", "PUT"])
    def test_a_job_that_meets_a_storage_that_is_away_waits_again(self, release, s3_server, prefix, one, method):
        one._cache.forget(str(release.dataset.points_path))
        s3_server.fail(f"{method} /{BUCKET}/{prefix}/ 503 99")
        for _ in range(4):  # more often than a job may fail
            execution.run(release.pk)
            release.refresh_from_db()
            assert (release.state, release.attempt, release.error) == ("queued", 0, None)
        s3_server.fail()
        execution.run(release.pk)
        release.refresh_from_db()
        assert (release.state, release.attempt) == ("done", 1)
        assert len(list(one.listed("releases/"))) == 2

    def test_pages_and_api_report_it_and_recover(self, owner_api, owner_page, ready_dataset, s3_server, prefix, one):
        for cache in (data_files.cached_data.cache_clear, series_cache._kept.clear):
            cache()
        one._cache.forget(str(ready_dataset.points_path))
        s3_server.fail(f"GET /{BUCKET}/{prefix}/ 503 99", f"HEAD /{BUCKET} 503 99")
        address = f"/api/v1/datasets/{ready_dataset.pk}/track/"
        answer = owner_api.get(address)
        assert (answer.status_code, answer["Retry-After"]) == (503, "5")
        health = owner_page.get("/healthz").json()
        assert (health["ok"], health["storage"], health["storage_answers"]) == (True, "s3", False)
        s3_server.fail()
        one._probed = (-100.0, False)
        assert owner_api.get(address).status_code == 200
        assert owner_page.get("/healthz").json()["storage_answers"] is True

    def test_an_upload_to_a_full_or_absent_storage_leaves_nothing(self, owner_api, s3_server, prefix, one):
        for status, expected in (("507", 507), ("503", 503)):
            s3_server.fail(f"PUT /{BUCKET}/{prefix}/ {status} 99")
            assert kinds.sent(owner_api, CSV).status_code == expected
            s3_server.fail()
            assert not Dataset.objects.exists()
            assert list(one.listed("")) == []
            assert [path.name for path in (HOME / "tmp").iterdir() if path.name != "one"] == []


class TestEveryKindOfRow:
    def test_the_sweep_leaves_what_a_row_names_and_removes_the_rest(
        self, owner, ready_dataset, one, other, monkeypatch, django_capture_on_commit_callbacks
    ):
        monkeypatch.setattr(queue, "enqueue", lambda job: None)
        ids = rows_of(owner, ready_dataset)
        link = Publication.objects.get()
        with copies_of_links.export(link, "csv")[0] as file:
            exported = file.read()
        monkeypatch.setattr(objects, "STALE_S", -1.0)
        before = {found.name for found in one.listed("")}
        assert {name.split("/")[0] for name in before} >= {"datasets", "releases", "publications"}
        assert list(objects.orphans()) == []
        assert {found.name for found in one.listed("")} == before
        strays = [
            f"datasets/{ready_dataset.pk}/points-{'0' * 8}-0000-4000-8000-{'0' * 12}.parquet",
            f"datasets/{ready_dataset.pk}/errors-{ids['releases']}-{'a' * 32}.parquet",
            f"releases/{ids['releases']}/{'a' * 32}.parquet",
            f"uploads/{ids['uploads']}/piece",
            f"publications/{'0' * 8}-0000-4000-8000-{'0' * 12}/label.json",
            f"blocks/{owner.pk}/{'0' * 64}/cell/0-1.npy",
            "base-maps/nothing",
        ]
        for name in (*strays, "of-no-app"):  # which may be of another program that shares the bucket
            stored(StoredPath(name))
        assert sorted(objects.orphans()) == sorted(strays)
        assert orphans.remove(local=[], stored=strays) == {"files": 0, "objects": len(strays)}
        assert {found.name for found in one.listed("")} == {*before, "of-no-app"}
        with used(other), copies_of_links.export(link, "csv")[0] as file:  # another host reads the same download
            assert file.read() == exported
        with django_capture_on_commit_callbacks(execute=True):
            revoke_publication(publication=link)
        assert list(one.listed("publications/")) == []
