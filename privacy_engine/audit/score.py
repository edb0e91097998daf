"""A likelihood-ratio score learned from draws: logistic regression by Newton's method."""

from dataclasses import dataclass

import numpy as np

from privacy_engine.core.arrays import Floats

RIDGE = 1e-3
STEPS = 25
CONVERGED = 1e-6


@dataclass(frozen=True, eq=False)
class Score:
    """Log-odds that a draw is of the first input, up to a constant: ``(features - mean) / sd @ weights``."""

    mean: Floats
    sd: Floats
    weights: Floats

    def of(self, features: Floats) -> Floats:
        """Scores of draws, (n,), from their features, (n, f)."""
        return np.asarray(((features - self.mean) / self.sd) @ self.weights)


def learn(first: Floats, second: Floats) -> Score:
    """Fit a score on draws of two inputs, features (n, f) of each.

    Ridge-penalised logistic regression; a feature that never changes gets no weight. Newton's method with the step
    halved while the loss grows, so it converges also where the inputs are distinguished perfectly.
    """
    X = np.concatenate([first, second])
    mean, sd = X.mean(axis=0), X.std(axis=0)
    sd = np.where(sd > 1e-12 * (1.0 + np.abs(mean)), sd, np.inf)
    X = np.column_stack([(X - mean) / sd, np.ones(len(X))])
    y = np.repeat([1.0, 0.0], [len(first), len(second)])
    weights = np.zeros(X.shape[1])
    penalty = np.full(len(weights), RIDGE)
    loss = _loss(X, y, weights, penalty)
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(X @ weights, -40, 40)))
        gradient = X.T @ (p - y) / len(y) + penalty * weights
        hessian = (X.T * (p * (1 - p))) @ X / len(y) + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        weights, before = _descended(X, y, weights, step, penalty, loss), loss
        loss = _loss(X, y, weights, penalty)
        if before - loss < CONVERGED * before:
            break
    return Score(mean, sd, weights[:-1])


def _loss(X: Floats, y: Floats, weights: Floats, penalty: Floats) -> float:
    z = X @ weights
    return float((np.logaddexp(0, z) - y * z).mean() + (penalty * weights**2).sum() / 2)


def _descended(X: Floats, y: Floats, weights: Floats, step: Floats, penalty: Floats, loss: float) -> Floats:
    for _ in range(8):
        if _loss(X, y, weights - step, penalty) <= loss:
            return np.asarray(weights - step)
        step = step / 2
    return weights
