"""What noise costs: the simulations' kernel and the publishable sampler against numpy, side by side in one run.

    python benchmarks/bench_noise.py

CPU time of this thread, medians of alternating rounds, so that a busy machine moves both sides alike.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # the engine is run from the checkout, not installed

from privacy_engine import geo, noise

ROUNDS, EVENTS, REPETITIONS = 9, 10_000, 100
DRAWS = EVENTS * REPETITIONS
EPSILON = np.full(EVENTS, 0.01)
LON, LAT = np.full(EVENTS, 116.4), np.full(EVENTS, 39.9)


def numpy_polar(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """As one would write it with numpy, without the sphere's thinning."""
    return rng.gamma(2.0, 1 / EPSILON), 2 * np.pi * rng.random(EVENTS)


def numpy_planar(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    return geo.destination(LON, LAT, *numpy_polar(rng))


def repeated(draw: Callable[[np.random.Generator], Any]) -> None:
    rng = np.random.default_rng(1)
    for _ in range(REPETITIONS):
        draw(rng)


def ours_polar() -> None:
    noise.simulated_polar(EPSILON, seed=1, repetition=np.arange(REPETITIONS))


def ours_planar() -> None:
    noise.simulated_planar(LON, LAT, EPSILON, seed=1, repetition=np.arange(REPETITIONS))


def publishable() -> None:
    for _ in range(REPETITIONS):
        noise.planar_laplace(LON, LAT, EPSILON, rng=noise.publishable())


def kernel() -> Callable[[], None]:
    """The draws alone, into arrays that are there: what a simulation's own loop pays."""
    from privacy_engine.kernels.philox import polar

    key, scale, radius, bearing = np.array([1, 2], dtype=np.uint64), 1 / EPSILON, np.empty(EVENTS), np.empty(EVENTS)

    def work() -> None:
        for repetition in range(REPETITIONS):
            polar(key, np.uint64(repetition), np.uint64(0), scale, radius, bearing)

    return work


def cpu_ns(work: Callable[[], Any]) -> float:
    start = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - start) / DRAWS


def compare(title: str, ours: Callable[[], Any], theirs: Callable[[], Any]) -> None:
    """One line: nanoseconds a draw of either side, and their ratio."""
    ours()  # compiles, or loads what was compiled before
    rounds = [(cpu_ns(ours), cpu_ns(theirs)) for _ in range(ROUNDS)]
    fast, slow = (statistics.median(side) for side in zip(*rounds, strict=True))
    print(f"{title:<52} {fast:>9.2f} {slow:>9.2f} {slow / fast:>8.1f}x")


def main() -> None:
    print(f"{f'{EVENTS:,} events, {REPETITIONS} times':<52} {'engine ns':>9} {'numpy ns':>9} {'ratio':>9}")
    compare("radius and bearing, kernel", kernel(), lambda: repeated(numpy_polar))
    compare("radius and bearing, simulated_polar", ours_polar, lambda: repeated(numpy_polar))
    compare("destinations, simulated_planar", ours_planar, lambda: repeated(numpy_planar))
    compare("destinations, planar_laplace, publishable", publishable, lambda: repeated(numpy_planar))


if __name__ == "__main__":
    main()
