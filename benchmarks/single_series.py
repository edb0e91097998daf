"""stream-shrink with one dimension on many series: python -m benchmarks.single_series [--runs 6]

A table of papers.md has each set from its first timestamp, and few windows: whether a mechanism that samples once
in a window comes on a usual count decides its figure there. Here are the two sets of one dimension, each begun at ten
timestamps, and columns of four others, from those with the most counts to those with next to none. Shown is the mean
absolute error of stream-shrink by that of the best other mechanism or zeros: the geometric mean over columns, and for
starts the mean error over them by the least such mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.stream_errors import published, rows
from benchmarks.stream_sets import stream
from benchmarks.stream_tables import table
from privacy_engine.data import CountStream

STARTS = range(0, 100, 10)
COLUMNS = {"StateFlu": 10, "Uber": 6, "City": 6, "Syn": 2}
CELLS = ((0.1, 20), (0.1, 100), (0.1, 200), (0.5, 20), (0.5, 100), (1.0, 20), (1.0, 100), (1.0, 200))
OURS = "shrink absolute"
OTHERS = ("uniform", "sample", "bd", "ba", "fast", "pegasus", "kalman", "kalman-uniform")

Ratio = Callable[[np.ndarray, np.ndarray], float]


def part(given: CountStream, start: int, column: int) -> CountStream:
    counts = given.counts[start:, column : column + 1]
    return CountStream(counts, [given.names[column]], given.labels[start:])


def of_means(ours: np.ndarray, others: np.ndarray) -> float:
    """The mean of ``ours`` (n,) by the least one of ``others`` (rows, n)."""
    return float(ours.mean() / others.mean(axis=1).min())


def geometric(ours: np.ndarray, others: np.ndarray) -> float:
    """The geometric mean of ``ours`` (n,) by the least of ``others`` (rows, n)."""
    return float(np.exp(np.log(ours / others.min(axis=0)).mean()))


def series() -> Iterator[tuple[str, list[CountStream], Ratio]]:
    """Name of each group, its series, and how their ratios are averaged."""
    for name in ("Unemployment", "Flu"):
        given = stream(name)
        yield f"{name}, {len(STARTS)} starts", [part(given, start, 0) for start in STARTS], of_means
    for name, many in COLUMNS.items():
        given = stream(name)
        order = np.argsort(-given.counts.sum(axis=0), kind="stable")
        chosen = order[:: max(len(order) // many, 1)][:many]
        yield f"{name}, {many} columns", [part(given, 0, int(column)) for column in chosen], geometric


def errors(group: list[CountStream], epsilon: float, window: int, runs: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean absolute errors of stream-shrink on each series, (n,), and of the other rows and zeros, (rows, n)."""
    found = {"zero": [one.counts.mean() for one in group]}
    for row, mechanism in rows(epsilon, window).items():
        if row.split()[0] in OTHERS or row == OURS:
            found[row] = [
                np.mean([np.abs(published(one, mechanism, seed) - one.counts).mean() for seed in range(runs)])
                for one in group
            ]
    return np.array(found.pop(OURS)), np.array(list(found.values()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=6, help="of each series (%(default)s)")
    options = parser.parse_args()
    lines = [
        [name, *(f"{ratio(*errors(group, *cell, options.runs)):.2f}" for cell in CELLS)]
        for name, group, ratio in series()
    ]
    print(table(["series", *(f"({epsilon:g}, {window})" for epsilon, window in CELLS)], lines))


if __name__ == "__main__":
    main()
