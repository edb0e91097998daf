"""stream-shrink beside all others on generated families of streams: the part "families" of docs/results/streams.md.

    python -m benchmarks.results_families [--seeds 5] [--store FILE]

Seed i draws the stream i of each family and is the seed of its releases. Runs are stored as they come, so that an
interrupted run continues with the same --store. One process, about eight minutes of CPU, memory of one stream at a
time.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path
from tempfile import gettempdir

import numpy as np
from scipy.special import stdtrit

from benchmarks.stream_errors import Runs, Store, errors, published, rows
from benchmarks.stream_families import FAMILIES, generated
from benchmarks.stream_sets import ROOT, counts
from benchmarks.stream_tables import ARE, MAE, OURS, WITHIN, table
from benchmarks.written import commit, write

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


def part(store: Store, which: int) -> str:
    """The table of one error, and how often ours is within 5 %."""
    lines, ratios, certain = [], [], 0
    for name in FAMILIES:
        cells = []
        for cell in CELLS:
            found = {key[4]: runs for key, runs in store.found.items() if key[:4] == (PART, name, *cell)}
            best, mean, half = compared(found, which)
            ratios.append(mean)
            certain += mean - half > WITHIN
            shown = f"{mean:.2f} ± {half:.2f}" if half else f"{mean:.2f}"
            cells.append(f"**{shown}** {best}" if mean > WITHIN else shown)
        lines.append([name.partition(":")[0], *cells])
    within = sum(one <= WITHIN for one in ratios)
    mean = np.exp(np.mean(np.log(np.maximum(ratios, 1e-2))))
    text = (
        f"Within 5 % in {within} of {len(ratios)} cells, {mean:.2f} on geometric average; "
        f"beyond 5 % by the whole interval in {certain}."
    )
    head = [("ARE", "MAE")[which], *(f"{epsilon:g}, {window}" for epsilon, window in CELLS)]
    return f"{table(head, lines)}\n\n{text}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--store", type=Path, default=Path(gettempdir(), "results_families.jsonl"))
    options = parser.parse_args()
    store = Store(options.store)
    for name in FAMILIES:
        measure(store, name, options.seeds)
        print(name, flush=True)
    described = "\n".join(f"- {name}" for name in FAMILIES)
    text = f"Commit {commit()}, {options.seeds} seeds.\n\n{described}\n\n{part(store, ARE)}\n\n{part(store, MAE)}"
    write(ROOT / "docs" / "results" / "streams.md", text, "families")


if __name__ == "__main__":
    main()
