"""A process that does not answer is ended so that it is started again; one that works, or is stopped, is left alone."""

import http.server
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path
from threading import Thread
from unittest.mock import Mock

import pytest

from dashboard.launcher.child import Child
from dashboard.launcher.forked import STOPPING, Forked
from dashboard.launcher.guard import Guard
from tests.patience import patience, until
from tests.redis_server import age_beat
from tests.server import ROOT, running_server

RUN = """
import sys
from pathlib import Path
from dashboard.launcher import watch
alive = Path(sys.argv[1])
sys.exit(watch.watch(sys.argv[2:], alive.exists, starts_s=0.2, every_s=0.1, grace_s=0.5))
"""
STUBBORN = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint(flush=True)\ntime.sleep(600)"


def start(alive, code, *arguments):
    command = [sys.executable, "-c", RUN, str(alive), sys.executable, "-c", code, *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process):
    _, error = process.communicate(timeout=patience(30))
    return process.returncode, error


class TestWatch:
    def test_ends_what_gives_no_answer(self, tmp_path):
        code, error = ended(start(tmp_path / "never", "import time\nwhile True: time.sleep(1)"))
        assert code == 70
        assert "no answer 4 times" in error

    def test_ends_what_does_not_react_to_sigterm_with_what_it_started(self, tmp_path):
        started = tmp_path / "pid"
        fork = "import os, pathlib, sys\nif pid := os.fork(): pathlib.Path(sys.argv[1]).write_text(str(pid))\n"
        assert ended(start(tmp_path / "never", fork + STUBBORN, str(started)))[0] == 70
        child = Path(f"/proc/{started.read_text()}/status")
        until(lambda: not child.exists() or "State:\tZ" in child.read_text(), 5)

    def test_leaves_alone_what_answers_and_hands_signals_on(self, tmp_path):
        alive = tmp_path / "alive"
        alive.touch()
        code = "import signal, sys, time\nsignal.signal(signal.SIGTERM, lambda *_: sys.exit(5))\ntime.sleep(600)"
        process = start(alive, code)
        time.sleep(patience(2))
        assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        assert ended(process)[0] == 5

    @pytest.mark.parametrize(
        ("code", "expected"), [("raise SystemExit(3)", 3), ("import os; os.kill(os.getpid(), 9)", 137)]
    )
    def test_ends_as_its_process_does(self, tmp_path, code, expected):
        (tmp_path / "alive").touch()
        assert ended(start(tmp_path / "alive", code))[0] == expected

    def test_forgives_fewer_failures_than_four_in_a_row(self):
        from dashboard.launcher import watch

        answers = iter([False, False, False, True] * 3)
        handlers = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)]
        try:
            command = [sys.executable, "-c", f"import time; time.sleep({patience(1.5)})"]
            code = watch.watch(command, lambda: next(answers, True), starts_s=0, every_s=0.05)
        finally:
            for number, handler in zip((signal.SIGTERM, signal.SIGINT), handlers, strict=True):
                signal.signal(number, handler)
        assert code == 0
        assert next(answers, None) is None

    def test_needs_a_kind_and_a_command(self):
        from dashboard.launcher import watch

        for arguments in (["web"], ["web", "true"], ["nothing", "--", "true"]):
            with pytest.raises(SystemExit, match="Usage"):
                watch.main(arguments)


class TestHealth:
    def test_of_a_web_server(self, settings):
        from dashboard.launcher import health

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                requests.append((self.path, self.headers["Host"], self.headers["X-Forwarded-Proto"]))
                if code := codes.pop(0):
                    self.send_response(code)
                    self.end_headers()

            def log_message(self, *_):
                pass

        requests, codes = [], [200, 503, 503, 0, 200]
        settings.ALLOWED_HOSTS = ["*", ".", "cairn.example", "other.example"]
        with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            assert health.answers(*server.server_address)
            assert not health.answers(*server.server_address)
            assert health.status(*server.server_address) == 503
            assert health.status(*server.server_address) is None  # the connection is closed without an answer
            settings.ALLOWED_HOSTS = ["*"]
            assert health.answers(*server.server_address)
            server.shutdown()
        assert set(requests[:4]) == {("/healthz", "cairn.example", "https")}
        assert requests[4] == ("/healthz", "localhost", "https")
        assert health.status(*server.server_address) is None

    def test_of_a_worker(self, monkeypatch, beats_recorded):
        from dashboard.jobs import workers
        from dashboard.launcher import health

        monkeypatch.setattr("dashboard.core.broker_ping.broker_answers", lambda _: True)
        workers.stopped("celery@probe")
        assert not health.worker_answers("celery@probe")
        workers.beat("celery@probe")
        assert health.worker_answers("celery@probe")
        age_beat("worker", "celery@probe", health.SILENT_S + 1)
        assert not health.worker_answers("celery@probe")
        monkeypatch.setattr("dashboard.core.broker_ping.broker_answers", lambda _: False)
        assert health.worker_answers("celery@probe")  # a restart brings no broker back
        workers.stopped("celery@probe")

    def test_of_a_worker_whose_queue_stands_still(self, monkeypatch, beats_recorded):
        from dashboard.jobs import workers
        from dashboard.launcher import health

        monkeypatch.setattr("dashboard.jobs.reaper.stalled_queues", lambda _: ["batch"])
        workers.beat("celery@one", ["interactive"])
        workers.beat("celery@both", ["batch", "interactive"])
        assert health.main(["worker", "celery@one"])
        assert not health.main(["worker", "celery@both"])
        assert health.worker_answers("celery@both")  # what ends workers does not regard it
        assert not health.queues_go_on("celery@other")
        for name in ("one", "both"):
            workers.stopped(f"celery@{name}")

    def test_of_a_sweep_whose_database_is_away(self, monkeypatch, beats_recorded):
        from django.db import OperationalError

        from dashboard.launcher import health
        from dashboard.maintenance import cleanup

        cleanup.loop_path().unlink(missing_ok=True)
        assert not health.sweep_answers()
        monkeypatch.setattr(cleanup.installation, "require", Mock(side_effect=OperationalError("no connection")))
        monkeypatch.setattr(cleanup, "close_old_connections", lambda: None)
        monkeypatch.setattr(cleanup, "connection", type("Connection", (), {"in_atomic_block": True}))
        assert cleanup.Cleanup().round() is None
        assert health.sweep_answers()
        assert cleanup.last_sweep_s() is None
        old = time.time() - 1000
        os.utime(cleanup.loop_path(), (old, old))
        assert not health.sweep_answers()


@pytest.fixture
def handlers():
    """The supervisor's: they note a signal, and do not end the process."""
    before = {number: signal.signal(number, lambda *_: None) for number in STOPPING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_a_child_that_must_end_as_it_begins_ends(tmp_path, handlers):
    for _ in range(20):
        child = Forked("child", time.sleep, 600, log=tmp_path / "child.log")
        child.terminate()
        child._process.join(patience(5))
        code = child.poll()
        child._process.kill()
        assert code == -signal.SIGTERM


def test_a_child_without_a_process_group_of_its_own_is_killed(tmp_path):
    with (tmp_path / "lock").open("w") as lock:
        guard = Guard(keep_open=lock.fileno())
        launch = partial(subprocess.Popen, ["sleep", "200"])
        child = Child("child", tmp_path / "child.log", grace_s=0, launch=launch, check=lambda: True)
        child.start(guard=guard)
        began = time.monotonic()
        child.clear_away(guard)
        guard.dismiss()
    assert time.monotonic() - began < 100


IMPATIENT = f"""
import os, sys
os.environ["DJANGO_SETTINGS_MODULE"] = "dashboard.config.settings"
from dashboard.launcher import health, watch
watch.STARTS_S, watch.EVERY_S, health.SILENT_S = {patience(20)}, 0.5, {patience(6)}
from dashboard.launcher import supervisor
import pathlib, time, django
django.setup()
from dashboard.maintenance.cleanup import Cleanup
sweep_once, hang = Cleanup.round, pathlib.Path(os.environ["CAIRN_HOME"], "hang")
def round(self):
    while hang.exists():
        time.sleep(0.1)
    return sweep_once(self)
Cleanup.round = round
from django.core.management import execute_from_command_line
execute_from_command_line(["manage.py", "run"])
"""
COMMANDS = {"worker": "[cairn-worker]", "web": "[cairn-web]", "broker": "unixsocket:"}


@pytest.fixture
def server(tmp_path):
    with running_server(tmp_path / "cairn", ("-c", IMPATIENT), CAIRN_SWEEP_S="1") as running:
        yield running


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_what_hangs_is_killed_and_started_again(server):
    for together in (["web", "worker"], ["broker"]):  # nothing follows of a worker without its broker
        hung = {name: server.process_ids(COMMANDS[name])[0] for name in together}
        for pid in hung.values():
            os.kill(pid, signal.SIGSTOP)
        for name, pid in hung.items():
            until(
                lambda name=name: f"The {name} process gave no answer and was killed." in server.read(), 90, server.logs
            )
            until(lambda pid=pid: not Path(f"/proc/{pid}").exists(), 5, server.logs)
            until(lambda name=name: bool(server.process_ids(COMMANDS[name])), 60, server.logs)
    until(lambda: ok(server), 120, server.logs)
    assert server.output.count("gave no answer") == 3


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_sweep_that_hangs_is_started_again_with_its_web_server(server):
    (hung,) = server.process_ids(COMMANDS["web"])
    (server.home / "hang").touch()
    until(lambda: "The web process gave no answer and was killed." in server.read(), 90, server.logs)
    (server.home / "hang").unlink()
    until(lambda: bool({*server.process_ids(COMMANDS["web"])} - {hung}) and ok(server), 60, server.logs)


def ok(server):
    try:
        found = server.get_json("/healthz", token="none")
    except OSError:
        return False
    return bool(found["ok"] and found["broker"] and found["workers"] and found["sweep_beat_s"] is not None)
