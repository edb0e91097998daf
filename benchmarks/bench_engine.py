"""How many times faster the engine is than plain Python loops, both measured side by side in one run.

    python benchmarks/bench_engine.py

CPU time of this thread, medians of alternating rounds, so that a busy machine moves both sides alike.
"""

from __future__ import annotations

import math
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from privacy_engine import noise
from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.landmarks.staypoints import STAY_RADIUS_M, stay_points

ROUNDS = 5


def plain_series(matrix: list[list[float]], epsilons: list[float]) -> list[float]:
    """The backward loss as it is written: at every step all pairs of rows, columns sorted by ratio."""
    states, value, losses = range(len(matrix)), 0.0, []
    for epsilon in epsilons:
        best, odds = 0.0, math.expm1(value)
        for a in states:
            for b in states:
                q = d = 0.0
                for j in sorted(states, key=lambda j: -matrix[a][j] / max(matrix[b][j], 1e-300)):
                    q, d = q + matrix[a][j], d + matrix[b][j]
                    best = max(best, math.log((q * odds + 1) / (d * odds + 1)))
        value = epsilon + best
        losses.append(value)
    return losses


def plain_stays(lon: list[float], lat: list[float], time_s: list[float], distance: float, duration: float) -> list:
    """Stay points by a haversine for every step."""

    def away(i: int, j: int) -> float:
        phi, phi2 = math.radians(lat[i]), math.radians(lat[j])
        across = math.sin(math.radians(lon[j] - lon[i]) / 2) ** 2
        return (
            2
            * STAY_RADIUS_M
            * math.asin(math.sqrt(math.sin((phi2 - phi) / 2) ** 2 + math.cos(phi) * math.cos(phi2) * across))
        )

    i, groups = 0, []
    while i < len(lon):
        j = i + 1
        while j < len(lon) and away(i, j) <= distance:
            j += 1
        if time_s[j - 1] - time_s[i] >= duration:
            groups.append([i, j])
        i = j
    return groups


def plain_noise(lon: list[float], lat: list[float], epsilon: float) -> list[tuple[float, float]]:
    """Planar Laplace one point at a time: a gamma radius, a bearing, a destination."""
    moved = []
    for x, y in zip(lon, lat, strict=True):
        angle = random.gammavariate(2, 1 / epsilon) / 6371008.8
        bearing, phi = 2 * math.pi * random.random(), math.radians(y)
        sin_phi2 = math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * math.cos(bearing)
        east = math.sin(bearing) * math.sin(angle) * math.cos(phi)
        turned = math.degrees(math.atan2(east, math.cos(angle) - math.sin(phi) * sin_phi2))
        moved.append(((x + turned + 180) % 360 - 180, math.degrees(math.asin(sin_phi2))))
    return moved


def cpu_s(work: Callable[[], Any]) -> float:
    start = time.thread_time()
    work()
    return time.thread_time() - start


def compare(title: str, unit: str, fast: tuple[int, Callable[[], Any]], slow: tuple[int, Callable[[], Any]]) -> None:
    """One line: nanoseconds per ``unit`` of either side, and their ratio. A side is how many units, and the work."""
    fast[1]()  # compiles, or loads what was compiled before
    rounds = [(cpu_s(fast[1]) / fast[0], cpu_s(slow[1]) / slow[0]) for _ in range(ROUNDS)]
    ours, plain = (statistics.median(side) for side in zip(*rounds, strict=True))
    print(f"{title:<46} {ours * 1e9:>12,.1f} {plain * 1e9:>14,.0f} {plain / ours:>10,.0f}x   per {unit}")


def wandering(n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A walk that pauses: (lon, lat, time) with a fix every 5 s."""
    rng = np.random.default_rng(1)
    steps = rng.normal(0, 1e-4, (2, n)) * (np.sin(np.arange(n) / 500) > 0)
    return 116.4 + np.cumsum(steps[0]) % 1, 39.9 + np.cumsum(steps[1]) % 1, np.arange(n) * 5.0


def main() -> None:
    print(f"{'':<46} {'engine ns':>12} {'plain ns':>14} {'ratio':>11}")
    rng = np.random.default_rng(0)
    for states, steps in ((2, 200), (10, 20), (50, 1)):
        matrix = rng.dirichlet(np.ones(states), size=states)
        carried, budgets, rows = LossFunction(matrix), np.full(100_000, 0.1), matrix.tolist()
        compare(
            f"temporal loss of 100,000 steps, {states} states",
            "step",
            (200_000, lambda c=carried, b=budgets: temporal_loss(b, c, c)),  # backward and forward
            (steps, lambda r=rows, s=steps: plain_series(r, [0.1] * s)),
        )
        compare(
            f"  with its envelope built, 1,000 steps, {states} states",
            "step",
            (1000, lambda m=matrix, b=budgets[:1000]: temporal_loss(b, m)),
            (steps, lambda r=rows, s=steps: plain_series(r, [0.1] * s)),
        )
    lon, lat, times = wandering(2_000_000)
    few = [column[:20_000].tolist() for column in (lon, lat, times)]
    compare(
        "stay points of 2,000,000 fixes",
        "fix",
        (len(lon), lambda: stay_points(lon, lat, times, distance_m=200, duration_s=1800)),
        (len(few[0]), lambda: plain_stays(few[0], few[1], few[2], 200, 1800)),
    )
    compare(
        "planar Laplace of 1,000,000 points, seeded",
        "point",
        (1_000_000, lambda: noise.planar_laplace(lon[:1_000_000], lat[:1_000_000], 0.01, rng=noise.seeded(1))),
        (len(few[0]), lambda: plain_noise(few[0], few[1], 0.01)),
    )
    compare(
        "planar Laplace of 1,000,000 points, publishable",
        "point",
        (1_000_000, lambda: noise.planar_laplace(lon[:1_000_000], lat[:1_000_000], 0.01, rng=noise.publishable())),
        (len(few[0]), lambda: plain_noise(few[0], few[1], 0.01)),
    )
    landmark, pair = rng.random((9000, 100)) < 0.3, LossFunction(smoothing_matrix(2, 0.1))
    taken = cpu_s(lambda: landmark_temporal_loss(np.full(100, 0.01), landmark, pair, pair))
    again = cpu_s(lambda: landmark_temporal_loss(np.full(100, 0.01), landmark, pair, pair))
    print(f"landmark loss of 9,000 series of 100: {min(taken, again) * 1e3:.1f} ms")
    for states in (50, 200, 400):
        matrix = rng.dirichlet(np.ones(states), size=states)
        print(f"envelope of {states} states: {cpu_s(lambda m=matrix: LossFunction(m)) * 1e3:.1f} ms")


if __name__ == "__main__":
    main()
