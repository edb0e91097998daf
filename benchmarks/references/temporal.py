"""Temporal loss as it is defined, pair by pair of rows; the landmark loss as printed, term by term."""

from __future__ import annotations

import itertools
import math

import numpy as np
from scipy.optimize import linprog


def plain_losses(matrix: list[list[float]], epsilons: list[float], before: float) -> list[float]:
    """Backward losses after a loss of ``before``: at every step all pairs of rows, columns sorted by ratio."""
    states, value, losses = range(len(matrix)), before, []
    for epsilon in epsilons:
        best, odds = 0.0, math.expm1(value)
        for a, b in itertools.permutations(states, 2):
            q = d = 0.0
            for j in sorted(states, key=lambda j: -matrix[a][j] / max(matrix[b][j], 1e-300)):
                q, d = q + matrix[a][j], d + matrix[b][j]
                best = max(best, math.log1p((q - d) * odds / (1 + d * odds)))
        value = epsilon + best
        losses.append(value)
    return losses


def prefixes(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Masses q and d of every prefix of columns by falling ratio, for all ordered pairs of rows, flat."""
    rows, others = np.nonzero(~np.eye(len(matrix), dtype=bool))
    order = np.argsort(-matrix[rows] / np.maximum(matrix[others], 1e-300), axis=1)
    q = np.cumsum(np.take_along_axis(matrix[rows], order, axis=1), axis=1)
    d = np.cumsum(np.take_along_axis(matrix[others], order, axis=1), axis=1)
    return q.ravel(), d.ravel()


def numpy_losses(sums: tuple[np.ndarray, np.ndarray], epsilons: list[float], before: float) -> list[float]:
    """As :func:`plain_losses`, with :func:`prefixes` made beforehand and all pairs at once."""
    (q, d), value, losses = sums, before, []
    gain = q - d
    for epsilon in epsilons:
        odds = math.expm1(value)
        value = epsilon + math.log1p(max(float((gain / (1 / odds + d)).max()), 0.0)) if odds else epsilon
        losses.append(value)
    return losses


def linprog_losses(matrix: np.ndarray, epsilons: list[float], before: float) -> list[float]:
    """As :func:`plain_losses`, by a linear program for every pair of rows.

    Maximise q.y/d.y over y > 0 whose entries are within a factor of exp(loss) of each other, scaled to d.y = 1.
    """
    n, value, losses = len(matrix), before, []
    for epsilon in epsilons:
        limits = np.array(
            [np.eye(n)[i] - math.exp(value) * np.eye(n)[j] for i, j in itertools.permutations(range(n), 2)]
        )
        found = [
            -linprog(-matrix[a], limits, np.zeros(len(limits)), matrix[b][None], [1.0], method="highs").fun
            for a, b in itertools.permutations(range(n), 2)
        ]
        value = epsilon + math.log(max(found))
        losses.append(value)
    return losses


def plain_landmark_losses(epsilons: list[float], landmark: list[bool], s: float) -> list[float]:
    """alpha_t of one series as printed; correlation: two states, smoothing ``s``, whose loss has a closed form."""
    n, losses = len(epsilons), []
    for t in range(n):
        among = [i for i in range(n) if landmark[i] or i == t]
        alpha = 0.0
        for before, i, after in zip([-1, *among], among, [*among[1:], n], strict=False):
            back = ahead = 0.0
            for u in range(before + 1, i + 1):
                back = epsilons[u] + _plain_carried(back, s)
            for u in range(after - 1, i - 1, -1):
                ahead = epsilons[u] + _plain_carried(ahead, s)
            alpha += back + ahead - epsilons[i]
        losses.append(alpha)
    return losses


def _plain_carried(loss: float, s: float) -> float:
    grown = math.exp(loss)
    return math.log(((1 + s) * grown + s) / (s * grown + 1 + s))


def numpy_landmark_losses(epsilons: np.ndarray, landmark: np.ndarray, s: float) -> np.ndarray:
    """alpha_t of all series (series, n) at once: for every t, two recursions that restart at landmarks and t."""
    series, n = landmark.shape
    losses = np.empty((series, n))
    for t in range(n):
        among = landmark.copy()
        among[:, t] = True
        alpha = -epsilons.sum(axis=1, where=among)
        for walk in (range(n), range(n - 1, -1, -1)):
            value = np.zeros(series)
            for u in walk:
                grown = np.exp(value)
                value = epsilons[:, u] + np.log(((1 + s) * grown + s) / (s * grown + 1 + s))
                alpha += np.where(among[:, u], value, 0.0)
                value = np.where(among[:, u], 0.0, value)
        losses[:, t] = alpha
    return losses
