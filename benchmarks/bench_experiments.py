"""The paper's figure on real data as an experiment: a spec expanded, run and put into a table."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks.bench_simulation import FEW, LAT, LON, NUMPY, PLACES, PLAIN, REPETITIONS, SEED, N, PlainFigure
from benchmarks.timing import Side
from privacy_engine import noise
from privacy_engine.data import Trajectory
from privacy_engine.experiments import Block, ExperimentSpec, run, run_block
from privacy_engine.experiments.trials import Trials

SHARES = [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
NAMES = ("landmark-skip", "landmark-uniform", "landmark-adaptive")


def described(redraw: bool) -> dict[str, Any]:
    landmarks = {"name": "synthetic", "share": 0.2, "distribution": "uniform", "seed": 0}
    schemes = [{"mechanism": {"name": name, "epsilon": 1.0, "radius_m": 1.0}} for name in NAMES]
    return {
        "base": {"landmarks": landmarks, "redraw": redraw},
        "grid": {"release": schemes, "landmarks.share": SHARES},
        "repetitions": REPETITIONS,
        "seed": SEED,
        "metrics": ["error"],
    }


def masks(redraw: bool) -> list[list[np.ndarray]]:
    """By share and repetition."""
    cells, data = ExperimentSpec.parse(described(redraw)).cells()[: len(SHARES)], [Trajectory(LON, LAT)]
    repetitions = range(REPETITIONS)
    return [[Trials(cell, data, repetitions).marked(one)[0].mask for one in repetitions] for cell in cells]


def plain(marks: list[list[list[bool]]], drawn: Callable[[int], Any]) -> np.ndarray:
    """Errors (mechanisms, shares, a few repetitions), one event after another."""
    found = np.empty((len(PLAIN), len(SHARES), FEW))
    for one in range(FEW):
        draws = drawn(one)
        for i, mechanism in enumerate(PLAIN):
            for j, by_repetition in enumerate(marks):
                found[i, j, one] = mechanism(PLACES, by_repetition[one], draws)
    return found


def arrays(marks: list[list[np.ndarray]], drawn: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """Errors (mechanisms, shares, repetitions), all repetitions at once where their landmarks are the same."""
    return np.array([[mechanism(LON, LAT, some[0], *drawn) for some in marks] for mechanism in NUMPY])


@pytest.mark.parametrize("redraw", [False, True], ids=["fixed", "redrawn"])
def bench_figure_as_an_experiment(beside: Any, redraw: bool) -> None:
    """The same errors from the same draws and landmarks."""
    marks = masks(redraw)
    lists = [[mask.tolist() for mask in some[:FEW]] for some in marks]
    drawn = noise.simulated_polar(np.ones(N), seed=SEED, repetition=np.arange(REPETITIONS))
    few = [list(zip(*(axis[one].tolist() for axis in drawn), strict=True)) for one in range(FEW)]
    cells = ExperimentSpec.parse(described(redraw)).cells()
    blocks = [run_block(Block(cell, 0, REPETITIONS), [Trajectory(LON, LAT)])[1] for cell in cells]
    found = np.reshape(blocks, (len(NAMES), len(SHARES), REPETITIONS))
    assert np.allclose(plain(lists, few.__getitem__), found[..., :FEW], rtol=1e-6, atol=0)
    references = {"plain": Side(lambda: plain(lists, lambda _: PlainFigure(common=True).draws()), FEW)}
    if not redraw:
        rng, shape = np.random.default_rng(3), (REPETITIONS, N)
        assert np.allclose(arrays(marks, drawn), found, rtol=1e-6, atol=0)
        references["numpy"] = Side(
            lambda: arrays(marks, (rng.gamma(2.0, 1.0, shape), 2 * np.pi * rng.random(shape))), REPETITIONS
        )
    beside(
        f"paper's figure as an experiment, spec to table, {N:,} events, 18 cells, {REPETITIONS} repetitions, "
        + ("new landmarks in each" if redraw else "landmarks drawn once"),
        Side(lambda: run(ExperimentSpec.parse(described(redraw)), [Trajectory(LON, LAT)]), REPETITIONS),
        unit="repetitions",
        **references,
    )
