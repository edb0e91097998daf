"""Dummy landmarks: how many times faster the engine finds their order than plain loops, side by side in one run.

    python benchmarks/bench_landmarks.py

CPU time of this thread; medians of alternating rounds where the plain side takes less than a second, one round where it
takes more. Both sides must find the same order, or the run fails.
"""

from __future__ import annotations

import itertools
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from privacy_engine import noise
from privacy_engine.landmarks.dummies import heuristic_order, one_sided_dummies, optimal_order, partitioned_order
from privacy_engine.landmarks.orders import landmark_histogram
from privacy_engine.landmarks.synthetic import average_temporal_distance, sample_landmarks

TIE = 1e-12
ROUNDS = 5


def deviation(marks: np.ndarray, evaluation: str) -> float:
    """Of the gaps between marks, or of all events' distances to the nearest."""
    if evaluation == "gaps":
        return float(np.diff(marks).std())
    events = np.arange(1, marks[-1])
    right = np.searchsorted(marks, events)
    return float(np.minimum(events - marks[right - 1], marks[right] - events).std())


def plain_heuristic(mask: np.ndarray, evaluation: str) -> list[int]:
    """The algorithm as it is written, an evaluation in numpy: O(r²n)."""
    marks, order = np.concatenate(([0], np.flatnonzero(mask) + 1, [len(mask) + 1])), []
    aim = deviation(marks, evaluation)
    for _ in range(np.count_nonzero(~mask)):
        candidates = np.setdiff1d(np.arange(1, len(mask) + 1), marks)
        away = [
            abs(deviation(np.insert(marks, np.searchsorted(marks, t), t), evaluation) - aim)
            for t in candidates.tolist()
        ]
        chosen = int(candidates[np.argmax(np.array(away) <= min(away) + TIE)])
        order.append(chosen - 1)
        marks = np.insert(marks, np.searchsorted(marks, chosen), chosen)
    return order


def plain_optimal(mask: np.ndarray, evaluation: str) -> list[int]:
    """All orders, with every set evaluated once."""
    marks = np.concatenate(([0], np.flatnonzero(mask) + 1, [len(mask) + 1]))
    regular = np.flatnonzero(~mask).tolist()
    r = len(regular)
    values = {}
    for size in range(r + 1):
        for chosen in itertools.combinations(range(r), size):
            added = [regular[j] + 1 for j in chosen]
            values[sum(1 << j for j in chosen)] = deviation(np.sort(np.append(marks, added)).astype(int), evaluation)
    best, found, away = np.inf, [], []
    for order in itertools.permutations(range(r)):
        chosen, total = 0, 0.0
        for j in order:
            chosen |= 1 << j
            total += values[chosen]
        far = abs(total / r - values[0])
        if far <= best + 2 * TIE:
            best = min(best, far)
            found.append(order)
            away.append(far)
    limit = TIE if best <= TIE else best + TIE
    first = next(order for order, far in zip(found, away, strict=True) if far <= limit)
    return [regular[j] for j in first]


def plain_partitioned(mask: np.ndarray, distance: str) -> list[int]:
    """Every bin tried at every step; distances in floating point, so compared to the engine by eye only."""
    _, counts, room = landmark_histogram(mask)
    now, order, goal = counts.copy(), [], counts / counts.sum()
    for _ in range(int(room.sum() - counts.sum())):
        far = np.full(len(counts), np.inf)
        for i in np.flatnonzero(now < room):
            now[i] += 1
            apart = now / now.sum() - goal
            far[i] = np.abs(np.cumsum(apart)).sum() if distance == "wasserstein" else np.sqrt((apart**2).sum())
            now[i] -= 1
        order.append(int(np.argmax(far <= far.min() + TIE)))
        now[order[-1]] += 1
    return order


def cpu_s(work: Callable[[], object]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


def compare(title: str, fast: Callable[[], np.ndarray], plain: Callable[[], list[int]], *, exact: bool = True) -> None:
    """One line: milliseconds of either side, and their ratio."""
    ours = fast().tolist()  # compiles, or loads what was compiled before
    results: list[list[int]] = []
    sides: list[tuple[float, float]] = []
    while len(sides) < ROUNDS and (not sides or sides[0][1] < 1):
        taken = statistics.median(cpu_s(fast) for _ in range(ROUNDS))
        sides.append((taken, cpu_s(lambda: results.append(plain()))))
    a, b = (statistics.median(side) for side in zip(*sides, strict=True))
    if exact and ours != results[0]:
        raise SystemExit(f"{title}: the two sides differ")
    print(f"{title:<52} {a * 1e3:>10,.3f} {b * 1e3:>12,.1f} {b / a:>9,.0f}x", flush=True)


def alone(title: str, work: Callable[[], object]) -> None:
    work()
    print(f"{title:<52} {statistics.median(cpu_s(work) for _ in range(ROUNDS)) * 1e3:>10,.3f}", flush=True)


def main() -> None:
    print(f"{'':<52} {'engine ms':>10} {'plain ms':>12} {'ratio':>10}")
    rng = np.random.default_rng(0)
    for evaluation in ("gaps", "nearest"):
        for n in (100, 1000):
            mask = rng.random(n) < 0.2
            compare(
                f"Heuristic by {evaluation}, n = {n}, 20 % landmarks",
                lambda m=mask, e=evaluation: heuristic_order(m, e),
                lambda m=mask, e=evaluation: plain_heuristic(m, e),
            )
        for n in (11, 13):
            mask = np.arange(n) % 4 == 1
            compare(
                f"Optimal by {evaluation}, r = {np.count_nonzero(~mask)}",
                lambda m=mask, e=evaluation: optimal_order(m, e),
                lambda m=mask, e=evaluation: plain_optimal(m, e),
            )
    for distance in ("euclidean", "wasserstein"):
        mask = rng.random(5000) < 0.2
        compare(
            f"Partitioned, {distance}, n = 5,000, 20 % landmarks",
            lambda m=mask, d=distance: partitioned_order(m, d),
            lambda m=mask, d=distance: plain_partitioned(m, d),
            exact=False,
        )
    print("alone:")
    for n in (1000, 10_000, 100_000):
        mask = rng.random(n) < 0.2
        alone(f"Heuristic by gaps, n = {n:,}", lambda m=mask: heuristic_order(m))
        alone(f"Heuristic by nearest, n = {n:,}", lambda m=mask: heuristic_order(m, "nearest"))
    for r in (12, 14, 16):
        mask = np.arange(r + r // 2) % 3 == 1
        alone(f"Optimal by gaps, r = {np.count_nonzero(~mask)}", lambda m=mask: optimal_order(m))
        alone(f"Optimal by nearest, r = {np.count_nonzero(~mask)}", lambda m=mask: optimal_order(m, "nearest"))
    for name, mask in (("20 %", rng.random(100_000) < 0.2), ("100 in a row", np.arange(100_000) // 100 == 3)):
        alone(f"Partitioned, euclidean, n = 100,000, {name}", lambda m=mask: partitioned_order(m))
        alone(f"Partitioned, wasserstein, n = 100,000, {name}", lambda m=mask: partitioned_order(m, "wasserstein"))
    million = rng.random(10**6) < 0.2
    alone("average temporal distance, n = 1,000,000", lambda: average_temporal_distance(million))
    seeded = noise.seeded(1)
    alone("200,000 landmarks of 1,000,000", lambda: sample_landmarks(10**6, 200_000, "bimodal", rng=seeded))
    alone("one-sided selection, n = 1,000,000", lambda: one_sided_dummies(million, epsilon=1, rng=seeded))


if __name__ == "__main__":
    main()
