"""Errors of every mechanism of streams, run by run, for docs/results/papers.md: what is measured is stored as it comes.

A row is a mechanism with its variants, by name; ``zero`` publishes zeros. Run i of every row has the seed i. The store
is a file of JSON lines, ``{"key": [part, set, ε, w, row], "runs": [[…], …]}``: a run that was interrupted continues.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.stream_sets import FILES, last_dimensions
from privacy_engine import noise
from privacy_engine.analysis.stream_detection import detection
from privacy_engine.data import CountStream, hierarchy
from privacy_engine.data.stream_release import StreamRelease
from privacy_engine.mechanisms.base.mechanism import mechanisms
from privacy_engine.mechanisms.base.stream import StreamMechanism
from privacy_engine.metrics import StreamMeanAbsoluteError, StreamPearson, StreamRelativeError, StreamSpearman

EPSILONS, WINDOWS = (0.1, 0.5, 1.0, 2.0), (20, 100, 200)
METRICS = (StreamRelativeError(), StreamMeanAbsoluteError(), StreamPearson(), StreamSpearman())
OURS = "shrink"
VARIANTS: dict[str, list[dict[str, Any]]] = {
    "stream-fast": [{"samples": samples} for samples in (5, 10, 20)],
    "stream-adapub": [*({"mode": mode} for mode in ("code", "svt", "post", "text")), {"partition": "none"}],
    "stream-shrink": [{"objective": one} for one in ("relative", "absolute")],
}
THRESHOLDS = (1, 2, 5, 10, 20, 40, 80)
PAPER = ("StateFlu", "Uber", "OnlineRetail", "Syn")
"""The sets of the paper's figures 6 to 9."""
TREES = {
    "SF32": ("StateFlu", 32, {"binary": 16, "quad": 16}),
    "OR1024": ("OnlineRetail", 1024, {"binary": 512, "quad": 256}),
}
"""Sets of figures 13 and 14: of which set how many last dimensions, and how many groups the lowest level has."""
JUMP, LOW = ("jump", 10, 50.0), ("low-signal", 10, 300.0)
"""Figures 10 and 11: event, L, θ."""
SINGLE, SLOW_ROW, SLOW_DIMENSIONS, SLOW_RUNS = 5, "rescuedp", 500, 3

Key = tuple[str, str, float, int, str]
Runs = list[list[float]]


class Store:
    """Measured runs by key, appended to a file as they come."""

    def __init__(self, path: Path) -> None:
        self.path, self.found = path, dict[Key, Runs]()
        for line in path.read_text().splitlines() if path.exists() else ():
            one = json.loads(line)
            self.found[tuple(one["key"])] = one["runs"]

    def measured(self, key: Key, runs: int, measure: Callable[[int], list[float]]) -> None:
        """Add ``measure(seed)`` of each run under ``key`` unless it is there."""
        if len(self.found.get(key, ())) < runs:
            self.found[key] = [measure(seed) for seed in range(runs)]
            with self.path.open("a") as out:
                out.write(json.dumps({"key": key, "runs": self.found[key]}) + "\n")


def rows(epsilon: float, window: int) -> dict[str, StreamMechanism]:
    """Every mechanism and variant by the name of its row."""
    found = {}
    for cls in mechanisms.of("stream"):
        name = cls.registered_name()
        for variant in VARIANTS.get(name, [{}]):
            row = " ".join([name.removeprefix("stream-"), *map(str, variant.values())])
            found[row] = cls(epsilon=epsilon, window=window, sensitivity=1, **variant)
    return found


def errors(given: CountStream, published: np.ndarray) -> list[float]:
    """ARE, MAE, Pearson, Spearman."""
    release = StreamRelease(published, given.names, given.labels, None, np.zeros(len(given)))
    return [metric.of(given, release) for metric in METRICS]


def published(given: CountStream, mechanism: StreamMechanism, seed: int) -> np.ndarray:
    return np.asarray(mechanism.start(len(given.names), noise.seeded(seed), given.names).publish_all(given.counts))


def grid(store: Store, name: str, given: CountStream, runs: int) -> None:
    """Every row on every (ε, w)."""
    for epsilon, window in itertools.product(EPSILONS, WINDOWS):
        store.measured(("grid", name, epsilon, window, "zero"), 1, lambda _: errors(given, np.zeros_like(given.counts)))
        for row, mechanism in rows(epsilon, window).items():
            few = row == SLOW_ROW and len(given.names) > SLOW_DIMENSIONS
            times = min(runs, SLOW_RUNS) if few else runs * (SINGLE if len(given.names) == 1 else 1)
            key = ("grid", name, epsilon, window, row)
            store.measured(key, times, lambda seed, one=mechanism: errors(given, published(given, one, seed)))


def thresholds(store: Store, name: str, given: CountStream, runs: int) -> None:
    """Figure 6: AdaPub by its number of thresholds at (1, 100)."""
    for g in THRESHOLDS:
        mechanism = mechanisms["stream-adapub"](epsilon=1.0, window=100, sensitivity=1, thresholds=g)
        key = ("thresholds", name, 1.0, 100, str(g))
        store.measured(key, runs, lambda seed, one=mechanism: errors(given, published(given, one, seed))[:2])


def trees(store: Store, name: str, given: CountStream, runs: int) -> None:
    """Figures 13 and 14: ARE over all groups of a tree, flat mechanisms at ε/H for each level."""
    _, dimensions, lowest = TREES[name]
    for shape, parts in lowest.items():
        leaves = last_dimensions(given, dimensions, parts)
        tree = (hierarchy.halves if shape == "binary" else hierarchy.quarters)(parts)
        truth = _groups(tree, leaves.counts)
        for epsilon in EPSILONS:
            for row, measure in _of_trees(tree, leaves, shape, epsilon).items():
                key = (f"tree {shape}", name, epsilon, 100, row)
                store.measured(key, runs, lambda seed, one=measure, of=truth: [_relative(of, one(seed))])


def _groups(tree: hierarchy.Hierarchy, counts: np.ndarray) -> np.ndarray:
    return np.concatenate([tree.counts(i, counts) for i in range(len(tree.levels))], axis=1)


def _relative(truth: np.ndarray, found: np.ndarray) -> float:
    bound = 0.01 * truth.sum(axis=0)
    bound[bound == 0] = 1.0
    return float((np.abs(found - truth) / np.maximum(truth, bound)).mean())


def _of_trees(
    tree: hierarchy.Hierarchy, leaves: CountStream, shape: str, epsilon: float
) -> dict[str, Callable[[int], np.ndarray]]:
    flat = {"epsilon": epsilon / len(tree.levels), "window": 100, "sensitivity": 1}
    whole = flat | {"epsilon": epsilon}
    levels = [_stream(tree.counts(i, leaves.counts)) for i in range(len(tree.levels))]

    def by_level(mechanism: StreamMechanism) -> Callable[[int], np.ndarray]:
        def run(seed: int) -> np.ndarray:
            return np.concatenate([published(one, mechanism, 1000 * seed + i) for i, one in enumerate(levels)], axis=1)

        return run

    def from_leaves(mechanism: StreamMechanism) -> Callable[[int], np.ndarray]:
        return lambda seed: _groups(tree, published(leaves, mechanism, seed))

    adapub, hier = mechanisms["stream-adapub"], mechanisms["stream-hieradapub"]
    found = {"zero": lambda _: np.zeros((len(leaves), sum(tree.sizes)))}
    found["pegasus"] = by_level(mechanisms["stream-pegasus"](**flat))
    for mode in ("code", "text"):
        found[f"adapub {mode} none"] = by_level(adapub(**flat, mode=mode, partition="none"))
        found[f"adapub {mode}"] = by_level(adapub(**flat, mode=mode))
        found[f"hieradapub {mode}"] = from_leaves(hier(**whole, mode=mode, hierarchy=shape))
        found[f"hieradapub {mode} none"] = from_leaves(hier(**whole, mode=mode, hierarchy=shape, partition="none"))
    found["shrink"] = from_leaves(mechanisms["stream-shrink"](**whole))
    return found


def _stream(counts: np.ndarray) -> CountStream:
    return CountStream(counts, [f"n{k}" for k in range(counts.shape[1])], [str(t) for t in range(len(counts))])


def detections(store: Store, given: CountStream, runs: int) -> None:
    """Figures 10 and 11: areas under the curves of jumps and of low signals on Flu, w = 10."""
    for epsilon in (0.01, 0.1):
        for row, mechanism in rows(epsilon, 10).items():
            key = ("detection", "Flu", epsilon, 10, row)
            store.measured(key, runs, lambda seed, one=mechanism: _areas(given, published(given, one, seed)))


def _areas(given: CountStream, found: np.ndarray) -> list[float]:
    areas = []
    for event, length, threshold in (JUMP, LOW):
        curve = detection(given.counts, found.astype(np.float64), event, length, threshold)  # type: ignore[arg-type]
        areas.append(float("nan") if curve is None else curve.area)
    return areas


def runtimes(store: Store, name: str, given: CountStream, runs: int = 5) -> None:
    """Tables 5 and 6: seconds of CPU for one timestamp at (1, 100)."""
    for row, mechanism in rows(1.0, 100).items():
        key = ("runtime", name, 1.0, 100, row)
        store.measured(key, runs, lambda seed, one=mechanism: [_seconds(given, one, seed)])


def _seconds(given: CountStream, mechanism: StreamMechanism, seed: int) -> float:
    start = time.process_time()
    published(given, mechanism, seed)
    return (time.process_time() - start) / len(given)


def everything(store: Store, load: Callable[[str], CountStream], sets: list[str], runs: int) -> Iterator[str]:
    """Measure all parts on ``sets``; yields what is done."""
    for name in sets:
        given = load(name)
        if name == "Flu":
            detections(store, given, runs * SINGLE)
        if name in PAPER:
            thresholds(store, name, given, runs)
        for tree, (source, *_) in TREES.items():
            if source == name:
                trees(store, tree, given, runs)
        grid(store, name, given, runs)
        yield name
    for name in (one for one in sets if one in FILES):
        runtimes(store, name, load(name))
        yield f"run times on {name}"
