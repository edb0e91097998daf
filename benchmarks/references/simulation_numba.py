"""The paper's figure by whoever knows numba: compiled loops over positions on a plane, as complex numbers in metres."""

import math

import numba
import numpy as np

from benchmarks.references.simulation import MEDIAN_DISTANCE


@numba.njit(fastmath=True)
def length(move: complex) -> float:
    """Its metres; ``abs`` guards against numbers that no position has, and takes longer."""
    return math.sqrt(move.real**2 + move.imag**2)


@numba.njit(fastmath=True)
def error_m(kind: int, places: np.ndarray, marks: np.ndarray, moves: np.ndarray) -> float:
    """Mean error of Skip (0), Uniform (1) or Adaptive (2); ``moves`` is the noise of each event at ε = 1, (n,)."""
    n, to_come, spent, interval, waited, total = len(places), marks.sum(), 0.0, 1, 0, 0.0
    evenly, reserved, level = kind == 1 or (kind == 0 and to_come == n), to_come < n, min(to_come + 1, n)
    shown = places[np.argmin(marks)] + moves[np.argmin(marks)]  # what Skip shows before its first
    for t in range(n):
        times = level if evenly else 1.0
        if kind == 2:
            times, waited, to_come = (to_come + reserved) / (1 - spent), waited + marks[t], to_come - marks[t]
        if evenly or not marks[t] or (kind == 2 and (t == 0 or waited >= interval)):
            before, shown = shown, places[t] + moves[t] * times
            if kind == 2:
                spent, waited = (spent + 1 / times, 0) if marks[t] else (spent, waited)
                interval = interval + 1 if t and length(shown - before) <= MEDIAN_DISTANCE * times else 1
        total += length(places[t] - shown)
    return total / n


@numba.njit(fastmath=True)
def figure_m(places: np.ndarray, masks: np.ndarray, repetitions: int, common: bool) -> np.ndarray:
    """Errors (mechanisms, shares, repetitions); ``common``: one noise a repetition, else one a run."""
    found = np.empty((3, len(masks), repetitions))
    for repetition in range(repetitions):
        for run in range(3 * len(masks)):
            if run == 0 or not common:
                moves = np.random.gamma(2.0, 1.0, len(places)) * np.exp(2j * np.pi * np.random.random(len(places)))
            found[run // len(masks), run % len(masks), repetition] = error_m(
                run // len(masks), places, masks[run % len(masks)], moves
            )
    return found
