"""Hosts with homes of their own that share a database, a broker and a storage in S3 alone."""

import contextlib
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request
from pathlib import Path

import numpy as np
import pytest

from dashboard.launcher import broker
from tests import migrated
from tests.dashboard.conftest import HOME
from tests.dashboard.worker_support.server import wait_for
from tests.patience import patience
from tests.s3_server import BUCKET, ROOT, running_s3
from tests.server import clean_environment, free_port, python

pytestmark = pytest.mark.slow

PREFIX = "hosts"
TUS = {"Tus-Resumable": "1.0.0"}


def table(rows):
    """A walk as CSV, large enough to be read by a worker."""
    rng = np.random.default_rng(5)
    lon, lat = (base + np.cumsum(rng.integers(-40, 41, rows)) / 1e6 for base in (2.3, 48.8))
    lines = (f"{x:.7f},{y:.7f},{1_700_000_000 + 5 * i}" for i, (x, y) in enumerate(zip(lon, lat, strict=True)))
    return ("lon,lat,time\n" + "\n".join(lines) + "\n").encode()


class Hosts:
    """The processes, each of a host with a home of its own, and what they share."""

    def __init__(self, folder, s3):
        self.folder, self.s3 = folder, s3
        self.processes = {}
        self.addresses = {}
        (folder / "shared").mkdir()
        socket = folder / "shared" / "b.sock"
        self.common = clean_environment() | s3.environment(PREFIX)
        self.common |= {
            "DATABASE_URL": f"sqlite:///{folder / 'shared' / 'database'}",
            "REDIS_URL": broker.url(socket),
            "CAIRN_SECRET_KEY": "s" * 60,
            "CAIRN_LEDGER_KEY": "l" * 60,
            "CAIRN_LEASE_S": "3",
            "CAIRN_SWEEP_S": "0.5",
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
        }
        command = broker.command(broker.find_server(), folder=folder / "shared", socket_path=socket)
        self.broker, self.socket = command, socket

    def prepare(self):
        """Start the broker, and make a user with a token."""
        self.processes["broker"] = subprocess.Popen(self.broker, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait_for(lambda: broker.answers(self.socket), within_s=120, why="the broker answers")
        migrated.copy_to(self.folder / "shared" / "database")
        who = ("--username", "owner", "--email", "")
        self.run("manage.py", "createsuperuser", "--noinput", *who, DJANGO_SUPERUSER_PASSWORD="x" * 12)
        self.token = self.run("manage.py", "token", "owner").split()[-1]

    def env(self, host, **more):
        return self.common | {"CAIRN_HOME": str(self.folder / host)} | more

    def run(self, *arguments, **more):
        done = python(*arguments, env=self.env("shared", **more))
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self, host, *arguments, **more):
        with (self.folder / f"{host}.log").open("ab") as log:
            command, where = [sys.executable, *arguments], {"cwd": ROOT, "env": self.env(host, **more)}
            self.processes[host] = subprocess.Popen(command, **where, stdout=log, stderr=log, start_new_session=True)

    def start_web(self, host):
        port = free_port()
        self.addresses[host] = f"http://127.0.0.1:{port}"
        options = "--worker-class gthread --workers 1 --threads 4 --timeout 120"
        application = "dashboard.config.wsgi:application"
        self.start(host, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", *options.split())

    def start_worker(self, host):
        options = "--app dashboard.config.celery:app worker --pool prefork --concurrency 1 --prefetch-multiplier 1"
        self.start(host, "-m", "celery", *options.split())

    def stop(self, host, number=signal.SIGKILL):
        process = self.processes.pop(host)
        with contextlib.suppress(ProcessLookupError):
            (os.killpg if host != "broker" else os.kill)(process.pid, number)
        process.wait()

    def request(self, host, method, path, body=None, **headers):
        """Status, headers and body of what a host answers."""
        if body is not None and not isinstance(body, bytes):
            body, headers = json.dumps(body).encode(), {"Content-Type": "application/json"} | headers
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        address = path if path.startswith("http") else f"{self.addresses[host]}{path}"
        headers = {"Authorization": f"Token {self.token}"} | headers
        request = urllib.request.Request(address, body, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=patience(60)) as answer:
                return answer.status, answer.headers, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.headers, error.read()

    def json(self, host, method, path, body=None, expected=200):
        status, _, content = self.request(host, method, f"/api/v1/{path}", body)
        assert status == expected, content[:500]
        return json.loads(content) if content else None

    def until_over(self, host, path):
        def over():
            row = self.json(host, "GET", path)
            return row if row["state"] not in ("queued", "running") else None

        return wait_for(over, within_s=120, why=f"{path} is over: {self.logs()}")

    def logs(self):
        return "\n".join(f"== {path.name}\n{path.read_text()[-1500:]}" for path in self.folder.glob("*.log"))

    def close(self):
        for host in list(self.processes):
            self.stop(host)


@pytest.fixture
def hosts():
    folder = Path(tempfile.mkdtemp(prefix="hosts-", dir=HOME.parent))  # a short name, for the broker's socket
    (folder / "s3").mkdir()
    try:
        with running_s3(folder / "s3") as s3, contextlib.closing(Hosts(folder, s3)) as running:
            running.prepare()
            yield running
    finally:
        shutil.rmtree(folder)


def uploaded(hosts, content):
    """The id of an upload whose pieces arrive at one host and the other in turn."""
    headers = {"Upload_Length": str(len(content)), "Upload_Metadata": "filename d2Fsay5jc3Y="}
    status, answer, _ = hosts.request("one", "POST", "/api/v1/uploads/", b"", **TUS, **headers)
    assert status == 201
    pk = answer["Location"].rstrip("/").rsplit("/", 1)[1]
    for i, start in enumerate(range(0, len(content), 1_500_000)):
        headers = TUS | {"Upload_Offset": str(start), "Content_Type": "application/offset+octet-stream"}
        piece, path = content[start : start + 1_500_000], f"/api/v1/uploads/{pk}/"
        status, answer, body = hosts.request(("one", "other")[i % 2], "PATCH", path, piece, **headers)
        assert status == 204, body
    return pk


def test_from_an_upload_to_a_download_over_three_hosts(hosts):
    for host in ("one", "other"):
        hosts.start_web(host)
    hosts.start_worker("work")
    for host in ("one", "other"):
        wait_for(lambda host=host: _answers(hosts, host), within_s=120, why="it answers")
    assert hosts.request("one", "GET", "/healthz")[2].find(b'"storage": "s3", "storage_answers": true') > 0

    content = table(130_000)
    assert len(content) > 4_000_000  # a worker reads it
    body = {"upload": uploaded(hosts, content), "sha256": hashlib.sha256(content).hexdigest()}
    dataset = hosts.json("other", "POST", "datasets/", body, expected=201)
    of = {"dataset": dataset["id"]}
    assert hosts.until_over("one", f"datasets/{dataset['id']}/")["state"] == "ready"
    manual = of | {"method": {"name": "manual", "events": [0, 300]}}
    marks = hosts.json("one", "POST", "landmark-sets/", manual, expected=201)
    mechanism = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}
    drawn = of | {"landmark_set": marks["id"], "mechanism": mechanism}
    release = hosts.json("other", "POST", "releases/", drawn, expected=201)
    assert hosts.until_over("one", f"releases/{release['id']}/")["state"] == "done"
    data = f"/api/v1/releases/{release['id']}/data/?format=csv"
    files = [hosts.request(host, "GET", data) for host in ("one", "other")]
    assert [status for status, _, _ in files] == [200, 200]
    assert files[0][2] == files[1][2]
    assert files[0][2].count(b"\n") > 130_000

    # what is in the storage, and in the homes nothing but copies, temporary files and what belongs to the host
    puts = [path.split("?")[0] for path in hosts.s3.requests() if path.startswith(f"PUT /{BUCKET}/{PREFIX}/")]
    assert {path.split("/")[3] for path in puts} == {"uploads", "datasets", "events", "releases", "installation"}
    for host in ("one", "other", "work"):
        assert {path.name for path in (hosts.folder / host).iterdir()} <= {"cache", "tmp", "run", "installation"}

    # published on one host, rendered by it, read on the other
    link = hosts.json("one", "POST", f"releases/{release['id']}/publications/", {}, expected=201)
    page = link["urls"]["page"].partition("/p/")[2]
    public = [hosts.request(host, "GET", f"/p/{page}data/?format=csv", Authorization="") for host in ("one", "other")]
    assert public[0][0] == public[1][0] == 200
    assert public[0][2] == public[1][2]

    # the worker is killed in the middle of storing: another finishes, and nothing of the first is seen
    hosts.stop("work")
    hosts.s3.fail("PUT /cairn-test/hosts/releases 503 6")
    again = hosts.json("one", "POST", "releases/", drawn | {"name": "2"}, expected=201)
    before = len(hosts.s3.requests())
    hosts.start_worker("killed")
    wait_for(
        lambda: any("PUT /cairn-test/hosts/releases" in one for one in hosts.s3.requests()[before:]),
        within_s=120,
        why="it stores",
    )
    hosts.stop("killed")
    hosts.s3.fail()
    hosts.start("sweep", "manage.py", "sweep")
    hosts.start_worker("third")
    row = hosts.until_over("other", f"releases/{again['id']}/")
    assert (row["state"], row["error"]) == ("done", None)
    assert hosts.request("other", "GET", f"/api/v1/releases/{again['id']}/data/?format=csv")[0] == 200

    # deleted on one host it is gone from the storage, and from the other host's answers
    assert hosts.request("one", "DELETE", f"/api/v1/datasets/{dataset['id']}/")[0] == 204
    assert hosts.request("other", "GET", f"/api/v1/datasets/{dataset['id']}/track/")[0] == 404
    assert hosts.request("other", "GET", f"/p/{page}data/?format=csv", Authorization="")[0] == 200
    code = (
        "import django; django.setup()\n"
        "from dashboard.storage.stored_path import stored_files\n"
        "print(sorted({one.name.split('/')[0] for one in stored_files().listed('')}))"
    )
    assert hosts.run("-c", code).strip() == "['events', 'installation', 'publications']"


def _answers(hosts, host):
    try:
        return hosts.request(host, "GET", "/healthz")[0] == 200
    except OSError:
        return False
