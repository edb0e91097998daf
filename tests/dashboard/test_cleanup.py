"""The cleanup process (``manage.py sweep``), its comparison of stored files with their digests, and /healthz."""

import os
import time
import uuid
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest
from django.core.management import call_command
from django.db import OperationalError, transaction
from django.utils import timezone

from dashboard.accounts import services as accounts
from dashboard.accounts.models import ApiToken, LoginLink, UserSession
from dashboard.core import beats
from dashboard.core.storage_errors import DamagedFile
from dashboard.datasets.models import Dataset
from dashboard.datasets.services import delete_dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs import models as job_models
from dashboard.maintenance import cleanup, file_check
from dashboard.maintenance.doctor import storage as checks
from dashboard.publications.models import Publication
from dashboard.publications.services import revoke_publication
from dashboard.storage import integrity, local_files, parquet
from dashboard.storage.models import StoredFile
from privacy_engine.experiments import presets
from tests.dashboard.conftest import HOME
from tests.dashboard.test_damaged_files import checked, damage, inverted, none_known  # noqa: F401
from tests.redis_server import age_beat

ROOT = Path(__file__).resolve().parents[2]
HOUR = 3600.0


def aged(path, age_s):
    path = Path(path)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x")
    os.utime(path, (time.time() - age_s,) * 2)
    return path


@pytest.fixture(autouse=True)
def no_messages(monkeypatch):
    monkeypatch.setattr(queue, "enqueue", lambda job: None)


class TestTidy:
    def test_removes_files_of_attempts_that_published_nothing(self, ready_dataset):
        folder, release = ready_dataset.folder, uuid.uuid4()
        stale = [
            aged(folder / f"points-{uuid.uuid4()}.parquet", HOUR + 1),
            aged(folder / f"errors-{release}-{uuid.uuid4().hex}.parquet", HOUR + 1),
            aged(folder / f".{ready_dataset.points_file}.{uuid.uuid4().hex}.part", HOUR + 1),
            aged(HOME / "tmp" / "tmpabc.upload.csv", HOUR + 1),
            aged(HOME / "tmp" / "import-x" / "original", HOUR + 1).parent,
        ]
        aged(stale[-1], HOUR + 1)
        kept = [
            aged(ready_dataset.points_path, HOUR + 1),
            aged(ready_dataset.original_path, HOUR + 1),
            aged(folder / f"points-{uuid.uuid4()}.parquet", HOUR / 2),
            aged(HOME / "tmp" / "tmpdef.upload.csv", HOUR / 2),
        ]
        assert cleanup.tidy()["files"] == len(stale)
        assert [path for path in stale if path.exists()] == []
        assert [path for path in kept if not path.exists()] == []
        orphan = local_files.home("datasets", str(uuid.uuid4()))
        aged(orphan / "original", 0)
        fresh = local_files.home("releases", str(uuid.uuid4()))
        aged(orphan, 61)
        aged(ready_dataset.folder, 61)
        cleanup.tidy()
        assert not orphan.exists()
        assert fresh.exists()
        assert ready_dataset.points_path.exists()
        assert ready_dataset.original_path.exists()

    def test_removes_expired_credentials(self, owner):
        accounts.make_login_link(user=owner)
        LoginLink.objects.update(
            created_at=timezone.now() - timedelta(days=2), expires_at=timezone.now() - timedelta(days=1)
        )
        accounts.make_token(user=owner)
        ApiToken.objects.update(expiry=timezone.now() - timedelta(seconds=1))
        UserSession.objects.create(session_key="old", session_data="", expire_date=timezone.now() - timedelta(days=1))
        accounts.make_login_link(user=owner)
        accounts.make_token(user=owner)
        assert cleanup.tidy()["expired"] == 3
        assert (LoginLink.objects.count(), ApiToken.objects.count(), UserSession.objects.count()) == (1, 1, 0)
        assert LoginLink.objects.get().expires_at > timezone.now()
        assert ApiToken.objects.get().expiry > timezone.now()


class TestBlocks:
    """Results of experiments: stored as long as an experiment of their owner uses those data."""

    FEW = {"name": "temporal-distance", "repetitions": 2}

    def blocks(self, owner):
        return HOME / "blocks" / str(owner.pk)

    def tried(self, owner, **more):
        return submit_experiment(owner=owner, preset=presets.parse(self.FEW | more))

    def test_those_of_experiments_that_exist_stay(self, owner):
        row = self.tried(owner)
        kept = sorted(self.blocks(owner).rglob("*.npy"))
        assert len(kept) == 30
        for path in (self.blocks(owner) / row.data_digest, row.folder):
            aged(path, 100 * HOUR)
        cleanup.tidy()
        assert sorted(self.blocks(owner).rglob("*.npy")) == kept
        assert row.folder.iterdir() == [row.table_path(row.table_sha256)]
        row, other = self.tried(owner), self.tried(owner, events=50)
        assert row.data_digest != other.data_digest
        Experiment.objects.filter(pk=other.pk)._raw_delete(using="default")  # as if its worker came a moment later
        gone = aged(self.blocks(owner) / other.data_digest, 61)
        cleanup.tidy()
        assert not gone.exists()
        assert len(list(self.blocks(owner).rglob("*.npy"))) == 30

    def test_what_was_begun_a_moment_ago_stays(self, owner):
        """A request stores blocks before it makes its row."""
        fresh = aged(self.blocks(owner) / ("0" * 64) / "cell" / "0-1.npy", 0)
        half = aged(self.blocks(owner) / ".block-abc", 0)
        cleanup.tidy()
        assert fresh.exists()
        assert half.exists()
        aged(half, 61)
        cleanup.tidy()
        assert fresh.exists()
        assert not half.exists()

    def test_those_without_a_row_are_removed_with_their_folder(self, owner):
        pk, row = owner.pk, self.tried(owner)
        fresh = local_files.home("experiments", str(uuid.uuid4()))
        Experiment.objects.filter(pk=row.pk)._raw_delete(using="default")
        owner.delete()
        blocks = HOME / "blocks" / str(pk)
        for path in (blocks / row.data_digest, blocks, row.folder):
            aged(path, 61)
        cleanup.tidy()
        assert not blocks.exists()
        assert not row.folder.exists()
        assert fresh.exists()


class TestCleanup:
    def test_survives_a_database_that_is_away(self, db, beats_recorded, monkeypatch):
        process = cleanup.Cleanup()
        with monkeypatch.context() as patch:
            patch.setattr(reaper, "sweep", Mock(side_effect=OperationalError("no connection")))
            assert process.round() is None
        assert cleanup.last_sweep_s() is None
        assert process.round() is not None
        assert cleanup.last_sweep_s() == pytest.approx(0, abs=5)

    def test_command_sweeps_once_and_reports_counts(self, owner):
        row = Dataset.objects.create(owner=owner, name="x")
        leases.claim(Dataset, row.pk)
        Dataset.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        out = StringIO()
        call_command("sweep", "--once", stdout=out)
        assert "requeued 1" in out.getvalue()
        row.refresh_from_db()
        assert row.state == "queued"


class TestHealth:
    def test_needs_no_login_and_shows_nothing_of_users(self, client, ready_dataset, django_assert_max_num_queries):
        with django_assert_max_num_queries(len(job_models.models_of())):
            answer = client.get("/healthz")
        assert answer.status_code == 200
        idle = {"waiting": 0, "oldest_s": None, "running": 0, "workers": 0}
        none = dict.fromkeys(("oldest_queued_s", "worker_beat_s", "sweep_beat_s"))
        sound = dict.fromkeys(("ok", "database", "disk_space", "storage_answers"), True)
        counts = {"expired_leases": 0, "workers": 0, "stalled": [], "storage": "local"}
        queues = {"queues": {"interactive": idle, "batch": idle}, "broker": answer.json()["broker"]}
        assert answer.json() == none | sound | counts | queues
        assert answer["Cache-Control"] == "no-store"
        assert not answer.cookies

    def test_reports_the_age_of_the_queue_and_of_the_last_sweep(self, client, owner, beats_recorded, db, monkeypatch):
        for name in ("waits", "lost"):
            Dataset.objects.create(owner=owner, name=name)
        leases.claim(Dataset, Dataset.objects.get(name="lost").pk)
        Dataset.objects.filter(name="lost").update(lease_until=timezone.now() - timedelta(seconds=5))
        Dataset.objects.filter(name="waits").update(created_at=timezone.now() - timedelta(seconds=90))
        beats.record("sweep", "here")
        age_beat("sweep", "here", 7)
        health = client.get("/healthz").json()
        assert health["expired_leases"] == 1
        assert 90 <= health["oldest_queued_s"] < 95
        queue = health["queues"]["interactive"]
        assert (queue["waiting"], queue["running"], queue["oldest_s"]) == (1, 1, health["oldest_queued_s"])
        assert health["queues"]["batch"]["waiting"] == 0
        assert 7 <= health["sweep_beat_s"] < 12
        away = Mock(side_effect=OperationalError("at db.example: no connection"))
        monkeypatch.setattr("dashboard.maintenance.health._queues", away)
        answer = client.get("/healthz")
        assert answer.status_code == 503
        assert (answer.json()["ok"], answer.json()["database"]) == (False, False)
        assert b"example" not in answer.content


pytestmark = pytest.mark.usefixtures("none_known")


class TestChecks:
    def test_pages_are_compared_at_every_read(self, tmp_path):
        values = np.random.default_rng(3).integers(0, 1 << 60, 50_000)
        parquet.write_table(tmp_path / "x", parquet.pa.table({"x": values}))
        whole = (tmp_path / "x").read_bytes()
        (tmp_path / "x").write_bytes(inverted(whole, len(whole) // 2))
        for read in (parquet.read_table, lambda path: parquet.Rows(path).columns(0, 9), _batches):
            with pytest.raises(OSError, match="CRC"):
                read(tmp_path / "x")

    def test_once_a_file_and_process(self, done, monkeypatch):
        hashed, original = [], integrity.content_at
        monkeypatch.setattr(integrity, "content_at", lambda name, path: hashed.append(name) or original(name, path))
        for _ in range(3):
            done.data_path.read_bytes()
        assert hashed == [str(done.data_path)]
        integrity.mark_damage()
        done.data_path.read_bytes()
        assert len(hashed) == 2

    def test_rows_go_with_their_files(self, owner_api, done, django_capture_on_commit_callbacks):
        assert owner_api.post(f"/api/v1/releases/{done.pk}/publications/", {}, format="json").status_code == 201
        assert StoredFile.objects.filter(name__contains=str(done.pk)).count() == 3
        with django_capture_on_commit_callbacks(execute=True):
            delete_dataset(dataset=done.dataset)
            revoke_publication(publication=Publication.objects.get())
        assert not StoredFile.objects.exclude(name__startswith="events/").exists()  # those outlive what was charged

    def test_the_sweep_checks_what_is_due_and_goes_on_where_it_was(self, done, monkeypatch):
        StoredFile.objects.update(checked_at=timezone.now() - timedelta(days=8))
        StoredFile.objects.filter(name=str(done.budgets_path)).update(checked_at=timezone.now())
        due = StoredFile.objects.count() - 1
        monkeypatch.setattr(file_check, "SLICE_S", 0.0)
        assert file_check.PacedCheck().go_on() == 0
        monkeypatch.setattr(file_check, "SLICE_S", 60.0)
        damage(done.data_path)
        assert file_check.PacedCheck().go_on() == due
        assert [one.code for one in checks.damage()] == ["files-damaged"]
        assert file_check.PacedCheck().go_on() == 0
        assert cleanup.Cleanup().round() is not None

    def test_damage_without_a_sign_of_it_is_found_by_the_sweep_and_then_by_all(self, done, monkeypatch):
        monkeypatch.setattr(file_check, "SLICE_S", 60.0)
        before = done.data_path.read_bytes()
        path = Path(done.data_path)
        times = path.stat().st_atime_ns, path.stat().st_mtime_ns
        path.write_bytes(inverted(before, len(before) // 2))
        os.utime(path, ns=times)
        done.data_path.require_sound()  # compared already, and nothing shows that it changed
        StoredFile.objects.update(checked_at=timezone.now() - timedelta(days=8))
        file_check.PacedCheck().go_on()
        with pytest.raises(DamagedFile):
            done.data_path.require_sound()
        path.write_bytes(before)
        done.data_path.require_sound()

    def test_a_digest_rolled_back_is_not_known_and_the_file_not_damaged(self, ready_dataset):
        path = ready_dataset.folder / "points-other.parquet"
        with suppress(ZeroDivisionError), transaction.atomic():
            with path.written() as out:
                out.write(b"x")
            raise ZeroDivisionError
        assert not StoredFile.objects.filter(name=path.key).exists()
        assert path.read_bytes() == b"x"

    def test_another_key_makes_digests_unknown_and_no_file_damaged(self, done, settings):
        settings.CAIRN_LEDGER_KEY = "another" * 5
        assert set(checked().values()) == {"sound"}
        damage(done.budgets_path)
        with pytest.raises(DamagedFile):
            done.budgets_path.read_bytes()

    def test_it_takes_its_share_of_the_time(self, done):
        check = file_check.PacedCheck()
        check._steps = iter(lambda: file_check.Step("x", 1), None)
        check.go_on()
        assert check._next - file_check.time.monotonic() > 0.9 * file_check.SLICE_S / file_check.SHARE - 0.5
        assert check.go_on() == 0


def _batches(path):
    return list(parquet.read_batches(path, 1000)[1])
