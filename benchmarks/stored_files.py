"""What files in S3 cost beside files in a local folder: each operation over both, in turns on one machine.

Usage: ``python -m benchmarks.stored_files [REPETITIONS]``. The S3 server is that of the tests (moto) at 127.0.0.1, so
the network costs next to nothing and the server much: the columns of CPU time are of this process alone.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

SIZES = (("1 kB", 1_000), ("1 MB", 1_000_000), ("40 MB", 40_000_000))
POINTS = 100_000


def measured(
    work: Callable[[], Any], repetitions: int, before: Callable[[], Any] = lambda: None
) -> tuple[float, float]:
    """Medians of wall and CPU time in ms."""
    walls, cpus = [], []
    for _ in range(repetitions):
        before()
        wall, cpu = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return 1000 * statistics.median(walls), 1000 * statistics.median(cpus)


def main(repetitions: int) -> None:
    from tests.s3_server import running_s3

    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "CAIRN_HOME": folder,
            "CAIRN_LOG": "WARNING",
            "DJANGO_SETTINGS_MODULE": "dashboard.config.settings",
        }
        import django

        django.setup()
        (Path(folder) / "s3").mkdir()
        with running_s3(Path(folder) / "s3") as server:
            rows = list(compared(server, Path(folder), repetitions))
    print("| | local, ms | S3, ms | local, CPU ms | S3, CPU ms |\n|---|---|---|---|---|")
    print("\n".join(rows))


def compared(server: Any, folder: Path, repetitions: int) -> Any:
    from dashboard.storage.local_storage import LocalFiles
    from tests.dashboard.storages_of_tests import host, used

    storages = {"local": LocalFiles(), "s3": host(server, "bench", folder / "cache", 1_000_000_000)}
    tables: dict[str, list[tuple[str, tuple[float, float]]]] = {}
    for name, storage in storages.items():
        with used(storage):
            tables[name] = list(operations(storage, repetitions))
    for (what, local), (_, s3) in zip(tables["local"], tables["s3"], strict=True):
        yield f"| {what} | {local[0]:.2f} | {s3[0]:.2f} | {local[1]:.2f} | {s3[1]:.2f} |"


def operations(storage: Any, repetitions: int) -> Any:
    import numpy as np

    from dashboard.storage import data_files
    from dashboard.storage.stored_path import StoredPath
    from privacy_engine.data import Trajectory

    numbers = iter(range(10**9))

    def fresh() -> StoredPath:
        return StoredPath(f"bench/{next(numbers)}")

    def forget(path: StoredPath) -> None:
        if storage.shared:
            storage._cache.forget(str(path))

    def write(path: StoredPath, content: bytes) -> None:
        with path.written() as out:
            out.write(content)

    write(fresh(), b"the first makes the connection")
    for title, size in SIZES:
        content = os.urandom(size)
        yield f"write {title}", measured(lambda content=content: write(fresh(), content), repetitions)
        path = fresh()
        write(path, content)
        first = measured(path.read_bytes, repetitions, lambda path=path: forget(path))
        yield f"read {title}, the first time on a host", first
        yield f"read {title} again", measured(path.read_bytes, repetitions)
    yield "whether a file is there", measured(path.exists, repetitions)
    rng = np.random.default_rng(1)
    lon, lat = (base + np.cumsum(rng.integers(-40, 41, POINTS)) / 1e6 for base in (2.3, 48.8))
    series = [Trajectory(lon, lat, 1.7e9 + 5.0 * np.arange(POINTS))]
    table = fresh()
    yield (
        f"store {POINTS:,} points",
        measured(lambda: data_files.write_data("trajectory", fresh(), series), repetitions),
    )
    data_files.write_data("trajectory", table, series)
    read = lambda: data_files.read_data("trajectory", table)  # noqa: E731
    yield f"read {POINTS:,} points, the first time on a host", measured(read, repetitions, lambda: forget(table))
    yield f"read {POINTS:,} points again", measured(read, repetitions)
    yield (
        "delete a folder of 10 files",
        measured(lambda: folders[-1].remove_folder(), repetitions, lambda: folders.append(_filled(fresh(), write))),
    )


folders: list[Any] = []


def _filled(folder: Any, write: Callable[[Any, bytes], None]) -> Any:
    for i in range(10):
        write(folder / str(i), b"x")
    return folder


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
