"""An import, its counts and a release of many people by one, two and four workers of a process each, by a real broker.

    python benchmarks/job_workers.py [POINTS] [PEOPLE] [ROUNDS] [MECHANISM] [s3]

Wall clock, so only an idle machine with as many cores as workers gives true figures: the load average is beside them.
CPU time is that of all worker processes, from the request until the release is done. Every release has the same seed,
so that all must be the same. With ``s3`` the files are on the S3 server of the tests, not in a folder: its process
runs beside the workers and its CPU time is stated, since it takes time of their cores where there are no more.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from the checkout, not installed

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.experiment_workers import server, spent
from dashboard.launcher.supervisor import WORKER
from tests.dashboard.worker_support.server import Server
from tests.s3_server import running_s3

WORKERS = (1, 2, 4)
COUNTS = {"cell_m": 2000.0, "step": "day", "time_zone": "UTC", "unit": "person", "most": 5}
MARKED = {
    "name": "Mondays",
    "method": {"name": "schedule", "days": ["mon"], "start": "08:00", "end": "09:00", "time_zone": "UTC"},
}


def write_points(path: Path, points: int, people: int) -> None:
    """Random walks, an event a minute, as a table of person, time, lat and lon."""
    rng, each = np.random.default_rng(0), points // people
    walk = np.cumsum(rng.normal(0, 2e-4, (2, people, each)), axis=2)
    lat, lon = walk + rng.uniform(-0.3, 0.3, (2, people, 1)) + np.array([52.5, 13.4]).reshape(2, 1, 1)
    names = pa.array([f"p{i:05d}" for i in range(people)])
    person = pa.DictionaryArray.from_arrays(np.repeat(np.arange(people, dtype=np.int32), each), names)
    seconds = np.tile(1_718_447_400 + 60 * np.arange(each), people)
    times = pa.array(seconds, pa.timestamp("s", tz="UTC"))
    columns = {"person": person, "time": times, "lat": lat.ravel().round(6), "lon": lon.ravel().round(6)}
    pq.write_table(pa.table(columns), path, compression="zstd")


def start(built: Server, workers: int) -> list[int]:
    """Start so many, and let each do a first job; the process groups."""
    command = f"-m celery -A dashboard.config.celery:app {WORKER.replace('--concurrency 2', '--concurrency 1')}"
    for number in range(workers):
        built.start_plain_worker(*command.split(), "-n", f"worker{number}@bench")
    time.sleep(8)  # they load what jobs need
    return [worker.process.pid for worker in built.workers]


def cpu(parents: list[int]) -> tuple[float, float]:
    """CPU seconds so far of the processes of all workers, and of the S3 server, a child of this process."""
    stores = [seconds for pid, seconds in spent(os.getpid()).items() if "tests.s3_server" in command_of(pid)]
    return sum(sum(spent(parent).values()) for parent in parents), sum(stores)


def command_of(pid: int) -> str:
    """The command line of a process."""
    return Path(f"/proc/{pid}/cmdline").read_text()


def done(built: Server, parents: list[int], path: str, body: dict[str, Any] | Path) -> tuple[Seconds, str]:
    """The seconds of a job that a request begins, and the id of its row; a release's row has its times."""
    before, began = cpu(parents), time.perf_counter()
    if isinstance(body, Path):
        made = built.control("upload", path=str(body), fields={"person": "column:person"})
    else:
        made = built.control("call", method="post", path=path, body=body)
    assert made["status"] in (201, 202), made
    kind = "releases" if path.endswith("releases/") else "datasets"
    address = f"/api/v1/{kind}/{made['json']['id']}/"
    while (row := built.control("call", method="get", path=address)["json"])["state"] in ("queued", "running"):
        time.sleep(0.5)  # a request takes CPU that workers need
    assert row["state"] in ("done", "ready"), row
    seconds = time.perf_counter() - began
    if "finished_at" in row:
        ended, made = (datetime.fromisoformat(row[name]) for name in ("finished_at", "created_at"))
        seconds = (ended - made).total_seconds()
    workers, store = (end - begin for end, begin in zip(cpu(parents), before, strict=True))
    return (seconds, workers, store), row["id"]


Seconds = tuple[float, float, float]
"""Wall clock, CPU of the workers, CPU of the S3 server."""
Median = dict[tuple[str, int], list[float]]


def measured(points: int, people: int, rounds: int, mechanism: str, storage: str) -> Median:
    """Median wall and CPU seconds by job and number of workers; all releases are checked to be the same."""
    body: dict[str, Any] = {"mechanism": {"name": mechanism, "epsilon": 1.0, "radius_m": 200.0}, "seed": 7}
    found: dict[tuple[str, int], list[Seconds]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        if storage == "s3":
            os.environ |= stack.enter_context(running_s3(folder)).environment("workers")
        built, path = stack.enter_context(server()), folder / "walks.parquet"
        write_points(path, points, people)
        digests = set()
        for number in range(rounds * len(WORKERS)):
            workers = WORKERS[number % len(WORKERS)]
            parents = start(built, workers)
            took = {"import": done(built, parents, "/api/v1/datasets/", path)}
            dataset = took["import"][1]
            took["counts"] = done(built, parents, f"/api/v1/datasets/{dataset}/aggregate/", COUNTS)
            if mechanism.startswith("landmark"):
                address = f"/api/v1/datasets/{dataset}/landmark-sets/"
                made = built.control("call", method="post", path=address, body=MARKED)
                body["landmark_set"] = made["json"]["id"]
            for job in ("release, first", "release"):  # the first loads what workers keep
                took[job] = done(built, parents, "/api/v1/releases/", body | {"dataset": dataset})
            digests.add(built.control("row", pk=took["release"][1])["data_sha256"])
            for job, (seconds, _) in took.items():
                found.setdefault((job, workers), []).append(seconds)
                wall, work, store = seconds
                print(f"{workers} workers: {job} {wall:6.2f} s, CPU {work:6.2f} s, S3 {store:.2f} s", flush=True)
            print(f"load {os.getloadavg()[0]:.1f}", flush=True)
            built.kill_workers()
    assert len(digests) == 1, digests
    return {key: [statistics.median(one) for one in zip(*rows, strict=True)] for key, rows in found.items()}


if __name__ == "__main__":
    usual = ("1e7", "1000", "3", "event-level", "folder")
    points, people, rounds, mechanism, storage = [*sys.argv[1:], *usual[len(sys.argv) - 1 :]]
    medians = measured(int(float(points)), int(people), int(rounds), mechanism, storage)
    print(f"{points} points of {people} people, {mechanism}, {storage}")
    for (job, workers), (seconds, work, store) in medians.items():
        alone = medians[job, 1]
        faster = f"{alone[0] / seconds:.2f} times as fast, CPU {work / alone[1]:.2f} times"
        print(f"  {job}, {workers} workers: {faster}, S3 server {store:.1f} s")
