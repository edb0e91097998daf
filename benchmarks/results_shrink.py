"""Errors of stream-shrink by those of the best other row, over 72 cells; prints the tables of docs/results.md.

    python benchmarks/results_shrink.py [--runs 10] [--sets Flu,Syn,City] [--data ../shared/data/streams] [--cache FILE]

A cell is a set, a level ε and a window w. "Best other" is the smallest mean error of publishing zeros and of every
sound mechanism of streams, with the variants below. City is generated (benchmarks/city_stream.py) and beside the 72.
Runs of a single series are ten times as many: they vary most. With ``--cache`` errors of other rows are read and stored
there. What is printed was measured in this run or that cache; seeds are fixed.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import itertools
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from benchmarks.city_stream import city_stream
from privacy_engine import noise
from privacy_engine.data import CountStream
from privacy_engine.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import StreamMechanism
from privacy_engine.metrics import StreamMeanAbsoluteError, StreamRelativeError
from privacy_engine.stream_release import StreamRelease

ROOT = Path(__file__).resolve().parents[1]
EPSILONS, WINDOWS = (0.1, 0.5, 1.0, 2.0), (20, 100, 200)
OURS = "stream-shrink"
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "stream-fast": [{"samples": samples} for samples in (5, 10, 20)],
    "stream-adapub": [{"mode": mode} for mode in ("code", "svt", "post")],
}
FILES = {
    "Flu": "flu_hhs4.csv",
    "StateFlu": "stateflu.csv",
    "Uber": "uber212.csv",
    "OnlineRetail": "online_retail.csv.gz",
    "Syn": "syn.csv",
    "Unemployment": "unemployment.csv",
}
OBJECTIVES = ("relative", "absolute")


def stream(name: str, data: Path) -> CountStream:
    """A set by its name."""
    if name == "City":
        rows = city_stream()
    else:
        raw = (data / FILES[name]).read_bytes()
        text = gzip.decompress(raw).decode() if FILES[name].endswith("gz") else raw.decode()
        lines = list(csv.reader(text.splitlines()))[1:]
        rows = np.array([line if name == "Syn" else line[1:] for line in lines], dtype=np.float64).astype(np.int64)
    return CountStream(rows, [f"n{k}" for k in range(rows.shape[1])], [str(t) for t in range(len(rows))])


def errors(given: CountStream, counts: np.ndarray) -> tuple[float, float]:
    """ARE and MAE."""
    release = StreamRelease(counts, given.names, given.labels, None, np.zeros(len(given)))
    return StreamRelativeError().of(given, release), StreamMeanAbsoluteError().of(given, release)


def measured(given: CountStream, mechanism: StreamMechanism, runs: int) -> list[float]:
    """Mean ARE and MAE of ``runs`` seeded releases."""
    found = []
    for seed in range(runs):
        run = mechanism.start(len(given.names), noise.seeded(seed))
        found.append(errors(given, run.publish_all(given.counts)))
    return np.mean(found, axis=0).tolist()


def others(how: dict[str, Any]) -> dict[str, StreamMechanism]:
    """Every sound mechanism but ours, by the name of its row."""
    found = {}
    for cls in mechanisms.of("stream"):
        name = cls.registered_name()
        for variant in VARIANTS.get(name, [{}]) if name != OURS else []:
            mechanism = cls(**how, **variant)
            if not mechanism.unsound:
                found[" ".join([name.removeprefix("stream-"), *map(str, variant.values())])] = mechanism
    return found


def cell(
    name: str, given: CountStream, epsilon: float, window: int, runs: int, cache: dict[str, Any]
) -> dict[str, Any]:
    """Errors of all rows of a cell: [ARE, MAE] by name; ours by objective."""
    how = {"epsilon": epsilon, "window": window, "sensitivity": 1}
    key = f"{name} {epsilon} {window} {runs}"
    rows = cache.setdefault(key, {"zero": list(errors(given, np.zeros_like(given.counts)))})
    for row, mechanism in others(how).items():
        if row not in rows:
            rows[row] = measured(given, mechanism, runs)
    ours = {one: measured(given, mechanisms[OURS](**how, objective=one), runs) for one in OBJECTIVES}
    return {"others": rows, "ours": ours}


def table(cells: dict[tuple[str, float, int], dict[str, Any]], which: int) -> tuple[str, list[float]]:
    """A table of one error (0: ARE, 1: MAE) with our objective for it, and the ratios to the best other row."""
    title = ("ARE", "MAE")[which]
    lines = [f"| set | ε | w | {title} | ratio | best other |", "|---|---|---|---|---|---|"]
    ratios = []
    for (name, epsilon, window), found in cells.items():
        best = min(found["others"], key=lambda row: found["others"][row][which])
        ours = found["ours"][OBJECTIVES[which]][which]
        ratios.append(ours / found["others"][best][which])
        value = f"{found['others'][best][which]:.4g}"
        lines.append(f"| {name} | {epsilon:g} | {window} | {ours:.4g} | {ratios[-1]:.3f} | {value} {best} |")
    return "\n".join(lines), ratios


def summary(ratios: list[float]) -> str:
    within = sum(ratio <= 1.05 for ratio in ratios)
    mean = float(np.exp(np.mean(np.log(ratios))))
    return f"geometric mean {mean:.3f}, largest {max(ratios):.2f}, within 5 % in {within} of {len(ratios)} cells"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--sets", default=",".join([*FILES, "City"]))
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data" / "streams")
    parser.add_argument("--cache", type=Path)
    options = parser.parse_args()
    cache = json.loads(options.cache.read_text()) if options.cache and options.cache.exists() else {}
    for name in options.sets.split(","):
        given, cells = stream(name, options.data), {}
        runs = options.runs * (10 if len(given.names) == 1 else 1)
        for epsilon, window in itertools.product(EPSILONS, WINDOWS):
            cells[name, epsilon, window] = cell(name, given, epsilon, window, runs, cache)
            if options.cache:
                options.cache.write_text(json.dumps(cache))
        for which, title in enumerate(("ARE", "MAE")):
            text, ratios = table(cells, which)
            print(f"{text}\n\n{name}, {title}: {summary(ratios)}\n", flush=True)


if __name__ == "__main__":
    main()
