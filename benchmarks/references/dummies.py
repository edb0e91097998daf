"""Orders of dummy landmarks, by the algorithms as they are written."""

from __future__ import annotations

import itertools
import math

import numpy as np

TIE = 1e-12


def plain_deviation(marks: list[int], evaluation: str) -> float:
    """Of the gaps between sorted marks, or of all events' distances to the nearest of them."""
    gaps = [after - before for before, after in itertools.pairwise(marks)]
    if evaluation == "gaps":
        return math.sqrt(len(gaps) * sum(gap * gap for gap in gaps) - marks[-1] ** 2) / len(gaps)
    n = marks[-1] - 1
    away = [min(i, gap - i) for gap in gaps for i in range(1, gap)]
    return math.sqrt(n * sum(far * far for far in away) - sum(away) ** 2) / n


def plain_heuristic(mask: list[bool], evaluation: str, steps: int) -> list[int]:
    """The first of the order; at every step every regular event is tried: O(r²n) for r steps."""
    marks = [0, *(i + 1 for i, marked in enumerate(mask) if marked), len(mask) + 1]
    aim, order = plain_deviation(marks, evaluation), []
    for _ in range(steps):
        tried = []
        for i in range(len(marks) - 1):
            for t in range(marks[i] + 1, marks[i + 1]):
                away = abs(plain_deviation([*marks[: i + 1], t, *marks[i + 1 :]], evaluation) - aim)
                tried.append((away, t))
        least = min(tried)[0]
        chosen = min(t for away, t in tried if away <= least + TIE)
        order.append(chosen - 1)
        marks = sorted([*marks, chosen])
    return order


def numpy_deviation(marks: np.ndarray, evaluation: str) -> float:
    """As :func:`plain_deviation`."""
    if evaluation == "gaps":
        return float(np.diff(marks).std())
    events = np.arange(1, marks[-1])
    right = np.searchsorted(marks, events)
    return float(np.minimum(events - marks[right - 1], marks[right] - events).std())


def numpy_heuristic(mask: np.ndarray, evaluation: str, steps: int) -> list[int]:
    """As :func:`plain_heuristic`, an evaluation in numpy."""
    marks, order = np.concatenate(([0], np.flatnonzero(mask) + 1, [len(mask) + 1])), []
    aim = numpy_deviation(marks, evaluation)
    for _ in range(steps):
        candidates = np.setdiff1d(np.arange(1, len(mask) + 1), marks)
        away = [
            abs(numpy_deviation(np.insert(marks, np.searchsorted(marks, t), t), evaluation) - aim)
            for t in candidates.tolist()
        ]
        chosen = int(candidates[np.argmax(np.array(away) <= min(away) + TIE)])
        order.append(chosen - 1)
        marks = np.insert(marks, np.searchsorted(marks, chosen), chosen)
    return order


def plain_optimal(mask: np.ndarray, evaluation: str) -> list[int]:
    """All orders, with every set evaluated once."""
    marks = [0, *(np.flatnonzero(mask) + 1).tolist(), len(mask) + 1]
    regular = np.flatnonzero(~mask).tolist()
    r, values = len(regular), {}
    for size in range(r + 1):
        for chosen in itertools.combinations(range(r), size):
            added = [regular[j] + 1 for j in chosen]
            values[sum(1 << j for j in chosen)] = plain_deviation(sorted([*marks, *added]), evaluation)
    tried = []
    for order in itertools.permutations(range(r)):
        chosen, total = 0, 0.0
        for j in order:
            chosen |= 1 << j
            total += values[chosen]
        tried.append((abs(total / r - values[0]), order))
    best = min(tried)[0]
    limit = TIE if best <= TIE else best + TIE
    return [regular[j] for j in next(order for away, order in tried if away <= limit)]


def plain_partitioned(counts: list[int], capacity: list[int], distance: str) -> list[int]:
    """Bins in the order they are filled, every bin tried at every step, in whole numbers: equal is equal."""
    now, order, landmarks = list(counts), [], sum(counts)
    for _ in range(sum(capacity) - landmarks):
        best, chosen, total = math.inf, 0, sum(now) + 1
        for i in range(len(now)):
            if now[i] < capacity[i]:
                now[i] += 1
                apart = [a * landmarks - b * total for a, b in zip(now, counts, strict=True)]
                now[i] -= 1
                if distance == "wasserstein":
                    far = sum(abs(cumulated) for cumulated in itertools.accumulate(apart))
                else:
                    far = sum(a * a for a in apart)
                if far < best:
                    best, chosen = far, i
        order.append(chosen)
        now[chosen] += 1
    return order
