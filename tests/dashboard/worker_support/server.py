"""Temporary processes of one deployment: broker, database, sweep and workers.

With ``CAIRN_TEST_SETUP=production`` they have PostgreSQL and a Redis on a TCP port, as in docker-compose.yml; without
it SQLite and a broker on a socket, as the launcher starts them.
"""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import uuid
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path

import redis

from dashboard.launcher import broker
from tests import migrated, postgres
from tests.patience import patience, until
from tests.server import free_port

ROOT = Path(__file__).resolve().parents[3]
LEASE_S = 2.0
SWEEP_S = 0.3
PRODUCTION = os.environ.get("CAIRN_TEST_SETUP") == "production"
CANARY = ([12.3456781, 12.3456792, 12.3456703, 12.3456714], [34.5678921, 34.5678932, 34.5678943, 34.5678954])


def wait_for(what, *, within_s, why):
    return until(what, within_s, f"not within {within_s:g} s: {why}", every_s=0.03)


class Worker:
    def __init__(self, process, log, ready):
        self.process, self.log, self._ready = process, log, ready
        self.name = ready.name.removeprefix("ready.")  # as Celery calls it

    def until_ready(self):
        wait_for(self._ready.exists, within_s=30, why="the worker is ready")

    def signal(self, number):
        os.killpg(self.process.pid, number)

    def kill(self):
        self.signal(signal.SIGKILL)
        self.process.wait()


class Server:
    """Broker, database, sweep, a substitute for the web process, and as many workers as a test starts."""

    def __init__(self, home, database=None, **env):
        self.home, self.database = home, database
        self.port = free_port() if database else 0
        self.barriers = home / "barriers"
        self.socket = home / "run" / "b.sock"
        self.workers = []
        for folder in (self.barriers, home / "run", home / "log", home / "broker"):
            folder.mkdir(parents=True)
        database_url = database.url if database else f"sqlite:///{home / 'cairn.sqlite3'}"
        redis_url = f"redis://127.0.0.1:{self.port}/0" if self.port else broker.url(self.socket)
        self.env = os.environ | {"CAIRN_HOME": str(home), "DATABASE_URL": database_url, "REDIS_URL": redis_url}
        self.env |= {"CAIRN_LEASE_S": str(LEASE_S), "CAIRN_SWEEP_S": str(SWEEP_S), "CAIRN_ALLOWED_HOSTS": "testserver"}
        self.env |= {"CAIRN_TEST_BARRIERS": str(self.barriers), "PYTHONUNBUFFERED": "1"}
        self.env |= {"DJANGO_SETTINGS_MODULE": "dashboard.config.settings", **env}
        self.start_broker()
        if database:
            subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=self.env, check=True)
        else:
            migrated.copy_to(home / "cairn.sqlite3")
        self.sweep = self._start("sweep", "manage.py", "sweep")
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self.web = self._start("web", "-m", "tests.dashboard.worker_support.control", str(home / "web.up"), **pipes)
        self.material = self.control("begin", lon=CANARY[0], lat=CANARY[1])

    def _start(self, log, *arguments, env=None, **pipes):
        with (self.home / "log" / log).open("ab") as out:
            pipes = {"stdin": subprocess.DEVNULL, "stdout": out, "stderr": out} | pipes
            command, env = [sys.executable, *arguments], self.env | (env or {})
            return subprocess.Popen(command, cwd=ROOT, env=env, start_new_session=True, **pipes)

    def start_broker(self):
        program = (self.port and shutil.which("redis-server")) or broker.find_server()
        command = broker.command(program, folder=self.home / "broker", socket_path=self.socket)
        command += ["--port", str(self.port), "--bind", "127.0.0.1"]
        with (self.home / "log" / "broker").open("ab") as out:
            self.broker = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
        wait_for(lambda: broker.answers(self.socket), within_s=10, why="the broker answers")

    def stop_broker(self):
        self.broker.kill()
        self.broker.wait()

    def redis(self):
        return redis.Redis(unix_socket_path=str(self.socket))

    @contextmanager
    def database_away(self):
        """A database server that was stopped as by a crash, or an SQLite file that another process has locked."""
        if self.database:
            self.database.stop(signal.SIGQUIT)
            yield
            self.database.start()
            return
        with closing(sqlite3.connect(self.home / "cairn.sqlite3", isolation_level=None, timeout=patience(60))) as held:
            held.execute("BEGIN EXCLUSIVE")
            yield
            held.execute("ROLLBACK")

    def start_worker(self, *, concurrency=1, **env):
        name = f"worker-{uuid.uuid4().hex[:6]}"
        app = "-A tests.dashboard.worker_support.barrier_app:app worker --pool prefork --prefetch-multiplier 1"
        quiet = "--without-gossip --without-mingle --without-heartbeat --loglevel INFO"
        options = f"--concurrency {concurrency} -n {name}@test"
        process = self._start(name, "-m", "celery", *app.split(), *quiet.split(), *options.split(), env=env)
        worker = Worker(process, self.home / "log" / name, self.barriers / f"ready.{name}@test")
        self.workers.append(worker)
        return worker

    def start_plain_worker(self, *arguments):
        """One without barriers, by its own command line, as people start it."""
        name = f"plain-{uuid.uuid4().hex[:6]}"
        process = self._start(name, *arguments)
        self.workers.append(Worker(process, self.home / "log" / name, self.barriers / "never"))

    def kill_workers(self):
        for worker in self.workers:
            if worker.process.poll() is None:
                worker.kill()
        self.workers.clear()

    def control(self, do, **arguments):
        self.web.stdin.write(json.dumps({"do": do, **arguments}).encode() + b"\n")
        self.web.stdin.flush()
        result = json.loads(self.web.stdout.readline())
        assert "result" in result, result
        return result["result"]

    def submit(self, name="", **mechanism):
        """POST a release; the API's answer, with the status and the seconds it took."""
        parameters = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0} | mechanism
        body = self.material | {"mechanism": parameters, "name": name}
        return self.control("call", method="post", path="/api/v1/releases/", body=body)

    def row(self, pk):
        return self.control("row", pk=pk)

    def until(self, pk, state, *, within_s=15.0):
        wait_for(lambda: self.row(pk)["state"] == state, within_s=within_s, why=f"{pk} is {state}")
        return self.row(pk)

    def until_published(self, pk, *, within_s=15.0):
        """The row once it is done and its worker has removed the files of earlier attempts."""
        self.until(pk, "done", within_s=within_s)
        wait_for(lambda: len(self.row(pk)["errors"]) == 1, within_s=2, why="one file of errors")
        return self.row(pk)

    def submit_experiment(self, **params):
        made = self.control("call", method="post", path="/api/v1/experiments/", body=params)
        assert (made["status"], made["json"]["state"]) == (201, "queued"), made
        return made["json"]["id"]

    def experiment(self, pk):
        return self.control("experiment", pk=pk)

    def until_finished(self, pk, state="done", *, within_s=60.0):
        """The experiment once it is in ``state`` and no worker is running a part of it."""

        def finished():
            row = self.experiment(pk)
            return row["state"] == state and "running" not in row["parts"]

        until(finished, within_s, lambda: f"{pk} is {state} within {within_s:g} s: {self.experiment(pk)}", every_s=0.03)
        return self.experiment(pk)

    def computed(self):
        found = (path.name.split(".") for path in self.barriers.glob("computed.*"))
        return [(block, int(pid)) for _, block, pid, _ in found]

    def hold_blocks(self, after):
        (self.barriers / "blocks.hold").write_text(str(after))

    def release_blocks(self):
        (self.barriers / "blocks.hold").unlink()

    def clear_blocks(self):
        """As if none had been computed or held."""
        for path in [*self.barriers.glob("computed.*"), *self.barriers.glob("blocks.*")]:
            path.unlink()

    def reached(self, name):
        return [int(path.name.split(".")[2]) for path in self.barriers.glob(f"{name}.reached.*")]

    def until_reached(self, name, times=1):
        wait_for(lambda: len(self.reached(name)) >= times, within_s=20, why=f"{times} at the barrier {name}")
        return self.reached(name)

    def open(self, name):
        (self.barriers / f"{name}.go").touch()

    def logs(self):
        return "".join(path.read_text(errors="replace") for path in (self.home / "log").iterdir())

    def close(self):
        self.kill_workers()
        self.web.stdin.close()
        for process in (self.web, self.sweep, self.broker):
            process.terminate()
        for process in (self.web, self.sweep, self.broker):
            process.wait(timeout=patience(10))
        self.web.stdout.close()


@contextmanager
def temporary_server(*, production=PRODUCTION, **env):
    """A server in a temporary folder, whose name is short enough for a broker's socket; the folder is removed."""
    with ExitStack() as stack:
        home = Path(tempfile.mkdtemp(prefix="ch-"))
        stack.callback(shutil.rmtree, home)
        programs = postgres.programs() if production else None
        assert programs or not production, "PostgreSQL is not installed here"
        server = Server(home, stack.enter_context(postgres.running(programs)) if programs else None, **env)
        stack.callback(server.close)
        yield server
