"""Files in a real S3 server: retries, conditions, the cache of a host, killed processes; several hosts over it."""

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import time
import uuid
from contextlib import ExitStack
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from dashboard.core import machine_errors, storage_errors
from dashboard.datasets import resumable, upload_pieces
from dashboard.datasets.models import Dataset, Upload
from dashboard.datasets.services import delete_dataset
from dashboard.jobs import queue
from dashboard.maintenance import objects, orphans
from dashboard.maps import series_cache
from dashboard.publications import copies as copies_of_links
from dashboard.publications.models import Publication
from dashboard.publications.services import revoke_publication
from dashboard.releases import execution
from dashboard.storage import data_files, read_cache, removals, s3_storage, stored_path
from tests.cases import refreshed
from tests.dashboard import kinds
from tests.dashboard.conftest import CSV, HOME
from tests.dashboard.rows import rows_of
from tests.dashboard.storages_of_tests import host, used
from tests.dashboard.test_resumable import address, made, send, stands
from tests.patience import patience
from tests.s3_server import BUCKET, ROOT
from tests.server import python

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one")]


FILE = stored_path.StoredPath("datasets/a/points.parquet")
HOLD = "import fcntl,sys; f=open(sys.argv[1]); fcntl.flock(f,1); print(1); input()"
CONTENT = np.random.default_rng(3).bytes(100_000)
LARGE = np.random.default_rng(4).bytes(12_000_000)


def stored(content=CONTENT, path=FILE):
    with path.written() as out:
        out.write(content)
    return path


def at(prefix, path=FILE):
    return f"/{BUCKET}/{prefix}/{path}"


def copies(folder="one"):
    return sorted(path for path in (HOME / "tmp" / folder).iterdir() if not path.suffix)


@pytest.mark.django_db(transaction=True)
class TestRequests:
    def test_another_content_is_refused_and_the_first_stays(self, other):
        for first, second in ((CONTENT, CONTENT[:-1]), (LARGE, LARGE[:-1])):
            path = FILE.parent / str(len(first))
            stored(first, path)
            with pytest.raises(FileExistsError), other.written(str(path)) as out:
                out.write(second)
            with other.reader(str(path)) as file:
                assert file.read() == first

    def test_every_write_is_conditional_and_nothing_is_copied(self, s3_server, prefix):
        before = len(s3_server.requests())
        stored()
        stored(LARGE, FILE.parent / "large")
        writes = [one for one in s3_server.requests()[before:] if one.startswith(("PUT", "POST"))]
        assert len(writes) == 1 + 5  # begun, three parts, completed
        conditions = [one.rpartition(" ")[2] for one in writes]
        assert [conditions[0], conditions[-1]] == ["If-None-Match:*"] * 2
        assert all("copy-source: " in one for one in writes)

    def test_what_fails_for_a_moment_is_repeated(self, s3_server, prefix, one):
        for status in ("503", "500", "429"):
            path = FILE.parent / status
            s3_server.fail(f"PUT {at(prefix, path)} {status} 2")
            stored(path=path)
            one._cache.forget(str(path))
            s3_server.fail(f"GET {at(prefix, path)} {status} 2")
            assert path.read_bytes() == CONTENT
        stored(LARGE)
        one._cache.forget(str(FILE))
        s3_server.fail(f"GET {at(prefix)} cut 2")  # a body that is cut off
        assert FILE.read_bytes() == LARGE

    def test_what_keeps_failing_is_an_error_of_the_storage(self, s3_server, prefix, one):
        s3_server.fail(f"PUT {at(prefix)} 503 99", f"HEAD {at(prefix)} 403 99")
        with pytest.raises(storage_errors.StorageUnavailable):
            stored()
        with pytest.raises(storage_errors.StorageUnavailable):
            FILE.exists()
        assert copies() == []
        s3_server.fail(f"DELETE {at(prefix, FILE.parent)} 503 99")
        stored()
        for delete, name in ((one.remove, FILE), (one.remove_folder, FILE.parent)):
            with pytest.raises(storage_errors.StorageUnavailable):
                delete(str(name))
        assert machine_errors.machine_error(storage_errors.StorageUnavailable("503")).status == 503
        s3_server.fail(f"PUT {at(prefix)} 507 99")
        with pytest.raises(OSError, match="full") as error:
            stored()
        found = machine_errors.machine_error(error.value)
        assert (found.status, found.retry_after_s) == (507, 60)

    def test_content_that_is_not_what_was_written_is_never_read(self, one, other):
        other_means = FILE.parent / "copied there by other means"
        one._client.put_object(**one._named(str(other_means)), Body=CONTENT)
        assert other_means.read_bytes() == CONTENT
        stored()
        facts = {"Metadata": {"sha256": hashlib.sha256(CONTENT).hexdigest()}}
        one._client.put_object(**one._named(str(FILE)), Body=CONTENT[::-1], **facts)
        with pytest.raises(storage_errors.DamagedFile), other.local(str(FILE)):
            pass
        assert copies("other") == []

    def test_a_process_killed_while_it_writes_leaves_nothing_that_is_seen(self, s3_server, prefix, one, monkeypatch):
        code = (
            "import django, sys; django.setup()\n"
            "import os\n"
            "from dashboard.storage import s3_storage; s3_storage.PART_BYTES = 5_242_880\n"
            "s3_storage._checksums = lambda sent: os.kill(os.getpid(), 9)  # once a part was sent\n"
            "from dashboard.storage.stored_path import StoredPath\n"
            f"with StoredPath({str(FILE)!r}).written() as out: out.write(bytes(60_000_000))\n"
        )
        home = HOME / "tmp" / "killed"
        killed = python("-c", code, **s3_server.environment(prefix), CAIRN_HOME=str(home))
        assert killed.returncode == -signal.SIGKILL, killed.stderr
        assert not FILE.exists()
        assert list(one.listed("")) == []
        monkeypatch.setattr(s3_storage, "FORGOTTEN_S", 1e12)  # moto lists every upload as begun in 2010
        assert one.abort_forgotten() == 0
        monkeypatch.undo()
        assert (one.abort_forgotten(), one.abort_forgotten()) == (1, 0)
        left = list((home / "cache").glob("*.part"))
        assert len(left) == 1
        os.utime(left[0], (0, 0))
        read_cache.ReadCache(home / "cache", 10**9).make_space()
        assert list((home / "cache").iterdir()) == []


@pytest.mark.django_db(transaction=True)
class TestCache:
    def test_a_file_is_fetched_once(self, s3_server, prefix, other):
        stored()
        before = len(s3_server.requests())
        for _ in range(3):
            with other.local(str(FILE)) as path:
                assert path.read_bytes() == CONTENT
        assert len(s3_server.requests()) - before == 1

    def test_its_size_is_bounded_and_what_was_used_longest_ago_goes(self, s3_server, prefix):
        small = host(s3_server, prefix, HOME / "tmp" / "small", cache_bytes=350_000)
        paths = [stored(path=FILE.parent / str(i)) for i in range(4)]
        for i in (0, 1, 2, 0, 3):  # 1 was used longest ago when 3 comes
            with small.local(str(paths[i])):
                time.sleep(0.01)
        assert sum(path.stat().st_size for path in copies("small")) <= 350_000
        assert {path.name for path in copies("small")} == {small._cache._entry(str(paths[i])).name for i in (0, 2, 3)}

    def test_what_another_process_reads_stays(self, s3_server, prefix):
        small = host(s3_server, prefix, HOME / "tmp" / "small", cache_bytes=150_000)
        first, second = (stored(path=FILE.parent / name) for name in "ab")
        with small.local(str(first)) as path:
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "bufsize": 0}
            holder = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], **pipes)
            holder.stdout.readline()
        with small.local(str(second)):
            assert len(copies("small")) == 2
        holder.kill()
        holder.communicate()
        small._cache.make_space()
        assert len(copies("small")) == 1

    def test_what_was_not_used_for_an_hour_goes(self, one):
        stored()
        (copy,) = copies()
        os.truncate(copy, 10)
        assert FILE.read_bytes() == CONTENT, "a copy that was cut off is fetched again"
        one.maintain()
        assert copies() == [copy]
        os.utime(copy, (time.time() - 3601, time.time()))
        one._cache._maintained = -1000.0
        one.maintain()
        assert list((HOME / "tmp" / "one").iterdir()) == []

    def test_many_readers_in_a_cache_that_is_too_small(self, s3_server, prefix):
        """Four processes read ten files through a cache that keeps none: each reads what was written."""
        for i in range(10):
            stored(bytes([i]) * 100_000, FILE.parent / str(i))
        code = (
            "import django, random, sys; django.setup()\n"
            "from dashboard.storage.stored_path import stored_files\n"
            "for _ in range(40):\n"
            "    i = random.randrange(10)\n"
            f"    with stored_files().local(f'{FILE.parent}/{{i}}') as path:\n"
            "        assert path.read_bytes() == bytes([i]) * 100_000\n"
        )
        environment = os.environ | s3_server.environment(prefix)
        environment |= {"CAIRN_HOME": str(HOME / "tmp" / "shared"), "CAIRN_CACHE_MB": "0"}
        environment |= {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
        readers = [subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=environment) for _ in range(4)]
        assert [reader.wait(patience(90)) for reader in readers] == [0] * 4
        read_cache.ReadCache(HOME / "tmp" / "shared" / "cache", 0).make_space()
        assert list((HOME / "tmp" / "shared" / "cache").iterdir()) == []

    def test_evicted_while_it_is_read_it_is_read_to_its_end(self, one):
        stored(LARGE)
        with FILE.local() as path, path.open("rb") as file:
            begun = file.read(5)
            assert not read_cache._removed_if_unused(path)
            one._cache.forget(str(FILE))
            assert begun + file.read() == LARGE
        with copies_lock():
            assert FILE.read_bytes() == LARGE


def copies_lock():
    stack = ExitStack()
    for path in copies():
        fcntl.flock(stack.enter_context(path.open("rb")), fcntl.LOCK_SH)
    return stack


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
            assert (refreshed(release).state, release.attempt, release.error) == ("queued", 0, None)
        s3_server.fail()
        execution.run(release.pk)
        assert (refreshed(release).state, release.attempt) == ("done", 1)
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
    def test_the_sweep(self, owner, ready_dataset, one, other, monkeypatch, django_capture_on_commit_callbacks):
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
            stored(path=stored_path.StoredPath(name))
        assert sorted(objects.orphans()) == sorted(strays)
        assert orphans.remove(local=[], stored=strays) == {"files": 0, "objects": len(strays)}
        assert {found.name for found in one.listed("")} == {*before, "of-no-app"}
        with used(other), copies_of_links.export(link, "csv")[0] as file:  # another host reads the same download
            assert file.read() == exported
        with django_capture_on_commit_callbacks(execute=True):
            revoke_publication(publication=link)
        assert list(one.listed("publications/")) == []
