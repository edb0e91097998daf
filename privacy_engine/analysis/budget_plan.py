"""Budgets within a radius for a target loss at the distance of the states, and the loss they have there."""

from typing import Any

from privacy_engine.accounting.planning import plan_budgets
from privacy_engine.accounting.temporal import temporal_loss
from privacy_engine.analysis.correlation import Correlation, CorrelationDescription
from privacy_engine.analysis.downsampling import decimated
from privacy_engine.analysis.losses import highest
from privacy_engine.analysis.results import Result
from privacy_engine.errors import ParameterError

MAX_EVENTS = 1_000_000
"""Events a plan is worked out for within a request."""


class BudgetPlan(Result):
    """Budgets whose temporal loss stays at a target, and that loss."""

    alpha: float
    n: int
    radius_m: float
    """Budgets are levels within this radius."""
    method: str
    first: float
    middle: float | None
    """Of every event between; null where there is none."""
    last: float
    highest: float
    """The largest loss of any event under this plan."""
    user_level: float
    """What each event could spend if nothing were known: alpha / n."""
    correlation: CorrelationDescription
    event: list[int]
    budget: list[float]
    backward: list[float]
    forward: list[float]
    total: list[float]


def plan(*, alpha: float, n: int, radius_m: float, correlation: Correlation, method: Any, points: int) -> BudgetPlan:
    """The budgets of ``n`` events whose temporal loss exceeds ``alpha`` nowhere, and that loss.

    Budgets are levels within ``radius_m``; the loss is that between states as far apart as the correlation has them.

    Raises
    ------
    EngineError
        A value lies outside its domain, or losses never fade under this correlation; it names the field.
    """
    if n > MAX_EVENTS:
        raise ParameterError.must_be("n", f"at most {MAX_EVENTS:,}", n, got=f"{n:,}")
    matrices = correlation.backward, correlation.forward
    try:
        levels = plan_budgets(alpha, n, *matrices, method=method)
    except ParameterError as error:
        if error.field in ("backward", "forward"):
            error.field = f"correlation.{error.field}"
        raise
    loss, budgets = temporal_loss(levels, *matrices), levels / correlation.scale(radius_m)
    at = decimated([budgets, loss.backward, loss.forward, loss.total], points)
    return BudgetPlan(
        alpha=alpha,
        n=n,
        radius_m=radius_m,
        method=method,
        first=float(budgets[0]),
        middle=float(budgets[n // 2]) if n > 2 else None,
        last=float(budgets[-1]),
        highest=highest(loss.total),
        user_level=alpha / n / correlation.scale(radius_m),
        correlation=correlation.shown(),
        event=at.tolist(),
        budget=budgets[at].tolist(),
        backward=loss.backward[at].tolist(),
        forward=loss.forward[at].tolist(),
        total=loss.total[at].tolist(),
    )
