"""Quotes of releases of trajectories: forecasts, since prices depend on the landmark set."""

from __future__ import annotations

from dashboard.datasets.models import Kind
from dashboard.releases.common.quotes import Quotes
from privacy_engine.errors import ParameterError


class TrajectoryQuotes(Quotes):
    """None: a forecast has them."""

    def require_quotable(self) -> None:
        rule = "of count streams or check-ins; /releases/forecast/ quotes releases of trajectories"
        raise ParameterError(f"dataset must be {rule}", field="dataset", rule=rule, value=Kind.TRAJECTORY)


ADAPTER = TrajectoryQuotes()
