"""Item 8: count streams."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from benchmarks.page import Target
from benchmarks.references.streams import GivenDraws, plain_adapub, plain_laplace, plain_thresholds
from benchmarks.stream_memory import peak_bytes
from benchmarks.timing import Side
from privacy_engine import noise
from privacy_engine.mechanisms.stream import StreamAdaPub

TIMESTAMPS, DIMENSIONS, FEW = 4000, 32, 1000
LENGTHS, WIDE = (1_000, 100_000), 1000

NOISE = "The goal was set for a plain loop of 0.12 million counts a second (8.3 µs a count); this one is faster."


def counts(timestamps: int, dimensions: int) -> Any:
    """Counts that drift from levels of 20 to 400, (T, d)."""
    rng = np.random.default_rng(1)
    steps = rng.integers(-6, 7, (timestamps, dimensions)).cumsum(axis=0)
    return np.maximum(rng.integers(20, 400, dimensions) + steps, 0)


def mechanism(mode: str) -> StreamAdaPub:
    return StreamAdaPub(epsilon=1.0, window=100, sensitivity=1, mode=mode)


def run_of(mode: str) -> Any:
    one = mechanism(mode)
    return one.run(*one.shares(), DIMENSIONS, noise.seeded(1), 1)


class Given:
    """The draws of one run, for the engine and for the reference."""

    def __init__(self, mode: str, timestamps: int) -> None:
        cells, rates, source = timestamps * DIMENSIONS, mechanism(mode).rates(0.8, 0.2), noise.seeded(2)
        self.laplace = [noise.discrete_laplace(rate or 1.0, cells, rng=source) for rate in rates]
        self.bounds = np.sort(source.uniform(timestamps * 20).reshape(timestamps, 20), axis=1)

    def engine(self, mode: str, rows: Any) -> Any:
        run = run_of(mode)
        run.sums, run.starts, run.queries, run.bounds = map(GivenDraws, [*self.laplace, self.bounds])
        return run.advance(rows)

    def lists(self) -> list[Any]:
        return [one.tolist() for one in (*self.laplace, self.bounds)]


def plain_draws(mode: str) -> list[Any]:
    """Endless draws in plain Python, as :meth:`Given.lists` has those that are given."""
    rng = random.Random(3)
    noises = [plain_laplace(rate or 1.0, rng) for rate in mechanism(mode).rates(0.8, 0.2)]
    return [*noises, plain_thresholds(20, rng)]


@pytest.mark.parametrize("mode", ["code", "svt"])
def bench_adapub(beside: Any, mode: str) -> None:
    """Noise included: the engine's is exact, the plain loop's in floats."""
    rows = counts(TIMESTAMPS, DIMENSIONS)
    few = rows[:FEW].tolist()
    check(mode, rows)
    beside(
        f"AdaPub ({mode}), {DIMENSIONS} dimensions, with its exact noise",
        Side(lambda: run_of(mode).advance(rows), TIMESTAMPS * DIMENSIONS),
        item="8",
        unit="a count",
        each=True,
        target=Target(250e-9, {"plain": 30}, NOISE),
        plain=Side(lambda: plain_adapub(few, mode, 1.0, False, *plain_draws(mode)), FEW * DIMENSIONS),
    )


@pytest.mark.parametrize("mode", ["code", "svt"])
def bench_adapub_with_given_noise(beside: Any, mode: str) -> None:
    rows, given = counts(TIMESTAMPS, DIMENSIONS), Given(mode, TIMESTAMPS)
    few, lists = rows[:FEW].tolist(), given.lists()
    beside(
        f"AdaPub ({mode}), {DIMENSIONS} dimensions, its noise given",
        Side(lambda: given.engine(mode, rows), TIMESTAMPS * DIMENSIONS),
        unit="a count",
        each=True,
        plain=Side(lambda: plain_adapub(few, mode, 1.0, False, *map(iter, lists)), FEW * DIMENSIONS),
    )


def check(mode: str, rows: Any) -> None:
    """With the same draws both publish the same."""
    given = Given(mode, FEW)
    expected = plain_adapub(rows[:FEW].tolist(), mode, 1.0, False, *map(iter, given.lists()))
    assert given.engine(mode, rows[:FEW]).tolist() == expected


def bench_streamed_memory(finding: Any) -> None:
    beyond = [peak_bytes(n, WIDE) for n in LENGTHS]
    finding(
        "8",
        f"AdaPub (svt), {WIDE:,} dimensions: memory of a run over 10³ and 10⁵ timestamps",
        "independent of the length",
        " and ".join(f"{one / 2**20:.1f} MB" for one in beyond),
        beyond[1] - beyond[0] < 2**24,
    )
