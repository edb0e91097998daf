"""stream-shrink with one dimension on many series: python -m benchmarks.single_series [--runs 6]

A table of docs/results.md has each set from its first timestamp, and few windows: whether a mechanism that samples once
in a window comes on a usual count decides its figure there. Here are the two sets of one dimension, each begun at ten
timestamps, and columns of four others, from those with the most counts to those with next to none. Shown is the mean
absolute error of stream-shrink by that of the best other mechanism or zeros: the geometric mean over columns, and for
starts the mean error over them by the least such mean.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from benchmarks.stream_errors import published, rows
from benchmarks.stream_sets import stream
from privacy_engine.data import CountStream

STARTS = range(0, 100, 10)
COLUMNS = {"StateFlu": 10, "Uber": 6, "City": 6, "Syn": 2}
CELLS = ((0.1, 20), (0.1, 100), (0.1, 200), (0.5, 20), (0.5, 100), (1.0, 20), (1.0, 100), (1.0, 200))
OTHERS = ("uniform", "sample", "bd", "ba", "fast", "pegasus", "kalman", "kalman-uniform")


def part(given: CountStream, start: int, column: int) -> CountStream:
    counts = given.counts[start:, column : column + 1]
    return CountStream(counts, [given.names[column]], given.labels[start:])


def series() -> Iterator[tuple[str, list[CountStream]]]:
    """Name of each group, and its series."""
    for name in ("Unemployment", "Flu"):
        given = stream(name)
        yield f"{name}, {len(STARTS)} starts", [part(given, start, 0) for start in STARTS]
    for name, many in COLUMNS.items():
        given = stream(name)
        order = np.argsort(-given.counts.sum(axis=0), kind="stable")
        chosen = order[:: max(len(order) // many, 1)][:many]
        yield f"{name}, {many} columns", [part(given, 0, int(column)) for column in chosen]


def errors(group: list[CountStream], epsilon: float, window: int, runs: int) -> dict[str, np.ndarray]:
    """Mean absolute error of each row on each series."""
    found = {"zero": np.array([one.counts.mean() for one in group])}
    for row, mechanism in rows(epsilon, window).items():
        if row.split()[0] in OTHERS or row == "shrink absolute":
            found[row] = np.array(
                [
                    np.mean([np.abs(published(one, mechanism, seed) - one.counts).mean() for seed in range(runs)])
                    for one in group
                ]
            )
    return found


def ratio(found: dict[str, np.ndarray], starts: bool) -> float:
    ours = found["shrink absolute"]
    others = np.array([of_row for row, of_row in found.items() if row != "shrink absolute"])
    if starts:
        return float(ours.mean() / others.mean(axis=1).min())
    return float(np.exp(np.log(ours / others.min(axis=0)).mean()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=6, help="of each series (%(default)s)")
    options = parser.parse_args()
    print(f"| series | {' | '.join(f'({epsilon:g}, {window})' for epsilon, window in CELLS)} |")
    print("| --- " * (len(CELLS) + 1) + "|")
    for name, group in series():
        found = [ratio(errors(group, *cell, options.runs), "starts" in name) for cell in CELLS]
        print(f"| {name} | {' | '.join(f'{one:.2f}' for one in found)} |", flush=True)


if __name__ == "__main__":
    main()
