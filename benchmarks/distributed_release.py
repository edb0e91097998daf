"""All events of a Parquet file released by one process, by two, and by two of which one is killed in the middle.

python -m benchmarks.distributed_release FILE OUT
"""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import psutil
import pyarrow.parquet as pq

from privacy_engine.data.trajectories import Trajectories
from privacy_engine.datatypes.labelled_release import Marks, release_trajectories
from privacy_engine.distributed import release_partitions
from privacy_engine.releases.spec import ReleaseSpec

SPEC = ReleaseSpec.parse({"mechanism": {"name": "event-level", "epsilon": 1.0, "radius_m": 100.0}, "seed": 5})
IN_RANGE = [("lat", ">=", -90), ("lat", "<=", 90), ("lon", ">=", -180), ("lon", "<=", 180)]


def single(file: str, out: Path) -> None:
    """The release in one process by the library's own functions."""
    table = pq.read_table(file, columns=["user", "time", "lon", "lat"], filters=IN_RANGE)
    who = np.array(table["user"].cast("string").to_numpy(False), dtype=str)
    time_s = table["time"].cast("int64").to_numpy() / 1e3
    order = np.lexsort((time_s, who))
    names, sizes = np.unique(who, return_counts=True)
    lon, lat = (table[name].to_numpy()[order] for name in ("lon", "lat"))
    tracks = Trajectories(lon, lat, np.append(0, np.cumsum(sizes)), names.tolist(), names.tolist(), time_s[order])
    out.mkdir()
    with (out / "part-00000.parquet").open("wb") as written:
        release_trajectories(SPEC, tracks, Marks.none(tracks)).write("parquet", written)


def equal(out: Path, other: Path) -> bool:
    """Whether two folders hold the same events in the same order."""
    columns = ([name] for name in ("lon", "lat", "time", "series"))
    return all(pq.read_table(out, columns=name).equals(pq.read_table(other, columns=name)) for name in columns)


def measured(how: str, file: str, out: Path, kill_after: float | None = None) -> tuple[float, float]:
    """Seconds and seconds of CPU of a run in a process of its own; prints the peak memory of each process."""
    start, peaks, ended = time.perf_counter(), dict[int, int](), 0
    command = [sys.executable, "-m", "benchmarks.distributed_release", file, str(out / how), how]
    process = subprocess.Popen(command)
    main = psutil.Process(process.pid)
    while not ended:
        time.sleep(0.05)
        for pid in (main.pid, *(child.pid for child in main.children(recursive=True))):
            with suppress(OSError, IndexError):  # it ended
                peaks[pid] = int(Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0])
        if kill_after and time.perf_counter() - start > kill_after:
            max(main.children(), key=lambda worker: worker.memory_info().rss).kill()
            kill_after = None
        ended, status, used = os.wait4(main.pid, os.WNOHANG)
    process.returncode = status
    assert (status, kill_after) == (0, None)
    seconds, cpu = time.perf_counter() - start, used.ru_utime + used.ru_stime
    shown = ", ".join(f"{peak * 1.024e-3:.0f}" for peak in sorted(peaks.values(), reverse=True))
    print(f"{how}: {seconds:.1f} s, CPU {cpu:.1f} s, peaks {shown} MB; load {os.getloadavg()[0]:.1f}", flush=True)
    return seconds, cpu


if __name__ == "__main__":
    file, out, how = sys.argv[1], Path(sys.argv[2]), sys.argv[3:]
    if how == ["single"]:
        single(file, out)
    elif how:
        release_partitions(file, SPEC, person="user", out=out, invalid="drop", scheduler="local:2")
    else:
        out.mkdir()
        one, two = measured("single", file, out), measured("two", file, out)
        killed = measured("killed", file, out, two[0] / 2)
        print("The goal is at most 700 MB in each process of two and killed.")
        for name, (seconds, cpu) in {"two": two, "killed": killed}.items():
            ratios = f"wall {seconds / one[0]:.2f}, CPU {cpu / one[1]:.2f} of single"
            print(f"{name}: {ratios}; same events: {equal(out / name, out / 'single')}")
