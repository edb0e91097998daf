"""``PrivacyLoss``: what a release spends, in the unit that a ledger composes it in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal, get_args

from privacy_engine.errors import BudgetError, ParameterError

Unit = Literal["event", "event_per_m", "user", "record"]
"""``event``: ε of an event of a count stream, at whichever timestamps of a window.
``event_per_m``: ε of an event of a trajectory, within ``radius_m``.
``user``: ε of all check-ins of a user. ``record``: ε of a check-in."""
UNITS: tuple[str, ...] = get_args(Unit)


@dataclass(frozen=True)
class PrivacyLoss:
    """The level ``epsilon`` that a release spends of each ``unit``.

    Losses of the same unit compose by addition; losses of different units are never added. ``radius_m`` is the distance
    within which the level holds, for the unit ``event_per_m`` alone.

    Raises
    ------
    ParameterError
        The unit is unknown, ``epsilon`` is not finite and greater than 0, or the radius does not belong to the unit.
    """

    unit: Unit
    epsilon: float
    radius_m: float | None = None

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ParameterError.must_be("unit", f"one of {', '.join(UNITS)}", got=f"{self.unit!r:.60}")
        if not 0 < self.epsilon < math.inf:
            raise ParameterError.must_be("epsilon", "finite and greater than 0", got=self.epsilon)
        if (self.unit == "event_per_m") != (self.radius_m is not None and 0 < self.radius_m < math.inf):
            rule = "a distance greater than 0 for event_per_m, and none for other units"
            raise ParameterError.must_be("radius_m", rule, got=self.radius_m)

    @property
    def rate(self) -> Decimal:
        """ε of a unit: for ``event_per_m`` per metre. Numbers count as written, so that 0.1 is a tenth."""
        epsilon = Decimal(repr(float(self.epsilon)))
        return epsilon if self.radius_m is None else epsilon / Decimal(repr(float(self.radius_m)))

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        """The loss of both releases together, within the radius of the first.

        Raises
        ------
        BudgetError
            The units differ.
        """
        if self.unit != other.unit:
            rule = f"a loss of the unit {self.unit}"
            raise BudgetError(f"only {rule} can be added, got {other.unit}", field="unit", rule=rule, value=other.unit)
        total = self.rate + other.rate
        return PrivacyLoss(self.unit, float(total * Decimal(repr(float(self.radius_m or 1.0)))), self.radius_m)
