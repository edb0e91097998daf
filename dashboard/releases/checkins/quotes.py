"""Quotes of releases of check-ins, beside the nearest cell that costs nothing."""

from __future__ import annotations

from dashboard.releases.common.quotes import Quotes
from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.recommendation.beside_nearest import not_better


class CheckInQuotes(Quotes):
    """With the public baseline."""

    def public_baseline(self, mechanism: CheckInMechanism) -> str:
        return not_better(mechanism)


ADAPTER = CheckInQuotes()
