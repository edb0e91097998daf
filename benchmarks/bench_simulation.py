"""Items 1 and 3: the paper's figure on real data, and Adaptive streamed over ten million events."""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.floors import Floor
from benchmarks.page import Target, amount
from benchmarks.references import simulation as reference
from benchmarks.references.noise import EARTH_RADIUS_M
from benchmarks.references.simulation_numba import error_m, figure_m
from benchmarks.series import wandering
from benchmarks.streaming import landmarks, peak_bytes, streamed
from benchmarks.timing import Side, cpu_s
from privacy_engine import noise
from privacy_engine.analysis.simulation import simulate
from privacy_engine.data import LandmarkSet, Trajectory
from privacy_engine.mechanisms.landmark import Adaptive, Skip, Uniform

FIGURE = "Two fifths are Adaptive's kernel, a third noise and the other two; a fifth is Python."
FRESH = "Each of the 18 pairs draws its own noise: two thirds of it; the kernels are a fifth, Python is a tenth."
ADAPTIVE = "Over two thirds are Philox, logarithm and direction, the rest is the mechanism; both in vectors of eight."
COMMON_TARGET = Target(2e-3, {"plain": 1000, "numpy": 40}, FIGURE)
FRESH_TARGET = Target(8e-3, {"plain": 3.5 / 8e-3, "numpy": 0.12 / 8e-3}, FRESH)
N, REPETITIONS, FEW, SEED = 1000, 100, 2, 1
SHARES = (0, 20, 40, 60, 80, 100)
MECHANISMS = [kind(epsilon=1, radius_m=1) for kind in (Skip, Uniform, Adaptive)]
PLAIN = (reference.plain_skip, reference.plain_uniform, reference.plain_adaptive)
NUMPY = (reference.numpy_skip, reference.numpy_uniform, reference.numpy_adaptive)
LON, LAT = wandering(N)[:2]
PLACES = list(zip(LON.tolist(), LAT.tolist(), strict=True))
MASKS = [np.random.default_rng(share).permutation(N) < N * share // 100 for share in SHARES]
METRES = math.pi / 180 * EARTH_RADIUS_M * ((LON - LON[0]) * math.cos(math.radians(LAT[0])) + 1j * (LAT - LAT[0]))
LISTS = [mask.tolist() for mask in MASKS]


def ours(*, common: bool) -> np.ndarray:
    """Errors (mechanisms, shares, repetitions)."""
    series, marks = Trajectory(LON, LAT), [LandmarkSet(mask) for mask in MASKS]
    return simulate(MECHANISMS, series, marks, seed=SEED, repetitions=REPETITIONS, common=common).errors_m


class PlainFigure:
    """A few repetitions, drawn by Python's own generator unless the noise is given."""

    def __init__(self, *, common: bool) -> None:
        self.common, self.rng = common, random.Random(3)

    def draws(self) -> reference.Draws:
        return [(self.rng.gammavariate(2, 1), 2 * math.pi * self.rng.random()) for _ in range(N)]

    def __call__(self, given: list[reference.Draws] | None = None) -> np.ndarray:
        found = np.empty((len(PLAIN), len(LISTS), FEW))
        for repetition in range(FEW):
            draws = given[repetition] if given else self.draws()
            for i, mechanism in enumerate(PLAIN):
                for j, landmark in enumerate(LISTS):
                    found[i, j, repetition] = mechanism(PLACES, landmark, draws)
                    draws = draws if self.common else self.draws()
        return found


class NumpyFigure:
    """All repetitions, drawn by numpy's generator unless the noise is given."""

    def __init__(self, *, common: bool) -> None:
        self.common, self.rng = common, np.random.default_rng(3)

    def draws(self) -> tuple[np.ndarray, np.ndarray]:
        shape = REPETITIONS, N
        return self.rng.gamma(2.0, 1.0, shape), 2 * np.pi * self.rng.random(shape)

    def __call__(self, given: tuple[np.ndarray, np.ndarray] | None = None) -> np.ndarray:
        draws, found = given or self.draws(), []
        for mechanism in NUMPY:
            for mask in MASKS:
                found.append(mechanism(LON, LAT, mask, *draws))
                draws = draws if self.common else self.draws()
        return np.reshape(found, (len(NUMPY), len(MASKS), REPETITIONS))


@pytest.mark.parametrize("common", [True, False], ids=["common", "fresh"])
def bench_figure(beside: Any, common: bool) -> None:
    """Common noise: the same errors from the same draws. Fresh noise: the same means, within six standard errors."""
    plain, arrays, found = PlainFigure(common=common), NumpyFigure(common=common), ours(common=common)
    if common:
        drawn = noise.simulated_polar(np.ones(N), seed=SEED, repetition=np.arange(REPETITIONS))
        few = [list(zip(*(axis[i].tolist() for axis in drawn), strict=True)) for i in range(FEW)]
        assert np.allclose(plain(few), found[..., :FEW], rtol=1e-6, atol=0)
        assert np.allclose(arrays(drawn), found, rtol=1e-6, atol=0)
        moves = drawn[0] * 1j * np.exp(-1j * drawn[1])
        plane = [[[error_m(kind, METRES, mask, one) for one in moves] for mask in MASKS] for kind in range(3)]
        assert np.allclose(np.mean(plane, axis=-1), found.mean(axis=-1), rtol=1e-2, atol=0)
    else:
        other = arrays()
        allowed = 6 * np.sqrt((found.var(axis=-1) + other.var(axis=-1)) / REPETITIONS)
        assert (np.abs(found.mean(axis=-1) - other.mean(axis=-1)) < allowed).all()
    beside(
        f"paper's figure, {N:,} events, 3 mechanisms, 6 shares, {REPETITIONS} repetitions, "
        + ("common noise" if common else "fresh noise"),
        Side(lambda: ours(common=common), REPETITIONS),
        item="1",
        unit="repetitions",
        target=COMMON_TARGET if common else FRESH_TARGET,
        floors=[
            Floor("draws", N * REPETITIONS * (1 if common else len(MECHANISMS) * len(MASKS))),
            Floor("copy", 16 * N * REPETITIONS * len(MECHANISMS) * len(MASKS)),
        ],
        plain=Side(plain, FEW),
        numpy=Side(arrays, REPETITIONS),
        numba=Side(lambda: figure_m(METRES, np.array(MASKS), REPETITIONS, common), REPETITIONS),
    )


LENGTHS = (10**4, 10**5, 10**6, 10**7)
LONG, SHORT = LENGTHS[-1], LENGTHS[0]


def bench_streamed_adaptive(beside: Any, finding: Any) -> None:
    """The references run over the series' first events, in full: their time of an event does not depend on ε."""
    works = {n: streamed(n, REPETITIONS) for n in LENGTHS}
    mask = landmarks(N)
    drawn = noise.simulated_polar(np.ones(N), seed=SEED, repetition=np.arange(REPETITIONS))
    draws = list(zip(*(axis[0].tolist() for axis in drawn), strict=True))
    found = streamed(N, REPETITIONS, share=None)()
    assert np.isclose(reference.plain_adaptive(PLACES, mask.tolist(), draws), found[0], rtol=1e-6, atol=0)
    assert np.allclose(reference.numpy_adaptive(LON, LAT, mask, *drawn), found, rtol=1e-6, atol=0)
    plain, arrays = PlainFigure(common=False), NumpyFigure(common=False)
    figure = beside(
        f"Adaptive streamed, {LONG:,} events, {REPETITIONS} repetitions",
        Side(works[LONG], LONG * REPETITIONS),
        item="3",
        unit="events",
        target=Target(3.5, why=ADAPTIVE),
        floors=[Floor("draws", LONG * REPETITIONS), Floor("copy", 16 * LONG)],
        plain=Side(lambda: reference.plain_adaptive(PLACES, mask.tolist(), plain.draws()), N),
        numpy=Side(lambda: reference.numpy_adaptive(LON, LAT, mask, *arrays.draws()), N * REPETITIONS),
    )
    each = {n: event_s(works[n], n) for n in LENGTHS[:-1]}
    each[LONG] = figure.seconds / LONG / REPETITIONS
    spread = max(each.values()) / min(each.values()) - 1
    finding(
        "3",
        "Adaptive streamed: time of an event and repetition, from 10⁴ to 10⁷ events",
        "constant within 15 %",
        f"{' / '.join(f'{1e9 * one:.1f}' for one in each.values())} ns: within {100 * spread:.0f} %",
        spread <= 0.15,
    )
    wide = event_s(streamed(LENGTHS[2], REPETITIONS, share=None), LENGTHS[2])
    finding(
        "", f"Adaptive streamed, {LENGTHS[2]:,} events, noise as large as the Earth (ε = 1)", "", amount(wide), None
    )


def event_s(work: Callable[[], Any], n: int) -> float:
    """Median CPU seconds of one event and repetition."""
    work()
    return statistics.median(cpu_s(work) for _ in range(5 if n < LENGTHS[2] else 3)) / n / REPETITIONS


def bench_streamed_memory(finding: Any) -> None:
    beyond = [peak_bytes(n) for n in (SHORT, LONG)]
    finding(
        "3",
        "Adaptive streamed: memory beyond the series, 10⁴ and 10⁷ events",
        "independent of the length",
        " and ".join(f"{one / 2**20:.1f} MB" for one in beyond),
        beyond[1] - beyond[0] < 2**20,
    )
