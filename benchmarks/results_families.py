"""stream-shrink beside all others on generated families of streams: docs/results/data/stream-families.csv.

    python -m benchmarks.results_families [--seeds 5] [--store FILE]

Seed i draws the stream i of each family and is the seed of its releases. Runs are stored as they come, so that an
interrupted run continues with the same --store. One process, about eight minutes of CPU, memory of one stream at a
time.
"""

from __future__ import annotations

import argparse
import itertools
from collections.abc import Iterator
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from scipy.special import stdtrit

from benchmarks.stream_errors import Runs, Store, errors, published, rows
from benchmarks.stream_families import FAMILIES, generated
from benchmarks.stream_sets import counts
from benchmarks.stream_tables import ARE, MAE, OURS, WITHIN
from benchmarks.written import commit, save

COLUMNS = ("family", "epsilon", "window", "error", "ratio", "half_interval", "better", "seeds", "commit")
CELLS = tuple(itertools.product((0.1, 1.0, 10.0), (10, 100)))
PART, ZERO = "family", "zero"
ALIKE = 1e-3
"""Mean errors up to the step of published estimates count as equal."""


def measure(store: Store, name: str, seeds: int) -> None:
    """All sound mechanisms on one family, and zeros."""
    streams = [counts(generated(name, seed)) for seed in range(seeds)]
    for epsilon, window in CELLS:
        for row, mechanism in rows(epsilon, window).items():
            if not mechanism.unsound:
                key = (PART, name, epsilon, window, row)
                store.measured(
                    key, seeds, lambda i, one=mechanism: errors(streams[i], published(streams[i], one, i))[:2]
                )
        key = (PART, name, epsilon, window, ZERO)
        store.measured(key, seeds, lambda i: errors(streams[i], np.zeros_like(streams[i].counts))[:2])


def ratio(ours: np.ndarray, other: np.ndarray) -> tuple[float, float]:
    """The quotient of two means over the same seeds, and half of its 95 % interval (Student's t, linearised)."""
    if max(ours.mean(), other.mean()) <= ALIKE:
        return 1.0, 0.0
    found = ours.mean() / max(other.mean(), ALIKE)
    apart = (ours - found * other) / max(other.mean(), ALIKE)
    return float(found), float(stdtrit(len(ours) - 1, 0.975) * apart.std(ddof=1) / np.sqrt(len(ours)))


def compared(found: dict[str, Runs], which: int) -> tuple[str, float, float]:
    """The row with the least mean error but ours, the error of ours by it, and half of the interval."""
    values = {row: np.array(runs)[:, which] for row, runs in found.items()}
    best = min((row for row in values if row not in OURS.values()), key=lambda row: float(values[row].mean()))
    return best, *ratio(values[OURS[which]], values[best])


def table(store: Store) -> Iterator[list[object]]:
    """Rows of :data:`COLUMNS`; ``better`` is a mechanism with an error that is more than 5 % below ours."""
    for which, name, cell in itertools.product((ARE, MAE), FAMILIES, CELLS):
        found = {key[4]: runs for key, runs in store.found.items() if key[:4] == (PART, name, *cell)}
        best, mean, half = compared(found, which)
        better = best if mean > WITHIN else ""
        yield [name, f"{cell[0]:g}", cell[1], ("ARE", "MAE")[which], f"{mean:.2f}", f"{half:.2f}", better]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--store", type=Path, default=Path(gettempdir(), "results_families.jsonl"))
    options = parser.parse_args()
    store = Store(options.store)
    for name in FAMILIES:
        measure(store, name, options.seeds)
        print(name, flush=True)
    at = [options.seeds, commit()]
    save("stream-families", COLUMNS, ([*row, *at] for row in table(store)))


if __name__ == "__main__":
    main()
