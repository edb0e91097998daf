"""AdaPub over a stream that is made as it is published, and how much memory that takes (Linux).

python -m benchmarks.stream_memory 100000 1000
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from benchmarks.streaming import ROOT, status
from privacy_engine import noise
from privacy_engine.mechanisms.stream import StreamAdaPub

ROWS = 50


def publish(timestamps: int, dimensions: int) -> None:
    """Publish so many timestamps, a few at a time; nothing of them is left."""
    rng = np.random.default_rng(1)
    mechanism = StreamAdaPub(epsilon=1.0, window=100, sensitivity=1, mode="svt")
    run = mechanism.run(*mechanism.shares(), dimensions, noise.seeded(1), 1)
    for _ in range(timestamps // ROWS):
        run.advance(rng.integers(0, 50, (ROWS, dimensions)))


def peak_bytes(timestamps: int, dimensions: int) -> int:
    """How much a process of its own grows at most while it publishes."""
    command = [sys.executable, "-m", "benchmarks.stream_memory", str(timestamps), str(dimensions)]
    return int(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    publish(200, 3)  # loads what is compiled
    Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = status("VmRSS")
    publish(int(sys.argv[1]), int(sys.argv[2]))
    print(status("VmHWM") - before)


if __name__ == "__main__":
    main()
