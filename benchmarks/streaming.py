"""Adaptive streamed over the wandering series, and how much memory that takes beyond the series (Linux).

python -m benchmarks.streaming 10000000
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.series import wandering
from privacy_engine.analysis.simulation import simulate_errors
from privacy_engine.core.arrays import Floats
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.landmark import Adaptive

ROOT = Path(__file__).resolve().parents[1]
REPETITIONS = 10  # more take longer, and no more memory
RETURNED = {"MALLOC_MMAP_THRESHOLD_": "65536"}  # what is freed leaves the process and cannot hide what is taken


def landmarks(n: int) -> np.ndarray:
    """A fifth of the events, (n,)."""
    return np.random.default_rng(0).random(n) < 0.2


def streamed(n: int, repetitions: int, *, share: float | None = 1 / 400) -> Callable[[], Floats]:
    """Errors of Adaptive over ``n`` events at 1 m; the first share of ε is ``share``, or ε is 1.

    With ε = 1 the noise would grow with the series: 2 million landmarks make it larger than the Earth.
    """
    mask = landmarks(n)
    series, marks = Trajectory(*wandering(n)[:2]), LandmarkSet(mask)
    mechanism = Adaptive(epsilon=(marks.count + 1) * share if share else 1.0, radius_m=1)
    return lambda: simulate_errors(mechanism, series, marks, seed=1, repetitions=repetitions)


def peak_bytes(n: int) -> int:
    """How much a process of its own grows at most while it streams ``n`` events."""
    command = [sys.executable, "-m", "benchmarks.streaming", str(n)]
    found = subprocess.run(command, cwd=ROOT, env=os.environ | RETURNED, capture_output=True, text=True, check=True)
    return int(found.stdout)


def main() -> None:
    streamed(1000, REPETITIONS)()  # loads what is compiled
    work = streamed(int(sys.argv[1]), REPETITIONS)
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = status("VmRSS")
    work()
    print(status("VmHWM") - before)


def status(field: str) -> int:
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(lines[field].split()[0]) * 1024


if __name__ == "__main__":
    main()
