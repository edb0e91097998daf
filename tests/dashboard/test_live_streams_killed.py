"""Live publishing through a real web process: killed again and again, no timestamp twice, none lost; followed by 200.

A client sends timestamps to a real server and sends again what got no response. `CAIRN_KILLS=50` kills 50 times.
"""

import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from privacy_engine.accounting.window_ledger import WindowLedger
from tests import migrated, postgres
from tests.patience import patience

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]
ROOT = Path(__file__).resolve().parents[2]
KILLS = int(os.environ.get("CAIRN_KILLS", "4"))
SETUP = """
import django; django.setup()
from dashboard.accounts.services import make_token
from dashboard.accounts.models import User
print(make_token(user=User.objects.create_user("owner"))[1])
"""
EPSILON, WINDOW = 1.0, 7


@pytest.fixture(params=["sqlite", "postgresql"])
def environment(request, tmp_path):
    """The settings of a server with a database of either kind without rows."""
    base = os.environ | {"CAIRN_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
    base |= {"CAIRN_ALLOWED_HOSTS": "127.0.0.1", "PYTHONPATH": str(ROOT)}
    if request.param == "sqlite":
        migrated.copy_to(tmp_path / "cairn.sqlite3")
        yield base | {"DATABASE_URL": f"sqlite:///{tmp_path / 'cairn.sqlite3'}"}
        return
    programs = postgres.programs()
    if programs is None:
        pytest.skip("no PostgreSQL server is installed")
    with postgres.cluster(programs) as url:
        found = base | {"DATABASE_URL": url}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=found, check=True)
        yield found


class Web:
    """A web process on a socket that stays open while the process is dead, as the supervisor's does."""

    def __init__(self, environment):
        self.environment = environment
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.process = self._start()

    def _start(self):
        descriptor = self.socket.fileno()
        command = [sys.executable, "-m", "dashboard.launcher.web", str(descriptor)]
        return subprocess.Popen(command, env=self.environment, cwd=ROOT, pass_fds=[descriptor])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process = self._start()

    def end(self):
        self.process.kill()
        self.process.wait()
        self.socket.close()


class Client:
    """Sends timestamps in order, two or three at a time, and sends again until there is a response."""

    def __init__(self, url, token):
        self.url, self.token = url, token
        self.acknowledged, self.failures = {}, 0
        self.stop = threading.Event()

    def request(self, path, body=None, key=""):
        headers = {"Authorization": f"Token {self.token}", "Content-Type": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/api/v1/streams/{path}", data, headers)
        with urllib.request.urlopen(request, timeout=patience(10)) as response:
            return json.load(response)

    def until_answered(self, path, body, key=""):
        end = time.monotonic() + patience(120)
        while time.monotonic() < end:
            try:
                return self.request(path, body, key)
            except urllib.error.HTTPError as error:
                raise AssertionError(error.read().decode()) from error
            except (OSError, http.client.HTTPException, json.JSONDecodeError):  # killed before its response
                self.failures += 1
                time.sleep(0.02)
        raise AssertionError("no response")

    def publish(self, stream):
        """Publish timestamp after timestamp until :attr:`stop`."""
        chance, t = random.Random(7), 0
        while not self.stop.is_set():
            times = range(t, t + chance.choice([1, 2, 3]))
            events = [{"time": one, "counts": [one, 1000 - one % 1000]} for one in times]
            for one in self.until_answered(f"{stream}/events/", {"events": events}, f"from-{t}")["results"]:
                self.acknowledged[int(one["time"])] = one["counts"]
            t = times[-1] + 1


def test_every_timestamp_is_published_once_however_often_the_server_is_killed(environment):
    made = subprocess.run([sys.executable, "-c", SETUP], env=environment, cwd=ROOT, check=True, capture_output=True)
    web = Web(environment)
    client = Client(web.url, made.stdout.decode().strip())
    try:
        described = {"name": "stream-sample", "epsilon": EPSILON, "window": WINDOW, "sensitivity": 1}
        stream = client.until_answered("", {"name": "Killed", "dimensions": ["a", "b"], "mechanism": described})["id"]
        with ThreadPoolExecutor(1) as pool:
            sender, chance = pool.submit(client.publish, stream), random.Random(3)
            try:
                for _ in range(KILLS):
                    before, end = len(client.acknowledged), time.monotonic() + patience(30)
                    while len(client.acknowledged) < before + 3 and time.monotonic() < end and not sender.done():
                        time.sleep(0.005)
                    time.sleep(chance.uniform(0, 0.05))  # anywhere in a request
                    web.kill()
            finally:
                client.stop.set()
            sender.result(patience(120))
        rows, after = [], 0
        while found := client.until_answered(f"{stream}/events/?after={after}", None)["results"]:
            rows += found
            after = rows[-1]["position"] + 1
    finally:
        web.end()
    assert [row["position"] for row in rows] == list(range(len(rows)))
    assert [int(row["time"]) for row in rows] == list(range(len(rows)))
    assert {int(row["time"]): row["counts"] for row in rows} == client.acknowledged
    WindowLedger(EPSILON, WINDOW).spend_all(np.array([row["budget"] for row in rows]))
    print(f"{KILLS} kills, {client.failures} requests without a response, {len(rows)} timestamps")
    assert client.failures > 0


def test_200_followers_of_one_process_have_each_timestamp_within_two_seconds(environment):
    from benchmarks.live_clients import delays  # which imports this module

    made = subprocess.run([sys.executable, "-c", SETUP], env=environment, cwd=ROOT, check=True, capture_output=True)
    web = Web(environment)
    try:
        delays(web, made.stdout.decode().strip(), followers=0, timestamps=1)  # the first imports what publishes
        found = delays(web, made.stdout.decode().strip(), followers=200, timestamps=10)
    finally:
        web.end()
    assert found.max() < patience(2)
