"""Hashes of events of a large upload and of many earlier ones: python -m benchmarks.event_ledger [--events N]

N events are hashed and sorted, and compared with 50 earlier uploads of N / 10 events, whose hashes are read from files:
of other people, with a third of their events in common (as quarterly exports with a month of overlap have), and copies.
Times are CPU seconds of this process, kernels compiled before.
"""

from __future__ import annotations

import argparse
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from benchmarks.stream_tables import table
from privacy_engine.data import Trajectory
from privacy_engine.data.event_hashes import EventHashes, FreshEvents, Keys, Shared, classes, event_hashes, shared

KEYS = Keys(*(bytes(range(first, first + 16)) for first in range(4)))
UPLOADS = 50
COPIES = 5
T = TypeVar("T")


def walk(n: int, seed: int) -> Trajectory:
    """A fix every 5 seconds, each some metres from the one before."""
    rng = np.random.default_rng(seed)
    east, north = (np.cumsum(rng.normal(0, 1e-4, n)) % 2 for _ in range(2))
    return Trajectory(8 + east, 45 + north, 1.7e9 + np.arange(n) * 5.0)


def cpu_s(work: Callable[[], T]) -> tuple[T, float]:
    began = time.process_time()
    result = work()
    return result, time.process_time() - began


def hashed(*parts: Trajectory) -> FreshEvents:
    return event_hashes(Trajectory.kind, parts, KEYS)


def uploads(one: Trajectory) -> Mapping[str, Callable[[int], list[Trajectory]]]:
    """The i-th earlier upload by what they are."""
    n, size = len(one), len(one) // 10

    def part(i: int, length: int) -> Trajectory:
        start = i * (n - length) // UPLOADS
        return one.picked(slice(start, start + length))

    def copy(i: int, digits: int, later_s: float) -> list[Trajectory]:
        its = part(i, size)
        assert its.time_s is not None
        return [Trajectory(its.lon.round(digits), its.lat.round(digits), its.time_s + later_s)]

    return {
        "of other people": lambda i: [walk(size, i + 1)],
        "with a third in common": lambda i: [part(i, size // 3), walk(size - size // 3, i + 1)],
        "in another time zone": lambda i: copy(i, 7, 3600.0),
        "with positions of 3 decimals": lambda i: copy(i, 3, 0.0),
    }


def stored(folder: Path, series: list[Trajectory], i: int) -> Path:
    path = folder / f"{i}.hashes"
    with path.open("wb") as file:
        hashed(*series).write(file)
    return path


def compared(fresh: FreshEvents, paths: list[Path]) -> list[Shared | None]:
    fresh.__dict__.pop("table", None)  # made again: it is part of the work
    fresh.__dict__.pop("cells", None)
    return [shared(fresh, EventHashes.read(path)) for path in paths]


def rows(events: int, folder: Path) -> Iterator[list[str]]:
    one = walk(events, 0)
    for parts in ([one.first(1000)], [one.first(1000).moved(one.lon[:1000] + 1e-5, one.lat[:1000])]):
        shared(hashed(one.first(1000)), hashed(*parts))
    fresh, taken = min((cpu_s(lambda: hashed(one)) for _ in range(3)), key=lambda run: run[1])
    yield [f"hash and sort {events:,} events", f"{taken:.2f}", ""]
    path = stored(folder, [one], 0)
    again = EventHashes.read(path)
    (_, read_all), (_, read_exact) = cpu_s(lambda: path.read_bytes()), cpu_s(lambda: int(again.exact.sum()))
    size, exact_alone = f"{path.stat().st_size / 1e6:.0f} MB", f"exact alone {1000 * read_exact:.0f} ms"
    yield [f"read the file, {size}", f"{read_all:.2f}", exact_alone]
    for name, make in uploads(one).items():
        many = COPIES if name in ("in another time zone", "with positions of 3 decimals") else UPLOADS
        paths = [stored(folder, make(i), i) for i in range(many)]
        results, taken = min((cpu_s(partial(compared, fresh, paths)) for _ in range(3)), key=lambda run: run[1])
        found = [result for result in results if result is not None]
        share = f"{100 * np.mean([result.share for result in found]):.1f} % shared" if found else "none shared"
        yield [f"compare with {many} uploads of {events // 10:,} {name}", f"{taken:.2f}", share]
        if found:
            held = {i: result.one for i, result in enumerate(found)}
            parts, taken = cpu_s(partial(classes, len(fresh), held))
            yield [f"classes of the events that these {many} hold", f"{taken:.2f}", f"{len(parts):,} classes"]


def memory(events: int) -> list[str]:
    one = walk(events, 0)
    tracemalloc.start()
    fresh = hashed(one)
    held, peak = (value / 1e6 for value in tracemalloc.get_traced_memory())
    tracemalloc.stop()
    return [f"memory of {len(fresh):,} events", "", f"{held:.0f} MB, {peak:.0f} MB while they are sorted"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--events", type=int, default=10**7)
    events = parser.parse_args().events
    with tempfile.TemporaryDirectory() as folder:
        lines = [*rows(events, Path(folder)), memory(events)]
    print(table(["work", "CPU s", ""], lines))


if __name__ == "__main__":
    main()
