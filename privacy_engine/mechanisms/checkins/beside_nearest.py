"""Whether a mechanism recommends better than the nearest cell, which costs no ε, by what was measured."""

import math

from privacy_engine.mechanisms.base.checkins import CheckInMechanism
from privacy_engine.mechanisms.checkins.measured_rates import COLUMNS, RATES

NEAREST = ("checkin-nearest", "")
MEASURED_AS = {"checkin-venues": "checkin-popularity"}
"""Mechanisms that rank cells as another does."""


def not_better(mechanism: CheckInMechanism) -> str:
    """Where the nearest cell did at least as well as ``mechanism``, in a sentence with the figures; empty if nowhere.

    Of the measured grids and levels those nearest in ratio to its own are taken, each on all sets. Empty too of a
    mechanism that was not measured.
    """
    key = (MEASURED_AS.get(mechanism.name, mechanism.name), mechanism.parameter("preset", ""))
    known = [(name, side) for name, side, *other in RATES if tuple(other) == key]
    if not known or key == NEAREST:
        return ""
    side = min({side for _, side in known}, key=lambda cells: abs(math.log(cells / mechanism.side)))
    levels = [epsilon for unit, epsilon in COLUMNS if unit == mechanism.privacy_unit]
    epsilon = min(levels, key=lambda level: abs(math.log(level / mechanism.epsilon)))
    column, sets = COLUMNS.index((mechanism.privacy_unit, epsilon)), [name for name, cells in known if cells == side]
    rates = {name: (RATES[name, side, *key][column], RATES[name, side, *NEAREST][column]) for name in sets}
    worse = [f"{_text(own)} beside {_text(other)} on {name}" for name, (own, other) in rates.items() if own <= other]
    if not worse:
        return ""
    per = "user" if mechanism.privacy_unit == "user" else "check-in"
    return (
        f"On {len(worse)} of {len(rates)} measured sets of check-ins this recommends no better than the nearest cells, "
        f"which read no check-ins and cost no ε: with {side} × {side} cells and ε = {epsilon:g} per {per} the next "
        f"cell was among ten recommended at a rate of {', '.join(worse)}."
    )


def _text(thousandths: int) -> str:
    return f"{thousandths / 1000:.3f}"
