"""Item 6: dummy landmarks and stay points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.floors import Floor
from benchmarks.page import Target
from benchmarks.references import dummies, staypoints
from benchmarks.series import wandering
from benchmarks.timing import Side
from privacy_engine.landmarks.dummy_selection import heuristic_order, optimal_order, partitioned_order
from privacy_engine.landmarks.orders import landmark_histogram
from privacy_engine.landmarks.staypoints import stay_points


@pytest.mark.parametrize(("evaluation", "n", "steps"), [("gaps", 1000, 40), ("nearest", 200, 100)])
def bench_heuristic(beside: Any, evaluation: str, n: int, steps: int) -> None:
    """The references do the first ``steps`` of it, and are checked there."""
    mask = np.random.default_rng(0).random(n) < 0.2
    ours, events = heuristic_order(mask, evaluation).tolist(), np.count_nonzero(~mask)
    some, every = (sum(range(events - count + 1, events + 1)) for count in (steps, events))
    lists = mask.tolist()
    for reference, given in ((dummies.plain_heuristic, lists), (dummies.numpy_heuristic, mask)):
        assert reference(given, evaluation, 5) == ours[:5]
    beside(
        f"Heuristic by {evaluation}, T = {n:,}, 20 % landmarks",
        Side(lambda: heuristic_order(mask, evaluation), every),
        unit="evaluations",
        item="6" if evaluation == "gaps" else "",
        target=Target(2e-3, {"plain": 6 / 2e-3}) if evaluation == "gaps" else None,
        floors=[Floor("sort", n)],
        plain=Side(lambda: dummies.plain_heuristic(lists, evaluation, steps), some),
        numpy=Side(lambda: dummies.numpy_heuristic(mask, evaluation, steps), some),
    )


def bench_stay_points(beside: Any) -> None:
    columns, few = wandering(10**7), 200_000
    some = [column[:few] for column in columns]
    lists = [column.tolist() for column in some]
    expected = stay_points(*some, distance_m=200, duration_s=1800).tolist()
    assert len(expected) > 100
    assert staypoints.plain_stays(*lists, 200, 1800) == expected
    assert staypoints.numpy_stays(*some, 200, 1800) == expected
    beside(
        "stay points, 10,000,000 fixes",
        Side(lambda: stay_points(*columns, distance_m=200, duration_s=1800), 10**7),
        item="6",
        unit="fixes",
        target=Target(0.3),
        floors=[Floor("copy", sum(column.nbytes for column in columns))],
        plain=Side(lambda: staypoints.plain_stays(*lists, 200, 1800), few),
        numpy=Side(lambda: staypoints.numpy_stays(*some, 200, 1800), few),
    )


@pytest.mark.parametrize("evaluation", ["gaps", "nearest"])
def bench_optimal(beside: Any, evaluation: str) -> None:
    mask = np.arange(11) % 4 == 1
    assert dummies.plain_optimal(mask, evaluation) == optimal_order(mask, evaluation).tolist()
    beside(
        f"Optimal by {evaluation}, {np.count_nonzero(~mask)} regular events",
        Side(lambda: optimal_order(mask, evaluation)),
        plain=Side(lambda: dummies.plain_optimal(mask, evaluation)),
    )


@pytest.mark.parametrize("distance", ["euclidean", "wasserstein"])
def bench_partitioned(beside: Any, distance: str) -> None:
    mask = np.random.default_rng(0).random(1000) < 0.2
    _, counts, capacity = landmark_histogram(mask)
    columns = counts.tolist(), capacity.tolist()
    assert dummies.plain_partitioned(*columns, distance) == partitioned_order(mask, distance).tolist()
    beside(
        f"Partitioned, {distance}, T = 1,000, 20 % landmarks",
        Side(lambda: partitioned_order(mask, distance)),
        plain=Side(lambda: dummies.plain_partitioned(*columns, distance)),
    )
