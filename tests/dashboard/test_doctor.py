"""``manage.py doctor``: every finding, with the fault really made, and none where nothing is wrong."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import uuid
from collections import namedtuple
from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from dashboard.core import beats
from dashboard.core.storage_errors import StorageUnavailable
from dashboard.datasets.models import Dataset
from dashboard.jobs import workers
from dashboard.maintenance import doctor
from dashboard.maintenance.doctor import host, services, storage
from dashboard.storage import trash
from dashboard.storage.local_storage import LocalFiles
from dashboard.storage.uploads import SPARE_BYTES
from tests import redis_server
from tests.patience import patience
from tests.redis_server import age_beat

ROOT = Path(__file__).resolve().parents[2]


def codes(check):
    return [finding.code for finding in check()]


@pytest.fixture
def home(settings, tmp_path):
    """A home of its own."""
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    settings.CAIRN_HOME = folder
    return folder


@pytest.fixture(scope="module")
def redis():
    """The address of a broker with a password."""
    with redis_server.running("--requirepass", "right") as listens_at:
        yield f"redis+socket://:PASSWORD@{listens_at}"


class TestDatabase:
    def test_that_is_migrated_is_in_order(self, db):
        assert codes(services.database) == []

    def test_that_does_not_answer(self, tmp_path):
        with closing(socket.create_server(("127.0.0.1", 0))) as unused:
            port = unused.getsockname()[1]
        report = run(tmp_path, DATABASE_URL=f"postgres://cairn:secret@127.0.0.1:{port}/cairn")
        (found,) = [one for one in report["findings"] if one["code"] == "database-away"]
        assert "127.0.0.1" in found["what"]
        assert "secret" not in json.dumps(report)
        assert not any(one["code"] == "check-failed" for one in report["findings"])

    def test_without_the_newest_tables(self, db):
        MigrationRecorder(connection).record_unapplied("datasets", last_migration("datasets"))
        (found,) = services.database()
        assert found.code == "not-migrated"
        assert f"datasets.{last_migration('datasets')}" in found.what
        assert "manage.py migrate" in found.do

    def test_of_a_newer_version(self, db):
        MigrationRecorder(connection).record_applied("datasets", "9999_of_tomorrow")
        (found,) = services.database()
        assert (found.code, "datasets.9999_of_tomorrow" in found.what) == ("newer-database", True)

    def test_without_users(self, db, django_user_model):
        assert codes(services.users) == ["no-user"]
        django_user_model.objects.create_user("someone")
        assert codes(services.users) == []


def last_migration(app):
    return sorted(path.stem for path in (ROOT / "dashboard" / app / "migrations").glob("0*.py"))[-1]


class TestBroker:
    def test_takes_the_right_password_alone(self, settings, redis):
        refused = ["broker-refuses"]
        for userinfo, expected in ((":right@", []), (":wrong@", refused), ("", refused)):
            settings.CELERY_BROKER_URL = settings.REDIS_URL = redis.replace(":PASSWORD@", userinfo)
            found = list(services.broker())
            assert [one.code for one in found] == expected, userinfo
            assert "wrong@" not in str(found)

    def test_that_is_away(self, settings, tmp_path):
        settings.CELERY_BROKER_URL = settings.REDIS_URL = f"redis+socket://:secret@{tmp_path}/none.sock"
        (found,) = services.broker()
        assert (found.code, "secret" in found.what) == ("broker-away", False)


class TestProcesses:
    def test_nothing_is_reported_of_them_while_the_broker_is_away(self, settings, tmp_path):
        settings.CELERY_BROKER_URL = settings.REDIS_URL = f"redis+socket://{tmp_path}/none.sock"
        assert codes(services.workers_of_each_queue) == codes(services.sweep) == []

    def test_without_any(self, beats_recorded):
        assert codes(services.workers_of_each_queue) == ["no-worker", "no-worker"]
        assert codes(services.sweep) == ["no-sweep"]

    def test_a_queue_that_no_worker_takes_from_is_named(self, beats_recorded):
        workers.beat("one", ["interactive"])
        (found,) = services.workers_of_each_queue()
        assert (found.code, "queue batch" in found.what, "--queues batch" in found.do) == ("no-worker", True, True)
        workers.beat("two", ["batch", "interactive"])
        assert codes(services.workers_of_each_queue) == []
        age_beat("worker", "two", workers.SILENT_S + 1)
        assert codes(services.workers_of_each_queue) == ["no-worker"]

    def test_a_queue_in_which_nothing_goes_on(self, owner, beats_recorded):
        waits = Dataset.objects.create(owner=owner, name="Waits")
        assert codes(services.stalled_queues) == []
        Dataset.objects.filter(pk=waits.pk).update(created_at=timezone.now() - timedelta(seconds=70))
        (found,) = services.stalled_queues()
        assert (found.code, found.level) == ("queue-stalled", "error")
        assert "Jobs of the queue interactive have waited for 60 s" in found.what
        assert "after 300 s without progress" in found.do

    def test_a_sweep_that_stopped(self, beats_recorded):
        beats.record("sweep", "here")
        assert codes(services.sweep) == []
        age_beat("sweep", "here", 1800)
        (found,) = services.sweep()
        assert "last ran 1,80" in found.what

    def test_clocks_that_differ(self, db, monkeypatch):
        assert codes(services.clocks) == []
        if connection.vendor != "postgresql":
            pytest.skip("SQLite has this host's clock: make test-postgres tests it")
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 3600)
        (found,) = services.clocks()
        assert (found.code, "3,60" in found.what) == ("clock", True)


class TestFiles:
    def test_in_order(self, home, db):
        assert codes(host.files) == codes(host.permissions) == codes(storage.storage) == []
        assert list((home / "tmp").iterdir()) == []

    def test_a_file_server_with_another_clock(self, home, monkeypatch):
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 3600)
        (found,) = host.files()
        assert (found.code, "3,60" in found.what) == ("clock-of-files", True)

    def test_a_home_that_is_no_folder(self, settings, tmp_path):
        (tmp_path / "file").touch()
        settings.CAIRN_HOME = tmp_path / "file"
        assert codes(host.files) == ["files-not-writable"]

    def test_a_home_that_is_read_only(self, settings):
        settings.CAIRN_HOME = Path("/proc/self")  # no user can write there, root neither
        assert codes(host.files) == ["files-not-writable"]

    def test_a_home_or_a_key_that_others_may_read(self, home):
        home.chmod(0o755)
        (home / "ledger.key").touch(mode=0o644)
        (home / "ledger.key").chmod(0o644)
        assert codes(host.permissions) == ["home-open", "key-open"]
        assert f"chmod 700 {home}" in next(iter(host.permissions())).do

    @pytest.mark.parametrize(("free", "expected"), [(0, ["disk-full"]), (1, ["disk-low"]), (100, [])])
    def test_a_disk_that_fills(self, home, settings, monkeypatch, free, expected):
        settings.CAIRN_UPLOAD_BYTES = 10_000_000
        usage = namedtuple("usage", "total used free")
        monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(0, 0, SPARE_BYTES + free * 10_000_000))
        assert codes(host.disk) == expected

    def test_a_dataset_whose_file_is_gone(self, ready_dataset):
        assert codes(storage.storage) == []
        ready_dataset.points_path.unlink()
        (found,) = storage.storage()
        assert found.code == "files-missing"
        assert f"dataset {ready_dataset.pk}" in found.what


class TestKeys:
    def test_a_weak_secret_key(self, settings):
        for key, expected in [("abcdefghij" * 6, []), ("short", ["secret-key-weak"]), ("a" * 80, ["secret-key-weak"])]:
            settings.SECRET_KEY = key
            assert codes(host.keys) == expected, key

    def test_one_key_for_both(self, settings):
        settings.SECRET_KEY = settings.CAIRN_LEDGER_KEY
        assert codes(host.keys) == ["ledger-key-shared"]

    def test_a_ledger_key_that_is_not_random(self, settings):
        settings.CAIRN_LEDGER_KEY = "x" * 40
        assert "ledger-key-weak" in codes(host.keys)

    @pytest.mark.parametrize("variable", ["CAIRN_LEDGER_KEY_FILE", "CAIRN_SECRET_KEY_FILE"])
    @pytest.mark.parametrize("option", [[], ["--json"]])
    def test_a_file_of_a_key_that_is_not_there(self, tmp_path, variable, option):
        done = start(tmp_path, *option, **{variable: str(tmp_path / "none")})
        assert done.returncode == 1
        assert f"{variable} must name a readable file" in done.stdout
        assert "Traceback" not in done.stdout + done.stderr
        if option:
            assert json.loads(done.stdout)["findings"][0]["code"] == "settings"

    def test_a_ledger_key_that_is_too_short(self, tmp_path):
        done = start(tmp_path, CAIRN_LEDGER_KEY="short")
        assert (done.returncode, "must have at least 32 characters, got 5" in done.stdout) == (1, True)


def test_names_https_and_proxies(settings):
    for hosts, https, proxies, origins, expected in [
        (["127.0.0.1", "localhost"], False, 0, [], []),
        (["cairn.example.org"], True, 1, ["https://cairn.example.org"], []),
        ([".example.org"], True, 1, ["https://cairn.example.org"], []),
        (["*"], False, 0, [], ["any-host"]),
        (["cairn.example.org"], False, 0, [], ["no-https"]),
        (["127.0.0.1"], True, 1, [], ["https-without-host"]),
        (["cairn.example.org"], True, 0, [], ["no-proxies"]),
        (["cairn.example.org"], True, 1, ["http://cairn.example.org"], ["origin-scheme"]),
        (["127.0.0.1"], False, 0, ["https://127.0.0.1"], ["origin-scheme"]),
        (["cairn.example.org"], True, 1, ["https://other.example.org"], ["origin-not-allowed"]),
    ]:
        settings.ALLOWED_HOSTS, settings.CAIRN_HTTPS, settings.CSRF_TRUSTED_ORIGINS = hosts, https, origins
        settings.REST_FRAMEWORK = settings.REST_FRAMEWORK | {"NUM_PROXIES": proxies}
        assert codes(host.names_and_https) == expected, (hosts, https, proxies, origins, expected)


def test_debugging(settings):
    settings.DEBUG = True
    settings.ALLOWED_HOSTS = ["127.0.0.1"]
    assert codes(host.names_and_https) == ["debug"]


def test_a_proxy_that_takes_less_than_cairn(settings):
    settings.CAIRN_UPLOAD_BYTES, settings.CAIRN_PROXY_BYTES = 100_000_000, 0
    assert codes(host.upload_limit) == []
    settings.CAIRN_PROXY_BYTES = 1_000_000
    (found,) = host.upload_limit()
    assert (found.code, "takes 1 MB" in found.what) == ("proxy-limit", True)
    settings.CAIRN_PROXY_BYTES = 200_000_000
    assert codes(host.upload_limit) == []


def test_a_job_that_may_take_more_memory_than_there_is(monkeypatch):
    assert host.memory_bytes() > 1e8
    monkeypatch.setenv("CAIRN_JOB_MEMORY_MB", "900000000")
    assert codes(host.memory) == ["job-memory"]
    monkeypatch.setenv("CAIRN_JOB_MEMORY_MB", "10")
    assert codes(host.memory) == []


def start(home, *options, **environment):
    """Run the command on a home of its own."""
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("CAIRN", "REDIS", "DATABASE"))}
    environment = {"CAIRN_HOME": str(home / "home"), **environment}
    return subprocess.run(
        [sys.executable, "manage.py", "doctor", *options], cwd=ROOT, env=kept | environment, capture_output=True,
        text=True, check=False, timeout=patience(90),
    )  # fmt: skip


def run(home, **environment):
    done = start(home, "--json", **environment)
    assert done.returncode == 1, done.stderr
    return json.loads(done.stdout)


class TestInstallation:
    def test_of_other_files_is_the_only_finding(self, home, db):
        (home / "installation").write_text(f"{uuid.uuid4()}\n")
        checks, (found,) = doctor.examine()
        assert (checks, found.code, found.level) == (["installation id"], "installation", "error")
        assert "manage.py adopt" in found.do

    def test_a_trash_that_holds_something(self, home):
        assert codes(storage.trash_of_the_sweep) == []
        lost = home / "datasets" / "of-no-row"
        lost.mkdir(parents=True)
        (lost / "original").write_bytes(b"x")
        folder = trash.put(local=["datasets/of-no-row"])
        (found,) = storage.trash_of_the_sweep()
        assert (found.code, found.level) == ("trash", "warning")
        assert f"{folder}: 1" in found.what
        assert "manage.py trash --restore" in found.do


class TestStoredFiles:
    def test_none_is_damaged(self, done):
        reported = []
        assert codes(storage.damage) == [] == codes(lambda: storage.every_file(reported.append))
        assert re.fullmatch(r"[5-9] files checked, 0\.0 GB, 0 damaged", reported[-1])

    def test_damaged_and_missing_ones_are_listed_and_end_with_1(self, done, capsys):
        path = Path(done.data_path)
        before = path.read_bytes()
        path.write_bytes(before[:9] + bytes([before[9] ^ 1]) + before[10:])
        Path(done.errors_path).unlink()
        output = StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("doctor", "--files", "--json", stdout=output, stderr=StringIO())
        found = {one["code"]: one for one in json.loads(output.getvalue())["findings"]}
        assert ended.value.code == 1
        assert str(done.data_path) in found["files-damaged"]["what"]
        assert str(done.errors_path) in found["files-missing"]["what"]

        path.write_bytes(before)  # restored: known as damaged until it is compared
        assert codes(storage.damage) == ["files-damaged"]
        assert codes(lambda: storage.every_file(lambda _: None)) == ["files-missing"]
        assert codes(storage.damage) == []

    def test_a_storage_that_does_not_answer(self, done, monkeypatch):
        def away(_, name):
            raise StorageUnavailable(name)

        monkeypatch.setattr(LocalFiles, "chunks", away)
        assert codes(lambda: storage.every_file(lambda _: None)) == ["files-not-read"]


class TestCommand:
    def test_ends_with_0_where_nothing_stops_work(self, monkeypatch):
        monkeypatch.setattr(
            "dashboard.maintenance.doctor.run.CHECKS", [lambda: [doctor.Finding("x", "warning", "W", "D")]]
        )
        out = StringIO()
        call_command("doctor", stdout=out)
        assert "WARNING x: W\n  D\n" in out.getvalue()
        assert "1 checks, 0 errors, 1 warnings" in out.getvalue()

    def test_ends_with_1_for_an_error_and_names_what_to_do(self, home, db, beats_recorded):
        out = StringIO()
        with pytest.raises(SystemExit) as ended:
            call_command("doctor", stdout=out)
        assert ended.value.code == 1
        assert "ERROR no-sweep: The sweep did not run in the last hour" in out.getvalue()
        assert "Start it and keep it running: manage.py sweep." in out.getvalue()

    def test_json_has_every_check(self, home, db):
        out = StringIO()
        with pytest.raises(SystemExit):
            call_command("doctor", "--json", stdout=out)
        report = json.loads(out.getvalue())
        assert len(report["checks"]) == len(doctor.CHECKS)
        assert report["ok"] is False
        assert {"code", "level", "what", "do"} == set(report["findings"][0])

    def test_a_check_that_fails_itself_hides_no_other(self, monkeypatch):
        def broken():
            raise RuntimeError("12.3456")

        monkeypatch.setattr(
            "dashboard.maintenance.doctor.run.CHECKS", [broken, lambda: [doctor.Finding("x", "error", "", "")]]
        )
        _, found = doctor.examine()
        assert [one.code for one in found] == ["check-failed", "x"]
        assert "12.3456" not in found[0].what

    def test_every_finding_is_tested_here(self):
        sources = "".join(path.read_text() for path in (ROOT / "dashboard" / "maintenance" / "doctor").glob("*.py"))
        made = set(re.findall(r'(?:error|warning)\(\s*"([a-z-]+)"', sources))
        assert len(made) > 20
        tested = Path(__file__).read_text()
        assert [code for code in sorted(made) if f'"{code}"' not in tested] == []
