"""Whole deployments in temporary folders: as `make run` starts one, and as docker-compose.yml does, without containers.

Their processes are started again when they end, by the supervisor of the launcher or by :class:`Kept` in place of the
container engine.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import yaml

from dashboard.launcher import broker
from tests import postgres
from tests.server import ROOT, Server, clean_environment, free_port, running_server

RESTART_S = 1.0
"""The pause after which the substitute for a container engine starts a process again."""
TOKEN = """
import django; django.setup()
from dashboard.accounts.models import User
from dashboard.accounts.services import make_token
user, _ = User.objects.get_or_create(username={name!r})
print(make_token(user=user, days=1)[1])
"""


class Kept:
    """A process that is started again when it ends."""

    def __init__(self, name: str, argv: list[str], env: dict[str, str], folder: Path) -> None:
        self.name, self.argv, self.env, self.log = name, argv, env, folder / f"{name}.log"
        self.stopped, self.starts = threading.Event(), 0
        self.process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, daemon=True)
        self._thread.start()

    def _keep(self) -> None:
        while not self.stopped.is_set():
            with self.log.open("ab") as log:
                self.process = subprocess.Popen(
                    self.argv, cwd=ROOT, env=self.env, stdout=log, stderr=log, start_new_session=True
                )
            self.starts += 1
            self.process.wait()
            self._kill_rest(self.process.pid)
            self.stopped.wait(RESTART_S)

    @staticmethod
    def _kill_rest(group: int) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(group, signal.SIGKILL)

    def kill(self) -> None:
        """Kill it and what it started."""
        if self.process:
            self._kill_rest(self.process.pid)

    def end(self) -> None:
        """Stop it for good."""
        self.stopped.set()
        if self.process and self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(20)
            self.kill()
        self._thread.join(10)


class Deployment:
    """What both have: an address, an environment, faults, and a token for the API."""

    name: str
    url: str
    env: dict[str, str]

    def token(self, name: str = "owner") -> str:
        """Return a new token of the user ``name``."""
        return str(self.python(TOKEN.format(name=name)).split()[-1])

    def python(self, source: str) -> str:
        """Return what a program with the settings of this deployment prints."""
        done = subprocess.run(
            [sys.executable, "-c", source], cwd=ROOT, env=self.env, capture_output=True, text=True, timeout=900
        )
        if done.returncode:
            raise RuntimeError(done.stderr)
        return done.stdout

    def kill_a_worker(self, chance: random.Random) -> str:
        """Kill a worker, or a child of its pool; what it was."""
        groups = self.workers()
        if not groups:
            return "none"
        main, children = chance.choice(sorted(groups.items()))
        victim = chance.choice([main, *children])
        with suppress(ProcessLookupError):
            os.kill(victim, signal.SIGKILL)
        return "worker" if victim == main else "child"

    def workers(self) -> dict[int, list[int]]:
        """Return the workers' processes, each with its children."""
        raise NotImplementedError

    def restart_broker(self) -> None:
        """Kill the broker; it is started again."""
        raise NotImplementedError

    def restart_database(self) -> None:
        """Let the database be away for a few seconds."""
        raise NotImplementedError


def _children(pid: int) -> list[int]:
    with suppress(OSError):
        return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    return []


class Launched(Deployment):
    """The launcher: SQLite, its own broker, web server, worker and sweep."""

    name = "launcher"

    def __init__(self, server: Server) -> None:
        self.server, self.url = server, server.address
        self.env = server.env | {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}

    def workers(self) -> dict[int, list[int]]:
        found = self.server.process_ids("celery")
        mains = [pid for pid in found if not any(pid in _children(one) for one in found)]
        return {pid: _children(pid) for pid in mains}

    def restart_broker(self) -> None:
        for pid in self.server.process_ids("unixsocket:"):
            os.kill(pid, signal.SIGKILL)

    def restart_database(self) -> None:
        with closing(sqlite3.connect(self.server.home / "cairn.sqlite3", isolation_level=None, timeout=60)) as held:
            held.execute("BEGIN EXCLUSIVE")
            time.sleep(4)
            held.execute("ROLLBACK")


class Production(Deployment):
    """PostgreSQL, Redis on a port, gunicorn as in the image, two workers and the sweep."""

    name = "production"

    def __init__(self, home: Path, cluster: postgres.Cluster, **environment: str) -> None:
        self.home, self.cluster = home, cluster
        port, redis_port = free_port(), free_port()
        self.url = f"http://127.0.0.1:{port}"
        for name in ("log", "broker", "tmp", "run"):
            (home / name).mkdir(parents=True, exist_ok=True)
        image = (ROOT / "Dockerfile").read_text()
        own = {
            "CAIRN_HOME": str(home),
            "DATABASE_URL": cluster.url,
            "REDIS_URL": f"redis://127.0.0.1:{redis_port}/0",
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
            "CAIRN_SECRET_KEY": "only-for-measuring-0123456789-0123456789-0123456789-0123456789",
            "CAIRN_ALLOWED_HOSTS": "127.0.0.1,testserver",
            "TMPDIR": str(home / "tmp"),
        }
        of_image = dict(re.findall(r"(MALLOC_\w+|PYTHONNODEBUGRANGES)=(\S+)", image))
        self.env = clean_environment(**own | of_image | environment)
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=self.env, check=True)
        program = shutil.which("redis-server") or broker.find_server()
        redis = broker.command(program, folder=home / "broker", socket_path=home / "run" / "b.sock")
        listed = image[image.index("\nCMD [") + 5 :].replace("\\\n", "").replace("0.0.0.0:8000", f"127.0.0.1:{port}")
        services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
        worker = services["worker"]["command"]
        python = [sys.executable, "-m"]
        log = home / "log"
        self.broker = Kept("broker", [*redis, "--port", str(redis_port), "--bind", "127.0.0.1"], self.env, log)
        self.web = Kept("web", [*python, *json.loads(listed)], self.env, log)
        self.sweep = Kept("sweep", [sys.executable, "manage.py", "sweep"], self.env, log)
        self.celery = [Kept(f"worker{i}", [*python, *worker, f"--hostname=w{i}@test"], self.env, log) for i in (1, 2)]

    def workers(self) -> dict[int, list[int]]:
        alive = [one.process.pid for one in self.celery if one.process and one.process.poll() is None]
        return {pid: _children(pid) for pid in alive}

    def restart_broker(self) -> None:
        self.broker.kill()

    def restart_database(self) -> None:
        self.cluster.stop(signal.SIGQUIT)
        time.sleep(2)
        self.cluster.start()

    def end(self) -> None:
        """Stop every process."""
        for one in (self.web, self.sweep, *self.celery, self.broker):
            one.end()


@contextmanager
def deployment(name: str, **environment: str) -> Iterator[Deployment]:
    """Start the deployment ``launcher`` or ``production``, and wait until it answers."""
    with ExitStack() as stack:
        home = Path(tempfile.mkdtemp(prefix="cd-"))
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        if name == "launcher":
            yield Launched(stack.enter_context(running_server(home / "home", **environment)))
            return
        programs = postgres.programs()
        if programs is None:
            raise SystemExit("PostgreSQL is not installed here.")
        made = Production(home, stack.enter_context(postgres.running(programs)), **environment)
        stack.callback(made.end)
        until_answers(made.url)
        yield made


def until_answers(url: str, within_s: float = 120.0) -> None:
    """Wait until the health page answers."""
    import urllib.request

    give_up = time.monotonic() + within_s
    while True:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=10):
                return
        except OSError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.3)


def load_average() -> str:
    """The load of the machine, of 1, 5 and 15 minutes, and how many processors there are."""
    return f"{' '.join(f'{one:.1f}' for one in os.getloadavg())} on {os.cpu_count()} processors"


def as_json(text: str) -> Any:
    """The last line of what a program printed."""
    return json.loads(text.strip().splitlines()[-1])
