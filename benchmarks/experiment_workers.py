"""Two workers beside one on the same experiment, through a real broker; and what a part costs beyond its blocks.

    python benchmarks/experiment_workers.py [REPETITIONS] [ROUNDS]

Wall clock, so only an idle machine with two cores gives true figures: the load average is above the table, and beside
the seconds the CPU time of the busiest process, which shows how the work was shared even where others are at work. The
engine alone, in this process, is the measure of what workers add. Also what a first experiment takes in a process
forked from one that has loaded what workers load, and a request that is answered at once: medians.
"""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # run from the checkout, not installed

from dashboard.config.preload import load
from dashboard.launcher.supervisor import WORKER
from privacy_engine.experiments import ExperimentSpec, presets, run
from tests.dashboard.worker_support.server import Server

FIGURE = {
    "base": {
        "release": {"mechanism": {"name": "landmark-uniform", "epsilon": 1.0, "radius_m": 1.0}},
        "landmarks": {"name": "synthetic", "share": 0.5, "distribution": "uniform", "seed": 0},
    },
    "grid": {
        "landmarks.share": [0.0, 0.2, 0.4, 0.6, 0.8, 1.0],
        "release.mechanism.name": ["landmark-uniform", "landmark-skip", "landmark-adaptive"],
    },
    "repetitions": 100,
    "seed": 1,
    "metrics": ["error"],
}
AT_ONCE = {"name": "temporal-distance", "repetitions": 3}


@contextmanager
def server() -> Iterator[Server]:
    home = Path(tempfile.mkdtemp(prefix="cb-"))
    built = Server(home)
    try:
        yield built
    finally:
        built.close()
        shutil.rmtree(home)


def engine(params: dict[str, Any]) -> float:
    """Seconds of the engine alone, in this process."""
    preset = presets.parse(params)
    spec, series = preset.spec(), preset.data()
    began = time.perf_counter()
    run(spec, series)
    return time.perf_counter() - began


def spent(parent: int) -> dict[int, float]:
    """CPU seconds of each child of a process so far."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = path.read_text().rsplit(")", 1)[1].split()
            if int(fields[1]) == parent:
                found[int(path.parent.name)] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return found


def through_workers(built: Server, params: dict[str, Any], workers: int) -> tuple[float, float, int]:
    """With so many processes: seconds from request to table, CPU seconds of the busiest, how many parts there were."""
    options = WORKER.replace("--concurrency 2", f"--concurrency {workers}")
    built.start_plain_worker(*f"-m celery -A dashboard.config.celery:app {options}".split())
    finished(built, params | {"repetitions": 5, "seed": 2})  # it has started by then
    parent = built.workers[-1].process.pid
    before, began = spent(parent), time.perf_counter()
    parts = finished(built, params)
    seconds = time.perf_counter() - began
    busiest = max(cpu - before.get(pid, 0.0) for pid, cpu in spent(parent).items())
    built.kill_workers()
    for one in built.control("call", method="get", path="/api/v1/experiments/")["json"]["results"]:
        assert built.control("call", method="delete", path=one["urls"]["self"])["status"] == 204
    return seconds, busiest, parts


def finished(built: Server, params: dict[str, Any]) -> int:
    """Wait for the table; how many parts there were."""
    row = built.until_finished(built.submit_experiment(preset=params), within_s=600)
    return sum(row["parts"].values())


def forked(work: Callable[[], Any]) -> float:
    """Milliseconds of ``work`` in a child of this process, the first time it does it."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        began = time.perf_counter()
        work()
        os.write(write, str(time.perf_counter() - began).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(write)
    with os.fdopen(read) as output:
        return float(output.read()) * 1e3


def main(repetitions: int, rounds: int) -> None:
    load()
    spec, series = ExperimentSpec.parse(FIGURE), presets.parse({"name": "error-tdrive"}).data()
    first = [forked(lambda: run(spec, series)) for _ in range(5)]
    print(f"the paper's figure, the first in a process forked after loading: {statistics.median(first):.1f} ms")

    params = {"name": "correlated-loss", "repetitions": repetitions}
    with server() as built:
        responses = [
            built.control("call", method="post", path="/api/v1/experiments/", body={"preset": AT_ONCE | {"seed": seed}})
            for seed in range(21)
        ]
        assert {one["json"]["state"] for one in responses} == {"done"}
        took = [one["seconds"] * 1e3 for one in responses]
        print(f"a request answered at once: {statistics.median(took[1:]):.1f} ms, the first {took[0]:.0f} ms")
        for _ in range(rounds):
            print(f"load average {os.getloadavg()[0]:.1f}")
            alone = engine(params)
            one, one_cpu, parts = through_workers(built, params, 1)
            two, two_cpu, _ = through_workers(built, params, 2)
            more = (one - alone) / parts * 1e3
            print(f"  engine alone   {alone:8.2f} s")
            print(f"  one worker     {one:8.2f} s, CPU {one_cpu:6.2f} s, {parts} parts, {more:.1f} ms more a part")
            print(f"  two workers    {two:8.2f} s, CPU {two_cpu:6.2f} s")
            print(f"  one / two      {one / two:8.2f}    CPU {one_cpu / two_cpu:6.2f}")


if __name__ == "__main__":
    main(*(int(float(one)) for one in [*sys.argv[1:], "3500", "2"][:2]))
