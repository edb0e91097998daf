"""Four clients that publish live at once through one web process: timestamps a minute, waiting times, CPU time.

python -m benchmarks.live_clients                     each client 250 timestamps a minute, then as fast as it can
python -m benchmarks.live_clients --seconds 20 --mechanism stream-adapub --dimensions 100 --postgresql
python -m benchmarks.live_clients --followers 200     how late timestamps reach readers of one stream instead

The server is a real process with a database of its own (SQLite, or PostgreSQL); each client owns one stream.
"""

from __future__ import annotations

import argparse
import os
import re
import selectors
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.streaming import ROOT
from privacy_engine.core.arrays import Floats
from tests import postgres
from tests.dashboard.test_live_streams_killed import SETUP, Client, Web
from tests.patience import until

CLIENTS = 4
PER_MINUTE = 1_000


@contextmanager
def database_url(folder: Path, postgresql: bool) -> Iterator[str]:
    """An empty database."""
    if not postgresql:
        yield f"sqlite:///{folder / 'cairn.sqlite3'}"
        return
    programs = postgres.programs()
    if programs is None:
        raise SystemExit("No PostgreSQL server is installed.")
    with postgres.cluster(programs) as url:
        yield url


def publish(client: Client, stream: str, seconds: float, interval: float, dimensions: int, waits: list[float]) -> None:
    """Publish a timestamp each ``interval`` seconds; 0: as soon as there is a response."""
    rng, begin, t = np.random.default_rng(1), time.monotonic(), len(waits)
    sent = 0
    while (now := time.monotonic()) < begin + seconds:
        if (wait := begin + sent * interval - now) > 0:
            time.sleep(wait)
            continue
        body = {"events": [{"time": t, "counts": rng.integers(0, 50, dimensions).tolist()}]}
        client.request(f"{stream}/events/", body)
        waits.append(time.monotonic() - now)
        t, sent = t + 1, sent + 1


def cpu_seconds(pid: int) -> float:
    """CPU time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(web: Web, clients: list[tuple[Client, str, list[float]]], interval: float, options: Any) -> None:
    """Let all clients publish at once; print what came of it."""
    first = [len(waits) for _, _, waits in clients]
    before, begin = cpu_seconds(web.process.pid), time.monotonic()
    threads = [
        threading.Thread(target=publish, args=(*one[:2], options.seconds, interval, options.dimensions, one[2]))
        for one in clients
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took, cpu = time.monotonic() - begin, cpu_seconds(web.process.pid) - before
    waits = np.concatenate([waits[start:] for start, (_, _, waits) in zip(first, clients, strict=True)]) * 1e3
    middle, late = np.percentile(waits, [50, 99])
    print(
        f"{len(waits) / took * 60:,.0f} timestamps a minute; response after {middle:.0f} ms, 99 % in {late:.0f} ms; "
        f"{cpu / took:.0%} of one core used"
    )


class Followers(threading.Thread):
    """Connections that receive a stream as it is published: when each timestamp came, a row of times a connection."""

    def __init__(self, web: Web, path: str, token: str, number: int) -> None:
        super().__init__(daemon=True)
        self.came: list[list[float]] = [[] for _ in range(number)]
        self.connected, self.stop = 0, threading.Event()
        self._selector = selectors.DefaultSelector()
        head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Token {token}\r\n\r\n".encode()
        for times in self.came:
            connection = socket.create_connection(web.socket.getsockname(), timeout=30)
            connection.sendall(head)
            self._selector.register(connection, selectors.EVENT_READ, times)

    def run(self) -> None:
        """Receive until :attr:`stop`."""
        while not self.stop.is_set():
            for key, _ in self._selector.select(0.1):
                found, now = key.fileobj.recv(65_536), time.monotonic()  # type: ignore[union-attr]
                self.connected += b"event: state" in found and not key.data
                key.data.extend([now] * len(re.findall(rb"^id: ", found, re.MULTILINE)))
        for key in list(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]


def delays(web: Web, token: str, *, followers: int, timestamps: int) -> Floats:
    """Seconds from the request of a timestamp, one a second, until each follower has it: (followers, timestamps)."""
    client = Client(web.url, token)
    described = {"name": "stream-sample", "epsilon": 1.0, "window": 7, "sensitivity": 1}
    stream = client.until_answered("", {"name": "Followed", "dimensions": ["a"], "mechanism": described})["id"]
    threads, sent = Followers(web, f"/api/v1/streams/{stream}/live/", token, followers), list[float]()
    threads.start()
    try:
        until(lambda: threads.connected == followers, 30, lambda: f"{threads.connected} are connected")
        for t in range(timestamps):
            time.sleep(1.0)
            sent.append(time.monotonic())
            client.request(f"{stream}/events/", {"events": [{"time": t, "counts": [t]}]})
        until(lambda: all(len(times) == timestamps for times in threads.came), 10, "not every one has all")
    finally:
        threads.stop.set()
        threads.join()
    return np.array(threads.came) - sent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--mechanism", default="stream-shrink")
    parser.add_argument("--dimensions", type=int, default=50)
    parser.add_argument("--postgresql", action="store_true")
    parser.add_argument("--followers", type=int, default=0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, database_url(Path(folder), options.postgresql) as url:
        environment = os.environ | {"CAIRN_HOME": folder, "DJANGO_SETTINGS_MODULE": "dashboard.config.settings"}
        environment |= {"CAIRN_ALLOWED_HOSTS": "127.0.0.1", "DATABASE_URL": url, "PYTHONPATH": str(ROOT)}
        subprocess.run([sys.executable, "manage.py", "migrate", "-v0"], cwd=ROOT, env=environment, check=True)
        made = subprocess.run([sys.executable, "-c", SETUP], env=environment, cwd=ROOT, check=True, capture_output=True)
        web = Web(environment)
        try:
            if options.followers:
                found = delays(web, made.stdout.decode().strip(), followers=options.followers, timestamps=20)
                print(f"{options.followers} followers: after {np.median(found):.2f} s, at most {found.max():.2f} s")
                return
            mechanism = {"name": options.mechanism, "epsilon": 1.0, "window": 100, "sensitivity": 1}
            names = [f"area {i + 1}" for i in range(options.dimensions)]
            clients = []
            for i in range(CLIENTS):
                client = Client(web.url, made.stdout.decode().strip())
                body = {"name": f"Client {i + 1}", "dimensions": names, "mechanism": mechanism}
                clients.append((client, client.until_answered("", body)["id"], list[float]()))
            for interval in (CLIENTS * 60 / PER_MINUTE, 0.0):
                measure(web, clients, interval, options)
        finally:
            web.end()


if __name__ == "__main__":
    main()
