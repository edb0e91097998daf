"""stream-shrink on cells with hardly any events: python -m benchmarks.sparse_grids [--runs 3]

Where the total of all dimensions is below its noise, nothing is better than publishing zeros. Events fall on the cells
of a grid alike, T timestamps with so many each. Shown are the mean absolute and relative errors by those of zeros.
"""

from __future__ import annotations

import argparse

import numpy as np

from benchmarks.stream_errors import errors, published
from benchmarks.stream_sets import counts
from benchmarks.stream_tables import table
from privacy_engine.data import CountStream
from privacy_engine.mechanisms.stream import StreamShrink

GRIDS = ((22, 306, 12), (200, 306, 12), (200, 306, 60), (200, 306, 306), (200, 51, 2), (200, 51, 20), (200, 8, 1))
WINDOWS = (5, 20, 100)


def grid(timestamps: int, cells: int, events: int) -> CountStream:
    """Counts of so many events at each timestamp, each in any cell alike."""
    rng = np.random.default_rng(0)
    return counts(rng.multinomial(events, np.full(cells, 1.0 / cells), size=timestamps))


def by_zeros(given: CountStream, window: int, objective: str, runs: int) -> tuple[float, float]:
    """Mean absolute and relative error by those of zeros."""
    mechanism = StreamShrink(epsilon=1.0, window=window, sensitivity=1, objective=objective)
    ours = np.mean([errors(given, published(given, mechanism, seed))[:2] for seed in range(runs)], axis=0)
    relative, absolute = ours / errors(given, np.zeros_like(given.counts))[:2]
    return float(absolute), float(relative)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    runs = parser.parse_args().runs
    lines = []
    for timestamps, cells, events in GRIDS:
        given = grid(timestamps, cells, events)
        for objective in ("relative", "absolute"):
            found = [by_zeros(given, window, objective, runs) for window in WINDOWS]
            shown = [f"{absolute:.2f}, {relative:.2f}" for absolute, relative in found]
            lines.append([f"{timestamps}, {cells}, {events}", objective, *shown])
    print(table(["T, cells, events", "objective", *(f"w = {w}" for w in WINDOWS)], lines))


if __name__ == "__main__":
    main()
