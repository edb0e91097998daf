"""Laws that every mechanism keeps, checked by running it: ``cairn check-mechanism NAME``.

Cairn's own mechanisms are tested by them.

>>> from privacy_engine.mechanisms.landmark import EventLevel
>>> [outcome_of(law, EventLevel).holds for law in LAWS["trajectory"][:3]]
[True, True, True]
"""

from privacy_engine.laws.base import Broken, Law, Laws, NotChecked, Outcome, outcome_of
from privacy_engine.registry import Adapters

LAWS: Adapters[Laws] = Adapters(__name__)
"""The laws of each kind of data."""

__all__ = ["LAWS", "Broken", "Law", "NotChecked", "Outcome", "outcome_of"]
