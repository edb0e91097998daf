"""A large file of :mod:`benchmarks.large_files` through a server on its default settings: memory, CPU and wall clock.

python -m benchmarks.large_uploads csv|records|geolife [SHARE] [--keep-running]

The upload is sent by tus in the pieces of the browser; its connection is cut once in the middle, and the process that
reads the file is killed once half way. Linux only.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import re
import signal
import socket
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.large_files import NAMES, WRITERS
from tests.server import ROOT, Server

PIECE = 8_000_000  # as static/js/core/resumable_upload.js
TICKS = os.sysconf("SC_CLK_TCK")


class Watch(threading.Thread):
    """The most memory (MB) of each sort of process of a server, and the CPU seconds of all."""

    def __init__(self, server: Server) -> None:
        super().__init__(daemon=True)
        self.server = server
        self.most: dict[str, float] = {}
        self.cpu: dict[int, float] = {}
        self.busiest: int | None = None
        self.over = False

    def run(self) -> None:
        while not self.over:
            for pid, command in self.server.processes().items():
                with suppress(OSError, ValueError, IndexError):
                    self._look(pid, command)
            time.sleep(1)

    def _look(self, pid: int, command: str) -> None:
        sorts = {"launcher.web": "web", "celery": "worker", "redis": "broker"}
        sort = next((name for part, name in sorts.items() if part in command), "other")
        status = Path(f"/proc/{pid}/status").read_text()
        peak = int(re.findall(r"VmHWM:\s+(\d+) kB", status)[0]) / 1000
        self.most[sort] = max(peak, self.most.get(sort, 0.0))
        ticks = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        self.cpu[pid] = (int(ticks[11]) + int(ticks[12])) / TICKS

    def reading(self) -> int:
        """The worker's process that reads: of those it forked, the one that used most CPU time."""
        workers = self.server.process_ids("celery")
        parents = {int(_stat(pid)[1]) for pid in workers}
        return max((pid for pid in workers if pid not in parents), key=lambda pid: int(_stat(pid)[11]))


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


class Client:
    """Who uploads by the API."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.token = server.shell(".venv/bin/python manage.py token researcher").split()[-1]

    def request(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[http.client.HTTPMessage, Any]:
        wire = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=300)
        wire.request(method, path, body, self._headers() | {k.replace("_", "-"): v for k, v in headers.items()})
        answer = wire.getresponse()
        data = answer.read()
        wire.close()
        if answer.status >= 300:
            raise RuntimeError(f"{method} {path}: {answer.status} {data[:500]!r}")
        is_json = "json" in (answer.getheader("Content-Type") or "")
        return answer.headers, json.loads(data) if is_json else data

    def _headers(self) -> dict[str, str]:
        return {"Authorization": f"Token {self.token}", "Tus-Resumable": "1.0.0"}

    def upload(self, path: Path) -> Any:
        """Send a file in pieces, half of one of them twice, and make a dataset of it."""
        size = path.stat().st_size
        url = self.request("POST", "/api/v1/uploads/", Upload_Length=str(size))[0]["Location"]
        url = url.removeprefix(self.server.address)
        cut = False
        with path.open("rb") as file:
            while (offset := self._offset(url)) < size:
                file.seek(offset)
                piece = file.read(PIECE)
                if not cut and offset > size / 2:
                    cut = True
                    self._send_half(url, offset, piece)
                    continue
                kind = "application/offset+octet-stream"
                self.request("PATCH", url, piece, Upload_Offset=str(offset), Content_Type=kind)
        body = json.dumps({"upload": url.split("/")[-2], "name": path.name}).encode()
        return self.request("POST", "/api/v1/datasets/", body, Content_Type="application/json")[1]

    def _offset(self, url: str) -> int:
        return int(self.request("HEAD", url)[0]["Upload-Offset"])

    def _send_half(self, url: str, offset: int, piece: bytes) -> None:
        lines = [f"PATCH {url} HTTP/1.1", f"Host: 127.0.0.1:{self.server.port}", f"Upload-Offset: {offset}"]
        lines += [f"{name}: {value}" for name, value in self._headers().items()]
        lines += ["Content-Type: application/offset+octet-stream", f"Content-Length: {len(piece)}", "", ""]
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=60) as wire:
            wire.sendall("\r\n".join(lines).encode() + piece[: len(piece) // 2])

    def finished(self, row: Any, watch: Watch | None = None) -> tuple[Any, list[float]]:
        """The row once its job is over, and the progress that it had; with ``watch`` its process is killed once."""
        shares, killed = [], watch is None
        while row["state"] in ("queued", "running"):
            time.sleep(0.5)
            row = self.request("GET", row["urls"]["self"])[1]
            if row["state"] == "running":
                shares.append(row["progress"])
                if not killed and watch and row["progress"] > 0.4:
                    os.kill(watch.reading(), signal.SIGKILL)
                    killed = True
        return row, shares


@contextmanager
def running(home: Path) -> Iterator[Server]:
    """A server as `make run` starts it, without the installation."""
    server = Server(ROOT, home=home)
    server.start(".venv/bin/python", "manage.py", "run", limit_s=170)
    try:
        yield server
    finally:
        server.clear_away()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=list(WRITERS))
    parser.add_argument("share", type=float, nargs="?", default=1.0)
    parser.add_argument("--release", action="store_true", help="make one landmark-uniform release of it, too")
    parser.add_argument("--file", type=Path, help="an earlier result of benchmarks.large_files")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=chosen.file.parent if chosen.file else None) as folder:
        path = chosen.file or Path(folder, NAMES[chosen.kind])
        if not chosen.file:
            WRITERS[chosen.kind](path, chosen.share)
        with running(Path(folder, "home")) as server:
            watch = Watch(server)
            watch.start()
            measure(Client(server), watch, path, release=chosen.release)
            watch.over = True
            watch.join()


def measure(client: Client, watch: Watch, path: Path, *, release: bool) -> None:
    """Upload, read, look at the map; print what each step took."""
    began = time.monotonic()

    def report(step: str, **more: Any) -> None:
        time.sleep(1.5)
        cpu, seconds = sum(watch.cpu.values()), time.monotonic() - began
        peaks = ", ".join(f"{name} {most:.0f} MB" for name, most in sorted(watch.most.items()))
        print(f"{step}: {peaks}; CPU {cpu:.0f} s, wall {seconds:.0f} s {more or ''}", flush=True)

    report("started")
    row = client.upload(path)
    report("uploaded, cut once")
    row, shares = client.finished(row, watch)
    report("read, killed once", state=row["state"], points=row["points"], error=row["error"],
           steps=len(set(shares)), falls=sum(b < a for a, b in pairwise(shares)))  # fmt: skip
    client.request("GET", f"{row['urls']['track']}?west=13&north=52.8&width=1000&height=700&zoom=9&middle=13.4")
    report("map of one series")
    if release:
        method = {"name": "synthetic", "share": 0.01, "distribution": "uniform", "seed": 1}
        marks = _posted(client, "landmark-sets", dataset=row["id"], name="one per cent", method=method)
        mechanism = {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 200.0}
        made = _posted(client, "releases", dataset=row["id"], landmark_set=marks["id"], mechanism=mechanism)
        made, _ = client.finished(made)
        report("released", state=made["state"], error=made["error"])


def _posted(client: Client, what: str, **values: Any) -> Any:
    body = json.dumps(values).encode()
    return client.request("POST", f"/api/v1/{what}/", body, Content_Type="application/json")[1]


if __name__ == "__main__":
    main()
