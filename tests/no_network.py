"""The product in a network namespace with the loopback interface alone, and a record of what it sent elsewhere.

``unshare --net python -m tests.no_network FOLDER`` starts PostgreSQL, Redis, web, worker and sweep with the commands of
the deployment, walks the tasks by the API, and prints as JSON what was done and where packets went. (Every test in a
browser fails where a page requests another host.)

Every address leads to the loopback interface, so that a connection to another host is refused at once, and its first
packet is recorded, whichever process sent it: also a question to a name server.
"""

import contextlib
import fcntl
import ipaddress
import json
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from pathlib import Path
from urllib.request import Request, urlopen

import yaml

from tests.patience import patience, until
from tests.postgres import cluster, programs
from tests.server import ended

ROOT = Path(__file__).resolve().parent.parent
SIOCGIFFLAGS, SIOCSIFFLAGS, IFF_UP, ALL_PROTOCOLS = 0x8913, 0x8914, 1, 3
NAMES_PORT, SYN, ACK = 53, 2, 16
UNIFORM = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}
STREAM = {"name": "stream-uniform", "epsilon": 1.0, "window": 4, "sensitivity": 1}


def bring_up():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        request = struct.pack("16sH14x", b"lo", 0)
        (flags,) = struct.unpack("16xH14x", fcntl.ioctl(control, SIOCGIFFLAGS, request))
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", flags | IFF_UP))
    for version in ("-4", "-6"):
        subprocess.run(["ip", version, "route", "add", "local", "default", "dev", "lo"], check=version == "-4")


class Record(threading.Thread):
    """Destinations outside of this machine of all packets, and questions to name servers."""

    def __init__(self):
        super().__init__(daemon=True)
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ALL_PROTOCOLS))
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 24)
        self.seen = {}

    def run(self):
        while True:
            packet = self._socket.recv(200)
            if found := destination(packet):
                self.seen[found] = self.seen.get(found, 0) + 1

    def take(self):
        time.sleep(0.3)
        found, self.seen = self.seen, {}
        return found


def destination(packet):
    """Where a packet goes, as "address:port", with a question to a name server; "" where it stays on this machine."""
    version = packet[0] >> 4
    if version not in (4, 6):
        return ""
    head = 4 * (packet[0] & 15) if version == 4 else 40
    protocol, at, size = (packet[9], 16, 4) if version == 4 else (packet[6], 24, 16)
    target = ipaddress.ip_address(packet[at : at + size])
    begins = protocol == socket.IPPROTO_TCP and packet[head + 13] & (SYN | ACK) == SYN
    if not begins and protocol != socket.IPPROTO_UDP:
        return ""
    (port,) = struct.unpack_from("!H", packet, head + 2)
    if target.is_loopback and port != NAMES_PORT:
        return ""
    requested = packet[head + 20 :].split(b"\0\0")[0] if port == NAMES_PORT else b""
    return f"{target}:{port} {re.sub(rb'[^a-z0-9-]+', b'.', requested).decode()}".strip()


class Deployment:
    def __init__(self, folder, database):
        self.folder, self.processes = folder, {}
        self.services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("CAIRN", "REDIS", "DATABASE"))}
        self.environment = kept | {
            "CAIRN_HOME": str(folder / "home"),
            "CAIRN_SECRET_KEY": "not-a-secret-only-for-tests-0123456789-0123456789-0123456789",
            "CAIRN_LEDGER_KEY": "not-a-secret-either-0123456789-0123456789-0123456789-01234567",
            "DATABASE_URL": database,
            "REDIS_URL": "redis://127.0.0.1:6379/0",
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
            "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        }
        self.token = ""

    @contextlib.contextmanager
    def running(self):
        try:
            self._start_all()
            yield self
        finally:
            self._end()

    def _start_all(self):
        self.start("redis", "redis-server", "--bind", "127.0.0.1", "--save", "", "--dir", str(self.folder))
        self.manage("migrate", "--noinput")
        self.manage("shell", "-c", "from dashboard.accounts.models import User; User.objects.create_user('ann')")
        self.token = self.manage("token", "ann").split()[-1]
        image = re.findall(r'^CMD (\[.*?"\])$', (ROOT / "Dockerfile").read_text(), re.MULTILINE | re.DOTALL)[-1]
        self.start("web", *json.loads(image.replace("\\\n", "")))
        for name in ("worker", "sweep"):
            self.start(name, *(part.replace("=2", "=1") for part in self.services[name]["command"]))
        until(lambda: (self.read("/healthz") or {}).get("workers"), 180, "no worker answers")

    def _end(self):
        for process in reversed(self.processes.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
        for process in self.processes.values():
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)

    def start(self, name, *command):
        with (self.folder / f"{name}.log").open("ab") as log:
            self.processes[name] = subprocess.Popen(
                command, cwd=ROOT, stdout=log, stderr=log, env=self.environment, start_new_session=True
            )

    def manage(self, *arguments):
        command = [sys.executable, "manage.py", *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert not done.returncode, f"manage.py {arguments[0]}: {done.stdout}{done.stderr}"
        return done.stdout

    def send(self, path, body=None, kind="application/json"):
        headers = {"Authorization": f"Token {self.token}", "Content-Type": kind}
        with urlopen(Request(f"http://127.0.0.1:8000{path}", body, headers), timeout=patience(60)) as answer:
            return answer.read() if not path.endswith("/live/") else answer.readline()

    def read(self, path):
        with contextlib.suppress(OSError):
            return json.loads(self.send(path))

    def post(self, path, body):
        return json.loads(self.send(f"/api/v1/{path}", json.dumps(body).encode()))

    def done(self, row):
        path = row["urls"]["self"]
        found = until(lambda: ended(self.read(path) or {"state": "queued"}), 180, path)
        assert found["state"] in ("done", "ready"), f"{path} {found['state']}: {found['error']}"
        return found


def upload(made):
    times = (f"2024-06-15T{i // 60:02d}:{i % 60:02d}:00Z" for i in range(600))
    lines = (f"{time},{48.85 + i / 2e4:.5f},{2.35 + i / 3e4:.5f}" for i, time in enumerate(times))
    file = "\n".join(["time,lat,lon", *lines, ""])
    head = '--x\r\nContent-Disposition: form-data; name="file"; filename="day.csv"\r\n\r\n'
    body = f"{head}{file}\r\n--x--\r\n".encode()
    return made.done(json.loads(made.send("/api/v1/datasets/", body, "multipart/form-data; boundary=x")))


def by_api(made):
    """Do each task, and name it."""
    dataset = upload(made)
    yield "import"
    marks = made.post("landmark-sets/", {"dataset": dataset["id"], "method": {"name": "manual", "events": [0, 9, 300]}})
    requested = {"dataset": dataset["id"], "landmark_set": marks["id"], "mechanism": UNIFORM}
    release = made.done(made.post("releases/", requested))
    assert made.send(f"{release['urls']['data']}?format=csv").count(b"\n") > 600
    yield "release"
    assert len(made.send(release["urls"]["track"])) > 1000
    yield "map"
    assert b"openapi: 3" in made.send("/api/v1/schema/")
    yield "docs"
    made.done(made.post("experiments/", {"preset": {"name": "temporal-distance", "repetitions": 2}}))
    yield "experiment"
    stream = made.post("streams/", {"name": "Counts", "dimensions": ["a", "b"], "mechanism": STREAM})
    events = {"events": [{"time": i, "counts": [i, 5]} for i in range(5)]}
    made.post(f"streams/{stream['id']}/events/", events)
    assert made.send(f"{stream['urls']['self']}live/")
    yield "live stream"
    link = made.post(f"releases/{release['id']}/publications/", {"title": "Public"})
    assert b"<html" in made.send(link["urls"]["page"])
    yield "public link"


def attempt():
    """Try to reach other hosts, to show that the record has it."""
    for kind, address in ((socket.SOCK_STREAM, ("192.0.2.1", 80)), (socket.SOCK_DGRAM, ("192.0.2.2", NAMES_PORT))):
        with socket.socket(socket.AF_INET, kind) as probe, contextlib.suppress(OSError):
            probe.settimeout(2)
            probe.connect(address)
            probe.send(b"x")


def main(folder):
    bring_up()
    record = Record()
    record.start()
    attempt()
    probes = record.take()
    with cluster(programs()) as database, Deployment(folder, database).running() as made:
        tasks = list(by_api(made))
        time.sleep(5)  # the sweep passes
        alive = [name for name, process in made.processes.items() if process.poll() is None]
    interfaces = [name for _, name in socket.if_nameindex()]
    found = {"interfaces": interfaces, "probes": probes, "tasks": tasks, "alive": alive, "sent": record.take()}
    print(json.dumps(found))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
