"""``manage.py doctor``: every finding, with the fault really made, and none where nothing is wrong."""

import json
import os
import re
import shutil
import socket
import time
import uuid
from collections import namedtuple
from contextlib import closing
from datetime import timedelta
from io import StringIO
from pathlib import Path
from unittest.mock import Mock

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
from privacy_engine.core.origin import Origin
from privacy_engine.plugins import NotLoaded
from tests import redis_server
from tests.redis_server import age_beat
from tests.server import ROOT, python


def codes(check):
    return [finding.code for finding in check()]


@pytest.fixture
def home(settings, tmp_path):
    folder = tmp_path / "home"
    folder.mkdir(mode=0o700)
    settings.CAIRN_HOME = folder
    return folder


@pytest.fixture(scope="module")
def redis():
    with redis_server.running("--requirepass", "right") as listens_at:
        yield f"redis+socket://:PASSWORD@{listens_at}"


class TestDatabase:
    @pytest.mark.slow
    def test_that_does_not_answer(self, tmp_path):
        with closing(socket.create_server(("127.0.0.1", 0))) as unused:
            port = unused.getsockname()[1]
        done = start(tmp_path, "--json", DATABASE_URL=f"postgres://cairn:secret@127.0.0.1:{port}/cairn")
        assert (done.returncode, "secret" in done.stdout) == (1, False)
        found = {one["code"]: one["what"] for one in json.loads(done.stdout)["findings"]}
        assert "127.0.0.1" in found["database-away"]
        assert "check-failed" not in found

    def test_of_another_version_or_without_users(self, db, django_user_model):
        assert codes(services.database) == []
        last = sorted(path.stem for path in (ROOT / "dashboard" / "datasets" / "migrations").glob("0*.py"))[-1]
        recorder = MigrationRecorder(connection)
        recorder.record_unapplied("datasets", last)
        (found,) = services.database()
        assert (found.code, f"datasets.{last}" in found.what) == ("not-migrated", True)
        assert "manage.py migrate" in found.do
        recorder.record_applied("datasets", last)
        recorder.record_applied("datasets", "9999_of_tomorrow")
        (found,) = services.database()
        assert (found.code, "datasets.9999_of_tomorrow" in found.what) == ("newer-database", True)
        assert codes(services.users) == ["no-user"]
        django_user_model.objects.create_user("someone")
        assert codes(services.users) == []


def test_a_broker_takes_the_right_password_alone(settings, redis, tmp_path):
    refused = ["broker-refuses"]
    for userinfo, expected in ((":right@", []), (":wrong@", refused), ("", refused)):
        settings.CELERY_BROKER_URL = settings.REDIS_URL = redis.replace(":PASSWORD@", userinfo)
        found = list(services.broker())
        assert [one.code for one in found] == expected, userinfo
        assert "wrong@" not in str(found)
    settings.CELERY_BROKER_URL = settings.REDIS_URL = f"redis+socket://:secret@{tmp_path}/none.sock"
    (found,) = services.broker()
    assert (found.code, "secret" in found.what) == ("broker-away", False)
    assert codes(services.workers_of_each_queue) == codes(services.sweep) == [], "nothing is known of the processes"


class TestProcesses:
    def test_a_queue_that_no_worker_takes_from_and_a_sweep_that_stopped_are_named(self, beats_recorded):
        assert codes(services.workers_of_each_queue) == ["no-worker", "no-worker"]
        workers.beat("one", ["interactive"])
        (found,) = services.workers_of_each_queue()
        assert (found.code, "queue batch" in found.what, "--queues batch" in found.do) == ("no-worker", True, True)
        workers.beat("two", ["batch", "interactive"])
        assert codes(services.workers_of_each_queue) == []
        age_beat("worker", "two", workers.SILENT_S + 1)
        assert codes(services.workers_of_each_queue) == ["no-worker"]
        assert codes(services.sweep) == ["no-sweep"]
        beats.record("sweep", "here")
        assert codes(services.sweep) == []
        age_beat("sweep", "here", 1800)
        (found,) = services.sweep()
        assert "last ran 1,80" in found.what

    def test_a_queue_in_which_nothing_goes_on(self, owner, beats_recorded):
        waits = Dataset.objects.create(owner=owner, name="Waits")
        assert codes(services.stalled_queues) == []
        Dataset.objects.filter(pk=waits.pk).update(created_at=timezone.now() - timedelta(seconds=70))
        (found,) = services.stalled_queues()
        assert (found.code, found.level) == ("queue-stalled", "error")
        assert "Jobs of the queue interactive have waited for 60 s" in found.what
        assert "after 300 s without progress" in found.do

    def test_clocks_that_differ(self, db, monkeypatch):
        assert codes(services.clocks) == []
        if connection.vendor != "postgresql":
            pytest.skip("SQLite has this host's clock: make test-postgres tests it")
        real = time.time
        monkeypatch.setattr(time, "time", lambda: real() + 3600)
        (found,) = services.clocks()
        assert (found.code, "3,60" in found.what) == ("clock", True)


class TestFiles:
    def test_in_order_or_not_writable_or_with_another_clock(self, home, db, settings, tmp_path, monkeypatch):
        assert codes(host.files) == codes(host.permissions) == codes(storage.storage) == []
        assert list((home / "tmp").iterdir()) == []
        (tmp_path / "file").touch()
        for settings.CAIRN_HOME in (tmp_path / "file", Path("/proc/self")):  # no user can write there, root neither
            assert codes(host.files) == ["files-not-writable"]
        settings.CAIRN_HOME, real = home, time.time
        monkeypatch.setattr(time, "time", lambda: real() + 3600)
        (found,) = host.files()
        assert (found.code, "3,60" in found.what) == ("clock-of-files", True)

    def test_a_home_or_a_key_that_others_may_read(self, home):
        home.chmod(0o755)
        (home / "ledger.key").touch(mode=0o644)
        (home / "ledger.key").chmod(0o644)
        assert codes(host.permissions) == ["home-open", "key-open"]
        assert f"chmod 700 {home}" in next(iter(host.permissions())).do

    def test_a_disk_that_fills(self, home, settings, monkeypatch):
        settings.CAIRN_UPLOAD_BYTES = 10_000_000
        usage = namedtuple("usage", "total used free")
        for free, expected in [(0, ["disk-full"]), (1, ["disk-low"]), (100, [])]:
            left = usage(0, 0, SPARE_BYTES + free * 10_000_000)
            monkeypatch.setattr(shutil, "disk_usage", lambda _, left=left: left)
            assert codes(host.disk) == expected

    def test_a_dataset_whose_file_is_gone(self, ready_dataset):
        assert codes(storage.storage) == []
        ready_dataset.points_path.unlink()
        (found,) = storage.storage()
        assert found.code == "files-missing"
        assert f"dataset {ready_dataset.pk}" in found.what


class TestKeys:
    def test_weak_ones(self, settings):
        for key, expected in [("abcdefghij" * 6, []), ("short", ["secret-key-weak"]), ("a" * 80, ["secret-key-weak"])]:
            settings.SECRET_KEY = key
            assert codes(host.keys) == expected, key
        settings.SECRET_KEY = settings.CAIRN_LEDGER_KEY
        assert codes(host.keys) == ["ledger-key-shared"]
        settings.CAIRN_LEDGER_KEY = "x" * 40
        assert "ledger-key-weak" in codes(host.keys)

    @pytest.mark.slow
    def test_that_stop_the_start_are_stated(self, tmp_path):
        none = "must name a readable file"
        for variable, text, message in [
            ("CAIRN_LEDGER_KEY_FILE", str(tmp_path / "none"), f"CAIRN_LEDGER_KEY_FILE {none}"),
            ("CAIRN_SECRET_KEY_FILE", str(tmp_path / "none"), f"CAIRN_SECRET_KEY_FILE {none}"),
            ("CAIRN_LEDGER_KEY", "short", "must have at least 32 characters, got 5"),
        ]:
            done = start(tmp_path, **{variable: text})
            assert (done.returncode, message in done.stdout) == (1, True), variable
            assert "Traceback" not in done.stdout + done.stderr
        done = start(tmp_path, "--json", CAIRN_LEDGER_KEY="short")
        assert json.loads(done.stdout)["findings"][0]["code"] == "settings"


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


def test_limits_and_debugging(settings, monkeypatch):
    settings.DEBUG, settings.ALLOWED_HOSTS = True, ["127.0.0.1"]
    assert codes(host.names_and_https) == ["debug"]
    settings.CAIRN_UPLOAD_BYTES, expected = 100_000_000, {0: [], 1_000_000: ["proxy-limit"], 200_000_000: []}
    for taken, found in expected.items():
        settings.CAIRN_PROXY_BYTES = taken
        assert codes(host.upload_limit) == found, taken
        assert all("takes 1 MB" in one.what for one in host.upload_limit())
    assert host.memory_bytes() > 1e8
    for megabytes, found in (("900000000", ["job-memory"]), ("10", [])):
        monkeypatch.setenv("CAIRN_JOB_MEMORY_MB", megabytes)
        assert codes(host.memory) == found


def start(home, *options, **environment):
    kept = {name: text for name, text in os.environ.items() if not name.startswith(("CAIRN", "REDIS", "DATABASE"))}
    environment = {"CAIRN_HOME": str(home / "home"), **environment}
    return python("manage.py", "doctor", *options, env=kept, **environment)


def test_an_installation_of_other_files_is_the_only_finding(home, db):
    (home / "installation").write_text(f"{uuid.uuid4()}\n")
    checks, (found,) = doctor.examine()
    assert (checks, found.code, found.level) == (["installation id"], "installation", "error")
    assert "manage.py adopt" in found.do
    assert codes(storage.trash_of_the_sweep) == []
    lost = home / "datasets" / "of-no-row"
    lost.mkdir(parents=True)
    (lost / "original").write_bytes(b"x")
    folder = trash.put(local=["datasets/of-no-row"])
    (found,) = storage.trash_of_the_sweep()
    assert (found.code, found.level) == ("trash", "warning")
    assert f"{folder}: 1" in found.what
    assert "manage.py trash --restore" in found.do


def test_damaged_and_missing_files_are_listed_and_end_with_1(done, monkeypatch):
    reported = []
    assert codes(storage.damage) == [] == codes(lambda: storage.every_file(reported.append))
    assert re.fullmatch(r"[5-9] files checked, 0\.0 GB, 0 damaged", reported[-1])
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
    monkeypatch.setattr(LocalFiles, "chunks", Mock(side_effect=StorageUnavailable("away")))
    assert codes(lambda: storage.every_file(lambda _: None)) == ["files-not-read"]


def test_a_component_of_another_package_that_cannot_be_used_is_named(monkeypatch):
    lost = NotLoaded("cairn.metrics", "broken", Origin("some-one", "1.0"), "cannot be imported: ValueError")
    monkeypatch.setattr("privacy_engine.metrics.metrics._plugins._not_loaded", [lost])
    [found] = host.plugins()
    assert (found.code, found.level) == ("plugin", "warning")
    assert found.what == "broken of some-one 1.0 (cairn.metrics) cannot be imported: ValueError."


class TestCommand:
    def test_ends_with_0_where_nothing_stops_work_and_a_check_that_fails_hides_no_other(self, monkeypatch):
        checks = [lambda: [doctor.Finding("x", "warning", "W", "D")]]
        monkeypatch.setattr("dashboard.maintenance.doctor.run.CHECKS", checks)
        out = StringIO()
        call_command("doctor", stdout=out)
        assert "WARNING x: W\n  D\n" in out.getvalue()
        assert "1 checks, 0 errors, 1 warnings" in out.getvalue()
        checks.insert(0, Mock(side_effect=RuntimeError("12.3456"), __name__="broken"))
        _, found = doctor.examine()
        assert [one.code for one in found] == ["check-failed", "x"]
        assert "12.3456" not in found[0].what

    def test_ends_with_1_for_an_error_and_names_what_to_do(self, home, db, beats_recorded):
        out = StringIO()
        for options in ([], ["--json"]):
            with pytest.raises(SystemExit) as ended:
                call_command("doctor", *options, stdout=out)
            assert ended.value.code == 1
        text, _, report = out.getvalue().partition("{")
        assert "ERROR no-sweep: The sweep did not run in the last hour" in text
        assert "Start it and keep it running: manage.py sweep." in text
        report = json.loads("{" + report)
        assert (len(report["checks"]), report["ok"]) == (len(doctor.CHECKS), False)
        assert {"code", "level", "what", "do"} == set(report["findings"][0])

    def test_every_finding_is_tested_here(self):
        sources = "".join(path.read_text() for path in (ROOT / "dashboard" / "maintenance" / "doctor").glob("*.py"))
        made = set(re.findall(r'(?:error|warning)\(\s*"([a-z-]+)"', sources))
        assert len(made) > 20
        tested = Path(__file__).read_text()
        assert [code for code in sorted(made) if f'"{code}"' not in tested] == []
