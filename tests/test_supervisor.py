"""The supervisor of `make run` starts again what hangs, as well as what ended."""

import os
import signal
import sys
from pathlib import Path

import pytest

from tests.patience import patience, until
from tests.server import ROOT, Server

RUN = f"""
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
    server = Server(ROOT, home=tmp_path / "cairn")
    server.env |= {"CAIRN_SWEEP_S": "1"}
    try:
        server.start(sys.executable, "-c", RUN, limit_s=240)
        yield server
        server.press_ctrl_c()
    finally:
        server.clear_away()


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
