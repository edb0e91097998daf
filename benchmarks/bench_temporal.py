"""Items 4 and 5: temporal loss of a series, and of the landmarks of many."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.floors import Floor
from benchmarks.page import Target
from benchmarks.references import temporal as reference
from benchmarks.timing import Side
from privacy_engine.accounting.temporal import LossFunction, landmark_temporal_loss, smoothing_matrix, temporal_loss
from privacy_engine.landmarks.synthetic import MODES, sample_landmarks

T, AT, EPSILON = 1000, 400, 0.1
CALLS = "The two recursions are a third of it; the rest is Python: checks of the arguments, the hull, calls."
LOOPS = "Every series is a loop over its events in both directions."
PAIRS = "Nearly all of it is the envelope's loop over pairs of rows, a sum of positive parts."
# states: the target; steps of plain Python, numpy and linprog
SERIES = {
    2: (Target(0.03e-3, {"scipy": 1.5 / 0.03e-3}, CALLS), 500, 500, 20),
    10: (Target(0.1e-3, {"scipy": 87 / 0.1e-3}, CALLS), 50, 500, 2),
    50: (Target(0.5e-3, why=PAIRS), 2, 50, 0),
    200: (Target(30e-3, why=PAIRS), 1, 20, 0),
}


@pytest.mark.parametrize("states", SERIES)
def bench_series(beside: Any, states: int) -> None:
    matrix = np.random.default_rng(states).dirichlet(np.ones(states), size=states)
    target, *steps = SERIES[states]
    budgets, sums, rows = np.full(T, EPSILON), reference.prefixes(matrix), matrix.tolist()

    def ours() -> Any:
        carried = LossFunction(matrix)
        return temporal_loss(budgets, carried, carried)

    backward = ours().backward
    walks = {
        "plain": lambda count: reference.plain_losses(rows, [EPSILON] * count, backward[AT]),
        "numpy": lambda count: reference.numpy_losses(sums, [EPSILON] * count, backward[AT]),
        "scipy": lambda count: reference.linprog_losses(matrix, [EPSILON] * count, backward[AT]),
    }
    sides = {}
    for (name, walk), count in zip(walks.items(), steps, strict=True):
        if count:
            assert np.allclose(walk(count), backward[AT + 1 :][:count], rtol=1e-12, atol=0), name
            sides[name] = Side(lambda walk=walk, count=count: walk(count), count)
    beside(
        f"temporal loss, T = 1,000, {states} states: envelope, backward, forward",
        Side(ours, 2 * T),
        item="4",
        unit="steps",
        target=target,
        floors=[Floor("functions", T) if states < 50 else Floor("copy", 8 * states**3)],
        **sides,
    )


N, AGAIN, SMOOTHINGS, SHARES = 100, 100, (1.0, 0.1, 0.01), (0, 20, 40, 60, 80, 100)


def figure() -> tuple[np.ndarray, np.ndarray]:
    """Landmarks of every distribution and share, again and again, and Uniform's budgets: (series, n) each."""
    masks = np.array(
        [
            sample_landmarks(N, share, distribution, rng=np.random.default_rng(repetition))
            for distribution in MODES
            for share in SHARES
            for repetition in range(AGAIN)
        ]
    )
    count = masks.sum(axis=1, keepdims=True)
    return np.broadcast_to(1 / np.minimum(count + 1, N), masks.shape), masks


def bench_landmark_figure(beside: Any) -> None:
    """Five distributions, six shares of landmarks, three correlations, 100 repetitions."""
    budgets, masks = figure()
    carried = {s: LossFunction(smoothing_matrix(2, s)) for s in SMOOTHINGS}
    every = {name: slice(None, None, step) for name, step in (("plain", 60), ("numpy", 10))}

    def ours() -> dict[float, np.ndarray]:
        return {s: landmark_temporal_loss(budgets, masks, loss, loss) for s, loss in carried.items()}

    def plain() -> list[list[list[float]]]:
        series = list(zip(*(rows[every["plain"]].tolist() for rows in (budgets, masks)), strict=True))
        return [[reference.plain_landmark_losses(*one, s) for one in series] for s in SMOOTHINGS]

    def arrays() -> list[np.ndarray]:
        few = budgets[every["numpy"]], masks[every["numpy"]]
        return [reference.numpy_landmark_losses(*few, s) for s in SMOOTHINGS]

    found = ours()
    for name, others in (("plain", plain()), ("numpy", arrays())):
        for s, other in zip(SMOOTHINGS, others, strict=True):
            assert np.allclose(other, found[s][every[name]], rtol=1e-12, atol=0), name
    count = len(masks) * len(SMOOTHINGS)
    beside(
        f"landmark loss figure, {count:,} series of {N}",
        Side(ours, count),
        item="5",
        unit="series",
        target=Target(20e-3, {"plain": 68 / 20e-3}, LOOPS),
        floors=[Floor("copy", 17 * masks.size * len(SMOOTHINGS))],
        plain=Side(plain, count // 60),
        numpy=Side(arrays, count // 10),
    )
