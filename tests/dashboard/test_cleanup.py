"""The cleanup process (``manage.py sweep``), and /healthz, which reports whether it runs."""

import os
import signal
import subprocess
import sys
import time
import uuid
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import OperationalError
from django.utils import timezone

from dashboard.accounts import services as accounts
from dashboard.accounts.models import ApiToken, LoginLink, UserSession
from dashboard.core import beats
from dashboard.datasets.models import Dataset
from dashboard.experiments.models import Experiment
from dashboard.experiments.services import submit_experiment
from dashboard.jobs import leases, queue, reaper
from dashboard.jobs import models as job_models
from dashboard.maintenance import cleanup
from dashboard.storage import local_files
from privacy_engine.experiments import presets
from tests.dashboard.conftest import HOME
from tests.patience import patience
from tests.redis_server import age_beat

ROOT = Path(__file__).resolve().parents[2]
HOUR = 3600.0


def aged(path, age_s):
    """The file or folder, last written ``age_s`` ago."""
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
    def test_removes_folders_of_rows_that_are_gone(self, ready_dataset):
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

    def test_those_on_data_that_none_is_about_go(self, owner):
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
        folder = row.folder
        Experiment.objects.filter(pk=row.pk)._raw_delete(using="default")
        owner.delete()
        for path in (HOME / "blocks" / str(pk) / row.data_digest, HOME / "blocks" / str(pk), folder):
            aged(path, 61)
        cleanup.tidy()
        assert not (HOME / "blocks" / str(pk)).exists()
        assert not folder.exists()

    def test_a_folder_without_an_experiment_goes(self, owner):
        row = self.tried(owner)
        stray = aged(local_files.home("experiments", str(uuid.uuid4())), 61)
        fresh = local_files.home("experiments", str(uuid.uuid4()))
        cleanup.tidy()
        assert not stray.exists()
        assert fresh.exists()
        assert len(Experiment.objects.get(pk=row.pk).folder.iterdir()) == 1


class TestCleanup:
    def test_records_its_beat_after_every_round(self, db, beats_recorded):
        assert cleanup.last_sweep_s() is None
        assert cleanup.Cleanup().round() is not None
        assert cleanup.last_sweep_s() == pytest.approx(0, abs=5)

    def test_survives_a_database_that_is_away(self, db, beats_recorded, monkeypatch):
        def away(model):
            raise OperationalError("no connection")

        process = cleanup.Cleanup()
        with monkeypatch.context() as patch:
            patch.setattr(reaper, "sweep", away)
            assert process.round() is None
        assert cleanup.last_sweep_s() is None
        assert process.round() is not None

    def test_command_sweeps_once_and_reports_counts(self, owner):
        row = Dataset.objects.create(owner=owner, name="x")
        leases.claim(Dataset, row.pk)
        Dataset.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        out = StringIO()
        call_command("sweep", "--once", stdout=out)
        assert "requeued 1" in out.getvalue()
        row.refresh_from_db()
        assert row.state == "queued"

    @pytest.mark.slow
    def test_process_ends_on_sigterm(self, tmp_path, beats_recorded, settings):
        environment = os.environ | {"CAIRN_HOME": str(tmp_path), "CAIRN_SWEEP_S": "0.1"}
        environment["REDIS_URL"] = settings.CELERY_BROKER_URL
        environment.pop("DATABASE_URL", None)
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
        process = subprocess.Popen([sys.executable, "manage.py", "sweep"], cwd=ROOT, env=environment)
        try:
            give_up = time.monotonic() + patience(30)
            while cleanup.last_sweep_s() is None:
                assert time.monotonic() < give_up
                time.sleep(0.05)
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=patience(10)) == 0
        finally:
            process.kill()
            process.wait()


class TestHealth:
    def test_needs_no_login_and_shows_nothing_of_users(self, client, ready_dataset, django_assert_max_num_queries):
        with django_assert_max_num_queries(len(job_models.models_of())):
            answer = client.get("/healthz")
        assert answer.status_code == 200
        assert answer.json() == {
            "ok": True,
            "stalled": [],
            "database": True,
            "oldest_queued_s": None,
            "expired_leases": 0,
            "queues": {
                "interactive": {"waiting": 0, "oldest_s": None, "running": 0, "workers": 0},
                "batch": {"waiting": 0, "oldest_s": None, "running": 0, "workers": 0},
            },
            "workers": 0,
            "worker_beat_s": None,
            "sweep_beat_s": None,
            "broker": answer.json()["broker"],
            "disk_space": True,
            "storage": "local",
            "storage_answers": True,
        }
        assert answer["Cache-Control"] == "no-store"
        assert not answer.cookies

    def test_reports_the_age_of_the_queue_and_of_the_last_sweep(self, client, owner, beats_recorded):
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

    def test_reports_an_unreachable_database(self, client, db, monkeypatch):
        def away(_):
            raise OperationalError("at db.example: no connection")

        monkeypatch.setattr("dashboard.maintenance.health._queues", away)
        answer = client.get("/healthz")
        assert answer.status_code == 503
        assert (answer.json()["ok"], answer.json()["database"]) == (False, False)
        assert b"example" not in answer.content
